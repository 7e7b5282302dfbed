//! Observations: what a backend did in the trials of a run.

use super::observation::Observation;
use crate::event::{Alone, FailureKind, TrialRecord, VerdictKind};
use crate::semantics::outcome::Outcome;
use crate::suite::trial::Trial;
use std::collections::HashSet;

/// A failed trial.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    pub(super) trial: Trial,
    pub(super) observed: Observation,
    /// How it failed; `None` for a crash and the like.
    pub(super) kind: Option<FailureKind>,
}

/// What a backend did in the trials of a run, as far as diagnosis needs it.
#[derive(Debug, Default)]
pub(crate) struct Observations {
    pub(super) failures: Vec<Failure>,
    /// Failed trials in which the reference gives the same answer.
    pub(super) misjudged: Vec<Trial>,
    /// Those that fail after other trials, and pass alone.
    pub(super) stateful: Vec<Trial>,
    /// Those that fail, and pass in the same circumstances.
    pub(super) unsteady: Vec<Trial>,
    pub(super) passes: Vec<Trial>,
}

/// The maximum number of failures retained, and of passes; a longer run is diagnosed by its first trials.
const MAX_RETAINED: usize = 200_000;
impl Observations {
    /// Adds a trial. `outcome` is `None` if the trial was not run.
    pub(crate) fn add(
        &mut self,
        trial: &Trial,
        kind: VerdictKind,
        failure: Option<FailureKind>,
        outcome: Option<&Outcome>,
    ) {
        self.add_observed(trial, kind, failure, || {
            Some(Observation::of(outcome?).in_failure(failure))
        });
    }

    /// Adds a trial from its record in an event stream.
    pub(crate) fn add_record(&mut self, trial: &Trial, record: &TrialRecord) {
        self.add_observed(trial, record.verdict, record.failure, || {
            let outcome = record.outcome.as_ref()?;
            Some(Observation::of_record(outcome).in_failure(record.failure))
        });
    }

    /// Adds a trial that the backend passed.
    pub(crate) fn add_pass(&mut self, trial: &Trial) {
        if self.passes.len() < MAX_RETAINED {
            self.passes.push(trial.clone());
        }
    }

    /// Takes the failures of these names for ones that pass alone, and fail after other trials or now and then: what they got
    /// is no sign of a mutant that answers each trial by itself.
    pub(crate) fn set_aside(&mut self, names: &HashSet<&str>, alone: &Alone) {
        let (aside, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.failures)
            .into_iter()
            .partition(|of| names.contains(of.trial.to_string().as_str()));
        self.failures = rest;
        let place = match alone {
            Alone::Stateful { .. } => &mut self.stateful,
            Alone::Unsteady => &mut self.unsteady,
        };
        place.extend(aside.into_iter().map(|failure| failure.trial));
    }

    /// Takes the failures in sequences for ones that fail after other runs, where the node passes without the sequence or fails
    /// after other trials itself.
    pub(crate) fn set_sequences_aside(&mut self) {
        let alone = self.passes.iter().chain(&self.stateful);
        let alone = alone.filter(|trial| trial.surrounding.is_none());
        let alone: HashSet<String> = alone.map(ToString::to_string).collect();
        let of_runs = |trial: &Trial| {
            let mut node = trial.clone();
            node.surrounding = None;
            trial.is_in_sequence() && alone.contains(&node.to_string())
        };
        let names: Vec<_> = self
            .failed()
            .filter(|of| of_runs(of))
            .map(ToString::to_string)
            .collect();
        let names = names.iter().map(String::as_str).collect();
        self.set_aside(&names, &Alone::after_unknown());
    }

    /// The failures that fail after other trials turn out to come and go.
    pub(crate) fn are_unsteady(&mut self) {
        self.unsteady.append(&mut self.stateful);
    }

    /// The failures that are not known to pass alone.
    pub(crate) fn failed(&self) -> impl Iterator<Item = &Trial> {
        self.failures.iter().map(|failure| &failure.trial)
    }

    fn add_observed(
        &mut self,
        trial: &Trial,
        kind: VerdictKind,
        failure: Option<FailureKind>,
        observe: impl FnOnce() -> Option<Observation>,
    ) {
        if kind == VerdictKind::Stateful {
            // What such a trial got depends on others, so it is no sign of a mutant that answers each trial by itself.
            if self.stateful.len() < MAX_RETAINED {
                self.stateful.push(trial.clone());
            }
        } else if kind.is_red() {
            if self.failures.len() < MAX_RETAINED
                && let Some(observed) = observe()
            {
                self.failures.push(Failure {
                    trial: trial.clone(),
                    observed,
                    kind: failure,
                });
            }
        } else if matches!(kind, VerdictKind::Passed | VerdictKind::Recorded) {
            self.add_pass(trial);
        }
    }

    /// The failures that a mutant can explain.
    pub(super) fn predictable(&self) -> impl Iterator<Item = &Failure> {
        let failures = self.failures.iter();
        failures.filter(|of| of.observed.is_predictable())
    }
}
