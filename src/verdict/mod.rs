//! Verdicts: an outcome judged, compared with known failures, and diagnosed. Pure.

pub mod diagnosis;
pub mod judge;
pub mod known_failures;
pub(crate) mod mutant;
