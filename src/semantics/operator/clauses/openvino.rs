//! Clauses of OpenVINO Reshape-1.

use super::{AN_EXAMPLE, NO_CONTENT, SPECIAL_ZERO, inferred_minus_one, one_minus_one, same_count};
use crate::semantics::operator::clause::{Clause, Tested, must};
use crate::semantics::operator::rule::Rule;

pub(in super::super) const OPENVINO_1: &[&[Clause]] =
    &[DESCRIPTION, SPECIAL_ZERO, ATTRIBUTE, ARGUMENTS, EXAMPLES];

/// The short and the detailed description.
const DESCRIPTION: &[Clause] = &[
    must("changes-dims", Rule::TargetIsOutputShape, "Short description")
        .description("The operator replaces the dimensions of the data with those of the target, in the target's order."),
    same_count("volume-equal", "Short description").also(&[Rule::EmptyTarget]),
    must("two-inputs", Rule::TargetPresent, "Detailed description")
        .description("The operator has two inputs, first the data and then the target."),
    must("shape/values", Rule::TargetValues, "Detailed description")
        .description("Each value of the target is -1, 0 or a positive integer, and a value below -1 is an error."),
    must("shape/zero-copy", Rule::CopiedZero, "Detailed description")
        .description("With special_zero=true, a 0 in the target is a copied zero that takes the data's dimension at \
         its own index, counted from the left. With special_zero=false it is a literal zero, a length like any other, \
         which fits data without elements.")
        .also(&[Rule::LiteralZero]),
    inferred_minus_one("shape/minus-one", "Detailed description"),
    one_minus_one("shape/one-minus-one", "Detailed description"),
    must("special-zero/index-bound", Rule::CopyWithinRank, "Detailed description")
        .description("A copied zero at an index larger than the data's rank is an error. The text does not say so for \
            an index equal to the rank."),
];

/// What only OpenVINO states about `special_zero`, or states in its own way.
const ATTRIBUTE: &[Clause] = &[
    must("special-zero/true-copy", Rule::CopiedZero, "Attributes")
        .description("With special_zero=true, every 0 in the target copies the data dimension at its own index, counted from the left."),
    must("special-zero/required", Rule::ZeroModeAttribute, "Attributes")
        .description("A node without the attribute special_zero is an error."),
];

/// Inputs, output and their types.
const ARGUMENTS: &[Clause] = &[
    must("input/data", Rule::DataInput, "Inputs")
        .description("The data is the first input. It is required, and its shape is free.")
        .tested(Tested::Accepting("Every call of a backend has data; no request leaves it out.")),
    must("input/shape", Rule::TargetIsFlat, "Inputs")
        .description("The target is the second input. It is required, and it is a tensor with exactly one dimension.")
        .also(&[Rule::TargetPresent]),
    must("output/same-content", Rule::SameContent, "Outputs")
        .description("The only output holds the elements of the data in the data's element type, in the shape that the target describes.")
        .tested(NO_CONTENT),
    must("types/t", Rule::ElementTypes, "Types")
        .description("The data has any numeric element type. A string is not numeric; whether bool and complex types \
         are numeric is open."),
    must("types/t-shape", Rule::TargetType, "Types")
        .description("The target has a supported integer element type, such as i64 or i32. The text leaves open which \
            others are supported."),
];

/// The worked examples, each a layer of an IR.
const EXAMPLES: &[Clause] = &[
    example(
        "example/1",
        "With special_zero=false, the target [0, 4] gives data of shape [2, 5, 5, 0] the output shape [0, 4].",
    ),
    example(
        "example/2",
        "With special_zero=true, the target [0, -1, 4] gives data of shape [2, 5, 5, 24] the output shape [2, 150, 4].",
    ),
    example(
        "example/3",
        "With special_zero=true, the target [0, 0, 1, -1] gives data of shape [2, 2, 3] the output shape [2, 2, 1, 3].",
    ),
    example(
        "example/4",
        "With special_zero=true, the target [-1, 0] gives data of shape [3, 1, 1] the output shape [3, 1].",
    ),
    example(
        "example/5",
        "With special_zero=true, the target [0, -1] gives data of shape [3, 1, 1] the output shape [3, 1].",
    ),
];

const fn example(id: &'static str, description: &'static str) -> Clause {
    must(id, Rule::Example, "Examples")
        .description(description)
        .tested(AN_EXAMPLE)
}
