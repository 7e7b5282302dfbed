//! An observation: what a backend did in one trial, without the elements.

use crate::event::OutcomeRecord;
use crate::spec::outcome::{Outcome, ShapePattern, fits};
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
    /// A crash or the like, which no mutant predicts.
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
            Outcome::Unsupported(_)
            | Outcome::Crashed(_)
            | Outcome::TimedOut(_)
            | Outcome::OutOfMemory(_)
            | Outcome::ProtocolError(_) => Self::Unpredictable,
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
            OutcomeRecord::Unsupported { .. }
            | OutcomeRecord::Crashed(_)
            | OutcomeRecord::TimedOut(_)
            | OutcomeRecord::OutOfMemory(_)
            | OutcomeRecord::ProtocolError(_) => Self::Unpredictable,
        }
    }

    /// Whether a mutant that does `predicted` would have been observed like this.
    pub(super) fn agrees_with(&self, predicted: &Self) -> bool {
        match (self, predicted) {
            (Self::Inferred(None), Self::Reshaped { .. }) => true,
            (Self::Inferred(Some(pattern)), Self::Reshaped { shape, .. }) => fits(shape, pattern),
            (Self::Claimed(claimed), Self::Reshaped { shape, .. }) => claimed == shape,
            (Self::Unpredictable | Self::Claimed(_), _) => false,
            (Self::Reshaped { .. } | Self::Inferred(_) | Self::Rejected, _) => self == predicted,
        }
    }
}
