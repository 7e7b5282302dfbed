//! Clauses of oneDNN StaticReshape: of the Graph specification, the developer guide, and both.

use super::{AN_EXAMPLE, NO_CONTENT, SPECIAL_ZERO, inferred_minus_one, one_minus_one, same_count};
use crate::semantics::operator::clause::{Clause, Tested, may, must};
use crate::semantics::operator::rule::Rule;

pub(in super::super) const ONEDNN_SPEC_1: &[&[Clause]] = &[
    SPEC_DESCRIPTION,
    SPEC_SHAPE,
    SPECIAL_ZERO,
    SPEC_ZERO,
    SPEC_ARGUMENTS,
];

/// Name and short description.
const SPEC_DESCRIPTION: &[Clause] = &[
    must("name", Rule::Version, "Versioned name")
        .description("The versioned name of the operator is StaticReshape-1.")
        .tested(Tested::Not(
            "A run does not show the versioned name of an operator.",
        )),
    changes_dims("Short description"),
    same_count("volume-equal", "Short description"),
    layout_may_differ("Short description"),
    no_view_guarantee("Short description"),
    must(
        "shape-is-attribute",
        Rule::TargetPresent,
        "Short description",
    )
    .description("The target is an attribute of the node and not an input."),
    when_to_use(
        "use-if-constant",
        "Short description",
        "StaticReshape is for a target that is known and fixed before the run. DynamicReshape is for every other \
        target.",
    ),
];

/// The attribute `shape`.
const SPEC_SHAPE: &[Clause] = &[
    must("shape/specifies-output", Rule::TargetIsOutputShape, "Attributes")
        .description("The target lists the dimensions of the output."),
    must("shape/ith-length", Rule::TargetIsOutputShape, "Attributes")
        .description("The value at an index of the target is the length of the output dimension at the same index."),
    inferred_minus_one("shape/minus-one", "Attributes"),
    one_minus_one("shape/one-minus-one", "Attributes"),
    must("shape/range", Rule::TargetValues, "Attributes")
        .description("A target that holds a value below -1 is an error."),
    must("shape/type", Rule::TargetType, "Attributes")
        .description("The attribute shape is a list of i64 values.")
        .also(&[Rule::TargetIsFlat]),
    must("shape/no-default", Rule::TargetPresent, "Attributes")
        .description("The attribute shape has no default.")
        .tested(Tested::Rejecting("It concerns nodes without the attribute shape, and each of them is an error.")),
    must("shape/required", Rule::TargetPresent, "Attributes")
        .description("A node without the attribute shape is an error."),
];

/// What only this text states about `special_zero`, or states in its own way.
const SPEC_ZERO: &[Clause] = &[
    must("special-zero/true-copy", Rule::CopiedZero, "Attributes")
        .description("With special_zero=true, every 0 in the target is a copied zero: the output takes the data's dimension at its index."),
    must("special-zero/no-default", Rule::ZeroModeAttribute, "Attributes")
        .description("The attribute special_zero has no default.")
        .tested(Tested::Rejecting("It concerns nodes without the attribute special_zero, and each of them is an error.")),
    must("special-zero/required", Rule::ZeroModeAttribute, "Attributes")
        .description("A node without the attribute special_zero is an error."),
    must("special-zero/false-zero-and-minus-one", Rule::ZeroWithMinusOne, "Attributes")
        .description("With special_zero=false, a target that holds 0 as well as -1 is an error."),
    must("special-zero/cannot-infer", Rule::ZeroWithMinusOne, "Attributes")
        .description("When the target holds a literal zero, nothing determines the length that a -1 stands for.")
        .tested(Tested::Rejecting("It gives the reason for an error, and permits nothing.")),
    must("inference-order", Rule::LeftToRight, "Attributes")
        .description("The target is resolved one index after another, from its first value to its last."),
    must("example/3-20", Rule::Example, "Attributes")
        .description("With special_zero=true, the target [0, -1] gives data of shape [3, 4, 5] the output shape [3, 20].")
        .tested(AN_EXAMPLE),
];

/// Input, output and their types.
const SPEC_ARGUMENTS: &[Clause] = &[
    must("input/data", Rule::DataInput, "Inputs")
        .description("The data is the only input, and it is required. It may have many dimensions, and its element \
            type is a listed one.")
        .also(&[Rule::ElementTypes]),
    must("output/same-content", Rule::SameContent, "Outputs")
        .description("The only output holds the elements of the data in the data's element type, in the shape that the target describes.")
        .tested(NO_CONTENT),
    types("Types"),
];

pub(in super::super) const ONEDNN_GUIDE: &[&[Clause]] =
    &[GUIDE_GENERAL, GUIDE_ATTRIBUTES, GUIDE_ARGUMENTS];

/// The general part.
const GUIDE_GENERAL: &[Clause] = &[
    changes_dims("General"),
    same_count("volume-equal", "General"),
    layout_may_differ("General"),
    no_view_guarantee("General"),
    when_to_use(
        "when-usable",
        "General",
        "StaticReshape is for a target that a constant node holds, or that is known while the graph is built. The \
         attribute shape then carries it.",
    ),
];

/// The table of attributes, and the notes below it.
const GUIDE_ATTRIBUTES: &[Clause] = &[
    must("shape/denotes", Rule::TargetIsOutputShape, "Operation attributes")
        .description("The attribute shape is the target, whose i64 values are the dimensions of the output.")
        .also(&[Rule::TargetType]),
    must("shape/positive", Rule::TargetValues, "Operation attributes")
        .description("The values of the attribute shape are positive. The notes contradict this: they explain 0 and \
         -1, and they win. A value below -1 is an error."),
    must("shape/list", Rule::TargetIsFlat, "Operation attributes")
        .description("The attribute shape is a list, and its values are i64.")
        .also(&[Rule::TargetType]),
    must("shape/required", Rule::TargetPresent, "Operation attributes")
        .description("A node without the attribute shape is an error."),
    must("special-zero/controls", Rule::ZeroModeAttribute, "Operation attributes")
        .description("The required boolean attribute special_zero decides whether a 0 in the target copies or is \
            literal.")
        .also(&[Rule::ZeroModeType]),
    inferred_minus_one("note/minus-one", "Note on shape"),
    one_minus_one("note/one-minus-one", "Note on shape"),
    must("note/special-zero", Rule::CopiedZero, "Note on special_zero")
        .description("With special_zero=false, each 0 in the target is a literal zero, a dimension of length zero. \
         With special_zero=true, each 0 is a copied zero: the output takes the data's dimension at its index.")
        .also(&[Rule::LiteralZero, Rule::ZeroModeAttribute]),
];

/// Input, output and their types.
const GUIDE_ARGUMENTS: &[Clause] = &[
    must("args/order", Rule::DataInput, "Execution arguments")
        .description("The caller passes inputs and outputs by the listed indices.")
        .tested(Tested::Not(
            "With one input and one output, only one order is possible.",
        )),
    must("args/src", Rule::DataInput, "Execution arguments")
        .description("The data is the input at index 0, and it is required.")
        .tested(Tested::Accepting(
            "Every call of a backend has data; no request leaves it out.",
        )),
    must("args/dst", Rule::SameContent, "Execution arguments")
        .description("The reshaped data is the output at index 0, and it is required.")
        .tested(NO_CONTENT),
    types("Supported data types"),
];

const fn changes_dims(section: &'static str) -> Clause {
    let description =
        "The operator replaces the dimensions of the data by those that the target describes.";
    must("changes-dims", Rule::TargetIsOutputShape, section).description(description)
}

const fn layout_may_differ(section: &'static str) -> Clause {
    let description = "The memory layout of the output may differ from that of the data.";
    may("layout-may-differ", Rule::LayoutIsFree, section)
        .description(description)
        .tested(Tested::Accepting(
            "It permits every layout, so no layout is an error. The elements are the same in \
            each.",
        ))
}

const fn no_view_guarantee(section: &'static str) -> Clause {
    let description = "Where the output can share memory with the data, the text does not promise whether it does.";
    may("no-view-guarantee", Rule::ViewOrCopyIsFree, section)
        .description(description)
        .tested(Tested::Not(
            "The text leaves view or copy free, so no run can be wrong about it.",
        ))
}

const fn when_to_use(id: &'static str, section: &'static str, description: &'static str) -> Clause {
    may(id, Rule::UsageAdvice, section)
        .description(description)
        .tested(Tested::Not(
            "Advice on choosing an operator requires nothing of a run.",
        ))
}

const fn types(section: &'static str) -> Clause {
    let description =
        "The data has one of the element types f32, f16 and bf16, and the output has the same one.";
    must("types", Rule::ElementTypes, section).description(description)
}
