//! A document as a tree in which every value and every key has its place, so that a reader can go on after a fault.

use crate::error::Source;
use std::ops::Range;

/// A value with its place.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) value: Value,
    /// Its bytes in the file, at most to the end of the line on which it begins; of a list or a mapping, only the first.
    span: Range<usize>,
}

/// A value.
#[derive(Debug)]
pub(crate) enum Value {
    /// No value, or `null`.
    Nothing,
    /// A word, a number, or a text.
    Scalar(Scalar),
    List(Vec<Node>),
    /// Keys with their values, in the order of the document. A key may be there twice.
    Map(Vec<(Node, Node)>),
}

/// A scalar as it is written, and what YAML takes it for.
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
    pub(super) fn new(value: Value, span: Range<usize>) -> Self {
        Self { value, span }
    }

    /// The bytes of the value, at most to the end of the line on which it begins.
    pub(crate) fn span(&self, source: &Source) -> Range<usize> {
        let span = self.span.clone();
        match &self.value {
            Value::List(_) | Value::Map(_) => span.start..span.end.max(closing(source, span.start)),
            Value::Nothing | Value::Scalar(_) => span,
        }
    }

    /// The items of a list; none of anything else.
    pub(crate) fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            Value::Nothing | Value::Scalar(_) | Value::Map(_) => &[],
        }
    }

    /// The scalars of a list and of the lists in it, in their order.
    pub(crate) fn scalars(&self) -> Vec<&Self> {
        match &self.value {
            Value::List(items) => items.iter().flat_map(Self::scalars).collect(),
            Value::Scalar(_) => vec![self],
            Value::Nothing | Value::Map(_) => Vec::new(),
        }
    }

    /// The place of a tag before the value, or before one in it: what it says is not read.
    pub(crate) fn tag(&self, source: &Source) -> Option<Range<usize>> {
        // Hardly any file has a `!`.
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
            // Behind a word, or in a comment, it is a part of that text, and not of this value.
            let is_first = match source.text[before.len()..start].contains('\n') {
                true => {
                    lead.ends_with([':', '-'])
                        && !lead.trim_start_matches(['-', ' ']).contains(['#', ' '])
                }
                false => lead.is_empty() || lead.ends_with([':', '-', '[', '{', ',', '?']),
            };
            (before[at..].starts_with('!') && is_first).then_some(at..before.len())
        };
        let inside = || match &self.value {
            Value::List(items) => items.iter().find_map(|item| item.tag_in(source)),
            Value::Map(pairs) => pairs
                .iter()
                .find_map(|(key, value)| key.tag_in(source).or_else(|| value.tag_in(source))),
            Value::Nothing | Value::Scalar(_) => None,
        };
        own().or_else(inside)
    }

    /// What it is, in words.
    pub(crate) fn what(&self) -> &'static str {
        match &self.value {
            Value::Nothing => "nothing",
            Value::Scalar(scalar) => match scalar.kind {
                Kind::Text => "a word",
                Kind::Bool(_) => "true or false",
                Kind::Integer(_) => "a number",
                Kind::Float(_) => "a number that is no integer of 64 bits",
            },
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }
}

/// The end of a list or a mapping in brackets that ends on its line, not too far away; else `start`.
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
