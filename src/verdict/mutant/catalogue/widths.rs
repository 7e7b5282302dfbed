//! Mutants: in how many bits dims and counts are kept.

use crate::tensor::Count;
use crate::verdict::mutant::behavior::{Mutant, mutant};

pub(super) const MUTANTS: &[Mutant] = &[
    mutant("counts-in-32-bits", "multiplies counts in 32 bits", |b| {
        b.product = |dims| wrapped(dims, u64::from(u32::MAX))
    }),
    mutant("counts-in-16-bits", "multiplies counts in 16 bits", |b| {
        b.product = |dims| wrapped(dims, 0xffff)
    }),
    mutant(
        "counts-in-64-bits",
        "multiplies counts in 64 bits that wrap",
        |b| b.product = |dims| wrapped(dims, u64::MAX),
    ),
    mutant("counts-in-f32", "multiplies counts in 32-bit floats", |b| {
        b.product = |dims| Count::of(&[dims.iter().fold(1f32, |p, d| p * *d as f32) as u64])
    }),
    mutant("dims-in-i32", "keeps 32 bits of a data dim", |b| {
        b.dim = |dim| dim & u64::from(u32::MAX)
    }),
    mutant(
        "dims-in-signed-i32",
        "keeps data dims as signed 32-bit integers, and refuses negative ones",
        |b| {
            b.dim = |dim| dim & u64::from(u32::MAX);
            b.refuses
                .push(|request, _| request.data_shape.iter().any(|dim| (*dim as i32) < 0));
        },
    ),
    mutant("dims-in-16-bits", "keeps 16 bits of a data dim", |b| {
        b.dim = |dim| dim & 0xffff
    }),
    mutant("dims-in-f32", "keeps data dims in 32-bit floats", |b| {
        b.dim = |dim| dim as f32 as u64
    }),
    mutant("output-dims-in-i32", "cuts output dims to 32 bits", |b| {
        b.shape
            .push(|shape, _| shape.iter_mut().for_each(|dim| *dim &= u64::from(u32::MAX)))
    }),
];

fn wrapped(dims: &[u64], mask: u64) -> Count {
    Count::of(&[dims
        .iter()
        .fold(1u64, |product, dim| product.wrapping_mul(*dim))
        & mask])
}
