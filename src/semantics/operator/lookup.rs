//! Finding operators and their clauses.

use super::clause::Clause;
use super::definition::{ModelFiles, Operator};
use super::rule::Rule;
use super::table::OPERATORS;
use std::fmt;

/// A clause of a certain operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClauseOf {
    /// The operator whose text holds the clause.
    pub operator: &'static Operator,
    /// The clause.
    pub clause: &'static Clause,
}

impl fmt::Display for ClauseOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.operator.name, self.clause.id)
    }
}

impl serde::Serialize for ClauseOf {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Operator {
    /// The operator of that versioned name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        OPERATORS.iter().find(|operator| operator.name == name)
    }

    /// The clause of that id, such as `onnx.Reshape-14/zero-copies`.
    #[must_use]
    pub fn clause(id: &str) -> Option<ClauseOf> {
        let (operator, clause) = id.split_once('/')?;
        Self::named(operator)?
            .clauses()
            .find(|of| of.clause.id == clause)
    }

    /// Every clause of its text.
    pub fn clauses(&'static self) -> impl Iterator<Item = ClauseOf> {
        let clauses = self.clauses.iter().copied().flatten();
        clauses.map(move |clause| ClauseOf {
            operator: self,
            clause,
        })
    }

    /// The clauses of its text about this rule.
    pub fn clauses_of(&'static self, rule: Rule) -> impl Iterator<Item = ClauseOf> {
        self.clauses().filter(move |of| of.clause.is_about(rule))
    }

    /// Whether its text has a clause about this rule.
    pub(crate) fn states(&'static self, rule: Rule) -> bool {
        self.clauses_of(rule).next().is_some()
    }
}

impl ModelFiles {
    /// The operators that are kept in such files.
    pub(crate) fn operators(self) -> impl Iterator<Item = &'static Operator> {
        OPERATORS.iter().filter(move |of| of.model_files() == self)
    }
}
