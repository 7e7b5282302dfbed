//! Binary float formats of every width: exact widening, and correct rounding of decimal literals.
//!
//! Rounding a decimal first to f64 and then to a narrower format rounds twice, and can be off by one step. So literals
//! are rounded once, from the exact fraction.

use half::{bf16, f16};
use num_bigint::BigUint;

/// A binary float format of at most 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    pub signed: bool,
    pub exponent_bits: u32,
    pub mantissa_bits: u32,
    pub bias: i32,
    pub special: Special,
}

/// How a format encodes infinity and NaN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Special {
    /// IEEE 754: all exponent bits set; infinity with mantissa 0, NaN otherwise.
    Ieee,
    /// No infinity; NaN is all exponent and mantissa bits set.
    AllOnesNan,
    /// No infinity, no -0; NaN is the pattern of -0.
    NegativeZeroNan,
    /// No infinity and no NaN.
    FiniteOnly,
}

impl Format {
    pub(crate) const F64: Self = Self::new(true, 11, 52, 1023, Special::Ieee);
    pub(crate) const F32: Self = Self::new(true, 8, 23, 127, Special::Ieee);
    pub(crate) const F16: Self = Self::new(true, 5, 10, 15, Special::Ieee);
    pub(crate) const BF16: Self = Self::new(true, 8, 7, 127, Special::Ieee);
    pub(crate) const F8E4M3FN: Self = Self::new(true, 4, 3, 7, Special::AllOnesNan);
    pub(crate) const F8E4M3FNUZ: Self = Self::new(true, 4, 3, 8, Special::NegativeZeroNan);
    pub(crate) const F8E5M2: Self = Self::new(true, 5, 2, 15, Special::Ieee);
    pub(crate) const F8E5M2FNUZ: Self = Self::new(true, 5, 2, 16, Special::NegativeZeroNan);
    pub(crate) const F8E8M0: Self = Self::new(false, 8, 0, 127, Special::AllOnesNan);
    pub(crate) const F4E2M1: Self = Self::new(true, 2, 1, 1, Special::FiniteOnly);

    const fn new(
        signed: bool,
        exponent_bits: u32,
        mantissa_bits: u32,
        bias: i32,
        special: Special,
    ) -> Self {
        Self {
            signed,
            exponent_bits,
            mantissa_bits,
            bias,
            special,
        }
    }

    pub(crate) const fn width(self) -> u32 {
        self.signed as u32 + self.exponent_bits + self.mantissa_bits
    }

    pub(crate) const fn sign_bit(self) -> u64 {
        (self.signed as u64) << (self.width() - 1)
    }

    const fn magnitude_mask(self) -> u64 {
        u64::MAX >> (64 - self.exponent_bits - self.mantissa_bits)
    }

    /// Whether the pattern is not a number.
    pub(crate) fn is_nan(self, bits: u64) -> bool {
        let magnitude = bits & self.magnitude_mask();
        match self.special {
            Special::Ieee => magnitude > self.infinity(),
            Special::AllOnesNan => magnitude == self.magnitude_mask(),
            Special::NegativeZeroNan => bits == self.sign_bit(),
            Special::FiniteOnly => false,
        }
    }

    /// Whether the pattern is -0 or a subnormal number.
    pub(crate) fn is_tiny(self, bits: u64) -> bool {
        let exponent = (bits & self.magnitude_mask()) >> self.mantissa_bits;
        bits != 0 && exponent == 0 && !self.is_nan(bits)
    }

    /// The pattern of +infinity in an IEEE format.
    const fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.mantissa_bits
    }

    /// The pattern of a quiet NaN, if the format has one.
    pub(crate) fn nan(self) -> Option<u64> {
        match self.special {
            Special::Ieee => Some(self.infinity() | 1 << (self.mantissa_bits - 1)),
            Special::AllOnesNan => Some(self.magnitude_mask()),
            Special::NegativeZeroNan => Some(self.sign_bit()),
            Special::FiniteOnly => None,
        }
    }

    /// The pattern of an infinity, if the format has one.
    pub(crate) fn signed_infinity(self, negative: bool) -> Option<u64> {
        (self.special == Special::Ieee)
            .then(|| self.infinity() | if negative { self.sign_bit() } else { 0 })
    }

    /// The largest finite pattern without its sign.
    const fn largest(self) -> u64 {
        match self.special {
            Special::Ieee => self.infinity() - 1,
            Special::AllOnesNan => self.magnitude_mask() - 1,
            Special::NegativeZeroNan | Special::FiniteOnly => self.magnitude_mask(),
        }
    }

    /// The value of a pattern, exact in f64; NaN for the NaN patterns.
    pub(crate) fn value(self, bits: u64) -> f64 {
        match self.width() {
            64 => return f64::from_bits(bits),
            32 => return f64::from(f32::from_bits(bits as u32)),
            16 if self.exponent_bits == 5 => return f16::from_bits(bits as u16).to_f64(),
            16 => return bf16::from_bits(bits as u16).to_f64(),
            _ => {}
        }
        if self.is_nan(bits) {
            return f64::NAN;
        }
        let is_negative = bits & self.sign_bit() != 0;
        let sign = if is_negative { -1.0 } else { 1.0 };
        let magnitude = bits & self.magnitude_mask();
        if self.special == Special::Ieee && magnitude == self.infinity() {
            return sign * f64::INFINITY;
        }
        let (significand, exponent) = self.parts(magnitude);
        sign * significand as f64 * 2f64.powi(exponent)
    }

    /// A finite magnitude as significand × 2^exponent.
    fn parts(self, magnitude: u64) -> (u64, i32) {
        let exponent = (magnitude >> self.mantissa_bits) as i32;
        let fraction = magnitude & ((1 << self.mantissa_bits) - 1);
        let point = self.bias + self.mantissa_bits as i32;
        if exponent == 0 && self.mantissa_bits > 0 {
            (fraction, 1 - point)
        } else {
            (fraction | 1 << self.mantissa_bits, exponent - point)
        }
    }

    /// The pattern nearest to the decimal `digits × 10^exponent10`, ties to even: rounded once, from the exact value.
    ///
    /// `None` if the format cannot hold it. In a format without infinity, that is half a step or more past the largest
    /// finite value. In a format without a sign, it is every negative value.
    pub(crate) fn round_decimal(
        self,
        negative: bool,
        digits: &BigUint,
        exponent10: i32,
    ) -> Option<u64> {
        if negative && !self.signed {
            return None;
        }
        let power = BigUint::from(10u32).pow(exponent10.unsigned_abs());
        let (numerator, denominator) = match exponent10 {
            0.. => (digits * power, BigUint::from(1u32)),
            ..0 => (digits.clone(), power),
        };
        let below = self.greatest_not_above(&numerator, &denominator)?;
        let magnitude = self.nearest(below, &numerator, &denominator)?;
        let sign = if negative { self.sign_bit() } else { 0 };
        // A zero of negative sign is NaN in the formats without -0.
        let is_nan = self.special == Special::NegativeZeroNan && magnitude == 0;
        Some(if is_nan { 0 } else { magnitude | sign })
    }

    /// The greatest magnitude at or below the fraction, by bisection: patterns are in the order of their values.
    fn greatest_not_above(self, numerator: &BigUint, denominator: &BigUint) -> Option<u64> {
        let (mut low, mut high) = (0, self.largest());
        if !self.not_above(low, numerator, denominator) {
            // Only a format without zero has no smaller magnitude.
            return (*numerator > BigUint::ZERO).then_some(0);
        }
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if self.not_above(middle, numerator, denominator) {
                low = middle
            } else {
                high = middle - 1
            }
        }
        Some(low)
    }

    fn not_above(self, magnitude: u64, numerator: &BigUint, denominator: &BigUint) -> bool {
        let (significand, exponent) = self.parts(magnitude);
        let significand = BigUint::from(significand);
        compare(&significand, exponent, numerator, denominator).is_le()
    }

    fn nearest(self, below: u64, numerator: &BigUint, denominator: &BigUint) -> Option<u64> {
        // The midpoint to the next magnitude, as if the exponent could exceed the largest.
        let (low, low_exponent) = self.parts(below);
        let (high, high_exponent) = self.parts(below + 1);
        let shift = (high_exponent - low_exponent).max(0) as u32;
        let middle = BigUint::from(low) + (BigUint::from(high) << shift);
        let order = compare(&middle, low_exponent - 1, numerator, denominator);
        let up = order.is_lt() || (order.is_eq() && below & 1 == 1);
        match (up, below == self.largest()) {
            (false, _) => Some(below),
            (true, false) => Some(below + 1),
            (true, true) => self.signed_infinity(false),
        }
    }
}

/// `significand × 2^exponent` compared with `numerator / denominator`.
fn compare(
    significand: &BigUint,
    exponent: i32,
    numerator: &BigUint,
    denominator: &BigUint,
) -> std::cmp::Ordering {
    let scale = exponent.unsigned_abs();
    if exponent >= 0 {
        ((significand * denominator) << scale).cmp(numerator)
    } else {
        (significand * denominator).cmp(&(numerator << scale))
    }
}

#[cfg(test)]
mod tests {
    use crate::tensor::{ElementType, Representation, literal};
    use proptest::prelude::*;

    #[test]
    fn every_finite_pattern_reads_back_from_its_own_decimal() {
        for element_type in ElementType::ALL {
            let Representation::Float(format) = element_type.representation() else {
                continue;
            };
            if format.width() > 16 {
                continue;
            }
            for bits in 0..1u64 << format.width() {
                let value = format.value(bits);
                if value.is_finite() {
                    let text = format!("{value:e}");
                    assert_eq!(
                        literal::bits(&text, *element_type).ok(),
                        Some(bits.into()),
                        "{element_type} {bits:#x} {text}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_decimal_is_rounded_once() {
        // Just above the middle of two f16 (or bf16) neighbours, but so little that an f64 in between forgets it.
        for (text, element_type, bits) in [
            ("1.00048828125", ElementType::F16, 0x3c00),
            ("1.00048828125000000001", ElementType::F16, 0x3c01),
            ("1.00390625", ElementType::Bf16, 0x3f80),
            ("1.00390625000000000001", ElementType::Bf16, 0x3f81),
            ("65519.999", ElementType::F16, 0x7bff),
            ("-0.0", ElementType::F16, 0x8000),
            ("1e-1000", ElementType::F64, 0),
        ] {
            assert_eq!(literal::bits(text, element_type).ok(), Some(bits), "{text}");
        }
    }

    #[test]
    fn what_a_format_cannot_hold_is_refused() {
        for (text, element_type) in [
            ("465", ElementType::F8e4m3fn),
            ("65520", ElementType::F16),
            ("-1e39", ElementType::F32),
            ("inf", ElementType::F8e4m3fn),
            ("nan", ElementType::F4e2m1),
            ("-1", ElementType::F8e8m0),
            ("1e99999", ElementType::F64),
            ("0x1ffff", ElementType::F16),
            ("128", ElementType::I8),
            ("-9", ElementType::I4),
        ] {
            let is_refused = literal::bits(text, element_type).is_err();
            assert!(is_refused, "{text} as {element_type}");
        }
    }

    proptest! {
        #[test]
        fn f32_and_f64_literals_are_what_the_standard_library_reads(digits in 0u64.., exponent in -330i32..330) {
            let text = format!("{digits}e{exponent}");
            let wide: f64 = text.parse().expect("a number");
            let bits = wide.is_finite().then(|| wide.to_bits().into());
            prop_assert_eq!(literal::bits(&text, ElementType::F64).ok(), bits);
            let narrow: f32 = text.parse().expect("a number");
            let bits = narrow.is_finite().then(|| narrow.to_bits().into());
            prop_assert_eq!(literal::bits(&text, ElementType::F32).ok(), bits);
        }
    }
}
