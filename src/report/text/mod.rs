//! The terminal report: failures by cause or clause, open questions, known failures, and counts that add up.

mod failures;
mod notes;
mod terminal;
mod verbosity;

pub(crate) use terminal::Text;
pub(crate) use verbosity::Verbosity;
