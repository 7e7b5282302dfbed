//! The records of a search in a stream.

use crate::event::Event;
use crate::event::search::{Found, Passed, SearchFinished, SearchStarted};
use crate::event::trial::TrialRecord;

/// The most names of passed trials in one event.
const MAX_NAMES_PER_EVENT: usize = 500;

/// The records of a search.
#[derive(Debug, Clone, Default)]
pub(crate) struct SearchRecords {
    /// The start of the search.
    pub started: SearchStarted,
    /// The smallest failures, at most [`Self::MAX_FAILURES`], smallest first.
    pub failures: Vec<TrialRecord>,
    /// The names of a sample of the trials that passed.
    pub passed: Vec<String>,
    /// The causes of the failures.
    pub found: Vec<Found>,
    /// Its end; `None` if it has not ended.
    pub finished: Option<SearchFinished>,
}

impl SearchRecords {
    /// The most failures that a search retains.
    pub(crate) const MAX_FAILURES: usize = 20_000;

    /// Its events, in the stream's order.
    pub(crate) fn events(&self) -> impl Iterator<Item = Event> {
        let failures = self.failures.iter().cloned();
        let passed = self.passed.chunks(MAX_NAMES_PER_EVENT).map(|names| Passed {
            trials: names.to_vec(),
        });
        let found = self.found.iter().cloned();
        std::iter::once(Event::SearchStarted(self.started.clone()))
            .chain(failures.map(|trial| Event::Trial(Box::new(trial))))
            .chain(passed.map(Event::Passed))
            .chain(found.map(|found| Event::Found(Box::new(found))))
            .chain(self.finished.iter().cloned().map(Event::SearchFinished))
    }

    /// The trial that illustrates a finding: the one from shrinking, or else the smallest failure that the search saw;
    /// `None` if the stream has neither.
    pub(crate) fn example_of<'a>(&'a self, found: &'a Found) -> Option<&'a TrialRecord> {
        found.smallest.as_ref().or_else(|| {
            let name = found.cause.trials.first()?;
            self.failures.iter().find(|failure| failure.trial == *name)
        })
    }
}
