//! Literals: elements as people write and read them.
//!
//! A literal is a number (`1.5`, `-3`), `nan`, `inf`, `-inf`, `true`, `false`, a complex `re+imj` written as a pair
//! `re,im`, or the bits themselves (`0x7fa00001`). For strings it is the text, with the escapes `\xNN` and `\\`.

use super::dense::Tensor;
use super::element_type::{ElementType, Representation};
use super::float::Format;
use num_bigint::BigUint;

/// The most digits and the largest decimal exponent of a literal. Exact rounding is slow past them.
const MAX_DIGITS: usize = 1200;
const LARGEST_EXPONENT: i32 = 1200;

/// The bits of a literal of any type except string. The error says why it is no element of the type.
pub(crate) fn bits(text: &str, element_type: ElementType) -> Result<u128, String> {
    let read = read(text.trim(), element_type);
    read.map_err(|why| format!("'{text}' is no {element_type}: {why}"))
}

fn read(text: &str, element_type: ElementType) -> Result<u128, &'static str> {
    let width = element_type.bits().ok_or("strings have no bits")?;
    if let Some(hex) = text.strip_prefix("0x") {
        let bits = u128::from_str_radix(hex, 16).map_err(|_| "the bits are not hexadecimal")?;
        let fits = width == 128 || bits >> width == 0;
        return fits.then_some(bits).ok_or("more bits than the type has");
    }
    match element_type.representation() {
        Representation::Bool => match text {
            "false" => Ok(0),
            "true" => Ok(1),
            _ => Err("write true, false, or a byte as 0x02"),
        },
        Representation::Signed | Representation::Unsigned => integer(text, element_type, width),
        Representation::Float(format) => float(text, format).map(u128::from),
        Representation::Complex(format) => {
            let parts = text.split_once(',');
            let (real, imaginary) = parts.ok_or("write the two parts as 'real,imaginary'")?;
            let real = float(real.trim(), format)?;
            let imaginary = float(imaginary.trim(), format)?;
            Ok(u128::from(real) | u128::from(imaginary) << format.width())
        }
        Representation::String => Err("strings have no bits"),
    }
}

/// Whether an integer type holds the value.
pub(crate) fn check_integer(value: i128, element_type: ElementType) -> Result<(), String> {
    let width = element_type.bits().unwrap_or(64);
    let signed = element_type.representation() == Representation::Signed;
    let range = match signed {
        true => -(1i128 << (width - 1))..=(1i128 << (width - 1)) - 1,
        false => 0..=(1i128 << width) - 1,
    };
    let fits = range.contains(&value).then_some(());
    fits.ok_or_else(|| format!("{value} does not fit {element_type} ({width} bits)"))
}

fn integer(text: &str, element_type: ElementType, width: u32) -> Result<u128, &'static str> {
    let value: i128 = text.parse().map_err(|_| "not a whole number")?;
    check_integer(value, element_type).map_err(|_| "outside the type's range")?;
    Ok(value as u128 & ((1 << width) - 1))
}

fn float(text: &str, format: Format) -> Result<u64, &'static str> {
    let infinity = |negative| {
        let infinity = format.signed_infinity(negative);
        infinity.ok_or("the type has no infinity")
    };
    match text {
        "nan" => return format.nan().ok_or("the type has no NaN"),
        "inf" => return infinity(false),
        "-inf" => return infinity(true),
        _ => {}
    }
    let (negative, digits, exponent) = decimal(text).ok_or("not a decimal number")?;
    let rounded = format.round_decimal(negative, &digits, exponent);
    let finite = rounded.filter(|bits| Some(*bits) != format.signed_infinity(negative));
    finite.ok_or("outside the type's range")
}

/// `-12.5e3` as (negative, 125, 2).
fn decimal(text: &str) -> Option<(bool, BigUint, i32)> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let plain = !digits.is_empty()
        && digits.len() <= MAX_DIGITS
        && digits.bytes().all(|b| b.is_ascii_digit());
    if !plain || exponent.abs() > LARGEST_EXPONENT {
        return None;
    }
    let exponent = exponent - i32::try_from(fraction.len()).ok()?;
    Some((negative, digits.parse().ok()?, exponent))
}

/// Element `index` as a person reads it: `1.5`, `nan`, `true`, `"abc\x00"`, or `-` past the end.
pub(crate) fn show(tensor: &Tensor, index: usize) -> String {
    if let Some(string) = tensor.string(index) {
        return format!("\"{}\"", string.escape_ascii());
    }
    let Some(bits) = tensor.bits(index) else {
        return "-".to_owned();
    };
    match tensor.element_type().representation() {
        Representation::Bool => match bits {
            0 => "false".to_owned(),
            1 => "true".to_owned(),
            other => format!("bool({other})"),
        },
        Representation::Signed | Representation::Unsigned => tensor
            .integer(index)
            .map_or_else(|| "-".to_owned(), |value| value.to_string()),
        Representation::Float(format) => show_float(format, bits as u64),
        Representation::Complex(format) => {
            let mask = u128::from(u64::MAX >> (64 - format.width()));
            let part = |bits: u128| show_float(format, (bits & mask) as u64);
            format!("{},{}", part(bits), part(bits >> format.width()))
        }
        Representation::String => String::new(),
    }
}

/// The bit pattern of element `index` in hexadecimal, all its digits; for strings, the bytes.
pub(crate) fn show_bits(tensor: &Tensor, index: usize) -> String {
    if let Some(string) = tensor.string(index) {
        let bytes: Vec<_> = string.iter().map(|byte| format!("{byte:02x}")).collect();
        return format!("[{}]", bytes.join(" "));
    }
    let digits = tensor.element_type().bits().unwrap_or(8).div_ceil(4) as usize;
    let bits = tensor.bits(index);
    bits.map_or_else(|| "-".to_owned(), |bits| format!("0x{bits:0digits$x}"))
}

fn show_float(format: Format, bits: u64) -> String {
    if format.is_nan(bits) {
        return "nan".to_owned();
    }
    match format {
        // The shortest decimal that reads back as the same f32.
        Format::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        _ => format!("{:?}", format.value(bits)),
    }
}
