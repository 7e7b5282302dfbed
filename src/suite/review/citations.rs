//! Citations of what a case does not test: it would be credited with a clause that no backend can break in it.

use crate::error::Fault;
use crate::spec::oracle;
use crate::suite::case::{Case, Cover};
use crate::tensor::ElementType;

/// The rules and clauses that a case cites, and that its request is not about for any of its operators.
pub(crate) fn uncited(case: &Case) -> Vec<Fault> {
    case.covers
        .iter()
        .filter(|cover| !shows(case, cover))
        .map(|cover| {
            let message = format!(
                "the case cites {}, which its own request does not exercise",
                cover.name()
            );
            let fault = Fault::new(&case.source, case.cover_span(cover), message);
            fault.hint(format!("{}; {}", says(cover), instead(case)))
        })
        .collect()
}

fn shows(case: &Case, cover: &Cover) -> bool {
    match cover {
        Cover::Rule(rule) => case
            .operators
            .iter()
            .any(|operator| operator.states(*rule) && case.shows(operator, *rule)),
        Cover::Clause(of) => of.clause.rules().any(|rule| case.shows(of.operator, rule)),
    }
}

fn says(cover: &Cover) -> &'static str {
    match cover {
        Cover::Rule(rule) => rule.says().trim_end_matches('.'),
        Cover::Clause(of) => of.clause.says.trim_end_matches('.'),
    }
}

/// What the case could cite.
fn instead(case: &Case) -> String {
    let Some(operator) = case.operators.first() else {
        return String::new();
    };
    let types = case.element_types(operator);
    let element_type = types.first().copied().unwrap_or(ElementType::F32);
    let request = case.request(operator, element_type);
    let rules = oracle::rules(&request, &oracle::resolve(&request));
    let names: Vec<_> = rules.iter().map(|rule| rule.name()).collect();
    format!("the request is about {}", names.join(", "))
}
