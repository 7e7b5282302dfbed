//! What the records of a run's cases refer to: clauses and open questions, as events.

use crate::event::{ClauseRecord, Event, QuestionRecord};
use crate::semantics::operator::{OPERATORS, Operator, Question};
use crate::suite::case::Expectation;
use crate::suite::plan::Plan;
use std::collections::BTreeSet;

/// The clauses that the plan's cases test, then the questions they leave open, both in the order of their tables.
pub(super) fn events(plan: &Plan) -> Vec<Event> {
    let trials = || plan.cases().iter().flat_map(|planned| &planned.trials);
    let cited: BTreeSet<_> = trials()
        .flat_map(|trial| trial.case.clauses_of(trial.operator))
        .map(|of| (of.operator.name, of.clause.id))
        .collect();
    let open: BTreeSet<_> = trials()
        .filter_map(|trial| open_question(trial.expectation()))
        .collect();
    let clauses = OPERATORS
        .iter()
        .flat_map(Operator::clauses)
        .filter(|of| cited.contains(&(of.operator.name, of.clause.id)))
        .map(|of| Event::Clause(ClauseRecord::from(&of)));
    let questions = open.into_iter().map(QuestionRecord::from);
    clauses.chain(questions.map(Event::Question)).collect()
}

/// The question that an expectation leaves open, if it does.
fn open_question(expectation: &Expectation) -> Option<Question> {
    match expectation {
        Expectation::Open { question, .. } => Some(*question),
        Expectation::Reshaped(_) | Expectation::Rejected(_) => None,
    }
}
