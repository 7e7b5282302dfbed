//! Search: trials that nobody wrote, judged by the oracle: all small ones, smallest first, or random ones, which may be
//! guided by the mutants that the backend has not refuted. Trials are generated as they run; memory does not grow with their
//! number.

mod hypotheses;
mod merge;
mod options;
mod pipeline;
mod random;
mod retained;
mod shrink;
mod space;

pub(crate) use merge::merge;
pub(crate) use options::{Method, SearchOptions};
pub(crate) use pipeline::{SearchResult, search};
pub(crate) use shrink::shrink_findings;
pub(crate) use space::Bounds;
