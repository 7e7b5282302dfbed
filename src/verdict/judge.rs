//! The judge: an outcome against an expectation. Pure, and of one mind with the texts about what is never asked:
//! a rejection passes whatever its words, content is compared as bits, nothing has a tolerance.

use crate::event::{FailureKind, VerdictKind};
use crate::spec::operator::{Question, Reason};
use crate::spec::outcome::{Outcome, Phase, ShapePattern, fits, show_pattern};
use crate::suite::case::{Allowed, Expectation};
use crate::tensor::{Count, ElementType, Tensor};
use std::collections::BTreeSet;

/// What an outcome is worth.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// As the text says.
    Passed,
    /// The text leaves it open; what the backend did is allowed, and noted.
    Recorded {
        /// The question.
        question: Question,
        /// What it did: `rejected` or a shape.
        answer: String,
    },
    /// Not as the text says.
    Failed(Failure),
    /// Not asked: the backend's manifest says that it cannot do this.
    Skipped,
    /// It ended before it answered.
    Crashed,
    /// It did not answer in time.
    TimedOut,
    /// It took more memory than it may.
    OutOfMemory,
    /// It broke the protocol.
    ProtocolError,
}

/// How an outcome differs from what the text says.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// Another shape.
    WrongShape {
        /// The shapes that would be right; several if the text leaves it open.
        expected: Vec<ShapePattern>,
        /// The shape it gave.
        got: Vec<u64>,
    },
    /// The right shape with other elements; the output.
    WrongContent(Tensor),
    /// Another element type.
    WrongElementType(ElementType),
    /// A tensor where the text wants a rejection.
    NotRejected {
        /// Why it has to be rejected.
        reasons: BTreeSet<Reason>,
        /// What it gave: its shape, if it is known.
        got: String,
    },
    /// A rejection where the text wants a tensor.
    Rejected {
        /// The shape that would be right.
        expected: ShapePattern,
        /// When it said no.
        phase: Phase,
        /// Its words.
        message: String,
    },
    /// The shape it inferred beforehand cannot be.
    WrongInference {
        /// The shapes that would be right.
        expected: Vec<ShapePattern>,
        /// What it inferred.
        got: ShapePattern,
    },
    /// It was declared supported, and then answered that it is not.
    Unsupported(String),
}

impl Failure {
    /// The kind in files.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::WrongShape { .. } => FailureKind::WrongShape,
            Self::WrongContent(_) => FailureKind::WrongContent,
            Self::WrongElementType(_) => FailureKind::WrongElementType,
            Self::NotRejected { .. } => FailureKind::NotRejected,
            Self::Rejected { .. } => FailureKind::Rejected,
            Self::WrongInference { .. } => FailureKind::WrongInference,
            Self::Unsupported(_) => FailureKind::Unsupported,
        }
    }
}

impl Verdict {
    /// Its name in files, counts and messages.
    #[must_use]
    pub fn kind(&self) -> VerdictKind {
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

    /// The kind of failure; `None` for every verdict but [`Verdict::Failed`].
    #[must_use]
    pub fn failure(&self) -> Option<FailureKind> {
        match self {
            Self::Failed(failure) => Some(failure.kind()),
            Self::Passed
            | Self::Recorded { .. }
            | Self::Skipped
            | Self::Crashed
            | Self::TimedOut
            | Self::OutOfMemory
            | Self::ProtocolError => None,
        }
    }
}

/// Whether a trial with this expectation can fail in this way: a rejection is wrong only where the text accepts.
#[must_use]
pub(crate) fn is_possible(kind: FailureKind, expectation: &Expectation) -> bool {
    match kind {
        FailureKind::Rejected => rejection(expectation, Phase::Compile, "").is_some(),
        FailureKind::NotRejected => matches!(expectation, Expectation::Rejected(_)),
        FailureKind::Unsupported => true,
        FailureKind::WrongShape
        | FailureKind::WrongContent
        | FailureKind::WrongElementType
        | FailureKind::WrongInference => !matches!(expectation, Expectation::Rejected(_)),
    }
}

/// The verdict on what a backend did with this data under this expectation.
#[must_use]
pub fn judge(expectation: &Expectation, data: &Tensor, outcome: &Outcome) -> Verdict {
    let failure = match outcome {
        Outcome::Crashed(_) => return Verdict::Crashed,
        Outcome::TimedOut(_) => return Verdict::TimedOut,
        Outcome::OutOfMemory(_) => return Verdict::OutOfMemory,
        Outcome::ProtocolError(_) => return Verdict::ProtocolError,
        Outcome::Unsupported(message) => Some(Failure::Unsupported(message.clone())),
        Outcome::Rejected { phase, message } => rejection(expectation, *phase, message),
        Outcome::Reshaped { output, inferred } => {
            let inference = inferred
                .as_ref()
                .and_then(|shape| inference(expectation, data, Some(shape)));
            tensor(expectation, data, output).or(inference)
        }
        Outcome::Inferred(shape) => inference(expectation, data, shape.as_ref()),
    };
    match (failure, expectation) {
        (Some(failure), _) => Verdict::Failed(failure),
        (None, Expectation::Open { question, .. }) => Verdict::Recorded {
            question: *question,
            answer: answer(outcome),
        },
        (None, Expectation::Reshaped(_) | Expectation::Rejected(_)) => Verdict::Passed,
    }
}

fn answer(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Reshaped { output, .. } => format!("{:?}", output.shape()),
        Outcome::Inferred(Some(shape)) => show_pattern(shape),
        other => other.kind().to_owned(),
    }
}

fn rejection(expectation: &Expectation, phase: Phase, message: &str) -> Option<Failure> {
    let expected = match expectation {
        Expectation::Rejected(_) | Expectation::Open { allowed: None, .. } => return None,
        Expectation::Reshaped(shape) => known(shape),
        Expectation::Open {
            allowed: Some(allowed),
            ..
        } => {
            let shape = allowed.iter().map(|outcome| match outcome {
                Allowed::Rejected => None,
                Allowed::Reshaped(shape) => Some(shape.clone()),
            });
            // `?` on the first rejection that is allowed.
            shape.collect::<Option<Vec<_>>>()?.into_iter().next()?
        }
    };
    Some(Failure::Rejected {
        expected,
        phase,
        message: message.to_owned(),
    })
}

fn tensor(expectation: &Expectation, data: &Tensor, output: &Tensor) -> Option<Failure> {
    let got = output.shape();
    match expected_shapes(expectation) {
        Shapes::None(reasons) => {
            return Some(Failure::NotRejected {
                reasons,
                got: format!("{got:?}"),
            });
        }
        Shapes::SameCount if Count::of(got) != Count::of(data.shape()) => {
            return Some(Failure::WrongShape {
                expected: Vec::new(),
                got: got.to_vec(),
            });
        }
        Shapes::SameCount => {}
        Shapes::OneOf(shapes) if !shapes.iter().any(|shape| fits(got, shape)) => {
            return Some(Failure::WrongShape {
                expected: shapes,
                got: got.to_vec(),
            });
        }
        Shapes::OneOf(_) => {}
    }
    if output.element_type() != data.element_type() {
        return Some(Failure::WrongElementType(output.element_type()));
    }
    (!output.same_content(data)).then(|| Failure::WrongContent(output.clone()))
}

/// What was inferred must not contradict what is expected; not to know is no contradiction.
fn inference(
    expectation: &Expectation,
    data: &Tensor,
    got: Option<&ShapePattern>,
) -> Option<Failure> {
    let shapes = match expected_shapes(expectation) {
        Shapes::None(reasons) => {
            let got = got.map_or_else(
                || "accepted, with a shape it does not know".to_owned(),
                |shape| show_pattern(shape),
            );
            return Some(Failure::NotRejected { reasons, got });
        }
        Shapes::SameCount => {
            let known: Vec<u64> = got?.iter().copied().collect::<Option<_>>()?;
            if Count::of(&known) == Count::of(data.shape()) {
                return None;
            }
            Vec::new()
        }
        Shapes::OneOf(shapes) => shapes,
    };
    let got = got?;
    let agrees = |shape: &ShapePattern| {
        let free_or_same =
            |(a, b): (&Option<u64>, &Option<u64>)| a.is_none() || b.is_none() || a == b;
        shape.len() == got.len() && shape.iter().zip(got).all(free_or_same)
    };
    (!shapes.iter().any(agrees)).then(|| Failure::WrongInference {
        expected: shapes,
        got: got.clone(),
    })
}

/// The shapes that an expectation allows.
enum Shapes {
    /// None: why.
    None(BTreeSet<Reason>),
    OneOf(Vec<ShapePattern>),
    /// Any shape with the data's element count.
    SameCount,
}

fn expected_shapes(expectation: &Expectation) -> Shapes {
    match expectation {
        Expectation::Reshaped(shape) => Shapes::OneOf(vec![known(shape)]),
        Expectation::Rejected(reasons) => Shapes::None(reasons.clone()),
        Expectation::Open { allowed: None, .. } => Shapes::SameCount,
        Expectation::Open {
            allowed: Some(allowed),
            ..
        } => {
            let shapes = allowed.iter().filter_map(|outcome| match outcome {
                Allowed::Rejected => None,
                Allowed::Reshaped(shape) => Some(shape.clone()),
            });
            Shapes::OneOf(shapes.collect())
        }
    }
}

fn known(shape: &[u64]) -> ShapePattern {
    shape.iter().copied().map(Some).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Fill;

    fn data(shape: &[u64]) -> Tensor {
        Fill::Index.tensor(ElementType::F32, shape.to_vec())
    }

    fn reshaped(output: Tensor) -> Outcome {
        Outcome::Reshaped {
            output,
            inferred: None,
        }
    }

    fn rejected() -> Outcome {
        Outcome::Rejected {
            phase: Phase::Run,
            message: "no".to_owned(),
        }
    }

    fn kind(expectation: &Expectation, outcome: &Outcome) -> VerdictKind {
        judge(expectation, &data(&[2, 3]), outcome).kind()
    }

    #[test]
    fn a_tensor_passes_only_with_the_shape_and_every_bit() {
        let expectation = Expectation::Reshaped(vec![3, 2]);
        assert_eq!(
            kind(&expectation, &reshaped(data(&[3, 2]))),
            VerdictKind::Passed
        );
        assert_eq!(
            kind(&expectation, &reshaped(data(&[2, 3]))),
            VerdictKind::Failed
        );
        assert_eq!(kind(&expectation, &rejected()), VerdictKind::Failed);
        let other = Tensor::from_bits(ElementType::F32, vec![3, 2], |i| {
            if i == 0 { 0x8000_0000 } else { i as u128 }
        });
        assert!(matches!(
            judge(&expectation, &data(&[2, 3]), &reshaped(other)),
            Verdict::Failed(Failure::WrongContent(_))
        ));
        let typed = Tensor::from_bits(ElementType::I32, vec![3, 2], |i| i as u128);
        assert!(matches!(
            judge(&expectation, &data(&[2, 3]), &reshaped(typed)),
            Verdict::Failed(Failure::WrongElementType(_))
        ));
    }

    #[test]
    fn a_rejection_passes_whatever_its_words_and_a_crash_is_none() {
        let expectation = Expectation::Rejected([Reason::VolumeMismatch].into());
        assert_eq!(kind(&expectation, &rejected()), VerdictKind::Passed);
        assert_eq!(
            kind(&expectation, &reshaped(data(&[3, 2]))),
            VerdictKind::Failed
        );
        let misfortune = crate::spec::outcome::ProcessFailure {
            what: String::new(),
            log: String::new(),
        };
        assert_eq!(
            kind(&expectation, &Outcome::Crashed(misfortune.clone())),
            VerdictKind::Crashed
        );
        assert_eq!(
            kind(&expectation, &Outcome::TimedOut(misfortune.clone())),
            VerdictKind::TimedOut
        );
        assert_eq!(
            kind(&expectation, &Outcome::OutOfMemory(misfortune.clone())),
            VerdictKind::OutOfMemory
        );
        assert_eq!(
            kind(&expectation, &Outcome::ProtocolError(misfortune)),
            VerdictKind::ProtocolError
        );
        assert_eq!(
            kind(&expectation, &Outcome::Unsupported(String::new())),
            VerdictKind::Failed
        );
    }

    #[test]
    fn an_open_question_records_what_is_allowed_and_fails_what_is_not() {
        let allowed = Some(vec![
            Allowed::Rejected,
            Allowed::Reshaped(vec![Some(3), None]),
        ]);
        let open = Expectation::Open {
            question: Question::BelowMinusOne,
            allowed,
        };
        assert_eq!(kind(&open, &rejected()), VerdictKind::Recorded);
        assert_eq!(kind(&open, &reshaped(data(&[3, 2]))), VerdictKind::Recorded);
        assert_eq!(kind(&open, &reshaped(data(&[2, 3]))), VerdictKind::Failed);
        let without = Expectation::Open {
            question: Question::BelowMinusOne,
            allowed: None,
        };
        assert_eq!(kind(&without, &reshaped(data(&[6]))), VerdictKind::Recorded);
        assert_eq!(kind(&without, &reshaped(data(&[5]))), VerdictKind::Failed);
        let shape_only = Some(vec![Allowed::Reshaped(vec![Some(6)])]);
        let no_rejection = Expectation::Open {
            question: Question::CountOverflows,
            allowed: shape_only,
        };
        assert_eq!(kind(&no_rejection, &rejected()), VerdictKind::Failed);
    }

    #[test]
    fn an_inference_must_not_contradict_the_text_and_may_know_nothing() {
        let expectation = Expectation::Reshaped(vec![3, 2]);
        let inferred = |shape: &[Option<u64>]| Outcome::Inferred(Some(shape.to_vec()));
        assert_eq!(
            kind(&expectation, &Outcome::Inferred(None)),
            VerdictKind::Passed
        );
        assert_eq!(
            kind(&expectation, &inferred(&[Some(3), None])),
            VerdictKind::Passed
        );
        assert_eq!(
            kind(&expectation, &inferred(&[Some(2), None])),
            VerdictKind::Failed
        );
        assert_eq!(kind(&expectation, &inferred(&[None])), VerdictKind::Failed);
        let rejection = Expectation::Rejected([Reason::TwoMinusOnes].into());
        assert_eq!(
            kind(&rejection, &Outcome::Inferred(None)),
            VerdictKind::Failed
        );
        let both = Outcome::Reshaped {
            output: data(&[3, 2]),
            inferred: Some(vec![Some(9), None]),
        };
        assert!(matches!(
            judge(&expectation, &data(&[2, 3]), &both),
            Verdict::Failed(Failure::WrongInference { .. })
        ));
    }

    #[test]
    fn what_is_recorded_says_what_was_answered() {
        let open = Expectation::Open {
            question: Question::BelowMinusOne,
            allowed: None,
        };
        let answer = |outcome: &Outcome| match judge(&open, &data(&[2, 3]), outcome) {
            Verdict::Recorded {
                question: Question::BelowMinusOne,
                answer,
            } => answer,
            other => format!("{other:?}"),
        };
        assert_eq!(answer(&reshaped(data(&[6, 1]))), "[6, 1]");
        assert_eq!(answer(&rejected()), "rejected");
        assert_eq!(
            answer(&Outcome::Inferred(Some(vec![Some(6), None]))),
            "[6, ?]"
        );
    }

    #[test]
    fn an_open_point_without_a_list_allows_any_shape_of_the_same_count() {
        let open = Expectation::Open {
            question: Question::BelowMinusOne,
            allowed: None,
        };
        let more = Tensor::from_bits(ElementType::F32, vec![7], |i| i as u128);
        let wrong = judge(&open, &data(&[2, 3]), &reshaped(more));
        assert!(
            matches!(wrong, Verdict::Failed(Failure::WrongShape { .. })),
            "{wrong:?}"
        );
        let inferred = |shape: Vec<Option<u64>>| kind(&open, &Outcome::Inferred(Some(shape)));
        assert_eq!(inferred(vec![Some(3), Some(2)]), VerdictKind::Recorded);
        assert_eq!(inferred(vec![Some(3), Some(3)]), VerdictKind::Failed);
        assert_eq!(inferred(vec![Some(4), None]), VerdictKind::Recorded);
    }

    #[test]
    fn a_failure_is_possible_only_where_the_text_wants_the_other() {
        let reshaped = Expectation::Reshaped(vec![6]);
        let rejected = Expectation::Rejected([Reason::VolumeMismatch].into());
        let either = Expectation::Open {
            question: Question::BelowMinusOne,
            allowed: None,
        };
        let possible = |expectation: &Expectation| {
            let possible = FailureKind::ALL
                .iter()
                .filter(|kind| is_possible(**kind, expectation))
                .map(|kind| kind.name());
            possible.collect::<Vec<_>>().join(" ")
        };
        let shapes = "wrong-shape wrong-content wrong-element-type";
        assert_eq!(
            possible(&reshaped),
            format!("{shapes} rejected wrong-inference unsupported")
        );
        assert_eq!(possible(&rejected), "not-rejected unsupported");
        assert_eq!(
            possible(&either),
            format!("{shapes} wrong-inference unsupported")
        );
    }
}
