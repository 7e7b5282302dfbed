//! The catalogue: every mutant a row. Each says what it does, to be read after "it". A way to be wrong that the texts
//! leave open (any length for 0/0, an allowzero of 2 as 0 or as 1) is no mutant: nobody may be failed for it. Neither is one
//! that no request can tell: counts in f64 or saturating ones differ only past 2^53 elements.

use super::Mutant;
use super::behavior::{Below, Known, Memory, Second};
use super::content::{Content, column_major, floats, sign, through};
use crate::spec::operator::{Reason, TargetSource};
use crate::spec::request::{AttributeValue, Request};
use crate::tensor::{Count, ElementType};

macro_rules! mutants {
    ($($name:literal $says:literal $breaks:expr;)+) => {
        &[$(Mutant { name: $name, says: $says, breaks: $breaks }),+]
    };
}

/// Every mutant.
pub(crate) const CATALOGUE: &[Mutant] = mutants! {
    // How a 0 is read.
    "zero-always-copies" "copies every 0, whatever the attribute says" |h| h.copies = |_, _, _| Some(true);
    "zero-never-copies" "takes every 0 as literal, whatever the attribute says" |h| h.copies = |_, _, _| Some(false);
    "zero-mode-inverted" "reads the attribute of the zeros the wrong way round" |h| h.copies = |said, _, _| said.map(|said| !said);
    "zero-mode-lost-at-run" "copies every 0 of a target that arrives at the run, whatever the attribute says"
        |h| h.copies = |said, _, binding| if binding.source() == TargetSource::Runtime { Some(true) } else { said };
    "zero-mode-lost-with-dynamic-dims" "copies every 0 where the data dims are not declared, whatever the attribute says"
        |h| h.copies = |said, _, binding| if binding.dynamic() { Some(true) } else { said };
    "attribute-of-another-version-honoured" "honours allowzero or special_zero although the operator does not have it"
        |h| { h.overlooks.push(Reason::UnknownAttribute); h.copies = |said, request, _| foreign_mode(request).or(said); };
    "missing-mode-copies" "takes a missing required attribute as set"
        |h| { h.overlooks.push(Reason::MissingAttribute); h.copies = |said, _, _| said.or(Some(true)); };
    "missing-mode-is-literal" "takes a missing required attribute as not set"
        |h| { h.overlooks.push(Reason::MissingAttribute); h.copies = |said, _, _| said.or(Some(false)); };
    "default-mode-is-literal" "takes zeros as literal where the node leaves an optional attribute out"
        |h| h.copies = |said, request, _| {
            let left_out = request.operator.zero_attribute().is_some_and(|zero| !request.attributes.contains_key(zero.name));
            if left_out { said.map(|_| false) } else { said }
        };
    "attribute-type-unchecked" "takes an attribute of a wrong type as not set"
        |h| { h.overlooks.push(Reason::AttributeType); h.copies = |said, _, _| said.or(Some(false)); };
    "attribute-of-wrong-type-is-set" "takes an attribute of a wrong type as set"
        |h| { h.overlooks.push(Reason::AttributeType); h.copies = |said, _, _| said.or(Some(true)); };

    // Which length a copied 0 takes.
    "copied-zero-from-the-right" "copies from the dims counted from the right"
        |h| h.copied = |zero| (zero.index + zero.data.len()).checked_sub(zero.target_length).and_then(|at| zero.data.get(at).copied());
    "copied-zero-in-turn" "copies the dims in turn: the first 0 takes the first, wherever it stands"
        |h| h.copied = |zero| zero.data.get(zero.zeros_before).copied();
    "copied-zero-from-the-first" "copies the first dim into every 0" |h| h.copied = |zero| zero.data.first().copied();
    "copied-zero-clamped" "copies the last dim where the data has none at that index"
        |h| h.copied = |zero| zero.data.get(zero.index).or(zero.data.last()).copied();
    "copied-zero-wraps" "starts again at the first dim where the data has none at that index"
        |h| h.copied = |zero| zero.data.get(zero.index.checked_rem(zero.data.len())?).copied();
    "copied-zero-past-rank-is-1" "takes a copied 0 past the rank as 1"
        |h| h.copied = |zero| Some(zero.data.get(zero.index).copied().unwrap_or(1));
    "copied-zero-past-rank-is-0" "takes a copied 0 past the rank as 0"
        |h| h.copied = |zero| Some(zero.data.get(zero.index).copied().unwrap_or(0));
    "copied-zero-of-an-empty-dim-is-1" "takes a copied dim of length 0 as 1"
        |h| h.copied = |zero| zero.data.get(zero.index).map(|dim| (*dim).max(1));
    "copied-zero-refused" "refuses a 0 that copies" |h| h.copied = |_| None;

    // Negative values.
    "second-minus-one-is-1" "takes another -1 as 1" |h| h.second = Second::One;
    "last-minus-one-counts" "infers the last -1 and takes those before it as 1" |h| h.second = Second::Counts;
    "every-minus-one-the-same" "gives every -1 the same length, and does not check the count then"
        |h| { h.second = Second::Same; h.checks.push(|checked| !checked.inferred); };
    "any-negative-is-minus-one" "takes any negative value as -1" |h| h.below = |_| Below::MinusOne;
    "negative-is-absolute" "takes a value below -1 without its sign"
        |h| h.below = |value| u64::try_from(value.unsigned_abs()).map_or(Below::Refused, Below::Length);
    "negative-is-0" "takes a value below -1 as 0" |h| h.below = |_| Below::Length(0);
    "negative-is-1" "takes a value below -1 as 1" |h| h.below = |_| Below::Length(1);
    "negative-is-unsigned" "takes a value below -1 as a huge unsigned number" |h| h.below = |value| Below::Length(value as i64 as u64);
    "minus-one-is-1" "takes -1 as the length 1" |h| h.target = |values, _, _| values.iter_mut().filter(|v| **v == -1).for_each(|v| *v = 1);
    "minus-one-refused" "refuses a target with a -1" |h| h.refuses.push(|request, _| values(request).contains(&-1));

    // What -1 becomes.
    "minus-one-past-copied-zeros" "leaves copied dims out when it infers the -1" |h| { h.known = Known::WithoutCopied; h.checks.push(|c| !c.inferred); };
    "minus-one-before-copying" "infers the -1 before the zeros are copied, and gets 0"
        |h| { h.known = Known::CopiedAsZero; h.by_zero = |_| Some(0); h.checks.push(|c| !c.inferred); };
    "minus-one-rounds-down" "rounds down when the count is not divisible, and does not check it then"
        |h| { h.divide = |count, known| quotient(count, known, false); h.checks.push(|c| !c.inferred); };
    "minus-one-rounds-up" "rounds up when the count is not divisible, and does not check it then"
        |h| { h.divide = |count, known| quotient(count, known, true); h.checks.push(|c| !c.inferred); };
    "minus-one-over-zero-is-0" "takes the -1 as 0 when the other dims multiply to 0, whatever the count"
        |h| { h.overlooks.push(Reason::ZeroWithMinusOne); h.by_zero = |_| Some(0); h.checks.push(|c| !c.inferred); };
    "minus-one-over-zero-is-1" "takes the -1 as 1 when the other dims multiply to 0, whatever the count"
        |h| { h.overlooks.push(Reason::ZeroWithMinusOne); h.by_zero = |_| Some(1); h.checks.push(|c| !c.inferred); };
    "zero-with-minus-one-is-0" "accepts a literal 0 beside a -1 on empty data, and takes the -1 as 0"
        |h| { h.overlooks.push(Reason::ZeroWithMinusOne); h.by_zero = |zero| zero.count.is_zero().then_some(0); };
    "zero-with-minus-one-without-zeros" "accepts a literal 0 beside a -1 on empty data, and infers the -1 with the zeros left out"
        |h| { h.overlooks.push(Reason::ZeroWithMinusOne); h.by_zero = |zero| without_zeros(zero.data, zero.others); };
    "zero-with-minus-one-at-run" "accepts a literal 0 beside a -1 on empty data in a target that arrives at the run"
        |h| {
            h.target = |values, request, binding| {
                let both = request.data_shape.contains(&0) && values.contains(&0) && values.iter().filter(|v| **v == -1).count() == 1;
                if binding.source() == TargetSource::Runtime && both && crate::spec::oracle::copies_zero(request) == Some(false) {
                    let length = without_zeros(&request.data_shape, &lengths(values)).unwrap_or(0);
                    values.iter_mut().filter(|v| **v == -1).for_each(|v| *v = i128::from(length));
                }
            };
        };
    "count-over-zero-is-the-count" "leaves zeros out when it infers the -1 of data that is not empty"
        |h| { h.checks.push(|c| !c.inferred); h.by_zero = |zero| if zero.count.is_zero() { None } else { without_zeros(zero.data, zero.others) }; };

    // How counts are kept.
    "counts-in-32-bits" "multiplies counts in 32 bits" |h| h.product = |dims| wrapped(dims, u64::from(u32::MAX));
    "counts-in-16-bits" "multiplies counts in 16 bits" |h| h.product = |dims| wrapped(dims, 0xffff);
    "counts-in-64-bits" "multiplies counts in 64 bits that wrap" |h| h.product = |dims| wrapped(dims, u64::MAX);
    "counts-in-f32" "multiplies counts in 32-bit floats" |h| h.product = |dims| Count::of(&[dims.iter().fold(1f32, |p, d| p * *d as f32) as u64]);
    "dims-in-i32" "keeps 32 bits of a data dim" |h| h.dim = |dim| dim & u64::from(u32::MAX);
    "dims-in-signed-i32" "keeps 32 bits of a data dim, one of them the sign, and refuses those below 0"
        |h| {
            h.dim = |dim| dim & u64::from(u32::MAX);
            h.refuses.push(|request, _| request.data_shape.iter().any(|dim| (*dim as i32) < 0));
        };
    "dims-in-16-bits" "keeps 16 bits of a data dim" |h| h.dim = |dim| dim & 0xffff;
    "dims-in-f32" "keeps data dims in 32-bit floats" |h| h.dim = |dim| dim as f32 as u64;
    "output-dims-in-i32" "cuts output dims to 32 bits" |h| h.shape.push(|shape, _| shape.iter_mut().for_each(|dim| *dim &= u64::from(u32::MAX)));

    // The target's values on their way in.
    "target-in-i32" "keeps 32 bits of a target value" |h| h.value = |value, _| i128::from(value as i32);
    "target-saturates-at-i32" "limits target values to 32 bits" |h| h.value = |value, _| value.clamp(i32::MIN.into(), i32::MAX.into());
    "target-in-i16" "keeps 16 bits of a target value" |h| h.value = |value, _| i128::from(value as i16);
    "target-in-f32" "reads target values through 32-bit floats" |h| h.value = |value, _| value as f32 as i128;
    "runtime-target-in-i32" "keeps 32 bits of a runtime target's value"
        |h| h.value = |value, source| if source == TargetSource::Runtime { i128::from(value as i32) } else { value };
    "target-reversed" "reads the target from its end" |h| h.target = |values, _, _| values.reverse();
    "target-loses-its-last" "leaves out the target's last value" |h| h.target = |values, _, _| { values.pop(); };
    "target-cut-to-rank" "takes no more target values than the data has dims" |h| h.target = |values, request, _| values.truncate(request.data_shape.len());
    "one-value-flattens" "flattens to one dim whatever the one value of the target is"
        |h| h.target = |values, _, _| if let [value] = values.as_mut_slice() { *value = -1 };
    "one-value-at-run-flattens" "flattens to one dim whatever the one value of a runtime target is"
        |h| h.target = |values, _, binding| if let ([value], TargetSource::Runtime) = (values.as_mut_slice(), binding.source()) { *value = -1 };
    "target-of-another-type" "takes a target of any type" |h| h.overlooks.push(Reason::TargetType);
    "target-of-another-integer-type" "takes a target of any integer type"
        |h| { h.overlooks.push(Reason::TargetType); h.refuses.push(|request, _| request.target.as_ref().is_some_and(|t| !t.element_type.is_integer())); };
    "target-of-any-rank" "flattens a target that is not a flat list" |h| h.overlooks.push(Reason::TargetNotFlat);
    "missing-target-is-empty" "takes a missing target as an empty one" |h| h.overlooks.push(Reason::MissingTarget);
    "missing-target-keeps-the-shape" "gives the data as it is where there is no target"
        |h| { h.overlooks.push(Reason::MissingTarget); h.checks.push(|c| c.target); h.shape.push(|shape, request| if request.target.is_none() { shape.clone_from(&request.data_shape) }); };
    "first-target-stays" "keeps the first target that a model was run with" |h| h.memory = Memory::FirstTarget;

    // Whether the count is checked.
    "count-unchecked" "does not check the count, and rounds a -1 down"
        |h| { h.checks.push(|_| false); h.divide = |count, known| quotient(count, known, false); };
    "count-unchecked-without-minus-one" "checks the count only where there is a -1" |h| h.checks.push(|c| c.inferred);
    "count-unchecked-with-minus-one" "checks the count only where there is no -1" |h| { h.checks.push(|c| !c.inferred); h.divide = |count, known| quotient(count, known, false); };
    "count-unchecked-within-64-bits" "checks of a count without -1 only that it stays within 64 bits" |h| h.checks.push(|c| c.inferred || c.overflows);
    "count-may-shrink" "takes a target of fewer elements than the data has" |h| h.same = |output, data| output <= data;
    "count-may-grow" "takes a target of more elements than the data has" |h| h.same = |output, data| output >= data;
    "count-unchecked-on-empty-data" "does not check the count of empty data" |h| h.checks.push(|c| !c.data_empty);
    "count-unchecked-for-empty-output" "takes any target with a 0 in it" |h| h.checks.push(|c| !c.output_empty);
    "count-unchecked-after-a-copy" "does not check the count where a 0 was copied" |h| h.checks.push(|c| !c.copied);
    "count-unchecked-at-run" "does not check the count of a runtime target" |h| h.checks.push(|c| c.binding.source() != TargetSource::Runtime);
    "count-unchecked-when-constant" "does not check the count of a constant target" |h| h.checks.push(|c| c.binding.source() == TargetSource::Runtime);
    "count-unchecked-with-dynamic-dims" "does not check the count where the data dims are not declared" |h| h.checks.push(|c| !c.binding.dynamic());
    "count-multiple-is-enough" "takes a target whose count divides the data's"
        |h| h.same = |output, data| output == data || (!output.is_zero() && data.divided_by(output).is_some());

    // Shapes it does not have.
    "empty-tensors-refused" "refuses tensors without elements" |h| h.refuses.push(|request, _| request.data_shape.contains(&0));
    "empty-tensors-lose-their-shape" "gives the shape [0] for every tensor without elements"
        |h| h.shape.push(|shape, _| if shape.contains(&0) { *shape = vec![0] });
    "scalars-refused" "refuses scalar data" |h| h.refuses.push(|request, _| request.data_shape.is_empty());
    "scalar-becomes-a-list" "gives the shape [1] instead of a scalar" |h| h.shape.push(|shape, _| if shape.is_empty() { shape.push(1) });
    "bytes-past-64-bits-refused" "refuses empty tensors whose other dims would take 2^63 bytes or more"
        |h| h.refuses_shape = |shape, element_type| {
            let bytes: Vec<u64> = shape.iter().copied().filter(|dim| *dim != 0).chain([u64::from(element_type.bits().unwrap_or(8)).div_ceil(8)]).collect();
            Count::of(&bytes).exceeds_i64()
        };
    "ranks-past-4-refused" "refuses more than 4 dims" |h| h.refuses.push(|request, _| rank(request) > 4);
    "ranks-past-6-refused" "refuses more than 6 dims" |h| h.refuses.push(|request, _| rank(request) > 6);
    "ranks-past-8-refused" "refuses more than 8 dims" |h| h.refuses.push(|request, _| rank(request) > 8);
    "dims-of-1-dropped" "drops output dims of length 1" |h| h.shape.push(|shape, _| shape.retain(|dim| *dim != 1));
    "trailing-1s-dropped" "drops output dims of length 1 at the end" |h| h.shape.push(|shape, _| while shape.last() == Some(&1) { shape.pop(); });
    "padded-to-the-data-rank" "puts dims of length 1 before an output of fewer dims than the data"
        |h| h.shape.push(|shape, request| while shape.len() < request.data_shape.len() { shape.insert(0, 1) });
    "shape-kept" "gives the data's own shape" |h| h.shape.push(|shape, request| shape.clone_from(&request.data_shape));
    "flattened" "gives one dim" |h| h.shape.push(|shape, _| *shape = vec![shape.iter().copied().fold(1, u64::saturating_mul)]);
    "any-element-type" "takes element types that the operator does not list" |h| h.overlooks.push(Reason::ElementType);
    "wide-types-refused" "refuses element types of 64 bits" |h| h.refuses.push(|request, _| request.element_type.bits() == Some(64));

    // What becomes of the elements.
    "column-major" "reads and writes the elements with the first dim fastest" |h| h.content.push(Content::Place(column_major));
    "reversed" "writes the elements from the end" |h| h.content.push(Content::Place(|p| p.count.checked_sub(p.index + 1)));
    "shifted-by-one" "writes each element a place too late" |h| h.content.push(Content::Place(|p| p.index.checked_sub(1)));
    "last-element-lost" "leaves out the last element" |h| h.content.push(Content::Place(|p| (p.index + 1 < p.count).then_some(p.index)));
    "tail-lost" "leaves out what is left over after full vectors of 8" |h| h.content.push(Content::Place(|p| (p.index < p.count / 8 * 8 || p.count < 8).then_some(p.index)));
    "only-64-ki-elements" "leaves out elements past 65,535" |h| h.content.push(Content::Place(|p| (p.index < 0xffff).then_some(p.index)));
    "elements-zeroed" "gives zeros" |h| h.content.push(Content::Place(|_| None));
    "first-element-everywhere" "repeats the first element" |h| h.content.push(Content::Place(|_| Some(0)));
    "stale-elements" "gives the elements of the call before" |h| h.memory = Memory::LastData;
    "target-for-the-data" "gives the target's values for the data's elements" |h| h.content.push(Content::Target);
    "bytes-swapped" "writes the bytes of an element in the other order" |h| h.content.push(Content::Bits(swapped));
    "nan-quieted" "makes signalling NaNs quiet"
        |h| h.content.push(Content::Bits(|bits, t| floats(bits, t, |bits, f| if f.is_nan(bits) && f.width() > 8 { bits | 1 << (f.mantissa_bits - 1) } else { bits })));
    "nan-made-one" "makes every NaN the same one" |h| h.content.push(Content::Bits(|bits, t| floats(bits, t, |bits, f| if f.is_nan(bits) { f.nan().unwrap_or(bits) } else { bits })));
    "nan-sign-lost" "drops the sign of NaNs" |h| h.content.push(Content::Bits(|bits, t| floats(bits, t, |bits, f| if f.is_nan(bits) && f.value(bits).is_nan() && bits != sign(f) { bits & !sign(f) } else { bits })));
    "minus-zero-lost" "makes -0 a 0" |h| h.content.push(Content::Bits(|bits, t| floats(bits, t, |bits, f| if bits == sign(f) { 0 } else { bits })));
    "subnormals-flushed" "makes subnormal numbers 0"
        |h| h.content.push(Content::Bits(|bits, t| floats(bits, t, |bits, f| {
            let exponent = ((1u64 << f.exponent_bits) - 1) << f.mantissa_bits;
            if bits & exponent == 0 && f.mantissa_bits > 0 { bits & sign(f) } else { bits }
        })));
    "infinities-clamped" "makes infinities large finite numbers"
        |h| h.content.push(Content::Bits(|bits, t| floats(bits, t, |bits, f| if f.value(bits).is_infinite() { bits - 1 } else { bits })));
    "f64-through-f32" "sends f64 through f32" |h| h.content.push(Content::Bits(|bits, t| through(bits, t, ElementType::F64, |bits| f64::from(f64::from_bits(bits) as f32).to_bits())));
    "f64-through-clamped-f32" "sends f64 through f32, and infinities come back as the largest f32"
        |h| h.content.push(Content::Bits(|bits, t| through(bits, t, ElementType::F64, |bits| {
            let limit = f64::from(f32::MAX);
            f64::from(f64::from_bits(bits).clamp(-limit, limit) as f32).to_bits()
        })));
    "f32-through-bf16" "sends f32 through bf16" |h| h.content.push(Content::Bits(|bits, t| through(bits, t, ElementType::F32, |bits| bits & 0xffff_0000)));
    "f16-through-bf16" "keeps 7 bits of an f16's mantissa" |h| h.content.push(Content::Bits(|bits, t| through(bits, t, ElementType::F16, |bits| bits & !0b111)));
    "bf16-through-f16" "loses bf16 numbers past the range of f16"
        |h| h.content.push(Content::Bits(|bits, t| through(bits, t, ElementType::Bf16, |bits| if f32::from_bits((bits as u32) << 16).abs() >= 65520.0 { bits & 0x8000 | 0x7f80 } else { bits })));
    "i64-through-i32" "sends i64 through i32" |h| h.content.push(Content::Bits(|bits, t| through(bits, t, ElementType::I64, |bits| i64::from(bits as i32) as u64)));
    "i64-through-f64" "sends i64 through f64" |h| h.content.push(Content::Bits(|bits, t| through(bits, t, ElementType::I64, |bits| (bits as i64) as f64 as i64 as u64)));
    "u64-through-u32" "sends u64 through u32" |h| h.content.push(Content::Bits(|bits, t| through(bits, t, ElementType::U64, |bits| bits & u64::from(u32::MAX))));
    "u64-through-i32" "sends u64 through i32" |h| h.content.push(Content::Bits(|bits, t| through(bits, t, ElementType::U64, |bits| i64::from(bits as i32) as u64)));
    "u64-through-i64" "limits u64 to 2^63-1" |h| h.content.push(Content::Bits(|bits, t| through(bits, t, ElementType::U64, |bits| bits.min(i64::MAX.unsigned_abs()))));
    "u64-through-f64" "sends u64 through f64" |h| h.content.push(Content::Bits(|bits, t| through(bits, t, ElementType::U64, |bits| bits as f64 as u64)));
    "i32-through-f32" "sends i32 through f32" |h| h.content.push(Content::Bits(|bits, t| through(bits, t, ElementType::I32, |bits| u64::from((bits as i32) as f32 as i32 as u32))));
    "u32-through-i32" "limits u32 to 2^31-1" |h| h.content.push(Content::Bits(|bits, t| through(bits, t, ElementType::U32, |bits| bits.min(i32::MAX as u64))));
    "i16-through-i8" "keeps 8 bits of an i16" |h| h.content.push(Content::Bits(|bits, t| through(bits, t, ElementType::I16, |bits| u64::from(i16::from(bits as i8) as u16))));
    "u16-through-i16" "limits u16 to 2^15-1" |h| h.content.push(Content::Bits(|bits, t| through(bits, t, ElementType::U16, |bits| bits.min(0x7fff))));
    "u8-through-i8" "limits u8 to 127" |h| h.content.push(Content::Bits(|bits, t| through(bits, t, ElementType::U8, |bits| bits.min(0x7f))));
    "bool-normalised" "makes every true byte a 1" |h| h.content.push(Content::Bits(|bits, t| through(bits, t, ElementType::Bool, |bits| u64::from(bits != 0))));
    "bool-low-bit" "keeps the lowest bit of a bool's byte" |h| h.content.push(Content::Bits(|bits, t| through(bits, t, ElementType::Bool, |bits| bits & 1)));
    "complex-parts-swapped" "swaps the parts of complex numbers"
        |h| h.content.push(Content::Bits(|bits, t| match t {
            ElementType::Complex64 => (bits >> 32) | (bits & u128::from(u32::MAX)) << 32,
            ElementType::Complex128 => bits.rotate_left(64),
            _ => bits,
        }));
    "imaginary-part-lost" "loses the imaginary part of complex numbers"
        |h| h.content.push(Content::Bits(|bits, t| match t {
            ElementType::Complex64 => bits & u128::from(u32::MAX),
            ElementType::Complex128 => bits & u128::from(u64::MAX),
            _ => bits,
        }));
    "strings-cut-at-nul" "cuts strings at a NUL" |h| h.content.push(Content::Bytes(|bytes| bytes.split(|b| *b == 0).next().unwrap_or_default().to_vec()));
    "strings-trimmed" "trims spaces off strings" |h| h.content.push(Content::Bytes(|bytes| bytes.trim_ascii().to_vec()));
    "strings-without-trailing-nul" "drops NULs at the end of strings"
        |h| h.content.push(Content::Bytes(|bytes| bytes[..bytes.iter().rposition(|b| *b != 0).map_or(0, |at| at + 1)].to_vec()));
    "strings-to-ascii" "makes every byte of a string past ASCII a question mark"
        |h| h.content.push(Content::Bytes(|bytes| bytes.iter().map(|b| if b.is_ascii() { *b } else { b'?' }).collect()));
    "nibbles-swapped" "packs two values a byte with the first in the high bits" |h| h.content.push(Content::Place(|p| packed_otherwise(p.element_type, p.index)));
    "sub-byte-tail-lost" "loses the last byte of packed values if it is not full"
        |h| h.content.push(Content::Place(|p| match p.element_type.bits() {
            Some(bits @ ..8) => { let in_a_byte = 8 / bits as usize; (p.index < p.count / in_a_byte * in_a_byte).then_some(p.index) }
            _ => Some(p.index),
        }));
    "sub-byte-values-a-byte-each" "reads packed values as if each had a byte of its own"
        |h| h.content.push(Content::Place(|p| match p.element_type.bits() {
            Some(bits @ ..8) => Some(p.index * (8 / bits as usize)).filter(|at| *at < p.count),
            _ => Some(p.index),
        }));
};

fn values(request: &Request) -> &[i128] {
    request.target.as_ref().map_or(&[], |target| &target.values)
}

fn rank(request: &Request) -> usize {
    values(request).len().max(request.data_shape.len())
}

/// The mode that an attribute of another operator or version asks for.
fn foreign_mode(request: &Request) -> Option<bool> {
    let own = request.operator.zero_attribute().map(|zero| zero.name);
    match (
        request.attributes.get("allowzero"),
        request.attributes.get("special_zero"),
    ) {
        (Some(AttributeValue::Int(value)), _) if own != Some("allowzero") => Some(*value == 0),
        (_, Some(AttributeValue::Bool(value))) if own != Some("special_zero") => Some(*value),
        (_, Some(AttributeValue::Int(value))) if own != Some("special_zero") => Some(*value != 0),
        _ => None,
    }
}

/// Division that rounds.
fn quotient(count: &Count, known: &Count, up: bool) -> Option<Count> {
    match (count.as_u64(), known.as_u64()) {
        (Some(count), Some(known @ 1..)) => Some(Count::of(&[if up {
            count.div_ceil(known)
        } else {
            count / known
        }])),
        _ => count.divided_by(known),
    }
}

/// What a -1 comes to when every 0 is left out on both sides.
fn without_zeros(data: &[u64], others: &[u64]) -> Option<u64> {
    let product = |dims: &[u64]| {
        dims.iter()
            .copied()
            .filter(|dim| *dim != 0)
            .collect::<Count>()
    };
    product(data).divided_by(&product(others))?.as_u64()
}

fn lengths(values: &[i128]) -> Vec<u64> {
    values
        .iter()
        .filter(|value| **value >= 0)
        .filter_map(|value| u64::try_from(*value).ok())
        .collect()
}

fn wrapped(dims: &[u64], mask: u64) -> Count {
    Count::of(&[dims
        .iter()
        .fold(1u64, |product, dim| product.wrapping_mul(*dim))
        & mask])
}

fn swapped(bits: u128, element_type: ElementType) -> u128 {
    let bytes = element_type.bits().unwrap_or(8) / 8;
    if bytes < 2 {
        bits
    } else {
        bits.swap_bytes() >> (128 - 8 * bytes)
    }
}

fn packed_otherwise(element_type: ElementType, index: usize) -> Option<usize> {
    match element_type.bits() {
        Some(bits @ ..8) => Some(index ^ (8 / bits as usize - 1)),
        _ => Some(index),
    }
}
