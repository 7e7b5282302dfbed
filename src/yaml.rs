//! Reading YAML: the only layer that uses the YAML library.
//!
//! Duplicate keys, alias bombs and oversized documents are rejected, and every fault has its position.

mod faults;
pub(crate) mod read;
mod tree;

use crate::error::{Fault, Source};
pub(crate) use faults::{Faults, Field, Mapping, fields};
use std::ops::Range;

#[cfg(test)]
pub(crate) use read::schema;
pub(crate) use read::{mapping, of_json};
pub(crate) use tree::{Kind, Node, Scalar, Value, items, tree, tree_of};

/// How to read a tree. The reader, and not the library, judges duplicate keys and numbers that are not finite.
fn options() -> serde_yaml::Options {
    serde_yaml::options! {
        strict_booleans: true,
        with_snippet: false,
        duplicate_keys: serde_yaml::DuplicateKeyPolicy::LastWins,
        non_finite_float_policy: serde_yaml::NonFiniteFloatPolicy::PassThrough,
    }
}

/// The fault of a document that begins at the byte `base` of the file.
fn fault(source: &Source, error: &serde_yaml::Error, base: usize) -> Fault {
    let span = error.location();
    let span = span.map_or(base..base, |location| range(source, &location, base));
    // The library appends or prepends a position; ours comes from the span.
    let text = error.without_snippet().to_string();
    let text = text.lines().next().unwrap_or_default();
    let text = match text.find(" at line ") {
        Some(at) => &text[..at],
        None => text,
    };
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let message = match text.find(": ") {
        Some(at) if text.starts_with("line ") => &text[at + 2..],
        _ => text,
    };
    match message {
        // The library's advice is meant for its caller, not for the author of the file.
        _ if message.starts_with("duplicate mapping key") => {
            let message = message.split(", set ").next().unwrap_or(message);
            Fault::new(source, span, message).hint("give each field once")
        }
        _ if is_syntax(message) => {
            let odd = odd_space(source, source.line(span.start));
            let span = odd.map_or(span, |(at, c)| at..at + c.len_utf8());
            let hint = match odd {
                Some((_, '\t')) => "YAML is indented with spaces: remove the tab",
                Some((_, c)) if c.is_control() => "remove this control character",
                Some(_) => "replace this kind of space with a plain space",
                None => {
                    "look for a missing dash, quote, bracket or space, or for an extra space, here or on the line \
                    before"
                }
            };
            Fault::new(source, span, format!("invalid YAML: {message}")).hint(hint)
        }
        _ if message.starts_with("recursion limit")
            || message.starts_with("budget breached: Depth") =>
        {
            Fault::new(source, span, "lists or mappings are nested too deeply")
                .hint("a case has at most five levels: look for an extra bracket or dash")
        }
        _ if message.starts_with("budget breached") => {
            Fault::new(source, span, "too many values in one file")
                .hint("split the file: it has more than 250,000 values, about 8,000 cases")
        }
        "alias references unknown anchor" => Fault::new(source, span, NO_ANCHOR)
            .hint("a text that begins with `*` needs quotes: \"*…\""),
        _ if message.starts_with("recursive references") => {
            Fault::new(source, span, "this anchor contains itself")
                .hint("replace the `*…` in it with what it stands for")
        }
        _ if message.starts_with("multiple YAML documents") => {
            Fault::new(source, span, "a second document").hint(
                "a file holds one list: remove the line `---`, or move the rest to another file",
            )
        }
        _ => Fault::new(source, span, message),
    }
}

/// The first character of a line that is a control character, or a space that YAML does not take for one there.
fn odd_space(source: &Source, line: Range<usize>) -> Option<(usize, char)> {
    let mut indent = true;
    let found = source.text[line.clone()].char_indices().find(|(_, c)| {
        indent &= c.is_whitespace();
        *c != ' ' && (c.is_whitespace() || c.is_control()) && (*c != '\t' || indent)
    });
    found.map(|(at, c)| (line.start + at, c))
}

/// The message for `*name` without an earlier `&name`.
const NO_ANCHOR: &str = "no anchor before it has this name";

/// Whether a fault is a missing anchor, which may be in another part of the file.
pub(crate) fn is_of_an_anchor(fault: &Fault) -> bool {
    fault.message == NO_ANCHOR
}

/// Whether the library means that the text is invalid YAML.
fn is_syntax(message: &str) -> bool {
    [
        "while ",
        "did not find ",
        "found ",
        "mapping values ",
        "mapping keys ",
        "block ",
        "illegal ",
        "unclosed ",
        "invalid indentation",
        "invalid trailing content",
        "invalid content after",
        "simple key ",
        "tabs disallowed",
        "unexpected ",
    ]
    .iter()
    .any(|start| message.starts_with(start))
}

/// The bytes of a place in a document that begins at the byte `base` of the file.
fn range(source: &Source, location: &serde_yaml::Location, base: usize) -> Range<usize> {
    let bytes = location.span().byte_offset();
    let bytes = bytes.and_then(|at| usize::try_from(at).ok()?.checked_add(base));
    let start = bytes
        .filter(|at| source.text.is_char_boundary(*at))
        .unwrap_or_else(|| {
            let index = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
            let (line, _) = source.line_and_column(base);
            let line = index(location.line()).saturating_add(line - 1);
            source.offset(line, index(location.column()))
        });
    let length = usize::try_from(location.span().len()).unwrap_or(usize::MAX);
    marked(source, start, length)
}

/// A place of this many characters from a byte on: at least one, and at most to the end of the line. One marked line is
/// clearer than a marked block.
fn marked(source: &Source, start: usize, length: usize) -> Range<usize> {
    let marked = source.text[start..].chars().take(length.max(1));
    let marked = marked.take_while(|c| !matches!(c, '\n' | '\r'));
    start..start + marked.map(char::len_utf8).sum::<usize>()
}
