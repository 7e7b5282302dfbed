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
