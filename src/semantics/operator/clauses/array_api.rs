//! Clauses of the Array API standard's `reshape`, by version. 2024.12 only adds a reference to the page about `copy`.

use super::{NO_CONTENT, inferred_minus_one, one_minus_one, same_count};
use crate::semantics::operator::clause::{Clause, Tested, must};
use crate::semantics::operator::rule::Rule;

pub(in super::super) const ARRAY_API_2021: &[&[Clause]] = &[
    RESHAPE,
    &[
        since("reshape-2021.12 holds from version 2021.12 of the standard on."),
        types(
            "A library has the element types bool, i8, i16, i32, i64, u8, u16, u32, u64, f32 and f64. It may have further \
             ones.",
        ),
    ],
];

pub(in super::super) const ARRAY_API_2022: &[&[Clause]] = &[
    RESHAPE,
    &[
        since("reshape-2022.12 holds from version 2022.12 of the standard on."),
        types(
            "A library has complex64, complex128 and the element types of reshape-2021.12. It may have further ones.",
        ),
    ],
];

/// A version with the element types of 2022.12.
macro_rules! later {
    ($since:literal) => {
        &[
            RESHAPE,
            &[
                since($since),
                types(
                    "A library has the element types of reshape-2022.12. It may have further ones.",
                ),
            ],
        ]
    };
}

pub(in super::super) const ARRAY_API_2023: &[&[Clause]] =
    later!("reshape-2023.12 holds from version 2023.12 of the standard on.");

pub(in super::super) const ARRAY_API_2025: &[&[Clause]] =
    later!("reshape-2025.12 holds from version 2025.12 of the standard on.");

/// What every version states about the data, the shape and the output.
const RESHAPE: &[Clause] = &[
    must("changes-shape", Rule::TargetIsOutputShape, "Function")
        .description("The function gives the data the shape that its argument shape describes, and leaves the data as it is."),
    must("input/x", Rule::DataInput, "Parameters")
        .description("The data is the first argument, an array of any shape. An array may have no dimensions.")
        .tested(Tested::Accepting("Every call has data, and the text excludes no shape of it.")),
    must("input/shape", Rule::TargetPresent, "Parameters")
        .description("The target is the second argument, a tuple of integers, and it is required.")
        .tested(Tested::Accepting("In Python, a call without a required argument fails before the function runs.")),
    must("shape/lengths", Rule::LiteralZero, "Parameters")
        .description("Each value of the target but a -1 is the length of the output dimension at its index. The text \
            gives a 0 no other meaning, so it is the length zero.")
        .also(&[Rule::TargetIsOutputShape]),
    must("shape/empty", Rule::EmptyTarget, "Parameters")
        .description("The target may be an empty tuple, which is the shape of an array without dimensions."),
    same_count("shape/compatible", "Parameters"),
    one_minus_one("shape/one-minus-one", "Parameters"),
    inferred_minus_one("shape/minus-one", "Parameters"),
    must("output", Rule::SameContent, "Returns")
        .description("The output has the element type and the elements of the data.")
        .tested(NO_CONTENT),
];

/// The version of the standard that first states it so.
const fn since(description: &'static str) -> Clause {
    must("since", Rule::Version, "Version")
        .description(description)
        .tested(Tested::Accepting(
            "A library of an earlier version has another text, with its own clauses.",
        ))
}

/// Which element types a library has.
const fn types(description: &'static str) -> Clause {
    must("types", Rule::ElementTypes, "Data types")
        .description(description)
        .tested(Tested::Accepting(
            "A library may have further element types, so none of them is an error.",
        ))
}
