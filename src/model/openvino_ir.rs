//! A request as an OpenVINO IR (version 11): Parameters `data` and, for a runtime target, `shape`; Result `reshaped`.
//!
//! The layout, the names and the `.bin` of each type are as `openvino.save_model` writes them (2026.4).

#[cfg(test)]
mod tests;
mod xml;

use crate::spec::operator::{Binding, Family, TargetSource};
use crate::spec::request::{AttributeValue, Request, Target};
use crate::tensor::ElementType;
use xml::{Edge, Layer, Port};

/// The two files of an IR.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ir {
    /// The layers and edges.
    pub(crate) xml: Vec<u8>,
    /// The constants; empty without any.
    pub(crate) bin: Vec<u8>,
}

/// The IR with one Reshape layer, exactly as the request describes it, well-formed or not.
///
/// `None` if an IR cannot express it: another family's operator, a target given as attribute, an element type that
/// OpenVINO does not have, or an attribute that XML cannot hold.
pub(crate) fn model(request: &Request, binding: Binding) -> Option<Ir> {
    if request.operator.family != Family::Openvino || binding.source() == TargetSource::Attribute {
        return None;
    }
    let data = Port::new(request.element_type, &request.data_shape, binding.dynamic())?;
    let mut edges = vec![("0", "0", "2", "0")];
    let mut layers = vec![parameter("0", "data", &data)];
    let mut inputs = vec![data.clone()];
    let mut bin = Vec::new();
    if let Some(target) = &request.target {
        // How many values a target has is always declared.
        let port = Port::new(target.element_type, &target.dims, false)?;
        edges.push(("1", "0", "2", "1"));
        layers.push(match binding.source() {
            TargetSource::Constant => {
                bin = constant(target);
                constant_layer(&port, bin.len())
            }
            TargetSource::Runtime | TargetSource::Attribute => parameter("1", "shape", &port),
        });
        inputs.push(port);
    }
    add_reshape(&mut layers, &mut edges, attributes(request)?, inputs);
    // Writing to a Vec does not fail.
    let xml = xml::write(&layers, &edges).ok()?;
    Some(Ir { xml, bin })
}

/// The node's attributes, if XML can hold them all.
fn attributes(request: &Request) -> Option<Vec<(&str, String)>> {
    let attributes = request.attributes.iter();
    attributes
        .map(|(name, value)| Some((xml_name(name)?, rendered(value)?)))
        .collect()
}

fn parameter(id: &'static str, name: &'static str, port: &Port) -> Layer<'static> {
    Layer {
        id,
        name,
        kind: "Parameter",
        data: vec![
            ("shape", port.declared()),
            ("element_type", port.name.to_owned()),
        ],
        output: Some(("0", port.named(name))),
        ..Layer::default()
    }
}

fn constant_layer(port: &Port, bytes: usize) -> Layer<'static> {
    Layer {
        id: "1",
        name: "shape",
        kind: "Const",
        data: vec![
            ("element_type", port.name.to_owned()),
            ("shape", port.declared()),
            ("offset", "0".to_owned()),
            ("size", bytes.to_string()),
        ],
        output: Some(("0", port.clone())),
        ..Layer::default()
    }
}

/// Adds the Reshape layer, whose output has no declared shape, and the Result.
fn add_reshape<'a>(
    layers: &mut Vec<Layer<'a>>,
    edges: &mut Vec<Edge>,
    attributes: Vec<(&'a str, String)>,
    inputs: Vec<Port>,
) {
    let without_shape = inputs[0].without_shape();
    layers.push(Layer {
        id: "2",
        name: "reshaped",
        kind: "Reshape",
        data: attributes,
        input: inputs,
        output: Some(("2", without_shape.named("reshaped"))),
    });
    edges.push(("2", "2", "3", "0"));
    layers.push(Layer {
        id: "3",
        name: "result",
        kind: "Result",
        input: vec![without_shape],
        ..Layer::default()
    });
}

/// The element type of that OpenVINO name (`element_type="f8e4m3"`); `None` if this project does not have it.
pub(crate) fn element_type_named(name: &str) -> Option<ElementType> {
    find(|names| names.0 == name)
}

/// The element type of a port with that precision (`precision="FP32"`); `None` if this project does not have it.
pub(crate) fn element_type_of_precision(precision: &str) -> Option<ElementType> {
    find(|names| names.1 == precision)
}

fn find(is: impl Fn((&str, &str)) -> bool) -> Option<ElementType> {
    let has = |element_type: &ElementType| element_type.openvino_names().is_some_and(&is);
    ElementType::ALL.iter().copied().find(has)
}

/// The bytes of a constant. Packed types are as ours; strings are a count, the offsets of their ends after a 0, and
/// their bytes, all numbers as little-endian i32.
fn constant(target: &Target) -> Vec<u8> {
    let tensor = target.tensor();
    let mut bytes = Vec::new();
    if tensor.element_type() != ElementType::String {
        tensor.write_bytes(&mut bytes);
        return bytes;
    }
    let strings: Vec<_> = (0..tensor.len())
        .filter_map(|index| tensor.string(index))
        .collect();
    let mut end = 0;
    bytes.extend_from_slice(&(strings.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&0u32.to_le_bytes());
    for string in &strings {
        end += string.len() as u32;
        bytes.extend_from_slice(&end.to_le_bytes());
    }
    bytes.extend(strings.concat());
    bytes
}

/// The name of an attribute, if XML can hold it.
fn xml_name(name: &str) -> Option<&str> {
    let head = |c: char| c.is_ascii_alphabetic() || c == '_';
    let tail = |c: char| head(c) || c.is_ascii_digit() || matches!(c, '-' | '.');
    (name.starts_with(head) && name.chars().all(tail)).then_some(name)
}

/// An attribute as OpenVINO writes it, if XML can hold it.
fn rendered(value: &AttributeValue) -> Option<String> {
    let text = match value {
        AttributeValue::Bool(value) => value.to_string(),
        AttributeValue::Int(value) => value.to_string(),
        AttributeValue::Float(value) => value.to_string(),
        AttributeValue::String(value) => value.clone(),
        AttributeValue::Ints(values) => values
            .iter()
            .map(i64::to_string)
            .collect::<Vec<_>>()
            .join(", "),
    };
    let held = |c: char| !matches!(c, '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}');
    text.chars().all(held).then_some(text)
}
