//! What a case can show about the rules that it cites.

use super::{Case, Cover, Expectation};
use crate::semantics::operator::{Operator, Rule};
use crate::semantics::oracle;
use crate::tensor::ElementType;

/// Rules that a request breaks in one way, which has a reason of its own.
const BROKEN_ONE_WAY: &[Rule] = &[
    Rule::OneMinusOne,
    Rule::ZeroWithMinusOne,
    Rule::TargetValues,
    Rule::TargetType,
    Rule::TargetIsFlat,
    Rule::TargetPresent,
    Rule::ZeroModeType,
    Rule::ElementTypes,
];

impl Case {
    /// Whether the case shows what it cites, for one of its operators.
    pub(crate) fn shows_cover(&self, cover: &Cover) -> bool {
        match cover {
            Cover::Rule(rule) => self
                .operators
                .iter()
                .any(|operator| operator.states(*rule) && self.shows(operator, *rule)),
            Cover::Clause(of) => of.clause.rules().any(|rule| self.shows(of.operator, rule)),
        }
    }

    /// Those of the rules that the case can cite and shows, each once.
    pub(crate) fn shown(&self, rules: impl IntoIterator<Item = Rule>) -> Vec<Rule> {
        let mut shown: Vec<Rule> = Vec::new();
        for rule in rules {
            let is_new = !shown.contains(&rule) && rule.is_citable();
            if is_new && self.shows_cover(&Cover::Rule(rule)) {
                shown.push(rule);
            }
        }
        shown
    }

    /// Whether a backend that breaks the rule could fail this case: its request is about the rule, and a request that is
    /// rejected for another reason shows nothing about a rule that it does not break.
    pub(crate) fn shows(&self, operator: &'static Operator, rule: Rule) -> bool {
        let expectation = &**self.expectation(operator);
        let could = match expectation {
            Expectation::Rejected(reasons) if BROKEN_ONE_WAY.contains(&rule) => {
                reasons.iter().any(|reason| reason.rule() == rule)
            }
            Expectation::Rejected(_) | Expectation::Reshaped(_) | Expectation::Open { .. } => true,
        };
        // What a request is about does not depend on the element type.
        let types = self.element_types(operator);
        let element_type = types.first().copied().unwrap_or(ElementType::F32);
        let is_open = matches!(expectation, Expectation::Open { .. });
        could && oracle::exercises(&self.request(operator, element_type), rule, is_open)
    }
}
