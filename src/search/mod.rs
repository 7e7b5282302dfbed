//! Search: generated trials, judged by the oracle.
//!
//! These are all small trials, smallest first, or random ones. They are generated as they run, to save memory.

mod merge;
mod options;
mod pipeline;
mod random;
mod retained;
mod shrink;
mod space;

pub(crate) use merge::merge;
pub(crate) use options::{Method, SearchOptions};
pub(crate) use pipeline::search;
pub(crate) use shrink::shrink_findings;
pub(crate) use space::Bounds;
