//! Mutants of what an optimizer does to the nodes around a Reshape, of what a model remembers between runs, and of whose
//! memory the output is in.

use super::mutants;
use crate::model::sequences::other_target;
use crate::model::surroundings::{
    Surrounding, declared, dims_before_reshape, dims_before_two_reshapes, lengths_behind,
    values_of, with_most_dims,
};
use crate::semantics::operator::{Binding, Reason, TargetSource};
use crate::semantics::oracle::copies_zero;
use crate::semantics::request::Request;
use crate::tensor::{Count, ElementType};
use crate::verdict::mutant::behavior::{Behavior, Few, Memory, Neighbors};
use crate::verdict::mutant::content::{Content, I64_THROUGH_F64, Place, column_major};

use Surrounding::{
    AfterCast, AfterReshape, AfterTranspose, BeforeFlatten, BeforeLengths, BeforeReshape,
    BetweenReshapes, ComputedTarget, ComputedTargetAfterOtherShape, ComputedTargetFirst,
    ComputedTargetSliced, ConstantData, DeclaredOutput, InsideFunction, SharedData,
    TargetOverridable, TypedFields,
};

mutants! { COMPANY;
    "fused-reshapes-copy-zeros": "merges two Reshapes in a row into one, which copies every 0" =>
        in &[AfterReshape, BeforeReshape] => |b| b.copies = |_, _, _| Some(true),
    "fused-reshapes-copy-first-dims":
        "merges two Reshapes of constant targets into one, which copies dims of the first one's data" =>
        |b| {
            within(b, &[AfterReshape], |b| b.target = copy_first_dims);
            // The Reshape behind copies every dim.
            within(b, &[BeforeReshape], |b| b.target = |values, request, binding| if binding.source() == TargetSource::Constant {
                copy_dims(values, &request.data_shape);
            });
        },
    "reshape-after-reshape-infers-its-zero":
        "infers a 0 of the target like a -1 where the data comes out of another Reshape" =>
        in &[AfterReshape] => |b| b.target = |values, _, _| {
            let zero = values.iter().position(|value| *value == 0);
            if let Some(zero) = zero.filter(|_| !values.contains(&-1)) { values[zero] = -1 }
        },
    "computed-value-is-minus-one":
        "reads the only value that is computed from a dim at another index as -1, if the target has no -1 and the data \
        dims are not declared" =>
        |b| {
            within(b, &[ComputedTargetFirst], |b| b.target = |values, request, of| forget_computed(values, 1, request, of));
            within(b, &[ComputedTarget, ComputedTargetAfterOtherShape], |b| b.target = |values, request, binding| {
                let most = values.len().saturating_sub(1);
                forget_computed(values, most, request, binding);
            });
        },
    "joined-target-copies-zeros":
        "copies every 0 of a target that a Concat gives, whatever the attribute says" =>
        in Surrounding::JOINED => |b| b.copies = |_, _, _| Some(true),
    "joined-target-in-i32": "keeps 32 bits of each value of a target that a Concat gives" =>
        in Surrounding::JOINED => |b| b.value = |value, _| i128::from(value as i32),
    "joined-target-clamped": "takes a negative value of a target that a Concat gives as 0" =>
        in Surrounding::JOINED => |b| b.value = |value, _| value.max(0),
    "zero-mode-lost-in-a-function": "copies every 0 inside a function, whatever the attribute says" =>
        in &[InsideFunction] => |b| b.copies = |_, _, _| Some(true),
    "overridable-target-stays": "takes the target in the model where the run passes another" =>
        in &[TargetOverridable] =>
        |b| b.target = |values, request, _| if let Some(other) = other_target(request) { *values = other.values.into() },
    "typed-target-in-32-bit-words": "reads a 64-bit target in its own field as 32-bit words" =>
        in &[TypedFields] => |b| b.target = |values, _, binding| {
            let words = values.iter().flat_map(|value| [*value as i32, (value >> 32) as i32]);
            let words = words.take(values.len()).map(i128::from);
            // Where the dims of the data are not declared, the target is an i32.
            if !binding.dynamic() { *values = words.collect() }
        },
    "typed-value-is-a-scalar": "refuses a constant target of one value in its own field, which it takes for a scalar" =>
        in &[TypedFields] => |b| b.refuses.push(|request, of| !of.dynamic() && request.values().len() == 1),
    "cast-loses-the-sign": "takes a negative value of an i32 target as unsigned where a Cast makes it i64" =>
        in &[AfterCast, TypedFields] => |b| b.target = |values, _, binding| if binding.dynamic() {
            values.iter_mut().for_each(|value| *value &= i128::from(u32::MAX));
        },
    "next-reshape-decides-zeros": "copies every 0 before another Reshape that copies, whatever the attribute says" =>
        in &[BeforeReshape] => |b| b.copies = |_, _, _| Some(true),
    "typed-data-through-f64": "reads constant i64 data in its own field through f64" =>
        in &[TypedFields] => |b| b.content.push(I64_THROUGH_F64),
    "typed-i64-as-u32": "reads i64 constants in their own field as unsigned 32 bits" =>
        in &[TypedFields] => |b| {
            b.content.push(Content::Through(ElementType::I64, |bits| bits & u64::from(u32::MAX)));
            b.target = |values, _, binding| if !binding.dynamic() {
                values.iter_mut().for_each(|value| *value &= i128::from(u32::MAX));
            };
        },
    "folded-data-loses-empty-dims":
        "loses the output dims of length 0 where the data is constant" =>
        in &[ConstantData] => |b| b.shape.push(|shape, _| shape.retain(|dim| *dim != 0)),
    "next-reshape-replaces-it": "leaves out a Reshape before another one, which has only lengths" =>
        in &[BeforeLengths] => |b| b.target = take_lengths_behind,
    "first-of-two-reshapes-left-out": "leaves out a Reshape before another one, whatever its target" => |b| {
        within(b, &[AfterReshape], |b| b.copied = |zero| dims_before_reshape(zero.data)?.get(zero.index).copied());
        within(b, &[BeforeReshape], |b| leaves_out(b, |values, request, _| copy_dims(values, &request.data_shape)));
        within(b, &[BetweenReshapes], |b| leaves_out(b, |values, request, _| {
            let (first, infers) = dims_before_two_reshapes(&request.data_shape).unwrap_or_default();
            copy_dims(values, &first);
            if infers && let Some(last) = values.last_mut() { *last = -1 }
        }));
        within(b, &[BeforeLengths], |b| leaves_out(b, take_lengths_behind));
    },
    "flatten-replaces-it": "leaves out a Reshape before a Flatten" =>
        in &[BeforeFlatten] => |b| b.target = |values, request, _| {
            let (first, rest) = request.data_shape.split_at(request.data_shape.len().min(1));
            let dims = [first, rest].into_iter().filter_map(|of| Count::of(of).as_u64());
            *values = dims.map(i128::from).collect();
        },
    "view-forgets-strides": "gives the elements as they lie before a Transpose" =>
        in TRANSPOSED => |b| b.content.push(Content::Place(before_transpose)),
    "transpose-of-equal-dims-dropped":
        "gives the elements as they lie before a Transpose that leaves the declared dims as they are" =>
        in TRANSPOSED => |b| b.content.push(Content::Place(|p| dropped(p, !p.binding.dynamic() && has_equal_dims(p)))),
    "transpose-that-keeps-the-dims-dropped": "gives the elements as they lie before a Transpose that leaves the dims as they are" =>
        in TRANSPOSED => |b| b.content.push(Content::Place(|p| dropped(p, has_equal_dims(p)))),
    "transpose-beside-a-dim-of-1-dropped":
        "gives the elements as they lie before a Transpose, if a dim is declared as 1" =>
        in TRANSPOSED => |b| b.content.push(Content::Place(|p| dropped(p, !p.binding.dynamic() && p.data_shape.contains(&1)))),
    "declared-output-is-trusted": "does not check the count where the output declares its shape" =>
        in &[DeclaredOutput] => |b| b.checks.push(|_| false),
    "declared-output-is-trusted-if-empty":
        "does not check the count where the output declares its shape, as it also does for an empty target" => |b| {
            b.checks.push(|c| !c.target_empty);
            within(b, &[DeclaredOutput], |b| b.checks.push(|_| false));
        },
    "computed-values-are-the-first": "takes the first value that is computed from a dim for each such value" =>
        in &[ComputedTarget] => |b| b.target = first_computed,
    "gathers-of-a-shape-are-one": "takes one dim for all that are read from one Shape" =>
        in &[ComputedTargetAfterOtherShape] => |b| b.target = first_computed,
    "slice-to-the-end-loses-the-last": "leaves out the last dim of data whose whole Shape a Slice puts into the target" =>
        in &[ComputedTargetSliced] => |b| b.target = |values, request, _| {
            let dims: Few<i128> = request.dims_as_values().collect();
            if !dims.is_empty() && values.starts_with(&dims) {
                values.remove(dims.len() - 1);
            }
        },
    "shape-of-four-dims-reordered": "reads the second of four data dims last where the target is computed from them" =>
        in &[ComputedTarget, ComputedTargetAfterOtherShape] => |b| b.target = |values, request, binding| {
            let pieces = with_most_dims(request, binding);
            if let ([first, second, third, last], Some(pieces)) = (&request.data_shape[..], pieces) {
                *values = values_of(&pieces, &[*first, *third, *last, *second]).into();
            }
        },
    "declared-output-is-taken": "gives the shape that the output declares, if it has as many elements as the data" =>
        in &[DeclaredOutput] => |b| b.target = |values, request, _| {
            let dims = declared(request).unwrap_or_default();
            let fits = Count::of(&dims) == Count::of(&request.data_shape) && !dims.contains(&0);
            if fits { *values = dims.into_iter().map(i128::from).collect() }
        },
    "shared-data-spoiled-in-place": "gives data that another node which takes it has overwritten" =>
        in &[SharedData] => |b| b.content.extend(NEGATIVE),
}

mutants! { STATE;
    "first-target-stays": "keeps the first target of a model" => |b| b.memory = Memory::FirstTarget,
    "stale-elements": "gives the elements of the previous call" => |b| b.memory = Memory::LastData,
    "first-output-repeated": "gives the first output of a model in every run" =>
        |b| b.memory = Memory::FirstOutput,
    "refusal-gives-the-previous-output":
        "gives a model's previous output where it has to refuse a run" => |b| b.memory = Memory::LastOutput,
    "output-of-equal-size-keeps-its-shape":
        "keeps the shape of a model's previous output where the next one has as many elements" =>
        |b| b.memory = Memory::LastShape,
    "target-resolved-in-place": "overwrites the target of a model with the shape of its first output" =>
        |b| b.memory = Memory::ResolvedTarget,
    "first-computed-target-stays": "keeps the target that a model computed in its first run" =>
        |b| b.memory = Memory::FirstComputedTarget,
    "computed-target-comes-late": "takes the target that a model computed in its previous run" =>
        |b| b.memory = Memory::LastComputedTarget,
    "first-dims-copied": "copies zeros from the dims of a model's first data" => |b| b.memory = Memory::FirstDims,
    "first-inferred-length-stays": "keeps the length that the first run of a model inferred" =>
        |b| b.memory = Memory::FirstLength,
    "refused-run-breaks-the-model":
        "refuses every run of a model after one that it had to refuse" => |b| b.memory = Memory::Refusal,
    "output-buffer-reused": "overwrites each output of a model with the next one" => |b| b.memory = Memory::Buffer,
    "compiled-model-of-another-target":
        "takes a model of another target that lives, instead of compiling one" =>
        |b| b.memory = Memory::FirstModel,
    "last-compiled-model-wins": "runs the model that was compiled last" => |b| b.memory = Memory::LastModel,
    "release-frees-other-models": "refuses the runs of a model after another one is released" =>
        |b| b.memory = Memory::Release,
    "inputs-shared-by-threads": "takes the inputs of a concurrent run" =>
        |b| b.memory = Memory::InputsOfConcurrentRun,
    "elements-shared-by-threads": "gives the elements of a concurrent run that has as many" =>
        |b| b.memory = Memory::ElementsOfConcurrentRun,
    "target-shared-by-threads": "takes the target of a concurrent run" =>
        |b| b.memory = Memory::TargetOfConcurrentRun,
    "shape-shared-by-threads":
        "gives the output shape of a concurrent run that has as many elements" =>
        |b| b.memory = Memory::ShapeOfConcurrentRun,
}

// Only the Array API standard speaks of whose memory the output is in, and of views.
mutants! { MEMORY;
    "copies-despite-copy-false": "copies the elements, even with copy=False" => |b| b.shares = Some(false),
    "shares-despite-copy-true": "shares the memory of the data, even with copy=True" => |b| b.shares = Some(true),
    "strided-view-read-as-contiguous": "reads a transposed view as if its elements lay row by row" => |b| {
        b.content.push(Content::Place(|p| match p.binding == Binding::EagerPermuted {
            // The order of one dim is the order in memory.
            true => column_major(&Place { shape: &[p.count as u64], ..*p }),
            false => Some(p.index),
        }));
    },
}

/// Where the data comes out of a Transpose, if it has several dims.
const TRANSPOSED: &[Surrounding] = &[AfterTranspose, SharedData];

/// Negates each element, for the types of trials in surroundings.
const NEGATIVE: [Content; 3] = [
    Content::Floats(|bits, format| Some(bits ^ format.sign_bit())),
    Content::Through(ElementType::I64, u64::wrapping_neg),
    Content::Through(ElementType::I32, |bits| {
        u64::from((bits as u32).wrapping_neg())
    }),
];

fn within(behavior: &mut Behavior, within: &'static [Surrounding], breaks: fn(&mut Behavior)) {
    behavior.neighbors.push(Neighbors { within, breaks });
}

/// Leaves out a Reshape, whose target nobody checks then, and gives another one instead these values.
fn leaves_out(behavior: &mut Behavior, target: fn(&mut Few<i128>, &Request, Binding)) {
    behavior.target = target;
    let overlooked = [Reason::TargetType, Reason::TargetNotFlat];
    behavior.overlooks.extend(overlooked);
}

/// As many dims as there are values, each an invalid value where there is no such dim.
fn copy_dims(values: &mut Few<i128>, dims: &[u64]) {
    let copied = (0..values.len()).map(|at| dims.get(at));
    *values = copied
        .map(|dim| dim.map_or(i128::MIN, |dim| (*dim).into()))
        .collect();
}

/// The lengths of the Reshape behind.
fn take_lengths_behind(values: &mut Few<i128>, request: &Request, _: Binding) {
    let lengths = lengths_behind(request).unwrap_or_default();
    *values = lengths.into_iter().map(i128::from).collect();
}

/// Replaces with -1 the only one of the first `most` values that is a dim of the data, but not at its own index.
/// Nothing changes if there are several such values, or if there is a -1.
fn forget_computed(values: &mut [i128], most: usize, request: &Request, binding: Binding) {
    let dims: Vec<i128> = request.dims_as_values().collect();
    let is_elsewhere = |index: &usize| {
        let value = &values[*index];
        dims.get(*index) != Some(value) && dims.contains(value)
    };
    let elsewhere: Vec<usize> = (0..values.len().min(most)).filter(is_elsewhere).collect();
    if let ([index], true, false) = (&elsewhere[..], binding.dynamic(), values.contains(&-1)) {
        values[*index] = -1;
    }
}

/// Replaces each 0 of a constant target that copies by the dim of what the Reshape before takes; by an invalid value if
/// that has no such dim.
fn copy_first_dims(values: &mut Few<i128>, request: &Request, binding: Binding) {
    if binding.source() == TargetSource::Runtime || copies_zero(request) != Some(true) {
        return;
    }
    let first = dims_before_reshape(&request.data_shape).unwrap_or_default();
    // Before empty data, the Reshape only removes a dim of 1.
    if first.contains(&0) {
        return;
    }
    let zeros = values.iter_mut().enumerate();
    for (at, value) in zeros.filter(|(_, value)| **value == 0) {
        *value = first.get(at).map_or(i128::MIN, |dim| (*dim).into());
    }
}

/// The index in the data of the element at this place, if a Transpose is dropped where this holds.
fn dropped(place: &Place<'_>, holds: bool) -> Option<usize> {
    if holds {
        before_transpose(place)
    } else {
        Some(place.index)
    }
}

fn has_equal_dims(place: &Place<'_>) -> bool {
    place.data_shape.windows(2).all(|two| two[0] == two[1])
}

/// Each value but the last that is a dim of the data becomes the first of these.
fn first_computed(values: &mut Few<i128>, request: &Request, _: Binding) {
    let most = values.len().saturating_sub(1);
    let is_dim = |value: &i128| request.dims_as_values().any(|dim| dim == *value);
    let mut computed = values[..most].iter_mut().filter(|value| is_dim(value));
    if let Some(first) = computed.next().map(|value| *value) {
        computed.for_each(|value| *value = first);
    }
}

/// The index in the data of the element at this place before the Transpose, which moves the first dim to the end.
fn before_transpose(place: &Place<'_>) -> Option<usize> {
    let first = place.data_shape.first().copied();
    let first = first.and_then(|dim| usize::try_from(dim).ok())?;
    let rest = place.count.checked_div(first)?;
    Some(place.index % first * rest + place.index / first)
}
