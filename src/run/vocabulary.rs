//! What the records of a run's cases refer to: clauses and open questions, as events.

use crate::event::{CaseRecord, ClauseRecord, Event, QuestionRecord};
use crate::spec::operator::{OPERATORS, Operator, Question};
use crate::suite::Suite;
use crate::suite::case::{Case, Expectation};
use std::collections::BTreeSet;

/// The clauses that these cases test, then the questions they leave open, both in the order of their tables.
pub(super) fn events(suite: &Suite, cases: &[CaseRecord]) -> Vec<Event> {
    let (mut cited, mut open) = (BTreeSet::new(), BTreeSet::new());
    for record in cases {
        let case = suite.case(&record.case);
        for operator in &record.operators {
            cited.extend(operator.clauses.iter().map(String::as_str));
            open.extend(case.and_then(|case| open_question(case, &operator.operator)));
        }
    }
    let clauses = OPERATORS
        .iter()
        .flat_map(Operator::clauses)
        .map(|clause| ClauseRecord::from(&clause))
        .filter(|clause| cited.contains(clause.id.as_str()));
    let questions = open.into_iter().map(QuestionRecord::from);
    clauses
        .map(Event::Clause)
        .chain(questions.map(Event::Question))
        .collect()
}

/// The question that a case leaves open for an operator, if it does.
fn open_question(case: &Case, operator: &str) -> Option<Question> {
    match &**case.expectation(Operator::named(operator)?) {
        Expectation::Open { question, .. } => Some(*question),
        Expectation::Reshaped(_) | Expectation::Rejected(_) => None,
    }
}
