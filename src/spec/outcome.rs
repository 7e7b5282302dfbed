//! Outcomes: what a backend did. Whatever it did is an outcome, and never an error of ours.

use crate::tensor::Tensor;
use std::fmt;

/// The dims of a shape, `None` where a dim is not known or may be anything.
pub type ShapePattern = Vec<Option<u64>>;

/// What a backend did with one trial.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It gave a tensor, and perhaps said beforehand what shape it would have.
    Reshaped {
        /// The output.
        output: Tensor,
        /// What it inferred before the run, if it says.
        inferred: Option<ShapePattern>,
    },
    /// It only infers, and inferred this shape; `None` if it accepted without knowing the rank.
    Inferred(Option<ShapePattern>),
    /// It said no.
    Rejected {
        /// When.
        phase: Phase,
        /// In its own words; never matched.
        message: String,
    },
    /// It answered that it has no way to do this.
    Unsupported(String),
    /// It ended before it answered.
    Crashed(ProcessFailure),
    /// It did not answer in time.
    TimedOut(ProcessFailure),
    /// It took more memory than it may, and was ended.
    OutOfMemory(ProcessFailure),
    /// It answered with something that is not the protocol.
    ProtocolError(ProcessFailure),
}

/// When a backend said no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// While it took the model in.
    Compile,
    /// While it ran.
    Run,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Compile => "compile",
            Self::Run => "run",
        })
    }
}

/// How a backend's process went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessFailure {
    /// What happened: the exit status, the limit, the fault in the reply.
    pub what: String,
    /// The last lines it logged.
    pub log: String,
}

impl Outcome {
    /// The outcome's kind in a word, stable in files.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Reshaped { .. } => "reshaped",
            Self::Inferred(_) => "inferred",
            Self::Rejected { .. } => "rejected",
            Self::Unsupported(_) => "unsupported",
            Self::Crashed(_) => "crashed",
            Self::TimedOut(_) => "timed-out",
            Self::OutOfMemory(_) => "out-of-memory",
            Self::ProtocolError(_) => "protocol-error",
        }
    }

    /// How its process went wrong, if it did.
    pub(crate) fn process_failure(&self) -> Option<&ProcessFailure> {
        match self {
            Self::Crashed(misfortune)
            | Self::TimedOut(misfortune)
            | Self::OutOfMemory(misfortune)
            | Self::ProtocolError(misfortune) => Some(misfortune),
            Self::Reshaped { .. }
            | Self::Inferred(_)
            | Self::Rejected { .. }
            | Self::Unsupported(_) => None,
        }
    }
}

/// A shape as people write it, with `?` for what may be anything.
#[must_use]
pub fn show_pattern(shape: &[Option<u64>]) -> String {
    let dims: Vec<_> = shape
        .iter()
        .map(|dim| dim.map_or_else(|| "?".to_owned(), |d| d.to_string()))
        .collect();
    format!("[{}]", dims.join(", "))
}

/// Whether a known shape fits a pattern.
#[must_use]
pub fn fits(shape: &[u64], pattern: &[Option<u64>]) -> bool {
    shape.len() == pattern.len()
        && shape
            .iter()
            .zip(pattern)
            .all(|(dim, want)| want.is_none_or(|want| want == *dim))
}
