//! Trials as files for other projects, and their files as cases.
//!
//! A folder that `export` writes has the files of one format and `trials.json`, which names each trial with its inputs
//! and its expectation. `docs/exchange.md` describes the formats.

mod files;
mod format;
mod found_case;
mod import;
mod record;

pub(crate) use format::{Format, MANIFEST};
pub(crate) use import::{Import, import, read_model};
pub(crate) use record::Records;
