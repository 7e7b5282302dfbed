//! Shrinking: for each finding, the smallest trial that still fails for the same reason.

use super::retained::{failure_reason, failure_record};
use super::smaller::smaller;
use crate::backend::{About, Backend};
use crate::error::Error;
use crate::event::stream::SearchRecords;
use crate::event::{SearchStarted, TrialRecord};
use crate::run::{Label, Participant, TrialResult};
use crate::suite::generated::{GeneratedCase, trial_named};
use crate::suite::trial::Trial;
use crate::verdict::diagnosis::explains;
use crate::verdict::judge::judge;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The most trials that are run for one finding.
const MAX_TRIALS: usize = 1000;
/// The time after which no more trials are run for one finding: trials that hang would take hours.
const MAX_TIME: Duration = Duration::from_secs(120);

/// Looks for the smallest trial of every finding that has none yet, until `stop` is set. `progress` gets the number of findings
/// done.
///
/// # Errors
/// When the participant does not start, or is not the one that was searched.
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

/// Checks that this program searched, and this backend.
fn check_same_backend(searched: &SearchStarted, about: &About) -> Result<(), Error> {
    let version = env!("CARGO_PKG_VERSION");
    if searched.suite_version != version {
        return Err(Error::Usage(format!(
            "version {} of this program searched, and this is {version}",
            searched.suite_version
        )));
    }
    if (&searched.name, &searched.version) != (&about.name, &about.version) {
        return Err(Error::Usage(format!(
            "{} {} was searched, and this is {} {}",
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

/// Whether a trial passes in a fresh instance. Trials before it may have changed the backend's state, so it is restarted if it
/// passes in the current one.
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

/// Runs one trial. `None` if it does not fail, or its data cannot be made.
fn run_alone(backend: &mut dyn Backend, trial: &Trial) -> Option<TrialResult> {
    let data = trial.case.data(trial.element_type).ok()?;
    let outcome = backend.reshape(&trial.call(&data));
    if backend.is_stopped() || backend.gone().is_some() {
        return None;
    }
    let verdict = judge(trial.expectation(), &data, &outcome);
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
    /// Replaces the trial by a smaller one that fails for the same reason as long as there is one. The record of the last;
    /// `None` if there is none.
    fn shrink(&self, backend: &mut dyn Backend, trial: &Trial) -> Option<TrialRecord> {
        let (mut smallest, mut current) = (None, GeneratedCase::of(trial));
        let (mut trials, begun) = (0, Instant::now());
        // Different reductions can give the same case.
        let mut seen = HashSet::from([current.clone()]);
        'smaller: loop {
            for next in smaller(&current) {
                let next = next.expressible(trial.operator);
                if !seen.insert(next.clone()) {
                    continue;
                }
                let is_stopped = self.stop.load(Ordering::Relaxed);
                if trials == MAX_TRIALS || begun.elapsed() > MAX_TIME || is_stopped {
                    return smallest;
                }
                trials += 1;
                let trial = next.trial(trial.operator, trial.element_type, trial.binding);
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

    /// Whether a result fails for the same reason, and the mutants of the finding explain it too.
    fn has_same_cause(&self, result: &TrialResult, record: &TrialRecord) -> bool {
        let explained = |outcome| explains(self.mutants, &result.trial, outcome);
        failure_reason(&result.trial, record) == self.reason
            && (self.mutants.is_empty() || result.outcome.as_ref().is_some_and(explained))
    }
}
