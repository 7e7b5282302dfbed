//! The operations around the node under test, as the operators of an opset.

use super::attribute::attribute;
use super::proto::Attribute;
use crate::model::graph::{Operation, list};
use crate::spec::request::AttributeValue;
use crate::tensor::Tensor;

/// A node without the values that it takes and gives.
pub(super) struct Parts {
    pub(super) kind: &'static str,
    pub(super) attributes: Vec<Attribute>,
    /// Its further inputs, which are constants.
    pub(super) constants: Vec<Tensor>,
}

/// An operation in this opset: what is an attribute in old versions of some operators is an input in later ones.
pub(super) fn parts(operation: &Operation, opset: u32) -> Parts {
    let node = |kind, attributes: &[(&str, &[i64])], constants: &[&[i64]]| Parts {
        kind,
        attributes: attributes
            .iter()
            .map(|(name, values)| attribute(name, &AttributeValue::Ints(values.to_vec())))
            .collect(),
        constants: constants.iter().map(|values| list(values)).collect(),
    };
    let flag = |name, value| attribute(name, &AttributeValue::Int(value));
    match operation {
        Operation::UnderTest => node("Reshape", &[], &[]),
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
        Operation::Concat => Parts {
            attributes: vec![flag("axis", 0)],
            ..node("Concat", &[], &[])
        },
        Operation::Negative => node("Neg", &[], &[]),
        Operation::Sum(_) => Parts {
            attributes: vec![flag("keepdims", 0)],
            ..node("ReduceSum", &[], &[])
        },
        Operation::Subtract => node("Sub", &[], &[]),
        Operation::Add => node("Add", &[], &[]),
    }
}
