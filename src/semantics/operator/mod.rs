//! The operators: every versioned operator as a row of data, with its clauses.
//!
//! A new operator version is one row in `table` and its clauses in `clauses`. What differs between operators is a field
//! of `Rules` and never a branch elsewhere; only the oracle reads `Rules`.

mod binding;
mod clause;
mod clauses;
mod definition;
mod family;
mod question;
mod rule;
pub(in crate::semantics) mod rules;
mod selector;
mod table;
#[cfg(test)]
mod tests;

pub use binding::{Binding, Layout, TargetSource};
pub use clause::{Clause, Level, Tested};
pub(crate) use clause::{STATED_TEXTS, STATEMENTS};
pub use definition::Operator;
pub use family::Family;
pub(crate) use family::ModelFiles;
pub use question::Question;
pub(crate) use question::{Meaning, ReadersChoice};
pub use rule::{Reason, Rule};
pub(crate) use rules::{AttributeKind, Strictness};
pub use selector::{ClauseOf, Selector, SelectorError};
pub(crate) use selector::{clauses_named, in_short};
pub use table::OPERATORS;
