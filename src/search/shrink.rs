//! Shrinking: for each finding, the smallest trial that still fails for the same reason, in the simplest surrounding.

use super::random::MAX_ELEMENTS;
use super::retained::{failure_reason, failure_record};
use crate::backend::{About, Backend};
use crate::error::Error;
use crate::event::stream::SearchRecords;
use crate::event::{SearchStarted, TrialRecord};
use crate::model::surroundings::Surrounding;
use crate::run::{Label, Participant, TrialResult};
use crate::suite::generated::{GeneratedCase, trial_named};
use crate::suite::trial::Trial;
use crate::tensor::Count;
use crate::verdict::diagnosis::explains;
use crate::verdict::judge::judge_trial;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The most trials that run for one finding.
const MAX_TRIALS: usize = 1000;
/// The time limit for one finding; trials that hang would take hours.
const MAX_TIME: Duration = Duration::from_secs(120);

/// Finds the smallest trial of every finding that still lacks one, until `stop` is set. `progress` gets the number of
/// finished findings. Fails when the participant does not start, or is not the one that was searched.
pub(crate) fn shrink_findings(
    participant: &Participant,
    search: &mut SearchRecords,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(usize),
) -> Result<(), Error> {
    let is_stopped = || stop.load(Ordering::Relaxed);
    if is_stopped() || search.found.iter().all(|found| found.smallest.is_some()) {
        return Ok(());
    }
    let mut backend = (participant.start)()?;
    check_same_backend(&search.started, &backend.about())?;
    for index in 0..search.found.len() {
        if let Some((trial, record)) = example_to_shrink(search, index) {
            let passes_alone = passes_alone(participant, &mut backend, &trial)?;
            let mut smallest = None;
            if !passes_alone {
                let shrinker = Shrinker {
                    label: &participant.label,
                    reason: failure_reason(&trial, &record),
                    mutants: &search.found[index].cause.mutants,
                    stop,
                };
                smallest = shrinker.shrink(backend.as_mut(), &trial);
                if is_stopped() {
                    return Ok(());
                }
            }
            let found = &mut search.found[index];
            found.passes_alone = passes_alone;
            found.smallest = Some(smallest.unwrap_or(record));
        }
        progress(index + 1);
    }
    Ok(())
}

/// Checks that this program made the search, and on this backend.
fn check_same_backend(searched: &SearchStarted, about: &About) -> Result<(), Error> {
    let version = env!("CARGO_PKG_VERSION");
    if searched.suite_version != version {
        return Err(Error::Usage(format!(
            "version {} of this program searched, but this is {version}",
            searched.suite_version
        )));
    }
    if (&searched.name, &searched.version) != (&about.name, &about.version) {
        return Err(Error::Usage(format!(
            "{} {} was searched, but this is {} {}",
            searched.name, searched.version, about.name, about.version
        )));
    }
    Ok(())
}

/// The smallest failure of a finding that has not been shrunk.
fn example_to_shrink(search: &SearchRecords, index: usize) -> Option<(Trial, TrialRecord)> {
    let found = &search.found[index];
    if found.smallest.is_some() {
        return None;
    }
    let trial = trial_named(found.cause.trials.first()?)?;
    Some((trial, search.example_of(found)?.clone()))
}

/// Whether a trial passes in a fresh instance. Earlier trials may have changed the backend's state, so it restarts if
/// the trial passes in the current instance.
fn passes_alone(
    participant: &Participant,
    backend: &mut Box<dyn Backend + Send>,
    trial: &Trial,
) -> Result<bool, Error> {
    if run_alone(backend.as_mut(), trial).is_some() {
        return Ok(false);
    }
    *backend = (participant.start)()?;
    Ok(run_alone(backend.as_mut(), trial).is_none())
}

/// Runs one trial. `None` if it does not fail, or if its data is not materialized.
fn run_alone(backend: &mut dyn Backend, trial: &Trial) -> Option<TrialResult> {
    let data = trial.case.data(trial.element_type).ok()?;
    let outcome = backend.reshape(&trial.call(&data));
    if backend.is_stopped() || backend.gone().is_some() {
        return None;
    }
    let verdict = judge_trial(trial, &data, &outcome);
    let result = TrialResult::new(trial.clone(), outcome, verdict);
    result.verdict.kind().is_red().then_some(result)
}

/// Shrinks the trials of one finding.
struct Shrinker<'a> {
    label: &'a Label,
    /// The reason of the failure.
    reason: String,
    /// The mutants that explain the finding; empty if none do.
    mutants: &'a [String],
    stop: &'a AtomicBool,
}

impl Shrinker<'_> {
    /// Replaces the trial with smaller ones that fail for the same reason, as long as possible. Returns the record of
    /// the last; `None` if there is none.
    fn shrink(&self, backend: &mut dyn Backend, trial: &Trial) -> Option<TrialRecord> {
        let supports = backend.about().supports;
        let (mut smallest, mut current) = (None, (GeneratedCase::of(trial), trial.surrounding));
        let (mut trials, begun) = (0, Instant::now());
        // Different reductions can give the same case.
        let mut seen = HashSet::from([current.clone()]);
        'smaller: loop {
            for (case, surrounding) in smaller_or_simpler(&current) {
                let next = (case.expressible(trial.operator), surrounding);
                if !seen.insert(next.clone()) {
                    continue;
                }
                let is_stopped = self.stop.load(Ordering::Relaxed);
                if trials == MAX_TRIALS || begun.elapsed() > MAX_TIME || is_stopped {
                    return smallest;
                }
                let cell = (trial.operator, trial.element_type, trial.binding, next.1);
                let Some(trial) = next.0.trial_in(cell).filter(|of| supports.takes(of)) else {
                    continue;
                };
                trials += 1;
                let Some(result) = run_alone(backend, &trial) else {
                    continue;
                };
                let record = failure_record(self.label, &result);
                if self.has_same_cause(&result, &record) {
                    (smallest, current) = (Some(record), next);
                    continue 'smaller;
                }
            }
            return smallest;
        }
    }

    /// Whether a result fails for the same reason, and the mutants of the finding also explain it.
    fn has_same_cause(&self, result: &TrialResult, record: &TrialRecord) -> bool {
        let explained = |outcome| explains(self.mutants, &result.trial, outcome);
        failure_reason(&result.trial, record) == self.reason
            && (self.mutants.is_empty() || result.outcome.as_ref().is_some_and(explained))
    }
}

/// A case, alone or in a surrounding.
type Placed = (GeneratedCase, Option<Surrounding>);

/// The case without its surrounding, then in simpler ones, then smaller cases in the same.
fn smaller_or_simpler((case, surrounding): &Placed) -> impl Iterator<Item = Placed> + use<> {
    let (same, surrounding) = (case.clone(), *surrounding);
    let simpler = surrounding.into_iter().flat_map(|of| {
        let parts = of.simpler().iter().copied();
        std::iter::once(None).chain(parts.map(Some))
    });
    let simpler = simpler.map(move |of| (same.clone(), of));
    simpler.chain(smaller(case).map(move |smaller| (smaller, surrounding)))
}

/// Smaller cases, the greatest reductions first. A case without its zero mode also counts as smaller.
pub(super) fn smaller(case: &GeneratedCase) -> impl Iterator<Item = GeneratedCase> + use<> {
    let count = Count::of(&case.data).as_u64();
    let mut smaller = Smaller {
        case,
        max_elements: count.map_or(MAX_ELEMENTS, |count| count.max(MAX_ELEMENTS)),
        cases: Vec::new(),
    };
    smaller.drop_stretches();
    smaller.drop_dims();
    smaller.shorten_dims();
    smaller.shrink_values();
    // The text ignores the zero mode of a target without zeros.
    let without_mode = (!case.target.contains(&0)).then(|| GeneratedCase {
        zero: None,
        ..case.clone()
    });
    smaller.cases.into_iter().chain(without_mode)
}

struct Smaller<'a> {
    case: &'a GeneratedCase,
    /// The most elements of smaller data. Data without a dim of length 0 can have more elements than memory holds.
    max_elements: u64,
    cases: Vec<GeneratedCase>,
}

impl Smaller<'_> {
    fn add(&mut self, data: Vec<u64>, target: Vec<i64>) {
        if Count::of(&data).is_at_most(self.max_elements) {
            self.cases.push(GeneratedCase {
                data,
                target,
                zero: self.case.zero,
            });
        }
    }

    fn add_data(&mut self, data: Vec<u64>) {
        self.add(data, self.case.target.clone());
    }

    fn add_target(&mut self, target: Vec<i64>) {
        self.add(self.case.data.clone(), target);
    }

    /// Removes halves, quarters and so on: removing single dims of a long case would take thousands of trials.
    fn drop_stretches(&mut self) {
        let (data, target) = (&self.case.data, &self.case.target);
        let longer = data.len().max(target.len());
        let sizes = std::iter::successors(Some(longer / 2), |size| Some(size / 2));
        for size in sizes.take_while(|size| *size > 1) {
            for from in (0..longer).step_by(size) {
                let stretch = from..from + size;
                let shorter_data = without(data, &stretch);
                let shorter_target = without(target, &stretch);
                self.add(shorter_data.clone(), shorter_target.clone());
                self.add_data(shorter_data);
                self.add_target(shorter_target);
            }
        }
    }

    /// Removes a data dim and a target value, then one of them.
    fn drop_dims(&mut self) {
        let (data, target) = (&self.case.data, &self.case.target);
        for at in 0..data.len() {
            for value in 0..target.len() {
                let fewer = without(data, &(at..at + 1));
                self.add(fewer, without(target, &(value..value + 1)));
            }
        }
        for at in 0..data.len() {
            self.add_data(without(data, &(at..at + 1)));
        }
        for at in 0..target.len() {
            self.add_target(without(target, &(at..at + 1)));
        }
    }

    /// Shortens a data dim, alone or with a target value that is a multiple of it, so that the counts can still be equal.
    fn shorten_dims(&mut self) {
        let (data, target) = (&self.case.data, &self.case.target);
        for (at, dim) in data.iter().copied().enumerate() {
            let lengths = [1, 2, 3, dim / 2, dim.saturating_sub(1)].into_iter();
            for length in lengths.filter(|length| *length > 0 && *length < dim) {
                let shorter = with(data, at, length);
                self.add_data(shorter.clone());
                for (index, value) in target.iter().enumerate() {
                    let value = u64::try_from(*value).unwrap_or(0);
                    if value > 0 && value % dim == 0 {
                        let less = (value / dim * length) as i64;
                        self.add(shorter.clone(), with(target, index, less));
                    }
                }
            }
        }
    }

    /// Moves a target value towards 0, but not to 0, and a negative one not to -1.
    fn shrink_values(&mut self) {
        let target = &self.case.target;
        for (at, value) in target.iter().copied().enumerate() {
            let sign = value.signum();
            for next in [sign, 2 * sign, 3 * sign, value / 2, value - sign] {
                let is_nearer = next.unsigned_abs() < value.unsigned_abs() && next != 0;
                if is_nearer && (value > 0 || next < -1) {
                    self.add_target(with(target, at, next));
                }
            }
        }
    }
}

/// A list without the entries in a range.
fn without<T: Copy>(list: &[T], range: &std::ops::Range<usize>) -> Vec<T> {
    let outside = list.iter().enumerate();
    let outside = outside.filter(|(at, _)| !range.contains(at));
    outside.map(|(_, value)| *value).collect()
}

/// A list with another value at one place.
fn with<T: Copy>(list: &[T], at: usize, value: T) -> Vec<T> {
    let mut list = list.to_vec();
    list[at] = value;
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_data_does_not_become_data_too_large_for_memory() {
        let case = GeneratedCase {
            data: vec![5, 0, i64::MAX as u64, 1 << 31],
            target: vec![-1, 5],
            zero: None,
        };
        let all: Vec<_> = smaller(&case).collect();
        assert!(all.len() > 10);
        let counts = all.iter().map(|smaller| Count::of(&smaller.data));
        let most = counts.filter_map(|count| count.as_u64()).max();
        assert!(most.is_some_and(|most| most <= MAX_ELEMENTS), "{most:?}");
    }
}
