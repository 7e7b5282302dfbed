//! Surroundings: the graph around the node, or the other runs of its model. The node gets the case's data and target,
//! and its output is passed on unchanged. So a surrounding never changes the expectation.

#[cfg(test)]
mod tests;

use super::graph::{Graph, Node, OUTPUT, Operation, list};
use super::sequences;
use crate::names::named_enum;
use crate::semantics::operator::{Binding, Layout, TargetSource};
use crate::semantics::oracle::{Resolution, resolve};
use crate::semantics::request::Request;
use crate::tensor::{Count, ElementType};

/// What a surrounding consists of, with its description.
enum Row {
    /// Other nodes; the target's source where the data dims are static, and where they are dynamic.
    Graph(TargetSource, TargetSource, &'static str, Build),
    /// Other runs, in every binding. The node is alone in the model.
    Sequence(OtherRuns, &'static str, Others),
    /// Earlier runs of a model with other nodes, where the data dims are not declared.
    Both(&'static str, Build, Others),
}

named_enum! {
    /// How the other runs of a sequence relate to the judged run. The text is where a process failed in one of them.
    pub(crate) enum OtherRuns, "kind of other runs" {
        Earlier = "in an earlier run of the model",
        OfOtherModels = "in another model",
        Concurrent = "in one of several runs at once",
    }
}

/// Makes the requests of a sequence's other runs; empty if the request has no such sequence.
type Others = for<'a> fn(&'a Request, Binding) -> sequences::Others<'a>;

/// Builds a surrounding around the lone node in the graph; `None` if the request cannot be in it.
type Build = fn(&mut Graph, &Request, Binding) -> Option<()>;

use OtherRuns::{Concurrent, Earlier, OfOtherModels};
use Row::{Both, Sequence};
use TargetSource::{Constant, Runtime};

named_enum! {
    /// A small graph around the node, or a sequence of runs.
    #[allow(missing_docs, reason = "each has a description")]
    pub enum Surrounding: Row, "surrounding" {
        /// The data comes out of another Reshape, from a different shape with the same count.
        AfterReshape = "after-reshape" => Row::Graph(
            Constant,
            Constant,
            "the data comes out of another Reshape",
            |graph, _, binding| graph.add_reshape_before(binding.dynamic()),
        ),
        /// The output goes through a Reshape that copies every dimension.
        BeforeReshape = "before-reshape" => Row::Graph(
            Constant,
            Runtime,
            "the output goes through a Reshape that copies every dim",
            Graph::add_reshape_after,
        ),
        AfterTranspose = "after-transpose" => Row::Graph(
            Constant,
            Constant,
            "the data comes out of a Transpose",
            |graph, _, _| graph.add_transpose_before(),
        ),
        ConstantData = "constant-data" => Row::Graph(
            Constant,
            Runtime,
            "the data is a constant",
            |graph, _, _| {
                graph.tested().inputs[0] = GIVEN.to_owned();
                graph.keep_input();
                Some(())
            },
        ),
        /// Every value of the target but the last is read from the dims of the data, where they agree with it.
        ComputedTarget = "computed-target" => Row::Graph(
            Constant,
            Constant,
            "the target is computed: all values but the last come from the Shape of the data",
            compute_most_dims,
        ),
        /// The first value of the target is read from the dims of the data.
        ComputedTargetFirst = "computed-target-first" => Row::Graph(
            Constant,
            Constant,
            "the target is computed: its first value comes from the Shape of the data",
            |graph, request, binding| {
                let (values, dims) = joined(request, binding)?;
                graph.compute_target(&with_dims(values, &dims, 1)?)
            },
        ),
        /// The target begins with a slice of the dims of the data.
        ComputedTargetSliced = "computed-target-sliced" => Row::Graph(
            Constant,
            Constant,
            "the target is computed: it begins with a Slice of the Shape of the data",
            |graph, request, binding| {
                let (values, dims) = joined(request, binding)?;
                let same = values.iter().zip(&dims);
                let count = same.take_while(|(value, dim)| value == dim).count();
                let mut pieces = vec![Piece::Dims((count > 0).then_some(count)?)];
                pieces.extend(computed(&values[count..], &[], 0)?);
                graph.compute_target(&pieces)
            },
        ),
        ComputedTargetNone = "computed-target-none" => Row::Graph(
            Constant,
            Constant,
            "the target is joined from constants by a Concat",
            |graph, request, binding| {
                let (values, _) = joined(request, binding)?;
                graph.compute_target(&computed(values, &[], 0)?)
            },
        ),
        DeclaredOutput = "declared-output" => Row::Graph(
            Constant,
            Runtime,
            "the output declares the correct shape",
            |graph, request, _| {
                graph.declared = Some(declared(request)?);
                Some(())
            },
        ),
        SharedData = "shared-data" => Row::Graph(
            Constant,
            Constant,
            "another node takes the data too",
            Graph::share_data,
        ),
        /// The dims of the earlier runs give other targets.
        ComputedTargetAfterOtherShape = "computed-target-after-other-shape" => Row::Both(
            "the target is computed as in `computed-target`, and the model ran before with data for which it is another",
            compute_most_dims,
            |request, binding| match with_most_dims(request, binding) {
                Some(pieces) if binding.dynamic() => {
                    sequences::with_other_targets(request, move |dims| values_of(&pieces, dims))
                }
                Some(_) | None => Box::new(std::iter::empty()),
            },
        ),
        AfterOtherData = "after-other-data" =>
            Sequence(Earlier, "the model ran before with other data of the same shape", sequences::after_other_data),
        AfterOtherShape = "after-other-shape" =>
            Sequence(Earlier, "the model ran before with data of other shapes", sequences::after_other_shape),
        AfterOtherTarget = "after-other-target" =>
            Sequence(Earlier, "the model ran before with other targets", sequences::after_other_target),
        AfterRefusal = "after-refusal" =>
            Sequence(Earlier, "the model had to refuse a run before", sequences::after_refusal),
        /// Models with another target are compiled before and after, run, and in part released.
        BetweenOtherModels = "between-other-models" =>
            Sequence(OfOtherModels, "models with other targets are compiled and run before and after it is compiled", sequences::between_other_models),
        BesideOtherRuns = "beside-other-runs" =>
            Sequence(Concurrent, "the model makes other runs at the same time", sequences::beside_other_runs),
    }
}

impl Surrounding {
    /// The target's source in its static and in its dynamic binding, for operators that have a choice; `None` for a
    /// sequence of the lone node, which has every binding.
    pub(crate) const fn source(self, dynamic: bool) -> Option<TargetSource> {
        match self.row() {
            Row::Graph(fixed, open, ..) => Some(if dynamic { *open } else { *fixed }),
            Both(..) => Some(Constant),
            Sequence(..) => None,
        }
    }

    /// Whether there are other runs.
    pub(crate) const fn is_sequence(self) -> bool {
        matches!(self.row(), Sequence(..) | Both(..))
    }

    /// Whether the model has other nodes.
    pub(crate) const fn has_graph(self) -> bool {
        matches!(self.row(), Row::Graph(..) | Both(..))
    }

    /// The requests of a sequence's other runs, in order; empty for a graph, or if this request has no such sequence.
    pub(crate) fn other_runs(self, request: &Request, binding: Binding) -> sequences::Others<'_> {
        match self.row() {
            Row::Graph(..) => Box::new(std::iter::empty()),
            Sequence(_, _, others) | Both(_, _, others) => others(request, binding),
        }
    }

    /// Whether its other runs are those of other models.
    pub(crate) const fn has_other_models(self) -> bool {
        matches!(self.row(), Sequence(OfOtherModels, ..))
    }

    /// Whether it consists of concurrent runs.
    pub(crate) const fn is_concurrent(self) -> bool {
        matches!(self.row(), Sequence(Concurrent, ..))
    }

    /// In words: `the data is a constant`.
    pub(crate) const fn description(self) -> &'static str {
        match self.row() {
            Row::Graph(_, _, description, _)
            | Sequence(_, description, _)
            | Both(description, ..) => description,
        }
    }
}

/// The element types of trials in surroundings. Every operator around the node takes these in every version and
/// backend, so a refusal concerns the node.
const TYPES: [ElementType; 4] = [
    ElementType::F32,
    ElementType::I64,
    ElementType::I32,
    ElementType::F64,
];
/// The most elements of the data, because each trial has its own model.
const MAX_ELEMENTS: u64 = 1 << 16;
/// The highest rank of the data. A surrounding may have one dim more, and a higher rank is a separate limit.
const HIGHEST_RANK: usize = 7;
/// The value that the node gets as its data, if that is not an input.
pub(super) const GIVEN: &str = "given";
/// The node's output, if that is not the graph's output.
const TESTED: &str = "tested";

/// The possible surroundings for a case with these bindings, each with the binding. A graph gets one static and one
/// dynamic binding, if the case has them; a sequence gets all. `keeps_sums` is whether adding zero leaves the data
/// unchanged.
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

/// The bindings of a case for a surrounding: for a graph, one static and one dynamic.
fn bindings_of(surrounding: Surrounding, bindings: &[Binding]) -> Vec<Binding> {
    let of_graph = |dynamic| {
        let alike = |of: &&Binding| of.dynamic() == dynamic && of.layout() == Layout::RowMajor;
        let mut alike = bindings.iter().filter(alike).copied();
        let source = surrounding.source(dynamic)?;
        let first = alike.clone().next();
        alike.find(|of| of.source() == source).or(first)
    };
    match surrounding.has_graph() {
        true => [false, true].into_iter().filter_map(of_graph).collect(),
        false => bindings.to_vec(),
    }
}

/// Whether this request can be in this surrounding.
pub(crate) fn is_possible(request: &Request, binding: Binding, surrounding: Surrounding) -> bool {
    let has_model = request.operator.model_files().is_some();
    let has_graph = || graph(request, binding, surrounding).is_some();
    match surrounding.row() {
        Row::Graph(..) => has_graph(),
        // The runs of a sequence are those of a model.
        Sequence(_, _, others) => {
            has_model && is_small(request) && others(request, binding).next().is_some()
        }
        Both(_, _, others) => has_graph() && others(request, binding).next().is_some(),
    }
}

/// Whether the request is small enough for surroundings.
fn is_small(request: &Request) -> bool {
    let count = Count::of(&request.data_shape).as_u64();
    TYPES.contains(&request.element_type)
        && request.data_shape.len() <= HIGHEST_RANK
        && count.is_some_and(|count| count <= MAX_ELEMENTS)
}

/// The element type of a case's trials in surroundings; `None` if the case has no suitable type.
pub(crate) fn element_type(of_case: &[ElementType]) -> Option<ElementType> {
    of_case.iter().copied().find(|of| TYPES.contains(of))
}

/// The graph of a surrounding, without the elements of constant data; `None` for a sequence of the lone node, or if the
/// request cannot be in it.
pub(super) fn graph(
    request: &Request,
    binding: Binding,
    surrounding: Surrounding,
) -> Option<Graph> {
    let (Row::Graph(.., build) | Both(_, build, _)) = surrounding.row() else {
        return None;
    };
    let is_written = request.operator.model_files()?.has_surroundings();
    let mut graph = (is_written && is_small(request)).then(|| Graph::lone(request, binding))?;
    build(&mut graph, request, binding)?;
    Some(graph)
}

/// The shape that an output can declare: the result, or without a result, the shape that the target names.
fn declared(request: &Request) -> Option<Vec<u64>> {
    match resolve(request) {
        Resolution::Reshaped(shape) => Some(shape.into_vec()),
        Resolution::Rejected(_) => {
            let target = request.target.as_ref().filter(|target| target.is_flat())?;
            let length = |value: &i128| i64::try_from(*value).ok().filter(|value| *value > 0);
            let lengths = target.values.iter().map(length);
            lengths.map(|of| of.map(i64::cast_unsigned)).collect()
        }
        // A declaration would answer the question.
        Resolution::Open { .. } => None,
    }
}

/// A part of a computed target.
enum Piece {
    /// The dim of the data at this index.
    Dim(usize),
    /// The dims of the data from the first up to, but without, this one.
    Dims(usize),
    /// A constant.
    Value(i64),
}

/// The values of a target that can be joined from pieces, and the dims of the data; `None` for other targets.
fn joined(request: &Request, binding: Binding) -> Option<(&[i128], Vec<i128>)> {
    let target = request.target.as_ref()?;
    let is_list = target.is_flat() && target.element_type == ElementType::I64;
    let can_be = binding.source() == TargetSource::Constant && is_list && !target.values.is_empty();
    let dims = request.data_shape.iter().map(|dim| (*dim).into());
    can_be.then(|| (target.values.as_slice(), dims.collect()))
}

/// Pieces for these values. The first `most` are computed if they are a dim of the data, preferably at their own index.
/// `None` if a value does not fit an i64.
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

/// Computes all values of the target but the last from the data dims.
fn compute_most_dims(graph: &mut Graph, request: &Request, binding: Binding) -> Option<()> {
    graph.compute_target(&with_most_dims(request, binding)?)
}

/// Pieces for all values, of which all but the last are computed if they are a dim of the data.
fn with_most_dims(request: &Request, binding: Binding) -> Option<Vec<Piece>> {
    let (values, dims) = joined(request, binding)?;
    with_dims(values, &dims, values.len() - 1)
}

/// The values of these pieces for data of these dims.
fn values_of(pieces: &[Piece], dims: &[u64]) -> Vec<i128> {
    let of_piece = |piece: &Piece| match piece {
        Piece::Dim(index) => vec![dims[*index].into()],
        Piece::Dims(count) => dims[..*count].iter().map(|dim| (*dim).into()).collect(),
        Piece::Value(value) => vec![(*value).into()],
    };
    pieces.iter().flat_map(of_piece).collect()
}

/// As `computed`; `None` if no value is computed.
fn with_dims(values: &[i128], dims: &[i128], most: usize) -> Option<Vec<Piece>> {
    let is_dim = |piece: &Piece| matches!(piece, Piece::Dim(_));
    computed(values, dims, most).filter(|pieces| pieces.iter().any(is_dim))
}

impl Graph {
    /// The node under test.
    fn tested(&mut self) -> &mut Node {
        // The graph is built around it.
        let position = self
            .nodes
            .iter()
            .position(|node| node.operation == Operation::UnderTest);
        &mut self.nodes[position.unwrap_or(0)]
    }

    pub(super) fn has_transpose(&self) -> bool {
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

    /// Puts a node between the input `data`, whose dims then change, and the node under test.
    fn add_before(&mut self, operation: Operation, dims: Vec<u64>) {
        let node = self.node(operation, &["data"], GIVEN);
        self.tested().inputs[0] = GIVEN.to_owned();
        self.inputs[0].dims = dims;
        self.nodes.insert(0, node);
    }

    /// Lets a node take the input `data`, whose result stays unused. Some loaders ignore an input that no node takes.
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
            // A 0 copies, so the dims come from the data, with one dim more.
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

    /// The data comes with its first dim last. `None` for fewer than two dims.
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

    /// As many dims as the target has values, all of them copied. A target without values would raise the question of
    /// empty targets.
    fn add_reshape_after(&mut self, request: &Request, _: Binding) -> Option<()> {
        let dims = request.target.as_ref()?.values.len();
        let copies = Operation::Reshape(vec![0; (dims > 0).then_some(dims)?]);
        self.rename_output();
        self.add(copies, &[TESTED], OUTPUT);
        Some(())
    }

    /// Another node also takes the data. Its result reaches the output without changing it: the sum of all elements
    /// minus itself.
    fn share_data(&mut self, request: &Request, _: Binding) -> Option<()> {
        // In older versions, Add does not broadcast.
        let operator = request.operator;
        let broadcasts = operator.model_files()?.broadcasts_in(operator.version);
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
        self.add(Operation::Sum(rank), &["negative"], "sum");
        self.add(Operation::Subtract, &["sum", "sum"], "nothing");
        self.add(Operation::Add, &[TESTED, "nothing"], OUTPUT);
        Some(())
    }

    /// Joins the target from these pieces.
    fn compute_target(&mut self, pieces: &[Piece]) -> Option<()> {
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
            // Exporters query the dims separately each time.
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
        Some(())
    }
}
