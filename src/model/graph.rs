//! A graph around the node under test, in the form that every format writes.

use crate::semantics::operator::{Binding, TargetSource};
use crate::semantics::request::Request;
use crate::tensor::{ElementType, Tensor};

/// The name of the output.
pub(super) const OUTPUT: &str = "reshaped";

/// A graph. Its values have names; each is an input, a constant, or the result of one node.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Graph {
    /// What a run passes, in order.
    pub(super) inputs: Vec<Input>,
    /// The constants by name.
    pub(super) constants: Vec<(String, Tensor)>,
    /// The nodes, each after those whose results it takes. The last one gives the output.
    pub(super) nodes: Vec<Node>,
    /// The declared shape of the output; without it, a backend has to infer the shape.
    pub(super) declared: Option<Vec<u64>>,
    /// Whether an ONNX model has its constants in the field of their element type, and not as bytes.
    pub(super) typed_fields: bool,
}

/// An input of a graph.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Input {
    pub(super) name: &'static str,
    pub(super) element_type: ElementType,
    pub(super) dims: Vec<u64>,
    /// Whether the dims are not declared.
    pub(super) dynamic: bool,
}

/// A node of a graph, which gives one value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) operation: Operation,
    /// The names of the values that it takes.
    pub(super) inputs: Vec<String>,
    /// The name of the value that it gives.
    pub(super) output: String,
    pub(super) element_type: ElementType,
}

/// A graph in a node. Its nodes also take the values around it, except in a function.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Body {
    /// Its own inputs.
    pub(super) inputs: Vec<BodyValue>,
    pub(super) nodes: Vec<Node>,
    pub(super) outputs: Vec<BodyValue>,
}

/// The name of an input or output of a body, its type, and whether it is a scalar.
pub(super) type BodyValue = (&'static str, ElementType, bool);

/// What a node does with its bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Nesting {
    /// Gives the result of the first body where the input is true, and of the second otherwise.
    Branches,
    /// Runs a body as often as the first input says. The body's inputs are the iteration, a condition and the result before.
    /// It gives a condition and a result.
    Loop,
    /// Gives the result of a function of the model.
    Function,
}

/// What a node does.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Operation {
    /// The Reshape under test, exactly as the request describes it.
    UnderTest,
    /// A Reshape to a constant target of i64, whose zeros copy.
    Reshape(Vec<i64>),
    /// Dimension `i` of the result is this dimension of the input.
    Transpose(Vec<i64>),
    /// The dims, as a list of i64.
    Shape,
    /// The element of a list at this index, as a scalar.
    Gather(i64),
    /// A scalar as a list of one element.
    Unsqueeze,
    /// The elements of a list from the first index up to, but without, the second.
    Slice(i64, i64),
    /// Concatenates lists.
    Concat,
    /// Minus each element.
    Negative,
    /// The sum of all elements of a tensor of this rank, as a scalar.
    Sum(usize),
    /// The least of them.
    Least(usize),
    /// The first input minus the second.
    Subtract,
    /// The sum of two inputs, of which one may be a scalar.
    Add,
    /// Each element as one of this type.
    Cast(ElementType),
    /// The input as it is.
    Identity,
    Nested(Nesting, Vec<Body>),
    /// A tensor of two dims as it is.
    Flatten,
    /// The nearest i8 of each f32.
    Quantise,
    /// Each i8 as an f32.
    Dequantise,
}

impl Graph {
    /// The node alone, with its inputs `data` and, for a runtime target, `shape`.
    pub(crate) fn lone(request: &Request, binding: Binding) -> Self {
        let mut graph = Self {
            inputs: vec![Input {
                name: "data",
                element_type: request.element_type,
                dims: request.data_shape.clone(),
                dynamic: binding.dynamic(),
            }],
            ..Self::default()
        };
        let mut inputs = vec!["data".to_owned()];
        if let Some(target) = &request.target {
            match binding.source() {
                TargetSource::Attribute => {}
                TargetSource::Constant => graph.add_constant("shape", target.tensor()),
                TargetSource::Runtime => graph.inputs.push(Input {
                    name: "shape",
                    element_type: target.element_type,
                    dims: target.dims.clone(),
                    // The number of values of a target is always declared.
                    dynamic: false,
                }),
            }
            if binding.source() != TargetSource::Attribute {
                inputs.push("shape".to_owned());
            }
        }
        graph.nodes.push(Node {
            operation: Operation::UnderTest,
            inputs,
            output: OUTPUT.to_owned(),
            element_type: request.element_type,
        });
        graph
    }

    /// The dims that the input `data` declares; `None` for a dim that is unknown before the run.
    pub(crate) fn data_dims(&self) -> Vec<Option<u64>> {
        let data = self.inputs.first();
        let dims = |of: &Input| {
            let declared = |dim: &u64| (!of.dynamic).then_some(*dim);
            of.dims.iter().map(declared).collect()
        };
        data.map(dims).unwrap_or_default()
    }

    /// Whether a run passes the target.
    pub(crate) fn takes_target(&self) -> bool {
        self.inputs.iter().any(|input| input.name == "shape")
    }

    pub(super) fn add_constant(&mut self, name: &str, tensor: Tensor) {
        self.constants.push((name.to_owned(), tensor));
    }
}

/// A tensor of one element without dims.
pub(super) fn scalar(element_type: ElementType, bits: u32) -> Tensor {
    Tensor::from_bits(element_type, Vec::new(), |_| bits.into())
}

/// A list of i64, as targets, axes and indices are given.
pub(super) fn list(values: &[i64]) -> Tensor {
    let dims = vec![values.len() as u64];
    Tensor::from_bits(ElementType::I64, dims, |index| values[index] as u128)
}
