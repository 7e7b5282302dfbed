//! An observation: what a backend did in one trial, without the elements.

use crate::event::shorten::process_failure_in_short;
use crate::event::{FailureKind, OutcomeRecord};
use crate::semantics::outcome::{Outcome, ShapePattern, fits};
use crate::tensor::ElementType;

/// What a backend did in one trial; equal if it did the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Observation {
    Reshaped {
        shape: Vec<u64>,
        element_type: ElementType,
        /// The hash of the elements.
        content: u64,
    },
    /// A shape without its elements.
    Claimed(Vec<u64>),
    Inferred(Option<ShapePattern>),
    Rejected,
    /// A change of the output of the run before.
    ChangedEarlier,
    /// This wrong answer to another run at the same time.
    WrongBeside(Box<Observation>),
    /// A crash or the like, which no mutant predicts: what happened in short, to be read after "it".
    Process(String),
    /// Anything else that no mutant predicts.
    Unpredictable,
}

impl Observation {
    pub(super) fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Reshaped { output, .. } => Self::Reshaped {
                shape: output.shape().to_vec(),
                element_type: output.element_type(),
                content: output.content_hash(),
            },
            Outcome::Claimed { shape, .. } => Self::Claimed(shape.clone()),
            Outcome::Inferred(shape) => Self::Inferred(shape.clone()),
            Outcome::Rejected { .. } => Self::Rejected,
            Outcome::ChangedEarlier(_) => Self::ChangedEarlier,
            Outcome::WrongBeside(run) => Self::WrongBeside(Box::new(Self::of(&run.outcome))),
            Outcome::Crashed(failure)
            | Outcome::TimedOut(failure)
            | Outcome::OutOfMemory(failure)
            | Outcome::ProtocolError(failure) => {
                Self::process(outcome.kind(), &failure.what, &failure.log)
            }
            Outcome::Unsupported(_) => Self::Unpredictable,
        }
    }

    /// The same, of an outcome in an event stream.
    pub(super) fn of_record(outcome: &OutcomeRecord) -> Self {
        match outcome {
            OutcomeRecord::Reshaped {
                shape,
                without_elements: true,
                ..
            } => Self::Claimed(shape.clone()),
            OutcomeRecord::Reshaped {
                shape,
                element_type,
                content,
                ..
            } => {
                let element_type = element_type.as_deref().and_then(|name| name.parse().ok());
                let content = content
                    .as_deref()
                    .and_then(|text| u64::from_str_radix(text, 16).ok());
                match (element_type, content) {
                    (Some(element_type), Some(content)) => Self::Reshaped {
                        shape: shape.clone(),
                        element_type,
                        content,
                    },
                    (None | Some(_), None | Some(_)) => Self::Unpredictable,
                }
            }
            OutcomeRecord::Inferred { inferred } => Self::Inferred(inferred.clone()),
            OutcomeRecord::Rejected { .. } => Self::Rejected,
            OutcomeRecord::Crashed(failure)
            | OutcomeRecord::TimedOut(failure)
            | OutcomeRecord::OutOfMemory(failure)
            | OutcomeRecord::ProtocolError(failure) => {
                Self::process(outcome.kind(), &failure.message, &failure.log)
            }
            OutcomeRecord::Unsupported { .. } => Self::Unpredictable,
        }
    }

    /// A process failure by its signature: its kind in words, and what tells it from others.
    fn process(kind: &str, message: &str, log: &str) -> Self {
        let what = match kind {
            "timed-out" => "does not answer in time",
            "out-of-memory" => "takes more memory than it may",
            "protocol-error" => "breaks the protocol",
            _ => "crashes",
        };
        Self::Process(format!(
            "{what}: {}",
            process_failure_in_short(message, log)
        ))
    }

    /// What was observed where the failure is of this kind: a shape that was inferred wrongly before a right result is
    /// nothing that a mutant does.
    pub(super) fn in_failure(self, failure: Option<FailureKind>) -> Self {
        match (failure, &self) {
            (Some(FailureKind::WrongInference), Self::Reshaped { .. }) => Self::Unpredictable,
            // The shape is right, and no mutant is without the elements.
            (Some(FailureKind::WrongContent), Self::Claimed(_)) => Self::Unpredictable,
            (Some(FailureKind::EarlierOutputChanged), _) => Self::ChangedEarlier,
            (Some(FailureKind::WrongRunBeside), _) => Self::WrongBeside(Box::new(self)),
            _ => self,
        }
    }

    /// Whether a mutant could predict it.
    pub(super) fn is_predictable(&self) -> bool {
        !matches!(self, Self::Process(_) | Self::Unpredictable)
    }

    /// Whether no mutant that gives this shape, or rejects, can have been observed like this, whatever its elements.
    pub(super) fn excludes(&self, predicted: Option<&[u64]>) -> bool {
        match (self, predicted) {
            (Self::Reshaped { shape, .. } | Self::Claimed(shape), Some(predicted)) => {
                shape != predicted
            }
            (Self::Inferred(Some(pattern)), Some(predicted)) => !fits(predicted, pattern),
            (Self::Inferred(None), Some(_)) | (Self::Rejected, None) => false,
            (Self::Rejected, Some(_)) => true,
            (Self::Reshaped { .. } | Self::Claimed(_) | Self::Inferred(_), None) => true,
            (
                Self::ChangedEarlier
                | Self::WrongBeside(_)
                | Self::Process(_)
                | Self::Unpredictable,
                _,
            ) => true,
        }
    }

    /// Whether a mutant that does `predicted` would have been observed like this.
    pub(super) fn agrees_with(&self, predicted: &Self) -> bool {
        match (self, predicted) {
            (Self::Inferred(None), Self::Reshaped { .. }) => true,
            (Self::Inferred(Some(pattern)), Self::Reshaped { shape, .. }) => fits(shape, pattern),
            (Self::Claimed(claimed), Self::Reshaped { shape, .. }) => claimed == shape,
            (Self::Process(_) | Self::Unpredictable | Self::Claimed(_), _) => false,
            (
                Self::Reshaped { .. }
                | Self::Inferred(_)
                | Self::Rejected
                | Self::ChangedEarlier
                | Self::WrongBeside(_),
                _,
            ) => self == predicted,
        }
    }
}
