//! The coverage table on a terminal, and single clauses with the cases that cite them.

use super::reasons::{by_clause, by_reason, examples_by_cases, number};
use crate::names::Joined;
use crate::report::diff::description;
use crate::report::number::counted;
use crate::report::style::{BAD, DIM, GOOD, STRONG, paint};
use crate::semantics::operator::{Binding, Operator, Tested};
use crate::suite::coverage::{Citation, ClauseStatus, Coverage, Covered, Summary, Way, classes};
use crate::tensor::Class;
use std::collections::BTreeSet;

/// A line for each clause, by operator; then the clauses tested one way or not at all, with the reasons.
pub(crate) fn table(coverage: &Coverage) -> Vec<String> {
    let ids = coverage.clauses.iter().map(|covered| covered.of.clause.id);
    let width = ids.map(str::len).max().unwrap_or(0);
    let mut lines = Vec::new();
    for (operator, clauses) in coverage.by_operator() {
        let title = format!("{operator}: {}", counts(&Summary::of(clauses)));
        lines.push(paint(STRONG, title));
        let head = format!(
            "  {:width$}  level  accepting  rejecting  open  element types, bindings",
            "clause"
        );
        lines.push(paint(DIM, head));
        lines.extend(clauses.iter().map(|covered| row(operator, covered, width)));
        lines.push(String::new());
    }
    lines.extend(examples(coverage));
    let [one_way, not_testable] = by_reason(coverage);
    lines.extend(reasons("testable one way only", &one_way));
    lines.extend(reasons("not testable by a run", &not_testable));
    lines
}

/// The examples that the texts print, each with the cases that state it.
fn examples(coverage: &Coverage) -> Vec<String> {
    let examples = examples_by_cases(coverage);
    if examples.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![paint(STRONG, "examples that the texts print")];
    for (ids, names) in examples {
        let names = match names.as_slice() {
            [] => paint(BAD, "no case states it"),
            names => names.join(", "),
        };
        lines.push(format!("  {ids}: {names}"));
    }
    lines.push(String::new());
    lines
}

fn reasons(title: &str, reasons: &[(&'static str, Vec<&Covered>)]) -> Vec<String> {
    if reasons.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![paint(STRONG, title)];
    for (why, clauses) in reasons {
        lines.push(format!("  {why}"));
        for (id, operators) in by_clause(clauses) {
            let names = operators.iter().joined(", ");
            lines.push(paint(DIM, format!("    {id}: {names}")));
        }
    }
    lines.push(String::new());
    lines
}

/// The totals: all clauses, and the number of covered must clauses.
pub(crate) fn totals(coverage: &Coverage) -> Vec<String> {
    let summary = Summary::of(&coverage.clauses);
    let (covered, testable) = summary.must_covered();
    if testable == 0 {
        return vec![counts(&summary)];
    }
    let both = summary.must_count(ClauseStatus::BothWays);
    let one = summary.must_count(ClauseStatus::OneWay);
    let style = if covered == testable { GOOD } else { BAD };
    let must = format!(
        "{covered} of {testable} must clauses are covered: {both} both ways, {one} in the only possible way"
    );
    vec![counts(&summary), paint(style, must)]
}

fn counts(summary: &Summary) -> String {
    let of = |standing, word: &str| match summary.count(standing) {
        0 => String::new(),
        count => format!(", {count} {word}"),
    };
    format!(
        "{}, {} of them must{}{}",
        counted(summary.clauses, "clause"),
        summary.must,
        of(ClauseStatus::NotTestable, "not testable"),
        of(ClauseStatus::Gap, "with a gap")
    )
}

fn row(operator: &'static Operator, covered: &Covered, width: usize) -> String {
    let mark = match covered.status() {
        ClauseStatus::BothWays | ClauseStatus::OneWay => paint(GOOD, "✓"),
        ClauseStatus::NotTestable => paint(DIM, "-"),
        ClauseStatus::Partly => paint(DIM, "·"),
        ClauseStatus::Gap => paint(BAD, "✗"),
    };
    let clause = covered.of.clause;
    let [accepting, rejecting, open] =
        [Way::Accepting, Way::Rejecting, Way::Open].map(|way| number(covered, way));
    let nothing = covered.by.is_empty() || covered.status() == ClauseStatus::NotTestable;
    let reached = (!nothing).then(|| reached(operator, covered));
    let reached = reached.unwrap_or_default();
    let line = format!(
        "{:width$}  {:5}  {accepting:>9}  {rejecting:>9}  {open:>4}  {reached}",
        clause.id, clause.level
    );
    format!("{mark} {}", line.trim_end())
}

/// The classes of element types and the bindings that some case reaches; `all` if these are all of the operator's.
fn reached(operator: &'static Operator, covered: &Covered) -> String {
    let cells = covered.cells();
    let types: BTreeSet<Class> = cells.keys().map(|(_, class, _)| *class).collect();
    let bindings: BTreeSet<Binding> = cells.keys().map(|(_, _, binding)| *binding).collect();
    let own = classes(operator.element_types);
    let types = if own.iter().all(|class| types.contains(class)) {
        let more = types.iter().filter(|class| !own.contains(class));
        let more = more.map(|class| format!(" + {}", class.name()));
        format!("all{}", more.collect::<String>())
    } else {
        types.iter().map(|class| class.name()).joined(" ")
    };
    let own = operator.bindings.iter();
    let own: Vec<_> = own.filter(|of| bindings.contains(of)).collect();
    let bindings = match own.len() == operator.bindings.len() {
        true => "all".to_owned(),
        false => own.iter().joined(" "),
    };
    format!("{types}, {bindings}")
}

/// Everything about a few clauses: their statements, and each case that cites them.
pub(crate) fn details(coverage: &Coverage) -> Vec<String> {
    coverage.clauses.iter().flat_map(detail).collect()
}

fn detail(covered: &Covered) -> Vec<String> {
    let clause = covered.of.clause;
    let rules = clause.rules().joined(", ");
    let mut lines = vec![
        paint(STRONG, description(&covered.of)),
        format!("  {rules}; {}", tested(clause.tested)),
    ];
    for way in Way::ALL {
        let citations: Vec<_> = covered.in_way(*way).collect();
        if !citations.is_empty() {
            lines.push(format!("  {}: {}", way.name(), citations.len()));
            lines.extend(citations.iter().map(|citation| case(covered, citation)));
        }
    }
    lines.push(String::new());
    lines
}

fn tested(tested: Tested) -> String {
    match tested {
        Tested::Both => "testable both ways".to_owned(),
        Tested::Accepting(why) => format!("testable by accepted requests only: {why}"),
        Tested::Rejecting(why) => format!("testable by rejected requests only: {why}"),
        Tested::Not(why) => format!("not testable: {why}"),
    }
}

/// A case with its element types and bindings, and the rules that it cites if these are not all of the clause's.
fn case(covered: &Covered, citation: &Citation) -> String {
    let operator = covered.of.operator;
    let types = citation.case.element_types(operator);
    let types = match types == operator.element_types {
        true => "every element type".to_owned(),
        false => types.iter().joined(" "),
    };
    let bindings: Vec<_> = citation.case.bindings(operator).collect();
    let bindings = match bindings == operator.bindings {
        true => "every binding".to_owned(),
        false => bindings.iter().joined(" "),
    };
    let rules = match citation.rules.len() == covered.of.clause.rules().count() {
        true => String::new(),
        false => format!(", for {}", citation.rules.iter().joined(" ")),
    };
    let reaches = paint(DIM, format!("({types}; {bindings}{rules})"));
    format!("    {}  {reaches}", citation.case.name)
}
