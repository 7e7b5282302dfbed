//! Well-formed XML as a tree, in which every node has its place in the text.
//!
//! quick-xml splits the text into tags and checks that they match. The rest of well-formedness is checked here: a single
//! root, unclosed elements, text outside of the root, names, characters, attributes, entities. A DOCTYPE is refused, so no
//! entity can be declared. `...` is accepted for omitted attributes of a `<layer>`, as in OpenVINO's documentation.

use super::element::XmlFault;
use super::element::{Child, Element};
use super::element::{is_char, is_name, is_space};
use super::tag::{between, check_declaration, start_tag, unescaped};
use quick_xml::Reader;
use quick_xml::events::Event;
use std::borrow::Cow;
use std::ops::Range;

/// The maximum depth of elements; a real IR without nested bodies has six.
const MAX_DEPTH: usize = 64;

/// The root element of a well-formed text.
pub(super) fn parse(text: &str) -> Result<Element<'_>, XmlFault> {
    if let Some((at, bad)) = text.char_indices().find(|(_, c)| !is_char(*c)) {
        let message = format!(
            "the character U+{:04X} is not allowed in XML",
            u32::from(bad)
        );
        return Err(XmlFault::new(at..at + bad.len_utf8(), message));
    }
    let events = Events::new(text);
    let mut tree = Tree {
        text,
        start: events.mark,
        root: None,
        open: Vec::new(),
    };
    for event in events {
        let (event, span) = event?;
        tree.add_event(event, span)?;
    }
    tree.finish()
}

/// A tree while it is read.
struct Tree<'a> {
    text: &'a str,
    /// Where the text starts, after a byte order mark.
    start: usize,
    root: Option<Element<'a>>,
    /// The elements that are not closed yet, outermost first.
    open: Vec<Element<'a>>,
}

impl<'a> Tree<'a> {
    fn add_event(&mut self, event: Event<'a>, span: Range<usize>) -> Result<(), XmlFault> {
        let source = &self.text[span.clone()];
        match event {
            Event::Start(_) if self.open.len() >= MAX_DEPTH => {
                let message = format!("more than {MAX_DEPTH} elements inside each other");
                Err(XmlFault::new(span, message))
            }
            Event::Start(_) => {
                self.open.push(start_tag(source, span)?);
                Ok(())
            }
            Event::Empty(_) => self.add(Child::Element(start_tag(source, span)?)),
            Event::End(_) => match self.open.pop() {
                Some(element) => self.add(Child::Element(element)),
                None => Err(XmlFault::new(span, "nothing is open here to be closed")),
            },
            Event::Text(_) if source.contains("]]>") => {
                Err(XmlFault::new(span, "']]>' is not allowed in text"))
            }
            Event::Text(_) => {
                let text = source.trim_matches(is_space);
                let start = span.start + (source.len() - source.trim_start_matches(is_space).len());
                self.add(Child::Text(
                    Cow::Borrowed(source),
                    start..start + text.len(),
                ))
            }
            Event::GeneralRef(_) => self.add(Child::Text(unescaped(source, &span)?, span)),
            Event::CData(content) => {
                let text = content.into_inner().into_owned();
                self.add(Child::Text(Cow::Owned(text), span))
            }
            Event::Comment(_) => self.add(Child::Comment(between(source, "<!--", "-->"), span)),
            Event::Decl(_) if span.start > self.start => {
                let message = "an XML declaration that is not at the start";
                Err(XmlFault::new(span, message))
            }
            Event::Decl(_) => check_declaration(source, &span),
            Event::PI(_) => {
                let target = between(source, "<?", "?>").split(is_space).next();
                match target.filter(|name| is_name(name) && !name.eq_ignore_ascii_case("xml")) {
                    Some(_) => Ok(()),
                    None => Err(XmlFault::new(span, "not a processing instruction")),
                }
            }
            Event::DocType(_) => {
                Err(XmlFault::new(span, "a DOCTYPE is refused")
                    .hint("no case needs one: take it out"))
            }
            Event::Eof => Ok(()),
        }
    }

    fn add(&mut self, node: Child<'a>) -> Result<(), XmlFault> {
        match (self.open.last_mut(), node) {
            (Some(parent), node) => parent.children.push(node),
            (None, Child::Comment(..)) => {}
            (None, Child::Text(_, span)) if self.text[span.clone()].chars().all(is_space) => {}
            (None, Child::Text(_, span)) => {
                return Err(XmlFault::new(span, "text outside of the root element"));
            }
            (None, Child::Element(second)) if self.root.is_some() => {
                return Err(
                    XmlFault::new(second.span, "a second root element").hint("a file has one root")
                );
            }
            (None, Child::Element(first)) => self.root = Some(first),
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Element<'a>, XmlFault> {
        if let Some(unclosed) = self.open.pop() {
            let message = format!("<{}> is never closed", unclosed.name);
            return Err(XmlFault::new(unclosed.span, message));
        }
        self.root.ok_or_else(|| {
            XmlFault::new(0..0, "no XML element")
                .hint("the root is <cases>, or <net> for a real IR")
        })
    }
}

/// The events of quick-xml, each with its bytes.
struct Events<'a> {
    reader: Reader<&'a [u8]>,
    text: &'a str,
    /// The length of the byte order mark, which is not passed to quick-xml; 0 without one.
    mark: usize,
    ended: bool,
}

impl<'a> Events<'a> {
    fn new(text: &'a str) -> Self {
        let body = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = Reader::from_str(body);
        reader.config_mut().check_comments = true;
        Self {
            reader,
            text,
            mark: text.len() - body.len(),
            ended: false,
        }
    }

    /// A range of the text that ends on characters, whatever quick-xml reports.
    fn span(&self, start: u64, end: u64) -> Range<usize> {
        let place = |at: u64| {
            let at = usize::try_from(at)
                .unwrap_or(usize::MAX)
                .saturating_add(self.mark);
            self.text.floor_char_boundary(at)
        };
        place(start)..place(end.max(start))
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Result<(Event<'a>, Range<usize>), XmlFault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let start = self.reader.buffer_position();
        match self.reader.read_event() {
            Ok(Event::Eof) => None,
            Ok(event) => Some(Ok((event, self.span(start, self.reader.buffer_position())))),
            Err(error) => {
                self.ended = true;
                let span = self.span(self.reader.error_position(), self.reader.buffer_position());
                let message = error.to_string();
                let message = message.trim_start_matches("ill-formed document: ");
                Some(Err(XmlFault::new(span, message).hint(
                    "each element is closed by its own name, inside the element in which it began",
                )))
            }
        }
    }
}
