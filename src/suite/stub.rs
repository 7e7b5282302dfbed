//! Cases to complete, in YAML without the expectation.

use crate::names::{Grouped, Joined};
use crate::semantics::operator::{Binding, ClauseOf, OPERATORS, Operator, Rule, in_short};
use crate::semantics::oracle;
use crate::suite::case::{Case, Expectation, ZeroMode, case_name};
use crate::suite::coverage::Way;
use crate::tensor::{Class, ElementType};
use std::collections::BTreeSet;

/// Those of these operators that can express such zeros.
pub(crate) fn able(
    zero: Option<ZeroMode>,
    mut operators: Vec<&'static Operator>,
) -> Vec<&'static Operator> {
    if operators.is_empty() {
        operators.extend(OPERATORS);
    }
    operators.retain(|operator| match zero {
        None => true,
        Some(ZeroMode::Copy) => operator.can_copy_zeros(),
        Some(ZeroMode::Literal) => operator.can_have_literal_zeros(),
    });
    operators
}

/// A case with a known request; a comment gives the reference's answer.
pub(crate) fn of_case(case: &Case) -> String {
    let mut rules: BTreeSet<Rule> = BTreeSet::new();
    let types = case.element_types.as_deref().unwrap_or_default();
    let element_type = types.first().copied().unwrap_or(ElementType::F32);
    let answers = case.operators.iter().map(|operator| {
        let request = case.request(operator, element_type);
        let resolution = oracle::resolve(&request);
        // A case cannot cite a rule for an operator without a clause of that rule.
        let stated = oracle::rules(&request, &resolution).into_iter();
        rules.extend(stated.filter(|rule| operator.states(*rule)));
        (Expectation::from(resolution).to_string(), *operator)
    });
    let answers = answers.grouped();
    let rules: Vec<_> = rules.iter().map(|rule| rule.name()).collect();
    let target = case.target.as_ref();
    let shape = target.map(|target| format!("{:?}", target.values));
    let shape = shape.as_deref().unwrap_or("missing");
    let target_type = target.map(|target| target.element_type);
    let target_type = target_type.filter(|of| *of != ElementType::I64);
    let target_type = target_type.map(|of| format!("  shape_element_type: {of}\n"));
    let target_type = target_type.unwrap_or_default();
    let has_zero = target.is_some_and(|target| target.values.contains(&0));
    let zero = match case.zero {
        Some(zero) => format!("  zero: {zero}\n"),
        None if has_zero => "  attributes: {}  # the node says nothing about zeros\n".to_owned(),
        None => String::new(),
    };
    let answers = answers.iter();
    let answers = answers.map(|(answer, of)| format!("  # {}: {answer}\n", in_short(of)));
    let answers: Vec<_> = answers.collect();
    format!(
        "- name: {}\n  # about: what is special, in a sentence\n  operators: [{}]\n  covers: [{}]  # keep what the case tests\n\
         \x20 data: {{shape: {:?}, element_types: [{}]}}\n  shape: {shape}\n{target_type}{zero}\
         \x20 expect:  # from the text: {{shape: […]}}, {{rejected: REASON}} or {{open: QUESTION, allowed: […]}}\n\
         \x20 # The reference, to compare and not to copy:\n{}",
        case.name,
        quoted(&in_short(&case.operators)),
        rules.join(", "),
        case.data_shape,
        element_type,
        answers.concat().trim_end_matches('\n')
    )
}

/// A case for an empty cell of the coverage table.
pub(crate) fn for_cell(of: ClauseOf, way: Way, class: Class, bindings: &[Binding]) -> String {
    let operator = of.operator;
    let types = operator.element_types.iter().filter(|t| t.class() == class);
    let types: Vec<_> = types.map(|t: &ElementType| t.name()).collect();
    let only = || format!("  bindings: [{}]\n", bindings.iter().joined(", "));
    let is_every = bindings.len() == operator.bindings.len();
    let only = (!is_every).then(only).unwrap_or_default();
    let name = case_name(&[operator.name, of.clause.id, way.name(), class.name()], "");
    let expects = match way {
        Way::Accepting => "{shape: […]}",
        Way::Rejecting => "{rejected: REASON}",
        Way::Open => "{open: QUESTION, allowed: […]}",
    };
    format!(
        "# {of} ({}): {}\n- name: {}\n  operators: [{operator}]\n  covers: [{of}]\n  data: {{shape: […], element_types: [{}]}}\n\
         \x20 shape: […]  # the target\n{only}  expect:  # from the text: {expects}\n",
        of.clause.level,
        of.clause.description,
        name,
        types.join(", "),
    )
}

/// Selectors in a list. One with a space or a sign is quoted.
fn quoted(selectors: &str) -> String {
    let each = selectors.split(", ").map(|selector| {
        if selector.contains([' ', '<', '>', '=']) {
            format!("\"{selector}\"")
        } else {
            selector.to_owned()
        }
    });
    each.joined(", ")
}
