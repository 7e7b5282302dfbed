//! The fields of a case file, as data for the reader, its messages and the schema.

use crate::yaml::{Field, fields};

pub(in crate::suite::case) const CASE: &[Field] = fields! {
    required name: "The case's id: lower-case words and digits joined by hyphens. It is unique and never changes.",
    optional about: "What is special about the case, in a sentence.",
    required operators: "Families, single operators, or ranges such as \"onnx >= 14\".",
    required covers: "The rules or clauses that the case tests.",
    required data: "The data, such as {shape: [3, 4]}, with its element types and elements where they matter.",
    required shape: "The target: a list of integers. For malformed nodes a bare integer, a nested list, or `missing`.",
    optional shape_element_type: "The target's element type; i64 by default.",
    optional zero: "What a 0 in the target means. Required if the target holds a 0, unless `attributes` is given.",
    optional attributes: "The node's attributes exactly as they are, instead of `zero`.",
    optional bindings: "Limits the case to these bindings.",
    optional expect: "The expectation for all operators of the case.",
    optional expectations: "Expectations, each with its operators. Together they name every operator of the case.",
};

/// The fields of `data`.
pub(in crate::suite::case) const DATA: &[Field] = fields! {
    required shape: "The data dims, each 0 to 2^63-1.",
    optional element_types: "Element types; by default, every type that the operator's text lists.",
    optional fill: "What the elements are: their index, or their bit pattern.",
    optional values: "The elements, in row-major order, instead of a fill.",
};

/// The fields of an entry of `expectations`.
pub(in crate::suite::case) const OPERATOR_EXPECTATION: &[Field] = fields! {
    required operators: "The operators of the case with this expectation.",
    optional shape: "A tensor of this shape, with the data's elements.",
    optional rejected: "A rejection, and every reason for it that applies.",
    optional open: "The question that the text leaves open.",
    optional allowed: "The outcomes that the open question allows: `rejected`, or shapes with `any` for any length.",
};

/// The fields of `expect`.
pub(in crate::suite::case) const EXPECTATION: &[Field] = OPERATOR_EXPECTATION.split_at(1).1;

/// The JSON Schema of a case file, from the reader's fields and names.
#[cfg(test)]
pub(crate) mod schema {
    use super::{CASE, DATA, EXPECTATION, OPERATOR_EXPECTATION};
    use crate::semantics::operator::{Binding, Family, OPERATORS, Question, Reason, Rule};
    use crate::suite::case::ZeroMode;
    use crate::tensor::ElementType;
    use crate::yaml::schema::{list, object, one_of, some, string};
    use serde_json::{Value, json};

    pub(crate) fn schema() -> Value {
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Cases",
            "description": "A file of cases of the Reshape conformance suite; docs/cases.md is its manual.",
            "type": "array",
            "items": object(CASE, case_field),
        })
    }

    fn case_field(name: &str) -> Value {
        match name {
            "name" => {
                json!({ "type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": 100 })
            }
            "operators" => operators(),
            "covers" => some(covers()),
            "data" => object(DATA, data_field),
            "shape" => json!({ "anyOf": target() }),
            "shape_element_type" => one_of(ElementType::ALL.iter().map(|of| of.name())),
            "zero" => one_of(ZeroMode::ALL.iter().map(|zero| zero.name())),
            "attributes" => json!({
                "type": "object",
                "additionalProperties": {
                    "anyOf": [
                        { "type": ["integer", "number", "boolean", "string"] },
                        { "type": "array", "items": { "type": "integer" } },
                    ]
                }
            }),
            "bindings" => some(one_of(Binding::ALL.iter().map(|binding| binding.name()))),
            "expect" => object(EXPECTATION, expectation_field),
            "expectations" => some(object(OPERATOR_EXPECTATION, expectation_field)),
            _ => string(),
        }
    }

    fn data_field(name: &str) -> Value {
        match name {
            "shape" => list(dim()),
            "element_types" => some(one_of(ElementType::ALL.iter().map(|of| of.name()))),
            "fill" => one_of(["index", "every-pattern", "none"].into_iter()),
            _ => list(json!({ "type": ["string", "number", "boolean"] })),
        }
    }

    fn expectation_field(name: &str) -> Value {
        match name {
            "operators" => operators(),
            "shape" => list(dim()),
            "rejected" => {
                let reason = one_of(Reason::ALL.iter().map(|reason| reason.name()));
                json!({ "anyOf": [reason, some(reason.clone())] })
            }
            "open" => one_of(Question::ALL.iter().map(|question| question.name())),
            _ => {
                let dims = list(json!({ "anyOf": [dim(), { "const": "any" }] }));
                some(json!({ "anyOf": [{ "const": "rejected" }, dims] }))
            }
        }
    }

    /// The names of the families.
    fn families() -> Vec<&'static str> {
        Family::ALL.iter().map(|family| family.name()).collect()
    }

    fn dim() -> Value {
        json!({ "type": "integer", "minimum": 0, "maximum": i64::MAX })
    }

    /// A list of integers; a bare integer; a list of lists, however deep; or the word.
    fn target() -> Vec<Value> {
        vec![
            json!({ "type": "array", "items": { "type": ["integer", "array"] } }),
            json!({ "type": "integer" }),
            json!({ "const": "missing" }),
        ]
    }

    fn operators() -> Value {
        let operators = OPERATORS.iter().map(|operator| operator.name);
        let all = one_of(families().into_iter().chain(operators));
        let range = format!("^({}) *[<>=]", families().join("|"));
        some(json!({ "anyOf": [all, { "type": "string", "pattern": range }] }))
    }

    fn covers() -> Value {
        let rules = Rule::ALL.iter().filter(|rule| rule.is_citable());
        let rules = one_of(rules.map(|rule| rule.name()));
        let clauses = OPERATORS.iter().flat_map(|operator| operator.clauses());
        let clauses: Vec<_> = clauses.map(|clause| clause.to_string()).collect();
        let clauses = one_of(clauses.iter().map(String::as_str));
        let of_range = json!({ "type": "string", "pattern": "^.*[<>=].*/.+$" });
        let families = families().join("|");
        let of_family = json!({ "type": "string", "pattern": format!("^({families})/.+$") });
        json!({ "anyOf": [rules, clauses, of_range, of_family] })
    }
}
