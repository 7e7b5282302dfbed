//! Failures of a backend that belong to no trial.

use crate::event::is_alike;
use crate::spec::outcome::ProcessFailure;
use std::ops::Range;

/// The most failures with different messages that are told apart; further ones are counted with the last.
const MOST: usize = 16;

/// Failures of a backend that are no trial's outcome: a restarted process did not repeat them, or they happened after
/// the last trial. Those with the same message, whatever numbers are in it, are one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnattributedFailures(Vec<UnattributedFailure>);

/// A failure of a backend that is no trial's outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnattributedFailure {
    /// How often it happened.
    pub times: u64,
    /// What happened the last time.
    pub last: ProcessFailure,
    /// Whether a further process did not start. Otherwise a process died, hung, or ended with an error.
    pub did_not_start: bool,
    /// What the process was doing, such as `while it compiled the model of the last trial`; empty if that is not known.
    pub doing: String,
    /// The calls that the process had received, numbered from the first call of its backend.
    pub calls: Range<usize>,
    /// The names of the trials of the last of these calls; empty until the runner gives them.
    pub trials: Vec<String>,
}

impl UnattributedFailure {
    /// A failure that happened once.
    pub(crate) fn once(failure: ProcessFailure) -> Self {
        Self {
            times: 1,
            last: failure,
            did_not_start: false,
            doing: String::new(),
            calls: 0..0,
            trials: Vec::new(),
        }
    }
}

impl UnattributedFailures {
    /// That a process did not start.
    pub(crate) fn not_started(what: String) -> Self {
        let log = String::new();
        Self(vec![UnattributedFailure {
            did_not_start: true,
            ..UnattributedFailure::once(ProcessFailure { what, log })
        }])
    }

    /// The failures, each message once.
    #[must_use]
    pub fn all(&self) -> &[UnattributedFailure] {
        &self.0
    }

    /// The deaths of processes, each message once.
    pub(crate) fn deaths(&self) -> impl Iterator<Item = &UnattributedFailure> {
        self.0.iter().filter(|failure| !failure.did_not_start)
    }

    /// Gives each failure the names of its trials.
    pub(crate) fn named(mut self, name: impl Fn(&Range<usize>) -> Vec<String>) -> Self {
        let each = self.0.iter_mut();
        each.for_each(|failure| failure.trials = name(&failure.calls));
        self
    }

    /// Adds a failure.
    pub fn add(&mut self, failure: UnattributedFailure) {
        let is_same = |of: &UnattributedFailure| {
            of.did_not_start == failure.did_not_start && is_alike(&of.last.what, &failure.last.what)
        };
        let at = self.0.iter().position(is_same);
        match at.or((self.0.len() >= MOST).then_some(MOST - 1)) {
            Some(at) => {
                let times = self.0[at].times.saturating_add(failure.times);
                self.0[at] = UnattributedFailure { times, ..failure };
            }
            None => self.0.push(failure),
        }
    }

    /// Adds the failures of another instance of the backend.
    pub(crate) fn extend(&mut self, others: Self) {
        others.0.into_iter().for_each(|failure| self.add(failure));
    }
}
