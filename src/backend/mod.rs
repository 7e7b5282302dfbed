//! Backends: implementations under test, behind one trait.
//!
//! [`Reference`] is the oracle itself; [`ProcessBackend`] is any program that speaks the protocol of `docs/protocol.md`.
//! A Rust author implements [`Backend`] for their own runtime.

mod claims;
mod declaration;
mod interface;
mod manifest;
mod process;
mod reference;
mod serve;
mod supports;
mod wire;

use crate::model::onnx;
use crate::semantics::operator::Binding;
use crate::semantics::request::Request;

pub use crate::model::call::Call;
pub use crate::model::surroundings::Surrounding;
pub(crate) use interface::contradiction;
pub use interface::{About, Backend, UnattributedFailure, UnattributedFailures};
#[cfg(test)]
pub(crate) use manifest::schema as manifest_schema;
pub use manifest::{Adapter, Package, Registry, UNFINISHED, find_adapters_folder, known_adapters};
pub(crate) use manifest::{
    all_adapters, built_in_adapters, kit_files, python_program, read_adapter_file,
};
pub(crate) use process::memory_is_reported;
pub use process::{ProcessBackend, ProcessOptions};
pub(crate) use reference::MutantBackend;
pub use reference::Reference;
pub use serve::serve;
pub(crate) use supports::Stated;
pub use supports::{Limits, StringLimit, Supports};
#[cfg(test)]
pub(crate) use wire::schema as hello_schema;

/// The ONNX model (a serialized ModelProto) of a request. Its graph inputs are `data` and, for a runtime target,
/// `shape`; its output is `reshaped`.
#[must_use]
pub fn onnx_model(request: &Request, binding: Binding) -> Vec<u8> {
    onnx::model(request, binding)
}
