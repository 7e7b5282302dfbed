//! The oneDNN developer guide, StaticReshape.

use super::super::shared::{NO_CONTENT, inferred_minus_one, one_minus_one, same_count};
use super::{changes_dims, layout_may_differ, no_view_guarantee, types, when_to_use};
use crate::semantics::operator::clause::Level::Must;
use crate::semantics::operator::clause::{Clause, Tested};
use crate::semantics::operator::rule::Rule;

pub(in crate::semantics::operator) const ONEDNN_GUIDE: &[&[Clause]] =
    &[GENERAL, ATTRIBUTES, ARGUMENTS];

/// The general part.
const GENERAL: &[Clause] = &[
    changes_dims("General"),
    same_count("volume-equal", "General"),
    layout_may_differ("General"),
    no_view_guarantee("General"),
    when_to_use(
        "when-usable",
        "General",
        "StaticReshape is for a target that a constant node holds or that is known while the graph is built, and the attribute \
         shape then carries it.",
    ),
];

/// The table of attributes, and the notes below it.
const ATTRIBUTES: &[Clause] = &[
    Clause::new(
        "shape/denotes",
        Rule::TargetIsOutputShape,
        Must,
        "Operation attributes",
        "The attribute shape is the target, whose i64 values are the dimensions of the output.",
    )
    .also(&[Rule::TargetType]),
    Clause::new(
        "shape/positive",
        Rule::TargetValues,
        Must,
        "Operation attributes",
        "The values of the attribute shape are positive; the notes contradict this for 0 and -1, which they explain, and win, so \
         that a value below -1 is an error.",
    ),
    Clause::new(
        "shape/list",
        Rule::TargetIsFlat,
        Must,
        "Operation attributes",
        "The attribute shape is a list, and its values are i64.",
    )
    .also(&[Rule::TargetType]),
    Clause::new(
        "shape/required",
        Rule::TargetPresent,
        Must,
        "Operation attributes",
        "A node without the attribute shape is an error.",
    ),
    Clause::new(
        "special-zero/controls",
        Rule::ZeroModeAttribute,
        Must,
        "Operation attributes",
        "The attribute special_zero, a boolean that has to be there, decides whether a 0 in the target copies or is literal.",
    )
    .also(&[Rule::ZeroModeType]),
    inferred_minus_one("note/minus-one", "Note on shape"),
    one_minus_one("note/one-minus-one", "Note on shape"),
    Clause::new(
        "note/special-zero",
        Rule::CopiedZero,
        Must,
        "Note on special_zero",
        "With special_zero=false, each 0 in the target is a literal zero, a dimension of length zero; with special_zero=true, \
         each 0 is a copied zero, and the output takes the data's dimension at its index.",
    )
    .also(&[Rule::LiteralZero, Rule::ZeroModeAttribute]),
];

/// Input, output and their types.
const ARGUMENTS: &[Clause] = &[
    Clause::new(
        "args/order",
        Rule::DataInput,
        Must,
        "Execution arguments",
        "Whoever builds the operator passes inputs and outputs by the listed indices.",
    )
    .tested(Tested::Not(
        "With one input and one output there is no other order to try.",
    )),
    Clause::new(
        "args/src",
        Rule::DataInput,
        Must,
        "Execution arguments",
        "The data is the input at index 0, and it has to be there.",
    )
    .tested(Tested::Accepting(
        "Every call of a backend has data; no request leaves it out.",
    )),
    Clause::new(
        "args/dst",
        Rule::SameContent,
        Must,
        "Execution arguments",
        "What becomes of the data is the output at index 0, and it has to be there.",
    )
    .tested(NO_CONTENT),
    types("Supported data types"),
];
