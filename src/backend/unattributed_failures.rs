//! Failures of a backend that belong to no trial.

use crate::spec::outcome::ProcessFailure;

/// Failures of a backend that are no trial's outcome: a restarted process did not repeat them, or they happened after
/// the last trial.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnattributedFailures {
    /// The number of failures.
    pub times: u64,
    /// The last failure; `None` if there was none.
    pub last: Option<ProcessFailure>,
}

impl UnattributedFailures {
    /// Adds one failure.
    pub(crate) fn add(&mut self, failure: ProcessFailure) {
        self.extend(Self {
            times: 1,
            last: Some(failure),
        });
    }

    /// Adds the failures of another instance of the backend.
    pub(crate) fn extend(&mut self, others: Self) {
        self.times = self.times.saturating_add(others.times);
        self.last = others.last.or(self.last.take());
    }
}
