//! The operators: every versioned operator as a row of data, with its clauses, and the words the rows use.
//!
//! Adding an operator version is one row in `table` and its clauses in `clauses`. What differs between operators
//! is a field here and never a branch elsewhere; only the oracle reads `Rules`.

mod binding;
mod clause;
mod clauses;
mod question;
mod reason;
mod rule;
mod selector;
mod table;

pub use binding::{Binding, Layout, TargetSource};
pub use clause::{Clause, ClauseOf, Level, Tested};
pub use question::Question;
pub use reason::Reason;
pub use rule::Rule;
pub use selector::{Selector, SelectorError};
pub use table::OPERATORS;

use crate::tensor::ElementType;
use std::fmt;

/// The ids of the normative statements found in the five texts that the table began with, one a line.
pub(crate) const STATEMENTS: &str = include_str!("clauses/statements.txt");

/// Whose operators: the part of the name before the dot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// ONNX, domain `ai.onnx`.
    Onnx,
    /// OpenVINO opset.
    Openvino,
    /// The oneDNN Graph specification.
    OnednnSpec,
    /// The oneDNN developer guide.
    Onednn,
}

impl Family {
    /// Every family.
    pub const ALL: &'static [Self] = &[Self::Onnx, Self::Openvino, Self::OnednnSpec, Self::Onednn];

    /// The name as it stands before the dot of an operator's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Onnx => "onnx",
            Self::Openvino => "openvino",
            Self::OnednnSpec => "onednn-spec",
            Self::Onednn => "onednn",
        }
    }
}

/// One versioned operator of one specification.
#[derive(Debug)]
pub struct Operator {
    /// The versioned name: `onnx.Reshape-14`.
    pub name: &'static str,
    /// Whose it is.
    pub family: Family,
    /// The version: for ONNX, the opset since which it holds. The unversioned oneDNN guide has 0.
    pub version: u32,
    /// The document its clauses are in.
    pub document: &'static str,
    /// The element types that the text lists for the data.
    pub element_types: &'static [ElementType],
    /// The bindings through which it can be reached.
    pub bindings: &'static [Binding],
    /// What it does, for the oracle to read.
    pub(crate) rules: Rules,
    /// Its clauses, in groups shared with its sister versions.
    pub(crate) clauses: &'static [&'static [Clause]],
}

impl PartialEq for Operator {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Operator {}

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
        self.clauses
            .iter()
            .copied()
            .flatten()
            .map(move |clause| ClauseOf {
                operator: self,
                clause,
            })
    }

    /// The clauses of its text that say this rule.
    pub fn clauses_of(&'static self, rule: Rule) -> impl Iterator<Item = ClauseOf> {
        self.clauses().filter(move |of| of.clause.is_about(rule))
    }

    /// The attribute that says whether a 0 copies, if the operator has one.
    pub(crate) fn zero_attribute(&self) -> Option<&'static ZeroAttribute> {
        match self.rules.zero {
            ZeroRule::AlwaysCopies => None,
            ZeroRule::Attribute(attribute) => Some(attribute),
        }
    }

    /// Whether the target is an attribute of the node.
    #[must_use]
    pub fn target_is_attribute(&self) -> bool {
        self.rules.target.attribute
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl serde::Serialize for Operator {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

/// What the rules of an operator say, where operators differ.
#[derive(Debug)]
pub(crate) struct Rules {
    pub zero: ZeroRule,
    /// Whether a literal 0 beside a -1 is forbidden even where the count would allow it.
    pub literal_zero_forbids_minus_one: bool,
    pub below_minus_one: Strictness,
    pub element_type_outside: Strictness,
    pub target: TargetRule,
    /// Attributes that are known and change nothing.
    pub ignored_attributes: &'static [(&'static str, AttributeKind)],
}

/// What to do about something that the text forbids, or leaves open.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Strictness {
    MustReject,
    Open(Question),
}

/// How a 0 in the target is read.
#[derive(Debug)]
pub(crate) enum ZeroRule {
    AlwaysCopies,
    Attribute(&'static ZeroAttribute),
}

/// The attribute that says how a 0 is read.
#[derive(Debug)]
pub(crate) struct ZeroAttribute {
    pub name: &'static str,
    pub kind: AttributeKind,
    /// Whether a 0 copies when the attribute is set (1, true).
    pub copies_when_set: bool,
    /// What holds without it: `None` if it is required.
    pub copies_by_default: Option<bool>,
}

/// The type of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AttributeKind {
    Int,
    Ints,
    Bool,
}

/// What an operator wants of its target.
#[derive(Debug)]
pub(crate) struct TargetRule {
    /// An attribute `shape`, or else the second input.
    pub attribute: bool,
    pub element_types: &'static [ElementType],
    pub not_flat: Strictness,
    pub missing: Strictness,
    /// `None`: an empty target is a scalar.
    pub empty: Option<Question>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_printed_as_it_is_written_in_files() {
        for binding in Binding::ALL {
            assert_eq!(binding.to_string().parse(), Ok(*binding));
        }
        for rule in Rule::ALL {
            assert_eq!(rule.to_string().parse(), Ok(*rule));
            assert_eq!(rule.is_citable(), rule.name() != "example");
        }
        let layouts: std::collections::BTreeSet<_> =
            Layout::ALL.iter().map(|layout| layout.name()).collect();
        assert_eq!(layouts.len(), Layout::ALL.len());
        assert!(
            layouts
                .iter()
                .all(|name| name.len() > 5 && *name != "xyzzy")
        );
        assert!(
            Question::ALL
                .iter()
                .all(|question| question.to_string() == question.name())
        );
        assert!(
            Reason::ALL
                .iter()
                .all(|reason| reason.to_string() == reason.name())
        );
        for level in [Level::Must, Level::Should, Level::May, Level::Open] {
            assert_eq!(
                serde_json::to_value(level).ok(),
                Some(serde_json::Value::from(level.to_string()))
            );
        }
    }

    #[test]
    fn a_clause_is_about_the_rules_it_says_and_no_other() {
        for of in OPERATORS.iter().flat_map(Operator::clauses) {
            let said: Vec<_> = of.clause.rules().collect();
            assert!(
                Rule::ALL
                    .iter()
                    .all(|rule| of.clause.is_about(*rule) == said.contains(rule)),
                "{of}"
            );
        }
    }

    #[test]
    fn a_clause_is_found_by_its_id_and_only_there() {
        for of in OPERATORS.iter().flat_map(Operator::clauses) {
            assert_eq!(Operator::clause(&of.to_string()), Some(of));
        }
        for id in [
            "onnx.Reshape-14/no-such",
            "no.Such-1/zero-copies",
            "zero-copies",
            "",
        ] {
            assert_eq!(Operator::clause(id), None, "{id}");
        }
    }

    #[test]
    fn the_target_is_an_attribute_where_the_text_lists_no_second_input() {
        let attribute: Vec<_> = OPERATORS
            .iter()
            .filter(|one| one.target_is_attribute())
            .map(|one| one.name)
            .collect();
        assert_eq!(
            attribute,
            [
                "onnx.Reshape-1",
                "onednn-spec.StaticReshape-1",
                "onednn.StaticReshape"
            ]
        );
    }

    #[test]
    fn each_version_lists_as_many_element_types_as_its_text() {
        let counts: Vec<_> = OPERATORS
            .iter()
            .map(|operator| (operator.name, operator.element_types.len()))
            .collect();
        let onnx = [
            (1, 3),
            (5, 15),
            (13, 16),
            (14, 16),
            (19, 20),
            (21, 22),
            (23, 23),
            (24, 24),
            (25, 26),
        ];
        for ((name, count), (version, expected)) in counts.iter().zip(onnx) {
            assert_eq!(
                (*name, *count),
                (format!("onnx.Reshape-{version}").as_str(), expected)
            );
        }
        assert_eq!(
            counts[9..],
            [
                ("openvino.Reshape-1", 19),
                ("onednn-spec.StaticReshape-1", 3),
                ("onednn.StaticReshape", 3)
            ]
        );
    }

    #[test]
    fn clause_ids_are_unique_and_every_operator_has_the_rules_that_all_share() {
        for operator in OPERATORS {
            let ids: std::collections::BTreeSet<_> =
                operator.clauses().map(|of| of.to_string()).collect();
            assert_eq!(ids.len(), operator.clauses().count(), "{operator}");
            for rule in [
                Rule::TargetIsOutputShape,
                Rule::SameCount,
                Rule::SameContent,
                Rule::InferredMinusOne,
                Rule::OneMinusOne,
            ] {
                assert!(
                    operator.clauses_of(rule).next().is_some(),
                    "{operator} {rule}"
                );
            }
            let zero = if operator.zero_attribute().is_some() {
                Rule::LiteralZero
            } else {
                Rule::CopiedZero
            };
            assert!(
                operator.clauses_of(zero).next().is_some(),
                "{operator} {zero}"
            );
        }
    }

    #[test]
    fn the_statements_of_the_five_texts_are_all_there() {
        let texts = OPERATORS
            .iter()
            .filter(|operator| operator.family != Family::Onnx || operator.version <= 14);
        let clauses: std::collections::BTreeSet<_> = texts
            .flat_map(|operator| operator.clauses())
            .map(|of| of.to_string())
            .collect();
        let statements: std::collections::BTreeSet<_> =
            STATEMENTS.lines().map(str::to_owned).collect();
        assert_eq!(statements.len(), 126);
        assert_eq!(statements, clauses);
    }

    #[test]
    fn later_onnx_versions_say_what_14_says_but_for_version_and_types() {
        let said = |name: &str| -> Vec<_> {
            let operator = Operator::named(name).expect("an operator");
            operator
                .clauses()
                .filter(|of| !matches!(of.clause.id, "since" | "types"))
                .map(|of| of.clause)
                .collect()
        };
        for version in [19, 21, 23, 24, 25] {
            assert_eq!(
                said("onnx.Reshape-14"),
                said(&format!("onnx.Reshape-{version}"))
            );
        }
    }

    #[test]
    fn selectors_name_families_single_operators_and_bounds() {
        let names = |text: &str| -> Vec<u32> {
            let selector: Selector = text.parse().expect("a selector");
            selector
                .operators()
                .iter()
                .map(|operator| operator.version)
                .collect()
        };
        assert_eq!(names("onnx >= 23"), [23, 24, 25]);
        assert_eq!(names("onnx<13"), [1, 5]);
        assert_eq!(names("onnx.Reshape-14"), [14]);
        assert_eq!(names("onednn"), [0]);
        for wrong in [
            "onnx >= 99",
            "onnx ~ 3",
            "ONNX",
            "onnx.Reshape-2",
            "",
            "onnx >=",
        ] {
            assert!(wrong.parse::<Selector>().is_err(), "{wrong}");
        }
    }
}
