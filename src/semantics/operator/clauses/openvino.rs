//! OpenVINO Reshape-1.

use super::shared::{
    AN_EXAMPLE, NO_CONTENT, SPECIAL_ZERO, inferred_minus_one, one_minus_one, same_count,
};
use crate::semantics::operator::clause::Level::{Must, Open};
use crate::semantics::operator::clause::{Clause, Tested};
use crate::semantics::operator::rule::Rule;

pub(in crate::semantics::operator) const OPENVINO_1: &[&[Clause]] =
    &[DESCRIPTION, SPECIAL_ZERO, ATTRIBUTE, ARGUMENTS, EXAMPLES];

/// The short and the detailed description.
const DESCRIPTION: &[Clause] = &[
    Clause::new(
        "changes-dims",
        Rule::TargetIsOutputShape,
        Must,
        "Short description",
        "The operator gives the data other dimensions, namely those that the target lists, in the target's order.",
    ),
    same_count("volume-equal", "Short description"),
    Clause::new(
        "two-inputs",
        Rule::TargetPresent,
        Must,
        "Detailed description",
        "The operator has two inputs, first the data and then the target.",
    ),
    Clause::new(
        "shape/values",
        Rule::TargetValues,
        Must,
        "Detailed description",
        "Each value of the target is -1, 0 or a positive integer, and a value below -1 is an error.",
    ),
    Clause::new(
        "shape/zero-copy",
        Rule::CopiedZero,
        Must,
        "Detailed description",
        "With special_zero=true, a 0 in the target is a copied zero that takes the data's dimension at its own index, counted \
         from the left; with special_zero=false it is a literal zero, a length like any other, which fits data without elements.",
    )
    .also(&[Rule::LiteralZero]),
    inferred_minus_one("shape/minus-one", "Detailed description"),
    one_minus_one("shape/one-minus-one", "Detailed description"),
    Clause::new(
        "special-zero/index-bound",
        Rule::CopyWithinRank,
        Open,
        "Detailed description",
        "A copied zero does not stand at an index larger than the data's rank; what becomes of one exactly at the rank, where \
         the data has no dimension either, is left open.",
    ),
];

/// What only OpenVINO says about `special_zero`, or says in its own way.
const ATTRIBUTE: &[Clause] = &[
    Clause::new(
        "special-zero/true-copy",
        Rule::CopiedZero,
        Must,
        "Attributes",
        "With special_zero=true, every 0 in the target copies the data dimension at its own index, counted from the left.",
    ),
    Clause::new(
        "special-zero/required",
        Rule::ZeroModeAttribute,
        Must,
        "Attributes",
        "A node without the attribute special_zero is an error.",
    ),
];

/// Inputs, output and their types.
const ARGUMENTS: &[Clause] = &[
    Clause::new(
        "input/data",
        Rule::DataInput,
        Must,
        "Inputs",
        "The data comes as the first of the inputs; it has to be there, and its shape is free.",
    )
    .tested(Tested::Accepting("Every call of a backend has data; no request leaves it out.")),
    Clause::new(
        "input/shape",
        Rule::TargetIsFlat,
        Must,
        "Inputs",
        "The second input is the target; it has to be there, and it is a tensor with exactly one dimension.",
    )
    .also(&[Rule::TargetPresent]),
    Clause::new(
        "output/same-content",
        Rule::SameContent,
        Must,
        "Outputs",
        "The only output holds the elements of the data in the data's element type, in the shape that the target describes.",
    )
    .tested(NO_CONTENT),
    Clause::new(
        "types/t",
        Rule::ElementTypes,
        Must,
        "Types",
        "The data is of whatever numeric element type, which a string is not; whether bool and complex types count as numeric \
         is open.",
    ),
    Clause::new(
        "types/t-shape",
        Rule::TargetType,
        Must,
        "Types",
        "The target is of an integer element type that is supported, such as i64 or i32; the text leaves open which others are.",
    ),
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

const fn example(id: &'static str, says: &'static str) -> Clause {
    Clause::new(id, Rule::Example, Must, "Examples", says).tested(AN_EXAMPLE)
}
