//! Reports: renderings of the one event stream (and of coverage, which needs no run), and the only rooms that print.

pub(crate) mod coverage;
pub(crate) mod diff;
pub(crate) mod explanation;
pub(crate) mod fault;
pub(crate) mod jsonl;
pub(crate) mod progress;
pub(crate) mod results;
pub(crate) mod search;
pub(crate) mod style;
pub(crate) mod text;
