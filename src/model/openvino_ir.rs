//! A request as an OpenVINO IR (version 11): Parameters `data` and, for a runtime target, `shape`; Result `reshaped`.
//!
//! The layout, the names and the `.bin` of each type are as `openvino.save_model` writes them (2026.4).

#[cfg(test)]
mod tests;
mod writer;
mod xml;

use super::graph::Graph;
use crate::semantics::operator::{Binding, ModelFiles, TargetSource};
use crate::semantics::request::{AttributeValue, Request};
use crate::tensor::ElementType;
use writer::Net;

/// The two files of an IR.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ir {
    /// The layers and edges.
    pub(crate) xml: Vec<u8>,
    /// The constants; empty without any.
    pub(crate) bin: Vec<u8>,
}

/// The IR with one Reshape layer, exactly as the request describes it, well-formed or not.
pub(crate) fn model(request: &Request, binding: Binding) -> Option<Ir> {
    write(&Graph::lone(request, binding), request, binding)
}

/// The IR with this graph around the request's node.
///
/// `None` if an IR cannot express it: another family's operator, a target given as attribute, an element type that
/// OpenVINO does not have, or an attribute that XML cannot hold.
pub(crate) fn write(graph: &Graph, request: &Request, binding: Binding) -> Option<Ir> {
    if request.operator.model_files() != ModelFiles::OpenvinoIr
        || binding.source() == TargetSource::Attribute
    {
        return None;
    }
    let attributes = attributes(request)?;
    let mut net = Net::default();
    for input in &graph.inputs {
        net.add_parameter(input)?;
    }
    for (name, tensor) in &graph.constants {
        net.add_constant(name, tensor)?;
    }
    for node in &graph.nodes {
        net.add_node(node, &attributes, graph.declared.as_deref())?;
    }
    let (xml, bin) = net.finish()?;
    Some(Ir { xml, bin })
}

/// The node's attributes, if XML can hold them all.
fn attributes(request: &Request) -> Option<Vec<(&str, String)>> {
    let attributes = request.attributes.iter();
    attributes
        .map(|(name, value)| Some((xml_name(name)?, rendered(value)?)))
        .collect()
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
