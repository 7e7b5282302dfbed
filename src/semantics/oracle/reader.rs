//! A reader: goes through a request under one answer to every open question.

use crate::semantics::operator::{Meaning, Question, ReadersChoice, Reason, Rule, Strictness};
use crate::semantics::outcome::ShapePattern;
use crate::semantics::request::Request;
use std::collections::BTreeSet;

/// Goes through a request under one reading.
pub(super) struct Reader<'a> {
    pub(super) request: &'a Request,
    reading: Reading,
    pub(super) trace: &'a mut Trace,
    /// Every reason to reject that it found.
    pub(super) reasons: BTreeSet<Reason>,
    /// The open questions that came up, in order.
    pub(super) questions: Vec<Question>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(request: &'a Request, reading: Reading, trace: &'a mut Trace) -> Self {
        Self {
            request,
            reading,
            trace,
            reasons: BTreeSet::new(),
            questions: Vec::new(),
        }
    }

    /// Notes a reason to reject, and gives nothing in place of what is read.
    pub(super) fn reject<T>(
        &mut self,
        reason: Reason,
        description: impl FnOnce() -> String,
    ) -> Option<T> {
        self.reasons.insert(reason);
        self.trace.fault(reason.rule(), description);
        None
    }

    /// Decides something unusual in the request. Returns the meaning in which it is accepted, or `None` if it is
    /// rejected for this reason.
    pub(super) fn decide(
        &mut self,
        strictness: Strictness,
        reason: Reason,
        description: impl FnOnce() -> String,
    ) -> Option<Meaning> {
        match strictness {
            Strictness::MustReject => self.reject(reason, description),
            Strictness::MustAccept(meaning, in_words) => {
                let description = || format!("{}: {in_words}", description());
                self.trace.note(reason.rule(), description);
                Some(meaning)
            }
            Strictness::Open(question) => self.ask(question, description),
        }
    }

    fn ask(&mut self, question: Question, description: impl FnOnce() -> String) -> Option<Meaning> {
        if !self.questions.contains(&question) {
            self.questions.push(question);
        }
        let description = || format!("{}; the text leaves it open ({question})", description());
        match self.reading.on(question) {
            ReadersChoice::Reject => self.reject(question.reason(), description),
            ReadersChoice::Accept(meaning, _) => {
                self.trace.note(question.reason().rule(), description);
                Some(meaning)
            }
        }
    }
}

/// An answer to every open question: the index of each choice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading([u8; Question::ALL.len()]);

impl Reading {
    /// The reference's own reading, the first choice on each question; [`Question::choice`] gives the reasons.
    pub(super) const OWN: Self = Self([0; Question::ALL.len()]);

    /// Every combination of choices on these questions, with the reference's own on all others. First is [`Self::OWN`].
    pub(super) fn all(questions: &[Question]) -> impl Iterator<Item = Self> {
        let choices = |question: &Question| question.choices().len();
        let count: usize = questions.iter().map(choices).product();
        (0..count).map(move |number| {
            let (mut reading, mut rest) = (Self::OWN, number);
            for question in questions.iter().rev() {
                reading.0[*question as usize] = (rest % choices(question)) as u8;
                rest /= choices(question);
            }
            reading
        })
    }

    /// The choice on one question.
    pub(super) fn on(&self, question: Question) -> ReadersChoice {
        question.choices()[usize::from(self.0[question as usize])]
    }

    /// The meanings, in words, in which it accepts all of these questions, where the reference does otherwise; `None`
    /// if it rejects one of them.
    pub(super) fn accepts(&self, questions: &[Question]) -> Option<Vec<&'static str>> {
        let mut otherwise = Vec::new();
        for question in questions {
            match self.on(*question) {
                ReadersChoice::Reject => return None,
                choice if choice == Self::OWN.on(*question) => {}
                ReadersChoice::Accept(_, in_words) => otherwise.push(in_words),
            }
        }
        Some(otherwise)
    }
}

/// The shape that a target resolves to.
#[derive(Debug)]
pub(super) enum Conclusion {
    Exact(Vec<u64>),
    /// Any shape of this pattern.
    Any(ShapePattern),
}

/// The answer of one reader to a request.
#[derive(Debug)]
pub(super) struct Answer {
    /// The shape; `None` for a rejection.
    pub conclusion: Option<Conclusion>,
    /// Every reason to reject it.
    pub reasons: BTreeSet<Reason>,
    /// The open questions that came up, in order.
    pub questions: Vec<Question>,
}

/// Reads a request under one reading.
pub(super) fn read(request: &Request, reading: Reading, trace: &mut Trace) -> Answer {
    let mut reader = Reader::new(request, reading, trace);
    reader.check_element_type();
    reader.check_data();
    let copies = reader.zero_mode();
    let conclusion = reader.values();
    let conclusion = conclusion.and_then(|values| reader.dims(values, copies));
    let conclusion = conclusion.and_then(|dims| reader.conclude(dims));
    Answer {
        conclusion: conclusion.filter(|_| reader.reasons.is_empty()),
        reasons: reader.reasons,
        questions: reader.questions,
    }
}

/// Whether a 0 copies under the reference's own reading: `None` if the node's attribute is missing or malformed.
pub(crate) fn copies_zero(request: &Request) -> Option<bool> {
    Reader::new(request, Reading::OWN, &mut Trace::off()).zero_mode()
}

/// One step of the oracle, with the rule it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The rule. The step rests on the operator's clauses about it.
    pub rule: Rule,
    /// What was found, in a sentence.
    pub description: String,
    /// Whether the step found a fault.
    pub fault: bool,
    /// The index and the length of the output dim that the step determines; `None` for any other step.
    pub dim: Option<(usize, u64)>,
}

/// Collects steps, or nothing, because resolving without a trace must not pay for it.
#[derive(Debug)]
pub struct Trace(Option<Vec<Step>>);

impl Trace {
    pub(super) fn off() -> Self {
        Self(None)
    }

    pub(super) fn on() -> Self {
        Self(Some(Vec::new()))
    }

    /// An empty trace for another reading, which collects steps if this one does.
    pub(super) fn another(&self) -> Self {
        Self(self.0.as_ref().map(|_| Vec::new()))
    }

    /// The faults of another reading that are new, each after the words for how it reads the request.
    pub(super) fn faults_of(&mut self, other: Self, read: &[&str]) {
        let Some(steps) = &mut self.0 else { return };
        for step in other.into_steps().into_iter().filter(|step| step.fault) {
            let mut known = steps.iter();
            if !known.any(|found| found.description.ends_with(&step.description)) {
                let description =
                    format!("{}, it fails too: {}", read.join(" and "), step.description);
                steps.push(Step {
                    description,
                    ..step
                });
            }
        }
    }

    /// A step without a fault.
    pub(super) fn note(&mut self, rule: Rule, description: impl FnOnce() -> String) {
        self.push(rule, description, false, None);
    }

    /// A step that determines the output's dim at an index.
    pub(super) fn dim(
        &mut self,
        rule: Rule,
        index: usize,
        length: u64,
        description: impl FnOnce() -> String,
    ) {
        self.push(rule, description, false, Some((index, length)));
    }

    /// A step that finds a fault.
    pub(super) fn fault(&mut self, rule: Rule, description: impl FnOnce() -> String) {
        self.push(rule, description, true, None);
    }

    fn push(
        &mut self,
        rule: Rule,
        description: impl FnOnce() -> String,
        fault: bool,
        dim: Option<(usize, u64)>,
    ) {
        if let Some(steps) = &mut self.0 {
            steps.push(Step {
                rule,
                description: description(),
                fault,
                dim,
            });
        }
    }

    pub(super) fn into_steps(self) -> Vec<Step> {
        self.0.unwrap_or_default()
    }
}
