//! What the table and the page share: counts of cases, and reasons why a clause is not tested both ways.

use crate::names::Grouped;
use crate::semantics::operator::{Operator, Rule, Tested, in_short};
use crate::suite::coverage::{Coverage, Covered, Way};
use std::collections::BTreeMap;

/// The clauses that runs can test one way only, and those that no run can test, by the reason, in the table's order.
pub(super) fn by_reason(coverage: &Coverage) -> [Vec<(&'static str, Vec<&Covered>)>; 2] {
    let is_testable = |of: &Covered| !matches!(of.of.clause.tested, Tested::Not(_));
    [true, false].map(|testable| {
        let clauses = coverage.clauses.iter();
        let clauses = clauses.filter(|of| is_testable(of) == testable);
        let with_reasons = clauses.filter_map(|of| Some((of.of.clause.tested.why()?, of)));
        with_reasons.grouped()
    })
}

/// The operators of these clauses by clause id.
pub(super) fn by_clause(clauses: &[&Covered]) -> BTreeMap<&'static str, Vec<&'static Operator>> {
    let clauses = clauses.iter().map(|covered| covered.of);
    clauses.map(|of| (of.clause.id, of.operator)).sorted()
}

/// The examples that the texts print, those with the same id and the same cases in one line: their ids, and the names
/// of the cases.
pub(super) fn examples_by_cases(coverage: &Coverage) -> Vec<(String, Vec<&str>)> {
    let clauses = coverage.clauses.iter();
    let clauses = clauses.filter(|covered| covered.of.clause.is_about(Rule::Example));
    let clauses = clauses.map(|covered| {
        let names: Vec<_> = covered.by.iter().map(|by| by.case.name.as_str()).collect();
        ((covered.of.clause.id, names), covered.of.operator)
    });
    let lines = clauses.grouped().into_iter();
    let lines = lines.map(|((id, names), of)| (format!("{}/{id}", in_short(&of)), names));
    lines.collect()
}

/// The number of cases that test a clause in this way; `-` if this is impossible.
pub(super) fn number(covered: &Covered, way: Way) -> String {
    let count = covered.in_way(way).count();
    let wanted = match covered.of.clause.tested {
        Tested::Both => true,
        Tested::Accepting(_) | Tested::Rejecting(_) => count > 0 || covered.ways().contains(&way),
        Tested::Not(_) => false,
    };
    match wanted {
        true => count.to_string(),
        false => "-".to_owned(),
    }
}
