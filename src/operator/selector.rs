//! Selectors: how a case, a manifest or the command line names operators.

use super::{Family, OPERATORS, Operator};
use std::str::FromStr;

/// A set of operators as it is written: a family (`onnx`), one operator (`onnx.Reshape-14`), or a family with a
/// version bound (`onnx >= 14`, `onnx < 14`).
#[derive(Debug, Clone)]
pub struct Selector {
    operators: Vec<&'static Operator>,
}

impl Selector {
    /// The operators it names, in the table's order; never none.
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
        "'{text}' is no operator and no family; write one of {families}, a bound such as 'onnx >= 14', or one of {operators}"
    )]
    Unknown {
        /// What was written.
        text: String,
        /// All families.
        families: String,
        /// All operators.
        operators: String,
    },
    /// A bound that no version satisfies, or that is not a number.
    #[error("'{0}' holds for no operator; a bound is a family, one of >= > <= < ==, and a version, such as 'onnx >= 14'")]
    EmptyBound(String),
}

impl FromStr for Selector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        let text = text.trim();
        if let Some(operator) = Operator::named(text) {
            return Ok(Self { operators: vec![operator] });
        }
        let end = text.find(|c: char| !(c.is_ascii_lowercase() || c == '-')).unwrap_or(text.len());
        let (family, bound) = text.split_at(end);
        let Some(family) = Family::ALL.iter().find(|f| f.name() == family) else {
            return Err(unknown(text));
        };
        let holds = parse_bound(bound.trim()).ok_or_else(|| SelectorError::EmptyBound(text.to_owned()))?;
        let operators: Vec<_> = OPERATORS.iter().filter(|o| o.family == *family && holds(o.version)).collect();
        if operators.is_empty() { Err(SelectorError::EmptyBound(text.to_owned())) } else { Ok(Self { operators }) }
    }
}

type Bound = Box<dyn Fn(u32) -> bool>;

fn parse_bound(bound: &str) -> Option<Bound> {
    if bound.is_empty() {
        return Some(Box::new(|_| true));
    }
    let digits = bound.find(|c: char| c.is_ascii_digit() || c == ' ')?;
    let (sign, version) = bound.split_at(digits);
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
    let families: Vec<_> = Family::ALL.iter().map(|f| f.name()).collect();
    let operators: Vec<_> = OPERATORS.iter().map(|o| o.name).collect();
    SelectorError::Unknown { text: text.to_owned(), families: families.join(", "), operators: operators.join(", ") }
}

impl<'de> serde::Deserialize<'de> for Selector {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
