//! Citations: the rules and clauses that a resolution rests on.

use super::attributes::sharing_rule;
use super::reader::copies_zero;
use super::resolution::Resolution;
use crate::names::Distinct;
use crate::semantics::operator::{ClauseOf, Reason, Rule};
use crate::semantics::request::Request;

/// The clauses that a resolution of this request rests on, each once.
#[must_use]
pub fn clauses(request: &Request, resolution: &Resolution) -> Vec<ClauseOf> {
    let rules = rules(request, resolution).into_iter();
    let clauses = rules.flat_map(|rule| request.operator.clauses_of(rule));
    clauses.distinct()
}

/// The rules that a resolution of this request rests on.
pub(crate) fn rules(request: &Request, resolution: &Resolution) -> Vec<Rule> {
    match resolution {
        Resolution::Reshaped(_) => reshaping_rules(request),
        Resolution::Rejected(reasons) => reasons.iter().copied().flat_map(rules_of).collect(),
        Resolution::Open { question, .. } => rules_of(question.reason())
            .chain(reshaping_rules(request))
            .distinct(),
    }
}

/// Whether a request concerns a rule, so that a backend that breaks the rule could be seen. `is_open` is whether the
/// text leaves the request open; then how a zero is read may be the question.
pub(crate) fn exercises(request: &Request, rule: Rule, is_open: bool) -> bool {
    let values = request.values();
    let (has_zero, has_negative) = (values.contains(&0), values.iter().any(|value| *value < 0));
    let zero_attribute = request.operator.zero_attribute();
    let says_zero_mode =
        zero_attribute.is_some_and(|zero| request.attributes.contains_key(zero.name));
    let copies = copies_zero(request).filter(|_| !is_open);
    let by_default = zero_attribute.and_then(|zero| zero.copies_by_default);
    match rule {
        Rule::TargetIsOutputShape => values.iter().any(|value| *value > 0),
        Rule::InferredMinusOne | Rule::OneMinusOne => has_negative,
        Rule::CopiedZero | Rule::CopyWithinRank => has_zero && copies != Some(false),
        Rule::LiteralZero => has_zero && copies != Some(true),
        // Either alone is valid, and so are a 0 that copies and a -1; only a literal 0 and a -1 together are not.
        Rule::ZeroWithMinusOne => {
            (has_zero && has_negative) || ((has_zero || has_negative) && copies != Some(true))
        }
        Rule::EmptyTarget => request.target.is_some() && values.is_empty(),
        Rule::TargetValues => !values.is_empty(),
        Rule::TargetType | Rule::TargetIsFlat => request.target.is_some(),
        Rule::ZeroModeAttribute | Rule::ZeroModeType => {
            says_zero_mode || !request.attributes.is_empty() || zero_attribute.is_some()
        }
        Rule::ZeroModeDefault => !says_zero_mode || (by_default.is_some() && copies == by_default),
        Rule::LegacyAttribute => !request.attributes.is_empty(),
        Rule::LeftToRight => values.len() > 1,
        Rule::CopiedWhenAsked | Rule::SharedWhenAsked | Rule::SharedWherePossible => {
            sharing_rule(request) == Some(rule)
        }
        Rule::SameCount
        | Rule::SameContent
        | Rule::TargetPresent
        | Rule::ElementTypes
        | Rule::DataInput
        | Rule::Version
        | Rule::LikeNumpy
        | Rule::LayoutIsFree
        | Rule::ViewOrCopyIsFree
        | Rule::UsageAdvice
        | Rule::Example => true,
    }
}

/// The rule that a reason breaks, and the rule about the last index at which a 0 may copy, if the reason breaks that.
fn rules_of(reason: Reason) -> impl Iterator<Item = Rule> {
    let bound = (reason == Reason::CopyPastRank).then_some(Rule::CopyWithinRank);
    std::iter::once(reason.rule()).chain(bound)
}

/// The rules that apply when a target resolves.
fn reshaping_rules(request: &Request) -> Vec<Rule> {
    let values = request.values();
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
        // Where a text does not mention the two together, no clause is cited.
        let both = Rule::ZeroWithMinusOne;
        if rules.contains(&Rule::LiteralZero) && request.operator.states(both) {
            rules.push(both);
        }
    }
    if values.is_empty() {
        rules.push(Rule::EmptyTarget);
    }
    rules.extend([Rule::SameCount, Rule::SameContent]);
    rules.extend(sharing_rule(request).filter(|rule| *rule != Rule::SharedWherePossible));
    rules
}
