//! Trials as files for others, and files of others as cases.
//!
//! A folder that `export` writes has the files of one format and `trials.json`, which names each trial with its inputs and
//! its expectation. The formats are described in `docs/exchange.md`.

mod files;
mod format;
mod found_case;
mod import;
mod merge;
mod record;
mod verify;

pub(crate) use format::{Format, MANIFEST};
pub(crate) use import::{Import, import, read_model};
pub(crate) use record::Records;
