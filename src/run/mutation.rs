//! Mutation: the suite on every mutant, to see what it would catch.

use crate::backend::Backend;
use crate::backend::mutant::MutantBackend;
use crate::spec::request::Call;
use crate::suite::Suite;
use crate::suite::plan::{Selection, Trial, groups};
use crate::verdict::judge::judge;
use crate::verdict::mutant::Mutant;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Who catches a mutant.
pub(crate) struct Kills {
    pub mutant: &'static Mutant,
    /// Trials that fail.
    pub trials: usize,
    /// The cases that fail, by file, each with how many trials.
    pub files: BTreeMap<String, BTreeMap<String, usize>>,
    /// The smallest trial that fails.
    pub smallest: Option<Trial>,
}

impl Kills {
    /// How many cases fail.
    pub(crate) fn cases(&self) -> usize {
        self.files.values().map(BTreeMap::len).sum()
    }

    fn add(&mut self, trial: &Trial) {
        self.trials += 1;
        let file = self
            .files
            .entry(trial.case.source.file.to_string())
            .or_default();
        *file.entry(trial.case.name.clone()).or_default() += 1;
        if self
            .smallest
            .as_ref()
            .is_none_or(|smallest| trial.size() < smallest.size())
        {
            self.smallest = Some(trial.clone());
        }
    }
}

/// Runs the suite on each of the mutants with `jobs` workers; says now and then how many trials are done, of all workers.
pub(crate) fn run(
    suite: &Suite,
    mutants: &[&'static Mutant],
    jobs: usize,
    done: &(dyn Fn(usize) + Sync),
) -> Vec<Kills> {
    let finished = AtomicUsize::new(0);
    let share = mutants.len().div_ceil(jobs.max(1)).max(1);
    std::thread::scope(|scope| {
        let workers: Vec<_> = mutants
            .chunks(share)
            .map(|share| scope.spawn(|| run_some(suite, share, &finished, done)))
            .collect();
        // A mutant that panics is a bug of ours; it must not look like one that lives.
        workers
            .into_iter()
            .flat_map(|worker| {
                worker
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    })
}

/// One pass over the suite, each trial through all of these mutants.
fn run_some(
    suite: &Suite,
    mutants: &[&'static Mutant],
    finished: &AtomicUsize,
    done: &(dyn Fn(usize) + Sync),
) -> Vec<Kills> {
    let new = |mutant: &&'static Mutant| {
        let kills = Kills {
            mutant,
            trials: 0,
            files: BTreeMap::new(),
            smallest: None,
        };
        (MutantBackend::new(&[mutant]), kills)
    };
    let mut all: Vec<_> = mutants.iter().map(new).collect();
    for group in groups(suite, &Selection::default()) {
        let trials = group.trials.len();
        for trial in group.trials {
            let request = trial.request();
            let Ok(data) = trial.case.data(trial.element_type) else {
                continue;
            };
            let expectation = trial.case.expectation(trial.operator);
            for (backend, kills) in &mut all {
                let outcome = backend.reshape(&Call {
                    request: &request,
                    binding: trial.binding,
                    data: &data,
                });
                if judge(expectation, &data, &outcome).kind().is_red() {
                    kills.add(&trial);
                }
            }
        }
        done(finished.fetch_add(trials, Ordering::Relaxed) + trials);
    }
    all.into_iter().map(|(_, kills)| kills).collect()
}
