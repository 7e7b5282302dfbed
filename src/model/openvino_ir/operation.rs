//! The operations around the node under test, as OpenVINO's layers.

use crate::model::graph::{Operation, list};
use crate::tensor::Tensor;

/// A layer without the values that it takes and gives.
pub(super) struct Parts<'a> {
    pub(super) kind: &'static str,
    pub(super) set: &'static str,
    /// The attributes of its `<data>`.
    pub(super) data: Vec<(&'a str, String)>,
    /// Its further inputs, which are constants.
    pub(super) constants: Vec<Tensor>,
}

/// An operation as a layer.
pub(super) fn parts<'a>(operation: &Operation) -> Parts<'a> {
    let layer = |kind, set, data: &[(&'a str, &str)], constants: &[&[i64]]| Parts {
        kind,
        set,
        data: data
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()))
            .collect(),
        constants: constants.iter().map(|values| list(values)).collect(),
    };
    let first = |kind, data, constants| layer(kind, "opset1", data, constants);
    let broadcast: &[(&str, &str)] = &[("auto_broadcast", "numpy")];
    match operation {
        // Its attributes are the request's.
        Operation::UnderTest => first("Reshape", &[], &[]),
        Operation::Reshape(target) => first("Reshape", &[("special_zero", "true")], &[target]),
        Operation::Transpose(order) => first("Transpose", &[], &[order]),
        Operation::Shape => layer("ShapeOf", "opset3", &[("output_type", "i64")], &[]),
        Operation::Gather(index) => Parts {
            constants: [*index, 0]
                .map(|value| list(&[value]).with_shape(Vec::new()))
                .to_vec(),
            ..layer("Gather", "opset8", &[("batch_dims", "0")], &[])
        },
        Operation::Unsqueeze => first("Unsqueeze", &[], &[&[0]]),
        Operation::Slice(from, to) => {
            layer("Slice", "opset8", &[], &[&[*from], &[*to], &[1], &[0]])
        }
        Operation::Concat => first("Concat", &[("axis", "0")], &[]),
        Operation::Negative => first("Negative", &[], &[]),
        Operation::Sum(rank) => {
            let axes: Vec<i64> = (0..).take(*rank).collect();
            first("ReduceSum", &[("keep_dims", "false")], &[&axes])
        }
        Operation::Subtract => first("Subtract", broadcast, &[]),
        Operation::Add => first("Add", broadcast, &[]),
    }
}
