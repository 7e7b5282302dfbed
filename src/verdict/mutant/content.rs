//! Content: how mutants change the elements.

use crate::model::call::Call;
use crate::semantics::operator::Binding;
use crate::tensor::float::Format;
use crate::tensor::{Count, ElementType, Representation, Tensor};

/// A change to the elements.
#[derive(Clone, Copy)]
pub(crate) enum Content {
    /// The index in the data of the element at a place; `None` for a zero.
    Place(fn(&Place<'_>) -> Option<usize>),
    /// A change to the bits of an element.
    Bits(fn(u128, ElementType) -> u128),
    /// A change to the bits of a float, and to both floats of a complex number; `None` keeps them.
    Floats(fn(u64, Format) -> Option<u64>),
    /// A change to the bits of the elements of one type, such as a conversion to another type and back.
    Through(ElementType, fn(u64) -> u64),
    /// A change to the bytes of a string.
    Bytes(fn(&[u8]) -> Vec<u8>),
    /// The target's values, repeated, instead of the elements.
    Target,
}

impl Content {
    /// Whether it can change an element of this type.
    pub(super) fn concerns(&self, element_type: ElementType) -> bool {
        match self {
            Self::Place(_) | Self::Target => true,
            Self::Bits(_) => element_type != ElementType::String,
            Self::Bytes(_) => element_type == ElementType::String,
            Self::Floats(_) => matches!(
                element_type.representation(),
                Representation::Float(_) | Representation::Complex(_)
            ),
            Self::Through(of, _) => *of == element_type,
        }
    }
}

/// Each i64 as the nearest f64.
pub(super) const I64_THROUGH_F64: Content =
    Content::Through(ElementType::I64, |bits| (bits as i64) as f64 as i64 as u64);

/// A place in the output.
pub(crate) struct Place<'a> {
    pub index: usize,
    pub binding: Binding,
    /// The number of elements of the data.
    pub count: usize,
    pub element_type: ElementType,
    pub data_shape: &'a [u64],
    pub shape: &'a [u64],
}

/// The data in another shape, with these changes. Missing elements are zero.
pub(super) fn apply(content: &[Content], call: &Call<'_>, shape: Vec<u64>) -> Tensor {
    let data = call.data;
    let changed = Changed::of(content, call, &shape);
    if data.element_type() == ElementType::String {
        let strings = (0..changed.len()).map(|index| changed.string(index));
        let strings = strings.collect();
        return Tensor::from_strings(shape, strings).unwrap_or_else(|_| data.clone());
    }
    Tensor::from_bits(data.element_type(), shape.clone(), |index| {
        changed.bits(index)
    })
}

/// Whether the changes give elements other than the data's, in a shape with the same element count.
pub(super) fn changes(content: &[Content], call: &Call<'_>, shape: &[u64]) -> bool {
    let changed = Changed::of(content, call, shape);
    (0..changed.len()).any(|index| {
        if changed.element_type == ElementType::String {
            call.data.string(index) != Some(changed.string(index).as_slice())
        } else {
            call.data.bits(index) != Some(changed.bits(index))
        }
    })
}

/// The elements after the changes.
struct Changed<'a> {
    content: &'a [Content],
    call: Call<'a>,
    /// The number of elements of the data.
    count: usize,
    element_type: ElementType,
    shape: &'a [u64],
}

impl<'a> Changed<'a> {
    fn of(content: &'a [Content], call: &Call<'a>, shape: &'a [u64]) -> Self {
        Self {
            content,
            call: *call,
            count: call.data.len(),
            element_type: call.data.element_type(),
            shape,
        }
    }

    /// The number of elements of the output.
    fn len(&self) -> usize {
        let count = Count::of(self.shape).as_u64();
        count.map_or(0, |count| usize::try_from(count).unwrap_or(0))
    }

    /// The index in the data of the element at a place of the output; `None` for a zero.
    fn source(&self, index: usize) -> Option<usize> {
        self.content
            .iter()
            .try_fold(index, |index, step| match step {
                Content::Place(place) => place(&Place {
                    index,
                    binding: self.call.binding,
                    count: self.count,
                    element_type: self.element_type,
                    data_shape: self.call.data.shape(),
                    shape: self.shape,
                }),
                Content::Bits(_)
                | Content::Floats(_)
                | Content::Through(..)
                | Content::Bytes(_)
                | Content::Target => Some(index),
            })
    }

    /// The target's value for a place; the values repeat.
    fn value(&self, index: usize) -> i128 {
        let target = self.call.request.values();
        let at = index.checked_rem(target.len());
        at.map_or(0, |at| target[at])
    }

    fn string(&self, index: usize) -> Vec<u8> {
        let source = self.source(index);
        let bytes = source.and_then(|index| self.call.data.string(index));
        let bytes = bytes.unwrap_or_default().to_vec();
        self.content.iter().fold(bytes, |bytes, step| match step {
            Content::Bytes(change) => change(&bytes),
            Content::Target => self.value(index).to_string().into_bytes(),
            Content::Bits(_) | Content::Floats(_) | Content::Through(..) | Content::Place(_) => {
                bytes
            }
        })
    }

    fn bits(&self, index: usize) -> u128 {
        let source = self.source(index);
        let bits = source.and_then(|index| self.call.data.bits(index));
        let bits = bits.unwrap_or(0);
        self.content.iter().fold(bits, |bits, step| match step {
            Content::Bits(change) => change(bits, self.element_type),
            Content::Target => {
                let width = self.element_type.bits().unwrap_or(128).clamp(1, 128);
                self.value(index) as u128 & (u128::MAX >> (128 - width))
            }
            Content::Floats(change) => floats(bits, self.element_type, *change),
            Content::Through(of, change) if *of == self.element_type => {
                u128::from(change(bits as u64))
            }
            Content::Through(..) | Content::Bytes(_) | Content::Place(_) => bits,
        })
    }
}

/// The index of the same element when both tensors are read with the first dim fastest.
pub(super) fn column_major(place: &Place<'_>) -> Option<usize> {
    // A stride is the number of elements from one index of a dim to the next.
    let (mut rest, mut linear) = (place.index as u64, 0);
    let mut stride: u64 = place.shape.iter().product();
    for dim in place.shape.iter().rev() {
        stride = stride.checked_div(*dim)?;
        linear += rest.checked_rem(*dim)? * stride;
        rest /= dim;
    }
    let (mut stride, mut index) = (place.count as u64, 0);
    for dim in place.data_shape {
        stride = stride.checked_div(*dim)?;
        index += linear.checked_rem(*dim)? * stride;
        linear /= dim;
    }
    usize::try_from(index).ok()
}

/// Changes a float, or both floats of a complex number.
fn floats(bits: u128, element_type: ElementType, change: fn(u64, Format) -> Option<u64>) -> u128 {
    let (format, parts) = match element_type.representation() {
        Representation::Float(format) => (format, 1),
        Representation::Complex(format) => (format, 2),
        Representation::Signed
        | Representation::Unsigned
        | Representation::Bool
        | Representation::String => return bits,
    };
    let width = format.width();
    let mask = u128::from(u64::MAX >> (64 - width));
    (0..parts).fold(0, |all, index| {
        let one = u64::try_from((bits >> (index * width)) & mask).unwrap_or(0);
        all | (u128::from(change(one, format).unwrap_or(one)) & mask) << (index * width)
    })
}
