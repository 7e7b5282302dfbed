//! The documents of a file, and the items of the list that it is, as trees.

use super::tree::{Kind, Node, Scalar, Value};
use super::{fault, options, range};
use crate::error::{Fault, Source};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_yaml::Spanned;
use std::fmt;
use std::ops::Range;

/// The only document of a file.
pub(crate) fn tree(source: &Source) -> Result<Node, Fault> {
    tree_of(source, 0..source.text.len())
}

/// The only document of a part of a file, which begins a line.
pub(crate) fn tree_of(source: &Source, part: Range<usize>) -> Result<Node, Fault> {
    let base = part.start;
    let raw: Spanned<Raw> = serde_yaml::from_str_with_options(&source.text[part], options())
        .map_err(|error| fault(source, &error, base))?;
    Ok(node(source, raw, base))
}

/// The most items of a file that is read item by item: a whole one of so many is more than is read at once.
const MOST_ITEMS: usize = 20_000;

/// The items of the list that a file seems to be: each begins with a dash at the start of a line. None if there are too
/// many.
pub(crate) fn items(source: &Source) -> Vec<Range<usize>> {
    let mut starts = Vec::new();
    let mut at = 0;
    for line in source.text.split_inclusive('\n') {
        if line.starts_with("- ") || line.trim_end() == "-" {
            starts.push(at);
        }
        at += line.len();
    }
    if starts.len() > MOST_ITEMS {
        starts.clear();
    }
    let ends = starts.iter().skip(1).copied().chain([at]);
    starts
        .iter()
        .copied()
        .zip(ends)
        .map(|(from, to)| from..to)
        .collect()
}

/// A value without its text, if it is a number.
enum Raw {
    Nothing,
    Scalar(Option<String>, Kind),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<Raw>, Spanned<Raw>)>),
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
