//! The mutation score: the mutants that the suite kills, and the trials that kill them.

use crate::backend::{Backend, MutantBackend};
use crate::suite::plan::Plan;
use crate::suite::trial::Trial;
use crate::threads::in_threads;
use crate::verdict::diagnosis::{Hypothesis, TrialContext};
use crate::verdict::judge::judge_trial;
use crate::verdict::mutant::Mutant;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The trials that one mutant fails.
pub(crate) struct Kills {
    pub(crate) mutant: &'static Mutant,
    /// The number of failed trials.
    pub(crate) trials: usize,
    /// The number of failed trials of each case that has some, by file.
    pub(crate) files: BTreeMap<String, BTreeMap<String, usize>>,
    /// The smallest failed trial; `None` if the mutant survives.
    pub(crate) smallest: Option<Trial>,
}

impl Kills {
    /// The number of cases with failed trials.
    pub(crate) fn cases(&self) -> usize {
        self.files.values().map(BTreeMap::len).sum()
    }

    fn add(&mut self, trial: &Trial) {
        self.trials += 1;
        let file = trial.case.source.file.to_string();
        let cases = self.files.entry(file).or_default();
        *cases.entry(trial.case.name.clone()).or_default() += 1;
        let smallest = self.smallest.as_ref();
        if smallest.is_none_or(|smallest| trial.size() < smallest.size()) {
            self.smallest = Some(trial.clone());
        }
    }
}

/// Runs the plan on each mutant with `jobs` workers. `progress` gets the number of trials that all have run.
pub(crate) fn run(
    plan: &Plan,
    mutants: &[&'static Mutant],
    jobs: usize,
    progress: &(dyn Fn(usize) + Sync),
) -> Vec<Kills> {
    let trials_run = AtomicUsize::new(0);
    let per_worker = mutants.len().div_ceil(jobs.max(1)).max(1);
    let shares: Vec<_> = mutants.chunks(per_worker).collect();
    let run = |share: &&[_]| run_worker(plan, share, &trials_run, progress);
    // A mutant that panics has a bug, and must not count as surviving.
    in_threads(&shares, run).into_iter().flatten().collect()
}

/// A mutant, ready to run, and the trials that it has failed.
struct Subject {
    hypothesis: Hypothesis,
    backend: MutantBackend,
    kills: Kills,
}

impl Subject {
    fn fails(&mut self, context: &TrialContext<'_>) -> bool {
        // Most answers depend only on the trial and need no tensor.
        if !self.hypothesis.is_stateful() {
            return self.hypothesis.fails(context);
        }
        let outcome = self.backend.reshape(&context.call());
        let verdict = judge_trial(context.trial, context.data(), &outcome);
        verdict.kind().is_red()
    }
}

/// Runs each trial of the plan on each of these mutants.
fn run_worker(
    plan: &Plan,
    mutants: &[&'static Mutant],
    trials_run: &AtomicUsize,
    progress: &(dyn Fn(usize) + Sync),
) -> Vec<Kills> {
    let subjects = mutants.iter().map(|mutant| Subject {
        hypothesis: Hypothesis::of(vec![mutant]),
        backend: MutantBackend::new(&[mutant]),
        kills: Kills {
            mutant,
            trials: 0,
            files: BTreeMap::new(),
            smallest: None,
        },
    });
    let mut subjects: Vec<_> = subjects.collect();
    for group in &plan.groups {
        for trial in &group.trials {
            let context = TrialContext::of(trial);
            for subject in &mut subjects {
                if subject.fails(&context) {
                    subject.kills.add(trial);
                }
            }
        }
        let trials = group.trials.len();
        progress(trials_run.fetch_add(trials, Ordering::Relaxed) + trials);
    }
    subjects.into_iter().map(|subject| subject.kills).collect()
}
