//! Shrinking: the smallest trial that still fails for the same reason.

use super::kept::found_record;
use super::random::MOST_ELEMENTS;
use crate::backend::Backend;
use crate::event;
use crate::run::result::{Label, TrialResult};
use crate::spec::request::Call;
use crate::suite::generated::GeneratedCase;
use crate::suite::plan::Trial;
use crate::tensor::Count;
use crate::verdict::judge::judge;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Trials that are run for one failure.
const MOST_TRIED: usize = 1000;
/// The time after which no other is run: where each of them hangs, 400 are hours.
const LONGEST: Duration = Duration::from_secs(120);

/// Tries smaller trials as long as one of them fails and is `same`, and until `stop`; the last that was.
pub(super) fn shrink(
    backend: &mut dyn Backend,
    label: &Label,
    trial: &Trial,
    same: &dyn Fn(&TrialResult, &event::TrialRecord) -> bool,
    stop: &AtomicBool,
) -> Option<event::TrialRecord> {
    let mut best = None;
    let mut situation = GeneratedCase::of(trial);
    let (mut tried, begun) = (0, Instant::now());
    // What is tried once is not tried again: without one 1 of many it is the same whichever goes.
    let mut seen = HashSet::from([situation.clone()]);
    'smaller: loop {
        // What is said of zeros goes where there is none.
        let unsaid = (!situation.target.contains(&0)).then(|| GeneratedCase {
            zero: None,
            ..situation.clone()
        });
        for next in smaller(&situation).into_iter().chain(unsaid) {
            let next = next.expressible(trial.operator);
            if !seen.insert(next.clone()) {
                continue;
            }
            if tried == MOST_TRIED || begun.elapsed() > LONGEST || stop.load(Ordering::Relaxed) {
                return best;
            }
            tried += 1;
            let trial = next.trial(trial.operator, trial.element_type, trial.binding);
            let Some(result) = ask(backend, &trial).filter(|result| red(Some(result))) else {
                continue;
            };
            let told = found_record(label, &result);
            if same(&result, &told) {
                best = Some(told);
                situation = next;
                continue 'smaller;
            }
        }
        return best;
    }
}

/// What comes of a trial that is asked alone.
pub(super) fn ask(backend: &mut dyn Backend, trial: &Trial) -> Option<TrialResult> {
    let (data, request) = (trial.case.data(trial.element_type).ok()?, trial.request());
    let outcome = backend.reshape(&Call {
        request: &request,
        binding: trial.binding,
        data: &data,
    });
    let verdict = judge(trial.case.expectation(trial.operator), &data, &outcome);
    Some(TrialResult::new(trial.clone(), outcome, verdict))
}

pub(super) fn red(result: Option<&TrialResult>) -> bool {
    result.is_some_and(|result| result.verdict.kind().is_red())
}

/// Situations with less to read, the boldest first.
fn smaller(situation: &GeneratedCase) -> Vec<GeneratedCase> {
    let mut all = Vec::new();
    // Without its 0, data with long dims would have more elements than can be made.
    let most = Count::of(&situation.data)
        .as_u64()
        .map_or(MOST_ELEMENTS, |count| count.max(MOST_ELEMENTS));
    let mut propose = |data: Vec<u64>, target: Vec<i64>| {
        if Count::of(&data).as_u64().is_none_or(|count| count > most) {
            return;
        }
        all.push(GeneratedCase {
            data,
            target,
            zero: situation.zero,
        });
    };
    let (data, target) = (&situation.data, &situation.target);
    let without = |list: &[u64], at: usize| {
        list.iter()
            .enumerate()
            .filter(|(i, _)| *i != at)
            .map(|(_, v)| *v)
            .collect::<Vec<_>>()
    };
    let without_value = |at: usize| {
        target
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != at)
            .map(|(_, v)| *v)
            .collect::<Vec<_>>()
    };
    // Of long ones whole stretches, where one dim at a time would take thousands of trials.
    let longer = data.len().max(target.len());
    for size in
        std::iter::successors(Some(longer / 2), |size| Some(size / 2)).take_while(|size| *size > 1)
    {
        for from in (0..longer).step_by(size) {
            let outside = |at: &usize| !(from..from + size).contains(at);
            let shorter: Vec<u64> = (0..data.len()).filter(outside).map(|at| data[at]).collect();
            let fewer: Vec<i64> = (0..target.len())
                .filter(outside)
                .map(|at| target[at])
                .collect();
            propose(shorter.clone(), fewer.clone());
            propose(shorter, target.clone());
            propose(data.clone(), fewer);
        }
    }
    for at in 0..data.len() {
        for value in 0..target.len() {
            propose(without(data, at), without_value(value));
        }
    }
    for at in 0..data.len() {
        propose(without(data, at), target.clone());
    }
    for at in 0..target.len() {
        propose(data.clone(), without_value(at));
    }
    let lengths = |dim: u64| {
        [1, 2, 3, dim / 2, dim.saturating_sub(1)]
            .into_iter()
            .filter(move |length| *length > 0 && *length < dim)
    };
    for at in 0..data.len() {
        for length in lengths(data[at]) {
            let shorter: Vec<u64> = data
                .iter()
                .enumerate()
                .map(|(i, dim)| if i == at { length } else { *dim })
                .collect();
            propose(shorter.clone(), target.clone());
            // The same in a value that it is a factor of, so that counts can still match.
            for value in (0..target.len()).filter(|value| {
                u64::try_from(target[*value]).is_ok_and(|v| v > 0 && v % data[at] == 0)
            }) {
                let less = |v: i64| (v.unsigned_abs() / data[at] * length) as i64;
                propose(
                    shorter.clone(),
                    target
                        .iter()
                        .enumerate()
                        .map(|(i, v)| if i == value { less(*v) } else { *v })
                        .collect(),
                );
            }
        }
    }
    for at in 0..target.len() {
        let value = target[at];
        let nearer = [
            value.signum(),
            2 * value.signum(),
            3 * value.signum(),
            value / 2,
            value - value.signum(),
        ];
        for next in nearer.into_iter().filter(|next| {
            next.unsigned_abs() < value.unsigned_abs() && *next != 0 && (value > 0 || *next < -1)
        }) {
            propose(
                data.clone(),
                target
                    .iter()
                    .enumerate()
                    .map(|(i, v)| if i == at { next } else { *v })
                    .collect(),
            );
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_without_elements_does_not_become_data_that_cannot_be_made() {
        let situation = GeneratedCase {
            data: vec![5, 0, i64::MAX as u64, 1 << 31],
            target: vec![-1, 5],
            zero: None,
        };
        let all = smaller(&situation);
        assert!(all.len() > 10);
        let most = all
            .iter()
            .filter_map(|smaller| Count::of(&smaller.data).as_u64())
            .max();
        assert!(most.is_some_and(|most| most <= MOST_ELEMENTS), "{most:?}");
    }
}
