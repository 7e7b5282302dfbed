//! Well-formed XML as a tree in which everything has its place.
//!
//! quick-xml splits the text into tags and checks that they match; what it lets pass is checked here: one root,
//! nothing unclosed, nothing beside the root, names, characters, attributes, entities. DOCTYPE is refused, so that
//! no entity can be declared. `...` stands for left-out attributes of a `<layer>`, as in OpenVINO's documentation.

use super::fault::XmlFault;
use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::Event;
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

/// Elements inside elements; a real IR without nested bodies has six.
const DEEPEST: usize = 64;

#[derive(Debug)]
pub(super) struct Element<'a> {
    pub(super) name: &'a str,
    pub(super) attributes: Vec<Attribute<'a>>,
    pub(super) children: Vec<Node<'a>>,
    /// The start tag.
    pub(super) span: Range<usize>,
}

#[derive(Debug)]
pub(super) struct Attribute<'a> {
    name: &'a str,
    pub(super) value: Cow<'a, str>,
    /// The value, without its quotes.
    pub(super) span: Range<usize>,
    /// The name.
    name_span: Range<usize>,
}

#[derive(Debug)]
pub(super) enum Node<'a> {
    Element(Element<'a>),
    Text(Cow<'a, str>, Range<usize>),
    Comment(&'a str, Range<usize>),
}

/// The root element of a well-formed text.
pub(super) fn parse(text: &str) -> Result<Element<'_>, XmlFault> {
    if let Some((at, bad)) = text.char_indices().find(|(_, c)| !is_char(*c)) {
        let message = format!("the character U+{:04X} cannot stand in XML", u32::from(bad));
        return Err(XmlFault::new(at..at + bad.len_utf8(), message));
    }
    let (mut root, mut open) = (None, Vec::<Element<'_>>::new());
    let events = Events::new(text);
    let start = events.mark;
    for event in events {
        let (event, span) = event?;
        let source = &text[span.clone()];
        let node = match event {
            Event::Start(_) => {
                if open.len() >= DEEPEST {
                    return Err(XmlFault::new(
                        span,
                        format!("more than {DEEPEST} elements inside each other"),
                    ));
                }
                open.push(start_tag(source, span)?);
                continue;
            }
            Event::Empty(_) => Node::Element(start_tag(source, span)?),
            Event::End(_) => match open.pop() {
                Some(element) => Node::Element(element),
                None => return Err(XmlFault::new(span, "nothing is open here to be closed")),
            },
            Event::Text(_) if source.contains("]]>") => {
                return Err(XmlFault::new(span, "']]>' cannot stand in text"));
            }
            Event::Text(_) => Node::Text(Cow::Borrowed(source), span),
            Event::GeneralRef(_) => Node::Text(unescaped(source, &span)?, span),
            Event::CData(content) => {
                Node::Text(Cow::Owned(content.into_inner().into_owned()), span)
            }
            Event::Comment(_) => Node::Comment(between(source, "<!--", "-->"), span),
            Event::Decl(_) if span.start > start => {
                return Err(XmlFault::new(
                    span,
                    "an XML declaration that is not at the start",
                ));
            }
            Event::Decl(_) => {
                check_declaration(source, &span)?;
                continue;
            }
            Event::PI(_) => {
                let target = between(source, "<?", "?>")
                    .split(is_space)
                    .next()
                    .unwrap_or_default();
                if !is_name(target) || target.eq_ignore_ascii_case("xml") {
                    return Err(XmlFault::new(span, "not a processing instruction"));
                }
                continue;
            }
            Event::DocType(_) => {
                return Err(XmlFault::new(span, "a DOCTYPE is refused")
                    .hint("no case needs one: take it out"));
            }
            Event::Eof => continue,
        };
        match (open.last_mut(), node) {
            (Some(parent), node) => parent.children.push(node),
            (None, Node::Comment(..)) => {}
            (None, Node::Text(_, span)) if text[span.clone()].chars().all(is_space) => {}
            (None, Node::Text(_, span)) => {
                return Err(XmlFault::new(span, "text outside of the root element"));
            }
            (None, Node::Element(second)) if root.is_some() => {
                return Err(
                    XmlFault::new(second.span, "a second root element").hint("a file has one root")
                );
            }
            (None, Node::Element(first)) => root = Some(first),
        }
    }
    if let Some(unclosed) = open.pop() {
        return Err(XmlFault::new(
            unclosed.span,
            format!("<{}> is never closed", unclosed.name),
        ));
    }
    root.ok_or_else(|| {
        XmlFault::new(0..0, "no XML element").hint("the root is <cases>, or <net> for a real IR")
    })
}

/// The name of the first element, whatever comes after it.
pub(super) fn root_name(text: &str) -> Option<&str> {
    for event in Events::new(text) {
        let (event, span) = event.ok()?;
        if let Event::Start(_) | Event::Empty(_) = event {
            return Some(tag_name(&text[span]));
        }
    }
    None
}

impl<'a> Element<'a> {
    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute<'a>> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name == name)
    }

    pub(super) fn required(&self, name: &str) -> Result<&Attribute<'a>, XmlFault> {
        self.attribute(name).ok_or_else(|| {
            XmlFault::new(self.span.clone(), format!("<{}> has no {name}", self.name))
        })
    }

    /// Its attributes, by name.
    pub(super) fn named_attributes(&self) -> impl Iterator<Item = (&'a str, &str)> {
        self.attributes
            .iter()
            .map(|attribute| (attribute.name, &*attribute.value))
    }

    pub(super) fn elements(&self) -> impl Iterator<Item = &Self> {
        self.children.iter().filter_map(|child| match child {
            Node::Element(element) => Some(element),
            Node::Text(..) | Node::Comment(..) => None,
        })
    }

    /// The one child of that name, if there is one.
    pub(super) fn only_child(&self, name: &str) -> Result<Option<&Self>, XmlFault> {
        let mut found = self.elements().filter(|element| element.name == name);
        let first = found.next();
        match found.next() {
            Some(second) => Err(XmlFault::new(
                second.span.clone(),
                format!("a second <{name}> in <{}>", self.name),
            )),
            None => Ok(first),
        }
    }

    /// Its text, in which there may be comments but no elements.
    pub(super) fn text(&self) -> Result<String, XmlFault> {
        self.only(&[], true)?;
        let text = |child: &Node<'a>| match child {
            Node::Text(text, _) => Some(text.to_string()),
            Node::Element(_) | Node::Comment(..) => None,
        };
        Ok(self.children.iter().filter_map(text).collect())
    }

    /// Its children, which are elements of these names.
    pub(super) fn only_elements(&self, names: &[&str]) -> Result<Vec<&Self>, XmlFault> {
        self.only(names, false)?;
        Ok(self.elements().collect())
    }

    fn only(&self, names: &[&str], text_too: bool) -> Result<(), XmlFault> {
        let hint = || match names {
            [] => format!("<{}> holds no elements", self.name),
            names => format!("inside <{}> stand: <{}>", self.name, names.join(">, <")),
        };
        for child in &self.children {
            let (message, span) = match child {
                Node::Element(element) if names.contains(&element.name) => continue,
                Node::Comment(..) => continue,
                Node::Text(text, _) if text_too || text.chars().all(is_space) => continue,
                Node::Element(element) => (
                    format!("<{}> does not belong here", element.name),
                    &element.span,
                ),
                Node::Text(_, span) => ("text does not belong here".to_owned(), span),
            };
            return Err(XmlFault::new(span.clone(), message).hint(hint()));
        }
        Ok(())
    }

    /// Refuses attributes of any other name.
    pub(super) fn only_attributes(&self, names: &[&str]) -> Result<(), XmlFault> {
        let Some(unknown) = self
            .attributes
            .iter()
            .find(|attribute| !names.contains(&attribute.name))
        else {
            return Ok(());
        };
        let hint = match names {
            [] => format!("<{}> has no attributes", self.name),
            names => format!("the attributes of <{}> are {}", self.name, names.join(", ")),
        };
        Err(XmlFault::new(
            unknown.name_span.clone(),
            format!("unknown attribute '{}'", unknown.name),
        )
        .hint(hint))
    }
}

/// What quick-xml finds, each with its bytes.
struct Events<'a> {
    reader: Reader<&'a [u8]>,
    text: &'a str,
    /// The length of a byte order mark, which quick-xml is not shown.
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

    /// A place in the text, whatever quick-xml says.
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
                Some(Err(XmlFault::new(span, error.to_string())))
            }
        }
    }
}

/// An element without its children yet; `source` is all of the start tag, from `<` to `>`.
fn start_tag(source: &str, span: Range<usize>) -> Result<Element<'_>, XmlFault> {
    let name = tag_name(source);
    if !is_name(name) {
        return Err(XmlFault::new(
            span,
            format!("'{name}' is no name for an element"),
        ));
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

fn tag_name(source: &str) -> &str {
    let name = source.strip_prefix('<').unwrap_or(source);
    &name[..name
        .find(|c| is_space(c) || matches!(c, '/' | '>'))
        .unwrap_or(name.len())]
}

fn between<'a>(source: &'a str, before: &str, after: &str) -> &'a str {
    source
        .strip_prefix(before)
        .and_then(|rest| rest.strip_suffix(after))
        .unwrap_or_default()
}

/// The attributes in what follows a tag's name; `at` is where that starts.
fn attributes(
    source: &str,
    at: usize,
    may_leave_out: bool,
) -> Result<Vec<Attribute<'_>>, XmlFault> {
    let mut attributes = Vec::new();
    let mut seen = HashSet::new();
    let mut rest = source;
    loop {
        let trimmed = rest.trim_start_matches(is_space);
        if trimmed.is_empty() {
            return Ok(attributes);
        }
        let start = at + source.len() - trimmed.len();
        let name = &trimmed[..trimmed
            .find(|c| is_space(c) || c == '=')
            .unwrap_or(trimmed.len())];
        let name_span = start..start + name.len();
        let fault = |message: String| XmlFault::new(name_span.clone(), message);
        if trimmed.len() == rest.len() {
            return Err(fault("a space is missing before this".to_owned()));
        }
        rest = &trimmed[name.len()..];
        if may_leave_out && name == "..." {
            continue;
        }
        if !is_name(name) {
            return Err(fault(format!("'{name}' is no name for an attribute")));
        }
        if !seen.insert(name) {
            return Err(fault(format!("a second attribute '{name}'")));
        }
        let value = rest
            .trim_start_matches(is_space)
            .strip_prefix('=')
            .map(|value| value.trim_start_matches(is_space));
        let quote = value
            .and_then(|value| value.chars().next())
            .filter(|quote| matches!(quote, '"' | '\''));
        let (Some(value), Some(quote)) = (value, quote) else {
            return Err(
                fault(format!("the attribute '{name}' has no value in quotes"))
                    .hint(format!("write {name}=\"…\"")),
            );
        };
        let Some((raw, after)) = value[1..].split_once(quote) else {
            return Err(fault(format!("the value of '{name}' is not closed")));
        };
        let start = at + source.len() - after.len() - 1 - raw.len();
        let span = start..start + raw.len();
        if raw.contains('<') {
            return Err(
                XmlFault::new(span, "a '<' cannot stand in an attribute").hint("write &lt;")
            );
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

fn unescaped<'a>(raw: &'a str, span: &Range<usize>) -> Result<Cow<'a, str>, XmlFault> {
    let hint = "&lt; &gt; &amp; &quot; &apos; and character references are known";
    let text =
        unescape(raw).map_err(|error| XmlFault::new(span.clone(), error.to_string()).hint(hint))?;
    match text.chars().find(|c| !is_char(*c)) {
        Some(bad) => Err(XmlFault::new(
            span.clone(),
            format!("the character U+{:04X} cannot stand in XML", u32::from(bad)),
        )),
        None => Ok(text),
    }
}

fn check_declaration(source: &str, span: &Range<usize>) -> Result<(), XmlFault> {
    let fault = |message| {
        Err(XmlFault::new(span.clone(), message)
            .hint("write <?xml version=\"1.0\"?> at the very start"))
    };
    let attributes = attributes(
        between(source, "<?xml", "?>"),
        span.start + "<?xml".len(),
        false,
    )?;
    match attributes.split_first() {
        Some((version, rest)) if version.name == "version" && version.value.starts_with("1.") => {
            if rest
                .iter()
                .all(|attribute| matches!(attribute.name, "encoding" | "standalone"))
            {
                return Ok(());
            }
            fault("an unknown word in the XML declaration")
        }
        _ => fault("an XML declaration without its version"),
    }
}

/// `S` of XML 1.0.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

/// `Char` of XML 1.0.
fn is_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// `Name` of XML 1.0, fifth edition.
fn is_name(name: &str) -> bool {
    name.starts_with(is_name_start) && name.chars().all(|c| is_name_start(c) || is_name_rest(c))
}

fn is_name_start(c: char) -> bool {
    matches!(c, ':' | '_' | 'A'..='Z' | 'a'..='z' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{2ff}'
        | '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}' | '\u{200c}' | '\u{200d}' | '\u{2070}'..='\u{218f}'
        | '\u{2c00}'..='\u{2fef}' | '\u{3001}'..='\u{d7ff}' | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}'
        | '\u{10000}'..='\u{effff}')
}

fn is_name_rest(c: char) -> bool {
    matches!(c, '-' | '.' | '0'..='9' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}')
}
