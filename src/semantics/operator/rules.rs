//! What the text of an operator decides, as data for the oracle.

use super::question::{Meaning, Question};
use crate::tensor::ElementType;

/// What the text of an operator decides, wherever texts differ or could differ.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    pub zero: ZeroRule,
    /// A literal 0 together with a -1. Rejected: for any data. Otherwise it concerns only empty data, for which any
    /// length keeps the count; accepted as `indeterminate_dimension` is.
    pub literal_zero_with_minus_one: Strictness,
    /// A copied 0 at an index equal to the data's rank. Accepted: any length that keeps the count.
    pub copy_at_rank: Strictness,
    /// A copied 0 at a larger index. Accepted: any length that keeps the count.
    pub copy_past_rank: Strictness,
    /// A value below -1. Accepted: read as -1.
    pub below_minus_one: Strictness,
    /// A -1 while the other dimensions multiply to 0, without a literal 0. Accepted: first, any length; second, the length 0.
    pub indeterminate_dimension: Strictness,
    /// A shape without elements whose other dimensions multiply to more than 2^63-1. Accepted: the exact shape.
    pub count_overflows: Strictness,
    /// Dimensions that are more or larger than any text promises to hold. Accepted: the exact shape.
    pub capacity: Strictness,
    /// Data without dimensions. Accepted: one element.
    pub scalar_data: Strictness,
    /// Data whose element type the text neither lists nor rules out. Accepted: reshaped.
    pub element_type_outside: Strictness,
    /// The element types of data that the text rules out while it leaves others open.
    pub element_types_ruled_out: &'static [ElementType],
    /// An attribute that the operator does not have. Accepted: ignored.
    pub unknown_attribute: Strictness,
    pub target: TargetRule,
    /// Attributes that the text knows and that change neither the shape nor the elements.
    pub ignored_attributes: &'static [(&'static str, AttributeKind)],
}

impl Rules {
    /// What the text says about a -1 while the other dimensions multiply to 0; `literal_zero` is whether one of them is
    /// a literal 0.
    pub(crate) fn minus_one_over_zero(&self, literal_zero: bool) -> Strictness {
        if literal_zero {
            self.literal_zero_with_minus_one
        } else {
            self.indeterminate_dimension
        }
    }
}

/// How a 0 in the target is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ZeroRule {
    AlwaysCopies,
    AlwaysLiteral,
    /// An attribute of the node decides.
    Attribute(&'static ZeroAttribute),
}

/// The attribute that decides how a 0 is read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ZeroAttribute {
    pub name: &'static str,
    pub kind: AttributeKind,
    /// Whether a 0 copies when the attribute is set (to 1 or true).
    pub copies_when_set: bool,
    /// Whether a 0 copies in a node without the attribute; `None` if the attribute is required.
    pub copies_by_default: Option<bool>,
    /// An integer other than 0 and 1. Accepted: first, as 1; second, as 0.
    pub neither_0_nor_1: Strictness,
}

/// The type of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AttributeKind {
    Int,
    Ints,
    Bool,
}

/// What an operator requires of its target.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TargetRule {
    /// Whether it is an attribute named `shape`, and not the second input.
    pub attribute: bool,
    /// Whether a node can give it a type other than i64. The integers of an ONNX attribute have only that type.
    pub typed: bool,
    /// The element types that it may have.
    pub element_types: &'static [ElementType],
    /// Any other integer type. Accepted: its values.
    pub other_integers: Strictness,
    /// A target that is not a flat list. Accepted: its values in row-major order.
    pub not_flat: Strictness,
    /// A node without a target. Accepted: as an empty target.
    pub missing: Strictness,
    /// A target without values. Accepted: as the shape of a scalar.
    pub empty: Strictness,
}

/// What a text says about something unusual in a request, such as a value below -1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// The text forbids it.
    MustReject,
    /// The text accepts it in this meaning, which is also given in words: "a scalar".
    ///
    /// Each field of this type in the rules documents its meanings.
    MustAccept(Meaning, &'static str),
    /// The text is silent or contradicts itself.
    Open(Question),
}
