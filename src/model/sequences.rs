//! Sequences: the runs of a model before the judged run, or concurrent with it. They follow from the trial's name
//! alone, so the trial can be rerun alone.

use crate::semantics::operator::{Binding, TargetSource};
use crate::semantics::oracle::{Resolution, resolve};
use crate::semantics::request::{Request, Target};
use crate::tensor::{Count, ElementType};
use std::cmp::Ordering;

/// The most elements of the data of another run, where a dim of 0 counts as 1. No limit of a backend may interfere.
const MAX_ELEMENTS: u64 = 1 << 17;

/// The number of runs concurrent with one: on two cores, threads then take turns.
const BESIDE: usize = 3;

/// The requests of a sequence's other runs, in order. Empty if this request has no such sequence, or if it would show
/// nothing. The requests are computed lazily.
pub(super) type Others<'a> = Box<dyn Iterator<Item = Request> + 'a>;

pub(super) fn after_other_data(request: &Request, _: Binding) -> Others<'_> {
    let same = std::iter::once_with(|| request.clone());
    when(gives_elements(request), same)
}

pub(super) fn after_other_shape(request: &Request, binding: Binding) -> Others<'_> {
    when(binding.dynamic(), other_shapes(request))
}

pub(super) fn after_other_target(request: &Request, binding: Binding) -> Others<'_> {
    when(is_at_run(binding), other_targets(request))
}

pub(super) fn after_refusal(request: &Request, binding: Binding) -> Others<'_> {
    let at_run = is_at_run(binding);
    // As many values, for one element more than the data has.
    let too_long = || vec![with_first(request, count(request) + 1)];
    let targets = at_run.then(|| with_targets(request, too_long()));
    let shapes = (!at_run && binding.dynamic()).then(|| shapes(request));
    let shapes = shapes.into_iter().flatten();
    let shapes = shapes.map(|shape| with_shape(request, shape));
    let others = targets.into_iter().flatten().chain(shapes);
    when(!is_refused(request), others.filter(is_refused).take(1))
}

/// Runs of two models with other targets, or twice of the same, and between them of an equal model, where the target is in
/// the model.
pub(super) fn between_other_models(request: &Request, binding: Binding) -> Others<'_> {
    let both = || {
        let mut others = other_targets(request);
        let first = others.next()?;
        let last = others.next().unwrap_or_else(|| first.clone());
        Some([first, request.clone(), last])
    };
    let others = std::iter::once_with(both).flatten().flatten();
    when(!is_at_run(binding) && gives_elements(request), others)
}

pub(super) fn beside_other_runs(request: &Request, binding: Binding) -> Others<'_> {
    let shape = move || other_shapes(request).next();
    let target = move || other_targets(request).next();
    let shape = std::iter::once_with(move || binding.dynamic().then(shape).flatten());
    let target = std::iter::once_with(move || is_at_run(binding).then(target).flatten());
    let same = std::iter::repeat_with(|| request.clone());
    let others = shape.chain(target).flatten().chain(same).take(BESIDE);
    when(gives_elements(request), others)
}

/// Runs with data of other shapes, for which a model computes another target: what `target` gives for the dims.
pub(super) fn with_other_targets<'a>(
    request: &'a Request,
    target: impl Fn(&[u64]) -> Vec<i128> + 'a,
) -> Others<'a> {
    Box::new(of_other_shapes(request, move |shape| {
        let mut other = with_shape(request, shape);
        other.target.as_mut()?.values = target(&other.data_shape);
        (other.target != request.target).then_some(other)
    }))
}

fn when<'a>(is_possible: bool, others: impl Iterator<Item = Request> + 'a) -> Others<'a> {
    Box::new(is_possible.then_some(others).into_iter().flatten())
}

fn is_at_run(binding: Binding) -> bool {
    binding.source() == TargetSource::Runtime
}

/// The shape of the output; `None` if the text requires none.
fn output(request: &Request) -> Option<Vec<u64>> {
    match resolve(request) {
        Resolution::Reshaped(shape) => Some(shape.into_vec()),
        Resolution::Rejected(_) | Resolution::Open { .. } => None,
    }
}

fn is_accepted(request: &Request) -> bool {
    output(request).is_some()
}

/// Whether the text accepts it and its output has elements.
fn gives_elements(request: &Request) -> bool {
    !Count::of(&request.data_shape).is_zero() && is_accepted(request)
}

fn is_refused(request: &Request) -> bool {
    matches!(resolve(request), Resolution::Rejected(_))
}

/// The request with data of more, of fewer and of as many elements in another shape, where the target fits.
fn other_shapes(request: &Request) -> impl Iterator<Item = Request> {
    of_other_shapes(request, |shape| Some(with_shape(request, shape)))
}

/// As `other_shapes`, by what `other` makes of a shape.
fn of_other_shapes<'a>(
    request: &'a Request,
    other: impl Fn(Vec<u64>) -> Option<Request> + 'a,
) -> impl Iterator<Item = Request> + 'a {
    let count = |shape: &[u64]| Count::of(shape).as_u64();
    let kinds = [Ordering::Greater, Ordering::Less, Ordering::Equal];
    kinds.into_iter().filter_map(move |kind| {
        let is = |shape: &Vec<u64>| count(shape).cmp(&count(&request.data_shape)) == kind;
        let mut others = shapes(request).filter(is).filter_map(&other);
        others.find(is_accepted)
    })
}

/// Other shapes of the same rank, close to the data's.
fn shapes(request: &Request) -> impl Iterator<Item = Vec<u64>> {
    let dims = &request.data_shape;
    let near = dims.iter().enumerate().flat_map(move |(index, length)| {
        let shorter = [length / 2, length.saturating_sub(1)];
        let shorter = shorter.into_iter().filter(|length| *length > 0);
        let longer = [length.saturating_mul(2), length.saturating_add(1)];
        longer.into_iter().chain(shorter).map(move |other| {
            let mut shape = dims.clone();
            shape[index] = other;
            shape
        })
    });
    let moved = std::iter::once_with(|| {
        let mut reversed = dims.clone();
        reversed.reverse();
        let mut moved = reversed.clone();
        moved.rotate_left(dims.len().min(1));
        [reversed, moved]
    });
    let said = std::iter::once_with(|| as_the_target_says(request));
    let shapes = near.chain(moved.flatten()).chain(said.flatten());
    shapes.filter(move |shape| {
        let lengths = shape.iter().map(|length| (*length).max(1));
        shape != dims && lengths.collect::<Count>().is_at_most(MAX_ELEMENTS)
    })
}

fn with_shape(request: &Request, data_shape: Vec<u64>) -> Request {
    Request {
        data_shape,
        ..request.clone()
    }
}

/// The shape of the data's rank with all elements in the first dim, as many as the target's lengths multiply to.
fn as_the_target_says(request: &Request) -> Option<Vec<u64>> {
    let target = request.target.as_ref()?;
    let lengths = target.values.iter().filter(|value| **value > 0);
    let lengths: Option<Vec<u64>> = lengths.map(|value| (*value).try_into().ok()).collect();
    let mut shape = vec![1; request.data_shape.len()];
    *shape.first_mut()? = Count::of(&lengths?).as_u64()?;
    Some(shape)
}

/// A target of as many values that the text accepts and that gives another shape.
pub(crate) fn other_target(request: &Request) -> Option<Target> {
    other_targets(request).next()?.target
}

/// The request with other target values, and with these reversed, where the outputs have other shapes.
fn other_targets(request: &Request) -> impl Iterator<Item = Request> {
    let reversed = |request: &Request| {
        let target = request.target.iter();
        let reversed = target.map(|target| target.values.iter().rev().copied().collect());
        reversed.collect()
    };
    let shape = output(request);
    [gathered, reversed].into_iter().filter_map(move |lists| {
        with_targets(request, lists(request))
            .find(|other| output(other).is_some_and(|of| Some(of) != shape))
    })
}

/// The request with each of these lists as its target; empty unless the target is a list of integers.
fn with_targets(request: &Request, lists: Vec<Vec<i128>>) -> impl Iterator<Item = Request> {
    let is_list = request.target.as_ref().is_some_and(|target| {
        let holds_any = matches!(target.element_type, ElementType::I64 | ElementType::I32);
        holds_any && target.is_flat() && !target.values.is_empty()
    });
    lists.into_iter().filter(move |_| is_list).map(|values| {
        let mut other = request.clone();
        if let Some(target) = &mut other.target {
            target.values = values;
        }
        other
    })
}

/// Targets of as many values with all elements in one dim. Most of these fit any data.
fn gathered(request: &Request) -> Vec<Vec<i128>> {
    let values = request.target.iter().flat_map(|target| &target.values);
    let same_minus_ones = values.map(|value| if *value == -1 { -1 } else { 1 });
    let same_minus_ones: Vec<i128> = same_minus_ones.collect();
    let all = |first| with_first(request, first);
    let count = all(count(request));
    let mut count_last = count.clone();
    count_last.reverse();
    vec![same_minus_ones, count, count_last, all(-1)]
}

/// As many values as the target has: this one, followed by ones.
pub(super) fn with_first<T: Copy + From<u8>>(request: &Request, first: T) -> Vec<T> {
    let mut values = vec![T::from(1); request.values().len()];
    values.first_mut().into_iter().for_each(|of| *of = first);
    values
}

fn count(request: &Request) -> i128 {
    let count = Count::of(&request.data_shape).as_u64();
    count.unwrap_or(u64::MAX).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::surroundings::Surrounding;
    use crate::names::Joined;
    use crate::semantics::operator::Operator;
    use crate::semantics::request::Model;
    use crate::suite::Suite;
    use crate::suite::plan::Plan;
    use crate::suite::selection::Selection;
    use crate::tensor::Tensor;

    /// A sequence, a binding, and a request; then the data dims and targets of the other runs.
    const RUNS: &str = "\
        after-other-shape constant-dynamic [3, 4] to [2, -1]: [6, 4] to [2, -1]; [1, 4] to [2, -1]; [4, 3] to [2, -1]
        after-other-shape constant-dynamic [3, 4] to [2, 6]: [4, 3] to [2, 6]
        after-other-shape constant-dynamic [2, 3] to [7, 1]: [7, 1] to [7, 1]
        after-other-shape constant-dynamic [] to [-1]:
        after-other-shape constant-static [3, 4] to [2, -1]:
        after-other-target runtime-static [3, 4] to [2, -1]: [3, 4] to [1, -1]; [3, 4] to [-1, 2]
        after-other-target runtime-static [3, 4] to [2, 6]: [3, 4] to [12, 1]; [3, 4] to [6, 2]
        after-other-target runtime-static [3, 4] to [12, 1]: [3, 4] to [1, 12]; [3, 4] to [1, 12]
        after-other-target runtime-static [3, 4] to [5, 5]: [3, 4] to [12, 1]
        after-other-target runtime-static [3, 4] to [-1]:
        after-other-target constant-static [3, 4] to [2, -1]:
        between-other-models constant-static [3, 4] to [2, -1]: [3, 4] to [1, -1]; [3, 4] to [2, -1]; [3, 4] to [-1, 2]
        between-other-models constant-static [2, 2] to [4, 1]: [2, 2] to [1, 4]; [2, 2] to [4, 1]; [2, 2] to [1, 4]
        between-other-models constant-static [3, 4] to [5, 5]:
        between-other-models constant-static [3, 4] to [-1]:
        between-other-models runtime-static [3, 4] to [2, -1]:
        computed-target-after-other-shape constant-dynamic [3, 4] to [3, -1]: [6, 4] to [6, -1]; [1, 4] to [1, -1]; [4, 3] to [4, -1]
        computed-target-after-other-shape constant-dynamic [3, 4] to [2, -1]:
        computed-target-after-other-shape constant-static [3, 4] to [3, -1]:
        computed-target-after-other-shape runtime-dynamic [3, 4] to [3, -1]:
        after-refusal runtime-static [3, 4] to [2, 6]: [3, 4] to [13, 1]
        after-refusal constant-dynamic [3, 4] to [2, 6]: [6, 4] to [2, 6]
        after-refusal constant-dynamic [3, 4] to [0, -1]:
        after-refusal constant-dynamic [3, 4] to [2, 7]:
        beside-other-runs constant-static [3, 4] to [2, -1]: [3, 4] to [2, -1]; [3, 4] to [2, -1]; [3, 4] to [2, -1]
        beside-other-runs constant-dynamic [3, 4] to [2, -1]: [6, 4] to [2, -1]; [3, 4] to [2, -1]; [3, 4] to [2, -1]
        beside-other-runs runtime-static [3, 4] to [2, -1]: [3, 4] to [1, -1]; [3, 4] to [2, -1]; [3, 4] to [2, -1]
        beside-other-runs runtime-dynamic [3, 4] to [2, -1]: [6, 4] to [2, -1]; [3, 4] to [1, -1]; [3, 4] to [2, -1]
        beside-other-runs runtime-dynamic [3, 4] to [5, 5]:
        beside-other-runs runtime-dynamic [0, 4] to [0, 4]:";

    #[test]
    fn the_other_runs_follow_from_the_request_and_from_what_its_binding_leaves_open() {
        let operator = Operator::named("onnx.Reshape-14").expect("an operator of that name");
        let show = |of: Request| format!("{:?} to {}", of.data_shape, of.target.expect("one"));
        for line in RUNS.lines().map(str::trim) {
            let (asked, runs) = line.split_once(':').expect("other runs");
            let (asked, target) = asked.split_once(" to ").expect("a target");
            let [sequence, binding, data] = *asked.splitn(3, ' ').collect::<Vec<_>>() else {
                panic!("{line}");
            };
            let (sequence, binding): (Result<Surrounding, _>, Result<Binding, _>) =
                (sequence.parse(), binding.parse());
            let data: Vec<u64> = serde_json::from_str(data).expect("dims");
            let target: Vec<i64> = serde_json::from_str(target).expect("values");
            let request = Request::plain(operator, &data, &target);
            let others = sequence
                .expect("one")
                .other_runs(&request, binding.expect("one"));
            assert_eq!(others.map(show).joined("; "), runs.trim_start(), "{line}");
        }
    }

    #[test]
    fn every_sequence_is_of_one_model_or_of_other_models_and_no_two_runs_have_the_same_data() {
        let suite = Suite::built_in().expect("the suite");
        let mut counts = std::collections::BTreeMap::new();
        for trial in Plan::new(&suite, &Selection::default(), None).trials() {
            let data = trial.case.data(trial.element_type).expect("data");
            let call = trial.call(&data);
            let others = call.others();
            let Some(sequence) = trial.surrounding.filter(|of| of.is_sequence()) else {
                assert!(others.is_empty(), "{trial}");
                continue;
            };
            *counts.entry(sequence).or_insert(0) += 1;
            assert!(!others.is_empty(), "{trial}");
            let of_call = Model::of(call.request, call.binding);
            let mut seen = vec![&data];
            for (request, data) in &others {
                let is_same = Model::of(request, call.binding) == of_call;
                // A model that computes its target has another one for other data.
                let has_other_target = match sequence.has_other_models() {
                    true => request != call.request,
                    false => sequence.has_graph(),
                };
                assert_eq!(is_same, !has_other_target, "{trial}");
                let is_refusal = sequence == Surrounding::AfterRefusal;
                assert_eq!(is_accepted(request), !is_refusal, "{trial}");
                assert_eq!(is_refused(request), is_refusal, "{trial}");
                let has_equal =
                    |of: &&&Tensor| (0..of.len()).any(|index| of.bits(index) == data.bits(index));
                assert_eq!(seen.iter().find(has_equal), None, "{trial}");
                seen.push(data);
            }
        }
        // A graph is asked in one of the four bindings.
        let least = |of: &Surrounding| if of.has_graph() { 100 } else { 400 };
        let mut sequences = Surrounding::ALL.iter().filter(|of| of.is_sequence());
        assert!(sequences.all(|of| counts[of] > least(of)), "{counts:?}");
    }
}
