//! ONNX Reshape: what every version says, and the versions. What version 14 brought is in [`allowzero`].

mod allowzero;

use super::shared::{NO_CONTENT, inferred_minus_one, one_minus_one, same_count};
use crate::semantics::operator::clause::Level::{May, Must, Open};
use crate::semantics::operator::clause::{Clause, Tested};
use crate::semantics::operator::rule::Rule;
use allowzero::{ALLOWZERO, EXAMPLES};

pub(in crate::semantics::operator) const ONNX_1: &[&[Clause]] = &[
    SUMMARY,
    COPIES,
    ATTRIBUTE_TARGET,
    ARGUMENTS,
    &[
        since("Reshape-1 holds from opset 1 on."),
        types("The data and the output have one of the element types f16, f32 and f64."),
    ],
];

pub(in crate::semantics::operator) const ONNX_5: &[&[Clause]] = &[
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

pub(in crate::semantics::operator) const ONNX_13: &[&[Clause]] = &[
    SUMMARY,
    COPIES,
    INPUT_TARGET,
    ARGUMENTS,
    &[
        since("Reshape-13 holds from opset 13 on."),
        types("The data and the output have bf16 or an element type of Reshape-5."),
    ],
];

/// A version with `allowzero`: these differ in nothing but since when they hold and their element types.
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

pub(in crate::semantics::operator) const ONNX_14: &[&[Clause]] = with_allowzero!(
    "Reshape-14 holds from opset 14 on.",
    "The data and the output have one of the element types of Reshape-13."
);

pub(in crate::semantics::operator) const ONNX_19: &[&[Clause]] = with_allowzero!(
    "Reshape-19 holds from opset 19 on.",
    "The data and the output have f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz or an element type of Reshape-14."
);

pub(in crate::semantics::operator) const ONNX_21: &[&[Clause]] = with_allowzero!(
    "Reshape-21 holds from opset 21 on.",
    "The data and the output have i4, u4 or an element type of Reshape-19."
);

pub(in crate::semantics::operator) const ONNX_23: &[&[Clause]] = with_allowzero!(
    "Reshape-23 holds from opset 23 on.",
    "The data and the output have f4e2m1 or an element type of Reshape-21."
);

pub(in crate::semantics::operator) const ONNX_24: &[&[Clause]] = with_allowzero!(
    "Reshape-24 holds from opset 24 on.",
    "The data and the output have f8e8m0 or an element type of Reshape-23."
);

pub(in crate::semantics::operator) const ONNX_25: &[&[Clause]] = with_allowzero!(
    "Reshape-25 holds from opset 25 on.",
    "The data and the output have i2, u2 or an element type of Reshape-24.",
    Tested::Accepting("It lists every element type that this suite has.")
);

/// The summary of every version.
const SUMMARY: &[Clause] = &[
    Clause::new(
        "like-numpy",
        Rule::LikeNumpy,
        Open,
        "Summary",
        "The operator resembles numpy.reshape, and the text leaves open how far the resemblance goes.",
    ),
    one_minus_one("one-minus-one", "Summary"),
    inferred_minus_one("minus-one-inferred", "Summary"),
    same_count("same-count", "Summary"),
];

/// Before `allowzero`: every 0 copies.
const COPIES: &[Clause] = &[Clause::new(
    "zero-copies",
    Rule::CopiedZero,
    Must,
    "Summary",
    "A 0 is allowed in the target and is a copied zero: the output keeps the length that the data has at that index.",
)];

/// Version 1: the target is an attribute.
const ATTRIBUTE_TARGET: &[Clause] = &[
    Clause::new(
        "empty-is-scalar",
        Rule::EmptyTarget,
        Open,
        "Summary",
        "A second input without values makes a scalar; that this version has no second input is left open.",
    ),
    Clause::new(
        "summary/attr",
        Rule::TargetIsOutputShape,
        Must,
        "Summary",
        "The operator gives the data, its only input, the shape that its argument named shape describes.",
    ),
    Clause::new(
        "attr/shape",
        Rule::TargetPresent,
        Must,
        "Attributes",
        "The attribute shape holds the target.",
    ),
    Clause::new(
        "attr/consumed-inputs",
        Rule::LegacyAttribute,
        May,
        "Attributes",
        "A node is free to carry the attribute consumed_inputs, a remnant of an old optimization that changes no result.",
    ),
];

/// From version 5 on: the target is the second input.
const INPUT_TARGET: &[Clause] = &[
    Clause::new(
        "empty-is-scalar",
        Rule::EmptyTarget,
        Must,
        "Summary",
        "A target without values is allowed, and the output is then a scalar.",
    ),
    Clause::new(
        "summary/two-inputs",
        Rule::TargetIsOutputShape,
        Must,
        "Summary",
        "The operator takes the data and then the target, and the output is the data in the shape that the target describes.",
    )
    .also(&[Rule::TargetPresent]),
    Clause::new(
        "input/shape",
        Rule::TargetType,
        Must,
        "Inputs",
        "The target is an input named shape, a tensor whose element type is i64.",
    ),
];

/// The data and the output of every version.
const ARGUMENTS: &[Clause] = &[
    Clause::new(
        "input/data",
        Rule::DataInput,
        Must,
        "Inputs",
        "The data is the first of the inputs, a tensor of any shape whose element type is one that the version lists.",
    ),
    Clause::new(
        "output",
        Rule::SameContent,
        Must,
        "Outputs",
        "The only output is the data in its new shape, and its element type is that of the data.",
    )
    .tested(NO_CONTENT),
];

/// Where a version begins to hold.
const fn since(says: &'static str) -> Clause {
    Clause::new("since", Rule::Version, Must, "Version", says).tested(Tested::Accepting(
        "A node of an earlier opset is of another version, whose own clauses hold.",
    ))
}

/// Which element types a version lists.
const fn types(says: &'static str) -> Clause {
    Clause::new("types", Rule::ElementTypes, Must, "Type Constraints", says)
}
