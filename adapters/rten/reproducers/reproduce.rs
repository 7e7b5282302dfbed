//! What RTen makes of a target, one fault a time: `cargo run --release --example reproduce CAUSE` in adapters/rten. Without
//! the adapter: the model's few protobuf fields are written here.

use rten::{Model, Value};
use rten_tensor::prelude::*;

fn varint(number: u64) -> Vec<u8> {
    if number < 128 { vec![number as u8] } else { [vec![number as u8 | 128], varint(number >> 7)].concat() }
}

fn int(field: u64, number: i64) -> Vec<u8> {
    [varint(field << 3), varint(number as u64)].concat()
}

fn bytes(field: u64, content: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(content.len() as u64), content.to_vec()].concat()
}

/// The output shape of a Reshape of f32 data, or what RTen says. `attribute` is a whole AttributeProto; the constant
/// target is of ONNX's type 7 (i64) or 6 (i32), or not there.
fn reshaped(opset: i64, attribute: &[u8], data: &[usize], target: Option<(i64, &[i64])>) -> Result<Vec<usize>, String> {
    let mut node = [bytes(1, b"data"), bytes(2, b"out"), bytes(4, b"Reshape")].concat();
    let mut graph = Vec::new();
    if !attribute.is_empty() {
        node.extend(bytes(5, attribute));
    }
    if let Some((element_type, values)) = target {
        let raw: Vec<u8> = values
            .iter()
            .flat_map(|v| if element_type == 7 { v.to_le_bytes().to_vec() } else { (*v as i32).to_le_bytes().to_vec() })
            .collect();
        let constant = [int(1, values.len() as i64), int(2, element_type), bytes(8, b"shape"), bytes(9, &raw)].concat();
        node.splice(bytes(1, b"data").len()..bytes(1, b"data").len(), bytes(1, b"shape"));
        graph.extend(bytes(5, &constant));
    }
    let value = |name: &[u8]| [bytes(1, name), bytes(2, &bytes(1, &int(1, 1)))].concat();
    graph.extend([bytes(1, &node), bytes(2, b"g"), bytes(11, &value(b"data")), bytes(12, &value(b"out"))].concat());
    let model = [int(1, 7), bytes(7, &graph), bytes(8, &int(2, opset))].concat();
    let model = Model::load(model).map_err(|error| error.to_string())?;
    let elements = vec![0f32; data.iter().product()];
    let data = Value::from_shape(data.to_vec(), elements).map_err(|error| error.to_string())?;
    let (input, output) = (model.input_ids()[0], model.output_ids()[0]);
    let outputs = model.run(vec![(input, data.into())], &[output], None).map_err(|error| error.to_string())?;
    Ok(outputs[0].shape().to_vec())
}

fn main() {
    let allowzero = |value: &[u8], kind: i64| [bytes(1, b"allowzero"), value.to_vec(), int(20, kind)].concat();
    let one = allowzero(&int(3, 1), 2);
    let a_float = allowzero(&[[0x15].to_vec(), 1f32.to_le_bytes().to_vec()].concat(), 1);
    let shape = [bytes(1, b"shape"), int(8, 3), int(8, 2), int(20, 7)].concat();
    let past = (1 << 32) + 2;
    // What is asked, the answer, and the shape that it should be, if any.
    let (asked, answer, right) = match std::env::args().nth(1).as_deref() {
        Some("constant-target-in-32-bits") => (
            "[0] by [0, 2^32 + 2] with allowzero=1",
            reshaped(14, &one, &[0], Some((7, &[0, past]))),
            Some(vec![0, past as usize]),
        ),
        Some("target-of-i32") => ("[2, 3] by i32[3, 2]", reshaped(13, &[], &[2, 3], Some((6, &[3, 2]))), None),
        Some("allowzero-of-any-type") => {
            ("[3, 0] by [0, 0] with allowzero=1.0", reshaped(14, &a_float, &[3, 0], Some((7, &[0, 0]))), None)
        }
        Some("allowzero-before-version-14") => {
            ("at opset 5, [3, 0] by [0, 7] with allowzero=1", reshaped(5, &one, &[3, 0], Some((7, &[0, 7]))), None)
        }
        Some("attribute-shape-in-any-version") => {
            ("at opset 14, [2, 3] with the attribute shape and no target", reshaped(14, &shape, &[2, 3], None), None)
        }
        Some("counts-wrap-in-64-bits") => {
            ("[2^32, 2^32, 0] by [0, 0, 1]", reshaped(13, &[], &[1 << 32, 1 << 32, 0], Some((7, &[0, 0, 1]))), None)
        }
        cause => panic!("there is no cause {cause:?}"),
    };
    match answer {
        Ok(got) if right.as_ref() != Some(&got) => println!("reproduced: {asked} gives {got:?}"),
        Ok(got) => println!("not reproduced: {asked} gives {got:?}"),
        Err(refusal) => println!("not reproduced: {asked} is refused: {refusal}"),
    }
}
