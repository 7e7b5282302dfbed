//! Laws of the fields of `Rules`: each compares a row with its clauses, or rows with each other. `tests/operators.rs` has the
//! laws of what is public.

use super::*;
use crate::tensor::ElementType;
use std::collections::BTreeSet;

/// The words of a text, without punctuation.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
}

#[test]
fn the_list_of_element_types_is_tested_by_rejections_unless_it_has_every_type() {
    let rejects =
        |operator: &&Operator| operator.rules.element_type_outside == Strictness::MustReject;
    for operator in OPERATORS.iter().filter(rejects) {
        let has_all = operator.element_types.len() == ElementType::ALL.len();
        for of in operator.clauses_of(Rule::ElementTypes) {
            let never_rejects = matches!(of.clause.tested, Tested::Accepting(_));
            assert_eq!(never_rejects, has_all, "{of}");
        }
    }
}

#[test]
fn each_operator_has_the_target_element_types_that_its_clauses_list() {
    for operator in OPERATORS {
        let types = operator.rules.target.element_types.iter().copied();
        let types: BTreeSet<_> = types.collect();
        // ONNX Reshape-1 gives the type of its attribute by its name alone.
        let clauses = operator.clauses_of(Rule::TargetType);
        let named = clauses.flat_map(|of| words(of.clause.description));
        let named: BTreeSet<_> = named.filter_map(|word| word.parse().ok()).collect();
        let listed = if named.is_empty() {
            BTreeSet::from([ElementType::I64])
        } else {
            named
        };
        assert_eq!(types, listed, "{operator}");
    }
}

#[test]
fn zeros_are_read_as_the_clauses_say() {
    for operator in OPERATORS {
        let attribute = operator.zero_attribute();
        let by_default = attribute.and_then(|attribute| attribute.copies_by_default);
        for (is_so, rule) in [
            (operator.can_copy_zeros(), Rule::CopiedZero),
            (operator.can_have_literal_zeros(), Rule::LiteralZero),
            (attribute.is_some(), Rule::ZeroModeAttribute),
            (by_default.is_some(), Rule::ZeroModeDefault),
        ] {
            assert_eq!(is_so, operator.states(rule), "{operator} {rule}");
        }
    }
}

#[test]
fn what_a_text_decides_rests_on_a_must_or_may_clause() {
    for operator in OPERATORS {
        let decided = |rule: Rule| {
            let mut clauses = operator.clauses_of(rule);
            clauses.any(|of| matches!(of.clause.level, Level::Must | Level::May))
        };
        let rules = &operator.rules;
        for (strictness, rule) in [
            (rules.literal_zero_with_minus_one, Rule::ZeroWithMinusOne),
            (rules.below_minus_one, Rule::TargetValues),
            (rules.target.empty, Rule::EmptyTarget),
        ] {
            let is_open = matches!(strictness, Strictness::Open(_));
            assert_eq!(is_open, !decided(rule), "{operator} {rule}");
        }
    }
}

#[test]
fn versions_of_a_family_have_the_same_rules_exactly_when_they_say_the_same() {
    let mut same = 0;
    for (index, one) in OPERATORS.iter().enumerate() {
        let sisters = OPERATORS[index + 1..].iter();
        for other in sisters.filter(|other| other.family == one.family) {
            let same_words = clauses(one) == clauses(other);
            assert_eq!(one.rules == other.rules, same_words, "{one} {other}");
            same += usize::from(one.rules == other.rules);
        }
    }
    assert!(same > 0, "sister versions exist");
}

/// What a text says that a run can test, but for the version and the element types.
fn clauses(operator: &'static Operator) -> Vec<&'static Clause> {
    let varies = [Rule::Version, Rule::ElementTypes];
    let clauses = operator.clauses().map(|of| of.clause);
    clauses
        .filter(|of| !varies.contains(&of.rule) && !matches!(of.tested, Tested::Not(_)))
        .collect()
}

#[test]
fn only_examples_cannot_be_cited_as_a_rule() {
    let not: Vec<_> = Rule::ALL.iter().filter(|rule| !rule.is_citable()).collect();
    assert_eq!(not, [&Rule::Example]);
}

#[test]
fn readers_differ_on_each_question() {
    for question in Question::ALL {
        let choices = question.choices();
        let mut each = choices.iter();
        let accepts = each.any(|choice| *choice != ReadersChoice::Reject);
        assert!(accepts, "{question}");
        assert!(choices.contains(&ReadersChoice::Reject), "{question}");
        // The words begin with the same choice.
        let own = question.choice().starts_with("reject");
        assert_eq!(own, choices[0] == ReadersChoice::Reject, "{question}");
    }
}
