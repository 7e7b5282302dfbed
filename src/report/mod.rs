//! Reports: renderings of the one event stream, and the only rooms that print.

pub(crate) mod diff;
pub(crate) mod explanation;
pub(crate) mod fault;
pub(crate) mod jsonl;
pub(crate) mod progress;
pub(crate) mod results;
pub(crate) mod style;
pub(crate) mod text;
