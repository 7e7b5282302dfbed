//! Writing a case as an entry of a YAML file, for results of a search and imports.

use super::{Case, Content, Expectation};
use crate::json::quoted;
use crate::names::Joined;
use crate::semantics::outcome::Allowed;
use crate::semantics::request::AttributeValue;
use crate::tensor::{ElementType, Fill};
use std::fmt::{Display, Write};

/// The entry of a case, with its expectation. It reads back as the same case, except for a fill that no file can name.
pub(crate) fn entry(case: &Case) -> String {
    let mut text = format!("- name: {}\n", case.name);
    let mut line = |field: &str, value: String| {
        let _ = writeln!(text, "  {field}: {value}");
    };
    if let Some(about) = &case.about {
        line("about", quoted(about));
    }
    line("operators", list(&case.operators));
    line("covers", list(case.covers.iter().map(|cover| cover.name())));
    line("data", data(case));
    let target = case.target.as_ref();
    let missing = || "missing".to_owned();
    line("shape", target.map_or_else(missing, ToString::to_string));
    if let Some(of) = target.filter(|target| target.element_type != ElementType::I64) {
        line("shape_element_type", of.element_type.to_string());
    }
    match (case.zero, &case.attributes) {
        (Some(zero), _) => line("zero", zero.to_string()),
        (None, Some(attributes)) => {
            let attributes = attributes.iter();
            let attributes =
                attributes.map(|(name, of)| format!("{}: {}", quoted(name), value(of)));
            line("attributes", format!("{{{}}}", attributes.joined(", ")));
        }
        // If nothing decides how a 0 is read, the node has no attribute for it.
        (None, None) if target.is_some_and(|of| of.values.contains(&0)) => {
            line("attributes", "{}".to_owned());
        }
        (None, None) => {}
    }
    if let Some(bindings) = &case.bindings {
        line("bindings", list(bindings));
    }
    match case.expectations.as_slice() {
        [only] => line("expect", format!("{{{}}}", expectation(&only.expectation))),
        several => {
            line("expectations", String::new());
            for of in several {
                let _ = writeln!(
                    text,
                    "    - {{operators: {}, {}}}",
                    list(&of.operators),
                    expectation(&of.expectation)
                );
            }
        }
    }
    text.replace("expectations: \n", "expectations:\n")
}

fn data(case: &Case) -> String {
    let mut parts = vec![format!("shape: {:?}", case.data_shape)];
    if let Some(types) = &case.element_types {
        parts.push(format!("element_types: {}", list(types)));
    }
    match &case.content {
        Content::Fill(Fill::Index | Fill::From(_)) => {}
        Content::Fill(Fill::EveryPattern) => parts.push("fill: every-pattern".to_owned()),
        Content::NotMaterialized => parts.push("fill: none".to_owned()),
        Content::Values(values) => {
            let values = values.iter().map(|value| quoted(value));
            parts.push(format!("values: [{}]", values.joined(", ")));
        }
    }
    format!("{{{}}}", parts.join(", "))
}

fn value(value: &AttributeValue) -> String {
    match value {
        AttributeValue::Bool(value) => value.to_string(),
        AttributeValue::Int(value) => value.to_string(),
        AttributeValue::Float(value) if value.is_nan() => ".nan".to_owned(),
        AttributeValue::Float(value) if value.is_infinite() => {
            if *value > 0.0 { ".inf" } else { "-.inf" }.to_owned()
        }
        AttributeValue::Float(value) => format!("{value:?}"),
        AttributeValue::String(value) => quoted(value),
        AttributeValue::Ints(values) => format!("{values:?}"),
    }
}

/// The expectation's fields.
fn expectation(expectation: &Expectation) -> String {
    match expectation {
        Expectation::Reshaped(shape) => format!("shape: {shape:?}"),
        Expectation::Rejected(reasons) => format!("rejected: {}", list(reasons)),
        Expectation::Open {
            question,
            allowed: None,
        } => format!("open: {question}"),
        Expectation::Open {
            question,
            allowed: Some(allowed),
        } => {
            let allowed = allowed.iter().map(outcome);
            format!("open: {question}, allowed: [{}]", allowed.joined(", "))
        }
    }
}

fn outcome(allowed: &Allowed) -> String {
    match allowed {
        Allowed::Rejected => "rejected".to_owned(),
        Allowed::Reshaped(shape) => {
            let dim = |dim: &Option<u64>| dim.map_or_else(|| "any".to_owned(), |of| of.to_string());
            format!("[{}]", shape.iter().map(dim).joined(", "))
        }
    }
}

fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    format!("[{}]", items.into_iter().joined(", "))
}
