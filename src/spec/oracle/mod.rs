//! The oracle: what the text says a request comes to. Pure, exact, and written to be read beside the texts.
//!
//! [`resolve`] reads a request as every reasonable reader of the text could. Where readers agree, the answer is
//! [`Resolution::Reshaped`] or [`Resolution::Rejected`]; where they differ it is [`Resolution::Open`], with what each
//! allows and the reference's own choice. A *reading* answers every open question; `read` follows the text under one
//! reading, and notes which questions it came upon. [`explain`] gives the same with its steps.

mod read;
mod step;

pub use step::{Step, Trace};

use crate::spec::operator::{ClauseOf, Operator, Question, Reason, Rule};
use crate::spec::outcome::ShapePattern;
use crate::spec::request::Request;
pub(crate) use read::copies_zero;
use read::{Conclusion, Reading, read};
use std::collections::BTreeSet;

/// What the text says of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Resolution {
    /// There is exactly one right result.
    Reshaped(Vec<u64>),
    /// There is none; every reason that holds.
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

/// An outcome that a reader allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Allowed {
    /// This shape; `None` where any dim will do.
    Reshaped(ShapePattern),
    /// A rejection.
    Rejected,
}

/// What the text says of a request.
#[must_use]
pub fn resolve(request: &Request) -> Resolution {
    let mut steps = Trace::off();
    answer(request, &mut steps)
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
    if own.questions.is_empty() {
        return match own.conclusion {
            Conclusion::Reshaped(shape) => Resolution::Reshaped(shape),
            Conclusion::Any(_) | Conclusion::Rejected => Resolution::Rejected(own.reasons),
        };
    }
    among_readers(request, own)
}

/// The answer when the own reading came upon questions: let every other reader answer too.
fn among_readers(request: &Request, own: read::Answer) -> Resolution {
    let mut reasons = own.reasons;
    let mut questions = own.questions;
    let choice = Allowed::from(own.conclusion);
    let mut allowed = vec![choice.clone()];
    // A reading can lead to a question that the own one never met, so readings grow until no new question comes up.
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
            reasons.extend(other.reasons);
            let outcome = Allowed::from(other.conclusion);
            if !allowed.contains(&outcome) {
                allowed.push(outcome);
            }
        }
    }
    match allowed.as_slice() {
        [Allowed::Rejected] => Resolution::Rejected(reasons),
        _ => Resolution::Open {
            question: questions[0],
            allowed: without_repetition(allowed),
            choice,
        },
    }
}

/// Drops shapes that another allowed pattern already holds.
fn without_repetition(allowed: Vec<Allowed>) -> Vec<Allowed> {
    let covered = |outcome: &Allowed| {
        let Allowed::Reshaped(shape) = outcome else {
            return false;
        };
        let Some(shape) = shape.iter().copied().collect::<Option<Vec<u64>>>() else {
            return false;
        };
        allowed.iter().any(|other| {
            other != outcome
                && matches!(other, Allowed::Reshaped(p) if crate::spec::outcome::fits(&shape, p))
        })
    };
    allowed
        .iter()
        .filter(|outcome| !covered(outcome))
        .cloned()
        .collect()
}

impl From<Conclusion> for Allowed {
    fn from(conclusion: Conclusion) -> Self {
        match conclusion {
            Conclusion::Reshaped(shape) => Self::Reshaped(shape.into_iter().map(Some).collect()),
            Conclusion::Any(pattern) => Self::Reshaped(pattern),
            Conclusion::Rejected => Self::Rejected,
        }
    }
}

/// The clauses that a resolution of this request rests on.
#[must_use]
pub fn clauses(request: &Request, resolution: &Resolution) -> Vec<ClauseOf> {
    clauses_of_rules(request.operator, rules(request, resolution))
}

/// The rules that a resolution of this request rests on.
pub(crate) fn rules(request: &Request, resolution: &Resolution) -> Vec<Rule> {
    match resolution {
        Resolution::Reshaped(_) => reshaping_rules(request),
        Resolution::Rejected(reasons) => reasons.iter().map(|reason| reason.rule()).collect(),
        Resolution::Open { question, .. } => {
            let mut rules = vec![rule_of_question(*question)];
            rules.extend(
                reshaping_rules(request)
                    .into_iter()
                    .filter(|rule| *rule != rule_of_question(*question)),
            );
            rules
        }
    }
}

fn clauses_of_rules(operator: &'static Operator, rules: Vec<Rule>) -> Vec<ClauseOf> {
    let mut clauses = Vec::new();
    for rule in rules {
        for clause in operator.clauses_of(rule) {
            if !clauses.contains(&clause) {
                clauses.push(clause);
            }
        }
    }
    clauses
}

fn rule_of_question(question: Question) -> Rule {
    match question {
        Question::IndeterminateDimension => Rule::InferredMinusOne,
        Question::BelowMinusOne | Question::PositiveValues => Rule::TargetValues,
        Question::CountOverflows => Rule::SameCount,
        Question::AllowzeroNeither => Rule::ZeroModeType,
        Question::TargetNotFlat => Rule::TargetIsFlat,
        Question::EmptyTarget => Rule::EmptyTarget,
        Question::UnknownAttribute => Rule::ZeroModeAttribute,
        Question::ElementTypeOutside => Rule::ElementTypes,
        Question::MissingTarget => Rule::TargetPresent,
    }
}

/// The rules at work when a target resolves.
fn reshaping_rules(request: &Request) -> Vec<Rule> {
    let values: &[i128] = request.target.as_ref().map_or(&[], |target| &target.values);
    let mut rules = Vec::new();
    if values.contains(&0) {
        rules.push(if read::copies_zero(request) == Some(false) {
            Rule::LiteralZero
        } else {
            Rule::CopiedZero
        });
    }
    if values.iter().any(|value| *value > 0) {
        rules.push(Rule::TargetIsOutputShape);
    }
    if values.contains(&-1) {
        rules.push(Rule::InferredMinusOne);
    }
    if values.is_empty() {
        rules.push(Rule::EmptyTarget);
    }
    rules.extend([Rule::SameCount, Rule::SameContent]);
    rules
}
