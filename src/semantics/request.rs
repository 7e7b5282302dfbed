//! Requests: the input of a backend or of the oracle, without an expectation.

use super::operator::{AttributeKind, Binding, Layout, Operator, TargetSource};
use crate::json::by_syntax;
use crate::tensor::{Count, ElementType, Tensor, literal};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserialize, SeqAccess};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// One Reshape as a node describes it: operator, data, target and attributes, without the elements of the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The operator.
    pub operator: &'static Operator,
    /// The data's element type, which the operator may not list.
    pub element_type: ElementType,
    /// The data dims, each at most 2^63-1.
    pub data_shape: Vec<u64>,
    /// The target; `None` if the node has no target.
    pub target: Option<Target>,
    /// The node's attributes, except a target given as an attribute.
    pub attributes: Attributes,
}

impl Request {
    /// The target's values; empty without a target.
    pub(crate) fn values(&self) -> &[i128] {
        self.target.as_ref().map_or(&[], |target| &target.values)
    }

    /// The data dims, as values of a target.
    pub(crate) fn dims_as_values(&self) -> impl ExactSizeIterator<Item = i128> + Clone {
        self.data_shape.iter().map(|dim| i128::from(*dim))
    }

    /// A request for f32 with a flat list as target, and without attributes.
    #[cfg(test)]
    pub(crate) fn plain(operator: &'static Operator, data: &[u64], target: &[i64]) -> Self {
        Self {
            operator,
            element_type: ElementType::F32,
            data_shape: data.to_vec(),
            target: Some(Target::list(target.iter().copied())),
            attributes: Attributes::default(),
        }
    }
}

pub(crate) const LARGEST_DIM: u64 = i64::MAX.cast_unsigned();

/// The most bytes of data to materialize, unless a run sets another limit.
pub(crate) const MAX_DATA_BYTES: u64 = 64 << 20;

/// Whether data of these dims and this element type takes more than `most` bytes, and is too large to materialize.
pub(crate) fn is_too_large(dims: &[u64], element_type: ElementType, most: u64) -> bool {
    data_bytes(dims, element_type).is_none_or(|bytes| bytes > most)
}

/// The size of data with these dims, in bytes; a string counts as 16. `None` if it is more than 64 bits hold.
pub(crate) fn data_bytes(dims: &[u64], element_type: ElementType) -> Option<u64> {
    let bits = u64::from(element_type.bits().unwrap_or(128));
    let bits = dims.iter().copied().chain([bits]).collect::<Count>();
    Some(bits.as_u64()? / 8)
}

/// A target shape as given, well-formed or not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Target {
    /// The type of its values.
    pub element_type: ElementType,
    /// Its own dims: `[n]` for a flat list, `[]` for a bare integer.
    #[serde(rename = "shape")]
    pub dims: Vec<u64>,
    /// Its values in row-major order, each within 64 bits, signed or unsigned.
    pub values: Vec<i128>,
}

impl Target {
    /// A flat list of i64.
    #[must_use]
    pub fn list(values: impl IntoIterator<Item = i64>) -> Self {
        let values: Vec<_> = values.into_iter().map(i128::from).collect();
        Self {
            element_type: ElementType::I64,
            dims: vec![values.len() as u64],
            values,
        }
    }

    /// Whether it is a flat list.
    #[must_use]
    pub fn is_flat(&self) -> bool {
        self.dims.len() == 1
    }

    /// The target as a tensor of its element type: what a constant or a runtime input holds.
    #[must_use]
    pub fn tensor(&self) -> Tensor {
        if self.element_type.is_integer() {
            return Tensor::from_bits(self.element_type, self.dims.clone(), |i| {
                self.values[i] as u128
            });
        }
        if self.element_type == ElementType::Bool {
            return Tensor::from_bits(ElementType::Bool, self.dims.clone(), |i| {
                u128::from(self.values[i] != 0)
            });
        }
        if self.element_type == ElementType::String {
            let texts = self.values.iter().map(ToString::to_string);
            let strings = texts.map(String::into_bytes).collect();
            return Tensor::from_strings(self.dims.clone(), strings)
                .unwrap_or_else(|_| Tensor::from_bits(ElementType::U8, vec![0], |_| 0));
        }
        // A target of a wrong type still holds the numbers that its type can represent.
        Tensor::from_bits(self.element_type, self.dims.clone(), |i| {
            let text = self.values.get(i).map_or_else(String::new, i128::to_string);
            literal::bits(&text, self.element_type).unwrap_or(0)
        })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_nested(f, &self.dims, &self.values)
    }
}

fn write_nested(f: &mut fmt::Formatter<'_>, dims: &[u64], values: &[i128]) -> fmt::Result {
    let Some((first, rest)) = dims.split_first() else {
        return values.first().map_or(Ok(()), |value| write!(f, "{value}"));
    };
    let first = usize::try_from(*first).unwrap_or(0);
    let stride = values.len().checked_div(first).unwrap_or(0);
    write!(f, "[")?;
    for index in 0..first {
        if index > 0 {
            write!(f, ", ")?;
        }
        let part = values.get(index * stride..(index + 1) * stride);
        write_nested(f, rest, part.unwrap_or(&[]))?;
    }
    write!(f, "]")
}

/// Checks that the attributes do not repeat the target, where the target is an attribute itself. A request gives it
/// apart from the others, and a node could not have both. Fails when they hold it.
pub(crate) fn check_attributes(
    operator: &'static Operator,
    attributes: &Attributes,
) -> Result<(), String> {
    if operator.target_is_attribute() && attributes.contains_key("shape") {
        return Err(format!(
            "in {operator}, the attribute shape is the target: give it as shape, not among the attributes"
        ));
    }
    Ok(())
}

/// The part of a request that a backend can compile before it runs: requests with the same model share one compilation.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// What is known of the target. It comes first because models of one plan differ in it most often.
    pub target: ModelTarget,
    /// The declared data dims; `None` for a dim that is unknown before the run.
    pub data: Vec<Option<u64>>,
    /// The node's attributes.
    pub attributes: Attributes,
    /// The operator.
    pub operator: &'static Operator,
    /// The data's element type.
    pub element_type: ElementType,
    /// The memory layout.
    pub layout: Layout,
}

/// The target of a model.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelTarget {
    /// The node's own attribute.
    Attribute(Target),
    /// A constant input.
    Constant(Target),
    /// An input of the run.
    Runtime {
        /// Its element type.
        element_type: ElementType,
        /// Its own dims: the number of values is always declared.
        dims: Vec<u64>,
    },
    /// The node has no target.
    Missing,
}

impl Model {
    /// The model through which a request reaches a backend.
    #[must_use]
    pub fn of(request: &Request, binding: Binding) -> Self {
        let dims = request.data_shape.iter();
        let target = match (&request.target, binding.source()) {
            (None, _) => ModelTarget::Missing,
            (Some(target), TargetSource::Attribute) => ModelTarget::Attribute(target.clone()),
            (Some(target), TargetSource::Constant) => ModelTarget::Constant(target.clone()),
            (Some(target), TargetSource::Runtime) => ModelTarget::Runtime {
                element_type: target.element_type,
                dims: target.dims.clone(),
            },
        };
        Self {
            operator: request.operator,
            attributes: request.attributes.clone(),
            element_type: request.element_type,
            data: dims
                .map(|dim| (!binding.dynamic()).then_some(*dim))
                .collect(),
            target,
            layout: binding.layout(),
        }
    }
}

/// The attributes of a node, by name. Many requests share them.
pub type Attributes = Arc<BTreeMap<String, AttributeValue>>;

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum AttributeValue {
    /// True or false.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A string.
    String(String),
    /// A list of integers.
    Ints(Vec<i64>),
}

impl AttributeValue {
    /// Whether it has this type. No value converts to another type.
    pub(crate) fn is(&self, kind: AttributeKind) -> bool {
        matches!(
            (self, kind),
            (Self::Int(_), AttributeKind::Int)
                | (Self::Ints(_), AttributeKind::Ints)
                | (Self::Bool(_), AttributeKind::Bool)
        )
    }
}

impl fmt::Display for AttributeValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::String(value) => write!(f, "{value:?}"),
            Self::Ints(values) => write!(f, "{values:?}"),
        }
    }
}

by_syntax! {
    AttributeValue, "an integer within 64 bits, true or false, a float, a string, or a list of integers", {
        visit_bool(value, bool) => Ok(AttributeValue::Bool(value)),
        visit_i64(value, i64) => Ok(AttributeValue::Int(value)),
        visit_u64(value, u64) => {
            let value = i64::try_from(value).map(AttributeValue::Int);
            value.map_err(|_| E::custom("an integer attribute can be at most 2^63-1"))
        },
        visit_f64(value, f64) => {
            // An integer beyond 64 bits arrives here; it must not silently become a float.
            match value.fract() == 0.0 && value.abs() >= i64::MAX as f64 {
                true => Err(E::custom("an integer attribute must fit in 64 bits")),
                false => Ok(AttributeValue::Float(value)),
            }
        },
        visit_str(value, &str) => Ok(AttributeValue::String(value.to_owned())),
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<AttributeValue, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(AttributeValue::Ints)
    }
}
