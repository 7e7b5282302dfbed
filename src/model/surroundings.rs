//! Surroundings: the graph around the node, or the other runs of its model. The node gets the case's data and target,
//! and its output is passed on unchanged. So a surrounding never changes the expectation.

mod build;
#[cfg(test)]
mod tests;

use super::graph::{Graph, Operation};
use super::sequences;
use crate::names::{named_enum, table};
use crate::semantics::operator::{Binding, Layout, ModelFiles, Operator, TargetSource};
use crate::semantics::oracle::{Resolution, resolve};
use crate::semantics::request::Request;
use crate::tensor::{Count, ElementType};
pub(super) use build::GIVEN;
use build::{Piece, computed, joined, with_dims};
pub(crate) use build::{dims_before_reshape, dims_before_two_reshapes, values_of, with_most_dims};

/// What a surrounding consists of, with its description.
enum Row {
    /// Other nodes, for some operators and data; the target's source where the data dims are static, and where they are dynamic.
    Nodes(For, Keeps, [TargetSource; 2], &'static str, Build),
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

/// Whether the operators of this version are tested in a graph. Graphs of today's models are not asked of older versions, so
/// the number of trials stays small.
type For = fn(ModelFiles, u32) -> bool;

const ALL: For = |_, _| true;
const RECENT: For = |files, version| files != ModelFiles::Onnx || version >= 14;
const RECENT_ONNX: For = |files, version| files == ModelFiles::Onnx && version >= 14;
/// onnx's reference evaluator, the control, has no DequantizeLinear before, and an IR of that time no functions.
const ONNX_19: For = |files, version| files == ModelFiles::Onnx && version >= 19;

/// Whether the nodes around leave data with these elements as it is.
type Keeps = fn(Elements) -> bool;

const ANY: Keeps = |_| true;
const WHOLE: Keeps = |of| of.by_index;
const SMALL: Keeps = |of| of.fit_i8;

/// Makes the requests of a sequence's other runs; empty if the request has no such sequence.
type Others = for<'a> fn(&'a Request, Binding) -> sequences::Others<'a>;

/// Builds a surrounding around the lone node in the graph; `None` if the request cannot be in it.
type Build = fn(&mut Graph, &Request, Binding) -> Option<()>;

use OtherRuns::{Concurrent, Earlier, OfOtherModels};
use Row::{Both, Nodes, Sequence};
use TargetSource::{Constant, Runtime};

named_enum! {
    /// A small graph around the node, or a sequence of runs.
    #[allow(missing_docs, reason = "each has a description")]
    pub enum Surrounding: Row, "surrounding" {
        /// The data comes out of another Reshape, from a different shape with the same count.
        AfterReshape = "after-reshape" => Nodes(ALL, ANY, [Constant, Constant],
            "the data comes out of another Reshape",
            |graph, _, binding| graph.add_reshape_before(binding.dynamic())),
        BeforeReshape = "before-reshape" => Nodes(ALL, ANY, [Constant, Runtime],
            "the output goes through a Reshape that copies every dim",
            Graph::add_reshape_after),
        BeforeLengths = "before-reshape-to-lengths" => Nodes(RECENT, ANY, [Constant, Runtime],
            "the output goes through a Reshape to lengths that fit the data",
            |graph, request, _| {
                lengths_behind(request).map(|of| graph.add_after(Operation::Reshape(of)))
            }),
        AfterTranspose = "after-transpose" => Nodes(ALL, ANY, [Constant, Constant],
            "the data comes out of a Transpose",
            |graph, _, _| graph.add_transpose_before()),
        ConstantData = "constant-data" => Nodes(ALL, ANY, [Constant, Runtime],
            "the data is a constant",
            |graph, _, _| graph.hold_data()),
        /// Every value of the target but the last is read from the dims of the data, where they agree with it.
        ComputedTarget = "computed-target" => Nodes(ALL, ANY, [Constant, Constant],
            "the target is computed: all values but the last come from the Shape of the data",
            |graph, request, binding| {
                graph.compute_target(&with_most_dims(request, binding)?, false)
            }),
        ComputedTargetFirst = "computed-target-first" => Nodes(ALL, ANY, [Constant, Constant],
            "the target is computed: its first value comes from the Shape of the data",
            |graph, request, binding| {
                let (values, dims) = joined(request, binding)?;
                graph.compute_target(&with_dims(values, &dims, 1)?, false)
            }),
        ComputedTargetSliced = "computed-target-sliced" => Nodes(ALL, ANY, [Constant, Constant],
            "the target is computed: it begins with a Slice of the Shape of the data",
            |graph, request, binding| {
                let (values, dims) = joined(request, binding)?;
                let same = values.iter().zip(&dims);
                let count = same.take_while(|(value, dim)| value == dim).count();
                let mut pieces = vec![Piece::Dims((count > 0).then_some(count)?)];
                pieces.extend(computed(&values[count..], &[], 0)?);
                graph.compute_target(&pieces, false)
            }),
        ComputedTargetNone = "computed-target-none" => Nodes(ALL, ANY, [Constant, Constant],
            "the target is joined from constants by a Concat",
            |graph, request, binding| {
                let (values, _) = joined(request, binding)?;
                graph.compute_target(&computed(values, &[], 0)?, false)
            }),
        DeclaredOutput = "declared-output" => Nodes(ALL, ANY, [Constant, Runtime],
            "the output declares the correct shape",
            declare_output),
        SharedData = "shared-data" => Nodes(ALL, WHOLE, [Constant, Constant],
            "another node takes the data too",
            Graph::share_data),
        /// The dims of the earlier runs give other targets.
        ComputedTargetAfterOtherShape = "computed-target-after-other-shape" => Row::Both(
            "the target is computed as in `computed-target` from one Shape, and the model ran before with data for which it is another",
            |graph, request, binding| graph.compute_target(&with_most_dims(request, binding)?, true),
            |request, binding| match with_most_dims(request, binding) {
                Some(pieces) if binding.dynamic() => {
                    sequences::with_other_targets(request, move |dims| values_of(&pieces, dims))
                }
                Some(_) | None => Box::new(std::iter::empty()),
            },
        ),
        /// The target of the Reshape before copies one dim and computes another.
        BetweenReshapes = "between-reshapes" => Nodes(RECENT, ANY, [Constant, Constant],
            "the data comes out of a Reshape whose target has a -1 and a copied 0, and the output goes through another",
            Graph::add_reshapes_around),
        TargetFromReshape = "target-from-reshape" => Nodes(RECENT, ANY, [Constant, Runtime],
            "the target comes out of another Reshape",
            Graph::add_reshape_to_target),
        TargetFromReshapeDeclared = "target-from-reshape-declared" => Nodes(RECENT, ANY, [Runtime, Runtime],
            "the target comes out of another Reshape, and the output declares the correct shape",
            |graph, request, binding| {
                graph.add_reshape_to_target(request, binding)?;
                declare_output(graph, request, binding)
            }),
        TargetOverridable = "target-overridable" => Nodes(RECENT_ONNX, ANY, [Runtime, Runtime],
            "the target has another value in the model, which the run replaces",
            |graph, request, binding| {
                let other = sequences::other_target(request);
                let other = other.filter(|_| binding.source() == Runtime)?;
                graph.add_constant("shape", other.tensor());
                Some(())
            }),
        /// The data is a constant where its dims are declared; otherwise the target comes as i32.
        TypedFields = "typed-fields" => Nodes(RECENT_ONNX, ANY, [Constant, Constant],
            "the constants are in typed fields, such as int32_data or int64_data",
            |graph, request, binding| {
                graph.typed_fields = true;
                match binding.dynamic() {
                    true => graph.cast_target(request, binding),
                    false => graph.hold_data(),
                }
            }),
        Quantised = "quantised" => Nodes(ONNX_19, SMALL, [Constant, Runtime],
            "the data and the output each go through QuantizeLinear and DequantizeLinear",
            |graph, _, _| graph.quantise()),
        /// Where the dims of the data are not declared, the target comes out of a Cast, too.
        AfterCast = "after-cast" => Nodes(RECENT, WHOLE, [Constant, Constant],
            "the data is cast to a wider type and back",
            |graph, request, binding| {
                graph.cast_data(request)?;
                match binding.dynamic() {
                    true => graph.cast_target(request, binding),
                    false => Some(()),
                }
            }),
        BeforeFlatten = "before-flatten" => Nodes(RECENT_ONNX, ANY, [Constant, Runtime],
            "the output of rank 2 goes through a Flatten",
            |graph, request, _| {
                let gives = declared(request)?;
                let is_matrix = gives.len() == 2 && !Count::of(&request.data_shape).is_zero();
                is_matrix.then(|| graph.add_after(Operation::Flatten))
            }),
        /// The condition is computed where the dims of the data are not declared.
        InsideIf = "inside-if" => Nodes(RECENT_ONNX, ANY, [Constant, Runtime],
            "the node is in a branch of an If, and takes data and target from outside",
            |graph, _, binding| graph.branch(binding.dynamic())),
        InsideLoop = "inside-loop" => Nodes(RECENT_ONNX, ANY, [Constant, Runtime],
            "the node is in the body of a Loop, and takes data and target from outside",
            |graph, _, _| graph.iterate()),
        InsideFunction = "inside-function" => Nodes(ONNX_19, ANY, [Constant, Runtime],
            "the node is in a function of the model, and its data and target are the function's inputs",
            |graph, _, _| graph.define()),
        AfterOtherData = "after-other-data" =>
            Sequence(Earlier, "the model ran before with other data of the same shape", sequences::after_other_data),
        AfterOtherShape = "after-other-shape" =>
            Sequence(Earlier, "the model ran before with data of other shapes", sequences::after_other_shape),
        AfterOtherTarget = "after-other-target" =>
            Sequence(Earlier, "the model ran before with other targets", sequences::after_other_target),
        AfterRefusal = "after-refusal" =>
            Sequence(Earlier, "the model had to refuse a run before", sequences::after_refusal),
        /// Models with another target and an equal one are compiled before and after, run, and in part released.
        BetweenOtherModels = "between-other-models" =>
            Sequence(OfOtherModels, "other models and an equal one are compiled, run and released before and after it is compiled", sequences::between_other_models),
        BesideOtherRuns = "beside-other-runs" =>
            Sequence(Concurrent, "the model makes many runs, some at the same time", sequences::beside_other_runs),
    }
}

impl Surrounding {
    /// Those in which a Concat gives the target.
    pub(crate) const JOINED: &'static [Self] = &[
        Self::ComputedTarget,
        Self::ComputedTargetAfterOtherShape,
        Self::ComputedTargetFirst,
        Self::ComputedTargetSliced,
        Self::ComputedTargetNone,
    ];

    /// The target's source in its static and in its dynamic binding, for operators that have a choice; `None` for a
    /// sequence of the lone node, which has every binding.
    pub(crate) const fn source(self, dynamic: bool) -> Option<TargetSource> {
        match self.row() {
            Nodes(_, _, sources, ..) => Some(sources[dynamic as usize]),
            Both(..) => Some(Constant),
            Sequence(..) => None,
        }
    }

    /// Whether an operator is tested in it.
    pub(crate) fn tests(self, operator: &Operator) -> bool {
        let files = operator.family.models();
        let is_asked = |of: For| {
            files.is_some_and(|files| files.has_surroundings() && of(files, operator.version))
        };
        match self.row() {
            Nodes(of, ..) => is_asked(*of),
            Both(..) => is_asked(ALL),
            // The runs of a sequence are those of a model.
            Sequence(..) => files.is_some(),
        }
    }

    /// Whether data with these elements goes through it unchanged.
    pub(crate) fn keeps(self, elements: Elements) -> bool {
        !matches!(self.row(), Nodes(_, keeps, ..) if !keeps(elements))
    }

    /// Surroundings that are a part of it, the simplest first. A failure may not need the rest.
    pub(crate) fn simpler(self) -> &'static [Self] {
        use Surrounding::*;
        const PARTS: &[(Surrounding, &[Surrounding])] = table! {
            BetweenReshapes => &[AfterReshape, BeforeReshape],
            ComputedTarget => &[ComputedTargetNone, ComputedTargetFirst],
            ComputedTargetFirst => &[ComputedTargetNone],
            ComputedTargetSliced => &[ComputedTargetNone],
            ComputedTargetAfterOtherShape => &[AfterOtherShape, ComputedTarget],
            TargetFromReshapeDeclared => &[TargetFromReshape, DeclaredOutput],
            TypedFields => &[ConstantData],
            BesideOtherRuns => &[AfterOtherShape, AfterOtherTarget],
        };
        let own = PARTS.iter().find(|(whole, _)| *whole == self);
        own.map_or(&[], |(_, parts)| *parts)
    }

    /// Whether there are other runs.
    pub(crate) const fn is_sequence(self) -> bool {
        matches!(self.row(), Sequence(..) | Both(..))
    }

    /// Whether the model has other nodes.
    pub(crate) const fn has_graph(self) -> bool {
        matches!(self.row(), Nodes(..) | Both(..))
    }

    /// The requests of a sequence's other runs, in order; empty for a graph, or if this request has no such sequence.
    pub(crate) fn other_runs(self, request: &Request, binding: Binding) -> sequences::Others<'_> {
        match self.row() {
            Nodes(..) => Box::new(std::iter::empty()),
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
            Nodes(.., description, _) | Sequence(_, description, _) | Both(description, ..) => {
                description
            }
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

/// What is known about the elements of a case's data.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Elements {
    /// Whether they are whole numbers, which stay the same when zero is added or their type is a wider one.
    pub(crate) by_index: bool,
    /// Whether each is a whole number that an i8 holds.
    pub(crate) fit_i8: bool,
}

/// The possible surroundings for a case with these bindings, each with the binding. A graph gets one static and one
/// dynamic binding, if the case has them; a sequence gets all.
pub(crate) fn candidates(
    bindings: &[Binding],
    elements: Elements,
) -> impl Iterator<Item = (Binding, Surrounding)> {
    let surroundings = Surrounding::ALL.iter().copied();
    let all = surroundings.filter(move |of| of.keeps(elements));
    all.flat_map(|surrounding| {
        let bindings = bindings_of(surrounding, bindings).into_iter();
        bindings.map(move |binding| (binding, surrounding))
    })
}

/// The bindings of a case for a surrounding: for a graph, one static and one dynamic.
pub(crate) fn bindings_of(surrounding: Surrounding, bindings: &[Binding]) -> Vec<Binding> {
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
    let has_graph = || graph(request, binding, surrounding).is_some();
    let has_runs = || surrounding.other_runs(request, binding).next().is_some();
    surrounding.tests(request.operator)
        && is_small(request)
        && (!surrounding.has_graph() || has_graph())
        && (!surrounding.is_sequence() || has_runs())
}

/// Whether the request is small enough for surroundings.
fn is_small(request: &Request) -> bool {
    TYPES.contains(&request.element_type)
        && request.data_shape.len() <= HIGHEST_RANK
        && Count::of(&request.data_shape).is_at_most(MAX_ELEMENTS)
}

/// The element types of a case that its trials in surroundings can have. The suite uses the first.
pub(crate) fn element_types(of_case: &[ElementType]) -> impl Iterator<Item = ElementType> {
    of_case.iter().copied().filter(|of| TYPES.contains(of))
}

/// The graph of a surrounding, without the elements of constant data; `None` for a sequence of the lone node, or if the
/// request cannot be in it.
pub(super) fn graph(
    request: &Request,
    binding: Binding,
    surrounding: Surrounding,
) -> Option<Graph> {
    let (Nodes(.., build) | Both(_, build, _)) = surrounding.row() else {
        return None;
    };
    let is_tested = surrounding.tests(request.operator) && is_small(request);
    let mut graph = is_tested.then(|| Graph::lone(request, binding))?;
    build(&mut graph, request, binding)?;
    Some(graph)
}

/// The target of a Reshape behind the node: the result, or where the node must refuse, one of as many values that the data fits.
/// `None` unless all its values are lengths.
pub(crate) fn lengths_behind(request: &Request) -> Option<Vec<i64>> {
    let dims = match resolve(request) {
        Resolution::Reshaped(shape) => shape.into_vec(),
        Resolution::Rejected(_) => {
            sequences::with_first(request, Count::of(&request.data_shape).as_u64()?)
        }
        Resolution::Open { .. } => return None,
    };
    let are_lengths = !dims.is_empty() && !dims.contains(&0);
    are_lengths.then(|| dims.into_iter().map(u64::cast_signed).collect())
}

/// The output declares the correct shape.
fn declare_output(graph: &mut Graph, request: &Request, _: Binding) -> Option<()> {
    graph.declared = Some(declared(request)?);
    Some(())
}

/// The shape that an output can declare: the result, or without a result, the shape that the target names.
pub(crate) fn declared(request: &Request) -> Option<Vec<u64>> {
    match resolve(request) {
        Resolution::Reshaped(shape) => Some(shape.into_vec()),
        Resolution::Rejected(_) => {
            let target = request.target.as_ref().filter(|target| target.is_flat())?;
            let length = |value: &i128| i64::try_from((*value).max(0)).ok();
            let lengths = target.values.iter().map(length);
            let lengths = lengths.map(|of| of.map(i64::cast_unsigned));
            let mut dims: Vec<u64> = lengths.collect::<Option<_>>()?;
            // What is no length, such as a second -1, does not show in the count.
            if let Some(free) = dims.iter().position(|dim| *dim == 0) {
                dims.iter_mut().for_each(|dim| *dim = (*dim).max(1));
                let count = Count::of(&request.data_shape);
                dims[free] = count.divided_by(&Count::of(&dims))?.as_u64()?;
            }
            Some(dims)
        }
        // A declaration would answer the question.
        Resolution::Open { .. } => None,
    }
}
