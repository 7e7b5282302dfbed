//! Fills: what a case's data holds when nobody lists the elements.

use super::float::Format;
use super::{Count, ElementType, Representation, Tensor};

/// How the elements of a tensor are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fill {
    /// Element `i` is the number `i` where the type can count that far, and then patterns that do not repeat with any
    /// period, so that elements that changed places show. No NaN: a case about content says so itself.
    #[default]
    Index,
    /// The same, but beginning with the number that element of `Index` has: no two tensors of one shape hold the same then.
    From(u32),
    /// Element `i` is the bit pattern `i`: every pattern of the type, if there are as many elements.
    EveryPattern,
}

impl Fill {
    /// A tensor of that type and shape. The caller has checked that it is small enough to be made.
    #[must_use]
    pub fn tensor(self, element_type: ElementType, shape: Vec<u64>) -> Tensor {
        if element_type == ElementType::String {
            let count = Count::of(&shape).as_u64().unwrap_or(0);
            let first = self.first();
            let strings = (first..first.saturating_add(count))
                .map(|i| format!("s{i}").into_bytes())
                .collect();
            return Tensor {
                element_type,
                shape,
                elements: super::Elements::Strings(strings),
            };
        }
        match self {
            Self::EveryPattern => Tensor::from_bits(element_type, shape, |i| i as u128),
            Self::Index | Self::From(_) => {
                let first = self.first();
                Tensor::from_bits(element_type, shape, |i| {
                    index_bits(element_type, first + i as u64)
                })
            }
        }
    }

    fn first(self) -> u64 {
        match self {
            Self::From(first) => u64::from(first),
            Self::Index | Self::EveryPattern => 0,
        }
    }
}

fn index_bits(element_type: ElementType, index: u64) -> u128 {
    let width = element_type.bits().unwrap_or(8);
    match element_type.representation() {
        // Which of the two, by the parity of the index's ones: the Thue-Morse sequence, which has no period.
        Representation::Bool => u128::from(index.count_ones() % 2),
        Representation::Signed | Representation::Unsigned if width >= 16 => u128::from(index),
        Representation::Signed | Representation::Unsigned | Representation::String => {
            u128::from(scattered(index, 1 << width))
        }
        Representation::Float => u128::from(float_bits(element_type, index)),
        Representation::Complex => {
            let half = width / 2;
            u128::from(float_bits(element_type, index))
                | u128::from(float_bits(element_type, index + 1)) << half
        }
    }
}

fn float_bits(element_type: ElementType, index: u64) -> u64 {
    let Some(format) = Format::of(element_type) else {
        return index;
    };
    match format.width() {
        64 => (index as f64).to_bits(),
        32 => u64::from((index as f32).to_bits()),
        // Whole numbers up to where the mantissa ends; beyond them patterns, so that all differ.
        16 if index < 256 => format.whole(index),
        16 => 0x0100 + index % 0x3000,
        width => {
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
fn scattered(index: u64, size: u64) -> u64 {
    if index < size {
        index
    } else {
        index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - size.trailing_zeros())
    }
}
