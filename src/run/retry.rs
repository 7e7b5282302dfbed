//! Retrying failed trials, to separate intermittent failures from those that depend on earlier trials.
//!
//! A failed trial first runs alone again. If it passes there, it runs in the same circumstances: a new instance
//! receives all calls that the trial's instance had received, in the same order. A trial is flaky only if it passes in
//! the same circumstances. A trial that fails there again, and passes alone, is stateful.

use super::history::History;
use super::rerun::{Rerun, Verdicts};
use super::result::TrialResult;
use crate::backend::UnattributedFailures;
use crate::suite::trial::{Group, Trial};
use crate::verdict::known_failures::Classification;

/// The most trials that get one instance each when they run alone again. More trials share instances.
const MAX_OWN_INSTANCES: usize = 32;

/// Repeats the failed trials of a run.
pub(super) struct Retry<'a> {
    pub(super) rerun: Rerun<'a>,
    pub(super) history: &'a History,
    /// The number of times to repeat each.
    pub(super) times: u32,
}

/// The results of a retry.
#[derive(Default)]
pub(super) struct Retried {
    /// The results with a final verdict. After an interrupt, trials are missing.
    pub(super) settled: Vec<TrialResult>,
    /// The failures that belong to no trial.
    pub(super) unattributed: UnattributedFailures,
}

impl Retry<'_> {
    /// Repeats failed trials up to `times` times, or until they prove flaky.
    pub(super) fn run(&self, mut failed: Vec<TrialResult>) -> Retried {
        let mut retried = Retried::default();
        let mut passed_alone = Vec::new();
        for _ in 0..self.times {
            let unattributed = &mut retried.unattributed;
            let verdicts = self.repeat_alone(&failed, unattributed);
            passed_alone.append(&mut take_passed(&mut failed, &verdicts));
            let verdicts = self.repeat_with_neighbors(&passed_alone, unattributed);
            let mut flaky = take_passed(&mut passed_alone, &verdicts);
            flaky
                .iter_mut()
                .for_each(|result| result.classification = Classification::Flaky);
            retried.settled.append(&mut flaky);
            // Trials of an instance that did not start have no verdict here.
            passed_alone
                .iter_mut()
                .filter(|result| verdicts.contains_key(&result.trial.to_string()))
                .for_each(|result| result.classification = Classification::Stateful);
        }
        if !self.rerun.is_stopped() {
            retried.settled.append(&mut passed_alone);
            retried.settled.append(&mut failed);
        }
        retried
    }

    /// Repeats trials without the others of their groups, each in its own instance if they are few.
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
            let share = groups.len().div_ceil(self.rerun.jobs);
            groups.chunks(share).map(<[Group]>::to_vec).collect()
        };
        self.rerun.instances(&instances, unattributed)
    }

    /// Repeats trials after all trials that preceded them in their instances.
    fn repeat_with_neighbors(
        &self,
        results: &[TrialResult],
        unattributed: &mut UnattributedFailures,
    ) -> Verdicts {
        self.rerun
            .instances(&self.history.up_to(results), unattributed)
    }
}

/// Notes the result of each repeated trial, and removes those that passed.
fn take_passed(results: &mut Vec<TrialResult>, verdicts: &Verdicts) -> Vec<TrialResult> {
    let has_passed = |result: &mut TrialResult| {
        let Some(again) = verdicts.get(&result.trial.to_string()) else {
            return false;
        };
        if result.attempts.is_empty() {
            result.attempts.push(result.verdict.kind());
        }
        result.attempts.push(*again);
        !again.is_red()
    };
    results.extract_if(.., has_passed).collect()
}
