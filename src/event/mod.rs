//! The event stream: the records of a run or a search, and the reader of the file that holds them. Nothing here runs
//! anything.
//!
//! An event is a line of the stream. The stream holds everything that a report shows. So a report rendered later from
//! the file equals the one rendered live. `docs/events.md` describes the format.

/// Declares records of the stream, each as an object of JSON. A field with a predicate is left out when that holds, and
/// then has its default where it is read.
macro_rules! records {
    ($(
        $(#[$meta:meta])*
        $visibility:vis struct $Record:ident {
            $($(#[$about:meta])* $field_visibility:vis $field:ident: $Type:ty $(= $left_out:literal)?),+ $(,)?
        }
    )+) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        $visibility struct $Record {$(
            $(#[$about])*
            $(#[serde(default, skip_serializing_if = $left_out)])?
            $field_visibility $field: $Type
        ),+}
    )+};
}

mod backend;
mod case;
mod death;
mod failure;
mod finding;
mod outcome;
mod place;
mod resources;
mod run;
mod search;
pub(crate) mod shorten;
pub(crate) mod stream;
mod trial;
mod verdict;

pub(crate) use backend::{BackendFinished, BackendNotRun, BackendStarted, NotRun};
pub(crate) use case::{CaseOperator, CaseRecord, ClauseRecord, Expected, QuestionRecord};
pub(crate) use death::{
    AFTER_THE_LAST, AllowedDeaths, BackendDied, DeathRecord, OR_THE_RELEASE, TOO_MUCH,
    UnattributedRecord, exit_status, is_alike,
};
pub(crate) use failure::{ElementDifference, FailureKind, Severity};
pub(crate) use finding::{Alone, Cause, Finding, id_of};
pub(crate) use outcome::{OutcomeRecord, ProcessFailureRecord};
pub(crate) use place::{EntryRecord, Place};
pub(crate) use resources::{Leak, MemoryGrowth, MemoryRecord, Resource};
pub(crate) use run::{Job, RunFinished, RunStarted, RunStopped, Selected};
pub(crate) use search::{CutShort, Found, SearchFinished, SearchStarted};
pub(crate) use trial::{
    Answer, FailureDetail, Line, LineKind, ResultRecord, TraceStep, TrialRecord, TrialSet,
};
pub(crate) use verdict::{Counts, VerdictKind};

use search::Passed;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

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
    Case(Arc<CaseRecord>),
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
    fn is_of_an_end(&self) -> bool {
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

    /// Receives what is no event, but informs those who wait.
    fn note(&mut self, _note: Note<'_>) {}
}

/// What a backend's run tells those who wait.
#[derive(Clone, Copy)]
pub(crate) enum Note<'a> {
    /// What it is doing while no trial ends.
    Doing(&'static str),
    /// How long a backend took from its start to its `hello`.
    StartedIn(&'a str, Duration),
    /// How many trials failed and have no verdict, because they will run again.
    WillRunAgain(usize),
}
