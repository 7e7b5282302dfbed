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

/// Repeats failed trials up to `times` times, or until they prove flaky. Returns the results with a final verdict. After
/// an interrupt, trials are missing. Adds the failures that belong to no trial.
pub(super) fn retry(
    rerun: Rerun<'_>,
    history: &History,
    times: u32,
    mut failed: Vec<TrialResult>,
    unattributed: &mut UnattributedFailures,
) -> Vec<TrialResult> {
    let (mut settled, mut passed_alone) = (Vec::new(), Vec::new());
    for _ in 0..times {
        let verdicts = rerun.instances(&alone(&failed, rerun.jobs), unattributed);
        passed_alone.append(&mut take_passed(&mut failed, &verdicts));
        let verdicts = rerun.instances(&history.up_to(&passed_alone), unattributed);
        let mut flaky = take_passed(&mut passed_alone, &verdicts);
        flaky
            .iter_mut()
            .for_each(|result| result.classification = Classification::Flaky);
        settled.append(&mut flaky);
        // Trials of an instance that did not start have no verdict here.
        passed_alone
            .iter_mut()
            .filter(|result| verdicts.contains_key(&result.trial.to_string()))
            .for_each(|result| result.classification = Classification::Stateful);
    }
    if !rerun.is_stopped() {
        settled.append(&mut passed_alone);
        settled.append(&mut failed);
    }
    settled
}

/// The groups of each instance in which trials run without the others of their groups, apart if they are few.
fn alone(results: &[TrialResult], jobs: usize) -> Vec<Vec<Group>> {
    let mut trials: Vec<Trial> = results.iter().map(|result| result.trial.clone()).collect();
    trials.sort_by_cached_key(ToString::to_string);
    let groups: Vec<Group> = trials.into_iter().map(Group::single).collect();
    let share = match groups.len() <= MAX_OWN_INSTANCES {
        true => 1,
        false => groups.len().div_ceil(jobs),
    };
    groups.chunks(share).map(<[Group]>::to_vec).collect()
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
