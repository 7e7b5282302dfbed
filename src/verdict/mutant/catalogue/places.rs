//! Mutants: rules that hold at the first places of a target only.

use super::minus_one::values;
use super::mutants;
use crate::semantics::oracle;

mutants! { PLACES;
    "copied-zero-past-the-fourth-place-is-1": "takes a 0 that copies as 1 past the fourth place" =>
        |b| b.copied = |zero| {
            let dim = zero.data.get(zero.index).copied();
            dim.map(|dim| if zero.index < 4 { dim } else { 1 })
        },
    "copied-zero-past-the-sixth-place-from-its-left":
        "copies the dim to the left of its own past the sixth place" =>
        |b| b.copied = |zero| {
            let own = zero.data.get(zero.index).copied()?;
            if zero.index < 6 { Some(own) } else { zero.data.get(zero.index - 1).copied() }
        },
    "copied-zeros-past-the-second-are-1": "takes zeros that copy as 1 after the first two" =>
        |b| b.copied = |zero| {
            let dim = zero.data.get(zero.index).copied();
            dim.map(|dim| if zero.zeros_before < 2 { dim } else { 1 })
        },
    "copied-zero-one-past-the-rank-is-1":
        "takes a copied 0 as 1 at the index after the rank, and refuses it farther on" =>
        |b| b.copied = |zero| {
            let past = (zero.index == zero.data.len() + 1).then_some(1);
            zero.data.get(zero.index).copied().or(past)
        },
    "copied-zero-two-past-the-rank-is-1":
        "takes a copied 0 as 1 from the second index after the rank on" =>
        |b| b.copied = |zero| {
            let past = (zero.index >= zero.data.len() + 2).then_some(1);
            zero.data.get(zero.index).copied().or(past)
        },
    "second-minus-one-past-the-third-place-is-1": "takes another -1 as 1 past the third place" =>
        |b| b.target = |values, _, _| {
            let first = values.iter().position(|value| *value == -1);
            let later = values.iter_mut().enumerate().skip(3);
            later.filter(|(index, value)| **value == -1 && Some(*index) != first).for_each(|(_, value)| *value = 1);
        },
    "minus-ones-apart-are-1": "refuses another -1 only next to the first, and takes others as 1" =>
        |b| b.target = |values, _, _| {
            let first = values.iter().position(|value| *value == -1).unwrap_or(values.len());
            let later = values.iter_mut().skip(first + 2);
            later.filter(|value| **value == -1).for_each(|value| *value = 1);
        },
    "negative-past-the-second-place-is-absolute": "takes a value below -1 without its sign past the second place" =>
        |b| b.target = |values, _, _| {
            let later = values.iter_mut().skip(2).filter(|value| **value < -1);
            later.for_each(|value| *value = -*value);
        },
    "literal-zero-past-the-third-place-is-1": "takes a literal 0 as 1 past the third place" => |b| {
        b.target = |values, request, _| {
            if oracle::copies_zero(request) == Some(false) {
                let later = values.iter_mut().skip(3).filter(|value| **value == 0);
                later.for_each(|value| *value = 1);
            }
        }
    },
    "zero-mode-lost-past-4-values": "copies every 0 of a target of more than 4 values, whatever the attribute says" =>
        |b| b.copies = |said, request, _| if values(request).len() > 4 { Some(true) } else { said },
    "minus-one-past-the-fourth-place-is-1": "takes a -1 as 1 past the fourth place" =>
        |b| b.target = |values, _, _| {
            values.iter_mut().skip(4).filter(|value| **value == -1).for_each(|value| *value = 1);
        },
    "value-past-the-third-in-i32": "keeps 32 bits of each target value after the third" =>
        |b| b.target = |values, _, _| {
            values.iter_mut().skip(3).for_each(|value| *value = i128::from(*value as i32));
        },
}
