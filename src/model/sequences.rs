//! Sequences: the runs of a model before the one that is judged, or beside it. They follow from the name of the trial, so
//! it reruns alone.

#[cfg(test)]
mod tests;

use crate::spec::operator::{Binding, TargetSource};
use crate::spec::oracle::{Resolution, resolve};
use crate::spec::request::{Call, Request};
use crate::spec::surrounding::Surrounding;
use crate::tensor::{Count, ElementType, Fill, Tensor};
use std::cmp::Ordering;

/// The most elements of the data of another run, where a dim of 0 counts as 1: no limit of a backend may be met by it.
const MOST_ELEMENTS: u64 = 1 << 17;
/// Where the elements of another run begin, times its number: no two runs have the same. f32 holds them all.
const FIRST_ELEMENT: u32 = 1 << 20;

/// The runs beside one that is made at the same time as others: on two cores, threads then take turns.
const BESIDE: usize = 3;
/// How often runs are made at once: a single time may pass without any of them meeting.
const ROUNDS: usize = 4;

/// The other runs of a call, in order, with their data; none unless it stands in a sequence.
pub(crate) fn others(call: &Call<'_>) -> Vec<(Request, Tensor)> {
    let requests = requests(call.request, call.binding, call.surrounding);
    let with_data = |(number, request): (u32, Request)| {
        let fill = Fill::From(number * FIRST_ELEMENT);
        let data = fill.tensor(request.element_type, request.data_shape.clone());
        (request, data)
    };
    (1..).zip(requests).map(with_data).collect()
}

/// The order of this many runs that are made at once, in each round: each of them is the first in some.
pub(crate) fn rounds(count: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..ROUNDS).map(move |round| (0..count).map(|place| (place + round) % count).collect())
}

/// What the other runs ask for, in order: the same model makes all of them. Empty if the sequence cannot be made for
/// this request, or would show nothing.
pub(crate) fn requests(
    request: &Request,
    binding: Binding,
    sequence: Option<Surrounding>,
) -> Vec<Request> {
    let at_run = binding.source() == TargetSource::Runtime;
    match sequence {
        Some(Surrounding::AfterOtherData) if gives_elements(request) => vec![request.clone()],
        Some(Surrounding::AfterOtherShape) if binding.dynamic() => other_shapes(request),
        Some(Surrounding::AfterOtherTarget) if at_run => other_targets(request),
        Some(Surrounding::AfterRefusal) if !is_refused(request) => {
            let mut others = match (at_run, binding.dynamic()) {
                (true, _) => with_targets(request, too_long(request)),
                (false, true) => with_shapes(request),
                (false, false) => Vec::new(),
            }
            .into_iter();
            others.find(is_refused).into_iter().collect()
        }
        Some(Surrounding::BesideOtherRuns) if gives_elements(request) => beside(request, binding),
        _ => Vec::new(),
    }
}

/// The request with another shape and with another target, as far as the binding leaves them open, and as it is.
fn beside(request: &Request, binding: Binding) -> Vec<Request> {
    let at_run = binding.source() == TargetSource::Runtime;
    let shapes = binding.dynamic().then(|| other_shapes(request));
    let targets = at_run.then(|| other_targets(request));
    let first = |of: Option<Vec<Request>>| of.into_iter().flatten().next();
    let others = [first(shapes), first(targets)].into_iter().flatten();
    let same = std::iter::repeat(request.clone());
    others.chain(same).take(BESIDE).collect()
}

/// The shape of the output; `None` if the text requires none.
fn output(request: &Request) -> Option<Vec<u64>> {
    match resolve(request) {
        Resolution::Reshaped(shape) => Some(shape.into()),
        Resolution::Rejected(_) | Resolution::Open { .. } => None,
    }
}

fn is_accepted(request: &Request) -> bool {
    output(request).is_some()
}

/// Whether it is accepted, and its output has elements.
fn gives_elements(request: &Request) -> bool {
    is_accepted(request) && !Count::of(&request.data_shape).is_zero()
}

fn is_refused(request: &Request) -> bool {
    matches!(resolve(request), Resolution::Rejected(_))
}

/// The request with data that has more elements, with data that has fewer, and with as many in another shape, as far as the
/// target suits them.
fn other_shapes(request: &Request) -> Vec<Request> {
    let count = |of: &Request| Count::of(&of.data_shape).as_u64();
    let others = with_shapes(request);
    let kinds = [Ordering::Greater, Ordering::Less, Ordering::Equal];
    let of_kind = |kind| {
        let mut others = others.iter();
        others.find(|other| count(other).cmp(&count(request)) == kind && is_accepted(other))
    };
    kinds.into_iter().filter_map(of_kind).cloned().collect()
}

/// The request with data of other shapes of the same rank.
fn with_shapes(request: &Request) -> Vec<Request> {
    let dims = &request.data_shape;
    let mut shapes = Vec::new();
    for (index, length) in dims.iter().enumerate() {
        let shorter = [length / 2, length.saturating_sub(1)];
        let shorter = shorter.into_iter().filter(|length| *length > 0);
        let longer = [length.saturating_mul(2), length.saturating_add(1)];
        for other in longer.into_iter().chain(shorter) {
            let mut shape = dims.clone();
            shape[index] = other;
            shapes.push(shape);
        }
    }
    let mut moved = dims.clone();
    moved.reverse();
    shapes.push(moved.clone());
    moved.rotate_left(dims.len().min(1));
    shapes.push(moved);
    shapes.extend(as_the_target_says(request));
    let fits = |shape: &Vec<u64>| {
        let lengths = shape.iter().map(|length| (*length).max(1));
        let count = lengths.collect::<Count>().as_u64();
        shape != dims && count.is_some_and(|count| count <= MOST_ELEMENTS)
    };
    let shapes = shapes.into_iter().filter(fits);
    shapes
        .map(|data_shape| Request {
            data_shape,
            ..request.clone()
        })
        .collect()
}

/// The shape of the data's rank in which it has as many elements as the target's lengths say together, all in the first dim.
fn as_the_target_says(request: &Request) -> Option<Vec<u64>> {
    let target = request.target.as_ref()?;
    let lengths = target.values.iter().filter(|value| **value > 0);
    let lengths: Option<Vec<u64>> = lengths.map(|value| (*value).try_into().ok()).collect();
    let mut shape = vec![1; request.data_shape.len()];
    *shape.first_mut()? = Count::of(&lengths?).as_u64()?;
    Some(shape)
}

/// The request with a target that has other values, and with one that has the same in reverse, as far as their outputs have
/// other shapes.
fn other_targets(request: &Request) -> Vec<Request> {
    let reversed: Option<Vec<i128>> = request.target.as_ref().map(|target| {
        let values = target.values.iter().rev();
        values.copied().collect()
    });
    let kinds = [gathered(request), reversed.into_iter().collect()];
    let shape = output(request);
    let of_kind = |lists| {
        let mut others = with_targets(request, lists).into_iter();
        others.find(|other| is_accepted(other) && output(other) != shape)
    };
    kinds.into_iter().filter_map(of_kind).collect()
}

/// The request with each of these lists as its target; none unless the target is a list of integers.
fn with_targets(request: &Request, lists: Vec<Vec<i128>>) -> Vec<Request> {
    let lists = lists.into_iter();
    let with = |values| {
        let mut other = request.clone();
        let target = other.target.as_mut()?;
        let is_list = target.is_flat() && !target.values.is_empty();
        let holds_any = matches!(target.element_type, ElementType::I64 | ElementType::I32);
        target.values = values;
        (is_list && holds_any).then_some(other)
    };
    lists.filter_map(with).collect()
}

/// Targets of as many values in which all elements are in one dim, most of which suit any data.
fn gathered(request: &Request) -> Vec<Vec<i128>> {
    let values = request.target.iter().flat_map(|target| &target.values);
    let same_minus_ones: Vec<i128> = values
        .map(|value| if *value == -1 { -1 } else { 1 })
        .collect();
    let all = |first| with_first(request, first);
    let count = all(count(request));
    let mut count_last = count.clone();
    count_last.reverse();
    vec![same_minus_ones, count, count_last, all(-1)]
}

/// A target of as many values for one element more than the data has.
fn too_long(request: &Request) -> Vec<Vec<i128>> {
    vec![with_first(request, count(request) + 1)]
}

/// As many values as the target has: this one, and ones.
fn with_first(request: &Request, first: i128) -> Vec<i128> {
    let length = request.target.as_ref().map_or(0, |of| of.values.len());
    let mut values = vec![1; length];
    values.first_mut().into_iter().for_each(|of| *of = first);
    values
}

fn count(request: &Request) -> i128 {
    let count = Count::of(&request.data_shape).as_u64();
    count.unwrap_or(u64::MAX).into()
}
