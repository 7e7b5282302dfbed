//! Clauses of ONNX Reshape, by version.

use super::{AN_EXAMPLE, NO_CONTENT, inferred_minus_one, one_minus_one, same_count};
use crate::semantics::operator::clause::{Clause, Tested, may, must, open};
use crate::semantics::operator::rule::Rule;

pub(in super::super) const ONNX_1: &[&[Clause]] = &[
    SUMMARY,
    COPIES,
    ATTRIBUTE_TARGET,
    ARGUMENTS,
    &[
        since("Reshape-1 holds from opset 1 on."),
        types("The data and the output have one of the element types f16, f32 and f64."),
    ],
];

pub(in super::super) const ONNX_5: &[&[Clause]] = &[
    SUMMARY,
    COPIES,
    INPUT_TARGET,
    ARGUMENTS,
    &[
        since("Reshape-5 holds from opset 5 on."),
        types(
            "The data and the output have one of the element types bool, string, complex64, complex128, f16, f32, f64, \
             i8, i16, i32, i64, u8, u16, u32 and u64.",
        ),
    ],
];

pub(in super::super) const ONNX_13: &[&[Clause]] = &[
    SUMMARY,
    COPIES,
    INPUT_TARGET,
    ARGUMENTS,
    &[
        since("Reshape-13 holds from opset 13 on."),
        types("The data and the output have bf16 or an element type of Reshape-5."),
    ],
];

/// A version with `allowzero`. These versions differ only in their first opset and their element types.
macro_rules! with_allowzero {
    ($since:literal, $types:literal) => {
        with_allowzero!($since, $types, Tested::Both)
    };
    ($since:literal, $types:literal, $tested:expr) => {
        &[
            SUMMARY,
            ALLOWZERO,
            INPUT_TARGET,
            ARGUMENTS,
            EXAMPLES,
            &[since($since), types($types).tested($tested)],
        ]
    };
}

pub(in super::super) const ONNX_14: &[&[Clause]] = with_allowzero!(
    "Reshape-14 holds from opset 14 on.",
    "The data and the output have one of the element types of Reshape-13."
);

pub(in super::super) const ONNX_19: &[&[Clause]] = with_allowzero!(
    "Reshape-19 holds from opset 19 on.",
    "The data and the output have f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz or an element type of Reshape-14."
);

pub(in super::super) const ONNX_21: &[&[Clause]] = with_allowzero!(
    "Reshape-21 holds from opset 21 on.",
    "The data and the output have i4, u4 or an element type of Reshape-19."
);

pub(in super::super) const ONNX_23: &[&[Clause]] = with_allowzero!(
    "Reshape-23 holds from opset 23 on.",
    "The data and the output have f4e2m1 or an element type of Reshape-21."
);

pub(in super::super) const ONNX_24: &[&[Clause]] = with_allowzero!(
    "Reshape-24 holds from opset 24 on.",
    "The data and the output have f8e8m0 or an element type of Reshape-23."
);

pub(in super::super) const ONNX_25: &[&[Clause]] = with_allowzero!(
    "Reshape-25 holds from opset 25 on.",
    "The data and the output have i2, u2 or an element type of Reshape-24.",
    Tested::Accepting("It lists every element type that this suite has.")
);

/// The summary of every version.
const SUMMARY: &[Clause] = &[
    open("like-numpy", Rule::LikeNumpy, "Summary")
        .description("The operator resembles numpy.reshape, and the text leaves open how far the resemblance goes."),
    one_minus_one("one-minus-one", "Summary"),
    inferred_minus_one("minus-one-inferred", "Summary"),
    same_count("same-count", "Summary"),
];

/// Before `allowzero`: every 0 copies.
const COPIES: &[Clause] = &[must("zero-copies", Rule::CopiedZero, "Summary")
    .description("A 0 is allowed in the target and is a copied zero: the output keeps the length that the data has at that index.")];

/// Version 1: the target is an attribute.
const ATTRIBUTE_TARGET: &[Clause] = &[
    open("empty-is-scalar", Rule::EmptyTarget, "Summary")
        .description("A second input without values makes a scalar. This version has no second input, so the point is \
            open."),
    must("summary/attr", Rule::TargetIsOutputShape, "Summary")
        .description("The operator gives the data, its only input, the shape that its argument named shape describes."),
    must("attr/shape", Rule::TargetPresent, "Attributes")
        .description("The attribute shape holds the target."),
    may("attr/consumed-inputs", Rule::LegacyAttribute, "Attributes")
        .description("A node may carry the attribute consumed_inputs, a remnant of an old optimization that changes no \
            result."),
];

/// From version 5 on: the target is the second input.
const INPUT_TARGET: &[Clause] = &[
    must("empty-is-scalar", Rule::EmptyTarget, "Summary")
        .description("A target without values is allowed, and the output is then a scalar."),
    must("summary/two-inputs", Rule::TargetIsOutputShape, "Summary")
        .description("The operator takes the data and then the target, and the output is the data in the shape that the target describes.")
        .also(&[Rule::TargetPresent]),
    must("input/shape", Rule::TargetType, "Inputs")
        .description("The target is an input named shape, a tensor whose element type is i64."),
];

/// The data and the output of every version.
const ARGUMENTS: &[Clause] = &[
    must("input/data", Rule::DataInput, "Inputs")
        .description("The data is the first of the inputs, a tensor of any shape whose element type is one that the version lists."),
    must("output", Rule::SameContent, "Outputs")
        .description("The only output is the data in its new shape, and its element type is that of the data.")
        .tested(NO_CONTENT),
];

/// The first opset of a version.
const fn since(description: &'static str) -> Clause {
    must("since", Rule::Version, "Version")
        .description(description)
        .tested(Tested::Accepting(
            "A node of an earlier opset is of another version, with its own clauses.",
        ))
}

/// Which element types a version lists.
const fn types(description: &'static str) -> Clause {
    must("types", Rule::ElementTypes, "Type Constraints").description(description)
}

/// The section of clauses that the operator's schema states. The current documentation prints them next to the
/// attribute's name ("allowzero - INT"); the text that the table began with lacks them.
const SCHEMA: &str = "Attributes (schema)";

/// The attribute `allowzero`, which decides whether a 0 copies.
const ALLOWZERO: &[Clause] = &[
    must("zero-copies", Rule::CopiedZero, "Summary")
        .description("A 0 is allowed in the target and, while allowzero is not set, is a copied zero: the output keeps the length that \
         the data has at that index."),
    must("allowzero/literal", Rule::LiteralZero, "Summary")
        .description("Where allowzero is set, a 0 in the target is a literal zero and copies nothing from the data."),
    must("allowzero/zero-and-minus-one", Rule::ZeroWithMinusOne, "Summary")
        .description("Where allowzero is set, a target that holds 0 as well as -1 is an error, since more than one length would fit the -1."),
    must("allowzero/default-copies", Rule::ZeroModeDefault, "Attributes")
        .description("By default, which is allowzero=0, every 0 in the target is a copied zero, read from the dimensions that the data has \
         at the run.")
        .also(&[Rule::CopiedZero]),
    must("allowzero/one-honored", Rule::LiteralZero, "Attributes")
        .description("With allowzero=1, each 0 in the target is the length zero itself, which is how NumPy reads it.")
        .also(&[Rule::ZeroModeAttribute]),
    must("allowzero/default-zero", Rule::ZeroModeDefault, "Attributes")
        .description("A node without allowzero does the same as one with allowzero=0."),
    must("allowzero/type", Rule::ZeroModeType, SCHEMA)
        .description("The attribute allowzero is an integer."),
    may("allowzero/optional", Rule::ZeroModeDefault, "Attributes")
        .description("A node may omit allowzero.")
        .tested(Tested::Accepting("It is a permission, so no request breaks it.")),
];

/// The worked examples.
const EXAMPLES: &[Clause] = &[
    must("example/allowzero", Rule::Example, "Examples")
        .description("With allowzero=1, the target [3, 4, 0] gives data of shape [0, 3, 4] the output shape [3, 4, 0].")
        .tested(AN_EXAMPLE),
    must("example/allowzero-zero", Rule::Example, "Examples")
        .description("With allowzero=0, the 0 of the target [3, 4, 0] copies the last dimension of data of shape [0, \
         3, 4]. The target resolves to [3, 4, 4], which has 48 elements too many for that data."),
    must("example/reshape-9", Rule::Example, "Examples")
        .description("Nine targets reshape data of shape [2, 3, 4]. The ninth, [2, 0, 1, -1], gives [2, 3, 1, 4]. The \
         text has lost the values of the target one_dim.")
        .tested(AN_EXAMPLE),
];
