//! Reading YAML: the only layer that uses the YAML library.
//!
//! Duplicate keys, alias bombs and oversized documents are rejected, and every fault has its position.

mod faults;
pub(crate) mod read;
mod tree;

use crate::error::{Fault, Source};
pub(crate) use faults::{Faults, Field, Mapping, fields};
use serde_yaml::granit_parser::{ErrorKind, Marker, ScanError};
use std::ops::Range;

#[cfg(test)]
pub(crate) use read::schema;
pub(crate) use read::{mapping, of_json};
pub(crate) use tree::{Kind, Node, Scalar, Value, items, tree, tree_of};

/// What the parser finds wrong in a document that begins at the byte `base` of the file.
#[allow(clippy::wildcard_enum_match_arm, reason = "the parser's enum may grow")]
fn fault(source: &Source, error: &ScanError, base: usize) -> Fault {
    let span = marked(source, base, *error.marker(), 1);
    match error.kind() {
        ErrorKind::RecursionLimitExceeded => {
            Fault::new(source, span, "lists or mappings are nested too deeply")
                .hint("a case has at most five levels: look for an extra bracket or dash")
        }
        ErrorKind::UnknownAnchor => Fault::new(source, span, NO_ANCHOR)
            .hint("a text that begins with `*` needs quotes: \"*…\""),
        _ => {
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
            Fault::new(source, span, format!("invalid YAML: {}", error.info())).hint(hint)
        }
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

/// A place of this many characters from one of the parser's on, in a document that begins at the byte `base` of the file:
/// at least one, and at most to the end of the line. One marked line is clearer than a marked block.
fn marked(source: &Source, base: usize, at: Marker, length: usize) -> Range<usize> {
    let start = base.saturating_add(at.byte_offset().unwrap_or(0));
    let marked = source.text[start..].chars().take(length.max(1));
    let marked = marked.take_while(|c| !matches!(c, '\n' | '\r'));
    start..start + marked.map(char::len_utf8).sum::<usize>()
}
