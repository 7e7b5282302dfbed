//! Manifests: an adapter's declarations, known before anything starts.

mod adapter;
mod file;
mod locate;
mod release;

pub use adapter::Adapter;
#[cfg(feature = "cli")]
pub(crate) use adapter::embedded_adapters;
#[cfg(test)]
pub(crate) use file::schema;
#[cfg(feature = "cli")]
pub(crate) use locate::is_in_reach;
pub use locate::{find_adapters_folder, known_adapters};
pub use release::{Package, Registry};
