//! The JSON Schema of a case file, from the fields that the reader takes and the names that it knows.

use super::fields::{CASE, DATA, EXPECTATION, OPERATOR_EXPECTATION};
use crate::semantics::operator::{Binding, Family, OPERATORS, Question, Reason, Rule};
use crate::suite::case::ZeroMode;
use crate::tensor::ElementType;
use crate::yaml::schema::object;
use serde_json::{Value, json};

/// The schema.
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
        "shape_element_type" => one_of(&names(ElementType::ALL, |t| t.name())),
        "zero" => one_of(&names(ZeroMode::ALL, |zero| zero.name())),
        "attributes" => json!({
            "type": "object",
            "additionalProperties": {
                "anyOf": [
                    { "type": ["integer", "number", "boolean", "string"] },
                    { "type": "array", "items": { "type": "integer" } },
                ]
            }
        }),
        "bindings" => some(one_of(&names(Binding::ALL, |binding| binding.name()))),
        "expect" => object(EXPECTATION, expectation_field),
        "expectations" => some(object(OPERATOR_EXPECTATION, expectation_field)),
        _ => json!({ "type": "string" }),
    }
}

fn data_field(name: &str) -> Value {
    match name {
        "shape" => list(dim()),
        "element_types" => some(one_of(&names(ElementType::ALL, |t| t.name()))),
        "fill" => one_of(&["index", "every-pattern", "none"]),
        _ => list(json!({ "type": ["string", "number", "boolean"] })),
    }
}

fn expectation_field(name: &str) -> Value {
    match name {
        "operators" => operators(),
        "shape" => list(dim()),
        "rejected" => {
            let reason = one_of(&names(Reason::ALL, |reason| reason.name()));
            json!({ "anyOf": [reason, some(reason.clone())] })
        }
        "open" => one_of(&names(Question::ALL, |question| question.name())),
        _ => {
            let dims = list(json!({ "anyOf": [dim(), { "const": "any" }] }));
            some(json!({ "anyOf": [{ "const": "rejected" }, dims] }))
        }
    }
}

fn names<T: Copy>(all: &[T], name: impl Fn(T) -> &'static str) -> Vec<&'static str> {
    all.iter().map(|one| name(*one)).collect()
}

fn one_of(names: &[&str]) -> Value {
    json!({ "enum": names })
}

fn list(items: Value) -> Value {
    json!({ "type": "array", "items": items })
}

/// A list that is not empty.
fn some(items: Value) -> Value {
    json!({ "type": "array", "items": items, "minItems": 1 })
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
    let mut all = names(Family::ALL, |family| family.name());
    all.extend(OPERATORS.iter().map(|operator| operator.name));
    let families = names(Family::ALL, |family| family.name()).join("|");
    let range = format!("^({families}) *[<>=]");
    some(json!({ "anyOf": [one_of(&all), { "type": "string", "pattern": range }] }))
}

fn covers() -> Value {
    let rules = Rule::ALL.iter().filter(|rule| rule.is_citable());
    let rules: Vec<_> = rules.map(|rule| rule.name()).collect();
    let clauses = OPERATORS.iter().flat_map(|operator| operator.clauses());
    let clauses: Vec<_> = clauses.map(|clause| clause.to_string()).collect();
    let clauses: Vec<_> = clauses.iter().map(String::as_str).collect();
    let of_range = json!({ "type": "string", "pattern": "^.*[<>=].*/.+$" });
    let families = names(Family::ALL, |family| family.name()).join("|");
    let of_family = json!({ "type": "string", "pattern": format!("^({families})/.+$") });
    json!({ "anyOf": [one_of(&rules), one_of(&clauses), of_range, of_family] })
}
