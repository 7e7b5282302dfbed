//! Cases in YAML.

mod data;
mod expectations;
mod fields;
mod format;
mod reader;
#[cfg(test)]
mod schema;
mod values;

pub(crate) use format::format;
pub(super) use reader::{read, read_fields};
#[cfg(test)]
pub(crate) use schema::schema;
