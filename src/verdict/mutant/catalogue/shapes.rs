//! Mutants: shapes and element types that are refused or changed.

use super::minus_one::values;
use crate::semantics::operator::Reason;
use crate::semantics::request::Request;
use crate::verdict::mutant::behavior::{Mutant, mutant};

pub(super) const MUTANTS: &[Mutant] = &[
    mutant(
        "empty-tensors-refused",
        "refuses tensors without elements",
        |b| b.refuses.push(|request, _| request.data_shape.contains(&0)),
    ),
    mutant(
        "empty-tensors-lose-their-shape",
        "gives the shape [0] for every tensor without elements",
        |b| {
            b.shape.push(|shape, _| {
                if shape.contains(&0) {
                    *shape = vec![0]
                }
            })
        },
    ),
    mutant("scalars-refused", "refuses scalar data", |b| {
        b.refuses.push(|request, _| request.data_shape.is_empty())
    }),
    mutant(
        "scalar-becomes-a-list",
        "gives the shape [1] instead of a scalar",
        |b| {
            b.shape.push(|shape, _| {
                if shape.is_empty() {
                    shape.push(1)
                }
            })
        },
    ),
    mutant("ranks-past-4-refused", "refuses more than 4 dims", |b| {
        b.refuses.push(|request, _| rank(request) > 4)
    }),
    mutant("ranks-past-6-refused", "refuses more than 6 dims", |b| {
        b.refuses.push(|request, _| rank(request) > 6)
    }),
    mutant(
        "dims-past-8-merged",
        "has 8 output dims at most, the last of which takes all further ones",
        |b| b.shape.push(|shape, _| merge_past(shape, 8)),
    ),
    mutant(
        "dims-past-32-merged",
        "has 32 output dims at most, the last of which takes all further ones",
        |b| b.shape.push(|shape, _| merge_past(shape, 32)),
    ),
    mutant("dims-of-1-dropped", "drops output dims of length 1", |b| {
        b.shape.push(|shape, _| shape.retain(|dim| *dim != 1))
    }),
    mutant(
        "trailing-1s-dropped",
        "drops output dims of length 1 at the end",
        |b| {
            b.shape.push(|shape, _| {
                while shape.last() == Some(&1) {
                    shape.pop();
                }
            })
        },
    ),
    mutant(
        "padded-to-the-data-rank",
        "puts dims of length 1 before an output of fewer dims than the data",
        |b| {
            b.shape.push(|shape, request| {
                while shape.len() < request.data_shape.len() {
                    shape.insert(0, 1)
                }
            })
        },
    ),
    mutant("shape-kept", "gives the data's own shape", |b| {
        b.shape
            .push(|shape, request| shape.clone_from(&request.data_shape))
    }),
    mutant("flattened", "flattens the output to one dim", |b| {
        b.shape
            .push(|shape, _| *shape = vec![shape.iter().copied().fold(1, u64::saturating_mul)])
    }),
    mutant(
        "any-element-type",
        "takes element types that the operator does not list",
        |b| b.overlooks.push(Reason::ElementType),
    ),
    mutant(
        "wide-types-refused",
        "refuses element types of 64 bits",
        |b| {
            b.refuses
                .push(|request, _| request.element_type.bits() == Some(64))
        },
    ),
];

/// Leaves this many dims.
fn merge_past(shape: &mut Vec<u64>, rank: usize) {
    if shape.len() > rank {
        let last = shape.drain(rank - 1..);
        let merged = last.fold(1, u64::saturating_mul);
        shape.push(merged);
    }
}

fn rank(request: &Request) -> usize {
    values(request).len().max(request.data_shape.len())
}
