//! The fields of a case file, as data: the reader takes them, a misspelt one is compared with them, and the schema lists
//! them.

/// A field of a mapping.
pub(in crate::suite::case) struct Field {
    pub(in crate::suite::case) name: &'static str,
    pub(in crate::suite::case) required: bool,
    /// What it says, in a sentence.
    pub(in crate::suite::case) says: &'static str,
}

const fn required(name: &'static str, says: &'static str) -> Field {
    Field {
        name,
        required: true,
        says,
    }
}

const fn optional(name: &'static str, says: &'static str) -> Field {
    Field {
        name,
        required: false,
        says,
    }
}

/// The fields of a case.
pub(in crate::suite::case) const CASE: &[Field] = &[
    required(
        "name",
        "The case's id: lower-case words and digits joined by hyphens. It is unique and never changes.",
    ),
    optional("about", "What is special about the case, in a sentence."),
    required(
        "operators",
        "Families, single operators, or ranges such as \"onnx >= 14\".",
    ),
    required("covers", "The rules or clauses that the case tests."),
    required(
        "data",
        "The data, such as {shape: [3, 4]}, with its element types and elements where they matter.",
    ),
    required(
        "shape",
        "The target: a list of integers. For malformed nodes a bare integer, a nested list, or `missing`.",
    ),
    optional(
        "shape_element_type",
        "The target's element type; i64 without it.",
    ),
    optional(
        "zero",
        "What a 0 in the target means. Required if the target holds a 0, unless `attributes` is given.",
    ),
    optional(
        "attributes",
        "The node's attributes exactly as they are, instead of `zero`.",
    ),
    optional("bindings", "Limits the case to these bindings."),
    optional("expect", "The expectation for all operators of the case."),
    optional(
        "expectations",
        "Expectations, each with its operators, which together are all of the case's.",
    ),
];

/// The fields of `data`.
pub(in crate::suite::case) const DATA: &[Field] = &[
    required("shape", "The data dims, each 0 to 2^63-1."),
    optional(
        "element_types",
        "Element types; without it, every type that the operator's text lists.",
    ),
    optional(
        "fill",
        "What the elements are: their index, or their bit pattern.",
    ),
    optional(
        "values",
        "The elements, in row-major order, instead of a fill.",
    ),
];

const SHAPE: Field = optional("shape", "A tensor of this shape, with the data's elements.");
const REJECTED: Field = optional(
    "rejected",
    "A rejection, and every reason for it that applies.",
);
const OPEN: Field = optional("open", "The question that the text leaves open.");
const ALLOWED: Field = optional(
    "allowed",
    "The outcomes that the open question allows: `rejected`, or shapes in which `any` is any length.",
);

/// The fields of `expect`.
pub(in crate::suite::case) const EXPECTATION: &[Field] = &[SHAPE, REJECTED, OPEN, ALLOWED];

/// The fields of an entry of `expectations`.
pub(in crate::suite::case) const OPERATOR_EXPECTATION: &[Field] = &[
    required("operators", "The operators of the case that this is for."),
    SHAPE,
    REJECTED,
    OPEN,
    ALLOWED,
];
