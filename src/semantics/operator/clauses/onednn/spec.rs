//! The oneDNN Graph specification, StaticReshape-1.

use super::super::shared::{
    AN_EXAMPLE, NO_CONTENT, SPECIAL_ZERO, inferred_minus_one, one_minus_one, same_count,
};
use super::{changes_dims, layout_may_differ, no_view_guarantee, types, when_to_use};
use crate::semantics::operator::clause::Level::Must;
use crate::semantics::operator::clause::{Clause, Tested};
use crate::semantics::operator::rule::Rule;

pub(in crate::semantics::operator) const ONEDNN_SPEC_1: &[&[Clause]] =
    &[DESCRIPTION, SHAPE, SPECIAL_ZERO, ZERO, ARGUMENTS];

/// Name and short description.
const DESCRIPTION: &[Clause] = &[
    Clause::new(
        "name",
        Rule::Version,
        Must,
        "Versioned name",
        "The operator goes by the versioned name StaticReshape-1.",
    )
    .tested(Tested::Not(
        "The versioned name of an operator does not show in a run.",
    )),
    changes_dims("Short description"),
    same_count("volume-equal", "Short description"),
    layout_may_differ("Short description"),
    no_view_guarantee("Short description"),
    Clause::new(
        "shape-is-attribute",
        Rule::TargetPresent,
        Must,
        "Short description",
        "The target is an attribute of the node and not an input.",
    ),
    when_to_use(
        "use-if-constant",
        "Short description",
        "StaticReshape is for a target that is known and fixed ahead of the run, and DynamicReshape is for every other target.",
    ),
];

/// The attribute `shape`.
const SHAPE: &[Clause] = &[
    Clause::new(
        "shape/specifies-output",
        Rule::TargetIsOutputShape,
        Must,
        "Attributes",
        "The target lists the dimensions of the output.",
    ),
    Clause::new(
        "shape/ith-length",
        Rule::TargetIsOutputShape,
        Must,
        "Attributes",
        "The value at an index of the target is the length of the output dimension at the same index.",
    ),
    inferred_minus_one("shape/minus-one", "Attributes"),
    one_minus_one("shape/one-minus-one", "Attributes"),
    Clause::new(
        "shape/range",
        Rule::TargetValues,
        Must,
        "Attributes",
        "A target that holds a value below -1 is an error.",
    ),
    Clause::new(
        "shape/type",
        Rule::TargetType,
        Must,
        "Attributes",
        "The attribute shape is a list of i64 values.",
    )
    .also(&[Rule::TargetIsFlat]),
    Clause::new(
        "shape/no-default",
        Rule::TargetPresent,
        Must,
        "Attributes",
        "Nothing stands in for an absent attribute shape.",
    )
    .tested(Tested::Rejecting(
        "It speaks of nodes without the attribute shape, and each of them is an error.",
    )),
    Clause::new(
        "shape/required",
        Rule::TargetPresent,
        Must,
        "Attributes",
        "A node without the attribute shape is an error.",
    ),
];

/// What only this text says about `special_zero`, or says in its own way.
const ZERO: &[Clause] = &[
    Clause::new(
        "special-zero/true-copy",
        Rule::CopiedZero,
        Must,
        "Attributes",
        "With special_zero=true, every 0 in the target is a copied zero: the output takes the data's dimension at its index.",
    ),
    Clause::new(
        "special-zero/no-default",
        Rule::ZeroModeAttribute,
        Must,
        "Attributes",
        "Nothing stands in for an absent attribute special_zero.",
    )
    .tested(Tested::Rejecting(
        "It speaks of nodes without the attribute special_zero, and each of them is an error.",
    )),
    Clause::new(
        "special-zero/required",
        Rule::ZeroModeAttribute,
        Must,
        "Attributes",
        "A node without the attribute special_zero is an error.",
    ),
    Clause::new(
        "special-zero/false-zero-and-minus-one",
        Rule::ZeroWithMinusOne,
        Must,
        "Attributes",
        "With special_zero=false, a target that holds 0 as well as -1 is an error.",
    ),
    Clause::new(
        "special-zero/cannot-infer",
        Rule::ZeroWithMinusOne,
        Must,
        "Attributes",
        "Beside a literal zero, nothing determines the length that a -1 stands for.",
    )
    .tested(Tested::Rejecting("It is the reason for an error, and permits nothing.")),
    Clause::new(
        "inference-order",
        Rule::LeftToRight,
        Must,
        "Attributes",
        "The target is resolved one index after another, from its first value to its last.",
    ),
    Clause::new(
        "example/3-20",
        Rule::Example,
        Must,
        "Attributes",
        "With special_zero=true, the target [0, -1] gives data of shape [3, 4, 5] the output shape [3, 20].",
    )
    .tested(AN_EXAMPLE),
];

/// Input, output and their types.
const ARGUMENTS: &[Clause] = &[
    Clause::new(
        "input/data",
        Rule::DataInput,
        Must,
        "Inputs",
        "The data is the one input; it has to be there, it may have many dimensions, and its element type is a listed one.",
    )
    .also(&[Rule::ElementTypes]),
    Clause::new(
        "output/same-content",
        Rule::SameContent,
        Must,
        "Outputs",
        "The only output holds the elements of the data in the data's element type, in the shape that the target describes.",
    )
    .tested(NO_CONTENT),
    types("Types"),
];
