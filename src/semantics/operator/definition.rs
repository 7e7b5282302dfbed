//! An operator: one row of the table.

use super::binding::Binding;
use super::clause::Clause;
use super::family::Family;
use super::rules::{Rules, ZeroAttribute, ZeroRule};
use crate::tensor::ElementType;
use std::fmt;

/// One versioned operator of one specification.
pub struct Operator {
    /// The versioned name: `onnx.Reshape-14`.
    pub name: &'static str,
    /// The specification it belongs to.
    pub family: Family,
    /// The version as a number; a year and a month, such as 2021.12, are 202112. For ONNX, the first opset in which it
    /// holds; 0 for the oneDNN guide, which has no version.
    pub version: u32,
    /// The document that holds its clauses.
    pub document: &'static str,
    /// The element types that the text lists for the data.
    pub element_types: &'static [ElementType],
    /// The bindings through which it can be reached.
    pub bindings: &'static [Binding],
    /// What its text decides; the oracle reads it.
    pub(crate) rules: Rules,
    /// Its clauses, in groups shared with its sister versions.
    pub(crate) clauses: &'static [&'static [Clause]],
}

impl Operator {
    /// The attribute that decides whether a 0 copies; `None` if the operator has no such attribute.
    pub(crate) fn zero_attribute(&self) -> Option<&'static ZeroAttribute> {
        match self.rules.zero {
            ZeroRule::AlwaysCopies | ZeroRule::AlwaysLiteral => None,
            ZeroRule::Attribute(attribute) => Some(attribute),
        }
    }

    /// Whether it is of the same family and has the same rules.
    pub(crate) fn has_rules_of(&self, other: &Self) -> bool {
        self.family == other.family && self.rules == other.rules
    }

    /// The attributes that its text knows, without the target.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = &'static str> {
        let ignored = self.rules.ignored_attributes.iter();
        let zero = self.zero_attribute().map(|zero| zero.name);
        zero.into_iter().chain(ignored.map(|(name, _)| *name))
    }

    /// Its version as its text writes it: `14`, `2021.12`; empty for an operator without versions.
    pub(crate) fn version_written(&self) -> &'static str {
        let parts = self.name.rsplit_once('-');
        parts.map_or("", |(_, version)| version)
    }

    /// Whether a node of this operator can have a 0 that copies.
    pub(crate) fn can_copy_zeros(&self) -> bool {
        self.rules.zero != ZeroRule::AlwaysLiteral
    }

    /// Whether a node of this operator can have a 0 that is literal.
    pub(crate) fn can_have_literal_zeros(&self) -> bool {
        self.rules.zero != ZeroRule::AlwaysCopies
    }

    /// Whether the target is an attribute of the node.
    #[must_use]
    pub fn target_is_attribute(&self) -> bool {
        self.rules.target.attribute
    }
}

impl PartialEq for Operator {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Operator {}

/// Only the name, because many debug texts hold an operator.
impl fmt::Debug for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
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
