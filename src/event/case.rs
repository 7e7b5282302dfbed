//! The cases of a run.

use crate::semantics::operator::Level;
use serde::{Deserialize, Serialize};

/// A case, as far as reports show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct CaseRecord {
    /// Its name.
    pub case: String,
    /// The file it stands in.
    pub file: String,
    /// The line it begins on, from 1.
    pub line: usize,
    /// What it cites: rules, or ids of clauses.
    pub covers: Vec<String>,
    /// For each operator it asks, what it tests.
    pub operators: Vec<CaseOperator>,
}

/// A case for one operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct CaseOperator {
    /// The operator.
    pub operator: String,
    /// The strictest level of these clauses.
    pub level: Level,
    /// The ids of the clauses it tests, such as `onnx.Reshape-14/zero-copies`.
    pub clauses: Vec<String>,
    /// What is asked, in a line, without the element type: `[2, 3] to [0, -1], allowzero=1`.
    pub asks: String,
    /// What the text says, in a line: a shape, `rejected: …` or `open (…): …`.
    pub expects: String,
}
