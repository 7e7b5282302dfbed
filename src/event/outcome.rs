//! What a backend did with a trial.

use super::failure::ElementDifference;
use crate::semantics::outcome::{Phase, ShapePattern, signed, signed_pattern};
use serde::{Deserialize, Serialize};

/// What a backend did. The elements of a tensor are not in the stream.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum OutcomeRecord {
    /// It gave a tensor.
    Reshaped {
        /// The output's dims. A negative dim is the backend's fault.
        #[serde(with = "signed")]
        #[cfg_attr(test, schemars(with = "Vec<i64>"))]
        shape: Vec<u64>,
        /// The dims that it inferred before the run, with `null` for a dim that it did not know.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            with = "signed_pattern"
        )]
        #[cfg_attr(test, schemars(with = "Option<Vec<Option<i64>>>"))]
        inferred: Option<ShapePattern>,
        /// The output's element type, where the trial failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        element_type: Option<String>,
        /// A hash of its elements, where the trial failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<String>,
        /// How its elements differ from the right ones, as far as that has a name, where only these are wrong.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        elements: Vec<ElementDifference>,
        /// Whether it gave only the shape, without the elements.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        without_elements: bool,
    },
    /// It only infers shapes.
    Inferred {
        /// The dims; `null` if it accepted but does not know the rank.
        #[serde(default, with = "signed_pattern")]
        #[cfg_attr(test, schemars(with = "Option<Vec<Option<i64>>>"))]
        inferred: Option<ShapePattern>,
    },
    /// It rejected the request.
    Rejected {
        /// The phase in which it rejected.
        phase: Phase,
        /// Its message.
        message: String,
        /// Whether it ran into an internal error, instead of checking the request and refusing it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        internal: bool,
    },
    /// It answered `unsupported`.
    Unsupported {
        /// Its message.
        message: String,
    },
    /// Its process ended before it answered.
    Crashed(ProcessFailureRecord),
    /// It did not answer in time.
    TimedOut(ProcessFailureRecord),
    /// It exceeded its memory limit.
    OutOfMemory(ProcessFailureRecord),
    /// It broke the protocol.
    ProtocolError(ProcessFailureRecord),
}

impl OutcomeRecord {
    /// The kind in a word.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Reshaped { .. } => "reshaped",
            Self::Inferred { .. } => "inferred",
            Self::Rejected { .. } => "rejected",
            Self::Unsupported { .. } => "unsupported",
            Self::Crashed(_) => "crashed",
            Self::TimedOut(_) => "timed-out",
            Self::OutOfMemory(_) => "out-of-memory",
            Self::ProtocolError(_) => "protocol-error",
        }
    }

    /// Leaves out the backend's words and its log.
    pub(super) fn drop_words(&mut self) {
        match self {
            Self::Reshaped { .. } | Self::Inferred { .. } => {}
            Self::Rejected { message, .. } | Self::Unsupported { message } => message.clear(),
            Self::Crashed(failure)
            | Self::TimedOut(failure)
            | Self::OutOfMemory(failure)
            | Self::ProtocolError(failure) => {
                failure.message.clear();
                failure.log.clear();
            }
        }
    }
}

/// How a backend's process failed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ProcessFailureRecord {
    /// What happened.
    pub message: String,
    /// Its last lines on standard error.
    pub log: String,
}
