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
    #[error(
        "'{0}' holds for no operator; a bound is a family, one of >= > <= < ==, and a version, such as 'onnx >= 14'"
    )]
    EmptyBound(String),
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
        let (family, bound) = text.split_at(end);
        let Some(family) = Family::ALL.iter().find(|f| f.name() == family) else {
            return Err(unknown(text));
        };
        let holds =
            parse_bound(bound.trim()).ok_or_else(|| SelectorError::EmptyBound(text.to_owned()))?;
        let operators: Vec<_> = OPERATORS
            .iter()
            .filter(|o| o.family == *family && holds(o.version))
            .collect();
        if operators.is_empty() {
            Err(SelectorError::EmptyBound(text.to_owned()))
        } else {
            Ok(Self { operators })
        }
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
        text.parse::<Selector>()
            .expect(text)
            .operators()
            .iter()
            .map(|operator| operator.version)
            .collect()
    }

    #[test]
    fn a_bound_takes_the_versions_for_which_it_holds() {
        let all = versions("onnx");
        assert_eq!(all, [1, 5, 13, 14, 19, 21, 23, 24, 25]);
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
            ("onnx.Reshape-14", vec![14]),
        ] {
            assert_eq!(versions(text), expected, "{text}");
        }
        assert_eq!(
            "onednn-spec"
                .parse::<Selector>()
                .expect("a family")
                .operators()
                .len(),
            1
        );
    }

    #[test]
    fn what_names_no_operator_is_told_with_what_would() {
        let told = |text: &str| text.parse::<Selector>().expect_err(text).to_string();
        for text in [
            "",
            "onn",
            "Onnx",
            "onnx.Reshape-2",
            "onnx14",
            "openvino.Reshape-1x",
        ] {
            let told = told(text);
            let empty_bound = told.contains("holds for no operator");
            assert!(
                empty_bound
                    || (told.contains("onnx, openvino") && told.contains("onnx.Reshape-14")),
                "{text}: {told}"
            );
        }
        for text in [
            "onnx > 25",
            "onnx < 1",
            "onnx == 2",
            "onnx => 14",
            "onnx >=",
            "onnx >= x",
            "onnx >= -1",
            "onnx >= 99999999999",
        ] {
            assert!(
                told(text).contains("holds for no operator"),
                "{text}: {}",
                told(text)
            );
        }
    }
}
