//! The entry of a known-failures file that a trial's verdict rests on.

use super::severity::Severity;
use super::verdict_kind::VerdictKind;
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
    /// The cause, such as `counts-wrap-in-64-bits`: entries that name the same one are one fault of the backend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// How bad it is, where the failures do not show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// The name of the trial that shows the cause best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
    /// What is known to come of a trial that is not run; `None` for an entry whose trials are run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<VerdictKind>,
    /// The rules that the cause breaks; empty where nobody says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
}
