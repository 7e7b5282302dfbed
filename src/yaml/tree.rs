//! A document as a tree in which every value and key has its place in the file.

use super::{fault, marked};
use crate::error::{Fault, Source};
use serde_json::Value as Json;
use serde_yaml::granit_parser::{Event, Parser, ScalarStyle, Span, StrInput, options};
use std::collections::HashMap;
use std::ops::Range;

/// A value with its place.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) value: Value,
    /// Its bytes in the file: if they are of several lines, those of the first; of a block, only the first byte.
    span: Range<usize>,
}

#[derive(Debug, Clone)]
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
#[derive(Debug, Clone)]
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

    /// Its bytes in the file, as far as they are on one line.
    pub(crate) fn span(&self) -> Range<usize> {
        self.span.clone()
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

/// The only document of a file.
pub(crate) fn tree(source: &Source) -> Result<Node, Fault> {
    tree_of(source, 0..source.text.len())
}

/// The only document of a part of a file. The part begins a line.
#[allow(clippy::wildcard_enum_match_arm, reason = "the parser's enum may grow")]
pub(crate) fn tree_of(source: &Source, part: Range<usize>) -> Result<Node, Fault> {
    let options = options! {
        emit_comments: false,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    let mut reader = Reader {
        source,
        base: part.start,
        events: Parser::new_from_str_with_options(&source.text[part], options),
        anchors: HashMap::new(),
        size: 0,
    };
    let mut document = None;
    while let Some((event, place)) = reader.next()? {
        match event {
            Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            Event::DocumentStart(..) if document.is_some() => {
                return Err(Fault::new(source, place, "a second document").hint(
                    "a file holds one list: remove the line `---`, or move the rest to another file",
                ));
            }
            Event::DocumentStart(..) => {}
            of => document = Some(reader.node(of, place, 1)?),
        }
    }
    Ok(document.unwrap_or_else(|| Node::new(Value::Nothing, reader.base..reader.base)))
}

/// The most lists in brackets in each other, and the most without.
const MAX_DEPTH: usize = 64;
/// The most values in a file.
const MAX_SIZE: usize = 250_000;

/// Reads the events of a document.
struct Reader<'s> {
    source: &'s Source,
    /// Where the document begins in the file, in bytes.
    base: usize,
    events: Parser<'s, StrInput<'s>>,
    /// The value of each anchor that has ended, and its size.
    anchors: HashMap<usize, (Node, usize)>,
    /// How many values were read, aliases included. 256 bytes of a text count as one more. What an alias stands for
    /// counts once for each level around it, so that few aliases make no deep value.
    size: usize,
}

impl<'s> Reader<'s> {
    /// The next event with its place; `None` after the last.
    fn next(&mut self) -> Result<Option<(Event<'s>, Range<usize>)>, Fault> {
        let next = self.events.next().transpose();
        let next = next.map_err(|error| fault(self.source, &error, self.base))?;
        let Some((event, span)) = next else {
            return Ok(None);
        };
        let place = |span: Span| marked(self.source, self.base, span.start, span.len());
        if let Some(tag) = span.tag_span() {
            let fault = Fault::new(self.source, place(tag), "a tag, which no field can have");
            return Err(fault.hint("remove it, or put the text into quotes"));
        }
        Ok(Some((event, place(span))))
    }

    /// The value that begins with this event, at this depth.
    #[allow(clippy::wildcard_enum_match_arm, reason = "the parser's enum may grow")]
    fn node(&mut self, event: Event<'s>, place: Range<usize>, depth: usize) -> Result<Node, Fault> {
        let before = self.size;
        self.count(1, &place)?;
        let mut end = place.end;
        let (value, anchor) = match event {
            Event::Scalar(text, style, anchor, _) => {
                self.count(text.len() / 256, &place)?;
                let of = Value::of_scalar(text.into_owned(), style == ScalarStyle::Plain);
                (of, anchor)
            }
            Event::SequenceStart(_, anchor, _) => {
                let items = self.up_to(&Event::SequenceEnd, depth + 1, &mut end)?;
                (Value::List(items), anchor)
            }
            Event::MappingStart(_, anchor, _) => {
                let of = self.up_to(&Event::MappingEnd, depth + 1, &mut end)?;
                let mut of = of.into_iter();
                let pairs = std::iter::from_fn(|| of.next().zip(of.next()));
                (Value::Map(pairs.collect()), anchor)
            }
            Event::Alias(anchor) => {
                let Some(size) = self.anchors.get(&anchor).map(|(_, size)| *size) else {
                    return Err(
                        Fault::new(self.source, place, "this anchor contains itself")
                            .hint("replace the `*…` in it with what it stands for"),
                    );
                };
                self.count(size.saturating_mul(depth), &place)?;
                (self.anchors[&anchor].0.value.clone(), 0)
            }
            _ => (Value::Nothing, 0),
        };
        // One marked line is clearer than a marked block.
        let is_one_line = !self.source.text[place.start..end].contains('\n');
        let node = Node::new(
            value,
            place.start..if is_one_line { end } else { place.end },
        );
        if anchor > 0 {
            self.anchors
                .insert(anchor, (node.clone(), self.size - before));
        }
        Ok(node)
    }

    /// The values up to this event, and where it ends.
    fn up_to(
        &mut self,
        last: &Event<'s>,
        depth: usize,
        end: &mut usize,
    ) -> Result<Vec<Node>, Fault> {
        let mut nodes = Vec::new();
        while let Some((event, place)) = self.next()? {
            if event == *last {
                *end = place.end;
                break;
            }
            nodes.push(self.node(event, place, depth)?);
        }
        Ok(nodes)
    }

    /// Adds to the size, and refuses what is too large.
    fn count(&mut self, more: usize, place: &Range<usize>) -> Result<(), Fault> {
        self.size = self.size.saturating_add(more);
        if self.size <= MAX_SIZE {
            return Ok(());
        }
        let fault = Fault::new(self.source, place.clone(), "too many values in one file");
        Err(fault.hint("split the file: it has more than 250,000 values, about 8,000 cases"))
    }
}

impl Value {
    /// A scalar of this text. Only a plain one can be anything but a text.
    fn of_scalar(text: String, is_plain: bool) -> Self {
        let kind = match &*text {
            _ if !is_plain => Kind::Text,
            "" | "~" => return Self::Nothing,
            of if of.eq_ignore_ascii_case("null") => return Self::Nothing,
            of if of.eq_ignore_ascii_case("true") => Kind::Bool(true),
            of if of.eq_ignore_ascii_case("false") => Kind::Bool(false),
            of => number(of).unwrap_or(Kind::Text),
        };
        Self::Scalar(Scalar { text, kind })
    }
}

/// The number that a plain scalar is, by the core schema of YAML 1.2; `None` for a text.
fn number(text: &str) -> Option<Kind> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let integer = match text.get(..2) {
        Some("0x") => i128::from_str_radix(&text[2..], 16).ok(),
        Some("0o") => i128::from_str_radix(&text[2..], 8).ok(),
        _ if unsigned.len() > 1 && unsigned.starts_with('0') => None,
        _ => text.parse().ok(),
    };
    let in_64_bits = i128::from(i64::MIN)..=i128::from(u64::MAX);
    if let Some(of) = integer.filter(|of| in_64_bits.contains(of)) {
        return Some(Kind::Integer(of));
    }
    let float = match unsigned.to_ascii_lowercase().as_str() {
        ".inf" if text.starts_with('-') => Some(f64::NEG_INFINITY),
        ".inf" => Some(f64::INFINITY),
        ".nan" => Some(f64::NAN),
        _ => text.parse().ok(),
    };
    float.map(Kind::Float)
}

/// The most items of a file that is read item by item. A larger file is refused as a whole.
const MAX_ITEMS: usize = 20_000;

/// The items of the list that a file seems to be: each begins with a dash at the start of a line. Of too many, none.
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
