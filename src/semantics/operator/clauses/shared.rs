//! What the texts of several families say alike.

use crate::semantics::operator::clause::Level::Must;
use crate::semantics::operator::clause::{Clause, Tested};
use crate::semantics::operator::rule::Rule;

/// Why what the output holds is tested by accepted requests alone.
pub(super) const NO_CONTENT: Tested =
    Tested::Accepting("A rejection has no output whose elements could be wrong.");

/// Why an example that has a result is tested by accepted requests alone.
pub(super) const AN_EXAMPLE: Tested =
    Tested::Accepting("The example is of accepted requests; nothing that it shows is an error.");

/// What OpenVINO and the oneDNN specification both say about `special_zero`.
pub(super) const SPECIAL_ZERO: &[Clause] = &[
    Clause::new(
        "special-zero/controls",
        Rule::ZeroModeAttribute,
        Must,
        "Attributes",
        "The attribute special_zero decides whether a 0 in the target is a copied zero or a literal zero.",
    ),
    Clause::new(
        "special-zero/false-literal",
        Rule::LiteralZero,
        Must,
        "Attributes",
        "With special_zero=false, a 0 in the target is a literal zero, and the output dimension at its index has length zero.",
    ),
    Clause::new(
        "special-zero/false-empty",
        Rule::LiteralZero,
        Must,
        "Attributes",
        "A target with a literal zero goes with data that has no elements, and the output has none either.",
    ),
    Clause::new(
        "special-zero/range",
        Rule::ZeroModeType,
        Must,
        "Attributes",
        "The attribute special_zero is true or false and never anything else.",
    ),
    Clause::new(
        "special-zero/type",
        Rule::ZeroModeType,
        Must,
        "Attributes",
        "The attribute special_zero is a boolean.",
    ),
];

/// Every text keeps the element count.
pub(super) const fn same_count(id: &'static str, section: &'static str) -> Clause {
    let says = "The output has exactly as many elements as the data, each count being the product of all dimensions.";
    Clause::new(id, Rule::SameCount, Must, section, says)
}

/// Every text explains a -1.
pub(super) const fn inferred_minus_one(id: &'static str, section: &'static str) -> Clause {
    let says = "A -1 in the target stands for the length that, with the other dimensions, gives the output the data's count.";
    Clause::new(id, Rule::InferredMinusOne, Must, section, says)
}

/// Every text forbids a second -1.
pub(super) const fn one_minus_one(id: &'static str, section: &'static str) -> Clause {
    Clause::new(
        id,
        Rule::OneMinusOne,
        Must,
        section,
        "A target that holds -1 twice or more is an error.",
    )
}
