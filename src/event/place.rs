//! Places in files.

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
