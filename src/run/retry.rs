//! Retrying failed trials, to find those that are flaky.

use super::options::RunOptions;
use super::participant::Participant;
use super::result::TrialResult;
use super::workers::run_groups;
use crate::backend::{About, Backend, UnattributedFailures};
use crate::suite::trial::Group;
use crate::verdict::known_failures::Classification;
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

/// Runs failed trials again, each in a group of its own, until it gives another verdict (it is then flaky) or was retried
/// as often as the options say.
pub(crate) fn retry(
    mut failed: Vec<TrialResult>,
    participant: &Participant,
    about: &About,
    options: &RunOptions<'_>,
    unattributed: &mut UnattributedFailures,
) -> Vec<TrialResult> {
    let mut settled = Vec::new();
    for _ in 0..options.retries {
        if failed.is_empty() || options.is_stopped() {
            break;
        }
        let Ok(backend) = (participant.start)() else {
            break;
        };
        let round = Round {
            participant,
            about,
            jobs: options.jobs.max(1),
            stop: &options.stop,
        };
        unattributed.extend(round.run(backend, &mut failed, &mut settled));
    }
    settled.extend(failed);
    settled
}

/// One retry of every failed trial.
struct Round<'a> {
    participant: &'a Participant,
    about: &'a About,
    jobs: usize,
    stop: &'a AtomicBool,
}

impl Round<'_> {
    /// Leaves in `failed` the results that were the same again, and moves the others to `settled`.
    fn run(
        &self,
        backend: Box<dyn Backend + Send>,
        failed: &mut Vec<TrialResult>,
        settled: &mut Vec<TrialResult>,
    ) -> UnattributedFailures {
        let mut earlier: HashMap<String, TrialResult> = failed
            .drain(..)
            .map(|result| (result.trial.to_string(), result))
            .collect();
        let mut trials: Vec<_> = earlier
            .values()
            .map(|result| result.trial.clone())
            .collect();
        trials.sort_by_cached_key(ToString::to_string);
        let unattributed = run_groups(
            trials.into_iter().map(Group::single),
            self.participant,
            backend,
            self.about,
            (self.jobs, self.stop),
            &mut |again| {
                let Some(mut result) = earlier.remove(&again.trial.to_string()) else {
                    return;
                };
                if result.attempts.is_empty() {
                    result.attempts.push(result.verdict.kind());
                }
                result.attempts.push(again.verdict.kind());
                if again.verdict.kind() == result.verdict.kind() {
                    failed.push(result);
                } else {
                    result.classification = Classification::Flaky;
                    settled.push(result);
                }
            },
        );
        settled.extend(earlier.into_values());
        unattributed
    }
}
