//! Cases in YAML.

mod expectations;
mod faults;
mod fields;
mod reader;
#[cfg(test)]
mod schema;
mod values;

pub(super) use reader::read;
#[cfg(test)]
pub(crate) use schema::schema;
