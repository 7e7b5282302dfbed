//! A request as an ONNX model, and the requests of the Reshape nodes of any ONNX model. The graph inputs are `data`
//! and, for a runtime target, `shape`; the output is `reshaped`.

mod around;
mod fold;
mod proto;
mod read;
mod shapes;
mod value;

use super::graph::{self, Body, BodyValue, Input, Nesting, Operation, list, scalar};
use crate::semantics::operator::{Binding, TargetSource};
use crate::semantics::request::{AttributeValue, Request, Target};
use crate::tensor::{ElementType, Tensor};
use prost::Message;
use proto::{
    Attribute, Dimension, Function, Graph, Model, Node, OperatorSet, Shape, TensorProto,
    TensorType, Type, ValueInfo, kind,
};
pub(crate) use read::{Run, read, read_tensor};

/// The domain of the model's only function.
const LOCAL: &str = "local";
const FUNCTION: &str = "Reshaped";

/// The bytes of a ModelProto with one Reshape node, exactly as the request describes it, well-formed or not.
pub(crate) fn model(request: &Request, binding: Binding) -> Vec<u8> {
    write(&graph::Graph::lone(request, binding), request, binding)
}

/// The bytes of a ModelProto with this graph around the request's node.
pub(crate) fn write(graph: &graph::Graph, request: &Request, binding: Binding) -> Vec<u8> {
    let opset = request.operator.version;
    let import = |domain: &str, version: u32| OperatorSet {
        domain: Some(domain.to_owned()),
        version: Some(i64::from(version)),
    };
    let functions = graph.nodes.iter().filter_map(|node| {
        let Operation::Nested(Nesting::Function, bodies) = &node.operation else {
            return None;
        };
        let body = body_proto(bodies.first()?, request, binding);
        let names = |of: Vec<ValueInfo>| of.into_iter().map(|value| value.name).collect();
        Some(Function {
            name: FUNCTION.to_owned(),
            input: names(body.input),
            output: names(body.output),
            node: body.node,
            opset_import: vec![import("", opset)],
            domain: LOCAL.to_owned(),
        })
    });
    let functions: Vec<_> = functions.collect();
    let local = functions.iter().map(|_| import(LOCAL, 1));
    let model = Model {
        ir_version: Some(ir_version(opset)),
        producer_name: env!("CARGO_PKG_NAME").to_owned(),
        producer_version: env!("CARGO_PKG_VERSION").to_owned(),
        graph: Some(graph_proto(graph, request, binding)),
        opset_import: std::iter::once(import("", opset)).chain(local).collect(),
        functions,
    };
    model.encode_to_vec()
}

/// The bytes of a TensorProto: a file of a node test's data.
pub(crate) fn tensor(name: &str, tensor: &Tensor) -> Vec<u8> {
    initializer(name, tensor).encode_to_vec()
}

fn graph_proto(graph: &graph::Graph, request: &Request, binding: Binding) -> Graph {
    let input = |of: &Input| {
        let dims = declared(&of.dims, of.dynamic);
        value_info(of.name, of.element_type, Some(dims))
    };
    let output = match &graph.declared {
        Some(dims) => declared(dims, false),
        // The format requires the rank of an output, even of a malformed node.
        None => vec![Dimension::default(); request.values().len()],
    };
    let mut proto = Graph {
        name: "reshape".to_owned(),
        input: graph.inputs.iter().map(input).collect(),
        output: vec![value_info(
            graph::OUTPUT,
            request.element_type,
            Some(output),
        )],
        ..Graph::default()
    };
    let constants = graph.constants.iter();
    let initializer = match graph.typed_fields {
        true => typed_initializer,
        false => initializer,
    };
    let constants = constants.map(|(name, tensor)| initializer(name, tensor));
    proto.initializer = constants.collect();
    proto.add_nodes(&graph.nodes, request, binding);
    proto
}

/// A body, which declares the dims of its scalars only.
fn body_proto(body: &Body, request: &Request, binding: Binding) -> Graph {
    let value = |(name, of, scalar): &BodyValue| value_info(name, *of, scalar.then(Vec::new));
    let declared = |values: &[BodyValue]| values.iter().map(value).collect();
    let mut proto = Graph {
        name: "body".to_owned(),
        input: declared(&body.inputs),
        output: declared(&body.outputs),
        ..Graph::default()
    };
    proto.add_nodes(&body.nodes, request, binding);
    proto
}

impl Graph {
    fn add_nodes(&mut self, nodes: &[graph::Node], request: &Request, binding: Binding) {
        for node in nodes {
            let Parts {
                kind,
                mut attributes,
                constants,
            } = parts(&node.operation, request, binding);
            let mut input = node.inputs.clone();
            for (index, constant) in constants.iter().enumerate() {
                let name = format!("{}_constant_{index}", node.output);
                self.initializer.push(initializer(&name, constant));
                input.push(name);
            }
            if let Operation::Nested(nesting, bodies) = &node.operation {
                let named = nested(*nesting).1.iter().zip(bodies);
                attributes.extend(named.map(|(name, body)| Attribute {
                    name: (*name).to_owned(),
                    g: Some(Box::new(body_proto(body, request, binding))),
                    r#type: kind::GRAPH,
                    ..Attribute::default()
                }));
            }
            let is_output = node.output == graph::OUTPUT;
            self.node.push(Node {
                input,
                output: vec![node.output.clone()],
                name: if is_output { "reshape" } else { &node.output }.to_owned(),
                op_type: kind.to_owned(),
                attribute: attributes,
                domain: if kind == FUNCTION { LOCAL } else { "" }.to_owned(),
            });
        }
    }
}

/// The kind of a node with bodies, and the attributes that hold them.
const fn nested(nesting: Nesting) -> (&'static str, &'static [&'static str]) {
    match nesting {
        Nesting::Branches => ("If", &["then_branch", "else_branch"]),
        Nesting::Loop => ("Loop", &["body"]),
        Nesting::Function => (FUNCTION, &[]),
    }
}

/// The IR version that was current when the opset came out (`onnx.helper.VERSION_TABLE`): the oldest that every runtime
/// with that opset reads. It is at least 4. Before 4, every initializer is also a graph input, so the caller may
/// replace its value and it is no constant. Our operators need at most 13.
const fn ir_version(opset: u32) -> i64 {
    match opset {
        0..=9 => 4,
        10 => 5,
        11 => 6,
        12..=14 => 7,
        15..=18 => 8,
        19..=20 => 9,
        21..=22 => 10,
        23 => 11,
        24 => 12,
        _ => 13,
    }
}

/// Dims as the binding declares them: their lengths, or a name each.
fn declared(dims: &[u64], dynamic: bool) -> Vec<Dimension> {
    let dimension = |(index, length): (usize, &u64)| Dimension {
        // Dims are at most 2^63-1.
        dim_value: (!dynamic).then_some(length.cast_signed()),
        dim_param: dynamic.then(|| format!("d{index}")),
    };
    dims.iter().enumerate().map(dimension).collect()
}

fn value_info(name: &str, element_type: ElementType, dims: Option<Vec<Dimension>>) -> ValueInfo {
    let tensor = TensorType {
        elem_type: Some(element_type.onnx_number()),
        shape: dims.map(|dim| Shape { dim }),
    };
    ValueInfo {
        name: name.to_owned(),
        r#type: Some(Type {
            tensor_type: Some(tensor),
        }),
    }
}

fn initializer(name: &str, tensor: &Tensor) -> TensorProto {
    let mut proto = TensorProto {
        dims: tensor.shape().iter().map(|dim| dim.cast_signed()).collect(),
        data_type: Some(tensor.element_type().onnx_number()),
        name: name.to_owned(),
        ..TensorProto::default()
    };
    if tensor.element_type() == ElementType::String {
        // Strings are the only type that raw_data cannot hold.
        let strings = (0..tensor.len()).filter_map(|index| tensor.string(index));
        proto.string_data = strings.map(<[u8]>::to_vec).collect();
    } else {
        let mut bytes = Vec::new();
        tensor.write_bytes(&mut bytes);
        proto.raw_data = Some(bytes);
    }
    proto
}

/// An initializer with its elements in the field of their type; as bytes, if there is no such field here.
fn typed_initializer(name: &str, tensor: &Tensor) -> TensorProto {
    let mut proto = initializer(name, tensor);
    let integers = (0..tensor.len()).filter_map(|index| tensor.integer(index));
    let bits = (0..tensor.len()).filter_map(|index| tensor.bits(index));
    let floats = bits.map(|bits| bits as u64);
    let element_type = tensor.element_type();
    if element_type == ElementType::F32 {
        proto.float_data = floats.map(|bits| f32::from_bits(bits as u32)).collect();
    } else if element_type == ElementType::F64 {
        proto.double_data = floats.map(f64::from_bits).collect();
    } else if element_type == ElementType::I32 {
        proto.int32_data = integers.map(|value| value as i32).collect();
    } else if element_type == ElementType::I64 {
        proto.int64_data = integers.map(|value| value as i64).collect();
    } else {
        return proto;
    }
    proto.raw_data = None;
    proto
}

/// A node without the names of its inputs and output.
struct Parts {
    kind: &'static str,
    attributes: Vec<Attribute>,
    /// Its further inputs, which are constants.
    constants: Vec<Tensor>,
}

/// An operation in the request's opset. What is an attribute in old versions of operators is an input in later ones.
fn parts(operation: &Operation, request: &Request, binding: Binding) -> Parts {
    let opset = request.operator.version;
    let node = |kind, attributes: &[(&str, &[i64])], constants: &[&[i64]]| Parts {
        kind,
        attributes: attributes
            .iter()
            .map(|(name, values)| attribute(name, &AttributeValue::Ints(values.to_vec())))
            .collect(),
        constants: constants.iter().map(|values| list(values)).collect(),
    };
    let flagged = |kind, name, value| Parts {
        attributes: vec![attribute(name, &AttributeValue::Int(value))],
        ..node(kind, &[], &[])
    };
    let scaled = |kind| Parts {
        constants: vec![
            scalar(ElementType::F32, 1_f32.to_bits()),
            scalar(ElementType::I8, 0),
        ],
        ..node(kind, &[], &[])
    };
    match operation {
        Operation::UnderTest => {
            let target = request.target.as_ref();
            let target = target.filter(|_| binding.source() == TargetSource::Attribute);
            let attributes = request.attributes.iter();
            let attributes = attributes.map(|(name, value)| attribute(name, value));
            Parts {
                attributes: attributes.chain(target.map(target_attribute)).collect(),
                ..node("Reshape", &[], &[])
            }
        }
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
        Operation::Concat => flagged("Concat", "axis", 0),
        Operation::Negative => node("Neg", &[], &[]),
        Operation::Sum(_) => flagged("ReduceSum", "keepdims", 0),
        Operation::Least(_) => flagged("ReduceMin", "keepdims", 0),
        Operation::Subtract => node("Sub", &[], &[]),
        Operation::Add => node("Add", &[], &[]),
        Operation::Cast(to) => flagged("Cast", "to", i64::from(to.onnx_number())),
        Operation::Identity => node("Identity", &[], &[]),
        Operation::Nested(nesting, _) => node(nested(*nesting).0, &[], &[]),
        // Its axis is 1.
        Operation::Flatten => node("Flatten", &[], &[]),
        Operation::Quantise => scaled("QuantizeLinear"),
        Operation::Dequantise => scaled("DequantizeLinear"),
    }
}

/// The attribute `shape` of ONNX Reshape-1: an integer, or a flat list. A nested list loses its nesting, and a value
/// beyond i64 keeps its low 64 bits.
fn target_attribute(target: &Target) -> Attribute {
    let mut values = target.values.iter().map(|value| *value as i64);
    let value = match target.dims.is_empty() {
        true => AttributeValue::Int(values.next().unwrap_or_default()),
        false => AttributeValue::Ints(values.collect()),
    };
    attribute("shape", &value)
}

/// An attribute of a node, in the type that its value has.
fn attribute(name: &str, value: &AttributeValue) -> Attribute {
    let mut of = Attribute {
        name: name.to_owned(),
        ..Attribute::default()
    };
    match value {
        // ONNX has no booleans: its flags are 0 and 1.
        AttributeValue::Bool(set) => (of.r#type, of.i) = (kind::INT, Some(i64::from(*set))),
        AttributeValue::Int(value) => (of.r#type, of.i) = (kind::INT, Some(*value)),
        AttributeValue::Float(value) => (of.r#type, of.f) = (kind::FLOAT, Some(*value as f32)),
        AttributeValue::String(text) => {
            (of.r#type, of.s) = (kind::STRING, Some(text.clone().into()))
        }
        AttributeValue::Ints(values) => (of.r#type, of.ints) = (kind::INTS, values.clone()),
    }
    of
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::found::External;
    use crate::semantics::operator::Operator;

    #[test]
    fn mutated_onnx_models_are_read_or_refused() {
        let request = |operator, target: &[i64]| {
            let operator = Operator::named(operator).expect("an operator of that name");
            Request::plain(operator, &[2, 0, 3], target)
        };
        let list = request("onnx.Reshape-14", &[0, -1]);
        let models = [
            model(&list, Binding::ConstantStatic),
            model(&list, Binding::RuntimeDynamic),
            model(&request("onnx.Reshape-1", &[6]), Binding::AttributeStatic),
            tensor("data", &Target::list([1, 2, 3]).tensor()),
        ];
        let corpus: Vec<&[u8]> = models.iter().map(Vec::as_slice).collect();
        crate::mutations::of(&corpus, |bytes| {
            let read_external = |of: External<'_>| match of.length {
                ..64 => Ok(vec![0; usize::try_from(of.length).unwrap_or(0)]),
                _ => Err("too long".to_owned()),
            };
            let mut run = Run::default();
            run.inputs.extend(read_tensor(bytes, &read_external));
            run.outputs.extend(read_tensor(&models[3], &read_external));
            crate::mutations::resolve_all(read(bytes, &run, &read_external));
        });
    }
}
