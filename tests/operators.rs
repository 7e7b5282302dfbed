//! The table of operators through the public library: each row agrees with its clauses, and clauses and operators are
//! found by their names.

#![allow(clippy::unwrap_used, reason = "a test")]

use reshape_conformance::semantics::operator::{
    Family, OPERATORS, Operator, Rule, Selector, TargetSource,
};
use reshape_conformance::semantics::request::Target;
use reshape_conformance::tensor::ElementType;
use std::collections::BTreeSet;

/// The ids of the normative statements found in the texts that were read statement by statement, one per line.
const STATEMENTS: &str = include_str!("../src/semantics/operator/clauses/statements.txt");

/// The words of a text, without punctuation. A point between digits is part of a version.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '.'));
    words.map(|word| word.trim_end_matches('.'))
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
            numeric_in_openvino()
        } else {
            listed_by_clauses(operator)
        };
        assert_eq!(types, listed, "{operator}");
    }
}

/// The element types that OpenVINO has and that its text calls numeric.
fn numeric_in_openvino() -> BTreeSet<ElementType> {
    let all = ElementType::ALL.iter().copied();
    all.filter(|element_type| element_type.openvino_names().is_some())
        .filter(|of| !matches!(of, ElementType::Bool | ElementType::String))
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
            // A year and a month have a point between them.
            let digits = version.map(|version| version.replace('.', ""));
            let expected = (operator.version > 0).then(|| operator.version.to_string());
            assert_eq!(digits, expected, "{operator}");
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
            assert!(
                operator.clauses_of(rule).next().is_some(),
                "{operator} {rule}"
            );
        }
    }
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
fn what_is_not_tested_both_ways_says_why_in_a_sentence() {
    for of in OPERATORS.iter().flat_map(Operator::clauses) {
        let why = of.clause.tested.why();
        assert!(why.is_none_or(|why| why.ends_with('.')), "{of}");
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

fn versions(text: &str) -> Vec<u32> {
    let selector: Selector = text.parse().expect(text);
    let operators = selector.operators().iter();
    operators.map(|operator| operator.version).collect()
}

#[test]
fn a_range_takes_the_versions_for_which_all_its_conditions_hold() {
    let all: Vec<_> = OPERATORS
        .iter()
        .filter(|operator| operator.family == Family::Onnx)
        .map(|operator| operator.version)
        .collect();
    assert_eq!(versions("onnx"), all);
    let holding = |holds: fn(&u32) -> bool| all.iter().copied().filter(holds).collect::<Vec<_>>();
    for (text, expected) in [
        ("onnx >= 14", holding(|v| *v >= 14)),
        ("onnx > 14", holding(|v| *v > 14)),
        ("onnx <= 14", holding(|v| *v <= 14)),
        ("onnx < 14", holding(|v| *v < 14)),
        ("onnx == 14", vec![14]),
        ("onnx = 14", vec![14]),
        // Between two versions, and without spaces.
        ("onnx>=15", holding(|v| *v >= 19)),
        ("onnx<15", holding(|v| *v <= 14)),
        ("onnx >= 14, < 23", vec![14, 19, 21]),
        (" onnx>13,<=21 ", vec![14, 19, 21]),
        ("onnx < 23, >= 14, > 14", vec![19, 21]),
        ("onnx.Reshape-14", vec![14]),
        ("onednn", vec![0]),
    ] {
        assert_eq!(versions(text), expected, "{text}");
    }
    assert_eq!(
        versions("onednn-spec"),
        [1],
        "a family whose name begins with another's"
    );
}

fn error(text: &str) -> String {
    text.parse::<Selector>().expect_err(text).to_string()
}

#[test]
fn what_names_no_operator_is_answered_with_what_could_be_meant() {
    for (text, description) in [
        ("", "one of onnx, openvino"),
        ("tensorflow", "onednn.StaticReshape"),
        ("Onnx", "did you mean onnx"),
        ("openvino.Reshape1", "did you mean openvino.Reshape-1?"),
        ("openvino.Reshape-2", "openvino has only openvino.Reshape-1"),
        (
            "onnx.Reshape-15",
            "Reshape changed at onnx 1, 5, 13, 14, 19, 21, 23, 24, 25, and onnx 15 runs onnx.Reshape-14",
        ),
        ("onnx == 22", "and onnx 22 runs onnx.Reshape-21"),
        ("onnx.Reshape-x", "Reshape changed at onnx 1, 5"),
    ] {
        let error = error(text);
        assert!(error.contains(description), "{text}: {error}");
    }
}

#[test]
fn a_range_without_versions_is_an_error() {
    for text in ["onnx > 999", "onnx < 1", "onnx == 2", "onnx > 21, < 21"] {
        let error = error(text);
        assert!(
            error.contains("holds for no operator: Reshape changed at"),
            "{error}"
        );
    }
    for text in [
        "onnx => 14",
        "onnx >=",
        "onnx ~ 3",
        "onnx14",
        "onnx,",
        "onnx, >= 14",
        "onnx >= 14,",
        "onnx >= 14 < 25",
        "onnx >= x",
        "onnx >= -1",
        "onnx >= 99999999999",
    ] {
        let error = error(text);
        assert!(
            error.contains("is not a range of operators"),
            "{text}: {error}"
        );
        assert!(error.contains("'onnx >= 14, < 25'"), "{text}: {error}");
    }
}

#[test]
fn a_target_of_bool_holds_its_values() {
    let target = Target {
        element_type: ElementType::Bool,
        dims: vec![2],
        values: vec![1, 0],
    };
    let mut bytes = Vec::new();
    target.tensor().write_bytes(&mut bytes);
    assert_eq!(bytes, [1, 0]);
}
