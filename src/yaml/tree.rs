//! A document as a tree in which every value and key has its place in the file.

use super::{fault, options, range};
use crate::error::{Fault, Source};
use crate::json::by_syntax;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserialize, MapAccess, SeqAccess};
use serde_json::Value as Json;
use serde_yaml::Spanned;
use std::ops::Range;

/// A value with its place.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) value: Value,
    /// Its bytes in the file, up to the end of the line on which it begins; for a list or a mapping, only the first
    /// byte.
    span: Range<usize>,
}

#[derive(Debug)]
pub(crate) enum Value {
    /// No value, or `null`.
    Nothing,
    /// A word, a number, or a text.
    Scalar(Scalar),
    List(Vec<Node>),
    /// Keys with their values, in the order of the document. A key may occur twice.
    Map(Vec<(Node, Node)>),
}

/// A scalar as written, and the type that YAML gives it.
#[derive(Debug)]
pub(crate) struct Scalar {
    /// The text, without quotes.
    pub(crate) text: String,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Text,
    Bool(bool),
    Integer(i128),
    /// A number with a point or an exponent, or an integer past 64 bits.
    Float(f64),
}

impl Node {
    pub(crate) fn new(value: Value, span: Range<usize>) -> Self {
        Self { value, span }
    }

    pub(crate) fn text(text: &str, span: Range<usize>) -> Self {
        let (text, kind) = (text.to_owned(), Kind::Text);
        Self::new(Value::Scalar(Scalar { text, kind }), span)
    }

    /// A JSON value. Its place is its path, such as `limits.rank`, which is added to `paths`.
    pub(super) fn of_json(json: &Json, path: &str, paths: &mut String) -> Self {
        let start = paths.len();
        paths.push_str(path);
        let span = start..paths.len();
        paths.push('\n');
        let scalar = |text, kind| Value::Scalar(Scalar { text, kind });
        let value = match json {
            Json::Null => Value::Nothing,
            Json::Bool(of) => scalar(of.to_string(), Kind::Bool(*of)),
            Json::Number(of) => {
                let integer = of.as_i64().map(i128::from).or(of.as_u64().map(i128::from));
                let float = || Kind::Float(of.as_f64().unwrap_or(f64::NAN));
                scalar(of.to_string(), integer.map_or_else(float, Kind::Integer))
            }
            Json::String(of) => scalar(of.clone(), Kind::Text),
            Json::Array(items) => {
                let items = items.iter().enumerate();
                let items =
                    items.map(|(at, of)| Self::of_json(of, &format!("{path}[{at}]"), paths));
                Value::List(items.collect())
            }
            Json::Object(pairs) => {
                let dot = if path.is_empty() { "" } else { "." };
                let pairs = pairs.iter().map(|(key, of)| {
                    let value = Self::of_json(of, &format!("{path}{dot}{key}"), paths);
                    (Self::text(key, span.clone()), value)
                });
                Value::Map(pairs.collect())
            }
        };
        Self::new(value, span)
    }

    /// The bytes of the value, up to the end of the line on which it begins.
    pub(crate) fn span(&self, source: &Source) -> Range<usize> {
        let span = self.span.clone();
        match &self.value {
            Value::List(_) | Value::Map(_) => span.start..span.end.max(closing(source, span.start)),
            Value::Nothing | Value::Scalar(_) => span,
        }
    }

    /// A word, a number, or a text; `None` for any other value.
    pub(crate) fn scalar(&self) -> Option<&Scalar> {
        match &self.value {
            Value::Scalar(scalar) => Some(scalar),
            Value::Nothing | Value::List(_) | Value::Map(_) => None,
        }
    }

    /// Whether the value is this word.
    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.scalar().is_some_and(|scalar| scalar.text == word)
    }

    /// The items of a list; empty for any other value.
    pub(crate) fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            Value::Nothing | Value::Scalar(_) | Value::Map(_) => &[],
        }
    }

    /// The value of a key in a mapping; `None` for any other value.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        let Value::Map(pairs) = &self.value else {
            return None;
        };
        let found = pairs.iter().find(|(key, _)| key.is_word(name));
        found.map(|(_, value)| value)
    }

    /// The scalars of a list and of the lists in it, in order.
    pub(crate) fn scalars(&self) -> Vec<&Self> {
        match &self.value {
            Value::List(items) => items.iter().flat_map(Self::scalars).collect(),
            Value::Scalar(_) => vec![self],
            Value::Nothing | Value::Map(_) => Vec::new(),
        }
    }

    /// The place of a tag before the value, or before a value in it. The reader ignores tags.
    pub(crate) fn tag(&self, source: &Source) -> Option<Range<usize>> {
        // Few files contain a `!`.
        source.text.contains('!').then(|| self.tag_in(source))?
    }

    fn tag_in(&self, source: &Source) -> Option<Range<usize>> {
        let own = || {
            let start = self.span.start;
            if source.text[start..].starts_with('!') {
                return Some(start..start + 1);
            }
            let before = source.text[..start].trim_end();
            let at = before.rfind(|c: char| c.is_whitespace() || "[{,".contains(c));
            let at = at.map_or(0, |at| at + 1);
            let line = before[..at].rfind('\n').map_or(0, |end| end + 1);
            let lead = before[line..at].trim();
            // After a word, or in a comment, it belongs to that text and not to this value.
            let is_first = match source.text[before.len()..start].contains('\n') {
                true => {
                    lead.ends_with([':', '-'])
                        && !lead.trim_start_matches(['-', ' ']).contains(['#', ' '])
                }
                false => lead.is_empty() || lead.ends_with([':', '-', '[', '{', ',', '?']),
            };
            (before[at..].starts_with('!') && is_first).then_some(at..before.len())
        };
        own().or_else(|| match &self.value {
            Value::List(items) => items.iter().find_map(|item| item.tag_in(source)),
            Value::Map(pairs) => pairs
                .iter()
                .find_map(|(key, value)| key.tag_in(source).or_else(|| value.tag_in(source))),
            Value::Nothing | Value::Scalar(_) => None,
        })
    }

    /// The kind of value, with an article.
    pub(crate) fn what(&self) -> &'static str {
        match &self.value {
            Value::Nothing => "nothing",
            Value::Scalar(scalar) => match scalar.kind {
                Kind::Text => "a word",
                Kind::Bool(_) => "true or false",
                Kind::Integer(_) => "a number",
                Kind::Float(_) => "a number that is not a 64-bit integer",
            },
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }
}

/// The end of a bracketed list or mapping that ends on its line, not too far away; else `start`.
fn closing(source: &Source, start: usize) -> usize {
    const FARTHEST: usize = 200;
    let mut depth = 0;
    let rest = source.text[start..].char_indices().take(FARTHEST);
    for (at, c) in rest.take_while(|(_, c)| !matches!(c, '\n' | '\r')) {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth <= 0 {
            return if at > 0 { start + at + 1 } else { start };
        }
    }
    start
}

/// The only document of a file.
pub(crate) fn tree(source: &Source) -> Result<Node, Fault> {
    tree_of(source, 0..source.text.len())
}

/// The only document of a part of a file. The part begins a line.
pub(crate) fn tree_of(source: &Source, part: Range<usize>) -> Result<Node, Fault> {
    let base = part.start;
    let raw: Spanned<Raw> = serde_yaml::from_str_with_options(&source.text[part], options())
        .map_err(|error| fault(source, &error, base))?;
    Ok(node(source, raw, base))
}

/// The most items of a file that is read item by item. A larger file is refused as a whole.
const MAX_ITEMS: usize = 20_000;

/// The items of the list that a file seems to be: each begins with a dash at the start of a line. Empty if there are
/// too many.
pub(crate) fn items(source: &Source) -> Vec<Range<usize>> {
    let mut starts = Vec::new();
    let mut at = 0;
    for line in source.text.split_inclusive('\n') {
        if line.starts_with("- ") || line.trim_end() == "-" {
            starts.push(at);
        }
        at += line.len();
    }
    if starts.len() > MAX_ITEMS {
        starts.clear();
    }
    let ends = starts.iter().skip(1).copied().chain([at]);
    let starts = starts.iter().copied().zip(ends).map(|(from, to)| from..to);
    starts.collect()
}

/// A value without its text, which only a number keeps.
enum Raw {
    Nothing,
    Scalar(Option<String>, Kind),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<Raw>, Spanned<Raw>)>),
}

fn node(source: &Source, raw: Spanned<Raw>, base: usize) -> Node {
    let defined = || range(source, &raw.defined, base);
    let inner = |raw| node(source, raw, base);
    let value = match raw.value {
        Raw::Nothing => Value::Nothing,
        Raw::Scalar(text, kind) => {
            let text = text.unwrap_or_else(|| source.text[defined()].into());
            Value::Scalar(Scalar { text, kind })
        }
        Raw::List(items) => Value::List(items.into_iter().map(inner).collect()),
        Raw::Map(entries) => {
            let entries = entries.into_iter();
            Value::Map(entries.map(|(key, of)| (inner(key), inner(of))).collect())
        }
    };
    Node::new(value, range(source, &raw.referenced, base))
}

by_syntax! {
    Raw, "a value", {
        visit_unit() => Ok(Raw::Nothing),
        visit_bool(value, bool) => Ok(Raw::Scalar(None, Kind::Bool(value))),
        visit_i64(value, i64) => Ok(Raw::Scalar(None, Kind::Integer(value.into()))),
        visit_u64(value, u64) => Ok(Raw::Scalar(None, Kind::Integer(value.into()))),
        visit_f64(value, f64) => Ok(Raw::Scalar(None, Kind::Float(value))),
        visit_str(text, &str) => Ok(Raw::Scalar(Some(text.to_owned()), Kind::Text)),
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Raw, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(Raw::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Map(entries))
    }
}
