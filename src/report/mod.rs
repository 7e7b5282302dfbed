//! Reports: renderings of the event stream, and of coverage, explanations and faults, which need no run. Nothing else prints.

pub(crate) mod badge;
mod cause;
pub(crate) mod coverage;
pub(crate) mod diff;
pub(crate) mod digest;
pub(crate) mod explanation;
pub(crate) mod fault;
pub(crate) mod github;
pub(crate) mod html;
pub(crate) mod jsonl;
pub(crate) mod junit;
mod location;
mod markdown;
pub(crate) mod number;
pub(crate) mod progress;
pub(crate) mod results;
mod rule_table;
pub(crate) mod sarif;
pub(crate) mod search;
pub(crate) mod shown;
pub(crate) mod style;
pub(crate) mod suite_diff;
pub(crate) mod summary;
pub(crate) mod text;
pub(crate) mod totals;
mod verdicts;

/// What is said of a backend that is only similar to the operators.
const ONLY_SIMILAR: &str = "a similar function: it does not claim to implement the operators, so where it differs it violates none of their clauses";
