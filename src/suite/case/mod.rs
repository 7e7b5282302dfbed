//! Cases: requests as people declare them, with the outcome that the text expects.
//!
//! `docs/cases.md` describes the formats field by field. YAML (`yaml`) and XML (`xml`) both become a [`Case`]; no other
//! module knows the format from which a case came.

mod content;
mod definition;
mod expectation;
mod file;
mod lookup;
mod nested;
mod write;
mod xml;
mod yaml;

pub(crate) use content::{Content, check_size};
pub(in crate::suite) use definition::zero_attributes;
pub(crate) use definition::{Case, Cover, FileCases, ZeroMode};
pub(crate) use expectation::Expectation;
pub(in crate::suite) use expectation::Stated;
pub(crate) use file::{MAX_FILE_BYTES, read_file};
pub(in crate::suite) use lookup::case_name;
pub(crate) use lookup::{CASE_NAMES, is_case_name, is_hyphenated};
pub(crate) use nested::Nested;
pub(crate) use write::entry;
#[cfg(feature = "cli")]
pub(crate) use xml::reshapes;
pub(crate) use yaml::format;
#[cfg(test)]
pub(crate) use yaml::schema;
