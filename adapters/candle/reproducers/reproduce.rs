//! What candle's ONNX evaluator makes of a target, one fault a time: `cargo run --release --example reproduce CAUSE` in
//! adapters/candle (with PROTOC set as in adapter.yaml). Without the adapter.

use candle_core::{DType, Device, Tensor};
use candle_onnx::onnx::{AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto, ValueInfoProto};
use std::collections::HashMap;

/// Shows the output shape of f32 data, or what candle says. `element_type` is ONNX's number: 7 is i64, 6 is i32.
fn show(asked: &str, opset: i64, allowzero: Option<i64>, data: &[usize], (element_type, values): (i32, &[i64])) {
    let attribute = allowzero.map(|i| AttributeProto { name: "allowzero".into(), r#type: 2, i, ..Default::default() });
    let raw = |v: &i64| if element_type == 7 { v.to_le_bytes().to_vec() } else { (*v as i32).to_le_bytes().to_vec() };
    let constant = TensorProto {
        name: "shape".into(),
        data_type: element_type,
        dims: vec![values.len() as i64],
        raw_data: values.iter().flat_map(raw).collect(),
        ..Default::default()
    };
    let node = NodeProto {
        op_type: "Reshape".into(),
        input: vec!["data".into(), "shape".into()],
        output: vec!["out".into()],
        attribute: attribute.into_iter().collect(),
        ..Default::default()
    };
    let value = |name: &str| ValueInfoProto { name: name.into(), ..Default::default() };
    let graph = GraphProto {
        node: vec![node],
        initializer: vec![constant],
        input: vec![value("data")],
        output: vec![value("out")],
        ..Default::default()
    };
    let opset_import = vec![OperatorSetIdProto { domain: String::new(), version: opset }];
    let model = ModelProto { ir_version: 7, opset_import, graph: Some(graph), ..Default::default() };
    let data = Tensor::zeros(data, DType::F32, &Device::Cpu).expect("the data");
    match candle_onnx::simple_eval(&model, HashMap::from([("data".to_owned(), data)])) {
        Ok(outputs) => println!("reproduced: {asked} gives {:?}", outputs["out"].dims()),
        Err(error) => println!("not reproduced: {asked} is refused: {error}"),
    }
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("counts-wrap-in-64-bits") => {
            let of_2_to_the_64_and_6 = [2, 467443687, 39463029637];
            show("[2, 3] by dims of 2^64 + 6 elements", 13, None, &[2, 3], (7, &of_2_to_the_64_and_6));
        }
        Some("constant-target-of-i32") => show("[2, 3] by i32[3, 2]", 13, None, &[2, 3], (6, &[3, 2])),
        Some("allowzero-before-version-14") => {
            show("at opset 5, [3, 0] by [0, 7] with allowzero=1", 5, Some(1), &[3, 0], (7, &[0, 7]));
        }
        cause => panic!("there is no cause {cause:?}"),
    }
}
