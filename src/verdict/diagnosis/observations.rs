//! Observations: what a backend did in the trials of a run.

use super::observation::Observation;
use crate::event::{FailureKind, TrialRecord, VerdictKind};
use crate::spec::outcome::Outcome;
use crate::suite::trial::Trial;

/// What a backend did in the trials of a run, as far as diagnosis needs it.
#[derive(Debug, Default)]
pub(crate) struct Observations {
    pub(super) failures: Vec<(Trial, Observation)>,
    /// Those that fail after other trials, and pass alone.
    pub(super) stateful: Vec<Trial>,
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
        self.add_observed(trial, kind, || {
            Some(Observation::of(outcome?).in_failure(failure))
        });
    }

    /// Adds a trial from its record in an event stream.
    pub(crate) fn add_record(&mut self, trial: &Trial, record: &TrialRecord) {
        self.add_observed(trial, record.verdict, || {
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

    fn add_observed(
        &mut self,
        trial: &Trial,
        kind: VerdictKind,
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
                self.failures.push((trial.clone(), observed));
            }
        } else if matches!(kind, VerdictKind::Passed | VerdictKind::Recorded) {
            self.add_pass(trial);
        }
    }

    /// The failures that a mutant can explain.
    pub(super) fn predictable(&self) -> impl Iterator<Item = &(Trial, Observation)> {
        self.failures
            .iter()
            .filter(|(_, observed)| observed.is_predictable())
    }
}
