//! Diagnosis: what a failing backend seems to do. After a run, the backend's answers are compared with those of every
//! mutant and of promising pairs of mutants. Pure.
//!
//! A hypothesis *explains* a failure if the mutant would have given the same answer, and is *contradicted* by a trial that
//! the backend passed and the mutant would fail. Many real faults show only in some cells (operator × element type ×
//! binding), such as those with a runtime target, so a hypothesis is limited to the cells in which next to nothing
//! contradicts it. A few contradictions are tolerated, because one fault can hide another.

mod candidate;
mod diagnose;
mod difference;
mod features;
mod hypothesis;
mod observations;
mod plain;
mod property;
mod shared;
#[cfg(test)]
mod tests;
mod wording;

pub(crate) use hypothesis::{Hypothesis, TrialContext, explains, fail_after, mutants_explaining};
pub(crate) use observations::Observations;
pub(crate) use shared::{PASSES_ALONE, form};
