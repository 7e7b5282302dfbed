//! The structure of a YAML case file.

use crate::spec::operator::Binding;
use crate::spec::outcome::Allowed;
use crate::spec::outcome::ShapePattern;
use crate::spec::request::{AttributeValue, Target};
use crate::suite::case::{Nested, ZeroMode};
use crate::tensor::ElementType;
use crate::yaml::Spanned;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileCase {
    pub(super) name: Spanned<String>,
    pub(super) about: Option<String>,
    pub(super) operators: Spanned<Vec<Spanned<String>>>,
    pub(super) covers: Spanned<Vec<Spanned<String>>>,
    pub(super) data: Spanned<FileData>,
    pub(super) shape: Spanned<FileTarget>,
    pub(super) shape_element_type: Option<ElementType>,
    pub(super) zero: Option<Spanned<ZeroMode>>,
    pub(super) attributes: Option<BTreeMap<String, AttributeValue>>,
    pub(super) bindings: Option<Vec<Binding>>,
    pub(super) expect: Option<Spanned<FileExpectation>>,
    pub(super) expectations: Option<Vec<Spanned<FileOperatorExpectation>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileData {
    pub(super) shape: Vec<Dim>,
    pub(super) element_types: Option<Vec<ElementType>>,
    pub(super) fill: Option<FileFill>,
    pub(super) values: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum FileFill {
    Index,
    EveryPattern,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileExpectation {
    pub(super) shape: Option<Vec<Dim>>,
    pub(super) rejected: Option<OneOrMore>,
    pub(super) open: Option<String>,
    pub(super) allowed: Option<Vec<FileAllowed>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileOperatorExpectation {
    operators: Vec<Spanned<String>>,
    shape: Option<Vec<Dim>>,
    rejected: Option<OneOrMore>,
    open: Option<String>,
    allowed: Option<Vec<FileAllowed>>,
}

impl FileOperatorExpectation {
    /// The selectors of the operators, and their expectation (which `flatten` cannot read beside `deny_unknown_fields`).
    pub(super) fn split(self) -> (Vec<Spanned<String>>, FileExpectation) {
        let expectation = FileExpectation {
            shape: self.shape,
            rejected: self.rejected,
            open: self.open,
            allowed: self.allowed,
        };
        (self.operators, expectation)
    }
}

/// A data or output dim: 0 to 2^63-1.
pub(super) struct Dim(pub(super) u64);

impl<'de> Deserialize<'de> for Dim {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let dim = text.parse().ok().filter(|dim| *dim <= i64::MAX as u64);
        dim.map(Self).ok_or_else(|| {
            D::Error::custom(format!(
                "'{text}' is not a dim: a whole number from 0 to 2^63-1"
            ))
        })
    }
}

/// A target: a list, a bare integer, a nested list, or `missing`.
pub(super) struct FileTarget(pub(super) Option<Target>);

impl<'de> Deserialize<'de> for FileTarget {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match Nested::deserialize(deserializer)? {
            Nested::Missing => None,
            nested @ (Nested::Value(_) | Nested::List(_)) => {
                Some(nested.target().map_err(D::Error::custom)?)
            }
        }))
    }
}

/// A name or a list of names.
pub(super) struct OneOrMore(pub(super) Vec<String>);

impl<'de> Deserialize<'de> for OneOrMore {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names;
        impl<'de> Visitor<'de> for Names {
            type Value = Vec<String>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name or a list of names")
            }
            fn visit_str<E>(self, name: &str) -> Result<Vec<String>, E> {
                Ok(vec![name.to_owned()])
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<String>, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = list.next_element()? {
                    names.push(name);
                }
                Ok(names)
            }
        }
        deserializer.deserialize_any(Names).map(Self)
    }
}

/// `rejected`, or a shape in which `any` allows any length.
pub(super) struct FileAllowed(pub(super) Allowed);

impl<'de> Deserialize<'de> for FileAllowed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Outcome;
        impl<'de> Visitor<'de> for Outcome {
            type Value = Allowed;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`rejected` or a shape such as [0, any]")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Allowed, E> {
                if text == "rejected" {
                    Ok(Allowed::Rejected)
                } else {
                    Err(E::invalid_value(serde::de::Unexpected::Str(text), &self))
                }
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Allowed, A::Error> {
                let mut shape = ShapePattern::new();
                while let Some(dim) = list.next_element::<String>()? {
                    shape.push(match dim.as_str() {
                        "any" => None,
                        number => Some(number.parse().map_err(|_| {
                            A::Error::custom(format!("'{number}' is not a dim and not `any`"))
                        })?),
                    });
                }
                Ok(Allowed::Reshaped(shape))
            }
        }
        deserializer.deserialize_any(Outcome).map(Self)
    }
}
