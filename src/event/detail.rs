//! What reports show of a failed trial.

use serde::{Deserialize, Serialize};

/// What is shown of a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct FailureDetail {
    /// Dims of data and target together, and the data's elements: small trials say most.
    pub size: (usize, u64),
    /// What was expected and got, line by line.
    pub diff: Vec<Line>,
    /// The oracle's steps to what it expects.
    pub trace: Vec<TraceStep>,
    /// The command that runs it again.
    pub again: String,
}

/// A line of a diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Line {
    /// What kind of line.
    pub kind: LineKind,
    /// The text, without a line's end.
    pub text: String,
}

/// Kinds of a diff's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum LineKind {
    /// Something said.
    Text,
    /// What the text wants.
    Expected,
    /// What the backend did.
    Got,
    /// A mark under the part of the line above that differs.
    Mark,
    /// An element that is on both sides.
    Same,
    /// An element that is missing.
    Minus,
    /// An element that should not be there.
    Plus,
    /// A line of the backend's log.
    Log,
}

/// A step of the oracle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct TraceStep {
    /// What was found, in a sentence.
    pub says: String,
    /// Whether that is a fault of the request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fault: bool,
    /// The ids of the clauses it rests on.
    pub clauses: Vec<String>,
}
