//! Attributes of a node.

use crate::semantics::operator::AttributeKind;
use std::collections::BTreeMap;
use std::fmt;

/// The attributes of a node, by name.
pub type Attributes = BTreeMap<String, AttributeValue>;

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
    /// Whether it has that type. No value converts to another type.
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

impl<'de> serde::Deserialize<'de> for AttributeValue {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AttributeVisitor)
    }
}

/// Reads a value by its syntax. (serde's `untagged` would do so too, with an unreadable error.)
struct AttributeVisitor;

impl<'de> serde::de::Visitor<'de> for AttributeVisitor {
    type Value = AttributeValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "an integer within 64 bits, true or false, a float, a string, or a list of integers",
        )
    }

    fn visit_bool<E>(self, value: bool) -> Result<AttributeValue, E> {
        Ok(AttributeValue::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<AttributeValue, E> {
        Ok(AttributeValue::Int(value))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<AttributeValue, E> {
        let value = i64::try_from(value);
        value
            .map(AttributeValue::Int)
            .map_err(|_| E::custom("an integer attribute is at most 2^63-1"))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<AttributeValue, E> {
        // An integer beyond 64 bits arrives here; it must not become a float silently.
        if value.fract() == 0.0 && value.abs() >= i64::MAX as f64 {
            return Err(E::custom("an attribute is within 64 bits"));
        }
        Ok(AttributeValue::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<AttributeValue, E> {
        Ok(AttributeValue::String(value.to_owned()))
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(
        self,
        mut list: A,
    ) -> Result<AttributeValue, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(AttributeValue::Ints(values))
    }
}
