//! Cases in YAML.

mod expectations;
mod faults;
mod fields;
mod reader;
mod values;

pub(super) use reader::read;
