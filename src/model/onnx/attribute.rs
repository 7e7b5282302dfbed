//! Attributes of an ONNX node.

use super::proto::{Attribute, kind};
use crate::spec::request::{AttributeValue, Target};
use crate::tensor::ElementType;

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
