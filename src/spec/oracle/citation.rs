//! Citations: the rules and clauses that a resolution rests on.

use super::read::copies_zero;
use super::resolution::Resolution;
use crate::spec::operator::{ClauseOf, Reason, Rule};
use crate::spec::request::Request;

/// The clauses that a resolution of this request rests on, each once.
#[must_use]
pub fn clauses(request: &Request, resolution: &Resolution) -> Vec<ClauseOf> {
    let mut clauses = Vec::new();
    for rule in rules(request, resolution) {
        for clause in request.operator.clauses_of(rule) {
            if !clauses.contains(&clause) {
                clauses.push(clause);
            }
        }
    }
    clauses
}

/// The rules that a resolution of this request rests on.
pub(crate) fn rules(request: &Request, resolution: &Resolution) -> Vec<Rule> {
    match resolution {
        Resolution::Reshaped(_) => reshaping_rules(request),
        Resolution::Rejected(reasons) => reasons.iter().copied().flat_map(rules_of).collect(),
        Resolution::Open { question, .. } => {
            let mut rules: Vec<Rule> = rules_of(question.reason()).collect();
            for rule in reshaping_rules(request) {
                if !rules.contains(&rule) {
                    rules.push(rule);
                }
            }
            rules
        }
    }
}

/// The rule that a reason breaks, and the rule about how far to the right a copied 0 may stand, where it does so.
fn rules_of(reason: Reason) -> impl Iterator<Item = Rule> {
    let bound = (reason == Reason::CopyPastRank).then_some(Rule::CopyWithinRank);
    std::iter::once(reason.rule()).chain(bound)
}

/// The rules that apply when a target resolves.
fn reshaping_rules(request: &Request) -> Vec<Rule> {
    let values: &[i128] = request.target.as_ref().map_or(&[], |target| &target.values);
    let mut rules = Vec::new();
    if values.contains(&0) {
        rules.push(match copies_zero(request) {
            Some(false) => Rule::LiteralZero,
            Some(true) | None => Rule::CopiedZero,
        });
    }
    if values.iter().any(|value| *value > 0) {
        rules.push(Rule::TargetIsOutputShape);
    }
    if values.contains(&-1) {
        rules.push(Rule::InferredMinusOne);
        // Where a text says nothing of the two together, no clause is cited.
        let mut beside_zero = request.operator.clauses_of(Rule::ZeroWithMinusOne);
        if rules.contains(&Rule::LiteralZero) && beside_zero.next().is_some() {
            rules.push(Rule::ZeroWithMinusOne);
        }
    }
    if values.is_empty() {
        rules.push(Rule::EmptyTarget);
    }
    rules.extend([Rule::SameCount, Rule::SameContent]);
    rules
}
