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
mod kind;
mod outcome;
mod place;
mod run;
mod search;
pub(crate) mod shorten;
pub(crate) mod stream;
mod trial;
mod verdict;

pub(crate) use backend::{
    BackendFinished, BackendNotRun, BackendStarted, Leak, MemoryGrowth, MemoryRecord, NotRun,
    Resource,
};
pub(crate) use case::{CaseOperator, CaseRecord, ClauseRecord, Expected, QuestionRecord};
pub(crate) use death::{AllowedDeaths, BackendDied, DeathRecord, UnattributedRecord, is_alike};
pub(crate) use failure::{FailureKind, Severity};
pub(crate) use finding::{Alone, Cause, Finding, id_of};
pub(crate) use kind::{Event, FORMAT, Reporter};
pub(crate) use outcome::{OutcomeRecord, ProcessFailureRecord};
pub(crate) use place::{EntryRecord, Place};
pub(crate) use run::{Job, RunFinished, RunStarted, RunStopped, Selected};
pub(crate) use search::{CutShort, Found, SearchFinished, SearchStarted};
pub(crate) use trial::{
    Answer, FailureDetail, Line, LineKind, ResultRecord, TraceStep, TrialRecord, TrialSet,
};
pub(crate) use verdict::{Counts, VerdictKind};
