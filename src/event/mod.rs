//! The event stream: the records of a run or a search, and the reader of the file that holds them. Nothing here runs
//! anything.
//!
//! An event is a line of the stream. The stream holds all that a report shows, so that a report rendered later from the
//! file equals the one rendered live. The format is described in `docs/events.md`.

mod backend;
mod case;
mod clause;
mod counts;
mod detail;
mod failure_kind;
mod finding;
mod kind;
mod known_failure;
mod outcome;
mod place;
mod run;
mod search;
mod severity;
pub(crate) mod shorten;
pub(crate) mod stream;
mod trial;
mod trial_set;
mod verdict_kind;
pub(crate) mod visible;

pub(crate) use backend::{
    AllowedDeaths, BackendDied, BackendFinished, BackendNotRun, BackendStarted, DeathRecord,
    MemoryGrowth, MemoryRecord, NotRun, UnattributedRecord, is_alike,
};
pub(crate) use case::{CaseOperator, CaseRecord};
pub(crate) use clause::{ClauseRecord, QuestionRecord};
pub(crate) use counts::Counts;
pub(crate) use detail::{FailureDetail, Line, LineKind, TraceStep};
pub(crate) use failure_kind::FailureKind;
pub(crate) use finding::{Alone, Cause, Finding};
pub(crate) use kind::{Event, FORMAT, Reporter};
pub(crate) use known_failure::EntryRecord;
pub(crate) use outcome::{OutcomeRecord, ProcessFailureRecord};
pub(crate) use place::Place;
pub(crate) use run::{Job, RunFinished, RunStarted, RunStopped, Selected};
pub(crate) use search::{CutShort, Found, SearchFinished, SearchStarted};
pub(crate) use severity::Severity;
pub(crate) use trial::{Answer, TrialRecord};
pub(crate) use trial_set::TrialSet;
pub(crate) use verdict_kind::VerdictKind;
