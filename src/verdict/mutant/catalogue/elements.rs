//! Mutants of the elements.

use super::mutants;
use crate::tensor::{ElementType, Representation};
use crate::verdict::mutant::content::Content::{Bits, Bytes, Floats, Place, Target, Through};
use crate::verdict::mutant::content::{self, I64_THROUGH_F64, column_major};

mutants! { ELEMENTS;
    "column-major": "reads and writes the elements with the first dim fastest" => Place(column_major),
    "channels-last-for-any-rank": "moves the second of four dims to the end" => Place(channels_last),
    "channels-last": "moves the second of four dims to the end, where the output has another rank" =>
        Place(|p| if p.shape.len() == 4 { Some(p.index) } else { channels_last(p) }),
    "reversed": "writes the elements from the end" => Place(|p| p.count.checked_sub(p.index + 1)),
    "shifted-by-one": "shifts each element by one place" => Place(|p| p.index.checked_sub(1)),
    "last-element-lost": "leaves out the last element" => Place(|p| (p.index + 1 < p.count).then_some(p.index)),
    "tail-of-4-lost": "leaves out the elements after the last full vector of 4" => Place(|p| in_vectors(p, 4)),
    "tail-lost": "leaves out the elements after the last full vector of 8" => Place(|p| in_vectors(p, 8)),
    "tail-of-16-lost": "leaves out the elements after the last full vector of 16" => Place(|p| in_vectors(p, 16)),
    "tail-of-16-bytes-lost": "leaves out the elements after the last full vector of 16 bytes" =>
        Place(|p| in_vectors(p, elements_of(p, 16))),
    "tail-of-32-bytes-lost": "leaves out the elements after the last full vector of 32 bytes" =>
        Place(|p| in_vectors(p, elements_of(p, 32))),
    "tail-of-64-bytes-lost": "leaves out the elements after the last full vector of 64 bytes" =>
        Place(|p| in_vectors(p, elements_of(p, 64))),
    "tail-of-128-lost": "leaves out the elements after the last full vector of 128" =>
        Place(|p| in_vectors(p, 128)),
    "tails-of-rows-lost":
        "leaves out the elements of each row of the data after its last full vector of 8" =>
        Place(|p| {
            let row = usize::try_from(*p.data_shape.last()?).ok()?;
            (row < 8 || p.index % row < row / 8 * 8).then_some(p.index)
        }),
    "only-64-ki-elements": "leaves out elements past the first 65,536" =>
        Place(|p| (p.index < 0x10000).then_some(p.index)),
    "first-half-twice": "repeats the first half of the elements instead of the second" =>
        Place(|p| Some(if p.index < p.count / 2 * 2 { p.index % (p.count / 2) } else { p.index })),
    "elements-zeroed": "gives zeros" => Place(|_| None),
    "first-element-everywhere": "repeats the first element" => Place(|_| Some(0)),
    "target-for-the-data": "gives the target's values instead of the data's elements" => Target,
    "bytes-swapped": "reverses the bytes of each element" => Bits(swapped),
    "nan-quieted": "makes signalling NaNs quiet" =>
        Floats(|bits, f| (f.is_nan(bits) && f.width() > 8).then(|| bits | 1 << (f.mantissa_bits - 1))),
    "nan-made-one": "makes every NaN the same NaN" => Floats(|bits, f| f.nan().filter(|_| f.is_nan(bits))),
    "nan-sign-lost": "drops the sign of NaNs" => Floats(|bits, f| {
        let is_nan = f.is_nan(bits) && f.value(bits).is_nan();
        (is_nan && bits != f.sign_bit()).then(|| bits & !f.sign_bit())
    }),
    "minus-zero-lost": "makes -0 a 0" => Floats(|bits, f| (bits == f.sign_bit()).then_some(0)),
    "subnormals-flushed": "makes subnormal numbers 0" =>
        Floats(|bits, f| f.is_tiny(bits).then(|| bits & f.sign_bit())),
    "infinities-clamped": "makes infinities large finite numbers" =>
        Floats(|bits, f| f.value(bits).is_infinite().then(|| bits - 1)),
    "f64-through-f32": "sends f64 through f32" =>
        Through(ElementType::F64, |bits| f64::from(f64::from_bits(bits) as f32).to_bits()),
    "f64-through-clamped-f32":
        "sends f64 through f32, and infinities come back as the largest f32" =>
        Through(ElementType::F64, |bits| {
            f64::from(f64::from_bits(bits).clamp(f32::MIN.into(), f32::MAX.into()) as f32).to_bits()
        }),
    "f32-through-bf16": "sends f32 through bf16" => Through(ElementType::F32, |bits| bits & 0xffff_0000),
    "f16-through-bf16": "keeps 7 bits of an f16's mantissa" => Through(ElementType::F16, |bits| bits & !0b111),
    "bf16-through-f16": "loses bf16 numbers past the range of f16" =>
        Through(ElementType::Bf16, |bits| match f32::from_bits((bits as u32) << 16).abs() >= 65520.0 {
            true => bits & 0x8000 | 0x7f80,
            false => bits,
        }),
    "i64-through-i32": "sends i64 through i32" => Through(ElementType::I64, |bits| i64::from(bits as i32) as u64),
    "i64-through-f64": "sends i64 through f64" => I64_THROUGH_F64,
    "i64-through-f64-on-x86": "sends i64 through f64, and takes 2^63 as -2^63" => Through(ElementType::I64, |bits| {
        let float = (bits as i64) as f64;
        if float < 2f64.powi(63) { float as i64 as u64 } else { 1 << 63 }
    }),
    "u64-through-u32": "sends u64 through u32" => Through(ElementType::U64, |bits| bits & u64::from(u32::MAX)),
    "u64-through-i32": "sends u64 through i32" => Through(ElementType::U64, |bits| i64::from(bits as i32) as u64),
    "u64-through-i64": "limits u64 to 2^63-1" =>
        Through(ElementType::U64, |bits| bits.min(i64::MAX.unsigned_abs())),
    "u64-through-f64": "sends u64 through f64" => Through(ElementType::U64, |bits| bits as f64 as u64),
    "i32-through-f32": "sends i32 through f32" =>
        Through(ElementType::I32, |bits| u64::from((bits as i32) as f32 as i32 as u32)),
    "u32-through-i32": "limits u32 to 2^31-1" => Through(ElementType::U32, |bits| bits.min(i32::MAX as u64)),
    "i16-through-i8": "keeps 8 bits of an i16" =>
        Through(ElementType::I16, |bits| u64::from(i16::from(bits as i8) as u16)),
    "u16-through-i16": "limits u16 to 2^15-1" => Through(ElementType::U16, |bits| bits.min(0x7fff)),
    "u8-through-i8": "limits u8 to 127" => Through(ElementType::U8, |bits| bits.min(0x7f)),
    "negative-integers-zeroed": "makes negative integers 0" => Bits(|bits, t| {
        let is_signed = matches!(t.representation(), Representation::Signed);
        if is_signed && bits >> (t.bits().unwrap_or(1) - 1) == 1 { 0 } else { bits }
    }),
    "complex-parts-swapped": "swaps the parts of complex numbers" => Bits(|bits, t| {
        part(t).map_or(bits, |part| (bits >> part) | (bits & !(u128::MAX << part)) << part)
    }),
    "imaginary-part-lost": "loses the imaginary part of complex numbers" =>
        Bits(|bits, t| part(t).map_or(bits, |part| bits & !(u128::MAX << part))),
    "complex-conjugated": "changes the sign of the imaginary part of complex numbers" =>
        Bits(|bits, t| part(t).map_or(bits, |part| bits ^ 1 << (2 * part - 1))),
    "bool-true-of-all-ones": "stores a true bool as the byte 0xff" =>
        Through(ElementType::Bool, |bits| if bits == 0 { 0 } else { 0xff }),
    "strings-through-latin-1": "reads strings as Latin-1, and writes them as UTF-8" =>
        Bytes(|bytes| bytes.iter().copied().map(char::from).collect::<String>().into_bytes()),
    "strings-trimmed": "trims spaces off strings" => Bytes(|bytes| bytes.trim_ascii().to_vec()),
    "strings-cut-after-15-bytes": "cuts strings after 15 bytes" =>
        Bytes(|bytes| bytes[..bytes.len().min(15)].to_vec()),
    "strings-to-ascii": "makes every byte of a string past ASCII a question mark" =>
        Bytes(|bytes| bytes.iter().map(|b| if b.is_ascii() { *b } else { b'?' }).collect()),
    "nibbles-swapped": "packs the first of two values into the high bits of a byte" =>
        Place(|p| Some(p.index ^ (in_a_byte(p) - 1))),
    "sub-byte-tail-lost": "loses the last byte of packed values if it is not full" =>
        Place(|p| (p.index < p.count / in_a_byte(p) * in_a_byte(p)).then_some(p.index)),
    "sub-byte-values-a-byte-each": "reads packed values as if each had a byte of its own" =>
        Place(|p| Some(p.index * in_a_byte(p)).filter(|at| *at < p.count)),
}

/// The index in data whose second of four dims moves to the end.
fn channels_last(place: &content::Place<'_>) -> Option<usize> {
    let [_, channels, height, width] = *place.data_shape else {
        return Some(place.index);
    };
    let channels = usize::try_from(channels).ok()?;
    let plane = usize::try_from(height * width).ok()?;
    let (pixel, channel) = (place.index.checked_div(channels)?, place.index % channels);
    Some((pixel.checked_div(plane)? * channels + channel) * plane + pixel % plane)
}

/// The index at a place in a full vector of so many elements; `None` after the last one. Data shorter than a vector, and
/// elements that fit in none, stay.
fn in_vectors(place: &content::Place<'_>, elements: usize) -> Option<usize> {
    let vectors = place.count.checked_div(elements).unwrap_or(0);
    (vectors == 0 || place.index < vectors * elements).then_some(place.index)
}

/// The number of elements in a vector of so many bytes; 0 for strings.
fn elements_of(place: &content::Place<'_>, bytes: usize) -> usize {
    let bits = place.element_type.bits().map_or(0, |bits| bits as usize);
    (8 * bytes).checked_div(bits).unwrap_or(0)
}

/// The number of elements in a byte; 1 for elements that have no less than a byte each.
fn in_a_byte(place: &content::Place<'_>) -> usize {
    elements_of(place, 1).max(1)
}

/// The bits of each part of a complex number; `None` for other types.
fn part(of: ElementType) -> Option<u32> {
    let is_complex = [ElementType::Complex64, ElementType::Complex128].contains(&of);
    of.bits().filter(|_| is_complex).map(|bits| bits / 2)
}

fn swapped(bits: u128, element_type: ElementType) -> u128 {
    let bytes = element_type.bits().unwrap_or(8) / 8;
    if bytes < 2 {
        bits
    } else {
        bits.swap_bytes() >> (128 - 8 * bytes)
    }
}
