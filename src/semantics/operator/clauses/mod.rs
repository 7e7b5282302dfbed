//! The clause tables of all operators, in groups that versions share.

pub(super) mod array_api;
pub(super) mod onednn;
pub(super) mod onnx;
pub(super) mod openvino;

use super::clause::{Clause, Tested, must};
use super::rule::Rule;

/// Why only accepted requests test what the output holds.
const NO_CONTENT: Tested =
    Tested::Accepting("A rejection has no output whose elements could be wrong.");

/// Why only accepted requests test an example that has a result.
const AN_EXAMPLE: Tested = Tested::Accepting("The example shows only accepted requests.");

/// What OpenVINO and the oneDNN specification both state about `special_zero`.
const SPECIAL_ZERO: &[Clause] = &[
    must("special-zero/controls", Rule::ZeroModeAttribute, "Attributes")
        .description("The attribute special_zero decides whether a 0 in the target is a copied zero or a literal zero."),
    must("special-zero/false-literal", Rule::LiteralZero, "Attributes")
        .description("With special_zero=false, a 0 in the target is a literal zero, and the output dimension at its index has length zero."),
    must("special-zero/false-empty", Rule::LiteralZero, "Attributes")
        .description("A target with a literal zero goes with data that has no elements, and the output has none either."),
    must("special-zero/range", Rule::ZeroModeType, "Attributes")
        .description("The attribute special_zero is true or false and never anything else."),
    must("special-zero/type", Rule::ZeroModeType, "Attributes")
        .description("The attribute special_zero is a boolean."),
];

/// Every text keeps the element count.
const fn same_count(id: &'static str, section: &'static str) -> Clause {
    let description = "The output has exactly as many elements as the data. Each count is the product of all \
        dimensions.";
    must(id, Rule::SameCount, section).description(description)
}

/// Every text explains a -1.
const fn inferred_minus_one(id: &'static str, section: &'static str) -> Clause {
    let description = "A -1 in the target stands for the length that, with the other dimensions, gives the output the data's count.";
    must(id, Rule::InferredMinusOne, section).description(description)
}

/// Every text forbids a second -1.
const fn one_minus_one(id: &'static str, section: &'static str) -> Clause {
    must(id, Rule::OneMinusOne, section)
        .description("A target that holds -1 twice or more is an error.")
}
