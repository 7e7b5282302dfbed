//! What ONNX Reshape says from version 14 on: `allowzero`, and the worked examples.

use super::super::shared::AN_EXAMPLE;
use crate::semantics::operator::clause::Level::{May, Must};
use crate::semantics::operator::clause::{Clause, Tested};
use crate::semantics::operator::rule::Rule;

/// The section of clauses that the operator's schema states, which the page of the current documentation prints beside the
/// attribute's name ("allowzero - INT"), and the text that the table began with does not.
const SCHEMA: &str = "Attributes (schema)";

/// The attribute `allowzero` says whether a 0 copies.
pub(super) const ALLOWZERO: &[Clause] = &[
    Clause::new(
        "zero-copies",
        Rule::CopiedZero,
        Must,
        "Summary",
        "A 0 is allowed in the target and, while allowzero is not set, is a copied zero: the output keeps the length that \
         the data has at that index.",
    ),
    Clause::new(
        "allowzero/literal",
        Rule::LiteralZero,
        Must,
        "Summary",
        "Where allowzero is set, a 0 in the target is a literal zero and copies nothing from the data.",
    ),
    Clause::new(
        "allowzero/zero-and-minus-one",
        Rule::ZeroWithMinusOne,
        Must,
        "Summary",
        "Where allowzero is set, a target that holds 0 as well as -1 is an error, since more than one length would fit the -1.",
    ),
    Clause::new(
        "allowzero/default-copies",
        Rule::ZeroModeDefault,
        Must,
        "Attributes",
        "By default, which is allowzero=0, every 0 in the target is a copied zero, read from the dimensions that the data has \
         at the run.",
    )
    .also(&[Rule::CopiedZero]),
    Clause::new(
        "allowzero/one-honored",
        Rule::LiteralZero,
        Must,
        "Attributes",
        "With allowzero=1, each 0 in the target is the length zero itself, which is how NumPy reads it.",
    )
    .also(&[Rule::ZeroModeAttribute]),
    Clause::new(
        "allowzero/default-zero",
        Rule::ZeroModeDefault,
        Must,
        "Attributes",
        "A node without allowzero does the same as one with allowzero=0.",
    ),
    Clause::new(
        "allowzero/type",
        Rule::ZeroModeType,
        Must,
        SCHEMA,
        "The attribute allowzero is an integer.",
    ),
    Clause::new("allowzero/optional", Rule::ZeroModeDefault, May, "Attributes", "A node is free to leave allowzero out.")
        .tested(Tested::Accepting("It is a permission, and no request breaks it.")),
];

/// The worked examples.
pub(super) const EXAMPLES: &[Clause] = &[
    Clause::new(
        "example/allowzero",
        Rule::Example,
        Must,
        "Examples",
        "With allowzero=1, the target [3, 4, 0] gives data of shape [0, 3, 4] the output shape [3, 4, 0].",
    )
    .tested(AN_EXAMPLE),
    Clause::new(
        "example/allowzero-zero",
        Rule::Example,
        Must,
        "Examples",
        "With allowzero=0, the 0 of the target [3, 4, 0] copies the last dimension of data of shape [0, 3, 4], so that the \
         target resolves to [3, 4, 4], which has 48 elements too many for that data.",
    ),
    Clause::new(
        "example/reshape-9",
        Rule::Example,
        Must,
        "Examples",
        "Data of shape [2, 3, 4] goes through nine targets, the ninth of which is [2, 0, 1, -1] and gives [2, 3, 1, 4]; the text \
         has lost the values of the one that it names one_dim.",
    )
    .tested(AN_EXAMPLE),
];
