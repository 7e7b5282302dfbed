//! What tract makes of a target, one fault a time: `cargo run --release --example reproduce CAUSE` in adapters/tract. Without
//! the adapter: the model is made of tract's own protobuf messages.

use tract_onnx::pb::{AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto, TensorShapeProto};
use tract_onnx::pb::{TypeProto, ValueInfoProto, attribute_proto, tensor_shape_proto, type_proto};
use tract_onnx::prelude::*;

/// The output shape for f32 data of this shape, or what tract says. `element_type` is ONNX's number: 7 is i64, 6 is i32, 9 is bool.
fn reshaped(opset: i64, allowzero: Option<i64>, data: &[usize], element_type: i32, target: &[i64]) -> TractResult<Vec<usize>> {
    let dim = |n: &usize| tensor_shape_proto::Dimension {
        value: Some(tensor_shape_proto::dimension::Value::DimValue(*n as i64)),
        ..Default::default()
    };
    let shape = TensorShapeProto { dim: data.iter().map(dim).collect() };
    let tensor = type_proto::Tensor { elem_type: 1, shape: Some(shape) };
    let typed = TypeProto { value: Some(type_proto::Value::TensorType(tensor)), ..Default::default() };
    let raw_data = target
        .iter()
        .flat_map(|v| match element_type {
            7 => v.to_le_bytes().to_vec(),
            9 => vec![*v as u8],
            _ => (*v as i32).to_le_bytes().to_vec(),
        })
        .collect();
    let constant = TensorProto {
        name: "shape".into(),
        data_type: element_type,
        dims: vec![target.len() as i64],
        raw_data,
        ..Default::default()
    };
    let attribute = allowzero.map(|i| AttributeProto {
        name: "allowzero".into(),
        r#type: attribute_proto::AttributeType::Int as i32,
        i,
        ..Default::default()
    });
    let node = NodeProto {
        op_type: "Reshape".into(),
        input: vec!["data".into(), "shape".into()],
        output: vec!["out".into()],
        attribute: attribute.into_iter().collect(),
        ..Default::default()
    };
    let graph = GraphProto {
        node: vec![node],
        initializer: vec![constant],
        input: vec![ValueInfoProto { name: "data".into(), r#type: Some(typed), ..Default::default() }],
        output: vec![ValueInfoProto { name: "out".into(), ..Default::default() }],
        ..Default::default()
    };
    let opset_import = vec![OperatorSetIdProto { domain: String::new(), version: opset }];
    let model = ModelProto { ir_version: 7, opset_import, graph: Some(graph), ..Default::default() };
    let plan = tract_onnx::onnx().model_for_proto_model(&model)?.into_optimized()?.into_runnable()?;
    let out = plan.run(tvec!(Tensor::zero::<f32>(data)?.into()))?;
    Ok(out[0].shape().to_vec())
}

fn main() {
    // What is asked, and the answer.
    let (asked, answer) = match std::env::args().nth(1).as_deref() {
        Some("target-in-32-bits") => ("[2, 3] by [2^32 + 6]", reshaped(13, None, &[2, 3], 7, &[(1 << 32) + 6])),
        Some("target-of-any-number-type") => {
            let by_bool = reshaped(13, None, &[1], 9, &[1, 1]);
            ("[1] by bool[1, 1], as [2, 3] by i32[3, 2],", reshaped(13, None, &[2, 3], 6, &[3, 2]).and(by_bool))
        }
        Some("allowzero-before-version-14") => {
            ("at opset 5, [3, 0] by [0, 7] with allowzero=1", reshaped(5, Some(1), &[3, 0], 7, &[0, 7]))
        }
        cause => panic!("there is no cause {cause:?}"),
    };
    match answer {
        Ok(got) => println!("reproduced: {asked} gives {got:?}"),
        Err(refusal) => println!("not reproduced: {asked} is refused: {}", refusal.root_cause()),
    }
}
