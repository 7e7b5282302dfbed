//! Coverage: which clauses the cases of a suite test, and how: operator × clause × way × class of element types ×
//! binding, with the cases of each cell. Pure; runs nothing.

mod clauses;
mod summary;
#[cfg(test)]
mod tests;

pub(crate) use clauses::Way;
pub(crate) use clauses::{Citation, Coverage, Covered, classes};
pub(crate) use summary::{ClauseStatus, Summary};
