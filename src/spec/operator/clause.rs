//! Clauses: the normative statements of the texts, in our own words.

use super::{Operator, Rule};
use std::fmt;

/// How binding a clause is.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The text demands or forbids it.
    Must,
    /// The text advises it.
    #[default]
    Should,
    /// The text permits it.
    May,
    /// The text contradicts itself or leaves the point open.
    Open,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::May => "may",
            Self::Open => "open",
        })
    }
}

/// Which ways runs can test a clause. One way is an accepted request, which a backend that breaks the clause gets wrong
/// or refuses. The other is a request that has to be rejected, and that a backend which breaks the clause lets through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tested {
    /// Both ways.
    Both,
    /// By accepted requests alone, and why.
    Accepting(&'static str),
    /// By rejected requests alone, and why.
    Rejecting(&'static str),
    /// By no run, and why.
    Not(&'static str),
}

impl Tested {
    /// Why it is not tested both ways, if it is not.
    #[must_use]
    pub const fn why(self) -> Option<&'static str> {
        match self {
            Self::Both => None,
            Self::Accepting(why) | Self::Rejecting(why) | Self::Not(why) => Some(why),
        }
    }
}

/// One normative statement, as a row of an operator's clause table.
#[derive(Debug, PartialEq, Eq)]
pub struct Clause {
    /// The id after the operator's name: `zero-copies` of `onnx.Reshape-14/zero-copies`.
    pub id: &'static str,
    /// What it has in common with other operators' clauses.
    pub rule: Rule,
    /// Further rules, if one sentence of the text says several things.
    pub also: &'static [Rule],
    /// How binding it is.
    pub level: Level,
    /// What it says, in our own words.
    pub says: &'static str,
    /// The section of the operator's document it stands in.
    pub section: &'static str,
    /// Which ways runs can test it.
    pub tested: Tested,
}

impl Clause {
    /// A clause that runs can test both ways.
    pub(super) const fn new(
        id: &'static str,
        rule: Rule,
        level: Level,
        section: &'static str,
        says: &'static str,
    ) -> Self {
        Self {
            id,
            rule,
            also: &[],
            level,
            says,
            section,
            tested: Tested::Both,
        }
    }

    /// The same clause, which says these rules too.
    pub(super) const fn also(mut self, rules: &'static [Rule]) -> Self {
        self.also = rules;
        self
    }

    /// Whether it says this rule.
    #[must_use]
    pub fn is_about(&self, rule: Rule) -> bool {
        self.rule == rule || self.also.contains(&rule)
    }

    /// Every rule it says.
    pub fn rules(&self) -> impl Iterator<Item = Rule> {
        std::iter::once(self.rule).chain(self.also.iter().copied())
    }

    /// The same clause, marked as one that only these ways can test.
    pub(super) const fn tested(mut self, tested: Tested) -> Self {
        self.tested = tested;
        self
    }
}

/// A clause of a certain operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClauseOf {
    /// The operator whose text it stands in.
    pub operator: &'static Operator,
    /// The row.
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
