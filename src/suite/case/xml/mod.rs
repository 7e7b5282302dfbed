//! Cases in XML: documented OpenVINO layers in a `<cases>` file, and the Reshape layers of a real IR (`<net>`).
//!
//! The format is described in `docs/cases.md`. What a file states becomes an [`XmlCase`](case::XmlCase), whose names are
//! then looked up as for YAML. Reading neither panics nor recurses, whatever the text.

mod case;
mod documented;
mod element;
mod file;
mod ir;
mod layer;
#[cfg(feature = "cli")]
mod model;
mod tag;
#[cfg(test)]
mod tests;
mod tree;

pub(super) use file::read;
#[cfg(feature = "cli")]
pub(crate) use model::reshapes;
