//! Dims, targets, attributes and allowed outcomes, read from a tree.

use super::fields::DATA;
use crate::names::Distinct;
use crate::semantics::operator::{Operator, Selector};
use crate::semantics::outcome::Allowed;
use crate::semantics::request::{AttributeValue, Attributes, LARGEST_DIM, Target};
use crate::suite::case::content::{check_count, check_element, check_not_materialized, check_size};
use crate::suite::case::{Content, Nested};
use crate::tensor::{ElementType, Fill};
use crate::yaml::{Faults, Kind, Mapping, Node, Scalar, Value};
use std::collections::BTreeMap;

/// The operators of a list of selectors, each named once.
pub(super) fn operators(faults: &mut Faults<'_>, node: &Node) -> Option<Vec<&'static Operator>> {
    let items = faults.list(node, "operators")?;
    if items.is_empty() {
        let hint = "name families or operators, such as [onnx, openvino]";
        return faults.wrong(node, "no operators", hint);
    }
    let mut operators: Vec<&'static Operator> = Vec::new();
    let each = faults.each(items, |faults, item| {
        let selector: Selector = faults.named(item, "an operator")?;
        for operator in selector.operators() {
            if operators.contains(operator) {
                let hint = "each operator of a case is named once";
                return faults.wrong(item, format!("{operator} is named twice"), hint);
            }
            operators.push(operator);
        }
        Some(())
    });
    each.map(|_| operators)
}

/// An element type, by its name here. For a name that others use, the hint gives ours.
pub(super) fn element_type(faults: &mut Faults<'_>, node: &Node) -> Option<ElementType> {
    let text = &faults.scalar(node, "an element type")?.text;
    let is_called = |element_type: &&ElementType| {
        let openvino = element_type.openvino_names();
        openvino.is_some_and(|(name, precision)| [name, precision].contains(&text.as_str()))
            || element_type.numpy_name() == Some(text)
            || element_type.onnx_name().eq_ignore_ascii_case(text)
    };
    let ours: Result<ElementType, _> = text.parse();
    match (&ours, ElementType::ALL.iter().find(is_called)) {
        (Err(_), Some(meant)) => {
            let message = format!("unknown element type '{text}'");
            faults.wrong(node, message, format!("its name here is {meant}"))
        }
        _ => faults.named(node, "an element type"),
    }
}

/// Data or output dims, or the dims of an allowed shape.
pub(super) fn dims(faults: &mut Faults<'_>, node: &Node, name: &str) -> Option<Vec<u64>> {
    let items = faults.list(node, name)?;
    faults.each(items, dim)
}

fn dim(faults: &mut Faults<'_>, node: &Node) -> Option<u64> {
    let scalar = faults.scalar(node, "a dim")?;
    let dim = scalar.text.parse().ok().filter(|dim| *dim <= LARGEST_DIM);
    let hint = match scalar.text.as_str() {
        "any" => "a dim of any length goes only with `open`, in `allowed`",
        _ => "a dim is a whole number from 0 to 2^63-1, without quotes or a point",
    };
    dim.filter(|_| scalar.kind != Kind::Text && !has_leading_zero(scalar))
        .or_else(|| {
            let hint = decimal_hint(scalar).unwrap_or_else(|| hint.to_owned());
            faults.wrong(node, format!("'{}' is not a dim", scalar.text), hint)
        })
}

fn has_leading_zero(scalar: &Scalar) -> bool {
    let digits = scalar.text.trim_start_matches(['-', '+']);
    digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// What to write instead of a whole number in another notation.
fn decimal_hint(scalar: &Scalar) -> Option<String> {
    if has_leading_zero(scalar) {
        let (sign, digits) = match scalar.text.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", scalar.text.trim_start_matches('+')),
        };
        let plain = digits.trim_start_matches('0');
        let plain = if plain.is_empty() { "0" } else { plain };
        return Some(format!(
            "a leading zero would be octal in some YAML readers: write {sign}{plain}"
        ));
    }
    let text = &scalar.text;
    if text.starts_with(['\u{2212}', '\u{2013}', '\u{2014}', '\u{ff0d}']) {
        return Some("the sign before the number is not `-`: write `-`".to_owned());
    }
    match scalar.kind {
        Kind::Float(value) if value.fract() == 0.0 && value.abs() < 9e15 => {
            Some(format!("write {value}"))
        }
        Kind::Text if text.parse::<i64>().is_ok() => Some(format!("without quotes: {text}")),
        Kind::Float(_) | Kind::Text | Kind::Integer(_) | Kind::Bool(_) => None,
    }
}

/// A target: a list, a bare integer, a nested list, or `missing`, which is the inner `None`.
pub(super) fn target(faults: &mut Faults<'_>, node: &Node) -> Option<Option<Target>> {
    if node.is_word("missing") {
        return Some(None);
    }
    match nested(faults, node)?.target() {
        Ok(target) => Some(Some(target)),
        Err(why) => faults.wrong(node, why, "docs/cases.md describes targets"),
    }
}

fn nested(faults: &mut Faults<'_>, node: &Node) -> Option<Nested> {
    const HINT: &str = "a target is a list of integers within 64 bits such as [2, -1], a bare integer, a nested list, \
                        or `missing`";
    let is_no_digit = |c: char| !matches!(c, '0'..='9' | '-' | '+');
    match &node.value {
        Value::List(items) => faults.each(items, nested).map(Nested::List),
        Value::Scalar(scalar) => match scalar.kind {
            Kind::Integer(value) if !has_leading_zero(scalar) => Some(Nested::Value(value)),
            Kind::Float(_) if !has_leading_zero(scalar) && !scalar.text.contains(is_no_digit) => {
                faults.wrong(node, format!("{} is beyond 64 bits", scalar.text), HINT)
            }
            Kind::Integer(_) | Kind::Float(_) | Kind::Text | Kind::Bool(_) => {
                let hint = decimal_hint(scalar).unwrap_or_else(|| HINT.to_owned());
                faults.wrong(node, format!("'{}' is not an integer", scalar.text), hint)
            }
        },
        Value::Nothing | Value::Map(_) => {
            faults.wrong(node, format!("a target is not {}", node.what()), HINT)
        }
    }
}

pub(super) fn attributes(faults: &mut Faults<'_>, node: &Node) -> Option<Attributes> {
    let Value::Map(pairs) = &node.value else {
        let message = format!("`attributes` is a mapping, not {}", node.what());
        let hint = "such as {allowzero: 1}; {} is a node without attributes";
        return faults.wrong(node, message, hint);
    };
    let mut attributes = BTreeMap::new();
    let mut complete = true;
    for (key, value) in pairs {
        let name = faults.scalar(key, "the name of an attribute");
        let value = attribute(faults, value);
        let (Some(name), Some(value)) = (name, value) else {
            complete = false;
            continue;
        };
        if attributes.insert(name.text.clone(), value).is_some() {
            let message = format!("a second attribute `{}`", name.text);
            faults.note(key, message, "give each attribute once");
            complete = false;
        }
    }
    complete.then(|| Attributes::new(attributes))
}

fn attribute(faults: &mut Faults<'_>, node: &Node) -> Option<AttributeValue> {
    const HINT: &str = "an attribute is an integer within 64 bits, true or false, a float, a string, or a list of integers";
    match &node.value {
        Value::Scalar(scalar) => match scalar.kind {
            Kind::Text => Some(AttributeValue::String(scalar.text.clone())),
            Kind::Bool(value) => Some(AttributeValue::Bool(value)),
            // YAML reads an integer past 64 bits as a float; it must not silently become one.
            Kind::Float(value) if value.fract() != 0.0 || value.abs() < i64::MAX as f64 => {
                Some(AttributeValue::Float(value))
            }
            Kind::Float(_) | Kind::Integer(_) => integer(scalar)
                .map(AttributeValue::Int)
                .or_else(|| faults.wrong(node, format!("{} is beyond 64 bits", scalar.text), HINT)),
        },
        Value::List(items) => {
            let values = faults.each(items, |faults, item| {
                let message = || format!("{} in a list of integers", item.what());
                let value = item.scalar().and_then(integer);
                value.or_else(|| faults.wrong(item, message(), HINT))
            });
            values.map(AttributeValue::Ints)
        }
        Value::Nothing | Value::Map(_) => {
            faults.wrong(node, format!("an attribute is not {}", node.what()), HINT)
        }
    }
}

fn integer(scalar: &Scalar) -> Option<i64> {
    match scalar.kind {
        Kind::Integer(value) => i64::try_from(value).ok(),
        Kind::Text | Kind::Bool(_) | Kind::Float(_) => None,
    }
}

/// `rejected`, or a shape in which `any` allows any length.
pub(super) fn allowed(faults: &mut Faults<'_>, node: &Node) -> Option<Allowed> {
    const HINT: &str = "write `rejected`, or a shape such as [0, any]";
    match &node.value {
        Value::Scalar(scalar) if scalar.text == "rejected" => Some(Allowed::Rejected),
        Value::List(items) => {
            let pattern = faults.each(items, |faults, item| match item.is_word("any") {
                true => Some(None),
                false => dim(faults, item).map(Some),
            });
            pattern.map(Allowed::Reshaped)
        }
        Value::Scalar(Scalar { text, .. }) => {
            faults.wrong(node, format!("'{text}' is not an allowed outcome"), HINT)
        }
        Value::Nothing | Value::Map(_) => {
            let message = format!("an allowed outcome is not {}", node.what());
            faults.wrong(node, message, HINT)
        }
    }
}

/// The readable part of `data`.
pub(super) struct Data<'n> {
    /// The dims; `None` if they are faulty.
    pub(super) shape: Option<Vec<u64>>,
    /// The given element types, without faulty ones; `None` without the field.
    pub(super) element_types: Option<Vec<ElementType>>,
    /// The elements; `None` if they are faulty.
    pub(super) content: Option<Content>,
    /// The node of the data, and of its fields.
    node: &'n Node,
    shape_node: Option<&'n Node>,
    values_node: Option<&'n Node>,
}

impl<'n> Data<'n> {
    pub(super) fn read(faults: &mut Faults<'_>, node: &'n Node) -> Self {
        let fields = Mapping::read(faults, node, "`data`", DATA, "");
        let get = |name| fields.as_ref().and_then(|fields| fields.get(name));
        let mut data = Self {
            shape: get("shape").and_then(|node| dims(faults, node, "shape")),
            element_types: get("element_types").map(|node| read_element_types(faults, node)),
            content: None,
            node,
            shape_node: get("shape"),
            values_node: get("values"),
        };
        if fields.is_some() {
            data.content = data.read_content(faults, get("fill"));
        }
        data
    }

    fn read_content(&self, faults: &mut Faults<'_>, fill: Option<&Node>) -> Option<Content> {
        let given = fill.map(|node| faults.named::<NamedFill>(node, "a fill"));
        let values = self.values_node.map(|node| {
            let items = faults.list(node, "values")?;
            faults.each(items, |faults, item| {
                Some(faults.scalar(item, "an element")?.text.clone())
            })
        });
        match (given, values) {
            (Some(_), Some(_)) => {
                faults.wrong(self.node, "both a fill and values", "remove one of the two")
            }
            (None, Some(values)) => values.map(Content::Values),
            (Some(fill), None) => fill.map(|named| named.row().clone()),
            (None, None) => Some(Content::Fill(Fill::Index)),
        }
    }

    /// Checks the elements against the dims and the element types of the case. Dims that are too large are a fault.
    pub(super) fn check(&mut self, faults: &mut Faults<'_>, operators: &[&'static Operator]) {
        let all = operators.iter().flat_map(|operator| operator.element_types);
        let types = match &self.element_types {
            Some(types) => types.clone(),
            None => all.copied().distinct(),
        };
        if let Some(shape) = &self.shape {
            let (size, hint) = match self.content {
                Some(Content::NotMaterialized) => {
                    (check_not_materialized(shape, &types), "remove `fill: none`")
                }
                Some(Content::Fill(_) | Content::Values(_)) | None => (
                    check_size(shape, &types),
                    "with `fill: none` the case is only compiled, and the inferred shape is judged",
                ),
            };
            if let Err(why) = size {
                faults.note(self.shape_node.unwrap_or(self.node), why, hint);
                self.shape = None;
            }
        }
        let has_strings = types.contains(&ElementType::String);
        if let (true, Some(Content::Fill(Fill::EveryPattern))) = (has_strings, &self.content) {
            let hint = "name the other element types of the case, or list the strings in `values`";
            faults.note(self.node, "a string has no bit patterns", hint);
        }
        let (Some(Content::Values(values)), Some(node)) = (&self.content, self.values_node) else {
            return;
        };
        let counted = self.shape.as_ref();
        if let Some(Err(why)) = counted.map(|shape| check_count(shape, values.len())) {
            let hint = "write as many elements as the dims of the data multiply to";
            faults.note(node, why, hint);
        }
        for (item, value) in node.scalars().into_iter().zip(values) {
            let mut read = types.iter().map(|of| check_element(value, *of));
            if let Some(why) = read.find_map(Result::err) {
                let hint = "an element is a value of every element type of the case";
                faults.note(item, why, hint);
            }
        }
    }
}

fn read_element_types(faults: &mut Faults<'_>, node: &Node) -> Vec<ElementType> {
    let items = faults.list(node, "element_types");
    if items.is_some_and(<[Node]>::is_empty) {
        let hint = "omit `element_types` for every type of the operator";
        faults.note(node, "no element types, so the case would never run", hint);
    }
    let mut types: Vec<ElementType> = Vec::new();
    for item in items.unwrap_or_default() {
        let Some(element_type) = element_type(faults, item) else {
            continue;
        };
        if types.contains(&element_type) {
            let message = format!("{element_type} is named twice");
            faults.note(item, message, "each element type is named once");
        } else {
            types.push(element_type);
        }
    }
    types
}

crate::names::named_enum! {
    /// A fill as a file names it.
    enum NamedFill: Content, "fill" {
        /// Element i is the number i.
        Index = "index" => Content::Fill(Fill::Index),
        /// Element i is the bit pattern i.
        EveryPattern = "every-pattern" => Content::Fill(Fill::EveryPattern),
        /// The data has no elements, because it is too large to materialize.
        None = "none" => Content::NotMaterialized,
    }
}
