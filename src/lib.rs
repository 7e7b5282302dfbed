//! The conformance suite and reference oracle for the Reshape operators of ONNX, OpenVINO, oneDNN and the Array API standard.
//!
//! The map of the sources, their order and the invariants are in `ARCHITECTURE.md`.
//!
//! # Testing your own backend
//!
//! Implement [`backend::Backend`], and make a test without the standard harness (`harness = false`) of it:
//!
//! ```
#![doc = include_str!("../tests/docs/backend.rs")]
//! ```

#![cfg_attr(
    not(feature = "cli"),
    allow(dead_code, unused_imports, reason = "what only the program uses")
)]

pub mod backend;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub(crate) mod error;
pub(crate) mod event;
pub mod harness;
pub(crate) mod json;
pub(crate) mod model;
pub(crate) mod names;
#[doc(hidden)]
pub mod playground;
#[cfg(feature = "cli")]
pub(crate) mod report;
pub(crate) mod run;
#[cfg(feature = "cli")]
pub(crate) mod search;
pub mod semantics;
pub(crate) mod suite;
pub mod tensor;
pub(crate) mod threads;
pub(crate) mod verdict;
pub(crate) mod yaml;

#[cfg(test)]
#[path = "../tests/mutations.rs"]
mod mutations;
