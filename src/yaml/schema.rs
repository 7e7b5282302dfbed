//! The JSON Schema of a mapping, from its fields.

use super::Field;
use serde_json::{Map, Value, json};

/// A mapping of these fields.
pub(crate) fn object(fields: &[Field], value: impl Fn(&str) -> Value) -> Value {
    let property = |field: &Field| {
        let mut schema = value(field.name);
        if let Value::Object(schema) = &mut schema {
            schema.insert("description".to_owned(), json!(field.says));
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
/// A list of these.
pub(crate) fn list(items: Value) -> Value {
    json!({ "type": "array", "items": items })
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
