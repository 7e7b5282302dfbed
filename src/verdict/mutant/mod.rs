//! Mutants: the reference with one decision broken, as real backends break it. The catalogue proves the suite (the
//! suite must kill each mutant), diagnoses failing backends, and serves as wrong backends.

mod behavior;
mod catalogue;
mod content;
mod resolve;
mod session;
#[cfg(test)]
mod tests;

pub(crate) use behavior::{Behavior, Mutant, behavior};
pub(crate) use catalogue::CATALOGUE;
pub(crate) use resolve::{OracleAnswer, is_too_large};
pub(crate) use session::Session;
