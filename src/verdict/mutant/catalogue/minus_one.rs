//! Mutants of negative values and of the length of a -1.

use super::mutants;
use crate::semantics::operator::{Reason, TargetSource};
use crate::semantics::oracle;
use crate::tensor::Count;
use crate::verdict::mutant::behavior::{Behavior, Below, ByZero, Known, Second};

mutants! { MINUS_ONE;
    "second-minus-one-is-1": "takes another -1 as 1" => |b| b.second = Second::One,
    "last-minus-one-counts": "infers the last -1 and takes those before it as 1" => |b| b.second = Second::Counts,
    "every-minus-one-the-same":
        "gives every -1 the same length, and does not check the count then" => |b| {
            b.second = Second::Same;
            b.checks.push(|checked| !checked.inferred);
        },
    "any-negative-is-minus-one": "takes any negative value as -1" => |b| b.below = |_| Below::MinusOne,
    "negative-is-absolute": "takes a value below -1 without its sign" =>
        |b| b.below = |value| u64::try_from(value.unsigned_abs()).map_or(Below::Refused, Below::Length),
    "negative-is-0": "takes a value below -1 as 0" => |b| b.below = |_| Below::Length(0),
    "negative-is-1": "takes a value below -1 as 1" => |b| b.below = |_| Below::Length(1),
    "negative-is-unsigned": "takes a value below -1 as a huge unsigned number" =>
        |b| b.below = |value| Below::Length(value as i64 as u64),
    "minus-one-is-1": "takes -1 as the length 1" =>
        |b| b.target = |values, _, _| values.iter_mut().filter(|v| **v == -1).for_each(|v| *v = 1),
    "minus-one-only-at-the-end": "infers a -1 only in the last place, and takes any other as 1" => |b| {
        b.target = |values, _, _| {
            let before = values.len().saturating_sub(1);
            values[..before].iter_mut().filter(|v| **v == -1).for_each(|v| *v = 1);
        };
    },
    "minus-one-refused": "refuses a target with a -1" =>
        |b| b.refuses.push(|request, _| request.values().contains(&-1)),
    "lone-minus-one-refused": "refuses a target of a single value, -1" =>
        |b| b.refuses.push(|request, _| request.values() == [-1]),
    "lone-minus-one-keeps-the-shape": "gives the data's own shape where the target is a single value, -1" =>
        |b| b.shape.push(|shape, request| if request.values() == [-1] { shape.clone_from(&request.data_shape) }),
    "minus-one-past-copied-zeros": "leaves copied dims out when it infers the -1" => |b| {
        b.known = Known::WithoutCopied;
        b.checks.push(|c| !c.inferred);
    },
    "minus-one-before-later-zeros": "leaves dims copied behind a -1 out when it infers that" => |b| {
        b.known = Known::WithoutCopiedBehind;
        b.checks.push(|c| !c.inferred);
    },
    "minus-one-before-copying": "infers the -1 before the zeros are copied, and gets 0" => |b| {
        b.known = Known::CopiedAsZero;
        b.by_zero = |_| Some(0);
        b.checks.push(|c| !c.inferred);
    },
    "minus-one-is-the-count": "infers a -1 as the data's count, and does not check it then" =>
        |b| divides(b, |count, _| Some(count.clone())),
    "minus-one-rounds-down": "rounds down when the count is not divisible, and does not check it then" =>
        |b| divides(b, |count, known| quotient(count, known, false)),
    "minus-one-below-1-is-0": "infers a -1 as 0 where the other dims have more elements than the data" =>
        |b| divides(b, |count, known| if count < known { Some(Count::of(&[0])) } else { count.divided_by(known) }),
    "minus-one-rounds-up": "rounds up when the count is not divisible, and does not check it then" =>
        |b| divides(b, |count, known| quotient(count, known, true)),
    "minus-one-rounds-up-for-odd-counts": "rounds up when an odd count is not divisible, and does not check it then" =>
        |b| divides(b, |count, known| match count.as_u64() {
            Some(odd) if odd % 2 == 1 => quotient(count, known, true),
            Some(_) | None => count.divided_by(known),
        }),
    "minus-one-over-zero-is-0": "takes the -1 as 0 when the other dims multiply to 0, whatever the count" =>
        |b| divides_by_zero(b, |_| Some(0)),
    "minus-one-over-zero-is-1": "takes the -1 as 1 when the other dims multiply to 0, whatever the count" =>
        |b| divides_by_zero(b, |_| Some(1)),
    "zero-with-minus-one-is-0":
        "accepts a literal 0 together with a -1 on empty data, and takes the -1 as 0" => |b| {
            b.overlooks.push(Reason::ZeroWithMinusOne);
            b.by_zero = |zero| zero.count.is_zero().then_some(0);
        },
    "zero-with-minus-one-without-zeros":
        "accepts a literal 0 together with a -1 on empty data, and infers the -1 without the zeros" =>
        |b| {
            b.overlooks.push(Reason::ZeroWithMinusOne);
            b.by_zero = |zero| without_zeros(zero.data, zero.others);
        },
    "zero-with-minus-one-at-run":
        "accepts a literal 0 together with a -1 on empty data in a runtime target" => |b| {
            b.target = |values, request, binding| {
                let both = values.contains(&0) && values.iter().filter(|v| **v == -1).count() == 1;
                let is_empty = request.data_shape.contains(&0) && oracle::copies_zero(request) == Some(false);
                if binding.source() == TargetSource::Runtime && both && is_empty {
                    let length = without_zeros(&request.data_shape, &lengths(values)).unwrap_or(0);
                    let values = values.iter_mut().filter(|v| **v == -1);
                    values.for_each(|v| *v = i128::from(length));
                }
            };
        },
    "count-over-zero-is-the-count":
        "leaves zeros out when it infers the -1 of data that is not empty" => |b| {
            b.checks.push(|c| !c.inferred);
            b.by_zero = |zero| if zero.count.is_zero() { zero.stated } else { without_zeros(zero.data, zero.others) };
        },
}

/// Infers a -1 by this division, and does not check the count then.
pub(super) fn divides(b: &mut Behavior, divide: fn(&Count, &Count) -> Option<Count>) {
    b.divide = divide;
    b.checks.push(|c| !c.inferred);
}

/// Infers a -1 so where the other dims multiply to 0, whatever the count.
fn divides_by_zero(b: &mut Behavior, divide: fn(&ByZero<'_>) -> Option<u64>) {
    b.overlooks.push(Reason::ZeroWithMinusOne);
    b.by_zero = divide;
    b.checks.push(|c| !c.inferred);
}

/// Division that rounds up or down.
pub(super) fn quotient(count: &Count, known: &Count, up: bool) -> Option<Count> {
    match (count.as_u64(), known.as_u64()) {
        (Some(count), Some(known @ 1..)) if up => Some(Count::of(&[count.div_ceil(known)])),
        (Some(count), Some(known @ 1..)) => Some(Count::of(&[count / known])),
        _ => count.divided_by(known),
    }
}

/// The length of a -1 when both shapes leave out every 0.
fn without_zeros(data: &[u64], others: &[u64]) -> Option<u64> {
    let product = |dims: &[u64]| {
        let dims = dims.iter().copied();
        dims.filter(|dim| *dim != 0).collect::<Count>()
    };
    product(data).divided_by(&product(others))?.as_u64()
}

fn lengths(values: &[i128]) -> Vec<u64> {
    let values = values.iter().filter(|value| **value >= 0);
    let values = values.filter_map(|value| u64::try_from(*value).ok());
    values.collect()
}
