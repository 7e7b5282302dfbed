//! The fields of a case file, as data: the reader takes them, a misspelt one is compared with them, and the schema lists
//! them.

use crate::yaml::Field;

/// The fields of a case.
pub(in crate::suite::case) const CASE: &[Field] = &[
    Field::required(
        "name",
        "The case's id: lower-case words and digits joined by hyphens. It is unique and never changes.",
    ),
    Field::optional("about", "What is special about the case, in a sentence."),
    Field::required(
        "operators",
        "Families, single operators, or ranges such as \"onnx >= 14\".",
    ),
    Field::required("covers", "The rules or clauses that the case tests."),
    Field::required(
        "data",
        "The data, such as {shape: [3, 4]}, with its element types and elements where they matter.",
    ),
    Field::required(
        "shape",
        "The target: a list of integers. For malformed nodes a bare integer, a nested list, or `missing`.",
    ),
    Field::optional(
        "shape_element_type",
        "The target's element type; i64 without it.",
    ),
    Field::optional(
        "zero",
        "What a 0 in the target means. Required if the target holds a 0, unless `attributes` is given.",
    ),
    Field::optional(
        "attributes",
        "The node's attributes exactly as they are, instead of `zero`.",
    ),
    Field::optional("bindings", "Limits the case to these bindings."),
    Field::optional("expect", "The expectation for all operators of the case."),
    Field::optional(
        "expectations",
        "Expectations, each with its operators, which together are all of the case's.",
    ),
];

/// The fields of `data`.
pub(in crate::suite::case) const DATA: &[Field] = &[
    Field::required("shape", "The data dims, each 0 to 2^63-1."),
    Field::optional(
        "element_types",
        "Element types; without it, every type that the operator's text lists.",
    ),
    Field::optional(
        "fill",
        "What the elements are: their index, or their bit pattern.",
    ),
    Field::optional(
        "values",
        "The elements, in row-major order, instead of a fill.",
    ),
];

const SHAPE: Field = Field::optional("shape", "A tensor of this shape, with the data's elements.");
const REJECTED: Field = Field::optional(
    "rejected",
    "A rejection, and every reason for it that applies.",
);
const OPEN: Field = Field::optional("open", "The question that the text leaves open.");
const ALLOWED: Field = Field::optional(
    "allowed",
    "The outcomes that the open question allows: `rejected`, or shapes in which `any` is any length.",
);

/// The fields of `expect`.
pub(in crate::suite::case) const EXPECTATION: &[Field] = &[SHAPE, REJECTED, OPEN, ALLOWED];

/// The fields of an entry of `expectations`.
pub(in crate::suite::case) const OPERATOR_EXPECTATION: &[Field] = &[
    Field::required("operators", "The operators of the case that this is for."),
    SHAPE,
    REJECTED,
    OPEN,
    ALLOWED,
];
