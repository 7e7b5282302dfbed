//! The [`Backend`] trait, with the identity of a backend, its capabilities, and its failures that belong to no trial.

use super::supports::Supports;
use crate::event::is_alike;
use crate::model::call::Call;
use crate::semantics::outcome::{Outcome, ProcessFailure};
use std::ops::Range;

/// An implementation of Reshape under test.
pub trait Backend {
    /// The backend's name, version and capabilities. It never receives a call outside its capabilities.
    fn about(&self) -> About;

    /// Executes one call. Every result is an outcome; a panic counts as a crash.
    fn reshape(&mut self, call: &Call<'_>) -> Outcome;

    /// Executes calls that share a model. Reports each outcome once, by the call's index, in any order.
    fn reshape_all(&mut self, calls: &[Call<'_>], done: &mut dyn FnMut(usize, Outcome)) {
        for (index, call) in calls.iter().enumerate() {
            done(index, self.reshape(call));
        }
    }

    /// Executes calls that share a model concurrently, for [`crate::backend::serve`]. Returns their outcomes in order.
    /// By default, it executes one after the other.
    fn reshape_concurrently(&mut self, calls: &[Call<'_>]) -> Vec<Outcome> {
        calls.iter().map(|call| self.reshape(call)).collect()
    }

    /// Whether the user stopped the backend: calls without an outcome did not run, which is no fault of the backend.
    fn is_stopped(&self) -> bool {
        false
    }

    /// Why it can receive no more calls, such as `did not restart`, or `None`. Calls without an outcome did not run.
    fn gone(&self) -> Option<String> {
        None
    }

    /// Takes the failures so far that are no trial's outcome.
    fn take_unattributed(&mut self) -> UnattributedFailures {
        UnattributedFailures::default()
    }

    /// Shuts the backend down. Returns the remaining failures that are no trial's outcome.
    fn finish(&mut self) -> UnattributedFailures {
        UnattributedFailures::default()
    }
}

/// The identity of a backend, and its capabilities.
#[derive(Debug, Clone)]
pub struct About {
    /// The backend's name, as reports show it.
    pub name: String,
    /// The backend's version.
    pub version: String,
    /// The backend's capabilities.
    pub supports: Supports,
}

/// How an instance contradicts the first one of its backend; `None` if it does not. Each is a name and a version.
pub(crate) fn contradiction(first: (&str, &str), now: (&str, &str)) -> Option<String> {
    let ((first_name, first_version), (name, version)) = (first, now);
    (first != now).then(|| {
        format!(
            "is now {name} {version}, but was {first_name} {first_version} at its first start: a run has one version"
        )
    })
}

/// The most failures with different messages. Further ones count with the last.
const MAX: usize = 16;

/// Failures of a backend that are no trial's outcome: a restarted process did not repeat them, or they happened after
/// the last trial. Failures whose messages differ only in numbers count as one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnattributedFailures(Vec<UnattributedFailure>);

/// A failure of a backend that is no trial's outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnattributedFailure {
    /// The number of times.
    pub times: u64,
    /// What happened the last time.
    pub last: ProcessFailure,
    /// Whether a further process did not start. Otherwise a process died, hung, or ended with an error.
    pub did_not_start: bool,
    /// Whether it came after the last trial. It counts once for any number of processes.
    pub at_end: bool,
    /// What the process was doing, such as ``during the `compile` of its last trial``; empty if unknown.
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
            ..Self::default()
        }
    }
}

impl UnattributedFailures {
    /// The failure of a process that did not start.
    pub(crate) fn not_started(what: String) -> Self {
        Self(vec![UnattributedFailure {
            did_not_start: true,
            ..UnattributedFailure::once(ProcessFailure::without_log(what))
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

    /// Adds the names of the trials to each failure.
    pub(crate) fn named(mut self, name: impl Fn(&Range<usize>) -> Vec<String>) -> Self {
        let each = self.0.iter_mut();
        each.for_each(|failure| failure.trials = name(&failure.calls));
        self
    }

    /// Adds a failure.
    pub fn add(&mut self, failure: UnattributedFailure) {
        let at = self.0.iter().position(|of| {
            (of.did_not_start, of.at_end) == (failure.did_not_start, failure.at_end)
                && is_alike(&of.last.what, &failure.last.what)
        });
        match at.or((self.0.len() >= MAX).then_some(MAX - 1)) {
            Some(at) => {
                let times = match self.0[at].at_end && failure.at_end {
                    true => self.0[at].times,
                    false => self.0[at].times.saturating_add(failure.times),
                };
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
