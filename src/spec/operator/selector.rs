//! Selectors: how a case, a manifest or the command line names operators.

use super::definition::Operator;
use super::family::Family;
use super::table::OPERATORS;
use std::str::FromStr;

/// A set of operators as it is written: a family (`onnx`), one operator (`onnx.Reshape-14`), or a family with
/// conditions on the version, all of which hold (`onnx >= 14`, `onnx >= 14, < 25`).
#[derive(Debug, Clone)]
pub struct Selector {
    operators: Vec<&'static Operator>,
}

impl Selector {
    /// The operators it names, in the table's order; at least one.
    #[must_use]
    pub fn operators(&self) -> &[&'static Operator] {
        &self.operators
    }
}

/// The text names no operator.
#[derive(Debug, thiserror::Error)]
pub enum SelectorError {
    /// Neither a family nor an operator.
    #[error(
        "'{text}' is no operator and no family; write one of {families}, a range such as 'onnx >= 14' or \
         'onnx >= 14, < 25', or one of {operators}"
    )]
    Unknown {
        /// The text.
        text: String,
        /// All families.
        families: String,
        /// All operators.
        operators: String,
    },
    /// A range that no version satisfies, or that is malformed.
    #[error(
        "'{0}' holds for no operator; a range is a family and then conditions on the version, separated by commas, \
         each one of >= > <= < == and a number, such as 'onnx >= 14' or 'onnx >= 14, < 25'"
    )]
    EmptyRange(String),
}

impl FromStr for Selector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        let text = text.trim();
        if let Some(operator) = Operator::named(text) {
            return Ok(Self {
                operators: vec![operator],
            });
        }
        let end = text
            .find(|c: char| !(c.is_ascii_lowercase() || c == '-'))
            .unwrap_or(text.len());
        let (family, range) = text.split_at(end);
        let Ok(family) = family.parse::<Family>() else {
            return Err(unknown(text));
        };
        let empty = || SelectorError::EmptyRange(text.to_owned());
        let conditions = conditions(range.trim()).ok_or_else(empty)?;
        let operators: Vec<_> = OPERATORS
            .iter()
            .filter(|operator| operator.family == family)
            .filter(|operator| conditions.iter().all(|holds| holds(operator.version)))
            .collect();
        if operators.is_empty() {
            return Err(empty());
        }
        Ok(Self { operators })
    }
}

/// Whether a version is in the range.
type Condition = Box<dyn Fn(u32) -> bool>;

/// The conditions of a range; none if there is no range.
fn conditions(range: &str) -> Option<Vec<Condition>> {
    if range.is_empty() {
        return Some(Vec::new());
    }
    range
        .split(',')
        .map(|part| condition(part.trim()))
        .collect()
}

fn condition(text: &str) -> Option<Condition> {
    let digits = text.find(|c: char| c.is_ascii_digit() || c == ' ')?;
    let (sign, version) = text.split_at(digits);
    let version: u32 = version.trim().parse().ok()?;
    Some(match sign {
        ">=" => Box::new(move |v| v >= version),
        ">" => Box::new(move |v| v > version),
        "<=" => Box::new(move |v| v <= version),
        "<" => Box::new(move |v| v < version),
        "==" | "=" => Box::new(move |v| v == version),
        _ => return None,
    })
}

fn unknown(text: &str) -> SelectorError {
    let families: Vec<_> = Family::ALL.iter().map(|family| family.name()).collect();
    let operators: Vec<_> = OPERATORS.iter().map(|operator| operator.name).collect();
    SelectorError::Unknown {
        text: text.to_owned(),
        families: families.join(", "),
        operators: operators.join(", "),
    }
}

impl<'de> serde::Deserialize<'de> for Selector {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(text: &str) -> Vec<u32> {
        let selector: Selector = text.parse().expect(text);
        let operators = selector.operators().iter();
        operators.map(|operator| operator.version).collect()
    }

    #[test]
    fn a_range_takes_the_versions_for_which_all_its_conditions_hold() {
        let all: Vec<_> = OPERATORS
            .iter()
            .filter(|operator| operator.family == Family::Onnx)
            .map(|operator| operator.version)
            .collect();
        assert_eq!(versions("onnx"), all);
        let holding =
            |holds: fn(&u32) -> bool| all.iter().copied().filter(holds).collect::<Vec<_>>();
        for (text, expected) in [
            ("onnx >= 14", holding(|v| *v >= 14)),
            ("onnx > 14", holding(|v| *v > 14)),
            ("onnx <= 14", holding(|v| *v <= 14)),
            ("onnx < 14", holding(|v| *v < 14)),
            ("onnx == 14", vec![14]),
            ("onnx = 14", vec![14]),
            // Between two versions, and without spaces.
            ("onnx>=15", holding(|v| *v >= 19)),
            ("onnx<15", holding(|v| *v <= 14)),
            ("onnx >= 14, < 23", vec![14, 19, 21]),
            (" onnx>13,<=21 ", vec![14, 19, 21]),
            ("onnx < 23, >= 14, > 14", vec![19, 21]),
            ("onnx.Reshape-14", vec![14]),
            ("onednn", vec![0]),
        ] {
            assert_eq!(versions(text), expected, "{text}");
        }
        assert_eq!(
            versions("onednn-spec"),
            [1],
            "a family whose name begins with another's"
        );
    }

    fn error(text: &str) -> String {
        text.parse::<Selector>().expect_err(text).to_string()
    }

    #[test]
    fn a_text_that_names_no_family_is_answered_with_all_names() {
        for text in ["", "onn", "Onnx", "onnx.Reshape-2"] {
            let error = error(text);
            let names_all = OPERATORS
                .iter()
                .all(|operator| error.contains(operator.name));
            let empty_range = error.contains("holds for no operator");
            assert!(names_all || empty_range, "{text}: {error}");
        }
    }

    #[test]
    fn a_range_without_versions_is_an_error() {
        let newest = OPERATORS.iter().map(|operator| operator.version).max();
        let past_the_newest = format!("onnx > {}", newest.expect("an operator"));
        for text in [
            &past_the_newest,
            "onnx < 1",
            "onnx == 2",
            "onnx > 21, < 21",
            "onnx => 14",
            "onnx >=",
            "onnx ~ 3",
            "onnx14",
            "onnx,",
            "onnx, >= 14",
            "onnx >= 14,",
            "onnx >= 14 < 25",
            "onnx >= x",
            "onnx >= -1",
            "onnx >= 99999999999",
        ] {
            let error = error(text);
            assert!(error.contains("holds for no operator"), "{text}: {error}");
            assert!(error.contains("'onnx >= 14, < 25'"), "{text}: {error}");
        }
    }
}
