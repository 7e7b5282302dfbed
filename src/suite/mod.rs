//! Suites: cases, the plan of trials, generated cases, and coverage.

pub mod case;
mod collection;
pub(crate) mod coverage;
pub(crate) mod generated;
pub(crate) mod glob;
pub mod partition;
pub mod plan;
pub mod selection;
pub mod trial;

pub use collection::Suite;
