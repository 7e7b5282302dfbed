//! Suites: cases, the plan of trials, generated cases, and coverage.

pub(crate) mod case;
mod collection;
pub(crate) mod core;
pub(crate) mod coverage;
#[cfg(feature = "cli")]
pub(crate) mod exchange;
pub(crate) mod generated;
pub(crate) mod glob;
pub(crate) mod partition;
pub(crate) mod plan;
pub(crate) mod record;
pub(crate) mod review;
pub(crate) mod selection;
pub(crate) mod stub;
pub(crate) mod trial;

pub use collection::Suite;
pub(crate) use collection::{case_files, entries, read_source};
