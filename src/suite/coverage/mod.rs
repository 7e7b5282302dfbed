//! Coverage: which clauses the cases of a suite test, and how: operator × clause × way × class of element types ×
//! binding, with the cases of each cell. Pure; runs nothing.

mod clauses;
mod gap;
mod summary;
#[cfg(test)]
mod tests;
mod way;

pub(crate) use clauses::{Citation, Coverage, Covered, classes};
pub(crate) use summary::{ClauseStatus, Summary};
pub(crate) use way::Way;
