//! Cases in YAML.

mod expectations;
mod fields;
pub(super) mod format;
mod reader;
mod values;

#[cfg(test)]
pub(crate) use fields::schema::schema;
pub(crate) use format::format;
pub(super) use reader::{read, read_fields};
