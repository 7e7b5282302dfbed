//! What the table and the page share: counts of cases, and reasons why a clause is not tested both ways.

use crate::names::Grouped;
use crate::semantics::operator::{Operator, Tested, in_short};
use crate::suite::coverage::{Coverage, Covered, Way};
use std::collections::BTreeMap;

/// The clauses that runs can test one way only, and those that no run can test, by the reason.
pub(super) fn by_reason(coverage: &Coverage) -> [Vec<(&'static str, Vec<&Covered>)>; 2] {
    let is_testable = |tested| !matches!(tested, Tested::Not(_));
    [
        coverage.by_reason(is_testable),
        coverage.by_reason(|of| !is_testable(of)),
    ]
}

/// The operators of these clauses by clause id.
pub(super) fn by_clause(clauses: &[&Covered]) -> BTreeMap<&'static str, Vec<&'static Operator>> {
    let clauses = clauses.iter().map(|covered| covered.of);
    clauses.map(|of| (of.clause.id, of.operator)).sorted()
}

/// Clauses with the same id and the same cases in one line: their ids, and the names of the cases.
pub(super) fn by_cases<'a>(clauses: &[&'a Covered]) -> Vec<(String, Vec<&'a str>)> {
    let clauses = clauses.iter().map(|covered| {
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
