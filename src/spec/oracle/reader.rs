//! A reader: goes through a request under one reading, and records what it finds.

use super::reading::Reading;
use super::step::Trace;
use crate::spec::operator::{Meaning, Question, ReadersChoice, Reason, Strictness};
use crate::spec::request::Request;
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
