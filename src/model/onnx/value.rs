//! What is known about a value of a graph before the model runs, and the elements of a TensorProto.

use super::proto::{TensorProto, ValueInfo};
use crate::model::found::{External, MAX_DIMS, ReadExternal};
use crate::semantics::request::Target;
use crate::semantics::symbolic::Term;
use crate::tensor::{Count, ElementType, Tensor, literal};
use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// The most elements of a list that is followed through the graph. A short file can name a long list many times.
const MAX_FOLLOWED: u64 = 64;

/// What is known about a value.
#[derive(Debug, Clone, Default)]
pub(super) struct Value<'a> {
    pub(super) element_type: Option<ElementType>,
    /// `None` for an unknown rank.
    pub(super) dims: Option<Rc<[Term]>>,
    pub(super) contents: Contents<'a>,
    /// Whether the elements depend on the inputs of a run.
    pub(super) at_run: bool,
}

/// What is known about the elements of a value.
#[derive(Debug, Clone, Default)]
pub(super) enum Contents<'a> {
    #[default]
    Unknown,
    /// A constant of the model, which is not read yet.
    Constant(&'a TensorProto),
    /// What a recorded run passes.
    Recorded(&'a Arc<Tensor>),
    /// A scalar or a list that the graph computes.
    Computed(Ints),
}

/// Integers that a graph computes: a scalar or a list.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ints {
    pub(super) element_type: ElementType,
    pub(super) scalar: bool,
    /// `None` for an unknown value.
    pub(super) values: Vec<Option<Term>>,
}

impl Ints {
    /// A scalar or a list of i64.
    pub(super) fn of(scalar: bool, values: Vec<Option<Term>>) -> Self {
        Self {
            element_type: ElementType::I64,
            scalar,
            values,
        }
    }

    pub(super) fn dims(&self) -> Vec<u64> {
        match self.scalar {
            true => Vec::new(),
            false => vec![self.values.len() as u64],
        }
    }
}

/// The unknown dims of a model.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    /// Those that it names.
    named: HashMap<&'a str, Term>,
    count: usize,
}

impl<'a> Names<'a> {
    /// The next unknown dim.
    fn next(&mut self, text: String) -> Term {
        self.count += 1;
        Term::from((self.count, text.into()))
    }

    /// A dim of a value that nothing is known of.
    pub(super) fn of(&mut self, value: &str, index: usize) -> Term {
        self.next(format!("{value:.64}[{index}]"))
    }

    fn named(&mut self, name: &'a str) -> Term {
        let term = self.named.get(name).cloned();
        let term = term.unwrap_or_else(|| self.next(format!("{name:.64}")));
        self.named.entry(name).or_insert(term).clone()
    }
}

impl<'a> Value<'a> {
    /// What a graph declares about a value. A dim of a body can differ between its runs, so its name does not count.
    pub(super) fn declared(info: &'a ValueInfo, is_body: bool, names: &mut Names<'a>) -> Self {
        let of = info.r#type.as_ref().and_then(|of| of.tensor_type.as_ref());
        let dims = of.and_then(|of| of.shape.as_ref()).map(|shape| {
            let dims = shape.dim.iter().take(MAX_DIMS + 1).enumerate();
            dims.map(|(index, dim)| match (dim.dim_value, &dim.dim_param) {
                (Some(length @ 0..), _) => Term::from(i128::from(length)),
                (None, Some(name)) if !is_body && !name.is_empty() => names.named(name),
                _ => names.of(&info.name, index),
            })
            .collect()
        });
        Self {
            element_type: element_type(of.and_then(|of| of.elem_type)),
            dims,
            ..Self::default()
        }
    }

    /// A constant of the model.
    pub(super) fn constant(proto: &'a TensorProto) -> Self {
        Self {
            element_type: element_type(proto.data_type),
            dims: dims(proto).map(|dims| numbers(&dims)),
            contents: Contents::Constant(proto),
            at_run: false,
        }
    }

    /// Integers that the graph computes from known values; only their dims if there are many.
    pub(super) fn computed(ints: Ints, at_run: bool) -> Self {
        Self {
            element_type: Some(ints.element_type),
            dims: Some(numbers(&ints.dims())),
            contents: match ints.values.len() as u64 <= MAX_FOLLOWED {
                true => Contents::Computed(ints),
                false => Contents::Unknown,
            },
            at_run,
        }
    }

    /// Its dims, if all of them are known.
    pub(super) fn known_dims(&self) -> Option<Vec<u64>> {
        if let Contents::Recorded(tensor) = self.contents {
            return Some(tensor.shape().to_vec());
        }
        self.dims.as_ref()?.iter().map(number).collect()
    }

    /// Whether a run decides one of its dims.
    pub(super) fn has_open_dims(&self) -> bool {
        let is_known = |dims: &Rc<[Term]>| dims.iter().all(|dim| number(dim).is_some());
        !self.dims.as_ref().is_some_and(is_known)
    }

    /// The elements; `None` if they are unknown.
    pub(super) fn tensor(
        &self,
        read_external: ReadExternal<'_>,
    ) -> Option<Result<Cow<'a, Tensor>, String>> {
        match &self.contents {
            Contents::Unknown => None,
            Contents::Constant(proto) => Some(tensor(proto, read_external).map(Cow::Owned)),
            Contents::Recorded(tensor) => Some(Ok(Cow::Borrowed((*tensor).as_ref()))),
            Contents::Computed(ints) => {
                let values = ints.values.iter().map(|value| value.as_ref()?.known());
                let values: Vec<i128> = values.collect::<Option<_>>()?;
                let bits = |index: usize| values[index].cast_unsigned();
                let tensor = Tensor::from_bits(ints.element_type, ints.dims(), bits);
                Some(Ok(Cow::Owned(tensor)))
            }
        }
    }

    /// The elements of a scalar or of a short list of integers; `None` for another value.
    pub(super) fn ints(&self, read_external: ReadExternal<'_>) -> Option<Ints> {
        let is_list = self.dims.as_ref().is_none_or(|dims| dims.len() <= 1);
        is_list.then(|| self.elements(read_external)).flatten()
    }

    /// As `ints`, of any rank.
    pub(super) fn elements(&self, read_external: ReadExternal<'_>) -> Option<Ints> {
        if let Contents::Computed(ints) = &self.contents {
            return Some(ints.clone());
        }
        let dims = self.known_dims()?;
        let element_type = self.element_type.filter(|of| of.is_integer())?;
        if !Count::of(&dims).is_at_most(MAX_FOLLOWED) {
            return None;
        }
        let tensor = self.tensor(read_external)?.ok()?;
        Some(Ints {
            element_type,
            scalar: dims.is_empty(),
            values: (0..tensor.len())
                .map(|index| tensor.integer(index).map(Term::from))
                .collect(),
        })
    }
}

/// Known dims as terms, up to one more than are followed.
pub(super) fn numbers(dims: &[u64]) -> Rc<[Term]> {
    let dims = dims.iter().take(MAX_DIMS + 1);
    dims.map(|dim| Term::from(i128::from(*dim))).collect()
}

/// The length, if it is known.
pub(super) fn number(dim: &Term) -> Option<u64> {
    dim.known().and_then(|dim| u64::try_from(dim).ok())
}

/// The element type with this number; `None` if this project does not have it.
pub(super) fn element_type(number: Option<i32>) -> Option<ElementType> {
    let all = ElementType::ALL.iter().copied();
    all.into_iter().find(|of| Some(of.onnx_number()) == number)
}

/// The dims; `None` if one of them is negative.
pub(super) fn dims(proto: &TensorProto) -> Option<Vec<u64>> {
    let dims = proto.dims.iter();
    dims.map(|dim| u64::try_from(*dim).ok()).collect()
}

pub(super) fn tensor(
    proto: &TensorProto,
    read_external: ReadExternal<'_>,
) -> Result<Tensor, String> {
    let named = |why: String| format!("the tensor '{}': {why}", proto.name);
    let element_type = element_type(proto.data_type).ok_or_else(|| {
        let number = proto.data_type.unwrap_or_default();
        named(format!("unknown element type {number}"))
    })?;
    let shape = dims(proto).ok_or_else(|| named(format!("its dims are {:?}", proto.dims)))?;
    if element_type == ElementType::String {
        let strings = proto.string_data.clone();
        return Tensor::from_strings(shape, strings).map_err(|why| named(why.to_string()));
    }
    let bytes = match &proto.raw_data {
        _ if proto.data_location == Some(TensorProto::EXTERNAL) => {
            let external = external(proto, element_type, &shape).map_err(&named)?;
            read_external(external).map_err(&named)?
        }
        Some(bytes) => bytes.clone(),
        None => typed(proto, element_type),
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
        let entry = entries.find(|entry| entry.key == key);
        entry.map(|entry| entry.value.as_str())
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
            "{element_type}{shape:?} takes {needed} bytes, but its external data has {length}"
        ));
    }
    Ok(External {
        location,
        offset: number("offset")?.unwrap_or(0),
        length: needed,
    })
}

/// The elements in the field for their type, as bytes. A number may be wider than the element in it, or the byte of
/// elements; then only its low bytes count.
fn typed(proto: &TensorProto, element_type: ElementType) -> Vec<u8> {
    fn bytes<T: Copy, const N: usize>(
        of: &[T],
        to_bytes: impl Fn(T) -> [u8; N],
        wide: usize,
    ) -> Vec<u8> {
        let each = of.iter().map(|value| to_bytes(*value));
        each.flat_map(|of| of.into_iter().take(wide)).collect()
    }
    let wide = element_type.bits().unwrap_or(8).div_ceil(8) as usize;
    match element_type {
        ElementType::F32 | ElementType::Complex64 => {
            bytes(&proto.float_data, f32::to_le_bytes, wide)
        }
        ElementType::F64 | ElementType::Complex128 => {
            bytes(&proto.double_data, f64::to_le_bytes, wide)
        }
        ElementType::I64 => bytes(&proto.int64_data, i64::to_le_bytes, wide),
        ElementType::U32 | ElementType::U64 => bytes(&proto.uint64_data, u64::to_le_bytes, wide),
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
        | ElementType::U2 => bytes(&proto.int32_data, i32::to_le_bytes, wide),
        ElementType::String => Vec::new(),
    }
}

/// The target in a tensor. A target whose type is not an integer holds whole numbers that the type can express.
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
