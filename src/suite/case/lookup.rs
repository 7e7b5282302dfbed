//! Names in case files: rules, clauses, reasons and questions, and the form of a case's name.

use super::{Case, Cover, Expectation};
use crate::names::{Distinct, Joined, suggestion};
use crate::semantics::operator::{OPERATORS, Operator, Rule, Selector, in_short};
use crate::semantics::oracle;
use crate::tensor::ElementType;
use crate::yaml::{Faults, Node};

/// The rule with this name, if one of the operators has a clause of it; or the clause with this id, of each operator
/// that its selector names. `node` is the place of the id.
pub(super) fn covers(
    faults: &mut Faults<'_>,
    node: &Node,
    id: &str,
    operators: &[&'static Operator],
) -> Option<Vec<Cover>> {
    if let Ok(rule) = id.parse::<Rule>() {
        let clause = operators.iter().find_map(|of| of.clauses_of(rule).next());
        let Some(clause) = clause else {
            let all = OPERATORS.iter();
            let able: Vec<_> = all.filter(|operator| operator.states(rule)).collect();
            let message = format!("no operator of the case has a clause of the rule '{id}'");
            let hint = format!("the operators with such a clause are {}", in_short(&able));
            return faults.wrong(node, message, hint);
        };
        if !rule.is_citable() {
            let message = format!("'{id}' would cover every example of every text");
            let hint =
                format!("cite the clause of the example that the case shows, such as {clause}");
            return faults.wrong(node, message, hint);
        }
        return Some(vec![Cover::Rule(rule)]);
    }
    let Some((selector, clause)) = id.split_once('/') else {
        let rules = Rule::ALL.iter().filter(|rule| rule.is_citable());
        let rules: Vec<_> = rules.map(|rule| rule.name()).collect();
        let all = format!("the rules are {}", rules.join(", "));
        let hint = match id.parse::<Selector>() {
            Ok(_) => format!("cite a clause of it as '{id}/…'; `coverage` lists them all"),
            Err(_) => suggestion(id, rules.iter().copied(), all),
        };
        return faults.wrong(node, format!("unknown rule '{id}'"), hint);
    };
    let selector: Selector = match selector.parse() {
        Ok(selector) => selector,
        Err(why) => return faults.wrong(node, format!("{why}"), ""),
    };
    let mut covers = Vec::new();
    for operator in selector.operators() {
        if !operators.contains(operator) {
            let message =
                format!("the case does not run on {operator}, so it cannot cover its clauses");
            return faults.wrong(node, message, "");
        }
        let Some(found) = operator.clauses().find(|of| of.clause.id == clause) else {
            let lists = format!("`coverage {operator}/` lists its clauses");
            let hint = suggestion(clause, operator.clauses().map(|of| of.clause.id), lists);
            return faults.wrong(node, format!("{operator} has no clause '{clause}'"), hint);
        };
        covers.push(Cover::Clause(found));
    }
    Some(covers)
}

/// The most characters of a case's name, which becomes part of file names.
const MAX_NAME: usize = 100;

/// Whether a name is a valid name of a case: in kebab case, and not too long.
pub(crate) fn is_case_name(name: &str) -> bool {
    name.len() <= MAX_NAME && is_hyphenated(name)
}

/// Whether a text is lowercase words and digits, joined by hyphens.
pub(crate) fn is_hyphenated(text: &str) -> bool {
    text.split('-').all(|word| {
        let mut bytes = word.bytes();
        !word.is_empty() && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

/// A case name from any texts: their words in lower case, joined by hyphens; `otherwise` if they have no words.
pub(in crate::suite) fn case_name(parts: &[&str], otherwise: &str) -> String {
    let words = parts.iter();
    let words = words.flat_map(|part| part.split(|c: char| !c.is_ascii_alphanumeric()));
    let words = words.filter(|word| !word.is_empty());
    let mut name = words.joined("-").to_ascii_lowercase();
    if name.len() > MAX_NAME {
        // So that a number may follow.
        name.truncate(MAX_NAME - 10);
        name.truncate(name.trim_end_matches('-').len());
    }
    match name.is_empty() {
        true => otherwise.to_owned(),
        false => name,
    }
}

/// Checks the text of `about`.
pub(super) fn check_about(about: &str) -> Result<(), String> {
    if about.trim().is_empty() {
        return Err("`about` says nothing".to_owned());
    }
    let odd = about.chars().find(|c| c.is_control() && *c != '\n');
    match odd {
        Some(odd) => Err(format!("the character U+{:04X} in `about`", u32::from(odd))),
        None => Ok(()),
    }
}

/// The form of case names, for messages.
pub(crate) const CASE_NAMES: &str = "lower-case words and digits joined by hyphens, such as two-minus-ones, in at most 100 characters";

/// Rules that a request can break in only one way, with a separate reason.
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

    /// The rules that the case can cite and shows, each once.
    pub(crate) fn shown(&self, rules: impl IntoIterator<Item = Rule>) -> Vec<Rule> {
        let mut shown = rules.into_iter().distinct();
        shown.retain(|rule| rule.is_citable() && self.shows_cover(&Cover::Rule(*rule)));
        shown
    }

    /// Whether a backend that breaks the rule could fail this case. Its request must concern the rule. A request that
    /// is rejected for another reason shows nothing about a rule that it does not break.
    pub(crate) fn shows(&self, operator: &'static Operator, rule: Rule) -> bool {
        let expectation = &**self.expectation(operator);
        let could = match expectation {
            Expectation::Rejected(reasons) if BROKEN_ONE_WAY.contains(&rule) => {
                reasons.iter().any(|reason| reason.rule() == rule)
            }
            Expectation::Rejected(_) | Expectation::Reshaped(_) | Expectation::Open { .. } => true,
        };
        // The rules that a request concerns do not depend on the element type.
        let types = self.element_types(operator);
        let element_type = types.first().copied().unwrap_or(ElementType::F32);
        let is_open = matches!(expectation, Expectation::Open { .. });
        could && oracle::exercises(&self.request(operator, element_type), rule, is_open)
    }
}
