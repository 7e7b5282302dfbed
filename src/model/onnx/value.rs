//! What is known of a value of a graph before the model runs.

use super::contents::{dims, element_type, tensor};
use super::proto::{TensorProto, ValueInfo};
use crate::model::found::Beside;
use crate::tensor::{Count, ElementType, Tensor};
use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

/// The most elements of a list that is followed through the graph: shapes are short, and a short file can name a long list
/// many times.
const MOST_FOLLOWED: u64 = 64;

/// What is known of a value.
#[derive(Debug, Clone, Default)]
pub(super) struct Value<'a> {
    pub(super) element_type: Option<ElementType>,
    /// `None` if the rank is not known, and for a dim that is not known.
    pub(super) dims: Option<Rc<[Option<u64>]>>,
    pub(super) contents: Contents<'a>,
    /// Whether the elements depend on what a run passes.
    pub(super) at_run: bool,
}

/// What is known of the elements of a value.
#[derive(Debug, Clone, Default)]
pub(super) enum Contents<'a> {
    #[default]
    Unknown,
    /// A constant of the model, not read yet.
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
    /// `None` for a value that is not known.
    pub(super) values: Vec<Option<i128>>,
}

impl Ints {
    /// A list of i64.
    pub(super) fn list(values: Vec<Option<i128>>) -> Self {
        Self {
            element_type: ElementType::I64,
            scalar: false,
            values,
        }
    }

    /// Its dims.
    pub(super) fn dims(&self) -> Vec<u64> {
        match self.scalar {
            true => Vec::new(),
            false => vec![self.values.len() as u64],
        }
    }
}

impl<'a> Value<'a> {
    /// What a graph declares of a value.
    pub(super) fn declared(info: &ValueInfo) -> Self {
        let of = info.r#type.as_ref().and_then(|of| of.tensor_type.as_ref());
        let shape = of.and_then(|of| of.shape.as_ref());
        let length = |dim: Option<i64>| dim.and_then(|dim| u64::try_from(dim).ok());
        Self {
            element_type: element_type(of.and_then(|of| of.elem_type)),
            dims: shape.map(|shape| shape.dim.iter().map(|dim| length(dim.dim_value)).collect()),
            ..Self::default()
        }
    }

    /// A constant of the model.
    pub(super) fn constant(proto: &'a TensorProto) -> Self {
        Self {
            element_type: element_type(proto.data_type),
            dims: dims(proto).map(|dims| dims.into_iter().map(Some).collect()),
            contents: Contents::Constant(proto),
            at_run: false,
        }
    }

    /// Integers that the graph computes from what is known; only their dims if there are many.
    pub(super) fn computed(ints: Ints, at_run: bool) -> Self {
        let is_short = ints.values.len() as u64 <= MOST_FOLLOWED;
        Self {
            element_type: Some(ints.element_type),
            dims: Some(ints.dims().into_iter().map(Some).collect()),
            contents: match is_short {
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
        self.dims.as_ref()?.iter().copied().collect()
    }

    /// The elements; `None` if they are not known.
    pub(super) fn tensor(&self, beside: Beside<'_>) -> Option<Result<Cow<'a, Tensor>, String>> {
        match &self.contents {
            Contents::Unknown => None,
            Contents::Constant(proto) => Some(tensor(proto, beside).map(Cow::Owned)),
            Contents::Recorded(tensor) => Some(Ok(Cow::Borrowed((*tensor).as_ref()))),
            Contents::Computed(ints) => {
                let values: Vec<i128> = ints.values.iter().copied().collect::<Option<_>>()?;
                let bits = |index: usize| values[index].cast_unsigned();
                let tensor = Tensor::from_bits(ints.element_type, ints.dims(), bits);
                Some(Ok(Cow::Owned(tensor)))
            }
        }
    }

    /// The elements of a scalar or of a short list of integers; `None` for another value.
    pub(super) fn ints(&self, beside: Beside<'_>) -> Option<Ints> {
        if let Contents::Computed(ints) = &self.contents {
            return Some(ints.clone());
        }
        let dims = self.known_dims()?;
        let element_type = self.element_type.filter(|of| of.is_integer())?;
        let short = Count::of(&dims).as_u64()? <= MOST_FOLLOWED;
        if dims.len() > 1 || !short {
            return None;
        }
        let tensor = self.tensor(beside)?.ok()?;
        Some(Ints {
            element_type,
            scalar: dims.is_empty(),
            values: (0..tensor.len())
                .map(|index| tensor.integer(index))
                .collect(),
        })
    }
}
