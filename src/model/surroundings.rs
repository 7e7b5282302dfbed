//! The graph of each surrounding, and what a run passes to it. Each gives the node the case's data and target and passes
//! its output on unchanged. In a sequence the graph is the node alone.

#[cfg(test)]
mod tests;

use super::graph::{Graph, Node, OUTPUT, Operation, list};
use super::sequences;
use crate::semantics::operator::{Binding, Layout, ModelFiles, TargetSource};
use crate::semantics::oracle::{Resolution, resolve};
use crate::semantics::request::{Call, Request};
use crate::semantics::surrounding::Surrounding;
use crate::tensor::{Count, ElementType, Tensor};
use std::borrow::Cow;

/// The element types that surroundings are made with: of these, every operator around the node takes them in every
/// version and backend, so a refusal is about the node.
const TYPES: [ElementType; 4] = [
    ElementType::F32,
    ElementType::I64,
    ElementType::I32,
    ElementType::F64,
];
/// The most elements of the data: each trial has a model of its own.
const MAX_ELEMENTS: u64 = 1 << 16;
/// The highest rank of the data: a surrounding may have one dim more, and a higher rank is a limit of its own.
const HIGHEST_RANK: usize = 7;
/// The value that the node gets as its data, where that is no input.
const GIVEN: &str = "given";
/// What the node gives, where that is not the output.
const TESTED: &str = "tested";

/// The surroundings in which a case with these bindings is tested as far as they are possible, each with the binding: a graph
/// with one static and one dynamic, where there are such, a sequence with all. `keeps_sums` says whether the data is the same
/// after adding zero to it.
pub(crate) fn candidates(
    bindings: &[Binding],
    keeps_sums: bool,
) -> impl Iterator<Item = (Binding, Surrounding)> {
    let surroundings = Surrounding::ALL.iter().copied();
    let all = surroundings.filter(move |of| *of != Surrounding::SharedData || keeps_sums);
    all.flat_map(|surrounding| {
        let bindings = bindings_of(surrounding, bindings).into_iter();
        bindings.map(move |binding| (binding, surrounding))
    })
}

/// Those of a case's bindings in which it is tested in a surrounding: for a graph, one static and one dynamic.
fn bindings_of(surrounding: Surrounding, bindings: &[Binding]) -> Vec<Binding> {
    let of_graph = |dynamic| {
        let alike = |of: &&Binding| of.dynamic() == dynamic && of.layout() == Layout::RowMajor;
        let mut alike = bindings.iter().filter(alike).copied();
        let source = surrounding.source(dynamic)?;
        let first = alike.clone().next();
        alike.find(|of| of.source() == source).or(first)
    };
    match surrounding.is_sequence() {
        true => bindings.to_vec(),
        false => [false, true].into_iter().filter_map(of_graph).collect(),
    }
}

/// Whether there is this surrounding for this request.
pub(crate) fn is_possible(request: &Request, binding: Binding, surrounding: Surrounding) -> bool {
    if surrounding.is_sequence() {
        let others = || sequences::requests(request, binding, Some(surrounding));
        return is_small(request) && others().next().is_some();
    }
    graph(request, binding, surrounding).is_some()
}

/// Whether the request is one that surroundings are made with.
fn is_small(request: &Request) -> bool {
    let count = Count::of(&request.data_shape).as_u64();
    TYPES.contains(&request.element_type)
        && request.data_shape.len() <= HIGHEST_RANK
        && count.is_some_and(|count| count <= MAX_ELEMENTS)
}

/// The element type in which a case with these is tested in surroundings; `None` if it has none of those.
pub(crate) fn element_type(of_case: &[ElementType]) -> Option<ElementType> {
    of_case.iter().copied().find(|of| TYPES.contains(of))
}

/// The graph of a call; `None` if its surrounding cannot be made for its request.
pub(crate) fn graph_of(call: &Call<'_>) -> Option<Graph> {
    let others = call.surrounding.filter(|of| !of.is_sequence());
    let Some(surrounding) = others else {
        return Some(Graph::lone(call.request, call.binding));
    };
    let mut graph = graph(call.request, call.binding, surrounding)?;
    if surrounding == Surrounding::ConstantData {
        graph.add_constant(GIVEN, call.data.clone());
    }
    Some(graph)
}

/// What a run passes as `data`, from which the graph makes the data of the call.
pub(crate) fn input<'a>(call: &Call<'a>) -> Cow<'a, Tensor> {
    let graph = call
        .surrounding
        .and_then(|surrounding| graph(call.request, call.binding, surrounding));
    let Some(graph) = graph else {
        return Cow::Borrowed(call.data);
    };
    let dims = graph.inputs[0].dims.clone();
    if graph.has_transpose() {
        return Cow::Owned(rotated(call.data, dims));
    }
    Cow::Owned(call.data.with_shape(dims))
}

/// The graph of a surrounding, without the elements of constant data; `None` if it cannot be made for this request, or is a
/// sequence.
fn graph(request: &Request, binding: Binding, surrounding: Surrounding) -> Option<Graph> {
    let broadcasts = match request.operator.model_files()? {
        // Before that, an Add does not broadcast.
        ModelFiles::Onnx => request.operator.version >= 7,
        ModelFiles::OpenvinoIr => true,
        ModelFiles::OnednnGraph => return None,
    };
    if !is_small(request) {
        return None;
    }
    let rank = request.data_shape.len();
    let mut graph = Graph::lone(request, binding);
    match surrounding {
        Surrounding::AfterReshape => graph.add_reshape_before(binding.dynamic())?,
        Surrounding::BeforeReshape => {
            // As many dims as the target has values, all of them copied. Without any, it is the question of empty targets.
            let dims = request.target.as_ref()?.values.len();
            let copies = Operation::Reshape(vec![0; (dims > 0).then_some(dims)?]);
            graph.rename_output();
            graph.add(copies, &[TESTED], OUTPUT);
        }
        Surrounding::AfterTranspose => graph.add_transpose_before()?,
        Surrounding::ConstantData => {
            graph.tested().inputs[0] = GIVEN.to_owned();
            graph.keep_input();
        }
        Surrounding::ComputedTarget => {
            let (values, dims) = joined(request, binding)?;
            graph.compute_target(&with_dims(values, &dims, values.len() - 1)?);
        }
        Surrounding::ComputedTargetFirst => {
            let (values, dims) = joined(request, binding)?;
            graph.compute_target(&with_dims(values, &dims, 1)?);
        }
        Surrounding::ComputedTargetSliced => {
            let (values, dims) = joined(request, binding)?;
            let same = values.iter().zip(&dims);
            let count = same.take_while(|(value, dim)| value == dim).count();
            let mut pieces = vec![Piece::Dims((count > 0).then_some(count)?)];
            pieces.extend(computed(&values[count..], &[], 0)?);
            graph.compute_target(&pieces);
        }
        Surrounding::ComputedTargetNone => {
            let (values, _) = joined(request, binding)?;
            graph.compute_target(&computed(values, &[], 0)?);
        }
        Surrounding::DeclaredOutput => graph.declared = Some(declared(request)?),
        Surrounding::SharedData => {
            if rank == 0 || !broadcasts {
                return None;
            }
            if rank > 1 {
                graph.add_transpose_before()?;
            }
            graph.share_data(rank);
        }
        Surrounding::AfterOtherData
        | Surrounding::AfterOtherShape
        | Surrounding::AfterOtherTarget
        | Surrounding::AfterRefusal
        | Surrounding::BesideOtherRuns => return None,
    }
    Some(graph)
}

/// The shape that an output can declare: the result, or, where there is none, the one that the target names.
fn declared(request: &Request) -> Option<Vec<u64>> {
    match resolve(request) {
        Resolution::Reshaped(shape) => Some(shape.into_vec()),
        Resolution::Rejected(_) => {
            let target = request.target.as_ref().filter(|target| target.is_flat())?;
            let length = |value: &i128| i64::try_from(*value).ok().filter(|value| *value > 0);
            let lengths = target.values.iter().map(length);
            lengths.map(|of| of.map(i64::cast_unsigned)).collect()
        }
        // A declaration would be an answer to the question.
        Resolution::Open { .. } => None,
    }
}

/// A part of a computed target.
enum Piece {
    /// The dim of the data at this index.
    Dim(usize),
    /// The dims of the data from the first up to this one, without it.
    Dims(usize),
    /// A constant.
    Value(i64),
}

/// The values of a target that can be joined from pieces, and the dims of the data; `None` if the target is another.
fn joined(request: &Request, binding: Binding) -> Option<(&[i128], Vec<i128>)> {
    let target = request.target.as_ref()?;
    let is_list = target.is_flat() && target.element_type == ElementType::I64;
    let can_be = binding.source() == TargetSource::Constant && is_list && !target.values.is_empty();
    let dims = request.data_shape.iter().map(|dim| (*dim).into());
    can_be.then(|| (target.values.as_slice(), dims.collect()))
}

/// The pieces that give these values: the first `most` are computed where they are a dim of the data, at best at their own
/// index. `None` if a value is no i64.
fn computed(values: &[i128], dims: &[i128], most: usize) -> Option<Vec<Piece>> {
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

/// The same; `None` if no value is computed.
fn with_dims(values: &[i128], dims: &[i128], most: usize) -> Option<Vec<Piece>> {
    let is_dim = |piece: &Piece| matches!(piece, Piece::Dim(_));
    computed(values, dims, most).filter(|pieces| pieces.iter().any(is_dim))
}

impl Graph {
    /// The node under test.
    fn tested(&mut self) -> &mut Node {
        // The graph is made around it.
        let position = self
            .nodes
            .iter()
            .position(|node| node.operation == Operation::UnderTest);
        &mut self.nodes[position.unwrap_or(0)]
    }

    fn has_transpose(&self) -> bool {
        let is = |node: &Node| matches!(node.operation, Operation::Transpose(_));
        self.nodes.iter().any(is)
    }

    /// Adds a node of the data's element type after the others.
    fn add(&mut self, operation: Operation, inputs: &[&str], output: &str) {
        let node = self.node(operation, inputs, output);
        self.nodes.push(node);
    }

    fn node(&self, operation: Operation, inputs: &[&str], output: &str) -> Node {
        Node {
            operation,
            inputs: inputs.iter().map(|name| (*name).to_owned()).collect(),
            output: output.to_owned(),
            element_type: self.inputs[0].element_type,
        }
    }

    /// Puts a node between the input `data`, which has other dims then, and the node under test.
    fn add_before(&mut self, operation: Operation, dims: Vec<u64>) {
        let node = self.node(operation, &["data"], GIVEN);
        self.tested().inputs[0] = GIVEN.to_owned();
        self.inputs[0].dims = dims;
        self.nodes.insert(0, node);
    }

    /// Lets a node take the input `data`, whose result nothing takes. An input that no node takes is none to some loaders.
    fn keep_input(&mut self) {
        let mut node = self.node(Operation::Shape, &["data"], "dims");
        node.element_type = ElementType::I64;
        self.nodes.insert(0, node);
    }

    /// Lets another node give the output.
    fn rename_output(&mut self) {
        self.tested().output = TESTED.to_owned();
    }

    /// `None` for a scalar, which would need an empty target.
    fn add_reshape_before(&mut self, dynamic: bool) -> Option<()> {
        let dims = self.inputs[0].dims.clone();
        let mut target: Vec<i64> = dims.iter().map(|dim| dim.cast_signed()).collect();
        let from = if dims.contains(&0) {
            // A 0 copies, so the dims come from where they are, beside one dim more.
            target.fill(0);
            [dims.as_slice(), &[1]].concat()
        } else {
            if dynamic {
                *target.first_mut()? = -1;
            }
            match dims.as_slice() {
                [] => return None,
                [length] => vec![1, *length],
                _ => vec![dims.iter().product()],
            }
        };
        self.add_before(Operation::Reshape(target), from);
        Some(())
    }

    /// The data comes with its first dim last. `None` for less than two dims.
    fn add_transpose_before(&mut self) -> Option<()> {
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

    /// Another node takes the data, and its result reaches the output without changing it: as the sum of all elements
    /// minus itself.
    fn share_data(&mut self, rank: usize) {
        let data = self.tested().inputs[0].clone();
        self.rename_output();
        self.add(Operation::Negative, &[&data], "negative");
        self.add(Operation::Sum(rank), &["negative"], "sum");
        self.add(Operation::Subtract, &["sum", "sum"], "nothing");
        self.add(Operation::Add, &[TESTED, "nothing"], OUTPUT);
    }

    /// The target is joined from these pieces.
    fn compute_target(&mut self, pieces: &[Piece]) {
        self.constants.clear();
        let mut nodes = Vec::new();
        let mut names = Vec::new();
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
            // Exporters ask for the dims anew each time.
            let mut dims = || node(Operation::Shape, &["data".to_owned()], name("dims"));
            let list_name = match piece {
                Piece::Dim(index) => {
                    let dims = dims();
                    let dim = Operation::Gather(*index as i64);
                    let dim = node(dim, &[dims], name("dim"));
                    node(Operation::Unsqueeze, &[dim], name("value"))
                }
                Piece::Dims(count) => {
                    let dims = dims();
                    let slice = Operation::Slice(0, *count as i64);
                    node(slice, &[dims], name("values"))
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
    }
}

/// The tensor of these dims, the data's with its first dim last, of which a Transpose makes the data.
fn rotated(data: &Tensor, dims: Vec<u64>) -> Tensor {
    let first = dims.last().and_then(|dim| usize::try_from(*dim).ok());
    let first = first.unwrap_or(0).max(1);
    let rest = data.len() / first;
    Tensor::from_bits(data.element_type(), dims, |index| {
        let from = index % first * rest + index / first;
        data.bits(from).unwrap_or(0)
    })
}
