//! Cases in YAML.

mod file;
mod reader;

pub(super) use reader::read;
