//! Mutants of the width of dims and counts, of the count check, and of refused or changed shapes and types.

use super::inexact::wrapped;
use super::minus_one::quotient;
use super::mutants;
use crate::semantics::operator::{Reason, TargetSource};
use crate::semantics::request::Request;
use crate::tensor::{Count, ElementType};

mutants! { WIDTHS;
    "counts-in-32-bits": "multiplies counts in 32 bits" =>
        |b| b.product = |dims| wrapped(dims, u64::from(u32::MAX)),
    "counts-in-16-bits": "multiplies counts in 16 bits" => |b| b.product = |dims| wrapped(dims, 0xffff),
    "counts-in-64-bits": "multiplies counts in 64 bits that wrap" =>
        |b| b.product = |dims| wrapped(dims, u64::MAX),
    "counts-in-f32": "multiplies counts in 32-bit floats" =>
        |b| b.product = |dims| Count::of(&[dims.iter().fold(1f32, |p, d| p * *d as f32) as u64]),
    "counts-skip-zeros": "takes a dim of 0 as 1 when it multiplies counts" =>
        |b| b.product = |dims| dims.iter().copied().filter(|dim| *dim > 0).collect(),
    "dims-in-i32": "keeps 32 bits of a data dim" => |b| b.dim = |dim| dim & u64::from(u32::MAX),
    "dims-in-signed-i32": "keeps data dims as signed 32-bit integers, and refuses negative ones" => |b| {
        b.dim = |dim| dim & u64::from(u32::MAX);
        b.refuses.push(|request, _| request.data_shape.iter().any(|dim| (*dim as i32) < 0));
    },
    "dims-in-16-bits": "keeps 16 bits of a data dim" => |b| b.dim = |dim| dim & 0xffff,
    "dims-in-f32": "keeps data dims in 32-bit floats" => |b| b.dim = |dim| dim as f32 as u64,
    "data-dims-as-1": "takes every dim of the data as 1" => |b| b.dim = |_| 1,
    "output-dims-in-i32": "cuts output dims to 32 bits" =>
        |b| b.shape.push(|shape, _| shape.iter_mut().for_each(|dim| *dim &= u64::from(u32::MAX))),
    "output-dims-in-16-bits": "cuts output dims to 16 bits" =>
        |b| b.shape.push(|shape, _| shape.iter_mut().for_each(|dim| *dim &= 0xffff)),
}

mutants! { COUNTS;
    "count-unchecked": "does not check the count, and rounds a -1 down" => |b| {
        b.checks.push(|_| false);
        b.divide = |count, known| quotient(count, known, false);
    },
    "count-unchecked-without-minus-one": "checks the count only where there is a -1" =>
        |b| b.checks.push(|c| c.inferred),
    "count-unchecked-with-minus-one": "checks the count only where there is no -1" => |b| {
        b.checks.push(|c| !c.inferred);
        b.divide = |count, known| quotient(count, known, false);
    },
    "count-unchecked-within-64-bits":
        "checks only that the count fits in 64 bits where there is no -1" =>
        |b| b.checks.push(|c| c.inferred || c.overflows),
    "count-may-shrink": "takes a target of fewer elements than the data has" =>
        |b| b.same = |output, data| output <= data,
    "count-may-grow": "takes a target of more elements than the data has" =>
        |b| b.same = |output, data| output >= data,
    "count-unchecked-on-empty-data": "does not check the count of empty data" =>
        |b| b.checks.push(|c| !c.data_empty),
    "count-unchecked-for-empty-output": "takes any target with a 0 in it" =>
        |b| b.checks.push(|c| !c.output_empty),
    "count-unchecked-after-a-copy": "does not check the count where a 0 was copied" =>
        |b| b.checks.push(|c| !c.copied),
    "count-unchecked-at-run": "does not check the count of a runtime target" =>
        |b| b.checks.push(|c| c.binding.source() != TargetSource::Runtime),
    "count-unchecked-when-constant": "does not check the count of a constant target" =>
        |b| b.checks.push(|c| c.binding.source() == TargetSource::Runtime),
    "count-unchecked-with-dynamic-dims":
        "does not check the count where the data dims are not declared" =>
        |b| b.checks.push(|c| !c.binding.dynamic()),
    "count-unchecked-for-u8": "does not check the count of u8 data where there is no -1" =>
        |b| b.checks.push(|c| c.inferred || c.element_type != ElementType::U8),
    "count-checked-by-sum": "compares the sums of the dims instead of their products" => |b| b.measure = Some(sum),
    "count-multiple-is-enough": "takes a target whose count divides the data's" =>
        |b| b.same = |output, data| output == data || !output.is_zero() && data.divided_by(output).is_some(),
}

mutants! { SHAPES;
    "empty-tensors-refused": "refuses tensors without elements" =>
        |b| b.refuses.push(|request, _| is_empty(request)),
    "empty-tensors-lose-their-shape": "gives the shape [0] for every tensor without elements" =>
        |b| b.shape.push(|shape, _| if shape.contains(&0) { *shape = vec![0] }),
    "scalars-refused": "refuses scalar data" => |b| b.refuses.push(|request, _| request.data_shape.is_empty()),
    "scalar-becomes-a-list": "gives the shape [1] instead of a scalar" =>
        |b| b.shape.push(|shape, _| if shape.is_empty() { shape.push(1) }),
    "ranks-past-4-refused": "refuses more than 4 dims" => |b| b.refuses.push(|request, _| rank(request) > 4),
    "ranks-past-6-refused": "refuses more than 6 dims" => |b| b.refuses.push(|request, _| rank(request) > 6),
    "dims-past-8-dropped": "drops output dims from the 9th on" => |b| b.shape.push(|shape, _| shape.truncate(8)),
    "dims-past-8-merged": "merges all output dims from the 8th on into one" =>
        |b| b.shape.push(|shape, _| merge_past(shape, 8)),
    "dims-past-32-merged": "merges all output dims from the 32nd on into one" =>
        |b| b.shape.push(|shape, _| merge_past(shape, 32)),
    "dims-of-1-dropped": "drops output dims of length 1" =>
        |b| b.shape.push(|shape, _| shape.retain(|dim| *dim != 1)),
    "trailing-1s-dropped": "drops output dims of length 1 at the end" =>
        |b| b.shape.push(|shape, _| while shape.last() == Some(&1) { shape.pop(); }),
    "padded-to-the-data-rank": "puts dims of length 1 before an output of fewer dims than the data" =>
        |b| b.shape.push(|shape, request| while shape.len() < request.data_shape.len() { shape.insert(0, 1) }),
    "shape-kept": "gives the data's own shape" => |b| {
        b.copies = |said, _, _| said.map(|_| false);
        b.target = |values, request, _| *values = request.dims_as_values().collect();
    },
    "empty-data-keeps-its-shape": "gives empty data in its own shape, whatever the target" => |b| {
        b.copies = |said, request, _| said.map(|said| said && !is_empty(request));
        b.target = |values, request, _| if is_empty(request) { *values = request.dims_as_values().collect() };
    },
    "empty-data-gives-the-target":
        "gives empty data the target's lengths, unchecked, and 0 for a negative value" => |b| {
            b.checks.push(|c| !c.data_empty);
            b.copies = |said, request, _| said.map(|said| said && !is_empty(request));
            b.target = |values, request, _| if is_empty(request) { values.iter_mut().for_each(|of| *of = (*of).max(0)) };
        },
    "refusal-gives-the-data": "gives the data as it is where it has to refuse" => |b| b.gives_refused = true,
    "data-of-another-count-kept": "gives the data as it is where the target has another count" =>
        |b| {
            b.checks.push(|c| c.inferred);
            b.shape.push(|shape, of| if Count::of(shape) != Count::of(&of.data_shape) { shape.clone_from(&of.data_shape) })
        },
    "flattened": "flattens the output to one dim" =>
        |b| b.shape.push(|shape, _| *shape = vec![shape.iter().copied().fold(1, u64::saturating_mul)]),
    "any-element-type": "takes element types that the operator does not list" =>
        |b| b.overlooks.push(Reason::ElementType),
    "a-mebibyte-at-most": "refuses data of more than 2^20 bytes" => |b| b.refuses.push(|request, _| {
        let most = request.element_type.bits().map_or(u64::MAX, |bits| (8 << 20) / u64::from(bits));
        !Count::of(&request.data_shape).is_at_most(most)
    }),
    "empty-strings-refused": "refuses string data without elements" =>
        |b| b.refuses.push(|request, _| is_empty(request) && request.element_type == ElementType::String),
    "wide-types-refused": "refuses element types of 64 bits" =>
        |b| b.refuses.push(|request, _| request.element_type.bits() == Some(64)),
}

/// The sum of dims as a count, which saturates at 2^64.
fn sum(dims: &[u64], _: ElementType) -> Count {
    Count::of(&[dims.iter().copied().fold(0, u64::saturating_add)])
}

/// Merges all dims from the last of these on.
fn merge_past(shape: &mut Vec<u64>, rank: usize) {
    if shape.len() > rank {
        let merged = shape.drain(rank - 1..).fold(1, u64::saturating_mul);
        shape.push(merged);
    }
}

fn is_empty(request: &Request) -> bool {
    request.data_shape.contains(&0)
}

fn rank(request: &Request) -> usize {
    request.values().len().max(request.data_shape.len())
}
