//! Any document, read through the library's values with places: of the usual form or not, and whatever is wrong with it.

use super::tree::{Kind, Node, Scalar, Value};
use super::{fault, options, range};
use crate::error::{Fault, Source};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_yaml::Spanned;
use std::fmt;
use std::ops::Range;

/// The only document of a part of a file.
pub(super) fn tree(source: &Source, part: Range<usize>) -> Result<Node, Fault> {
    let base = part.start;
    let raw: Spanned<Raw> = serde_yaml::from_str_with_options(&source.text[part], options())
        .map_err(|error| fault(source, &error, base))?;
    Ok(node(source, raw, base))
}

/// A value without its text, if it is a number.
enum Raw {
    Nothing,
    Scalar(Option<String>, Kind),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<Raw>, Spanned<Raw>)>),
}

/// What a scalar is, as a document of its own.
pub(super) fn kind_alone(text: &str) -> Option<Kind> {
    match serde_yaml::from_str_with_options(text, options()).ok()? {
        Raw::Scalar(_, kind) => Some(kind),
        Raw::Nothing | Raw::List(_) | Raw::Map(_) => None,
    }
}

fn node(source: &Source, raw: Spanned<Raw>, base: usize) -> Node {
    let defined = || range(source, &raw.defined, base);
    let value = match raw.value {
        Raw::Nothing => Value::Nothing,
        Raw::Scalar(text, kind) => {
            let text = text.unwrap_or_else(|| source.text[defined()].into());
            Value::Scalar(Scalar { text, kind })
        }
        Raw::List(items) => Value::List(
            items
                .into_iter()
                .map(|item| node(source, item, base))
                .collect(),
        ),
        Raw::Map(entries) => Value::Map(
            entries
                .into_iter()
                .map(|(key, value)| (node(source, key, base), node(source, value, base)))
                .collect(),
        ),
    };
    Node::new(value, range(source, &raw.referenced, base))
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Nothing)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Scalar(None, Kind::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Scalar(None, Kind::Integer(value.into())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Scalar(None, Kind::Integer(value.into())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Raw, E> {
        Ok(Raw::Scalar(None, Kind::Float(value)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Raw, E> {
        Ok(Raw::Scalar(Some(text.to_owned()), Kind::Text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Map(entries))
    }
}
