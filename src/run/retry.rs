//! Retrying failed trials, to tell failures that come and go from those that depend on the trials before.
//!
//! A failed trial is first repeated alone. If it passes there, it is repeated in the same circumstances: a new instance
//! receives all calls that the trial's instance had received, in the same order. Only a trial that passes in the same
//! circumstances is flaky; one that fails there again, and passes alone, is stateful.

use super::history::History;
use super::participant::Participant;
use super::result::TrialResult;
use super::workers::{did_not_start, run_groups};
use crate::backend::{About, UnattributedFailures};
use crate::event::VerdictKind;
use crate::suite::trial::{Group, Trial};
use crate::verdict::known_failures::Classification;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// The most trials that get an instance each when they are repeated alone. More of them share instances.
const MAX_OWN_INSTANCES: usize = 32;

/// Repeats the failed trials of a run.
pub(super) struct Retry<'a> {
    pub(super) participant: &'a Participant,
    pub(super) about: &'a About,
    pub(super) history: &'a History,
    /// How often each is repeated.
    pub(super) times: u32,
    /// Instances at a time.
    pub(super) jobs: usize,
    /// Set when the run is to end early.
    pub(super) stop: &'a AtomicBool,
}

/// The results of a retry.
#[derive(Default)]
pub(super) struct Retried {
    /// Those that have their final verdict. After an interrupt, trials are missing.
    pub(super) settled: Vec<TrialResult>,
    /// The failures that belong to no trial.
    pub(super) unattributed: UnattributedFailures,
}

/// The verdict of each repeated trial, by its name.
type Verdicts = HashMap<String, VerdictKind>;

impl Retry<'_> {
    /// Repeats failed trials up to `times` times, or until they turn out to be flaky.
    pub(super) fn run(&self, mut failed: Vec<TrialResult>) -> Retried {
        let mut retried = Retried::default();
        let mut passed_alone = Vec::new();
        for _ in 0..self.times {
            let unattributed = &mut retried.unattributed;
            let verdicts = self.repeat_alone(&failed, unattributed);
            passed_alone.append(&mut take_passed(&mut failed, &verdicts));
            let verdicts = self.repeat_in_company(&passed_alone, unattributed);
            let mut flaky = take_passed(&mut passed_alone, &verdicts);
            flaky
                .iter_mut()
                .for_each(|result| result.classification = Classification::Flaky);
            retried.settled.append(&mut flaky);
            // Those that an instance which did not start has not repeated have no verdict here.
            passed_alone
                .iter_mut()
                .filter(|result| verdicts.contains_key(&result.trial.to_string()))
                .for_each(|result| result.classification = Classification::Stateful);
        }
        if !self.is_stopped() {
            retried.settled.append(&mut passed_alone);
            retried.settled.append(&mut failed);
        }
        retried
    }

    /// Repeats trials without the others of their groups: each in an instance of its own if they are few.
    fn repeat_alone(
        &self,
        results: &[TrialResult],
        unattributed: &mut UnattributedFailures,
    ) -> Verdicts {
        let mut trials: Vec<Trial> = results.iter().map(|result| result.trial.clone()).collect();
        trials.sort_by_cached_key(ToString::to_string);
        let groups: Vec<Group> = trials.into_iter().map(Group::single).collect();
        let instances: Vec<Vec<Group>> = if groups.len() <= MAX_OWN_INSTANCES {
            groups.into_iter().map(|group| vec![group]).collect()
        } else {
            let share = groups.len().div_ceil(self.jobs);
            groups.chunks(share).map(<[Group]>::to_vec).collect()
        };
        self.repeat(&instances, unattributed)
    }

    /// Repeats trials after all trials that preceded them in their instances.
    fn repeat_in_company(
        &self,
        results: &[TrialResult],
        unattributed: &mut UnattributedFailures,
    ) -> Verdicts {
        self.repeat(&self.history.up_to(results), unattributed)
    }

    /// Runs the groups of each of these instances in order, as many instances at a time as the run has workers.
    fn repeat(
        &self,
        instances: &[Vec<Group>],
        unattributed: &mut UnattributedFailures,
    ) -> Verdicts {
        let mut verdicts = Verdicts::new();
        for some in instances.chunks(self.jobs) {
            std::thread::scope(|scope| {
                let handles: Vec<_> = some
                    .iter()
                    .map(|groups| scope.spawn(|| self.run_instance(groups)))
                    .collect();
                for handle in handles {
                    let (seen, failures) = handle
                        .join()
                        .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                    verdicts.extend(seen);
                    unattributed.extend(failures);
                }
            });
        }
        verdicts
    }

    /// Runs groups in order in a new instance, until the run is stopped.
    fn run_instance(&self, groups: &[Group]) -> (Verdicts, UnattributedFailures) {
        let mut verdicts = Verdicts::new();
        if self.is_stopped() {
            return (verdicts, UnattributedFailures::default());
        }
        let backend = match (self.participant.start)() {
            Ok(backend) => backend,
            Err(error) => return (verdicts, did_not_start(&error)),
        };
        let groups = groups.iter().cloned();
        let groups = groups.take_while(|_| !self.is_stopped());
        let (participant, about) = (self.participant, self.about);
        let unattributed = run_groups(
            groups,
            participant,
            backend,
            about,
            (1, self.stop),
            &mut |result| {
                verdicts.insert(result.trial.to_string(), result.verdict.kind());
            },
        );
        (verdicts, unattributed)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Notes how each repeated trial ended, and takes out those that passed.
fn take_passed(results: &mut Vec<TrialResult>, verdicts: &Verdicts) -> Vec<TrialResult> {
    let (passed, rest) = std::mem::take(results)
        .into_iter()
        .map(|mut result| {
            let again = verdicts.get(&result.trial.to_string()).copied();
            if let Some(again) = again {
                if result.attempts.is_empty() {
                    result.attempts.push(result.verdict.kind());
                }
                result.attempts.push(again);
            }
            (again.is_some_and(|again| !again.is_red()), result)
        })
        .partition::<Vec<_>, _>(|(passed, _)| *passed);
    results.extend(rest.into_iter().map(|(_, result)| result));
    passed.into_iter().map(|(_, result)| result).collect()
}
