//! The elements of a TensorProto, wherever it keeps them. Nothing is allocated that is not there.

use super::proto::TensorProto;
use crate::model::found::{Beside, External};
use crate::semantics::request::Target;
use crate::tensor::{Count, ElementType, Tensor, literal};

/// The element type of that number; `None` if this project does not have it.
pub(super) fn element_type(number: Option<i32>) -> Option<ElementType> {
    let all = ElementType::ALL.iter().copied();
    all.into_iter().find(|of| Some(of.onnx_number()) == number)
}

/// The dims; `None` if one of them is negative.
pub(super) fn dims(proto: &TensorProto) -> Option<Vec<u64>> {
    let dims = proto.dims.iter();
    dims.map(|dim| u64::try_from(*dim).ok()).collect()
}

/// The tensor.
pub(super) fn tensor(proto: &TensorProto, beside: Beside<'_>) -> Result<Tensor, String> {
    let named = |why: String| format!("the tensor '{}': {why}", proto.name);
    let element_type = element_type(proto.data_type).ok_or_else(|| {
        let number = proto.data_type.unwrap_or_default();
        named(format!("there is no element type {number}"))
    })?;
    let shape = dims(proto).ok_or_else(|| named(format!("its dims are {:?}", proto.dims)))?;
    if element_type == ElementType::String {
        let strings = proto.string_data.clone();
        return Tensor::from_strings(shape, strings).map_err(|why| named(why.to_string()));
    }
    let bytes = if proto.data_location == Some(TensorProto::EXTERNAL) {
        let external = external(proto, element_type, &shape).map_err(&named)?;
        beside(external).map_err(&named)?
    } else {
        match &proto.raw_data {
            Some(bytes) => bytes.clone(),
            None => typed(proto, element_type),
        }
    };
    Tensor::from_bytes(element_type, shape, bytes).map_err(|why| named(why.to_string()))
}

/// Where the bytes of a tensor are.
fn external<'a>(
    proto: &'a TensorProto,
    element_type: ElementType,
    shape: &[u64],
) -> Result<External<'a>, String> {
    let entry = |key: &str| {
        let mut entries = proto.external_data.iter();
        entries
            .find(|entry| entry.key == key)
            .map(|entry| entry.value.as_str())
    };
    let number = |key: &str| {
        let parsed = entry(key).map(|text| {
            let fault = |_| format!("its {key} '{text}' is not a number of bytes");
            text.parse::<u64>().map_err(fault)
        });
        parsed.transpose()
    };
    let location = entry("location").ok_or("its external data has no location")?;
    let count = Count::of(shape).as_u64();
    let needed = count.and_then(|count| element_type.packed_bytes(count));
    let needed = needed.ok_or_else(|| format!("{element_type}{shape:?} is too large"))?;
    let length = number("length")?;
    if let Some(length) = length.filter(|length| *length != needed) {
        return Err(format!(
            "{element_type}{shape:?} takes {needed} bytes, its external data has {length}"
        ));
    }
    Ok(External {
        location,
        offset: number("offset")?.unwrap_or(0),
        length: needed,
    })
}

/// The elements in the field for their type, as bytes.
fn typed(proto: &TensorProto, element_type: ElementType) -> Vec<u8> {
    let wide = element_type.bits().unwrap_or(8).div_ceil(8) as usize;
    match element_type {
        ElementType::F32 | ElementType::Complex64 => {
            let values = proto.float_data.iter();
            values.flat_map(|value| value.to_le_bytes()).collect()
        }
        ElementType::F64 | ElementType::Complex128 => {
            let values = proto.double_data.iter();
            values.flat_map(|value| value.to_le_bytes()).collect()
        }
        ElementType::I64 => {
            let values = proto.int64_data.iter();
            values.flat_map(|value| value.to_le_bytes()).collect()
        }
        ElementType::U32 | ElementType::U64 => {
            let values = proto.uint64_data.iter();
            let bytes = values.map(|value| value.to_le_bytes());
            bytes.flat_map(|of| of.into_iter().take(wide)).collect()
        }
        // Each number holds an element; of the types below a byte, a byte of them.
        ElementType::F16
        | ElementType::Bf16
        | ElementType::I8
        | ElementType::I16
        | ElementType::I32
        | ElementType::U8
        | ElementType::U16
        | ElementType::Bool
        | ElementType::F8e4m3fn
        | ElementType::F8e4m3fnuz
        | ElementType::F8e5m2
        | ElementType::F8e5m2fnuz
        | ElementType::F8e8m0
        | ElementType::F4e2m1
        | ElementType::I4
        | ElementType::U4
        | ElementType::I2
        | ElementType::U2 => {
            let values = proto.int32_data.iter();
            let bytes = values.map(|value| value.to_le_bytes());
            bytes.flat_map(|of| of.into_iter().take(wide)).collect()
        }
        ElementType::String => Vec::new(),
    }
}

/// The target that a tensor holds. A target of another type than an integer holds the whole numbers it can write.
pub(super) fn target(tensor: &Tensor) -> Result<Target, String> {
    let element_type = tensor.element_type();
    let value = |index: usize| {
        if let Some(value) = tensor.integer(index) {
            return Ok(value);
        }
        if let (ElementType::Bool, Some(bits)) = (element_type, tensor.bits(index)) {
            return Ok(bits.cast_signed());
        }
        let text = literal::show(tensor, index);
        let digits = text.trim_matches('"').trim_end_matches(".0");
        let value = digits.parse::<i64>().map(i128::from);
        value.map_err(|_| format!("a target of {element_type} with the element {text}"))
    };
    Ok(Target {
        element_type,
        dims: tensor.shape().to_vec(),
        values: (0..tensor.len()).map(value).collect::<Result<_, _>>()?,
    })
}
