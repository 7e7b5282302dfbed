//! Laws of the table of operators: each compares a row with its clauses, or rows with each other.

use super::*;
use crate::tensor::{ElementType, Representation};
use std::collections::BTreeSet;

/// The words of a text, without punctuation.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
}

/// The element types that the clauses of an operator list, by their names or by the name of an earlier version.
fn listed_by_clauses(operator: &'static Operator) -> BTreeSet<ElementType> {
    let clauses = operator.clauses_of(Rule::ElementTypes);
    let words: Vec<_> = clauses
        .flat_map(|of| words(of.clause.description))
        .collect();
    let named = words.iter().filter_map(|word| word.parse().ok());
    let earlier = words.iter().filter_map(|word| {
        let name = format!("{}.{word}", operator.family);
        Operator::named(&name)
    });
    let inherited = earlier.flat_map(|operator| operator.element_types.iter().copied());
    named.chain(inherited).collect()
}

#[test]
fn each_operator_has_the_element_types_that_its_clauses_list() {
    for operator in OPERATORS {
        let types: BTreeSet<_> = operator.element_types.iter().copied().collect();
        assert_eq!(
            types.len(),
            operator.element_types.len(),
            "{operator}: twice"
        );
        // OpenVINO's text says "any numeric type": the ones that OpenVINO has.
        let listed = if operator.family == Family::Openvino {
            openvino_types(|representation| {
                !matches!(
                    representation,
                    Representation::Bool | Representation::String
                )
            })
        } else {
            listed_by_clauses(operator)
        };
        assert_eq!(types, listed, "{operator}");
    }
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
        let types: BTreeSet<_> = operator
            .rules
            .target
            .element_types
            .iter()
            .copied()
            .collect();
        // ONNX Reshape-1 gives the type of its attribute by its name alone.
        let clauses = operator.clauses_of(Rule::TargetType);
        let named: BTreeSet<_> = clauses
            .flat_map(|of| words(of.clause.description))
            .filter_map(|word| word.parse().ok())
            .collect();
        let listed = if named.is_empty() {
            BTreeSet::from([ElementType::I64])
        } else {
            named
        };
        assert_eq!(types, listed, "{operator}");
    }
}

fn openvino_types(is_listed: fn(Representation) -> bool) -> BTreeSet<ElementType> {
    let all = ElementType::ALL.iter().copied();
    all.filter(|element_type| element_type.openvino_names().is_some())
        .filter(|element_type| is_listed(element_type.representation()))
        .collect()
}

#[test]
fn versions_of_a_family_ascend_and_are_in_the_names() {
    for family in Family::ALL {
        let operators: Vec<_> = OPERATORS.iter().filter(|o| o.family == *family).collect();
        assert!(
            operators.is_sorted_by(|a, b| a.version < b.version),
            "{family}"
        );
        for operator in operators {
            let (of_family, name) = operator.name.split_once('.').expect("family.name");
            assert_eq!(of_family, family.name());
            let version = name.split_once('-').map(|(_, version)| version.to_owned());
            let expected = (operator.version > 0).then(|| operator.version.to_string());
            assert_eq!(version, expected, "{operator}");
        }
    }
}

#[test]
fn the_target_is_an_attribute_where_the_clauses_and_the_bindings_say_so() {
    for operator in OPERATORS {
        let by_clauses = operator
            .clauses_of(Rule::TargetPresent)
            .any(|of| words(of.clause.description).any(|word| word == "attribute"));
        assert_eq!(operator.target_is_attribute(), by_clauses, "{operator}");
        for binding in operator.bindings {
            let by_binding = binding.source() == TargetSource::Attribute;
            assert_eq!(
                operator.target_is_attribute(),
                by_binding,
                "{operator} {binding}"
            );
        }
        assert!(!operator.bindings.is_empty(), "{operator}");
    }
}

#[test]
fn zeros_are_read_as_the_clauses_say() {
    for operator in OPERATORS {
        let states = |rule: Rule| operator.states(rule);
        assert_eq!(
            operator.can_copy_zeros(),
            states(Rule::CopiedZero),
            "{operator}"
        );
        assert_eq!(
            operator.can_have_literal_zeros(),
            states(Rule::LiteralZero),
            "{operator}"
        );
        let attribute = operator.zero_attribute();
        assert_eq!(
            attribute.is_some(),
            states(Rule::ZeroModeAttribute),
            "{operator}"
        );
        let by_default = attribute.and_then(|attribute| attribute.copies_by_default);
        assert_eq!(
            by_default.is_some(),
            states(Rule::ZeroModeDefault),
            "{operator}"
        );
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
        let is_open = |strictness: Strictness| matches!(strictness, Strictness::Open(_));
        assert_eq!(
            is_open(rules.literal_zero_with_minus_one),
            !decided(Rule::ZeroWithMinusOne),
            "{operator}"
        );
        assert_eq!(
            is_open(rules.below_minus_one),
            !decided(Rule::TargetValues),
            "{operator}"
        );
        assert_eq!(
            is_open(rules.target.empty),
            !decided(Rule::EmptyTarget),
            "{operator}"
        );
    }
}

#[test]
fn clause_ids_are_unique_and_every_operator_has_the_rules_that_all_share() {
    for operator in OPERATORS {
        let ids: BTreeSet<_> = operator.clauses().map(|of| of.to_string()).collect();
        assert_eq!(ids.len(), operator.clauses().count(), "{operator}");
        for rule in [
            Rule::TargetIsOutputShape,
            Rule::SameCount,
            Rule::SameContent,
            Rule::InferredMinusOne,
            Rule::OneMinusOne,
        ] {
            assert!(operator.states(rule), "{operator} {rule}");
        }
    }
}

#[test]
fn versions_of_a_family_have_the_same_rules_exactly_when_they_say_the_same() {
    let mut same = 0;
    for (index, one) in OPERATORS.iter().enumerate() {
        let sisters = OPERATORS[index + 1..].iter();
        for other in sisters.filter(|other| other.family == one.family) {
            assert_eq!(
                one.rules == other.rules,
                clauses(one) == clauses(other),
                "{one} {other}"
            );
            same += usize::from(one.rules == other.rules);
        }
    }
    assert!(same > 0, "sister versions exist");
}

/// What a text says, but for the version and the element types.
fn clauses(operator: &'static Operator) -> Vec<&'static Clause> {
    let varies = [Rule::Version, Rule::ElementTypes];
    let clauses = operator.clauses().map(|of| of.clause);
    clauses
        .filter(|clause| !varies.contains(&clause.rule))
        .collect()
}

#[test]
fn each_text_that_was_read_statement_by_statement_has_a_clause_for_each() {
    let listed: BTreeSet<_> = STATEMENTS.lines().map(str::to_owned).collect();
    assert_eq!(listed.len(), STATEMENTS.lines().count(), "each once");
    let operators: BTreeSet<_> = listed
        .iter()
        .filter_map(|id| Some(id.split_once('/')?.0))
        .collect();
    let clauses: BTreeSet<_> = operators
        .iter()
        .flat_map(|name| Operator::named(name).expect(name).clauses())
        // What a schema says beside its text was not among the statements.
        .filter(|of| !of.clause.section.ends_with("(schema)"))
        .map(|of| of.to_string())
        .collect();
    assert_eq!(listed, clauses);
    let families: BTreeSet<_> = operators
        .iter()
        .filter_map(|name| name.split('.').next())
        .collect();
    assert_eq!(
        families,
        Family::ALL.iter().map(|family| family.name()).collect()
    );
}

#[test]
fn a_clause_is_about_the_rules_it_says_and_no_other() {
    for of in OPERATORS.iter().flat_map(Operator::clauses) {
        let said: Vec<_> = of.clause.rules().collect();
        for rule in Rule::ALL {
            assert_eq!(of.clause.is_about(*rule), said.contains(rule), "{of}");
        }
    }
}

#[test]
fn a_clause_is_found_by_its_id_and_only_there() {
    for of in OPERATORS.iter().flat_map(Operator::clauses) {
        assert_eq!(Operator::clause(&of.to_string()), Some(of));
    }
    for id in [
        "onnx.Reshape-14/no-such",
        "no.Such-1/zero-copies",
        "zero-copies",
        "",
    ] {
        assert_eq!(Operator::clause(id), None, "{id}");
    }
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
        let accepts = choices
            .iter()
            .any(|choice| *choice != ReadersChoice::Reject);
        assert!(accepts, "{question}");
        assert!(choices.contains(&ReadersChoice::Reject), "{question}");
        // The words begin with the same choice.
        let own = question.choice().starts_with("reject");
        assert_eq!(own, choices[0] == ReadersChoice::Reject, "{question}");
    }
}
