//! Documents of the usual form, read from the parser's events: several times as fast as through the library's values with
//! places, and equal to that, which a test proves. The usual form has no anchors, tags, merge keys or lists as keys, and no
//! fault.

use super::marked;
use super::tree::{Kind, Node, Scalar, Value};
use super::values::kind_alone;
use crate::error::Source;
use serde_yaml::granit_parser::{Event, Parser, ScalarStyle, Span, StrInput, options};
use std::ops::Range;

/// Lists and mappings inside each other.
const DEEPEST: usize = 30;
/// Values, lists and mappings.
const MOST_NODES: usize = 100_000;

/// The only document of a part of a file; `None` if it is not of the usual form, or has a fault.
pub(super) fn tree(source: &Source, part: Range<usize>) -> Option<Node> {
    let base = part.start;
    let parser =
        Parser::new_from_str_with_options(&source.text[part], options! { emit_comments: false });
    let mut reader = Reader {
        source,
        base,
        parser,
        nodes: 0,
    };
    matches!(reader.next()?, (Event::StreamStart, _)).then_some(())?;
    matches!(reader.next()?, (Event::DocumentStart(..), _)).then_some(())?;
    let first = reader.next()?;
    let node = reader.node(first, 0)?;
    matches!(reader.next()?, (Event::DocumentEnd, _)).then_some(())?;
    matches!(reader.next()?, (Event::StreamEnd, _)).then_some(node)
}

struct Reader<'a> {
    source: &'a Source,
    /// The byte of the file at which the document begins.
    base: usize,
    parser: Parser<'a, StrInput<'a>>,
    nodes: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<(Event<'a>, Span)> {
        self.parser.next_event()?.ok()
    }

    /// The node that begins with this event.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "whatever else begins a node is not usual"
    )]
    fn node(&mut self, (event, span): (Event<'a>, Span), depth: usize) -> Option<Node> {
        self.nodes += 1;
        if depth > DEEPEST || self.nodes > MOST_NODES {
            return None;
        }
        let span = self.place(&span)?;
        let value = match event {
            Event::Scalar(text, style, 0, None) => scalar(&text, style)?,
            Event::SequenceStart(_, 0, None) => {
                Value::List(self.all(|reader, event| reader.node(event, depth + 1))?)
            }
            Event::MappingStart(_, 0, None) => {
                Value::Map(self.all(|reader, event| reader.entry(event, depth + 1))?)
            }
            _ => return None,
        };
        Some(Node::new(value, span))
    }

    /// All items of a list, or entries of a mapping, to its end. Each is read from the event with which it begins.
    fn all<T>(
        &mut self,
        read: impl Fn(&mut Self, (Event<'a>, Span)) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut all = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd | Event::MappingEnd, _) => return Some(all),
                event => all.push(read(self, event)?),
            }
        }
    }

    /// The entry of a mapping that begins with this event.
    fn entry(&mut self, event: (Event<'a>, Span), depth: usize) -> Option<(Node, Node)> {
        let key = self.node(event, depth)?;
        let is_usual = matches!(&key.value, Value::Scalar(key) if key.text != "<<");
        let value = self.next().filter(|_| is_usual)?;
        Some((key, self.node(value, depth)?))
    }

    /// The bytes of an event.
    fn place(&self, span: &Span) -> Option<Range<usize>> {
        let start = self.base + span.start.byte_offset()?;
        let is_there = self.source.text.is_char_boundary(start);
        is_there.then(|| marked(self.source, start, span.len()))
    }
}

fn scalar(text: &str, style: ScalarStyle) -> Option<Value> {
    let is_plain = style == ScalarStyle::Plain;
    let kind = match text.bytes().next() {
        Some(b'0'..=b'9' | b'+' | b'-' | b'.') if is_plain => number(text)?,
        Some(b'~') | None if is_plain => return None,
        Some(_) if is_plain && text.eq_ignore_ascii_case("null") => return Some(Value::Nothing),
        Some(_) if is_plain && text.eq_ignore_ascii_case("true") => Kind::Bool(true),
        Some(_) if is_plain && text.eq_ignore_ascii_case("false") => Kind::Bool(false),
        Some(_) | None => Kind::Text,
    };
    let text = text.to_owned();
    Some(Value::Scalar(Scalar { text, kind }))
}

/// What a text that may be a number is: the library says so of all but short decimal ones.
fn number(text: &str) -> Option<Kind> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_decimal = digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_decimal && digits.len() < 19 && (digits == "0" || !digits.starts_with('0')) {
        return text.parse().ok().map(Kind::Integer);
    }
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"+-._".contains(&byte);
    match text.bytes().all(is_word) {
        true if digits.len() > 1 => kind_alone(text),
        true => None,
        false => Some(Kind::Text),
    }
}

#[cfg(test)]
mod tests {
    use super::super::values;
    use super::*;
    use proptest::prelude::*;

    /// Both readings, as far as the quick one reads it.
    fn agree(text: String) -> bool {
        let source = Source::new("x.yaml", &text);
        let whole = 0..source.text.len();
        let Some(quick) = tree(&source, whole.clone()) else {
            return false;
        };
        let slow = values::tree(&source, whole).expect("what the quick reading reads has no fault");
        assert_eq!(format!("{quick:?}"), format!("{slow:?}"), "{}", source.text);
        true
    }

    #[test]
    fn the_files_of_the_suite_are_of_the_usual_form() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/cases");
        let mut read = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "yaml") {
                let text = std::fs::read_to_string(&path).unwrap();
                assert!(agree(text), "{}", path.display());
                read += 1;
            }
        }
        assert!(read > 10, "{read} files");
    }

    #[test]
    fn what_is_not_of_the_usual_form_is_left_to_the_library() {
        for text in [
            "",
            "# a comment",
            "&a 1",
            "[&a 1, *a]",
            "!!str 1",
            "{<<: {a: 1}}",
            "{[a]: 1}",
            "~",
            "a: ",
            "a: [1",
            "--- 1\n--- 2",
        ] {
            assert!(!agree(text.to_owned()), "{text}");
        }
    }

    #[test]
    fn scalars_are_what_the_library_takes_them_for() {
        for text in [
            "a",
            "-",
            "- a",
            "0",
            "-0",
            "00",
            "007",
            "1_000",
            "+5",
            "-5",
            "0x1F",
            "0o17",
            "0b1",
            "1.5",
            "-.5",
            ".5e3",
            ".nan",
            "-.INF",
            "inf",
            "1e400",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775809",
            "1-2",
            "1 2",
            "true",
            "False",
            "yes",
            "null",
            "NULL",
            "'1'",
            "\"1\"",
            "'null'",
            "|\n  1\n",
            ">-\n  a\n  b\n",
            "a b\n  c",
            "é: 'ü'",
            "...x",
            ".",
            "..",
            "+",
            "--",
            "-a",
            "{a, b: 1}",
            "[a, [], {}, -1]",
            "a: b\nc:\n- 1\n- {d: e}\n",
        ] {
            agree(text.to_owned());
            agree(format!("- {{k: {text}, l: [{text}]}}\n- {text}\n"));
        }
    }

    proptest! {
        #[test]
        fn it_reads_what_the_library_reads(words in prop::collection::vec(
            prop::sample::select(vec![
                "a", "é", "1", "-1", "0.5", "'x y'", "\"\\n\"", ": ", ":", "- ", "\n", "\n  ", "\n- ", "[", "]", "{", "}", ", ",
                "#", " # c\n", "&b ", "*b", "!t ", "<<", "~", "null", "true", "|\n", "?", "---\n", "\t", "  ",
            ]),
            0..14,
        )) {
            agree(words.concat());
        }
    }
}
