//! One reading of one request, in the order of the texts.

use super::count::Conclusion;
use super::reader::Reader;
use super::reader::Reading;
use super::step::Trace;
use crate::semantics::operator::{Question, Reason};
use crate::semantics::request::Request;
use std::collections::BTreeSet;

/// The answer of one reader to a request.
#[derive(Debug)]
pub(super) struct Answer {
    /// `None`: a rejection.
    pub conclusion: Option<Conclusion>,
    /// Why it is rejected; every reason that holds.
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
    let conclusion = reader
        .values()
        .and_then(|values| reader.dims(values, copies))
        .and_then(|dims| reader.conclude(dims));
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
