//! Backends: implementations under test, behind one trait.
//!
//! [`Reference`] is the oracle itself; [`ProcessBackend`] is any program that speaks the protocol of `docs/protocol.md`.
//! A Rust author implements [`Backend`] for their own runtime.

mod about;
mod declaration;
mod interface;
mod manifest;
pub(crate) mod mutant;
mod onnx_model;
mod process;
mod reference;
mod serve;
mod supports;
mod unattributed_failures;
mod wire;

pub use about::About;
pub(crate) use about::contradiction;
pub use interface::Backend;
#[cfg(test)]
pub(crate) use manifest::schema as manifest_schema;
pub use manifest::{Adapter, Package, Registry, find_adapters_folder, known_adapters};
#[cfg(feature = "cli")]
pub(crate) use manifest::{embedded_adapters, is_in_reach};
pub use onnx_model::onnx_model;
pub(crate) use process::memory_is_reported;
pub use process::{ProcessBackend, ProcessOptions};
pub use reference::Reference;
pub use serve::serve;
pub use supports::{Limits, StringLimit, Supports};
pub use unattributed_failures::{UnattributedFailure, UnattributedFailures};
