//! The events of a run or a search, read from their file: to report them, to resume the run, to compare another with it.

mod append;
mod backend_records;
mod contents;
mod read;
mod search_records;

pub(crate) use backend_records::BackendRecords;
pub(crate) use contents::Stream;
pub(crate) use search_records::SearchRecords;
