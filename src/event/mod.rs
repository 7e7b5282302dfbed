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
mod outcome;
mod place;
mod run;
mod search;
pub(crate) mod shorten;
pub mod stream;
mod trial;
mod verdict_kind;

pub use backend::{BackendFinished, BackendStarted, UnattributedRecord};
pub use case::{CaseOperator, CaseRecord};
pub use clause::{ClauseRecord, QuestionRecord};
pub use counts::Counts;
pub use detail::{FailureDetail, Line, LineKind, TraceStep};
pub use failure_kind::FailureKind;
pub use finding::{Cause, Finding};
pub use kind::{Event, FORMAT, Reporter};
pub use outcome::{OutcomeRecord, ProcessFailureRecord};
pub use place::Place;
pub use run::{RunFinished, RunStarted, Selected};
pub use search::{CutShort, Found, Passed, SearchFinished, SearchStarted};
pub use trial::{Answer, TrialRecord};
pub use verdict_kind::VerdictKind;
