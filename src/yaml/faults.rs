//! Reading the values of a tree, and noting every fault on the way. The reader goes on after a fault, so that it shows
//! all faults of a file at once.

use super::{Node, Scalar, Value};
use crate::error::{Fault, Source};
use crate::json::quoted;
use crate::names::{Joined, did_you_mean, nearest};
use std::collections::HashSet;
use std::fmt::Display;
use std::str::FromStr;

/// A field of a mapping.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) required: bool,
    /// Its description, a sentence.
    pub(crate) description: &'static str,
}

/// The fields of a mapping, each `required` or `optional`, with its description.
macro_rules! fields {
    (@ required) => { true };
    (@ optional) => { false };
    ($($need:ident $name:ident: $description:expr,)+) => {
        &[$($crate::yaml::Field {
            name: stringify!($name),
            required: $crate::yaml::fields!(@ $need),
            description: $description,
        }),+]
    };
}

pub(crate) use fields;

/// The faults of a file, as they are found.
pub(crate) struct Faults<'a> {
    pub(crate) source: &'a Source,
    pub(crate) found: Vec<Fault>,
    /// The document that describes the fields.
    manual: &'static str,
}

impl<'a> Faults<'a> {
    pub(crate) fn new(source: &'a Source, manual: &'static str) -> Self {
        Self {
            source,
            found: Vec::new(),
            manual,
        }
    }

    /// Notes a fault at a value, with what to do.
    pub(crate) fn note(
        &mut self,
        node: &Node,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        let hint = Some(hint.into()).filter(|hint| !hint.is_empty());
        let fault = Fault::new(self.source, node.span(), message);
        self.found.push(Fault { hint, ..fault });
    }

    /// Notes a fault at a value that could not be read.
    pub(crate) fn wrong<T>(
        &mut self,
        node: &Node,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Option<T> {
        self.note(node, message, hint);
        None
    }

    /// The items of a list. Without brackets, one value is a fault.
    pub(crate) fn list<'n>(&mut self, node: &'n Node, name: &str) -> Option<&'n [Node]> {
        let hint = match &node.value {
            Value::List(items) => return Some(items),
            Value::Scalar(scalar) => format!("write `{name}: [{}]`", in_brackets(scalar)),
            Value::Nothing | Value::Map(_) => "`[a, b]`, or a line `- a` for each".to_owned(),
        };
        let message = format!("`{name}` is a list, not {}", node.what());
        self.wrong(node, message, hint)
    }

    /// A word, a number or a text.
    pub(crate) fn scalar<'n>(&mut self, node: &'n Node, name: &str) -> Option<&'n Scalar> {
        let message = || format!("{name} is a word or a number, not {}", node.what());
        node.scalar().or_else(|| self.wrong(node, message(), ""))
    }

    /// The value with this name.
    pub(crate) fn named<T: FromStr<Err: Display>>(&mut self, node: &Node, name: &str) -> Option<T> {
        match self.scalar(node, name)?.text.parse() {
            Ok(value) => Some(value),
            Err(why) => self.wrong(node, format!("{why}"), ""),
        }
    }

    /// The values that a list names, without repetition; `None` if one of them is a fault.
    pub(crate) fn names<T: FromStr<Err: Display>>(
        &mut self,
        node: &Node,
        name: &str,
        noun: &str,
    ) -> Option<Vec<T>> {
        let items = self.list(node, name)?;
        self.each_once(items, |faults, item| faults.named(item, noun))
    }

    /// Every item of a list of words, without repetition; `None` if one of them is a fault.
    pub(crate) fn each_once<T>(
        &mut self,
        items: &[Node],
        mut read: impl FnMut(&mut Self, &Node) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut words = HashSet::new();
        self.each(items, |faults, item| {
            let value = read(faults, item)?;
            match item.scalar() {
                Some(Scalar { text, .. }) if !words.insert(text.clone()) => {
                    faults.wrong(item, format!("{text} is named twice"), "name it once")
                }
                Some(_) | None => Some(value),
            }
        })
    }

    /// Every item of a list, read; `None` if one of them is a fault.
    pub(crate) fn each<T>(
        &mut self,
        items: &[Node],
        mut read: impl FnMut(&mut Self, &Node) -> Option<T>,
    ) -> Option<Vec<T>> {
        // Read every item, even after a faulty one.
        let read: Vec<_> = items.iter().map(|item| read(self, item)).collect();
        read.into_iter().collect()
    }
}

/// A scalar as a list in brackets holds it: quoted, unless it is a plain word or number.
fn in_brackets(scalar: &Scalar) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./".contains(c);
    match scalar.text.chars().all(is_plain) {
        true => scalar.text.clone(),
        false => quoted(&scalar.text),
    }
}

/// The entries of a mapping whose fields are known.
#[derive(Default)]
pub(crate) struct Mapping<'n> {
    entries: Vec<(&'n str, &'n Node)>,
    /// The keys of the fields without a value.
    empty: Vec<(&'n str, &'n Node)>,
    /// The fields that a misspelled key may have meant.
    pub(crate) misspelt: Vec<&'static str>,
    /// Whether the mapping has an unknown field.
    pub(crate) has_unknown: bool,
}

impl<'n> Mapping<'n> {
    /// Reads the fields of a mapping, called `noun`. Unknown, repeated and missing fields are faults; the other fields
    /// are read anyway. A missing field is shown at the word in the field `title`, or else at the start of the mapping.
    pub(crate) fn read(
        faults: &mut Faults<'_>,
        node: &'n Node,
        noun: &str,
        fields: &'static [Field],
        title: &str,
    ) -> Option<Self> {
        let Value::Map(pairs) = &node.value else {
            let names = fields.iter().map(|field| field.name).joined(", ");
            let message = format!("{noun} is a mapping, not {}", node.what());
            return faults.wrong(node, message, format!("{noun} has the fields {names}"));
        };
        let mut mapping = Self::default();
        for (key, value) in pairs {
            let Some(name) = faults.scalar(key, "the name of a field") else {
                continue;
            };
            let name = name.text.as_str();
            let is_repeated = mapping.entries.iter().any(|(other, _)| *other == name);
            if !fields.iter().any(|field| field.name == name) {
                mapping.has_unknown = true;
                let near = unknown_field(faults, key, name, noun, fields);
                mapping.misspelt.extend(near);
            } else if is_repeated && name == title {
                let hint = format!("write `- ` before the first field of {noun}");
                faults.note(key, format!("a second `{name}`"), hint);
                // The rest belongs to the other mapping.
                break;
            } else if is_repeated {
                let hint = "give each field once: remove one of them";
                faults.note(key, format!("a second `{name}`"), hint);
            } else {
                mapping.entries.push((name, value));
                let is_empty = matches!(value.value, Value::Nothing);
                mapping.empty.extend(is_empty.then_some((name, key)));
            }
        }
        let missing = fields.iter();
        let missing = missing.filter(|field| field.required && mapping.get(field.name).is_none());
        let missing = missing.filter(|field| !mapping.misspelt.contains(&field.name));
        let title = mapping.get(title).filter(|title| title.scalar().is_some());
        let place = title.unwrap_or(node).span();
        for field in missing {
            let name = field.name;
            let (place, message) = match mapping.without_value(name) {
                Some(key) => (key.span(), format!("`{name}` has no value")),
                None => (place.clone(), format!("{noun} needs the field `{name}`")),
            };
            let fault = Fault::new(faults.source, place, message);
            faults.found.push(fault.hint(field.description));
        }
        Some(mapping)
    }

    /// The fields of a case in another format. Its reader has already noted the faults of the fields in `noted`.
    pub(crate) fn of(entries: &'n [(&'static str, Node)], noted: Vec<&'static str>) -> Self {
        Self {
            entries: entries.iter().map(|(name, node)| (*name, node)).collect(),
            misspelt: noted,
            ..Self::default()
        }
    }

    /// The key of a field that has no value.
    pub(crate) fn without_value(&self, name: &str) -> Option<&'n Node> {
        let found = self.empty.iter().find(|(other, _)| *other == name);
        found.map(|(_, key)| *key)
    }

    /// The value of a field; `None` if the mapping lacks it.
    pub(crate) fn get(&self, name: &str) -> Option<&'n Node> {
        let (_, value) = self.entries.iter().find(|(other, _)| *other == name)?;
        (!matches!(value.value, Value::Nothing)).then_some(*value)
    }
}

/// Notes an unknown field, and returns the fields that it may have meant.
fn unknown_field(
    faults: &mut Faults<'_>,
    key: &Node,
    name: &str,
    noun: &str,
    fields: &'static [Field],
) -> Vec<&'static str> {
    let names = || fields.iter().map(|field| field.name);
    let near = nearest(name, names());
    let hint = if near.is_empty() {
        let (names, manual) = (names().joined(", "), faults.manual);
        format!("its fields are {names}; {manual} describes them")
    } else {
        did_you_mean(&near)
    };
    faults.note(key, format!("{noun} has no field `{name}`"), hint);
    near
}
