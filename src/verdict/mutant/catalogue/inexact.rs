//! Mutants: counts in arithmetic that is not exact.

use super::minus_one::divides;
use super::mutants;
use crate::tensor::{Count, ElementType};

mutants! { INEXACT;
    "counts-in-f64": "multiplies counts in 64-bit floats" => |b| b.product = |dims| floats(dims, 53),
    "counts-in-f16": "keeps 11 bits of each product, as 16-bit floats do" =>
        |b| b.product = |dims| floats(dims, 11),
    "counts-in-bf16": "keeps 8 bits of each product, as bfloat16 does" => |b| b.product = |dims| floats(dims, 8),
    "counts-in-8-bits": "multiplies counts in 8 bits" => |b| b.product = |dims| wrapped(dims, 0xff),
    "counts-in-31-bits": "multiplies counts in 32 bits, and drops the sign" =>
        |b| b.product = |dims| wrapped(dims, 0x7fff_ffff),
    "counts-in-63-bits": "multiplies counts in 64 bits, and drops the sign" =>
        |b| b.product = |dims| wrapped(dims, i64::MAX as u64),
    "counts-saturate-at-31-bits": "takes 2^31-1 for every larger count" =>
        |b| b.product = |dims| saturated(dims, i32::MAX as u64),
    "counts-saturate-at-63-bits": "takes 2^63-1 for every larger count" =>
        |b| b.product = |dims| saturated(dims, i64::MAX as u64),
    "counts-add-past-64-bits": "adds the further dims once a count exceeds 64 bits" =>
        |b| b.product = added_past_64_bits,
    "counts-compared-in-32-bits": "compares the counts in 32 bits" =>
        |b| b.measure = Some(|dims, _| wrapped(dims, u64::from(u32::MAX))),
    "bytes-in-32-bits": "compares the sizes in bytes, in 32 bits, instead of the counts" =>
        |b| b.measure = Some(|dims, t| wrapped(&[dims, &[bits(t).div_ceil(8)]].concat(), u64::from(u32::MAX))),
    "bytes-in-64-bits": "compares the sizes in bytes, in 64 bits, instead of the counts" =>
        |b| b.measure = Some(|dims, t| wrapped(&[dims, &[bits(t).div_ceil(8)]].concat(), u64::MAX)),
    "bits-in-32-bits": "compares the sizes in bits, in 32 bits, instead of the counts" =>
        |b| b.measure = Some(|dims, t| wrapped(&[dims, &[bits(t)]].concat(), u64::from(u32::MAX))),
    "counts-through-logarithms": "adds the logarithms of the dims instead of multiplying these" =>
        |b| b.product = |dims| {
            let sum: f64 = dims.iter().map(|dim| (*dim as f64).ln()).sum();
            Count::of(&[sum.exp() as u64])
        },
    "counts-alike-within-a-hundred-thousandth": "takes counts for equal that differ by at most a hundred-thousandth" =>
        |b| b.same = |output, data| are_near(output, data, 100_000),
    "counts-compared-in-f32": "compares the counts in 32-bit floats" => |b| b.same = |output, data| {
        let both = output.as_u64().zip(data.as_u64());
        both.map_or(output == data, |(output, data)| output as f32 == data as f32)
    },
    "counts-alike-within-a-millionth": "takes counts for equal that differ by at most a millionth" =>
        |b| b.same = |output, data| are_near(output, data, 1_000_000),
    "counts-without-the-dims-past-6": "leaves the dims past the sixth out when it compares counts" =>
        |b| b.measure = Some(|dims, _| Count::of(dims.get(..6).unwrap_or(dims))),
    "minus-one-by-reciprocal-in-f32":
        "multiplies the count by the reciprocal of the other dims in 32-bit floats to infer a -1, and cuts off the fraction" =>
        |b| divides(b, |count, known| quotient(count, known, |count, known| (count as f32 * (1.0 / known as f32)) as u64)),
    "minus-one-by-reciprocal-in-f64":
        "multiplies the count by the reciprocal of the other dims in 64-bit floats to infer a -1, and cuts off the fraction" =>
        |b| divides(b, |count, known| quotient(count, known, |count, known| (count as f64 * (1.0 / known as f64)) as u64)),
    "minus-one-rounded-to-f32": "rounds the length of a -1 to a 32-bit float, if it is at most 2^32" =>
        |b| divides(b, |count, known| {
            let length = count.divided_by(known)?;
            let rounded = length.as_u64().filter(|length| *length <= 1 << 32);
            Some(rounded.map_or(length, |length| Count::of(&[length as f32 as u64])))
        }),
    "minus-one-of-a-remainder-below-a-millionth": "infers a -1 where the quotient is within a millionth of an integer" =>
        |b| divides(b, |count, known| match (count.as_u64(), known.as_u64()) {
            (Some(count), Some(known @ 1..)) if count % known <= known / 1_000_000 => Some(Count::of(&[count / known])),
            _ => count.divided_by(known),
        }),
    "minus-one-divides-in-f32": "divides the count in 32-bit floats to infer a -1" =>
        |b| divides(b, |count, known| match (count.as_u64(), known.as_u64()) {
            (Some(count), Some(known @ 1..)) => {
                let quotient = count as f32 / known as f32;
                (quotient.fract() == 0.0).then(|| Count::of(&[quotient as u64]))
            }
            _ => count.divided_by(known),
        }),
}

/// The product of dims in floats of so many bits of precision, rounded to nearest even after each step.
fn floats(dims: &[u64], precision: u32) -> Count {
    let dropped = 53 - precision;
    let round = |value: f64| {
        let bits = value.to_bits();
        let half = (1u64 << dropped) / 2;
        let up = half.saturating_sub(1) + (bits >> dropped & u64::from(dropped > 0));
        f64::from_bits((bits + up) >> dropped << dropped)
    };
    let dims = dims.iter();
    let product = dims.fold(1.0, |product, dim| round(product * *dim as f64));
    Count::of(&[product as u64])
}

pub(super) fn wrapped(dims: &[u64], mask: u64) -> Count {
    let dims = dims.iter();
    let product = dims.fold(1u64, |product, dim| product.wrapping_mul(*dim));
    Count::of(&[product & mask])
}

fn saturated(dims: &[u64], most: u64) -> Count {
    let multiply = |product: u64, dim: &u64| product.saturating_mul(*dim).min(most);
    Count::of(&[dims.iter().fold(1, multiply)])
}

/// The product of dims; the dims after the one that takes it past 64 bits are added to this one.
fn added_past_64_bits(dims: &[u64]) -> Count {
    let mut product: u64 = 1;
    for (index, dim) in dims.iter().enumerate() {
        let Some(next) = product.checked_mul(*dim) else {
            let add = |sum: u64, dim: &u64| sum.saturating_add(*dim);
            return Count::of(&[product, dims[index..].iter().fold(0, add)]);
        };
        product = next;
    }
    Count::of(&[product])
}

/// The bits of an element; 8 for a string.
fn bits(of: ElementType) -> u64 {
    of.bits().unwrap_or(8).into()
}

/// Whether two counts differ by at most this part of the second.
fn are_near(output: &Count, data: &Count, part: u64) -> bool {
    let near = |(output, data): (u64, u64)| output.abs_diff(data) <= data / part;
    output == data || output.as_u64().zip(data.as_u64()).is_some_and(near)
}

/// The quotient as `divide` computes it, where the division leaves no remainder.
fn quotient(count: &Count, known: &Count, divide: fn(u64, u64) -> u64) -> Option<Count> {
    let exact = count.divided_by(known)?;
    let both = count.as_u64().zip(known.as_u64());
    Some(both.map_or(exact, |(count, known)| Count::of(&[divide(count, known)])))
}
