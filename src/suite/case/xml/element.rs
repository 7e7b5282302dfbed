//! Elements of an XML text with their places, faults, and the characters and names of XML 1.0.

use crate::error::{Fault, Source};
use crate::names::{nearest, suggestion};
use std::borrow::Cow;
use std::ops::Range;

#[derive(Debug)]
pub(super) struct Element<'a> {
    pub(super) name: &'a str,
    pub(super) attributes: Vec<Attribute<'a>>,
    pub(super) children: Vec<Child<'a>>,
    /// The start tag.
    pub(super) span: Range<usize>,
}

#[derive(Debug)]
pub(super) struct Attribute<'a> {
    pub(super) name: &'a str,
    pub(super) value: Cow<'a, str>,
    /// The value, without its quotes.
    pub(super) span: Range<usize>,
    /// The name.
    pub(super) name_span: Range<usize>,
}

/// A child of an element.
#[derive(Debug)]
pub(super) enum Child<'a> {
    Element(Element<'a>),
    Text(Cow<'a, str>, Range<usize>),
    Comment(&'a str, Range<usize>),
}

impl Attribute<'_> {
    /// A fault of its value.
    pub(super) fn fault(&self, message: impl Into<String>) -> Fault {
        fault_at(self.span.clone(), message)
    }
}

impl<'a> Element<'a> {
    /// A fault of the element, shown at its start tag.
    pub(super) fn fault(&self, message: impl Into<String>) -> Fault {
        fault_at(self.span.clone(), message)
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute<'a>> {
        let mut attributes = self.attributes.iter();
        attributes.find(|attribute| attribute.name == name)
    }

    pub(super) fn required(&self, name: &str) -> Result<&Attribute<'a>, Fault> {
        self.attribute(name).ok_or_else(|| {
            self.fault(format!("<{}> has no {name}", self.name))
                .hint(format!("write {name}=\"…\" in the tag"))
        })
    }

    pub(super) fn elements(&self) -> impl Iterator<Item = &Self> {
        self.children.iter().filter_map(|child| match child {
            Child::Element(element) => Some(element),
            Child::Text(..) | Child::Comment(..) => None,
        })
    }

    /// The only child with this name; `None` without such a child. A second one is a fault.
    pub(super) fn only_child(&self, name: &str) -> Result<Option<&Self>, Fault> {
        let mut found = self.elements().filter(|element| element.name == name);
        let first = found.next();
        match found.next() {
            Some(second) => Err(second.fault(format!("a second <{name}> in <{}>", self.name))),
            None => Ok(first),
        }
    }

    /// Its text. Comments are skipped; an element is a fault.
    pub(super) fn text(&self) -> Result<String, Fault> {
        self.only(&[], true)?;
        let text = |child: &Child<'a>| match child {
            Child::Text(text, _) => Some(text.to_string()),
            Child::Element(_) | Child::Comment(..) => None,
        };
        Ok(self.children.iter().filter_map(text).collect())
    }

    /// Its child elements. Any other name, or text, is a fault.
    pub(super) fn only_elements(&self, names: &[&str]) -> Result<Vec<&Self>, Fault> {
        self.only(names, false)?;
        Ok(self.elements().collect())
    }

    fn only(&self, names: &[&str], text_too: bool) -> Result<(), Fault> {
        let hint = || match names {
            [] => format!("<{}> holds no elements", self.name),
            names => format!("<{}> holds: <{}>", self.name, names.join(">, <")),
        };
        for child in &self.children {
            let (message, span) = match child {
                Child::Element(element) if names.contains(&element.name) => continue,
                Child::Comment(..) => continue,
                Child::Text(text, _) if text_too || text.chars().all(is_space) => continue,
                Child::Element(element) => (
                    format!("<{}> does not belong here", element.name),
                    &element.span,
                ),
                Child::Text(_, span) => ("text does not belong here".to_owned(), span),
            };
            return Err(fault_at(span.clone(), message).hint(hint()));
        }
        Ok(())
    }

    /// Whether an attribute outside `names` may be a misspelling of this one, which is absent.
    pub(super) fn misspells(&self, name: &str, names: &[&str]) -> bool {
        let mut unknown = self.attributes.iter().map(|attribute| attribute.name);
        self.attribute(name).is_none()
            && unknown.any(|other| {
                !names.contains(&other) && nearest(other, names.iter().copied()).contains(&name)
            })
    }

    /// Checks that it has no other attributes.
    pub(super) fn only_attributes(&self, names: &[&str]) -> Result<(), Fault> {
        let mut attributes = self.attributes.iter();
        let Some(unknown) = attributes.find(|attribute| !names.contains(&attribute.name)) else {
            return Ok(());
        };
        let known = match names {
            [] => format!("<{}> has no attributes", self.name),
            names => format!("the attributes of <{}> are {}", self.name, names.join(", ")),
        };
        let hint = suggestion(unknown.name, names.iter().copied(), known);
        let message = format!("unknown attribute '{}'", unknown.name);
        Err(fault_at(unknown.name_span.clone(), message).hint(hint))
    }
}

/// A fault at these bytes of a text, before the file of the text is known.
pub(super) fn fault_at(span: Range<usize>, message: impl Into<String>) -> Fault {
    Fault::new(&Source::nowhere(), span, message)
}

/// The fault as one of this file.
pub(super) fn in_file(fault: Fault, source: &Source) -> Fault {
    let source = source.clone();
    Fault { source, ..fault }
}

/// `S` of XML 1.0.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

/// `Char` of XML 1.0.
pub(super) fn is_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// `Name` of XML 1.0, fifth edition.
pub(super) fn is_name(name: &str) -> bool {
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
