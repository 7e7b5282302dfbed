//! The entry of a known-failures file that a trial's verdict rests on.

use serde::{Deserialize, Serialize};

/// Where an entry stands, and where its failure is reported.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct EntryRecord {
    /// The file.
    pub file: String,
    /// The line on which the entry begins, from 1.
    pub line: usize,
    /// The address of the report to the backend's authors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}
