//! Clauses: the normative statements of the texts, in our own words.

use super::rule::Rule;
use crate::names::named_enum;

/// The ids of the normative statements found in the texts that were read statement by statement, one per line.
pub(crate) const STATEMENTS: &str = include_str!("clauses/statements.txt");

/// The texts in which they were found, to be read after "found in the".
pub(crate) const STATED_TEXTS: &str = "six texts are clauses of the tables below. (The six texts are ONNX \
    Reshape-1, -5, -13 and -14, OpenVINO Reshape-1, the oneDNN Graph specification rendered and in source, the oneDNN \
    developer guide, and the Array API standard's reshape.) The tables also have the later versions of ONNX.";

named_enum! {
    /// How binding a clause is.
    #[derive(Default)]
    pub enum Level, "level" {
        /// The text requires or forbids it.
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

/// How runs can test a clause. One way is an accepted request, which a backend that breaks the clause answers wrongly
/// or refuses. The other is a request that must be rejected, which a backend that breaks the clause accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tested {
    /// Both ways.
    Both,
    /// By accepted requests only, and why.
    Accepting(&'static str),
    /// By rejected requests only, and why.
    Rejecting(&'static str),
    /// By no run, and why.
    Not(&'static str),
}

impl Tested {
    /// Why it is not tested both ways; `None` if it is.
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
    /// The rule that it shares with clauses of other operators.
    pub rule: Rule,
    /// Further rules, if one sentence of the text states several.
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
    /// The same clause with this description.
    pub(super) const fn description(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// The same clause, which also states these rules.
    pub(super) const fn also(mut self, rules: &'static [Rule]) -> Self {
        self.also = rules;
        self
    }

    /// Whether it states this rule.
    #[must_use]
    pub fn is_about(&self, rule: Rule) -> bool {
        self.rule == rule || self.also.contains(&rule)
    }

    /// Every rule that it states.
    pub fn rules(&self) -> impl Iterator<Item = Rule> {
        std::iter::once(self.rule).chain(self.also.iter().copied())
    }

    /// The same clause, marked as testable only in these ways.
    pub(super) const fn tested(mut self, tested: Tested) -> Self {
        self.tested = tested;
        self
    }
}

/// A clause without a description, which runs can test both ways.
pub(super) const fn clause(
    level: Level,
    id: &'static str,
    rule: Rule,
    section: &'static str,
) -> Clause {
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

/// What the text requires or forbids.
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
