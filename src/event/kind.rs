//! Events: what happens in a run or a search, one line of the event stream each.

use super::backend::{BackendFinished, BackendNotRun, BackendStarted};
use super::case::{CaseRecord, ClauseRecord, QuestionRecord};
use super::death::BackendDied;
use super::finding::Finding;
use super::run::{RunFinished, RunStarted, RunStopped};
use super::search::{Found, Passed, SearchFinished, SearchStarted};
use super::trial::TrialRecord;
use serde::{Deserialize, Serialize};

/// The version of the stream's format: it changes when a reader of the older one would be misled.
pub(crate) const FORMAT: u32 = 1;

/// Something that happened in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(crate) enum Event {
    /// The run begins: what is run, where, and which part of it.
    RunStarted(RunStarted),
    /// A clause that a case of the run tests.
    Clause(ClauseRecord),
    /// A question that a text leaves open for a case of the run.
    Question(QuestionRecord),
    /// A case of the suite that the run takes trials of.
    Case(CaseRecord),
    /// A backend has started.
    BackendStarted(BackendStarted),
    /// A trial has its verdict.
    Trial(Box<TrialRecord>),
    /// What several failures of a backend have in common.
    Finding(Finding),
    /// A backend died where no trial can be blamed.
    BackendDied(BackendDied),
    /// A backend is done.
    BackendFinished(BackendFinished),
    /// A backend did not run.
    BackendNotRun(BackendNotRun),
    /// All backends are done.
    RunFinished(RunFinished),
    /// The run ended before that. A run that resumes it appends its events after this one.
    RunStopped(RunStopped),
    /// A search begins.
    SearchStarted(SearchStarted),
    /// Trials that a search saw pass.
    Passed(Passed),
    /// Failures of one cause that a search found.
    Found(Box<Found>),
    /// A search is over.
    SearchFinished(SearchFinished),
    /// An event of a later version of this program.
    #[serde(other)]
    #[cfg_attr(test, schemars(skip))]
    Unknown,
}

impl Event {
    /// Whether it may be what a run says at an early end, and what a run that resumes it says again.
    pub(super) fn is_of_an_end(&self) -> bool {
        matches!(
            self,
            Self::Finding(_) | Self::BackendNotRun(_) | Self::RunStopped(_)
        )
    }
}

/// Receives the events of a run as they happen.
pub(crate) trait Reporter {
    /// Receives one event.
    fn event(&mut self, event: &Event);

    /// Hears what a backend's run is doing while no trial ends. That is no event: it is for those who wait.
    fn doing(&mut self, _what: &'static str) {}
}
