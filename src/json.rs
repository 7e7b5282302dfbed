//! Values read by their syntax, texts in quotes, and JSON in which no object has the same key twice.

use serde::de::{Deserialize, Error, MapAccess, SeqAccess};
use std::collections::BTreeMap;

/// Implements `Deserialize` by the syntax of a value: what a scalar of each kind becomes, then the methods of the visitor
/// for lists and mappings. (serde's `untagged` could do this, but its errors are unreadable.)
macro_rules! by_syntax {
    ($Type:ty, $expected:literal, { $($visit:ident($($value:pat_param, $Kind:ty)?) => $read:expr,)* } $($method:item)+) => {
        impl<'de> serde::Deserialize<'de> for $Type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Syntax;

                impl<'de> serde::de::Visitor<'de> for Syntax {
                    type Value = $Type;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str($expected)
                    }

                    $(fn $visit<E: serde::de::Error>(self, $($value: $Kind)?) -> Result<$Type, E> {
                        $read
                    })*

                    $($method)+
                }

                deserializer.deserialize_any(Syntax)
            }
        }
    };
}

pub(crate) use by_syntax;

/// A text in double quotes, which has the same form in JSON, in YAML and in TOML.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Checks that a text is JSON in which no object has the same key twice: readers would disagree on which value counts.
/// The error names the first repeated key, or says why the text is not JSON, with line and column.
pub(crate) fn check_keys(text: &[u8]) -> serde_json::Result<()> {
    serde_json::from_slice::<Checked>(text).map(|Checked| ())
}

/// A value in which no object has the same key twice.
struct Checked;

by_syntax! {
    Checked, "a value", {
        visit_unit() => Ok(Checked),
        visit_bool(_, bool) => Ok(Checked),
        visit_i64(_, i64) => Ok(Checked),
        visit_u64(_, u64) => Ok(Checked),
        visit_f64(_, f64) => Ok(Checked),
        visit_str(_, &str) => Ok(Checked),
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Checked, A::Error> {
        while list.next_element::<Checked>()?.is_some() {}
        Ok(Checked)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Checked, A::Error> {
        entries::<A, Checked>(map).map(|_| Checked)
    }
}

/// The entries of an object. The error names the first repeated key.
pub(crate) fn entries<'de, A: MapAccess<'de>, V: Deserialize<'de>>(
    mut map: A,
) -> Result<BTreeMap<String, V>, A::Error> {
    let mut entries = BTreeMap::new();
    while let Some(key) = map.next_key::<String>()? {
        if entries.contains_key(&key) {
            return Err(A::Error::custom(format!("a second key `{key}`")));
        }
        entries.insert(key, map.next_value()?);
    }
    Ok(entries)
}
