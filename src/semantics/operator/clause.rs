//! Clauses: the normative statements of the texts, in our own words.

use super::rule::Rule;
use crate::names::named_enum;

/// The ids of the normative statements found in the five texts that the table began with, one per line.
pub(crate) const STATEMENTS: &str = include_str!("clauses/statements.txt");

named_enum! {
    /// How binding a clause is.
    #[derive(Default)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[cfg_attr(test, schemars(rename_all = "lowercase"))]
    pub enum Level, "level" {
        /// The text demands or forbids it.
        Must = "must",
        /// The text advises it.
        #[default]
        Should = "should",
        /// The text permits it.
        May = "may",
        /// The text contradicts itself or leaves the point open.
        Open = "open",
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
    /// The rule that it has in common with other operators' clauses.
    pub rule: Rule,
    /// Further rules, if one sentence of the text says several things.
    pub also: &'static [Rule],
    /// How binding it is.
    pub level: Level,
    /// The statement, in our own words.
    pub description: &'static str,
    /// The section of the operator's document that holds it.
    pub section: &'static str,
    /// Which ways runs can test it.
    pub tested: Tested,
}

impl Clause {
    /// The same clause, which says this.
    pub(super) const fn description(mut self, description: &'static str) -> Self {
        self.description = description;
        self
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

/// A clause without its words, that runs can test both ways.
const fn clause(level: Level, id: &'static str, rule: Rule, section: &'static str) -> Clause {
    Clause {
        id,
        rule,
        also: &[],
        level,
        description: "",
        section,
        tested: Tested::Both,
    }
}

/// What the text demands or forbids.
pub(super) const fn must(id: &'static str, rule: Rule, section: &'static str) -> Clause {
    clause(Level::Must, id, rule, section)
}

/// What the text permits.
pub(super) const fn may(id: &'static str, rule: Rule, section: &'static str) -> Clause {
    clause(Level::May, id, rule, section)
}

/// What the text leaves open, or contradicts itself about.
pub(super) const fn open(id: &'static str, rule: Rule, section: &'static str) -> Clause {
    clause(Level::Open, id, rule, section)
}
