//! Content: how mutants change the elements.

use crate::spec::request::Call;
use crate::tensor::float::Format;
use crate::tensor::{Count, ElementType, Representation, Tensor};

/// A change to the elements.
#[derive(Clone, Copy)]
pub(crate) enum Content {
    /// The index in the data of the element at a place; `None` for a zero.
    Place(fn(&Place<'_>) -> Option<usize>),
    /// A change to the bits of an element.
    Bits(fn(u128, ElementType) -> u128),
    /// A change to the bytes of a string.
    Bytes(fn(&[u8]) -> Vec<u8>),
    /// The target's values, repeated, instead of the elements.
    Target,
}

/// A place in the output.
pub(crate) struct Place<'a> {
    pub index: usize,
    /// The number of elements of the data.
    pub count: usize,
    pub element_type: ElementType,
    pub data_shape: &'a [u64],
    pub shape: &'a [u64],
}

/// The data in another shape, with these changes. Missing elements are zero.
pub(super) fn apply(content: &[Content], call: &Call<'_>, shape: Vec<u64>) -> Tensor {
    let data = call.data;
    let values = call
        .request
        .target
        .as_ref()
        .map_or(&[][..], |target| &target.values);
    let value = |index: usize| index.checked_rem(values.len()).map_or(0, |at| values[at]);
    let element_type = data.element_type();
    let source = |index: usize| {
        content.iter().try_fold(index, |index, step| match step {
            Content::Place(place) => place(&Place {
                index,
                count: data.len(),
                element_type,
                data_shape: data.shape(),
                shape: &shape,
            }),
            Content::Bits(_) | Content::Bytes(_) | Content::Target => Some(index),
        })
    };
    if element_type == ElementType::String {
        let string = |index: usize| {
            let bytes = source(index)
                .and_then(|index| data.string(index))
                .unwrap_or_default()
                .to_vec();
            content.iter().fold(bytes, |bytes, step| match step {
                Content::Bytes(change) => change(&bytes),
                Content::Target => value(index).to_string().into_bytes(),
                Content::Bits(_) | Content::Place(_) => bytes,
            })
        };
        let count = Count::of(&shape)
            .as_u64()
            .and_then(|count| usize::try_from(count).ok())
            .unwrap_or(0);
        let strings = (0..count).map(string).collect();
        return Tensor::from_strings(shape, strings).unwrap_or_else(|_| data.clone());
    }
    let bits = |index: usize| {
        let bits = source(index)
            .and_then(|index| data.bits(index))
            .unwrap_or(0);
        content.iter().fold(bits, |bits, step| match step {
            Content::Bits(change) => change(bits, element_type),
            Content::Target => {
                value(index) as u128
                    & (u128::MAX >> (128 - element_type.bits().unwrap_or(128).clamp(1, 128)))
            }
            Content::Bytes(_) | Content::Place(_) => bits,
        })
    };
    Tensor::from_bits(element_type, shape.clone(), bits)
}

/// The index of the same element when both tensors are read first dim fastest.
pub(super) fn column_major(place: &Place<'_>) -> Option<usize> {
    let shape = |dims: &[u64]| {
        dims.iter()
            .map(|dim| usize::try_from(*dim).ok())
            .collect::<Option<Vec<_>>>()
    };
    let (to, from) = (shape(place.shape)?, shape(place.data_shape)?);
    let mut rest = place.index;
    let mut position = vec![0; to.len()];
    for (at, dim) in to.iter().enumerate().rev() {
        position[at] = rest.checked_rem(*dim)?;
        rest /= dim;
    }
    let mut linear = to
        .iter()
        .zip(&position)
        .rev()
        .fold(0, |linear, (dim, at)| linear * dim + at);
    let mut index = 0;
    let mut stride: usize = 1;
    let strides: Vec<_> = from
        .iter()
        .rev()
        .map(|dim| {
            let this = stride;
            stride *= dim;
            this
        })
        .collect();
    for (dim, stride) in from.iter().zip(strides.iter().rev()) {
        index += linear.checked_rem(*dim)? * stride;
        linear /= dim;
    }
    Some(index)
}

/// Changes a float, or both floats of a complex number.
pub(super) fn floats(
    bits: u128,
    element_type: ElementType,
    change: fn(u64, Format) -> u64,
) -> u128 {
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
        all | (u128::from(change(one, format)) & mask) << (index * width)
    })
}

/// The sign bit.
pub(super) fn sign(format: Format) -> u64 {
    if format.signed {
        1 << (format.width() - 1)
    } else {
        0
    }
}

/// A float through a wider or narrower type and back, as hardware converts.
pub(super) fn through(
    bits: u128,
    element_type: ElementType,
    from: ElementType,
    convert: fn(u64) -> u64,
) -> u128 {
    if element_type == from {
        u128::from(convert(bits as u64))
    } else {
        bits
    }
}
