//! The cases of a run, as recorded in its stream.

use super::request_line::request_line;
use crate::event::{CaseOperator, CaseRecord};
use crate::semantics::operator::Level;
use crate::suite::case::Cover;
use crate::suite::plan::{Plan, PlannedCase};
use crate::suite::trial::Trial;

/// The cases of a plan, of all parts together.
pub(crate) fn case_records(plan: &Plan) -> Vec<CaseRecord> {
    plan.cases().iter().map(case_record).collect()
}

fn case_record(PlannedCase { case, trials }: &PlannedCase) -> CaseRecord {
    let (line, _) = case.source.line_and_column(case.span.start);
    CaseRecord {
        case: case.name.clone(),
        file: case.source.file.to_string(),
        line,
        covers: case.covers.iter().map(Cover::name).collect(),
        operators: trials.iter().map(case_operator).collect(),
    }
}

/// A case for the operator of one of its trials.
fn case_operator(trial: &Trial) -> CaseOperator {
    let clauses = trial.case.clauses_of(trial.operator);
    let levels = clauses.iter().map(|of| of.clause.level);
    CaseOperator {
        operator: trial.operator.to_string(),
        level: levels.min().unwrap_or(Level::Open),
        clauses: clauses.iter().map(ToString::to_string).collect(),
        asks: request_line(trial.request()),
        expects: trial.expectation().to_string(),
    }
}
