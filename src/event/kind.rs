//! Events: what happens in a run or a search, one line of the event stream each.

use super::backend::{BackendFinished, BackendNotRun, BackendStarted};
use super::case::{CaseRecord, ClauseRecord, QuestionRecord};
use super::death::BackendDied;
use super::finding::Finding;
use super::run::{RunFinished, RunStarted, RunStopped};
use super::search::{Found, Passed, SearchFinished, SearchStarted};
use super::trial::TrialRecord;
use serde::{Deserialize, Serialize};

/// The version of the stream's format. It changes when an older reader would misunderstand the stream.
pub(crate) const FORMAT: u32 = 1;

/// Something that happened in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(crate) enum Event {
    /// The run begins: its subject, its machine, and its part.
    RunStarted(RunStarted),
    /// A clause that a case of the run tests.
    Clause(ClauseRecord),
    /// A question that a text leaves open for a case of the run.
    Question(QuestionRecord),
    /// A case with selected trials.
    Case(CaseRecord),
    /// A backend has started.
    BackendStarted(BackendStarted),
    /// A trial has its verdict.
    Trial(Box<TrialRecord>),
    /// What several failures of a backend have in common.
    Finding(Finding),
    /// A backend died, and no trial can be blamed.
    BackendDied(BackendDied),
    /// A backend has finished.
    BackendFinished(BackendFinished),
    /// A backend did not run.
    BackendNotRun(BackendNotRun),
    /// All backends are done.
    RunFinished(RunFinished),
    /// The run ended early. A run that resumes it appends its events after this one.
    RunStopped(RunStopped),
    /// A search begins.
    SearchStarted(SearchStarted),
    /// Trials that passed in a search.
    Passed(Passed),
    /// Failures of one cause that a search found.
    Found(Box<Found>),
    /// A search has finished.
    SearchFinished(SearchFinished),
    /// An event of a later version of this program.
    #[serde(other)]
    #[cfg_attr(test, schemars(skip))]
    Unknown,
}

impl Event {
    /// Whether a run may write it at an early end, and write it again after it is resumed.
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

    /// Receives what a backend's run is doing while no trial ends. This is not an event: it informs those who wait.
    fn doing(&mut self, _what: &'static str) {}

    /// Receives how many trials failed and have no verdict, because they will run again.
    fn will_run_again(&mut self, _count: usize) {}
}
