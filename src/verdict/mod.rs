//! Verdicts: an outcome judged, compared with known failures, and diagnosed. Pure.

pub(crate) mod diagnosis;
pub(crate) mod judge;
pub(crate) mod known_failures;
pub(crate) mod mutant;
