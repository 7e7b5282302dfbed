//! Clauses of the Array API standard's `reshape`, by version. 2024.12 only adds a reference to the page about `copy`.

use super::{NO_CONTENT, inferred_minus_one, one_minus_one, same_count};
use crate::semantics::operator::clause::{Clause, Level, Tested, clause, must};
use crate::semantics::operator::rule::Rule;

/// The clauses of one version alone: since when it holds, and the element types.
macro_rules! version {
    ($version:literal, $types:literal) => {
        &[
            must("since", Rule::Version, "Version")
                .description(concat!(
                    "reshape-",
                    $version,
                    " holds from version ",
                    $version,
                    " of the standard on."
                ))
                .tested(Tested::Accepting(
                    "A library of an earlier version has another text, with its own clauses.",
                )),
            must("types", Rule::ElementTypes, "Data types")
                .description($types)
                .tested(Tested::Accepting(
                    "A library may have further element types, so none of them is an error.",
                )),
        ]
    };
}

pub(in super::super) const ARRAY_API_2021: &[&[Clause]] = &[
    RESHAPE,
    COPY,
    COPY_2021,
    version!(
        "2021.12",
        "A library has the element types bool, i8, i16, i32, i64, u8, u16, u32, u64, f32 and f64. It may have further ones."
    ),
];

pub(in super::super) const ARRAY_API_2022: &[&[Clause]] = &[
    RESHAPE,
    COPY,
    COPY_2021,
    version!(
        "2022.12",
        "A library has complex64, complex128 and the element types of reshape-2021.12. It may have further ones."
    ),
];

pub(in super::super) const ARRAY_API_2023: &[&[Clause]] = &[
    RESHAPE,
    COPY,
    COPY_2023,
    version!(
        "2023.12",
        "A library has the element types of reshape-2022.12. It may have further ones."
    ),
];

pub(in super::super) const ARRAY_API_2025: &[&[Clause]] = &[
    RESHAPE,
    COPY,
    COPY_2023,
    version!(
        "2025.12",
        "A library has the element types of reshape-2022.12. It may have further ones."
    ),
];

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

/// What every version states about the argument `copy`.
const COPY: &[Clause] = &[
    must("copy/true", Rule::CopiedWhenAsked, "Parameters")
        .description("With copy=True, the function always copies: the output shares no memory with the data.")
        .tested(Tested::Accepting("No data and no shape make it an error to ask for a copy.")),
    must("copy/false", Rule::SharedWhenAsked, "Parameters")
        .description("With copy=False, the function never copies: the output shares the memory of the data.")
        .tested(OPEN_ONLY),
    must("copy/none", Rule::SharedWherePossible, "Parameters")
        .description("Without copy, the output shares the memory of the data where that is possible. Otherwise the function may copy.")
        .tested(WHERE_POSSIBLE),
];

/// Why only open requests test `copy=False`.
const OPEN_ONLY: Tested = Tested::Not(
    "Where a copy is necessary depends on the library, so the suite records a refusal. Open requests test that an output \
     shares memory.",
);

/// Before 2023.12.
const COPY_2021: &[Clause] = &[
    must("copy/false-error", Rule::SharedWhenAsked, "Parameters")
        .description("Where copy=False would need a copy, the function raises a ValueError.")
        .tested(OPEN_ONLY),
];

/// From 2023.12 on.
const COPY_2023: &[Clause] = &[clause(
    Level::Should,
    "copy/false-error",
    Rule::SharedWhenAsked,
    "Raises",
)
.description("Where copy=False would need a copy, the function should raise a ValueError.")
.tested(OPEN_ONLY)];

/// Why only accepted requests test a call without `copy`.
const WHERE_POSSIBLE: Tested =
    Tested::Accepting("The function may always copy where it cannot share.");
