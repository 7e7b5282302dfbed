//! Known failures: the expected failures of a backend, so that only a change makes a run red.
//!
//! Pure: a file's text in, classifications out, and the file's new text for `update`. The trials of an entry always
//! run. A fixed failure makes the run red like a regression, so that people remove stale entries.
//! `docs/known-failures.md` describes the format.

mod entry;
mod list;
mod patterns;
#[cfg(test)]
mod tests;
mod update;

#[cfg(test)]
pub(crate) use entry::schema;
pub(crate) use list::{Classification, KnownFailures, OfVersion};
pub(crate) use update::{Addition, Comparison, Explanation, update};
