//! Well-formed XML as a tree, in which every node has its place in the text.
//!
//! quick-xml splits the text into tags and checks that they match. The rest of well-formedness is checked here: a single
//! root, unclosed elements, text outside of the root, names, characters, attributes, entities. A DOCTYPE is refused, so no
//! entity can be declared. `...` is accepted for omitted attributes of a `<layer>`, as in OpenVINO's documentation.

use super::element::{Attribute, Child, Element, fault_at, is_char, is_name, is_space};
use crate::error::Fault;
use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::Event;
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

/// The maximum depth of elements; a real IR without nested bodies has six.
const MAX_DEPTH: usize = 64;

/// The root element of a well-formed text.
pub(super) fn parse(text: &str) -> Result<Element<'_>, Fault> {
    if let Some((at, bad)) = text.char_indices().find(|(_, c)| !is_char(*c)) {
        return Err(fault_at(at..at + bad.len_utf8(), not_allowed(bad)));
    }
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader::from_str(body);
    reader.config_mut().check_comments = true;
    let mut tree = Tree {
        text,
        start: text.len() - body.len(),
        root: None,
        open: Vec::new(),
    };
    loop {
        let start = reader.buffer_position();
        match reader.read_event() {
            Ok(Event::Eof) => return tree.finish(),
            Ok(event) => tree.add_event(event, tree.span(start, reader.buffer_position()))?,
            Err(error) => {
                let span = tree.span(reader.error_position(), reader.buffer_position());
                let message = error.to_string();
                let message = message.trim_start_matches("ill-formed document: ");
                return Err(fault_at(span, message).hint(
                    "close each element by its own name, inside the element that contains it",
                ));
            }
        }
    }
}

/// A tree while it is read.
struct Tree<'a> {
    text: &'a str,
    /// Where the text starts, after a byte order mark, which is not passed to quick-xml.
    start: usize,
    root: Option<Element<'a>>,
    /// The elements that are still open, outermost first.
    open: Vec<Element<'a>>,
}

impl<'a> Tree<'a> {
    /// A range of the text that ends on characters, whatever quick-xml reports.
    fn span(&self, start: u64, end: u64) -> Range<usize> {
        let place = |at: u64| {
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            self.text.floor_char_boundary(at.saturating_add(self.start))
        };
        place(start)..place(end.max(start))
    }

    fn add_event(&mut self, event: Event<'a>, span: Range<usize>) -> Result<(), Fault> {
        let source = &self.text[span.clone()];
        match event {
            Event::Start(_) if self.open.len() >= MAX_DEPTH => {
                let message = format!("elements are nested more than {MAX_DEPTH} deep");
                Err(fault_at(span, message))
            }
            Event::Start(_) => {
                self.open.push(start_tag(source, span)?);
                Ok(())
            }
            Event::Empty(_) => self.add(Child::Element(start_tag(source, span)?)),
            Event::End(_) => match self.open.pop() {
                Some(element) => self.add(Child::Element(element)),
                None => Err(fault_at(span, "this end tag closes no element")),
            },
            Event::Text(_) if source.contains("]]>") => {
                Err(fault_at(span, "']]>' is not allowed in text"))
            }
            Event::Text(_) => {
                let text = source.trim_matches(is_space);
                let start = span.start + (source.len() - source.trim_start_matches(is_space).len());
                let span = start..start + text.len();
                self.add(Child::Text(Cow::Borrowed(source), span))
            }
            Event::GeneralRef(_) => self.add(Child::Text(unescaped(source, &span)?, span)),
            Event::CData(content) => {
                let text = content.into_inner().into_owned();
                self.add(Child::Text(Cow::Owned(text), span))
            }
            Event::Comment(_) => self.add(Child::Comment(between(source, "<!--", "-->"), span)),
            Event::Decl(_) if span.start > self.start => {
                let message = "an XML declaration that is not at the start";
                Err(fault_at(span, message))
            }
            Event::Decl(_) => check_declaration(source, &span),
            Event::PI(_) => {
                let target = between(source, "<?", "?>").split(is_space).next();
                match target.filter(|name| is_name(name) && !name.eq_ignore_ascii_case("xml")) {
                    Some(_) => Ok(()),
                    None => Err(fault_at(span, "not a processing instruction")),
                }
            }
            Event::DocType(_) => {
                Err(fault_at(span, "a DOCTYPE is refused").hint("no case needs one: remove it"))
            }
            Event::Eof => Ok(()),
        }
    }

    fn add(&mut self, node: Child<'a>) -> Result<(), Fault> {
        match (self.open.last_mut(), node) {
            (Some(parent), node) => parent.children.push(node),
            (None, Child::Comment(..)) => {}
            (None, Child::Text(_, span)) if self.text[span.clone()].chars().all(is_space) => {}
            (None, Child::Text(_, span)) => {
                return Err(fault_at(span, "text outside of the root element"));
            }
            (None, Child::Element(second)) if self.root.is_some() => {
                let fault = fault_at(second.span, "a second root element");
                return Err(fault.hint("a file has one root"));
            }
            (None, Child::Element(first)) => self.root = Some(first),
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Element<'a>, Fault> {
        if let Some(unclosed) = self.open.pop() {
            let message = format!("<{}> is never closed", unclosed.name);
            return Err(fault_at(unclosed.span, message));
        }
        self.root.ok_or_else(|| {
            fault_at(0..0, "no XML element").hint("the root is <cases>, or <net> for a real IR")
        })
    }
}

/// An element, without children yet. `source` is its whole start tag, from `<` to `>`.
pub(super) fn start_tag(source: &str, span: Range<usize>) -> Result<Element<'_>, Fault> {
    let name = source.strip_prefix('<').unwrap_or(source);
    let end = name.find(|c| is_space(c) || matches!(c, '/' | '>'));
    let name = &name[..end.unwrap_or(name.len())];
    if !is_name(name) {
        let message = format!("'{name}' is not a valid name of an element");
        return Err(fault_at(span, message));
    }
    let end = source.len() - if source.ends_with("/>") { 2 } else { 1 };
    let inside = &source[1 + name.len()..end];
    let attributes = attributes(inside, span.start + 1 + name.len(), name == "layer")?;
    Ok(Element {
        name,
        attributes,
        children: Vec::new(),
        span,
    })
}

pub(super) fn between<'a>(source: &'a str, before: &str, after: &str) -> &'a str {
    let rest = source.strip_prefix(before);
    let inside = rest.and_then(|rest| rest.strip_suffix(after));
    inside.unwrap_or_default()
}

/// The attributes in the rest of a tag after its name. `at` is the offset of `source` in the text.
fn attributes(source: &str, at: usize, may_omit: bool) -> Result<Vec<Attribute<'_>>, Fault> {
    let mut attributes = Vec::new();
    let mut names = HashSet::new();
    let mut rest = source;
    loop {
        let trimmed = rest.trim_start_matches(is_space);
        if trimmed.is_empty() {
            return Ok(attributes);
        }
        let offset = |rest: &str| at + source.len() - rest.len();
        let start = offset(trimmed);
        let end = trimmed.find(|c| is_space(c) || c == '=');
        let name = &trimmed[..end.unwrap_or(trimmed.len())];
        let name_span = start..start + name.len();
        let fault = |message: String| fault_at(name_span.clone(), message);
        if trimmed.len() == rest.len() {
            return Err(fault("a space is missing before this".to_owned()));
        }
        rest = &trimmed[name.len()..];
        if may_omit && name == "..." {
            continue;
        }
        if !is_name(name) {
            return Err(fault(format!(
                "'{name}' is not a valid name of an attribute"
            )));
        }
        if !names.insert(name) {
            return Err(fault(format!("a second attribute '{name}'")));
        }
        let (raw, after) = quoted_value(rest, name, &fault)?;
        let start = offset(after) - 1 - raw.len();
        let span = start..start + raw.len();
        if raw.contains('<') {
            return Err(fault_at(span, "a '<' is not allowed in an attribute").hint("write &lt;"));
        }
        attributes.push(Attribute {
            name,
            value: unescaped(raw, &span)?,
            span,
            name_span,
        });
        rest = after;
    }
}

/// The value in quotes after the name of an attribute, and what follows it.
fn quoted_value<'a>(
    rest: &'a str,
    name: &str,
    fault: &dyn Fn(String) -> Fault,
) -> Result<(&'a str, &'a str), Fault> {
    let value = rest.trim_start_matches(is_space).strip_prefix('=');
    let value = value.map(|value| value.trim_start_matches(is_space));
    let quote = value.and_then(|value| value.chars().next());
    let quote = quote.filter(|quote| matches!(quote, '"' | '\''));
    let (Some(value), Some(quote)) = (value, quote) else {
        return Err(
            fault(format!("the attribute '{name}' has no value in quotes"))
                .hint(format!("write {name}=\"…\"")),
        );
    };
    value[1..]
        .split_once(quote)
        .ok_or_else(|| fault(format!("the value of '{name}' is not closed")))
}

pub(super) fn unescaped<'a>(raw: &'a str, span: &Range<usize>) -> Result<Cow<'a, str>, Fault> {
    let hint =
        "write &amp; for an `&`; &lt; &gt; &quot; &apos; and character references are also valid";
    let message = "this `&` does not begin a reference";
    let text = unescape(raw).map_err(|_| fault_at(span.clone(), message).hint(hint))?;
    match text.chars().find(|c| !is_char(*c)) {
        Some(bad) => Err(fault_at(span.clone(), not_allowed(bad))),
        None => Ok(text),
    }
}

fn not_allowed(c: char) -> String {
    format!("the character U+{:04X} is not allowed in XML", u32::from(c))
}

/// Whether a text in this encoding can be read as UTF-8.
fn is_read(encoding: &str) -> bool {
    ["utf-8", "utf8", "us-ascii"].contains(&encoding.to_ascii_lowercase().as_str())
}

pub(super) fn check_declaration(source: &str, span: &Range<usize>) -> Result<(), Fault> {
    let fault = |message| {
        Err(fault_at(span.clone(), message).hint("write <?xml version=\"1.0\"?> at the very start"))
    };
    let inside = between(source, "<?xml", "?>");
    match attributes(inside, span.start + "<?xml".len(), false)?.split_first() {
        Some((version, rest)) if version.name == "version" && version.value.starts_with("1.") => {
            let named = rest.iter().find(|attribute| attribute.name == "encoding");
            if let Some(other) = named.filter(|of| !is_read(&of.value)) {
                let message = format!("unsupported encoding {}", other.value);
                let fault = fault_at(other.span.clone(), message);
                return Err(fault.hint("save the file as UTF-8, and declare that encoding"));
            }
            let is_known = |of: &Attribute<'_>| matches!(of.name, "encoding" | "standalone");
            match rest.iter().all(is_known) {
                true => Ok(()),
                false => fault("an unknown word in the XML declaration"),
            }
        }
        _ => fault("an XML declaration without its version"),
    }
}
