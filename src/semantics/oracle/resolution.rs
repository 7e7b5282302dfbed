//! Resolutions: the answer of the oracle, from every reasonable reader of the text.

use super::fast_path;
use super::reader::{Answer, Conclusion, Reading, Step, Trace, read};
use crate::semantics::operator::{Question, Reason};
use crate::semantics::outcome::{Allowed, fits, pattern_of};
use crate::semantics::request::Request;
use crate::tensor::{ElementType, Shape, Tensor};
use std::collections::BTreeSet;

/// What the text says about a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Resolution {
    /// There is exactly one right result.
    Reshaped(Shape),
    /// There is no result. All reasons, under the reference's reading and each that accepts what is open.
    Rejected(BTreeSet<Reason>),
    /// The text leaves it open.
    Open {
        /// The question on which readers differ; the first, if there are several.
        question: Question,
        /// What the readers allow, without repetition.
        allowed: Vec<Allowed>,
        /// What the reference does.
        choice: Allowed,
    },
}

/// What the text says about a request.
#[must_use]
pub fn resolve(request: &Request) -> Resolution {
    match fast_path::resolve(request) {
        Some(Ok(shape)) => Resolution::Reshaped(shape),
        Some(Err(reason)) => Resolution::Rejected([reason].into()),
        None => answer(request, &mut Trace::off()),
    }
}

/// What the text says about a request, and the steps to it under the reference's own reading.
#[must_use]
pub fn explain(request: &Request) -> (Resolution, Vec<Step>) {
    let mut steps = Trace::on();
    (answer(request, &mut steps), steps.into_steps())
}

fn answer(request: &Request, trace: &mut Trace) -> Resolution {
    let own = read(request, Reading::OWN, trace);
    match own.conclusion {
        _ if !own.questions.is_empty() => among_readers(request, own, trace),
        None => Resolution::Rejected(own.reasons),
        Some(Conclusion::Exact(shape)) => Resolution::Reshaped(shape.into()),
        // The text accepts it but leaves the length open.
        Some(Conclusion::Any(pattern)) => Resolution::Open {
            question: Question::IndeterminateDimension,
            allowed: vec![Allowed::Reshaped(pattern.clone())],
            choice: Allowed::Reshaped(pattern),
        },
    }
}

/// Whether a request is rejected for these reasons: for all of them, or for those of one reader.
pub(crate) fn rejects_for(request: &Request, reasons: &BTreeSet<Reason>) -> bool {
    let Resolution::Rejected(all) = resolve(request) else {
        return false;
    };
    let own = read(request, Reading::OWN, &mut Trace::off());
    let (questions, _) = among(request, &own);
    all == *reasons
        || own.reasons == *reasons
        || accepting(request, &questions, &Trace::off())
            .any(|(_, other, _)| other.reasons == *reasons)
}

/// The answer when the reference's own reading met questions: every other reader answers too.
fn among_readers(request: &Request, own: Answer, trace: &mut Trace) -> Resolution {
    let (questions, allowed) = among(request, &own);
    if allowed != [Allowed::Rejected] {
        return Resolution::Open {
            question: questions[0],
            allowed: without_repetition(&allowed),
            choice: allowed[0].clone(),
        };
    }
    // A reader who accepts everything open rejects it as well, so it is not open.
    let mut reasons = own.reasons;
    for (read, other, steps) in accepting(request, &questions, trace).collect::<Vec<_>>() {
        reasons.extend(other.reasons);
        trace.faults_of(steps, &read);
    }
    Resolution::Rejected(reasons)
}

/// The questions on which readers differ, and what they allow; the reference's own choice first.
fn among(request: &Request, own: &Answer) -> (Vec<Question>, Vec<Allowed>) {
    let mut questions = own.questions.clone();
    let mut allowed = vec![Allowed::from(own.conclusion.as_ref())];
    // A reading can lead to a new question, so this repeats until there is no new question.
    let mut seen = 0;
    while seen < questions.len() {
        seen = questions.len();
        // It holds the reference's own answer already.
        for reading in Reading::all(&questions.clone()).skip(1) {
            let other = read(request, reading, &mut Trace::off());
            for question in other.questions {
                if !questions.contains(&question) {
                    questions.push(question);
                }
            }
            let outcome = Allowed::from(other.conclusion.as_ref());
            if !allowed.contains(&outcome) {
                allowed.push(outcome);
            }
        }
    }
    (questions, allowed)
}

/// The readers who accept everything open: their meanings where the reference does otherwise, and their answer.
fn accepting(
    request: &Request,
    questions: &[Question],
    trace: &Trace,
) -> impl Iterator<Item = (Vec<&'static str>, Answer, Trace)> {
    Reading::all(questions).filter_map(|reading| {
        let mut steps = trace.another();
        let other = read(request, reading, &mut steps);
        Some((reading.accepts(&other.questions)?, other, steps))
    })
}

/// Drops each exact shape that another allowed pattern includes.
fn without_repetition(allowed: &[Allowed]) -> Vec<Allowed> {
    let is_included = |outcome: &Allowed| {
        let exact: Option<Vec<u64>> = match outcome {
            Allowed::Reshaped(pattern) => pattern.iter().copied().collect(),
            Allowed::Rejected => None,
        };
        let includes = |other: &Allowed, shape: &[u64]| match other {
            Allowed::Reshaped(pattern) => other != outcome && fits(shape, pattern),
            Allowed::Rejected => false,
        };
        exact.is_some_and(|shape| allowed.iter().any(|other| includes(other, &shape)))
    };
    let distinct = allowed.iter().filter(|outcome| !is_included(outcome));
    distinct.cloned().collect()
}

impl From<Option<&Conclusion>> for Allowed {
    fn from(conclusion: Option<&Conclusion>) -> Self {
        match conclusion {
            Some(Conclusion::Exact(shape)) => Self::Reshaped(pattern_of(shape)),
            Some(Conclusion::Any(pattern)) => Self::Reshaped(pattern.clone()),
            None => Self::Rejected,
        }
    }
}

/// What the text says about a request with this data.
pub(crate) fn resolve_for(request: &Request, data: &Tensor) -> Resolution {
    match (resolve(request), question_of(data)) {
        (Resolution::Reshaped(shape), Some(question)) => {
            let choice = Allowed::Reshaped(pattern_of(&shape));
            Resolution::Open {
                question,
                allowed: vec![choice.clone(), Allowed::Rejected],
                choice,
            }
        }
        (resolution, _) => resolution,
    }
}

/// Whether both hold the same elements, except those that this question leaves open.
pub(crate) fn same_where_decided(question: Question, data: &Tensor, output: &Tensor) -> bool {
    data.len() == output.len()
        && (0..data.len()).all(|index| {
            data.same_element(output, index) || question_at(data, index) == Some(question)
        })
}

/// The question that an element of the data raises; `None` if every element is a value of its type.
fn question_of(data: &Tensor) -> Option<Question> {
    let may = matches!(data.element_type(), ElementType::Bool | ElementType::String);
    may.then(|| (0..data.len()).find_map(|index| question_at(data, index)))
        .flatten()
}

fn question_at(data: &Tensor, index: usize) -> Option<Question> {
    if let Some(string) = data.string(index) {
        return string.contains(&0).then_some(Question::NulInString);
    }
    let is_bool = data.element_type() == ElementType::Bool;
    (is_bool && data.bits(index)? > 1).then_some(Question::BoolByte)
}
