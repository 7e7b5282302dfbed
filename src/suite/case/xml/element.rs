//! Elements of an XML text. Every node has its place in the text.

use super::characters::is_space;
use super::fault::XmlFault;
use crate::names::{did_you_mean, nearest};
use std::borrow::Cow;
use std::ops::Range;

/// An element.
#[derive(Debug)]
pub(super) struct Element<'a> {
    pub(super) name: &'a str,
    pub(super) attributes: Vec<Attribute<'a>>,
    pub(super) children: Vec<Node<'a>>,
    /// The start tag.
    pub(super) span: Range<usize>,
}

/// An attribute.
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
pub(super) enum Node<'a> {
    Element(Element<'a>),
    Text(Cow<'a, str>, Range<usize>),
    Comment(&'a str, Range<usize>),
}

impl<'a> Element<'a> {
    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute<'a>> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name == name)
    }

    pub(super) fn required(&self, name: &str) -> Result<&Attribute<'a>, XmlFault> {
        self.attribute(name).ok_or_else(|| {
            let message = format!("<{}> has no {name}", self.name);
            XmlFault::new(self.span.clone(), message).hint(format!("write {name}=\"…\" in the tag"))
        })
    }

    /// The name and value of each attribute.
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

    /// The child of that name; `None` without one. A second is a fault.
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

    /// Its text. Comments are skipped; an element is a fault.
    pub(super) fn text(&self) -> Result<String, XmlFault> {
        self.only(&[], true)?;
        let text = |child: &Node<'a>| match child {
            Node::Text(text, _) => Some(text.to_string()),
            Node::Element(_) | Node::Comment(..) => None,
        };
        Ok(self.children.iter().filter_map(text).collect())
    }

    /// Its child elements. Any other name, or text, is a fault.
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

    /// Whether an attribute that is none of `names` may be meant for this one, which is not there.
    pub(super) fn misspells(&self, name: &str, names: &[&str]) -> bool {
        let mut unknown = self.attributes.iter().map(|attribute| attribute.name);
        self.attribute(name).is_none()
            && unknown.any(|other| {
                !names.contains(&other) && nearest(other, names.iter().copied()).contains(&name)
            })
    }

    /// Checks that it has no attributes of other names.
    pub(super) fn only_attributes(&self, names: &[&str]) -> Result<(), XmlFault> {
        let Some(unknown) = self
            .attributes
            .iter()
            .find(|attribute| !names.contains(&attribute.name))
        else {
            return Ok(());
        };
        let near = nearest(unknown.name, names.iter().copied());
        let hint = match names {
            _ if !near.is_empty() => did_you_mean(&near),
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
