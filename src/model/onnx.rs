//! A request as an ONNX model: graph inputs `data` and, for a runtime target, `shape`; output `reshaped`.

mod proto;

use crate::spec::operator::{Binding, TargetSource};
use crate::spec::request::{AttributeValue, Request, Target};
use crate::tensor::ElementType;
use prost::Message;
use proto::{
    Attribute, Dimension, Graph, Model, Node, OperatorSet, Shape, TensorProto, TensorType, Type,
    ValueInfo, kind,
};

/// The bytes of a ModelProto with one Reshape node, as the request says it, well-formed or not.
///
/// The output's shape is not declared: what it should be is the question.
pub(crate) fn model(request: &Request, binding: Binding) -> Vec<u8> {
    let opset = request.operator.version;
    let ir_version = ir_version(opset);
    let dims = declared(&request.data_shape, binding.dynamic());
    let mut graph = Graph {
        name: "reshape".to_owned(),
        input: vec![value_info("data", request.element_type, Some(dims))],
        output: vec![value_info("reshaped", request.element_type, None)],
        ..Graph::default()
    };
    let mut node = Node {
        input: vec!["data".to_owned()],
        output: vec!["reshaped".to_owned()],
        name: "reshape".to_owned(),
        op_type: "Reshape".to_owned(),
        attribute: request
            .attributes
            .iter()
            .map(|(name, value)| attribute(name, value))
            .collect(),
    };
    if let Some(target) = &request.target {
        // How many values a target has is always declared.
        let input = value_info(
            "shape",
            target.element_type,
            Some(declared(&target.dims, false)),
        );
        match binding.source() {
            TargetSource::Attribute => node.attribute.push(target_attribute(target)),
            TargetSource::Constant => {
                node.input.push("shape".to_owned());
                graph.initializer.push(initializer(target));
                if ir_version < FIRST_IR_WITH_BARE_INITIALIZERS {
                    graph.input.push(input);
                }
            }
            TargetSource::Runtime => {
                node.input.push("shape".to_owned());
                graph.input.push(input);
            }
        }
    }
    graph.node.push(node);
    let model = Model {
        ir_version: Some(ir_version),
        producer_name: env!("CARGO_PKG_NAME").to_owned(),
        producer_version: env!("CARGO_PKG_VERSION").to_owned(),
        graph: Some(graph),
        opset_import: vec![OperatorSet {
            domain: Some(String::new()),
            version: Some(i64::from(opset)),
        }],
    };
    model.encode_to_vec()
}

/// From this IR version on, an initializer need not be a graph input as well.
const FIRST_IR_WITH_BARE_INITIALIZERS: i64 = 4;

/// The IR version that was current when the opset came out (`onnx.helper.VERSION_TABLE`), the oldest that every
/// runtime with that opset reads. No operator of ours needs more than 13.
const fn ir_version(opset: u32) -> i64 {
    match opset {
        0..=8 => 3,
        9 => 4,
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

/// ONNX-1's `shape`. A list is flat there, and an integer has no type but i64: a nested list loses its nesting, and a
/// value beyond i64 keeps its bits.
fn target_attribute(target: &Target) -> Attribute {
    let named = Attribute {
        name: "shape".to_owned(),
        ..Attribute::default()
    };
    let ints = || target.values.iter().map(|value| *value as i64);
    let text = || {
        target
            .values
            .iter()
            .map(|value| value.to_string().into_bytes())
    };
    let floats = || target.values.iter().map(|value| *value as f32);
    let bare = target.dims.is_empty();
    match (target.element_type, bare) {
        (ElementType::String, true) => Attribute {
            s: text().next(),
            r#type: kind::STRING,
            ..named
        },
        (ElementType::String, false) => Attribute {
            strings: text().collect(),
            r#type: kind::STRINGS,
            ..named
        },
        (other, true) if !other.is_integer() => Attribute {
            f: floats().next(),
            r#type: kind::FLOAT,
            ..named
        },
        (other, false) if !other.is_integer() => Attribute {
            floats: floats().collect(),
            r#type: kind::FLOATS,
            ..named
        },
        (_, true) => Attribute {
            i: ints().next(),
            r#type: kind::INT,
            ..named
        },
        (_, false) => Attribute {
            ints: ints().collect(),
            r#type: kind::INTS,
            ..named
        },
    }
}

fn attribute(name: &str, value: &AttributeValue) -> Attribute {
    let named = Attribute {
        name: name.to_owned(),
        ..Attribute::default()
    };
    match value {
        // ONNX has no booleans: its flags are 0 and 1.
        AttributeValue::Bool(value) => Attribute {
            i: Some(i64::from(*value)),
            r#type: kind::INT,
            ..named
        },
        AttributeValue::Int(value) => Attribute {
            i: Some(*value),
            r#type: kind::INT,
            ..named
        },
        AttributeValue::Float(value) => Attribute {
            f: Some(*value as f32),
            r#type: kind::FLOAT,
            ..named
        },
        AttributeValue::String(value) => Attribute {
            s: Some(value.clone().into_bytes()),
            r#type: kind::STRING,
            ..named
        },
        AttributeValue::Ints(values) => Attribute {
            ints: values.clone(),
            r#type: kind::INTS,
            ..named
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::operator::Operator;
    use crate::spec::request::Attributes;

    fn request(operator: &str, target: Option<Target>) -> Request {
        Request {
            operator: Operator::named(operator).expect("an operator of that name"),
            element_type: ElementType::F32,
            data_shape: vec![2, 0, 3],
            target,
            attributes: Attributes::new(),
        }
    }

    fn decoded(request: &Request, binding: Binding) -> (Model, Graph, Node) {
        let model =
            Model::decode(model(request, binding).as_slice()).expect("our own bytes decode");
        let graph = model.graph.clone().expect("a graph");
        let node = graph.node.first().cloned().expect("a node");
        (model, graph, node)
    }

    fn dims(value: &ValueInfo) -> Option<Vec<Dimension>> {
        Some(value.r#type.clone()?.tensor_type?.shape?.dim)
    }

    #[test]
    fn a_constant_target_is_an_initializer_with_its_own_type_and_dims() {
        let target = Target {
            element_type: ElementType::I32,
            ..Target::list([0, -1])
        };
        let (model, graph, node) = decoded(
            &request("onnx.Reshape-14", Some(target)),
            Binding::ConstantStatic,
        );
        assert_eq!(model.ir_version, Some(7));
        assert_eq!(
            model.opset_import[0],
            OperatorSet {
                domain: Some(String::new()),
                version: Some(14)
            }
        );
        assert_eq!(node.input, ["data", "shape"]);
        assert_eq!(
            (node.op_type.as_str(), node.attribute.len()),
            ("Reshape", 0)
        );
        assert_eq!(
            graph.input.len(),
            1,
            "IR 4 and later leave initializers out of the inputs"
        );
        let initializer = &graph.initializer[0];
        assert_eq!(
            (initializer.data_type, &*initializer.dims),
            (Some(6), &[2][..])
        );
        assert_eq!(
            initializer.raw_data.as_deref(),
            Some(&[0, 0, 0, 0, 255, 255, 255, 255][..])
        );
        let lengths: Vec<_> = dims(&graph.input[0])
            .expect("declared")
            .iter()
            .map(|dim| dim.dim_value)
            .collect();
        assert_eq!(
            lengths,
            [Some(2), Some(0), Some(3)],
            "a length of 0 is there, not absent"
        );
        assert_eq!(dims(&graph.output[0]), None);
    }

    #[test]
    fn before_ir_4_an_initializer_is_a_graph_input_too() {
        let (model, graph, _) = decoded(
            &request("onnx.Reshape-5", Some(Target::list([6]))),
            Binding::ConstantDynamic,
        );
        assert_eq!(model.ir_version, Some(3));
        assert_eq!(
            (
                graph.input[1].name.as_str(),
                graph.initializer[0].name.as_str()
            ),
            ("shape", "shape")
        );
        assert_eq!(
            dims(&graph.input[1]),
            Some(vec![Dimension {
                dim_value: Some(1),
                dim_param: None
            }])
        );
    }

    #[test]
    fn dynamic_dims_have_a_name_each() {
        let request = request("onnx.Reshape-21", Some(Target::list([0, -1])));
        let (_, graph, _) = decoded(&request, Binding::RuntimeDynamic);
        let all: Vec<_> = graph
            .input
            .iter()
            .filter_map(dims)
            .flatten()
            .filter_map(|dim| dim.dim_param)
            .collect();
        assert_eq!(all, ["d0", "d1", "d2"]);
        assert!(graph.initializer.is_empty());
        let (_, graph, _) = decoded(&request, Binding::RuntimeStatic);
        assert_eq!(
            dims(&graph.input[1]),
            Some(vec![Dimension {
                dim_value: Some(2),
                dim_param: None
            }])
        );
    }

    #[test]
    fn a_target_attribute_is_as_malformed_as_the_request() {
        let shape = |target: Option<Target>| {
            let (_, _, node) =
                decoded(&request("onnx.Reshape-1", target), Binding::AttributeStatic);
            assert_eq!(node.input, ["data"]);
            node.attribute
        };
        assert_eq!(shape(None), []);
        let list = &shape(Some(Target::list([0, -1])))[0];
        assert_eq!(
            (list.name.as_str(), list.r#type, &*list.ints, list.i),
            ("shape", kind::INTS, &[0, -1][..], None)
        );
        let bare = &shape(Some(Target {
            dims: vec![],
            ..Target::list([0])
        }))[0];
        assert_eq!(
            (bare.r#type, bare.i, bare.ints.len()),
            (kind::INT, Some(0), 0)
        );
        let floats = &shape(Some(Target {
            element_type: ElementType::F32,
            ..Target::list([6])
        }))[0];
        assert_eq!((floats.r#type, &*floats.floats), (kind::FLOATS, &[6.0][..]));
        let strings = &shape(Some(Target {
            element_type: ElementType::String,
            ..Target::list([6])
        }))[0];
        assert_eq!(
            (strings.r#type, &*strings.strings),
            (kind::STRINGS, &[b"6".to_vec()][..])
        );
    }

    #[test]
    fn a_string_target_is_string_data() {
        let target = Target {
            element_type: ElementType::String,
            ..Target::list([6, -1])
        };
        let (_, graph, _) = decoded(
            &request("onnx.Reshape-14", Some(target)),
            Binding::ConstantStatic,
        );
        let initializer = &graph.initializer[0];
        assert_eq!(
            (initializer.raw_data.as_ref(), initializer.string_data.len()),
            (None, 2)
        );
        assert_eq!(initializer.string_data[1], b"-1");
    }

    #[test]
    fn a_missing_target_leaves_one_input() {
        for binding in [Binding::ConstantStatic, Binding::RuntimeStatic] {
            let (_, graph, node) = decoded(&request("onnx.Reshape-25", None), binding);
            assert_eq!(
                (node.input, graph.input.len(), graph.initializer.len()),
                (vec!["data".to_owned()], 1, 0)
            );
        }
    }

    #[test]
    fn attributes_keep_their_type() {
        let mut request = request("onnx.Reshape-14", Some(Target::list([6])));
        let values = [
            ("a", AttributeValue::Bool(true)),
            ("b", AttributeValue::Int(0)),
            ("c", AttributeValue::Float(0.0)),
            ("d", AttributeValue::String(String::new())),
            ("e", AttributeValue::Ints(vec![1, -1])),
        ];
        request.attributes = values.map(|(name, value)| (name.to_owned(), value)).into();
        let (_, _, node) = decoded(&request, Binding::ConstantStatic);
        let types: Vec<_> = node
            .attribute
            .iter()
            .map(|attribute| attribute.r#type)
            .collect();
        assert_eq!(
            types,
            [kind::INT, kind::INT, kind::FLOAT, kind::STRING, kind::INTS]
        );
        assert_eq!(
            (
                node.attribute[0].i,
                node.attribute[1].i,
                node.attribute[2].f
            ),
            (Some(1), Some(0), Some(0.0))
        );
        assert_eq!(
            (node.attribute[3].s.as_deref(), &*node.attribute[4].ints),
            (Some(&b""[..]), &[1, -1][..])
        );
    }

    #[test]
    fn element_types_have_numbers_of_their_own() {
        let mut numbers: Vec<_> = ElementType::ALL
            .iter()
            .map(|element_type| element_type.onnx_number())
            .collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=26).collect::<Vec<_>>());
    }
}
