//! Resolutions: the answer of the oracle, in which every reasonable reader of the text has a say.

use super::count::Conclusion;
use super::read::{Answer, read};
use super::reading::Reading;
use super::step::{Step, Trace};
use super::usual;
use crate::spec::operator::{Question, Reason};
use crate::spec::outcome::{Allowed, fits};
use crate::spec::request::Request;
use std::collections::BTreeSet;

/// What the text says of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Resolution {
    /// There is exactly one right result.
    Reshaped(Vec<u64>),
    /// There is no result; every reason that holds under the reference's own reading.
    Rejected(BTreeSet<Reason>),
    /// The text leaves it open.
    Open {
        /// The question the readers differ on; the first, if several.
        question: Question,
        /// What one or another reader allows, without repetition.
        allowed: Vec<Allowed>,
        /// What the reference does.
        choice: Allowed,
    },
}

/// What the text says of a request.
#[must_use]
pub fn resolve(request: &Request) -> Resolution {
    match usual::resolve(request) {
        Some(Ok(shape)) => Resolution::Reshaped(shape),
        Some(Err(reason)) => Resolution::Rejected([reason].into()),
        None => answer(request, &mut Trace::off()),
    }
}

/// What the text says of a request, and the steps that lead there under the reference's own reading.
#[must_use]
pub fn explain(request: &Request) -> (Resolution, Vec<Step>) {
    let mut steps = Trace::on();
    let resolution = answer(request, &mut steps);
    (resolution, steps.into_steps())
}

fn answer(request: &Request, trace: &mut Trace) -> Resolution {
    let own = read(request, Reading::OWN, trace);
    match own.conclusion {
        _ if !own.questions.is_empty() => among_readers(request, own),
        None => Resolution::Rejected(own.reasons),
        Some(Conclusion::Exact(shape)) => Resolution::Reshaped(shape),
        // The text accepts it, and yet leaves open which length it is.
        Some(Conclusion::Any(pattern)) => Resolution::Open {
            question: Question::IndeterminateDimension,
            allowed: vec![Allowed::Reshaped(pattern.clone())],
            choice: Allowed::Reshaped(pattern),
        },
    }
}

/// The answer when questions came up in the reference's own reading: every other reader answers too.
fn among_readers(request: &Request, own: Answer) -> Resolution {
    let mut questions = own.questions;
    let choice = Allowed::from(own.conclusion);
    let mut allowed = vec![choice.clone()];
    // A reading can lead to a question that did not come up before, so this repeats until there is no new question.
    let mut seen = 0;
    while seen < questions.len() {
        seen = questions.len();
        for reading in Reading::all(&questions) {
            let other = read(request, reading, &mut Trace::off());
            for question in other.questions {
                if !questions.contains(&question) {
                    questions.push(question);
                }
            }
            let outcome = Allowed::from(other.conclusion);
            if !allowed.contains(&outcome) {
                allowed.push(outcome);
            }
        }
    }
    match allowed.as_slice() {
        [Allowed::Rejected] => Resolution::Rejected(own.reasons),
        _ => Resolution::Open {
            question: questions[0],
            allowed: without_repetition(&allowed),
            choice,
        },
    }
}

/// Drops each exact shape that another allowed pattern includes.
fn without_repetition(allowed: &[Allowed]) -> Vec<Allowed> {
    let is_included = |outcome: &Allowed| {
        let Some(shape) = outcome.exact_shape() else {
            return false;
        };
        allowed.iter().any(|other| match other {
            Allowed::Reshaped(pattern) => other != outcome && fits(&shape, pattern),
            Allowed::Rejected => false,
        })
    };
    let distinct = allowed.iter().filter(|outcome| !is_included(outcome));
    distinct.cloned().collect()
}

impl Allowed {
    /// The shape, if it is the only one of its pattern.
    fn exact_shape(&self) -> Option<Vec<u64>> {
        match self {
            Self::Reshaped(pattern) => pattern.iter().copied().collect(),
            Self::Rejected => None,
        }
    }
}

impl From<Option<Conclusion>> for Allowed {
    fn from(conclusion: Option<Conclusion>) -> Self {
        match conclusion {
            Some(Conclusion::Exact(shape)) => Self::Reshaped(shape.into_iter().map(Some).collect()),
            Some(Conclusion::Any(pattern)) => Self::Reshaped(pattern),
            None => Self::Rejected,
        }
    }
}
