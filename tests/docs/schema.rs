//! The part of JSON Schema that our schemas use. An unknown keyword is a panic, so nothing goes unchecked.

use serde_json::Value;

/// The places where a value breaks a schema; empty if it is valid.
pub(crate) fn faults(root: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let Some(schema) = schema.as_object() else {
        return wrong(
            schema != &Value::Bool(true),
            "nothing is allowed here",
            value,
        );
    };
    let check = |schema: &Value, value: &Value| faults(root, schema, value);
    let mut found = Vec::new();
    for (keyword, rule) in schema {
        found.extend(match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "default" | "format" => Vec::new(),
            "$ref" => {
                let pointer = rule.as_str().unwrap().strip_prefix('#').unwrap();
                check(root.pointer(pointer).unwrap(), value)
            }
            "type" => wrong(!is_of_type(rule, value), &format!("is not {rule}"), value),
            "enum" => {
                let names = rule.as_array().unwrap();
                wrong(!names.contains(value), "is none of the names", value)
            }
            // The two patterns there are: a range of versions, and a name of hyphenated words.
            "pattern" => {
                let text = value.as_str().unwrap_or_default();
                let fits = if rule.as_str().unwrap().contains("[<>=]") {
                    text.contains(['<', '>', '='])
                } else if rule.as_str().unwrap().ends_with("/.+$") {
                    text.contains('/')
                } else {
                    let word = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-');
                    !text.is_empty() && text.chars().all(word)
                };
                wrong(!fits, &format!("does not match {rule}"), value)
            }
            "const" => wrong(rule != value, &format!("is not {rule}"), value),
            "minimum" => wrong(below(number(value), rule), "is too small", value),
            "maximum" => wrong(above(number(value), rule), "is too large", value),
            "minItems" => wrong(below(length(value), rule), "is too short", value),
            "maxItems" => wrong(above(length(value), rule), "is too long", value),
            "oneOf" | "anyOf" => {
                let options = rule.as_array().unwrap();
                let fit = options
                    .iter()
                    .filter(|one| check(one, value).is_empty())
                    .count();
                let fits = fit == 1 || fit > 1 && keyword == "anyOf";
                wrong(!fits, &format!("fits {fit} alternatives"), value)
            }
            "required" => {
                let names = rule.as_array().unwrap().iter().filter_map(Value::as_str);
                let missing = names.filter(|name| value.is_object() && value.get(name).is_none());
                missing
                    .flat_map(|name| wrong(true, &format!("has no {name}"), value))
                    .collect()
            }
            "properties" => {
                let fields = value.as_object().into_iter().flatten();
                let known = fields.filter_map(|(name, field)| Some((rule.get(name)?, field)));
                known.flat_map(|(rule, field)| check(rule, field)).collect()
            }
            "additionalProperties" => {
                let known = schema.get("properties");
                let fields = value.as_object().into_iter().flatten();
                let others = fields.filter(|(name, _)| known.is_none_or(|k| k.get(name).is_none()));
                others.flat_map(|(_, field)| check(rule, field)).collect()
            }
            "items" => {
                let first = schema.get("prefixItems").and_then(Value::as_array);
                let items = value.as_array().into_iter().flatten();
                let rest = items.skip(first.map_or(0, Vec::len));
                rest.flat_map(|item| check(rule, item)).collect()
            }
            "prefixItems" => {
                let items = value.as_array().into_iter().flatten();
                let pairs = rule.as_array().unwrap().iter().zip(items);
                pairs.flat_map(|(rule, item)| check(rule, item)).collect()
            }
            "maxLength" => {
                let length = value.as_str().map(|text| text.chars().count() as u64);
                wrong(length > rule.as_u64(), "is too long", value)
            }
            other => panic!("the keyword {other} is not known to this test"),
        });
    }
    found
}

fn wrong(is_wrong: bool, why: &str, value: &Value) -> Vec<String> {
    if is_wrong {
        vec![format!("{value} {why}")]
    } else {
        Vec::new()
    }
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64()
}

fn below(number: Option<f64>, limit: &Value) -> bool {
    number.is_some_and(|number| number < limit.as_f64().unwrap())
}

fn above(number: Option<f64>, limit: &Value) -> bool {
    number.is_some_and(|number| number > limit.as_f64().unwrap())
}

/// The length of an array.
fn length(value: &Value) -> Option<f64> {
    value.as_array().map(|items| items.len() as f64)
}

/// `rule` is the name of a type, or several.
fn is_of_type(rule: &Value, value: &Value) -> bool {
    if let Some(names) = rule.as_array() {
        return names.iter().any(|name| is_of_type(name, value));
    }
    match rule.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the type {other} is not known to this test"),
    }
}

#[test]
fn a_value_that_breaks_a_schema_is_caught() {
    let schema = serde_json::json!({
        "oneOf": [{"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/$defs/small"}}, "additionalProperties": false}],
        "$defs": {"small": {"type": ["integer", "null"], "minimum": 0, "maximum": 9}},
    });
    for (value, fits) in [
        (serde_json::json!({"a": 1}), true),
        (serde_json::json!({"a": null}), true),
        (serde_json::json!({"a": -1}), false),
        (serde_json::json!({"a": 10}), false),
        (serde_json::json!({"a": "1"}), false),
        (serde_json::json!({}), false),
        (serde_json::json!({"a": 1, "b": 1}), false),
        (serde_json::json!([]), false),
    ] {
        assert_eq!(faults(&schema, &schema, &value).is_empty(), fits, "{value}");
    }
}
