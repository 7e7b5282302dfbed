//! Tensors in payloads, with the JSON object that describes them.

use super::frame::Payload;
use crate::semantics::request::Target;
use crate::tensor::{ElementType, Tensor};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Appends a tensor to a payload. Returns its description.
pub(crate) fn append(tensor: &Tensor, payload: &mut Payload) -> Value {
    let offset = payload.len();
    payload.append(tensor);
    json!({"element_type": tensor.element_type(), "shape": tensor.shape(), "offset": offset,
        "length": payload.len() - offset})
}

/// Reads a tensor from a payload.
pub(crate) fn tensor(description: &Value, payload: &Arc<Vec<u8>>) -> Result<Tensor, String> {
    #[derive(Deserialize)]
    struct Description {
        element_type: ElementType,
        shape: Vec<u64>,
        offset: u64,
        length: u64,
    }
    let Description {
        element_type,
        shape,
        offset,
        length,
    } = Description::deserialize(description).map_err(|error| format!("not a tensor: {error}"))?;
    let bytes = usize::try_from(offset)
        .ok()
        .zip(
            offset
                .checked_add(length)
                .and_then(|end| usize::try_from(end).ok()),
        )
        .and_then(|(start, end)| payload.get(start..end))
        .ok_or_else(|| {
            let total = payload.len();
            format!("a tensor of {length} bytes at offset {offset} in a payload of {total} bytes")
        })?;
    let bytes = match bytes.len() == payload.len() {
        true => Arc::clone(payload),
        false => Arc::new(bytes.to_vec()),
    };
    Tensor::from_shared(element_type, shape, bytes).map_err(|error| error.to_string())
}

/// The target that a tensor of integers holds.
pub(crate) fn target(tensor: &Tensor) -> Target {
    let value = |index| {
        let integer = tensor.integer(index);
        integer.unwrap_or_else(|| tensor.bits(index).unwrap_or(0) as i128)
    };
    Target {
        element_type: tensor.element_type(),
        dims: tensor.shape().to_vec(),
        values: (0..tensor.len()).map(value).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_behind_the_last_element_must_be_0() {
        let read = |element_type: &str, count: u64, bytes: &[u8]| {
            let length = bytes.len();
            let description = json!({"element_type": element_type, "shape": [count], "offset": 0, "length": length});
            tensor(&description, &Arc::new(bytes.to_vec()))
        };
        let fault = |bits| {
            Err(format!(
                "the unused high bits of the last byte must be 0, they are {bits}"
            ))
        };
        assert_eq!(read("i4", 3, &[0x21, 0xa3]), fault("0b1010"));
        assert_eq!(read("u2", 3, &[0x5b]), fault("0b01"));
        assert!(read("i4", 3, &[0x21, 0x03]).is_ok());
        assert!(read("i4", 4, &[0x21, 0xa3]).is_ok());
        assert!(read("bool", 1, &[0xff]).is_ok());
    }
}
