//! A request as an OpenVINO IR (version 11).
//!
//! Parameters are `data` and, for a runtime target, `shape`; the Result is `reshaped`. The layout, the names and the
//! `.bin` of each type are as `openvino.save_model` writes them (2026.4).

mod xml;

use super::graph::{Graph, Input, Node, OUTPUT, Operation, list};
use crate::names::Joined;
use crate::semantics::operator::{Binding, ModelFiles, TargetSource};
use crate::semantics::request::{AttributeValue, Request};
use crate::tensor::{ElementType, Tensor};
use std::collections::HashMap;
use xml::{Edge, Layer, Port};

/// The two files of an IR.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ir {
    /// The layers and edges.
    pub(crate) xml: Vec<u8>,
    /// The constants; empty if there are no constants.
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
    if request.operator.family.models() != Some(ModelFiles::OpenvinoIr)
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

/// The node's attributes; `None` if XML cannot hold them all.
fn attributes(request: &Request) -> Option<Vec<(&str, String)>> {
    let attributes = request.attributes.iter();
    let written = attributes.map(|(name, value)| Some((xml_name(name)?, rendered(value)?)));
    written.collect()
}

/// The element type with this OpenVINO name (`element_type="f8e4m3"`); `None` if this project does not have it.
pub(crate) fn element_type_named(name: &str) -> Option<ElementType> {
    find(|names| names.0 == name)
}

/// The element type of a port with this precision (`precision="FP32"`); `None` if this project does not have it.
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
        AttributeValue::Ints(values) => values.iter().joined(", "),
    };
    let held = |c: char| !matches!(c, '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}');
    text.chars().all(held).then_some(text)
}

/// The alignment of constants in the `.bin`, in bytes, which suits every element type.
const ALIGNMENT: usize = 64;

/// An IR while it is built.
#[derive(Default)]
struct Net<'a> {
    layers: Vec<Layer<'a>>,
    edges: Vec<Edge>,
    bin: Vec<u8>,
    /// The layer, the output port and the port of each value.
    values: HashMap<String, (usize, usize, Port)>,
}

impl<'a> Net<'a> {
    /// Adds an input; `None` if OpenVINO does not have its element type.
    fn add_parameter(&mut self, input: &Input) -> Option<()> {
        let port = Port::new(input.element_type, &input.dims, input.dynamic)?;
        let data = vec![
            ("shape", port.declared()),
            ("element_type", port.name.to_owned()),
        ];
        let names = Some(input.name.to_owned());
        let layer = layer("Parameter", data, Vec::new());
        self.add(input.name, layer, (0, Port { names, ..port }));
        Some(())
    }

    /// Adds a constant; `None` if OpenVINO does not have its element type.
    fn add_constant(&mut self, name: &str, tensor: &Tensor) -> Option<()> {
        let port = Port::new(tensor.element_type(), tensor.shape(), false)?;
        let bytes = constant(tensor);
        if !self.bin.is_empty() {
            self.bin
                .resize(self.bin.len().next_multiple_of(ALIGNMENT), 0);
        }
        let data = vec![
            ("element_type", port.name.to_owned()),
            ("shape", port.declared()),
            ("offset", self.bin.len().to_string()),
            ("size", bytes.len().to_string()),
        ];
        self.bin.extend(bytes);
        self.add(name, layer("Const", data, Vec::new()), (0, port));
        Some(())
    }

    /// Adds a node. Its result has no declared shape unless it is the output. `None` if an IR cannot express it.
    /// `attributes` are those of the node under test.
    fn add_node(
        &mut self,
        node: &Node,
        attributes: &[(&'a str, String)],
        declared: Option<&[u64]>,
    ) -> Option<()> {
        let is_tested = node.operation == Operation::UnderTest;
        let (mut layer, constants) = layer_of(&node.operation)?;
        if is_tested {
            layer.data = attributes.to_vec();
        }
        let mut names = node.inputs.clone();
        for (index, tensor) in constants.iter().enumerate() {
            let name = format!("{}_constant_{index}", node.output);
            self.add_constant(&name, tensor)?;
            names.push(name);
        }
        for (to_port, name) in names.iter().enumerate() {
            let (from, port, value) = self.values.get(name)?;
            self.edges.push([*from, *port, self.layers.len(), to_port]);
            layer.input.push(value.clone());
        }
        let declared = declared.filter(|_| node.output == OUTPUT);
        let port = Port::new(node.element_type, declared.unwrap_or(&[]), false)?;
        let port = Port {
            dims: port.dims.filter(|_| declared.is_some()),
            names: Some(node.output.clone()),
            ..port
        };
        // A Reshape has two inputs, even where the one under test lacks one.
        let port_id = if is_tested { 2 } else { layer.input.len() };
        self.add(&node.output, layer, (port_id, port));
        Some(())
    }

    /// The XML and the `.bin`, with a Result for the output; `None` if no node gives the output.
    fn finish(mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        let (from, port, value) = self.values.get(OUTPUT)?;
        self.edges.push([*from, *port, self.layers.len(), 0]);
        self.layers.push(Layer {
            name: "result".to_owned(),
            ..layer("Result", Vec::new(), vec![value.clone()])
        });
        // Writing to a Vec does not fail.
        Some((xml::write(&self.layers, &self.edges).ok()?, self.bin))
    }

    fn add(&mut self, name: &str, layer: Layer<'a>, (port_id, port): (usize, Port)) {
        let unnamed = Port {
            names: None,
            ..port.clone()
        };
        let value = (self.layers.len(), port_id, unnamed);
        self.values.insert(name.to_owned(), value);
        self.layers.push(Layer {
            name: name.to_owned(),
            output: Some((port_id, port)),
            ..layer
        });
    }
}

/// A layer of the first operator set, without a name or an output.
fn layer<'a>(kind: &'static str, data: Vec<(&'a str, String)>, input: Vec<Port>) -> Layer<'a> {
    Layer {
        kind,
        set: "opset1",
        data,
        input,
        ..Layer::default()
    }
}

/// The bytes of a constant. Packed types are as ours; strings are a count, the offsets of their ends after a 0, and
/// their bytes, all numbers as little-endian i32.
fn constant(tensor: &Tensor) -> Vec<u8> {
    let mut bytes = Vec::new();
    if tensor.element_type() != ElementType::String {
        tensor.write_bytes(&mut bytes);
        return bytes;
    }
    let strings = (0..tensor.len()).filter_map(|index| tensor.string(index));
    let strings: Vec<_> = strings.collect();
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

/// An operation as a layer, and its further inputs, which are constants; `None` if no layer does the same.
fn layer_of<'a>(operation: &Operation) -> Option<(Layer<'a>, Vec<Tensor>)> {
    let layer = |kind, set, data: &[(&'a str, &str)], constants: &[&[i64]]| {
        let data = data
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()));
        let layer = layer(kind, data.collect(), Vec::new());
        let constants = constants.iter().map(|values| list(values)).collect();
        (Layer { set, ..layer }, constants)
    };
    let first = |kind, data, constants| layer(kind, "opset1", data, constants);
    let broadcast: &[(&str, &str)] = &[("auto_broadcast", "numpy")];
    Some(match operation {
        // Its attributes come from the request.
        Operation::UnderTest => first("Reshape", &[], &[]),
        Operation::Reshape(target) => first("Reshape", &[("special_zero", "true")], &[target]),
        Operation::Transpose(order) => first("Transpose", &[], &[order]),
        Operation::Shape => layer("ShapeOf", "opset3", &[("output_type", "i64")], &[]),
        Operation::Gather(index) => {
            let scalars = [*index, 0].map(|value| list(&[value]).with_shape(Vec::new()));
            let (layer, _) = layer("Gather", "opset8", &[("batch_dims", "0")], &[]);
            (layer, scalars.to_vec())
        }
        Operation::Unsqueeze => first("Unsqueeze", &[], &[&[0]]),
        Operation::Slice(from, to) => {
            layer("Slice", "opset8", &[], &[&[*from], &[*to], &[1], &[0]])
        }
        Operation::Concat => first("Concat", &[("axis", "0")], &[]),
        Operation::Negative => first("Negative", &[], &[]),
        Operation::Sum(rank) | Operation::Least(rank) => {
            let axes: Vec<i64> = (0..).take(*rank).collect();
            let is_sum = matches!(operation, Operation::Sum(_));
            let kind = if is_sum { "ReduceSum" } else { "ReduceMin" };
            first(kind, &[("keep_dims", "false")], &[&axes])
        }
        Operation::Subtract => first("Subtract", broadcast, &[]),
        Operation::Add => first("Add", broadcast, &[]),
        Operation::Cast(to) => first(
            "Convert",
            &[("destination_type", Port::new(*to, &[], false)?.name)],
            &[],
        ),
        Operation::Identity
        | Operation::Nested(..)
        | Operation::Flatten
        | Operation::Quantise
        | Operation::Dequantise => return None,
    })
}
