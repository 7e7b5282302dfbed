//! Places in files: of what is wrong in one, and of the entry of the known failures that a trial's verdict rests on.

use super::failure::Severity;
use super::verdict::VerdictKind;
use crate::error::Fault;
use serde::{Deserialize, Serialize};

/// A place in a file, and what is wrong there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Place {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// How many characters are meant.
    pub length: usize,
    /// The line's text.
    pub text: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Place {
    /// The place of a fault.
    #[must_use]
    pub(crate) fn of(fault: &Fault) -> Self {
        let (line, column) = fault.source.line_and_column(fault.span.start);
        let text = fault
            .source
            .text
            .lines()
            .nth(line.saturating_sub(1))
            .unwrap_or_default();
        let length = fault
            .source
            .text
            .get(fault.span.clone())
            .map_or(0, |meant| meant.chars().count());
        Self {
            file: fault.source.file.to_string(),
            line,
            column,
            length: length.min(text.chars().count()),
            text: text.chars().take(240).collect(),
            message: fault.message.clone(),
            hint: fault.hint.clone(),
        }
    }
}

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
    /// The addresses of other threads about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<String>,
    /// What the tracker was searched for, and when, if nothing was found there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searched: Option<String>,
    /// The address of the thread in which somebody disputes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disputed: Option<String>,
    /// The cause, such as `counts-wrap-in-64-bits`: entries that name the same one are one fault of the backend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The kind of deviation, where the failures do not show it.
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
