//! A reader: goes through a request under one reading, which is one answer to every open question, and records what it finds.

use super::step::Trace;
use crate::semantics::operator::{Meaning, Question, ReadersChoice, Reason, Strictness};
use crate::semantics::request::Request;
use std::collections::BTreeSet;

/// Goes through a request under one reading.
pub(super) struct Reader<'a> {
    pub(super) request: &'a Request,
    reading: Reading,
    pub(super) trace: &'a mut Trace,
    /// Every reason to reject that was found.
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

    pub(super) fn reject(&mut self, reason: Reason, says: impl FnOnce() -> String) {
        self.reasons.insert(reason);
        self.trace.fault(reason.rule(), says);
    }

    /// Decides about something unusual in the request: the meaning in which it is accepted, or `None` if it is rejected
    /// for this reason.
    pub(super) fn decide(
        &mut self,
        strictness: Strictness,
        reason: Reason,
        says: impl FnOnce() -> String,
    ) -> Option<Meaning> {
        match strictness {
            Strictness::MustReject => {
                self.reject(reason, says);
                None
            }
            Strictness::MustAccept(meaning, in_words) => {
                let says = || format!("{}: {in_words}", says());
                self.trace.note(reason.rule(), says);
                Some(meaning)
            }
            Strictness::Open(question) => self.ask(question, says),
        }
    }

    fn ask(&mut self, question: Question, says: impl FnOnce() -> String) -> Option<Meaning> {
        if !self.questions.contains(&question) {
            self.questions.push(question);
        }
        let says = || format!("{}; the text leaves it open ({question})", says());
        match self.reading.on(question) {
            ReadersChoice::Reject => {
                self.reject(question.reason(), says);
                None
            }
            ReadersChoice::Accept(meaning, _) => {
                self.trace.note(question.reason().rule(), says);
                Some(meaning)
            }
        }
    }
}

/// An answer to every open question: for each, the index of the choice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading([u8; Question::ALL.len()]);

impl Reading {
    /// The reference's own reading, the first choice on each: [`Question::choice`] gives the reasons.
    pub(super) const OWN: Self = Self([0; Question::ALL.len()]);

    /// Every combination of choices on these questions, and the reference's own choice on all others. The first is
    /// [`Self::OWN`].
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

    /// In what meanings it accepts all of these questions, where not as the reference does, in words; `None` if it rejects for
    /// one of them.
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
