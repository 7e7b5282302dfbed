//! The judgement of an outcome.

use super::{Failure, Verdict};
use crate::event::FailureKind;
use crate::model::call::Call;
use crate::semantics::operator::Question;
use crate::semantics::oracle::{Resolution, resolve, same_where_decided};
use crate::semantics::outcome::{
    Allowed, ConcurrentRun, Outcome, Phase, ShapePattern, fits, is_negative, pattern_of,
    show_pattern, show_shape,
};
use crate::semantics::request::Request;
use crate::suite::case::Expectation;
use crate::suite::trial::Trial;
use crate::tensor::{Count, Tensor};

/// Whether a trial with this expectation can fail in this way: a rejection is wrong only where the text accepts.
pub(crate) fn is_possible(kind: FailureKind, expectation: &Expectation) -> bool {
    match kind {
        FailureKind::Rejected => rejection(expectation, Phase::Compile, "").is_some(),
        FailureKind::NotRejected => matches!(expectation, Expectation::Rejected(_)),
        FailureKind::EarlierOutputChanged
        | FailureKind::WrongRunBeside
        | FailureKind::Unsupported => true,
        FailureKind::WrongShape
        | FailureKind::WrongContent
        | FailureKind::WrongElementType
        | FailureKind::WrongSharing
        | FailureKind::WrongInference => !matches!(expectation, Expectation::Rejected(_)),
    }
}

/// The verdict on an outcome of a trial. Where its case tests whether the output shares the data's memory, a backend that
/// cannot show it is not judged.
pub(crate) fn judge_trial(trial: &Trial, data: &Tensor, outcome: &Outcome) -> Verdict {
    let verdict = judge(trial.expectation(), data, outcome);
    match (outcome, trial.sharing()) {
        (Outcome::Reshaped { shares, .. }, Some(must)) if !verdict.kind().is_red() => {
            match shares {
                None => Verdict::Skipped,
                Some(shares) if *shares != must => {
                    Verdict::Failed(Failure::WrongSharing { shares: *shares })
                }
                Some(_) => verdict,
            }
        }
        _ => verdict,
    }
}

/// The verdict on an outcome.
pub(crate) fn judge(expectation: &Expectation, data: &Tensor, outcome: &Outcome) -> Verdict {
    let failure = match outcome {
        Outcome::Crashed(_) => return Verdict::Crashed,
        Outcome::TimedOut(_) => return Verdict::TimedOut,
        Outcome::OutOfMemory(_) => return Verdict::OutOfMemory,
        Outcome::ProtocolError(_) => return Verdict::ProtocolError,
        Outcome::ChangedEarlier(_) => Some(Failure::EarlierOutputChanged),
        Outcome::WrongConcurrentRun(run) => failure_of_run(&run.request, &run.data, &run.outcome)
            .map(|failure| Failure::WrongConcurrentRun {
                request: run.request.clone(),
                data: run.data.clone(),
                failure: Box::new(failure),
            }),
        Outcome::Unsupported(message) => Some(Failure::Unsupported(message.clone())),
        Outcome::Rejected { phase, message, .. } => rejection(expectation, *phase, message),
        Outcome::Reshaped {
            output, inferred, ..
        } => {
            let inference = || {
                let shape = inferred.as_ref()?;
                inference(expectation, data, Some(shape)).or_else(|| contradiction(shape, output))
            };
            tensor(expectation, data, output).or_else(inference)
        }
        Outcome::Claimed { shape, .. } => Some(claim(expectation, data, shape)),
        Outcome::Inferred(shape) => inference(expectation, data, shape.as_ref()),
    };
    match (failure, expectation) {
        (Some(failure), _) => Verdict::Failed(failure),
        (None, Expectation::Open { question, .. }) => Verdict::Recorded {
            question: *question,
            answer: answer(*question, data, outcome),
        },
        (None, Expectation::Reshaped(_) | Expectation::Rejected(_)) => Verdict::Passed,
    }
}

/// The failure of the answer to a run; `None` if the answer is right, or the text requires no shape.
pub(super) fn failure_of_run(
    request: &Request,
    data: &Tensor,
    outcome: &Outcome,
) -> Option<Failure> {
    let Resolution::Reshaped(shape) = resolve(request) else {
        return None;
    };
    let verdict = judge(&Expectation::Reshaped(shape.into_vec()), data, outcome);
    let Verdict::Failed(failure) = verdict else {
        return None;
    };
    Some(failure)
}

/// The answer to an open question: the elements if it concerns them, else a shape; or the kind of the outcome.
fn answer(question: Question, data: &Tensor, outcome: &Outcome) -> String {
    match (outcome, question) {
        (Outcome::Reshaped { output, .. }, Question::BoolByte | Question::NulInString) => {
            let kept = output.same_content(data);
            if kept { "kept" } else { "changed" }.to_owned()
        }
        (Outcome::Inferred(Some(shape)), _) => show_pattern(shape),
        _ => {
            let shape = outcome.shape().map(show_shape);
            shape.unwrap_or_else(|| outcome.kind().to_owned())
        }
    }
}

/// The failure of a rejection; `None` if the expectation allows a rejection.
fn rejection(expectation: &Expectation, phase: Phase, message: &str) -> Option<Failure> {
    let Ok(Some(shapes)) = expected_shapes(expectation, String::new) else {
        return None;
    };
    let mut shapes = shapes
        .into_iter()
        .filter(|_| !expectation.allows_rejection());
    Some(Failure::Rejected {
        expected: shapes.next()?,
        phase,
        message: message.to_owned(),
    })
}

/// The failure of an output's shape; `None` if the expectation allows it.
fn shape(expectation: &Expectation, data: &Tensor, got: &[u64]) -> Option<Failure> {
    if matches!(expectation, Expectation::Reshaped(shape) if shape == got) {
        return None;
    }
    let shapes = match expected_shapes(expectation, || show_shape(got)) {
        Ok(shapes) => shapes,
        Err(failure) => return Some(*failure),
    };
    // In a pattern with several free dims, not every length keeps the count.
    let keeps_count = Count::of(got) == Count::of(data.shape());
    let fits = |shapes: &Vec<ShapePattern>| shapes.iter().any(|shape| fits(got, shape));
    let negative = got.iter().copied().any(is_negative);
    let allowed = keeps_count && !negative && shapes.as_ref().is_none_or(fits);
    (!allowed).then(|| Failure::WrongShape {
        expected: shapes.unwrap_or_default(),
        got: got.to_vec(),
    })
}

/// The failure of a shape without its elements, which no text allows.
fn claim(expectation: &Expectation, data: &Tensor, got: &[u64]) -> Failure {
    shape(expectation, data, got).unwrap_or_else(|| Failure::NoElements(got.to_vec()))
}

/// The failure of an output; `None` if the expectation allows it.
fn tensor(expectation: &Expectation, data: &Tensor, output: &Tensor) -> Option<Failure> {
    if let Some(failure) = shape(expectation, data, output.shape()) {
        return Some(failure);
    }
    if output.element_type() != data.element_type() {
        return Some(Failure::WrongElementType(output.element_type()));
    }
    let same = match expectation {
        Expectation::Open { question, .. } if !output.same_content(data) => {
            same_where_decided(*question, data, output)
        }
        Expectation::Open { .. } => true,
        Expectation::Reshaped(_) | Expectation::Rejected(_) => output.same_content(data),
    };
    (!same).then(|| Failure::WrongContent(output.clone()))
}

/// The failure of an inferred shape that contradicts the expectation. An unknown rank or dim contradicts nothing.
fn inference(
    expectation: &Expectation,
    data: &Tensor,
    got: Option<&ShapePattern>,
) -> Option<Failure> {
    let shown = || match got {
        None => "accepted, with an unknown shape".to_owned(),
        Some(shape) => show_pattern(shape),
    };
    let shapes = match expected_shapes(expectation, shown) {
        Ok(shapes) => shapes,
        Err(failure) => return Some(*failure),
    };
    let got = got?;
    let known: Option<Vec<u64>> = got.iter().copied().collect();
    let keeps_count = known.is_none_or(|known| Count::of(&known) == Count::of(data.shape()));
    let agrees = |shapes: &Vec<ShapePattern>| shapes.iter().any(|shape| agrees(shape, got));
    let negative = got.iter().flatten().copied().any(is_negative);
    let allowed = keeps_count && !negative && shapes.as_ref().is_none_or(agrees);
    (!allowed).then(|| Failure::WrongInference {
        expected: shapes.unwrap_or_default(),
        got: got.clone(),
    })
}

/// The failure of an inferred shape that differs from the output's shape, whatever the text allows.
fn contradiction(inferred: &ShapePattern, output: &Tensor) -> Option<Failure> {
    let produced = pattern_of(output.shape());
    (!agrees(&produced, inferred)).then(|| Failure::WrongInference {
        expected: vec![produced],
        got: inferred.clone(),
    })
}

/// Whether two shapes can be the same. An unknown dim contradicts nothing.
fn agrees(one: &ShapePattern, other: &ShapePattern) -> bool {
    let free_or_same = |(a, b): (&Option<u64>, &Option<u64>)| a.is_none() || b.is_none() || a == b;
    one.len() == other.len() && one.iter().zip(other).all(free_or_same)
}

/// The shapes that an expectation allows; `None` for any shape with the data's element count. The failure of what a
/// backend `got` if the text rejects.
fn expected_shapes(
    expectation: &Expectation,
    got: impl FnOnce() -> String,
) -> Result<Option<Vec<ShapePattern>>, Box<Failure>> {
    Ok(match expectation {
        Expectation::Reshaped(shape) => Some(vec![pattern_of(shape)]),
        Expectation::Rejected(reasons) => {
            let (reasons, got) = (reasons.clone(), got());
            return Err(Box::new(Failure::NotRejected { reasons, got }));
        }
        Expectation::Open { allowed: None, .. } => None,
        Expectation::Open {
            allowed: Some(allowed),
            ..
        } => {
            let shapes = allowed.iter().filter_map(|outcome| match outcome {
                Allowed::Rejected => None,
                Allowed::Reshaped(shape) => Some(shape.clone()),
            });
            Some(shapes.collect())
        }
    })
}

/// The answers to one run and to its concurrent runs, from all rounds.
#[derive(Default)]
pub(crate) struct ConcurrentAnswers {
    /// The answer to the run: the first wrong one, or else the last; `None` before the first.
    own: Option<(Outcome, bool)>,
    /// The first wrong answer to another run; `None` if there is no wrong one.
    wrong_run: Option<ConcurrentRun>,
}

impl ConcurrentAnswers {
    /// Adds an answer to the run itself, or to a concurrent one.
    pub(crate) fn add(&mut self, call: &Call<'_>, is_own: bool, outcome: Outcome) {
        let is_wrong = || failure_of_run(call.request, call.data, &outcome).is_some();
        match is_own {
            true if !matches!(self.own, Some((_, true))) => {
                let is_wrong = is_wrong();
                self.own = Some((outcome, is_wrong));
            }
            false if self.wrong_run.is_none() && is_wrong() => {
                self.wrong_run = Some(ConcurrentRun {
                    request: call.request.clone(),
                    data: call.data.clone(),
                    outcome,
                });
            }
            true | false => {}
        }
    }

    /// The outcome of the trial: the run's own, unless only another run is wrong; `None` without an answer.
    pub(crate) fn outcome(self) -> Option<Outcome> {
        match (self.own, self.wrong_run) {
            (Some((_, false)), Some(wrong_run)) => {
                Some(Outcome::WrongConcurrentRun(Box::new(wrong_run)))
            }
            (own, _) => own.map(|(outcome, _)| outcome),
        }
    }
}
