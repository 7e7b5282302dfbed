//! What candle's ONNX evaluator makes of a target: `cargo run --release --example target` in adapters/candle (with PROTOC
//! set as in adapter.yaml). Without the adapter.

use candle_core::{DType, Device, Tensor};
use candle_onnx::onnx::{AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto, ValueInfoProto};
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;

/// Shows the output shape of f32 data, or what candle says. `element_type` is ONNX's number: 7 is i64, 6 is i32.
fn show(what: &str, opset: i64, allowzero: Option<i64>, data: &[usize], target: Option<(i32, &[i64])>) {
    let attribute = allowzero.map(|i| AttributeProto { name: "allowzero".into(), r#type: 2, i, ..Default::default() });
    let constant = target.map(|(element_type, values)| {
        let raw = |v: &i64| if element_type == 7 { v.to_le_bytes().to_vec() } else { (*v as i32).to_le_bytes().to_vec() };
        let raw_data = values.iter().flat_map(raw).collect();
        TensorProto {
            name: "shape".into(),
            data_type: element_type,
            dims: vec![values.len() as i64],
            raw_data,
            ..Default::default()
        }
    });
    let inputs = if target.is_some() { vec!["data".into(), "shape".into()] } else { vec!["data".into()] };
    let node = NodeProto {
        op_type: "Reshape".into(),
        input: inputs,
        output: vec!["out".into()],
        attribute: attribute.into_iter().collect(),
        ..Default::default()
    };
    let value = |name: &str| ValueInfoProto { name: name.into(), ..Default::default() };
    let graph = GraphProto {
        node: vec![node],
        initializer: constant.into_iter().collect(),
        input: vec![value("data")],
        output: vec![value("out")],
        ..Default::default()
    };
    let opset_import = vec![OperatorSetIdProto { domain: String::new(), version: opset }];
    let model = ModelProto { ir_version: 7, opset_import, graph: Some(graph), ..Default::default() };
    let data = Tensor::zeros(data, DType::F32, &Device::Cpu).expect("the data");
    let ran = std::panic::catch_unwind(AssertUnwindSafe(|| {
        candle_onnx::simple_eval(&model, HashMap::from([("data".to_owned(), data)]))
    }));
    match ran {
        Ok(Ok(outputs)) => println!("{what}: got {:?}", outputs["out"].dims()),
        Ok(Err(error)) => println!("{what}: refused: {}", error.to_string().lines().next().unwrap_or_default()),
        Err(_) => println!("{what}: panicked"),
    }
}

fn main() {
    show("[2, 3] to dims of 2^64 + 6 elements, to be refused", 13, None, &[2, 3], Some((7, &[2, 467443687, 39463029637])));
    show("[2, 3] without a target, to be refused", 13, None, &[2, 3], None);
    show("[2, 3] to i32[3, 2], to be refused", 13, None, &[2, 3], Some((6, &[3, 2])));
    show("[3, 0] to [0, 7] at opset 5 with allowzero, not to be honoured", 5, Some(1), &[3, 0], Some((7, &[0, 7])));
}
