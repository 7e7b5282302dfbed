//! The data of a case: a fill or listed values, made into a tensor for each element type.

use crate::model::surroundings::Elements;
use crate::semantics::request::{MAX_DATA_BYTES, is_too_large};
use crate::tensor::{Count, ElementType, Fill, Tensor, literal};
use std::sync::{Mutex, PoisonError};

/// The most bytes of data that is made before somebody reads it. Most trials with larger data are refused unread.
const MAX_MADE_AT_ONCE: u64 = 4 << 10;
/// The last larger data. Concurrent trials often have the same, and hold it once.
static LAST: Mutex<Option<(Fill, Tensor)>> = Mutex::new(None);

/// The elements of a case's data.
#[derive(Debug, Clone)]
pub enum Content {
    /// A fill, generated for each element type.
    Fill(Fill),
    /// Literals, read for each element type.
    Values(Vec<String>),
    /// Filled by index if a run materializes data of this size; otherwise too large, so a trial only compiles.
    NotMaterialized,
}

impl Content {
    /// What is known about the elements of data of this shape.
    pub(in crate::suite) fn elements(&self, shape: &[u64]) -> Elements {
        Elements {
            by_index: self.is_by_index(),
            fit_i8: self.fits_i8(shape),
        }
    }

    /// Whether the elements are computed from their index: whole numbers from 0 on, for a type of numbers.
    pub(crate) fn is_by_index(&self) -> bool {
        matches!(self, Self::Fill(Fill::Index | Fill::From(_)))
    }

    /// Whether each element of data of this shape is a whole number that an i8 holds. A negative zero is not.
    fn fits_i8(&self, shape: &[u64]) -> bool {
        match self {
            Self::Fill(fill @ (Fill::Index | Fill::From(_))) => {
                let count = Count::of(shape).as_u64();
                count.is_some_and(|count| fill.first().saturating_add(count) <= 1 << 7)
            }
            Self::Fill(Fill::EveryPattern) | Self::NotMaterialized => false,
            Self::Values(values) => {
                let fits = |value: &String| value != "-0" && value.parse::<i8>().is_ok();
                values.iter().all(fits)
            }
        }
    }

    /// The tensor with this element type and shape. Fails when a listed literal is not a value of that type.
    pub(super) fn tensor(
        &self,
        element_type: ElementType,
        shape: &[u64],
    ) -> Result<Tensor, String> {
        match self {
            Self::Fill(fill) if is_too_large(shape, element_type, MAX_MADE_AT_ONCE) => {
                Ok(unread(*fill, element_type, shape))
            }
            Self::Fill(fill) => Ok(fill.tensor(element_type, shape.to_vec())),
            Self::Values(values) => values_tensor(values, element_type, shape),
            Self::NotMaterialized => Ok(Tensor::not_materialized(element_type, shape.to_vec())),
        }
    }
}

/// Data that is made when somebody reads it.
fn unread(fill: Fill, element_type: ElementType, shape: &[u64]) -> Tensor {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((of, tensor)) = &*last
        && (*of, tensor.element_type(), tensor.shape()) == (fill, element_type, shape)
    {
        return tensor.clone();
    }
    let dims = shape.to_vec();
    let make = move || fill.tensor(element_type, dims);
    let tensor = Tensor::unread(element_type, shape.to_vec(), make);
    *last = Some((fill, tensor.clone()));
    tensor
}

fn values_tensor(
    values: &[String],
    element_type: ElementType,
    shape: &[u64],
) -> Result<Tensor, String> {
    if element_type == ElementType::String {
        let strings = values.iter().map(|value| unescape(value));
        let strings = strings.collect::<Result<_, _>>()?;
        return Tensor::from_strings(shape.to_vec(), strings).map_err(|error| error.to_string());
    }
    let bits = values.iter();
    let bits = bits.map(|value| literal::bits(value, element_type));
    let bits: Vec<_> = bits.collect::<Result<_, _>>()?;
    let element = |index: usize| bits[index];
    Ok(Tensor::from_bits(element_type, shape.to_vec(), element))
}

/// The bytes of a string literal: UTF-8, with the escapes `\xNN` (one byte) and `\\`.
fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let escape = &rest[at + 1..];
        if let Some(after) = escape.strip_prefix('\\') {
            bytes.push(b'\\');
            rest = after;
        } else {
            let byte = escape.strip_prefix('x').and_then(|hex| hex.get(..2));
            let byte = byte.and_then(|hex| u8::from_str_radix(hex, 16).ok());
            bytes.push(byte.ok_or_else(|| format!("in '{text}': after a \\ write \\ or xNN"))?);
            rest = &escape[3..];
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

/// Checks that a listed element is a value of a type.
pub(super) fn check_element(text: &str, element_type: ElementType) -> Result<(), String> {
    if element_type == ElementType::String {
        return unescape(text).map(|_| ());
    }
    literal::bits(text, element_type).map(|_| ())
}

/// Checks that there are as many listed values as elements.
pub(super) fn check_count(shape: &[u64], values: usize) -> Result<(), String> {
    let count = Count::of(shape);
    match count.as_u64() == Some(values as u64) {
        true => Ok(()),
        false => Err(format!("{values} values for {count} elements")),
    }
}

/// Checks that the data is small enough to materialize.
pub(crate) fn check_size(shape: &[u64], types: &[ElementType]) -> Result<(), String> {
    let mut types = types.iter();
    if !types.any(|of| is_too_large(shape, *of, MAX_DATA_BYTES)) {
        return Ok(());
    }
    let count = Count::of(shape);
    let most = MAX_DATA_BYTES >> 20;
    Err(format!(
        "data of {count} elements; a case's data can have at most {most} MiB"
    ))
}

/// Checks that data marked as not materialized is really too large.
pub(super) fn check_not_materialized(shape: &[u64], types: &[ElementType]) -> Result<(), String> {
    let mut types = types.iter();
    if types.all(|of| is_too_large(shape, *of, MAX_DATA_BYTES)) {
        return Ok(());
    }
    let (count, most) = (Count::of(shape), MAX_DATA_BYTES >> 20);
    Err(format!(
        "data of {count} elements is materialized, because it has at most {most} MiB, so the trials run"
    ))
}
