//! Manifests: an adapter's declarations, known before anything starts.

mod adapter;
mod built_in;
mod file;
mod locate;
mod release;

pub(crate) use adapter::all_adapters;
pub use adapter::{Adapter, UNFINISHED};
pub(crate) use built_in::{kit_files, read as read_adapter_file};
#[cfg(test)]
pub(crate) use file::schema;
pub(crate) use locate::{built_in_adapters, python_program};
pub use locate::{find_adapters_folder, known_adapters};
pub use release::{Package, Registry};
