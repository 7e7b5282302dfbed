//! The conformance suite and reference oracle for the Reshape operators of ONNX, OpenVINO and oneDNN.
//!
//! # The map
//!
//! A floor uses only the floors below it and, within reason, its own; `cargo xtask tidy` reads the imports and says so.
//!
//! | floor | rooms |
//! |---|---|
//! | 7 | `main`, `cli` (one thin file per command), `exit_code`, [`harness`] |
//! | 6 | [`runner`], `mutation`, `search` |
//! | 5 | `report`: renderings of the one event stream |
//! | 4 | `mutant`, [`diagnosis`], [`judge`], [`known_failures`], [`suite`], [`plan`], [`backend`], [`event`], `coverage` |
//! | 3 | [`oracle`], [`case`], `interop` |
//! | 2 | [`request`], [`outcome`] |
//! | 1 | [`operator`], [`tensor`], `yaml` |
//! | 0 | [`error`] |
//!
//! # Invariants
//!
//! - `tensor`, `operator`, `oracle` and `judge` do no I/O. Only `oracle` reads an operator's rules.
//! - A failed trial is data; a harness fault is an [`error::Error`]: never one type.
//! - A crash, a hang, a non-zero exit is never a rejection: that is a word on the wire.
//! - Only `backend/process` spawns; only `backend/wire` knows the protocol; only `report` and the commands print.
//! - Content is compared as bits; nothing has a tolerance.
//!
//! # Testing your own backend
//!
//! Implement [`backend::Backend`], and make a test without the standard harness (`harness = false`) of it:
//!
//! ```no_run
//! use reshape_conformance::backend::{About, Backend, Supports};
//! use reshape_conformance::operator::Operator;
//! use reshape_conformance::outcome::{Outcome, Phase};
//! use reshape_conformance::request::Call;
//!
//! struct Mine;
//!
//! impl Backend for Mine {
//!     fn about(&self) -> About {
//!         let operators: Vec<_> = Operator::named("onnx.Reshape-14").into_iter().collect();
//!         About { name: "mine".into(), version: "1.0".into(), supports: Supports::operators(&operators) }
//!     }
//!
//!     fn reshape(&mut self, call: &Call<'_>) -> Outcome {
//!         let message = format!("no reshape of {} yet", call.data.element_type());
//!         Outcome::Rejected { phase: Phase::Compile, message }
//!     }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     reshape_conformance::harness::run(|| Mine)
//! }
//! ```

pub mod backend;
pub mod case;
pub mod cli;
pub(crate) mod config;
pub(crate) mod coverage;
pub mod diagnosis;
pub mod error;
pub mod event;
pub mod exit_code;
pub mod harness;
pub(crate) mod interop;
pub mod judge;
pub mod known_failures;
pub(crate) mod mutant;
pub(crate) mod mutation;
pub mod operator;
pub mod oracle;
pub mod outcome;
pub mod plan;
pub(crate) mod report;
pub mod request;
pub mod result;
pub mod runner;
pub(crate) mod search;
mod situation;
pub(crate) mod story;
pub mod stream;
pub mod suite;
pub mod tensor;
pub(crate) mod yaml;
