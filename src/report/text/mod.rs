//! The terminal report: failures by cause or clause, open questions, known failures, and counts that add up.

mod failures;
mod notes;
mod terminal;

pub(crate) use failures::{Failures, Verbosity};
pub(crate) use terminal::Text;
