//! Builds the graphs of surroundings around the lone node.

use crate::model::graph::{Body, BodyValue, Graph, Nesting, Node, OUTPUT, Operation, list, scalar};
use crate::semantics::operator::{Binding, TargetSource};
use crate::semantics::request::{Request, Target};
use crate::tensor::{Count, ElementType, Tensor};

/// The value that the node gets as its data, if that is not an input.
pub(in crate::model) const GIVEN: &str = "given";
/// The node's output, if that is not the graph's output.
const TESTED: &str = "tested";

/// A part of a computed target.
pub(crate) enum Piece {
    /// The dim of the data at this index.
    Dim(usize),
    /// The dims of the data from the first up to, but without, this one.
    Dims(usize),
    /// A constant.
    Value(i64),
}

/// The values of a target that can be joined from pieces, and the dims of the data; `None` for other targets.
pub(super) fn joined(request: &Request, binding: Binding) -> Option<(&[i128], Vec<i128>)> {
    let target = listed(request).filter(|_| binding.source() == TargetSource::Constant)?;
    Some((&target.values, request.dims_as_values().collect()))
}

/// The target, if it is a list of i64 with values.
fn listed(request: &Request) -> Option<&Target> {
    let target = request.target.as_ref()?;
    let is_list = target.is_flat() && target.element_type == ElementType::I64;
    (is_list && !target.values.is_empty()).then_some(target)
}

/// Pieces for these values. The first `most` are computed if they are a dim of the data, preferably at their own index.
/// `None` if a value does not fit an i64.
pub(super) fn computed(values: &[i128], dims: &[i128], most: usize) -> Option<Vec<Piece>> {
    let piece = |(index, value): (usize, &i128)| {
        let here = (dims.get(index) == Some(value)).then_some(index);
        let dim = here.or_else(|| dims.iter().position(|dim| dim == value));
        match dim.filter(|_| index < most) {
            Some(dim) => Some(Piece::Dim(dim)),
            None => i64::try_from(*value).ok().map(Piece::Value),
        }
    };
    values.iter().enumerate().map(piece).collect()
}

/// Pieces for all values, of which all but the last are computed if they are a dim of the data.
pub(crate) fn with_most_dims(request: &Request, binding: Binding) -> Option<Vec<Piece>> {
    let (values, dims) = joined(request, binding)?;
    with_dims(values, &dims, values.len() - 1)
}

/// The dims before a Reshape that gives these dims; `None` for a scalar, which would need an empty target.
pub(crate) fn dims_before_reshape(dims: &[u64]) -> Option<Vec<u64>> {
    match dims {
        _ if dims.contains(&0) => Some([dims, &[1]].concat()),
        [] => None,
        [length] => Some(vec![1, *length]),
        _ => Some(vec![Count::of(dims).as_u64()?]),
    }
}

/// The dims before two Reshapes in a row of which the first gives these dims, and whether the second infers its last one;
/// `None` for a scalar.
pub(crate) fn dims_before_two_reshapes(dims: &[u64]) -> Option<(Vec<u64>, bool)> {
    match dims {
        [first, second, rest @ ..] if !dims.contains(&0) => {
            let others = first * rest.iter().product::<u64>();
            Some((vec![1, *second, others], true))
        }
        _ => Some((dims_before_reshape(dims)?, !dims.contains(&0))),
    }
}

/// The values of these pieces for data of these dims.
pub(crate) fn values_of(pieces: &[Piece], dims: &[u64]) -> Vec<i128> {
    let of_piece = |piece: &Piece| match piece {
        Piece::Dim(index) => vec![dims[*index].into()],
        Piece::Dims(count) => dims[..*count].iter().map(|dim| (*dim).into()).collect(),
        Piece::Value(value) => vec![(*value).into()],
    };
    pieces.iter().flat_map(of_piece).collect()
}

/// As `computed`; `None` if no value is computed.
pub(super) fn with_dims(values: &[i128], dims: &[i128], most: usize) -> Option<Vec<Piece>> {
    let is_dim = |piece: &Piece| matches!(piece, Piece::Dim(_));
    computed(values, dims, most).filter(|pieces| pieces.iter().any(is_dim))
}

impl Graph {
    /// The node under test.
    pub(super) fn tested(&mut self) -> &mut Node {
        // The graph is built around it.
        let mut nodes = self.nodes.iter();
        let position = nodes.position(|node| node.operation == Operation::UnderTest);
        &mut self.nodes[position.unwrap_or(0)]
    }

    pub(in crate::model) fn has_transpose(&self) -> bool {
        let is = |node: &Node| matches!(node.operation, Operation::Transpose(_));
        self.nodes.iter().any(is)
    }

    /// Adds a node of the data's element type after the others.
    fn add(&mut self, operation: Operation, inputs: &[&str], output: &str) {
        self.nodes.push(self.node(operation, inputs, output));
    }

    fn node(&self, operation: Operation, inputs: &[&str], output: &str) -> Node {
        Node {
            operation,
            inputs: inputs.iter().map(|name| (*name).to_owned()).collect(),
            output: output.to_owned(),
            element_type: self.inputs[0].element_type,
        }
    }

    /// Puts a node between the input `data`, whose dims then change, and the node under test.
    fn add_before(&mut self, operation: Operation, dims: Vec<u64>) {
        let node = self.node(operation, &["data"], GIVEN);
        self.tested().inputs[0] = GIVEN.to_owned();
        self.inputs[0].dims = dims;
        self.nodes.insert(0, node);
    }

    /// Puts a node between the node under test and the output.
    pub(super) fn add_after(&mut self, operation: Operation) {
        self.rename_output();
        self.add(operation, &[TESTED], OUTPUT);
    }

    /// The data is a constant.
    pub(super) fn hold_data(&mut self) -> Option<()> {
        self.tested().inputs[0] = GIVEN.to_owned();
        // Some loaders ignore an input that no node takes. The result of this one stays unused.
        let mut node = self.node(Operation::Shape, &["data"], "dims");
        node.element_type = ElementType::I64;
        self.nodes.insert(0, node);
        Some(())
    }

    /// Whether the data is a constant, whose elements are not added yet.
    pub(in crate::model) fn holds_data(&self) -> bool {
        let takes = |node: &Node| node.inputs.iter().any(|name| name == GIVEN);
        let gives = |node: &Node| node.output == GIVEN;
        self.nodes.iter().any(takes) && !self.nodes.iter().any(gives)
    }

    /// Lets another node give the output.
    fn rename_output(&mut self) {
        self.tested().output = TESTED.to_owned();
    }

    /// The Reshape before copies the second dim and computes the first; the one after copies all but the last. `None` for
    /// a scalar, which would need an empty target.
    pub(super) fn add_reshapes_around(
        &mut self,
        request: &Request,
        binding: Binding,
    ) -> Option<()> {
        let dims = self.inputs[0].dims.clone();
        let (from, infers) = dims_before_two_reshapes(&dims)?;
        if !infers {
            self.add_reshape_before(false)?;
            return self.add_reshape_after(request, binding);
        }
        let rest = dims.iter().skip(2).map(|dim| dim.cast_signed());
        let copied = dims.get(1).map(|_| 0);
        let target = [-1].into_iter().chain(copied).chain(rest);
        self.add_before(Operation::Reshape(target.collect()), from);
        let mut copies = vec![0; request.target.as_ref()?.values.len()];
        *copies.last_mut()? = -1;
        self.add_after(Operation::Reshape(copies));
        Some(())
    }

    /// The target comes out of a Reshape. `None` if it is not a list of i64 with values.
    pub(super) fn add_reshape_to_target(&mut self, request: &Request, _: Binding) -> Option<()> {
        let target = listed(request)?;
        if self.takes_target() {
            self.tested().inputs[1] = "requested".to_owned();
            self.give_target(Operation::Reshape(vec![-1]), "shape", "requested");
        } else {
            let listed = target.tensor().with_shape(vec![target.dims[0], 1]);
            self.constants = vec![("listed".to_owned(), listed)];
            self.give_target(Operation::Reshape(vec![-1]), "listed", "shape");
        }
        Some(())
    }

    /// The constant target comes out of a Cast from i32. `None` if it is not a list of i64, or its values do not fit.
    pub(super) fn cast_target(&mut self, request: &Request, binding: Binding) -> Option<()> {
        let (values, _) = joined(request, binding)?;
        let fit = values.iter().all(|value| i32::try_from(*value).is_ok());
        let dims = vec![values.len() as u64];
        let narrow =
            fit.then(|| Tensor::from_bits(ElementType::I32, dims, |i| values[i] as u128))?;
        self.constants = vec![("narrow".to_owned(), narrow)];
        self.give_target(Operation::Cast(ElementType::I64), "narrow", "shape");
        Some(())
    }

    /// Lets a node give the target, a list of i64.
    fn give_target(&mut self, operation: Operation, from: &str, to: &str) {
        let mut node = self.node(operation, &[from], to);
        node.element_type = ElementType::I64;
        self.nodes.insert(0, node);
    }

    /// The data is cast to a wider type and back. `None` for a type without a wider one.
    pub(super) fn cast_data(&mut self, request: &Request) -> Option<()> {
        let wider = [
            (ElementType::F32, ElementType::F64),
            (ElementType::I32, ElementType::I64),
        ];
        let mut wider = wider.into_iter();
        let (_, wider) = wider.find(|(of, _)| *of == request.element_type)?;
        let back = Operation::Cast(request.element_type);
        self.pass_data((Operation::Cast(wider), "wide", wider), back);
        Some(())
    }

    /// The data and the output go through a pair of nodes that quantise and dequantise it. `None` unless it is f32.
    pub(super) fn quantise(&mut self) -> Option<()> {
        let is_float = self.inputs[0].element_type == ElementType::F32;
        let i8 = is_float.then_some(ElementType::I8)?;
        let quantised = (Operation::Quantise, "quantised", i8);
        self.pass_data(quantised, Operation::Dequantise);
        self.rename_output();
        self.add(Operation::Quantise, &[TESTED], "quantised_output");
        if let Some(node) = self.nodes.last_mut() {
            node.element_type = i8;
        }
        self.add(Operation::Dequantise, &["quantised_output"], OUTPUT);
        Some(())
    }

    /// Puts two nodes before the node under test: one whose result has another element type, and one that gives the data.
    fn pass_data(&mut self, (there, name, of): (Operation, &str, ElementType), back: Operation) {
        let mut there = self.node(there, &["data"], name);
        there.element_type = of;
        let back = self.node(back, &[name], GIVEN);
        self.tested().inputs[0] = GIVEN.to_owned();
        self.nodes.splice(0..0, [there, back]);
    }

    /// The node is in a branch. `at_run` is whether the condition is computed, from a dim that is not 0.
    pub(super) fn branch(&mut self, at_run: bool) -> Option<()> {
        let branch = self.body(Vec::new());
        let unchanged = self.node(Operation::Identity, &["data"], "unchanged");
        let other = Body {
            inputs: Vec::new(),
            outputs: vec![("unchanged", unchanged.element_type, false)],
            nodes: vec![unchanged],
        };
        if at_run && self.inputs[0].dims.first().is_some_and(|dim| *dim > 0) {
            self.add(Operation::Shape, &["data"], "dims");
            self.add(Operation::Gather(0), &["dims"], "dim");
            self.add(Operation::Cast(ElementType::Bool), &["dim"], "condition");
        } else {
            self.add_constant("condition", scalar(ElementType::Bool, 1));
        }
        let branches = Operation::Nested(Nesting::Branches, vec![branch, other]);
        self.add(branches, &["condition"], OUTPUT);
        Some(())
    }

    /// The node is in the body of a loop of two iterations, which give the same.
    pub(super) fn iterate(&mut self) -> Option<()> {
        let mut body = self.body(vec![
            ("iteration", ElementType::I64, true),
            ("going", ElementType::Bool, true),
            ("before", self.inputs[0].element_type, false),
        ]);
        body.nodes
            .push(self.node(Operation::Identity, &["going"], "goes_on"));
        body.outputs.insert(0, ("goes_on", ElementType::Bool, true));
        self.add_constant("iterations", scalar(ElementType::I64, 2));
        self.add_constant("condition", scalar(ElementType::Bool, 1));
        let taken = ["iterations", "condition", "data"];
        self.add(Operation::Nested(Nesting::Loop, vec![body]), &taken, OUTPUT);
        Some(())
    }

    /// The node is in a function with the same inputs, whose types are not declared.
    pub(super) fn define(&mut self) -> Option<()> {
        let taken = self.tested().inputs.clone();
        let taken: Vec<&str> = taken.iter().map(String::as_str).collect();
        let inputs = ["data", "shape"].map(|name| (name, ElementType::I64, false));
        let body = self.body(inputs.into_iter().take(taken.len()).collect());
        let function = Operation::Nested(Nesting::Function, vec![body]);
        self.add(function, &taken, OUTPUT);
        Some(())
    }

    /// Moves the lone node into a body.
    fn body(&mut self, inputs: Vec<BodyValue>) -> Body {
        self.rename_output();
        Body {
            inputs,
            nodes: std::mem::take(&mut self.nodes),
            outputs: vec![(TESTED, self.inputs[0].element_type, false)],
        }
    }

    /// `None` as in [`dims_before_reshape`].
    pub(super) fn add_reshape_before(&mut self, dynamic: bool) -> Option<()> {
        let dims = self.inputs[0].dims.clone();
        let mut target: Vec<i64> = dims.iter().map(|dim| dim.cast_signed()).collect();
        let from = dims_before_reshape(&dims)?;
        if dims.contains(&0) {
            // A 0 copies, so the dims come from the data.
            target.fill(0);
        } else if dynamic {
            *target.first_mut()? = -1;
        }
        self.add_before(Operation::Reshape(target), from);
        Some(())
    }

    /// The data comes with its first dim last. `None` for fewer than two dims.
    pub(super) fn add_transpose_before(&mut self) -> Option<()> {
        let mut dims = self.inputs[0].dims.clone();
        let rank = dims.len();
        if rank < 2 {
            return None;
        }
        dims.rotate_left(1);
        let mut order: Vec<i64> = (0..).take(rank).collect();
        order.rotate_right(1);
        self.add_before(Operation::Transpose(order), dims);
        Some(())
    }

    /// As many dims as the target has values, all copied. Without values, it would ask about empty targets.
    pub(super) fn add_reshape_after(&mut self, request: &Request, _: Binding) -> Option<()> {
        let dims = request.target.as_ref()?.values.len();
        self.add_after(Operation::Reshape(vec![0; (dims > 0).then_some(dims)?]));
        Some(())
    }

    /// Another node also takes the data. Its result reaches the output without changing it: the least element minus that of
    /// the output. No precision changes it, as it would a sum. Without elements there is none, a scalar has itself, and a
    /// backend may look for it once for each element. There, it is the sum of all elements minus itself.
    pub(super) fn share_data(&mut self, request: &Request, _: Binding) -> Option<()> {
        // In older versions, Add does not broadcast.
        let operator = request.operator;
        let broadcasts = operator.version >= operator.family.models()?.broadcasts_since();
        let rank = request.data_shape.len();
        if rank == 0 || !broadcasts {
            return None;
        }
        if rank > 1 {
            self.add_transpose_before()?;
        }
        let data = self.tested().inputs[0].clone();
        self.rename_output();
        self.add(Operation::Negative, &[&data], "negative");
        let count = Count::of(&request.data_shape).as_u64();
        let (one, other) = match request.values().len() {
            output_rank if output_rank > 0 && matches!(count, Some(1..=256)) => {
                self.add(Operation::Least(rank), &["negative"], "least");
                self.add(Operation::Negative, &[TESTED], "negative_output");
                self.add(
                    Operation::Least(output_rank),
                    &["negative_output"],
                    "least_output",
                );
                ("least_output", "least")
            }
            _ => {
                self.add(Operation::Sum(rank), &["negative"], "sum");
                ("sum", "sum")
            }
        };
        self.add(Operation::Subtract, &[one, other], "nothing");
        self.add(Operation::Add, &[TESTED, "nothing"], OUTPUT);
        Some(())
    }

    /// Joins the target from these pieces. One Shape of the data gives all its dims, as optimizers leave it, or each dim
    /// has its own, as exporters write it.
    pub(super) fn compute_target(&mut self, pieces: &[Piece], one_shape: bool) -> Option<()> {
        self.constants.clear();
        let mut nodes = Vec::new();
        let mut names = Vec::new();
        let mut shared: Option<String> = None;
        let mut node = |operation, input: &[String], output: String| {
            nodes.push(Node {
                operation,
                inputs: input.to_vec(),
                output: output.clone(),
                element_type: ElementType::I64,
            });
            output
        };
        for (number, piece) in pieces.iter().enumerate() {
            let name = |what| format!("{what}_{number}");
            let mut dims = || match &shared {
                Some(dims) => dims.clone(),
                None => {
                    let dims = node(Operation::Shape, &["data".to_owned()], name("dims"));
                    shared = one_shape.then(|| dims.clone());
                    dims
                }
            };
            let list_name = match piece {
                Piece::Dim(index) => {
                    let dims = dims();
                    let dim = node(Operation::Gather(*index as i64), &[dims], name("dim"));
                    node(Operation::Unsqueeze, &[dim], name("value"))
                }
                Piece::Dims(count) => {
                    let dims = dims();
                    node(Operation::Slice(0, *count as i64), &[dims], name("values"))
                }
                Piece::Value(value) => {
                    self.constants.push((name("constant"), list(&[*value])));
                    name("constant")
                }
            };
            names.push(list_name);
        }
        node(Operation::Concat, &names, "shape".to_owned());
        self.nodes.splice(0..0, nodes);
        Some(())
    }
}
