//! Manifests: what an adapter's folder declares, known before anything starts.

mod adapter;
mod file;
mod locate;
mod reproducer;

pub use adapter::Adapter;
pub use locate::{find_adapters_folder, known_adapters};
