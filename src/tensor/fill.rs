//! Fills: the elements of a case's data, where the case does not list them.

use super::count::Count;
use super::dense::Tensor;
use super::element_type::{ElementType, Representation};
use super::float::Format;

/// How the elements of a tensor are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Fill {
    /// Element `i` is the number `i` up to the largest that the type can count, and then a pattern without a period. So
    /// elements at wrong indices are detected. It contains no NaN: a case about NaN lists its elements.
    #[default]
    Index,
    /// The elements of `Index` from this index on. Tensors that begin at different indices differ.
    From(u32),
    /// Element `i` is the bit pattern `i`: with enough elements, every pattern of the type.
    EveryPattern,
}

impl Fill {
    /// A tensor of that type and shape. The caller ensures that it is small enough to allocate.
    #[must_use]
    pub fn tensor(self, element_type: ElementType, shape: Vec<u64>) -> Tensor {
        let first = self.first();
        if element_type == ElementType::String {
            let count = Count::of(&shape).as_u64().unwrap_or(0);
            let strings = first..first.saturating_add(count);
            let strings = strings.map(|i| format!("s{i}").into_bytes()).collect();
            return Tensor::of_strings(shape, strings);
        }
        match self {
            Self::EveryPattern => Tensor::from_bits(element_type, shape, |i| i as u128),
            Self::Index | Self::From(_) => by_index(element_type, shape, first),
        }
    }

    /// The index of its first element.
    pub(crate) fn first(self) -> u64 {
        match self {
            Self::From(first) => u64::from(first),
            Self::Index | Self::EveryPattern => 0,
        }
    }
}

/// Elements computed from their index, which begins at `first`. Each representation has its own loop, so no loop tests
/// the representation for every element.
fn by_index(element_type: ElementType, shape: Vec<u64>, first: u64) -> Tensor {
    let index = |at: usize| first + at as u64;
    let width = element_type.bits().unwrap_or(8);
    match element_type.representation() {
        // The parity of the ones in the index: the Thue-Morse sequence, which has no period.
        Representation::Bool => Tensor::from_bits(element_type, shape, |at| {
            u128::from(index(at).count_ones() % 2)
        }),
        Representation::Signed | Representation::Unsigned if width >= 16 => {
            Tensor::from_bits(element_type, shape, |at| u128::from(index(at)))
        }
        Representation::Signed | Representation::Unsigned | Representation::String => {
            Tensor::from_bits(element_type, shape, |at| {
                u128::from(scattered(index(at), 1 << width))
            })
        }
        Representation::Float(format) => Tensor::from_bits(element_type, shape, |at| {
            u128::from(float_bits(format, index(at)))
        }),
        Representation::Complex(format) => Tensor::from_bits(element_type, shape, |at| {
            u128::from(float_bits(format, index(at)))
                | u128::from(float_bits(format, index(at) + 1)) << format.width()
        }),
    }
}

#[inline(always)]
fn float_bits(format: Format, index: u64) -> u64 {
    match format.width() {
        64 => (index as f64).to_bits(),
        32 => u64::from((index as f32).to_bits()),
        // Whole numbers up to the largest that the mantissa holds exactly; then patterns, so that all elements differ.
        16 if index >= 256 => 0x0100 + index % 0x3000,
        _ => small_float_bits(format, index),
    }
}

/// Not a part of the loops over millions of elements, which are faster without it.
#[inline(never)]
fn small_float_bits(format: Format, index: u64) -> u64 {
    match (format.width(), format.exponent_bits) {
        (16, 5) => half::f16::from_f32(index as f32).to_bits().into(),
        (16, _) => half::bf16::from_f32(index as f32).to_bits().into(),
        (width, _) => {
            let bits = scattered(index, 1 << width);
            if format.is_nan(bits) || format.value(bits).is_infinite() {
                bits ^ 0x15 & ((1 << width) - 1)
            } else {
                bits
            }
        }
    }
}

/// The index itself while it is below `size` (a power of two), then the high bits of a multiplicative hash.
#[inline(always)]
fn scattered(index: u64, size: u64) -> u64 {
    if index < size {
        index
    } else {
        index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - size.trailing_zeros())
    }
}
