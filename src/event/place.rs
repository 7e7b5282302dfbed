//! Places in files: of a fault, and of the known failure that decides a trial's verdict.

use super::failure::Severity;
use super::verdict::VerdictKind;
use crate::error::Fault;
use serde::{Deserialize, Serialize};

/// A place in a file, and the fault there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Place {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The length of the place, in characters.
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
    pub(crate) fn of(fault: &Fault) -> Self {
        let (line, column) = fault.source.line_and_column(fault.span.start);
        let text = fault.source.text.lines().nth(line.saturating_sub(1));
        let text = text.unwrap_or_default();
        let length = fault.source.text.get(fault.span.clone());
        let length = length.map_or(0, |meant| meant.chars().count());
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

/// The place of an entry, and the reports about its failure.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct EntryRecord {
    /// The file.
    pub file: String,
    /// The line on which the entry begins, from 1.
    pub line: usize,
    /// The address of the report in the backend's tracker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The addresses of related threads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<String>,
    /// The search of the tracker and its date, if the search found nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searched: Option<String>,
    /// The address of the thread that disputes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disputed: Option<String>,
    /// The newer release that no longer has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absent_in: Option<String>,
    /// The cause, such as `counts-wrap-in-64-bits`. Entries that name the same cause are one fault of the backend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The kind of deviation, if the failures do not show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// The name of the trial that shows the cause best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
    /// The known verdict of a trial that is not run; `None` for an entry whose trials run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<VerdictKind>,
    /// The rules that the cause breaks; empty if the entry names no rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
}
