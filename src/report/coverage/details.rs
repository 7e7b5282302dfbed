//! A few clauses on a terminal, each with the cases that cite it.

use crate::report::diff::says;
use crate::report::style::{DIM, STRONG, paint};
use crate::semantics::operator::Tested;
use crate::suite::coverage::{Citation, Coverage, Covered, Way};

/// Everything about a few clauses: what they say, and each case that cites them.
pub(crate) fn details(coverage: &Coverage) -> Vec<String> {
    coverage.clauses.iter().flat_map(clause).collect()
}

fn clause(covered: &Covered) -> Vec<String> {
    let clause = covered.of.clause;
    let rules: Vec<_> = clause.rules().map(|rule| rule.name()).collect();
    let mut lines = vec![
        paint(STRONG, says(&covered.of)),
        format!("  {}; {}", rules.join(", "), tested(clause.tested)),
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

/// A case with the element types and bindings it reaches, and the rules it cites if they are not all of the clause's.
fn case(covered: &Covered, citation: &Citation) -> String {
    let operator = covered.of.operator;
    let types = citation.case.element_types(operator);
    let types = if types == operator.element_types {
        "every element type".to_owned()
    } else {
        let names: Vec<_> = types
            .iter()
            .map(|element_type| element_type.name())
            .collect();
        names.join(" ")
    };
    let bindings: Vec<_> = citation.case.bindings(operator).collect();
    let bindings = if bindings == operator.bindings {
        "every binding".to_owned()
    } else {
        let names: Vec<_> = bindings.iter().map(|binding| binding.name()).collect();
        names.join(" ")
    };
    let rules = if citation.rules.len() == covered.of.clause.rules().count() {
        String::new()
    } else {
        let names: Vec<_> = citation.rules.iter().map(|rule| rule.name()).collect();
        format!(", for {}", names.join(" "))
    };
    let reaches = paint(DIM, format!("({types}; {bindings}{rules})"));
    format!("    {}  {reaches}", citation.case.name)
}
