//! The coverage table: on a terminal, as a Markdown page, as JSON.

pub(crate) mod json;
pub(crate) mod page;

use super::diff::says;
use super::style::{BAD, DIM, GOOD, STRONG, paint};
use crate::spec::operator::{Binding, Operator, Tested};
use crate::suite::coverage::{Citation, ClauseStatus, Coverage, Covered, Summary, Way, classes};
use crate::tensor::Class;
use std::collections::BTreeSet;

/// A line for each clause, operator by operator, with what is tested one way only, or not at all, below.
pub(crate) fn table(coverage: &Coverage) -> Vec<String> {
    let width = coverage
        .clauses
        .iter()
        .map(|covered| covered.of.clause.id.len())
        .max()
        .unwrap_or(0);
    let mut lines = Vec::new();
    for (operator, clauses) in coverage.by_operator() {
        lines.push(paint(
            STRONG,
            format!("{operator}: {}", counts(&Summary::of(clauses))),
        ));
        let head = format!(
            "  {:width$}  level  accepting  rejecting  open  element types, bindings",
            "clause"
        );
        lines.push(paint(DIM, head));
        lines.extend(clauses.iter().map(|covered| row(operator, covered, width)));
        lines.push(String::new());
    }
    for (title, clauses) in [
        ("tested one way, for want of another", one_way(coverage)),
        ("not testable by a run", not(coverage)),
    ] {
        if clauses.is_empty() {
            continue;
        }
        lines.push(paint(STRONG, title));
        for (why, clauses) in clauses {
            lines.push(format!("  {why}"));
            let ids: BTreeSet<_> = clauses.iter().map(|covered| covered.of.clause.id).collect();
            for id in ids {
                let operators: Vec<_> = clauses
                    .iter()
                    .filter(|covered| covered.of.clause.id == id)
                    .collect();
                let operators: Vec<_> = operators
                    .iter()
                    .map(|covered| covered.of.operator.name)
                    .collect();
                lines.push(paint(DIM, format!("    {id}: {}", operators.join(", "))));
            }
        }
        lines.push(String::new());
    }
    lines
}

/// Everything about a few clauses: what they say, and each case that cites them.
pub(crate) fn details(coverage: &Coverage) -> Vec<String> {
    let mut lines = Vec::new();
    for covered in &coverage.clauses {
        let clause = covered.of.clause;
        let rules: Vec<_> = clause.rules().map(|rule| rule.name()).collect();
        lines.push(paint(STRONG, says(&covered.of)));
        lines.push(format!("  {}; {}", rules.join(", "), tested(clause.tested)));
        for way in Way::ALL {
            let citations: Vec<_> = covered.in_way(*way).collect();
            if citations.is_empty() {
                continue;
            }
            lines.push(format!("  {}: {}", way.name(), citations.len()));
            lines.extend(
                citations
                    .into_iter()
                    .map(|citation| case(covered, citation)),
            );
        }
        lines.push(String::new());
    }
    lines
}

/// What it comes to: the statements, the must clauses, the rest.
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
        "{covered} of {testable} must clauses are covered: {both} both ways, {one} in the one way there is"
    );
    vec![counts(&summary), paint(style, must)]
}

fn counts(summary: &Summary) -> String {
    let of = |standing, word: &str| match summary.count(standing) {
        0 => String::new(),
        count => format!(", {count} {word}"),
    };
    format!(
        "{} {}, {} of them must{}{}",
        summary.clauses,
        if summary.clauses == 1 {
            "clause"
        } else {
            "clauses"
        },
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
    let reached = if nothing {
        String::new()
    } else {
        reached(operator, covered)
    };
    let line = format!(
        "{:width$}  {:5}  {accepting:>9}  {rejecting:>9}  {open:>4}  {reached}",
        clause.id, clause.level
    );
    format!("{mark} {}", line.trim_end())
}

/// How many cases; `-` where there can be none.
fn number(covered: &Covered, way: Way) -> String {
    let count = covered.in_way(way).count();
    let wanted = match (covered.of.clause.tested, way) {
        (Tested::Both, _)
        | (Tested::Accepting(_), Way::Accepting)
        | (Tested::Rejecting(_), Way::Rejecting) => true,
        (Tested::Accepting(_), Way::Rejecting | Way::Open)
        | (Tested::Rejecting(_), Way::Accepting | Way::Open) => count > 0,
        (Tested::Not(_), _) => false,
    };
    if wanted {
        count.to_string()
    } else {
        "-".to_owned()
    }
}

/// The classes and bindings that some case reaches; `all` stands for all that the operator has.
fn reached(operator: &'static Operator, covered: &Covered) -> String {
    let cells = covered.cells();
    let types: BTreeSet<Class> = cells.keys().map(|(_, class, _)| *class).collect();
    let bindings: BTreeSet<Binding> = cells.keys().map(|(_, _, binding)| *binding).collect();
    let own = classes(operator.element_types);
    let types = if own.iter().all(|class| types.contains(class)) {
        let more: Vec<_> = types
            .iter()
            .filter(|class| !own.contains(class))
            .map(|class| format!(" + {}", class.name()))
            .collect();
        format!("all{}", more.concat())
    } else {
        types
            .iter()
            .map(|class| class.name())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let bindings = if operator
        .bindings
        .iter()
        .all(|binding| bindings.contains(binding))
    {
        "all".to_owned()
    } else {
        operator
            .bindings
            .iter()
            .filter(|own| bindings.contains(own))
            .map(|own| own.name())
            .collect::<Vec<_>>()
            .join(" ")
    };
    format!("{types}, {bindings}")
}

fn tested(tested: Tested) -> String {
    match tested {
        Tested::Both => "testable both ways".to_owned(),
        Tested::Accepting(why) => format!("testable by accepted requests only: {why}"),
        Tested::Rejecting(why) => format!("testable by rejected requests only: {why}"),
        Tested::Not(why) => format!("not testable: {why}"),
    }
}

/// A case with what it reaches, and the rules it says if they are not all.
fn case(covered: &Covered, citation: &Citation) -> String {
    let operator = covered.of.operator;
    let types = citation.case.element_types(operator);
    let types = if types == operator.element_types {
        "every element type".to_owned()
    } else {
        types
            .iter()
            .map(|element_type| element_type.name())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let bindings: Vec<_> = citation.case.bindings(operator).collect();
    let bindings = if bindings == operator.bindings {
        "every binding".to_owned()
    } else {
        bindings
            .iter()
            .map(|binding| binding.name())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let rules: Vec<_> = citation.rules.iter().map(|rule| rule.name()).collect();
    let whole = citation.rules.len() == covered.of.clause.rules().count();
    let rules = if whole {
        String::new()
    } else {
        format!(", for {}", rules.join(" "))
    };
    format!(
        "    {}  {}",
        citation.case.name,
        paint(DIM, format!("({types}; {bindings}{rules})"))
    )
}

fn one_way(coverage: &Coverage) -> Vec<(&'static str, Vec<&Covered>)> {
    coverage.by_reason(|tested| matches!(tested, Tested::Accepting(_) | Tested::Rejecting(_)))
}

fn not(coverage: &Coverage) -> Vec<(&'static str, Vec<&Covered>)> {
    coverage.by_reason(|tested| matches!(tested, Tested::Not(_)))
}
