//! Verdicts, and how a failure differs from the text.

use crate::event::{FailureKind, VerdictKind};
use crate::semantics::operator::{Question, Reason};
use crate::semantics::outcome::{Phase, ShapePattern};
use crate::semantics::request::Request;
use crate::tensor::{ElementType, Tensor};
use std::collections::BTreeSet;

/// How an outcome compares with what the text says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Verdict {
    /// The outcome matches the text.
    Passed,
    /// The text leaves it open, and allows this outcome.
    Recorded {
        question: Question,
        /// What the backend did: `rejected` or a shape.
        answer: String,
    },
    /// The outcome does not match the text.
    Failed(Failure),
    /// Not run: the backend's manifest does not claim support.
    Skipped,
    /// The backend's process ended before it answered.
    Crashed,
    /// The backend did not answer in time.
    TimedOut,
    /// The backend exceeded its memory limit.
    OutOfMemory,
    /// The backend broke the protocol.
    ProtocolError,
}

/// How an outcome differs from what the text says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Failure {
    /// The output has another shape.
    WrongShape {
        /// The shapes that the text allows; empty for any shape with the data's element count.
        expected: Vec<ShapePattern>,
        /// The output's shape.
        got: Vec<u64>,
    },
    /// The output has the right shape, but other elements.
    WrongContent(Tensor),
    /// The output has a shape that the text allows, but not its elements.
    NoElements(Vec<u64>),
    /// The output has another element type.
    WrongElementType(ElementType),
    /// The output shares memory with the data, or does not, against the text.
    WrongSharing {
        /// Whether it shares memory.
        shares: bool,
    },
    /// The backend accepted what the text rejects.
    NotRejected {
        /// Why the text rejects it.
        reasons: BTreeSet<Reason>,
        /// The shape that it gave, in words.
        got: String,
    },
    /// The backend rejected what the text accepts.
    Rejected {
        /// A shape that the text allows.
        expected: ShapePattern,
        /// The phase in which it rejected.
        phase: Phase,
        /// The backend's message.
        message: String,
    },
    /// The shape inferred before the run contradicts the text, or the output.
    WrongInference {
        /// The possible right shapes; empty for any shape with the data's element count.
        expected: Vec<ShapePattern>,
        /// The inferred shape.
        got: ShapePattern,
    },
    /// The run changed the output of an earlier run of the same model.
    EarlierOutputChanged,
    /// A concurrent run of the same model went wrong.
    WrongConcurrentRun {
        /// The request of that run.
        request: Request,
        data: Tensor,
        failure: Box<Failure>,
    },
    /// The backend answered `unsupported`, with this message, although its manifest claims support.
    Unsupported(String),
}

impl Failure {
    /// The kind in files.
    pub(crate) fn kind(&self) -> FailureKind {
        match self {
            Self::WrongShape { .. } => FailureKind::WrongShape,
            Self::WrongContent(_) | Self::NoElements(_) => FailureKind::WrongContent,
            Self::WrongElementType(_) => FailureKind::WrongElementType,
            Self::WrongSharing { .. } => FailureKind::WrongSharing,
            Self::NotRejected { .. } => FailureKind::NotRejected,
            Self::Rejected { .. } => FailureKind::Rejected,
            Self::WrongInference { .. } => FailureKind::WrongInference,
            Self::EarlierOutputChanged => FailureKind::EarlierOutputChanged,
            Self::WrongConcurrentRun { .. } => FailureKind::WrongRunBeside,
            Self::Unsupported(_) => FailureKind::Unsupported,
        }
    }
}

impl Verdict {
    /// The kind in files, counts and messages.
    pub(crate) fn kind(&self) -> VerdictKind {
        match self {
            Self::Passed => VerdictKind::Passed,
            Self::Recorded { .. } => VerdictKind::Recorded,
            Self::Failed(_) => VerdictKind::Failed,
            Self::Skipped => VerdictKind::Skipped,
            Self::Crashed => VerdictKind::Crashed,
            Self::TimedOut => VerdictKind::TimedOut,
            Self::OutOfMemory => VerdictKind::OutOfMemory,
            Self::ProtocolError => VerdictKind::ProtocolError,
        }
    }

    /// The kind of failure; `None` for every verdict except [`Verdict::Failed`].
    pub(crate) fn failure(&self) -> Option<FailureKind> {
        let Self::Failed(failure) = self else {
            return None;
        };
        Some(failure.kind())
    }
}
