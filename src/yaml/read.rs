//! Mappings whose fields are declared once, and the readers of their values. Each reader gets the name of the field.

use super::{Faults, Kind, Mapping, Node, Scalar, Value};
use crate::error::Source;
use crate::names::Joined;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

/// Declares a struct whose fields are those of a mapping: the struct, its reader and its JSON Schema.
///
/// After the struct's name come its noun for messages, and the field at which faults of the whole mapping are shown.
/// The comment of a field is also its description for the author of a file. Then come the reader of its value and the
/// schema. A field that is missing or faulty has its default.
macro_rules! mapping {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $Struct:ident, $noun:literal, $title:literal {
            $(
                $(#[doc = $description:literal])+
                $field_visibility:vis $field:ident: $Type:ty = $required:ident($read:expr, $schema:expr)
            ),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default)]
        $visibility struct $Struct { $($(#[doc = $description])+ $field_visibility $field: $Type),+ }

        impl $Struct {
            const FIELDS: &'static [$crate::yaml::Field] = $crate::yaml::fields! {
                $($required $field: concat!($($description),+).trim_ascii_start(),)+
            };

            pub(crate) fn read(
                faults: &mut $crate::yaml::Faults<'_>,
                node: &$crate::yaml::Node,
                _: &str,
            ) -> Option<Self> {
                let fields = $crate::yaml::Mapping::read(faults, node, $noun, Self::FIELDS, $title)?;
                $(
                    let value = fields.value(faults, stringify!($field), $read);
                    let $field: $Type = value.map(Into::into).unwrap_or_default();
                )+
                Some(Self { $($field),+ })
            }

            #[cfg(test)]
            pub(crate) fn schema() -> serde_json::Value {
                $crate::yaml::schema::object(Self::FIELDS, |name| match name {
                    $(stringify!($field) => $schema,)+
                    _ => serde_json::Value::Null,
                })
            }
        }
    };
}

pub(crate) use mapping;

/// Reads a value, which gets the name of its field; `None` if the value is faulty.
pub(crate) trait Read<T>: Fn(&mut Faults<'_>, &Node, &str) -> Option<T> {}

impl<T, F: Fn(&mut Faults<'_>, &Node, &str) -> Option<T>> Read<T> for F {}

impl Mapping<'_> {
    /// The value of a field as this reads it; `None` if the mapping lacks it, or if it is faulty.
    pub(crate) fn value<T>(
        &self,
        faults: &mut Faults<'_>,
        name: &str,
        read: impl Read<T>,
    ) -> Option<T> {
        read(faults, self.get(name)?, name)
    }
}

/// Reads a value of JSON as a reader of YAML does. The error has every fault, each with its path in the value.
pub(crate) fn of_json<T>(
    json: &serde_json::Value,
    manual: &'static str,
    read: impl Read<T>,
) -> Result<T, String> {
    let mut paths = String::new();
    let node = Node::of_json(json, "", &mut paths);
    let source = Source::new("", &paths);
    let mut faults = Faults::new(&source, manual);
    let value = read(&mut faults, &node, "");
    let faults = faults.found.iter().map(|fault| {
        let path = match &paths[fault.span.clone()] {
            "" => String::new(),
            path => format!("{path}: "),
        };
        let hint = fault.hint.as_ref();
        let hint = hint.map_or_else(String::new, |hint| format!(" ({hint})"));
        format!("{path}{}{hint}", fault.message)
    });
    let faults = faults.joined("; ");
    value.filter(|_| faults.is_empty()).ok_or(faults)
}

/// A value in messages: the name of its field, if it has one.
fn noun(name: &str) -> String {
    match name {
        "" => "the value".to_owned(),
        name => format!("`{name}`"),
    }
}

pub(crate) fn text(faults: &mut Faults<'_>, node: &Node, name: &str) -> Option<String> {
    Some(faults.scalar(node, &noun(name))?.text.clone())
}

pub(crate) fn texts(faults: &mut Faults<'_>, node: &Node, name: &str) -> Option<Vec<String>> {
    each(text)(faults, node, name)
}

pub(crate) fn flag(faults: &mut Faults<'_>, node: &Node, name: &str) -> Option<bool> {
    let (what, hint) = match node.scalar() {
        Some(Scalar {
            kind: Kind::Bool(value),
            ..
        }) => return Some(*value),
        Some(Scalar { text, .. }) if matches!(text.as_str(), "true" | "false") => {
            ("a text", format!("without quotes: {text}"))
        }
        Some(_) | None => (node.what(), String::new()),
    };
    let noun = noun(name);
    faults.wrong(node, format!("{noun} is true or false, not {what}"), hint)
}

pub(crate) fn number<T: TryFrom<i128>>(faults: &mut Faults<'_>, node: &Node, _: &str) -> Option<T> {
    let scalar = faults.scalar(node, "a number")?;
    let number = match scalar.kind {
        Kind::Integer(value) => T::try_from(value).ok(),
        Kind::Text | Kind::Bool(_) | Kind::Float(_) => None,
    };
    let message = format!("'{}' is not a valid number here", scalar.text);
    number.or_else(|| faults.wrong(node, message, "a whole number, without quotes"))
}

/// The entries of a list.
pub(crate) fn each<T>(read: impl Read<T>) -> impl Read<Vec<T>> {
    move |faults, node, name| {
        let items = faults.list(node, name)?;
        faults.each(items, |faults, node| read(faults, node, ""))
    }
}

/// A value that is a name of the kind `noun`.
pub(crate) fn one<T: FromStr<Err: Display>>(noun: &str) -> impl Read<T> {
    move |faults, node, _| faults.named(node, noun)
}

/// A list of names of the kind `noun`.
pub(crate) fn names<T: FromStr<Err: Display>>(noun: &str) -> impl Read<Vec<T>> {
    move |faults, node, name| faults.names(node, name, noun)
}

/// The values of a mapping with any names. Each is read with its name.
pub(crate) fn named<T>(
    faults: &mut Faults<'_>,
    node: &Node,
    mut of: impl FnMut(&mut Faults<'_>, &Node, &Node) -> Option<T>,
) -> Option<BTreeMap<String, T>> {
    let Value::Map(pairs) = &node.value else {
        let message = format!("expected a mapping of names to values, not {}", node.what());
        return faults.wrong(node, message, "write `name: value` on a line for each");
    };
    let mut all = BTreeMap::new();
    for (key, value) in pairs {
        let (name, value) = (text(faults, key, ""), of(faults, key, value));
        let (Some(name), Some(value)) = (name, value) else {
            continue;
        };
        if all.insert(name.clone(), value).is_some() {
            faults.note(key, format!("a second `{name}`"), "give each name once");
        }
    }
    Some(all)
}

/// The JSON Schema of a mapping, from its fields.
#[cfg(test)]
pub(crate) mod schema {
    use crate::yaml::Field;
    use serde_json::{Map, Value, json};

    /// A mapping of these fields.
    pub(crate) fn object(fields: &[Field], value: impl Fn(&str) -> Value) -> Value {
        let property = |field: &Field| {
            let mut schema = value(field.name);
            if let Value::Object(schema) = &mut schema {
                schema.insert("description".to_owned(), json!(field.description));
            }
            (field.name.to_owned(), schema)
        };
        let properties: Map<String, Value> = fields.iter().map(property).collect();
        let required = fields.iter().filter(|field| field.required);
        let required: Vec<_> = required.map(|field| field.name).collect();
        json!({
            "type": "object",
            "additionalProperties": false,
            "properties": properties,
            "required": required,
        })
    }

    /// The schema of a whole document.
    pub(crate) fn titled(title: &str, mut schema: Value) -> Value {
        schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
        schema["title"] = json!(title);
        schema
    }

    /// A list of these.
    pub(crate) fn list(items: Value) -> Value {
        json!({ "type": "array", "items": items })
    }

    /// A mapping of any names to these.
    pub(crate) fn map_of(values: Value) -> Value {
        json!({ "type": "object", "additionalProperties": values })
    }

    /// A list of these that is not empty.
    pub(crate) fn some(items: Value) -> Value {
        json!({ "type": "array", "items": items, "minItems": 1 })
    }

    /// One of these names.
    pub(crate) fn one_of<'n>(names: impl Iterator<Item = &'n str>) -> Value {
        json!({ "enum": names.collect::<Vec<_>>() })
    }

    pub(crate) fn string() -> Value {
        json!({ "type": "string" })
    }

    pub(crate) fn strings() -> Value {
        list(string())
    }

    pub(crate) fn boolean() -> Value {
        json!({ "type": "boolean", "default": false })
    }

    /// A whole number that is not negative.
    pub(crate) fn count() -> Value {
        json!({ "type": "integer", "minimum": 0 })
    }

    pub(crate) fn integers() -> Value {
        list(json!({ "type": "integer" }))
    }
}
