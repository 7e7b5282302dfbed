//! Manifests: what an adapter's folder declares, known before anything starts.

mod adapter;
mod file;
mod locate;
mod reproducer;

pub use adapter::Adapter;
#[cfg(test)]
pub(crate) use file::schema;
pub use locate::{find_adapters_folder, known_adapters};
