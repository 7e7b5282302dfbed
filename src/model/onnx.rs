//! A request as an ONNX model: graph inputs `data` and, for a runtime target, `shape`; output `reshaped`.

mod attribute;
mod proto;
#[cfg(test)]
mod tests;

use crate::spec::operator::{Binding, TargetSource};
use crate::spec::request::{Request, Target};
use crate::tensor::ElementType;
use attribute::{attribute, target_attribute};
use prost::Message;
use proto::{
    Dimension, Graph, Model, Node, OperatorSet, Shape, TensorProto, TensorType, Type, ValueInfo,
};

/// The bytes of a ModelProto with one Reshape node, exactly as the request describes it, well-formed or not.
///
/// The output's shape is not declared: a backend has to find it.
pub(crate) fn model(request: &Request, binding: Binding) -> Vec<u8> {
    let opset = request.operator.version;
    let model = Model {
        ir_version: Some(ir_version(opset)),
        producer_name: env!("CARGO_PKG_NAME").to_owned(),
        producer_version: env!("CARGO_PKG_VERSION").to_owned(),
        graph: Some(graph(request, binding)),
        opset_import: vec![OperatorSet {
            domain: Some(String::new()),
            version: Some(i64::from(opset)),
        }],
    };
    model.encode_to_vec()
}

fn graph(request: &Request, binding: Binding) -> Graph {
    let dims = declared(&request.data_shape, binding.dynamic());
    let mut graph = Graph {
        name: "reshape".to_owned(),
        input: vec![value_info("data", request.element_type, Some(dims))],
        output: vec![value_info("reshaped", request.element_type, None)],
        ..Graph::default()
    };
    let attributes = request.attributes.iter();
    let mut node = Node {
        input: vec!["data".to_owned()],
        output: vec!["reshaped".to_owned()],
        name: "reshape".to_owned(),
        op_type: "Reshape".to_owned(),
        attribute: attributes
            .map(|(name, value)| attribute(name, value))
            .collect(),
    };
    if let Some(target) = &request.target {
        // How many values a target has is always declared.
        let dims = declared(&target.dims, false);
        let input = value_info("shape", target.element_type, Some(dims));
        let source = binding.source();
        match source {
            TargetSource::Attribute => node.attribute.push(target_attribute(target)),
            TargetSource::Constant => graph.initializer.push(initializer(target)),
            TargetSource::Runtime => graph.input.push(input),
        }
        if source != TargetSource::Attribute {
            node.input.push("shape".to_owned());
        }
    }
    graph.node.push(node);
    graph
}

/// The IR version that was current when the opset came out (`onnx.helper.VERSION_TABLE`), the oldest that every
/// runtime with that opset reads, but at least 4: before it, every initializer is a graph input too, whose value the
/// caller may replace, and so no constant. No operator of ours needs more than 13.
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
    let dimension = |(index, length): (usize, &u64)| {
        if dynamic {
            return Dimension {
                dim_value: None,
                dim_param: Some(format!("d{index}")),
            };
        }
        // Dims are at most 2^63-1.
        Dimension {
            dim_value: Some(length.cast_signed()),
            dim_param: None,
        }
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

fn initializer(target: &Target) -> TensorProto {
    let tensor = target.tensor();
    let mut proto = TensorProto {
        dims: tensor.shape().iter().map(|dim| dim.cast_signed()).collect(),
        data_type: Some(tensor.element_type().onnx_number()),
        name: "shape".to_owned(),
        ..TensorProto::default()
    };
    if tensor.element_type() == ElementType::String {
        // Strings are the one type that raw_data cannot hold.
        proto.string_data = (0..tensor.len())
            .filter_map(|index| tensor.string(index))
            .map(<[u8]>::to_vec)
            .collect();
    } else {
        let mut bytes = Vec::new();
        tensor.write_bytes(&mut bytes);
        proto.raw_data = Some(bytes);
    }
    proto
}
