//! The operations around the node under test, as the operators of an opset, and the attributes of an ONNX node.

use super::proto::{Attribute, kind};
use crate::model::graph::{Operation, list};
use crate::semantics::request::{AttributeValue, Target};
use crate::tensor::{ElementType, Tensor};

/// A node without the values that it takes and gives.
pub(super) struct Parts {
    pub(super) kind: &'static str,
    pub(super) attributes: Vec<Attribute>,
    /// Its further inputs, which are constants.
    pub(super) constants: Vec<Tensor>,
}

/// An operation in this opset: what is an attribute in old versions of some operators is an input in later ones.
pub(super) fn parts(operation: &Operation, opset: u32) -> Parts {
    let node = |kind, attributes: &[(&str, &[i64])], constants: &[&[i64]]| Parts {
        kind,
        attributes: attributes
            .iter()
            .map(|(name, values)| attribute(name, &AttributeValue::Ints(values.to_vec())))
            .collect(),
        constants: constants.iter().map(|values| list(values)).collect(),
    };
    let flag = |name, value| attribute(name, &AttributeValue::Int(value));
    match operation {
        Operation::UnderTest => node("Reshape", &[], &[]),
        Operation::Reshape(target) if opset < 5 => node("Reshape", &[("shape", target)], &[]),
        Operation::Reshape(target) => node("Reshape", &[], &[target]),
        Operation::Transpose(order) => node("Transpose", &[("perm", order)], &[]),
        Operation::Shape => node("Shape", &[], &[]),
        Operation::Gather(index) => Parts {
            constants: vec![list(&[*index]).with_shape(Vec::new())],
            ..node("Gather", &[], &[])
        },
        Operation::Unsqueeze if opset < 13 => node("Unsqueeze", &[("axes", &[0])], &[]),
        Operation::Unsqueeze => node("Unsqueeze", &[], &[&[0]]),
        Operation::Slice(from, to) if opset < 10 => {
            node("Slice", &[("starts", &[*from]), ("ends", &[*to])], &[])
        }
        Operation::Slice(from, to) => node("Slice", &[], &[&[*from], &[*to]]),
        Operation::Concat => Parts {
            attributes: vec![flag("axis", 0)],
            ..node("Concat", &[], &[])
        },
        Operation::Negative => node("Neg", &[], &[]),
        Operation::Sum(_) => Parts {
            attributes: vec![flag("keepdims", 0)],
            ..node("ReduceSum", &[], &[])
        },
        Operation::Subtract => node("Sub", &[], &[]),
        Operation::Add => node("Add", &[], &[]),
    }
}

/// The attribute `shape` of ONNX Reshape-1. A list is flat there, and an integer has no type but i64: a nested list loses
/// its nesting, and a value beyond i64 keeps its low 64 bits.
pub(super) fn target_attribute(target: &Target) -> Attribute {
    let attribute = Attribute {
        name: "shape".to_owned(),
        ..Attribute::default()
    };
    let values = target.values.iter();
    let is_list = !target.dims.is_empty();
    if target.element_type == ElementType::String {
        let texts = values.map(|value| value.to_string().into_bytes());
        strings(attribute, texts.collect(), is_list)
    } else if target.element_type.is_integer() {
        ints(
            attribute,
            values.map(|value| *value as i64).collect(),
            is_list,
        )
    } else {
        floats(
            attribute,
            values.map(|value| *value as f32).collect(),
            is_list,
        )
    }
}

/// An attribute of a node, in the type that its value has.
pub(super) fn attribute(name: &str, value: &AttributeValue) -> Attribute {
    let attribute = Attribute {
        name: name.to_owned(),
        ..Attribute::default()
    };
    match value {
        // ONNX has no booleans: its flags are 0 and 1.
        AttributeValue::Bool(value) => ints(attribute, vec![i64::from(*value)], false),
        AttributeValue::Int(value) => ints(attribute, vec![*value], false),
        AttributeValue::Float(value) => floats(attribute, vec![*value as f32], false),
        AttributeValue::String(value) => {
            strings(attribute, vec![value.clone().into_bytes()], false)
        }
        AttributeValue::Ints(values) => ints(attribute, values.clone(), true),
    }
}

fn ints(attribute: Attribute, values: Vec<i64>, is_list: bool) -> Attribute {
    if is_list {
        Attribute {
            ints: values,
            r#type: kind::INTS,
            ..attribute
        }
    } else {
        Attribute {
            i: values.first().copied(),
            r#type: kind::INT,
            ..attribute
        }
    }
}

fn floats(attribute: Attribute, values: Vec<f32>, is_list: bool) -> Attribute {
    if is_list {
        Attribute {
            floats: values,
            r#type: kind::FLOATS,
            ..attribute
        }
    } else {
        Attribute {
            f: values.first().copied(),
            r#type: kind::FLOAT,
            ..attribute
        }
    }
}

fn strings(attribute: Attribute, values: Vec<Vec<u8>>, is_list: bool) -> Attribute {
    if is_list {
        Attribute {
            strings: values,
            r#type: kind::STRINGS,
            ..attribute
        }
    } else {
        Attribute {
            s: values.into_iter().next(),
            r#type: kind::STRING,
            ..attribute
        }
    }
}
