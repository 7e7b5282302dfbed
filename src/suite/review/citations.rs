//! Citations of what a case does not test: it would be credited with a clause that no backend can break in it.

use crate::error::Fault;
use crate::spec::oracle;
use crate::suite::case::{Case, Cover, Expectation};
use crate::tensor::ElementType;

/// The rules and clauses that a case cites, and that its request is not about for any of its operators.
pub(crate) fn uncited(case: &Case) -> Vec<Fault> {
    case.covers
        .iter()
        .filter(|cover| !case.shows_cover(cover))
        .map(|cover| {
            let message = format!(
                "the case cites {}, which its own request does not exercise with what it expects",
                cover.name()
            );
            let fault = Fault::new(&case.source, case.cover_span(cover), message);
            fault.hint(format!("{}; {}", says(cover), instead(case)))
        })
        .collect()
}

fn says(cover: &Cover) -> &'static str {
    match cover {
        Cover::Rule(rule) => rule.says().trim_end_matches('.'),
        Cover::Clause(of) => of.clause.says.trim_end_matches('.'),
    }
}

/// What the case could cite instead: of the rules that its reasons break, and of those that its requests rest on, the ones
/// that it shows.
fn instead(case: &Case) -> String {
    let of_reasons =
        case.operators
            .iter()
            .flat_map(|operator| match &**case.expectation(operator) {
                Expectation::Rejected(reasons) => {
                    reasons.iter().map(|reason| reason.rule()).collect()
                }
                Expectation::Open { question, .. } => vec![question.reason().rule()],
                Expectation::Reshaped(_) => Vec::new(),
            });
    let of_requests = case.operators.iter().flat_map(|operator| {
        let types = case.element_types(operator);
        let element_type = types.first().copied().unwrap_or(ElementType::F32);
        let request = case.request(operator, element_type);
        oracle::rules(&request, &oracle::resolve(&request))
    });
    let rules = case.shown(of_reasons.chain(of_requests));
    let names: Vec<_> = rules.iter().map(|rule| rule.name()).collect();
    match names.is_empty() {
        true => "`explain` shows what its request is about".to_owned(),
        false => format!("the request is about {}", names.join(", ")),
    }
}
