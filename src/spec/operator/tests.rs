//! Laws of the table of operators.

use super::*;

#[test]
fn every_word_is_printed_as_it_is_written_in_files() {
    for binding in Binding::ALL {
        assert_eq!(binding.to_string().parse(), Ok(*binding));
    }
    for rule in Rule::ALL {
        assert_eq!(rule.to_string().parse(), Ok(*rule));
        assert_eq!(rule.is_citable(), rule.name() != "example");
    }
    let layouts: std::collections::BTreeSet<_> =
        Layout::ALL.iter().map(|layout| layout.name()).collect();
    assert_eq!(layouts.len(), Layout::ALL.len());
    assert!(
        layouts
            .iter()
            .all(|name| name.len() > 5 && *name != "xyzzy")
    );
    assert!(
        Question::ALL
            .iter()
            .all(|question| question.to_string() == question.name())
    );
    assert!(
        Reason::ALL
            .iter()
            .all(|reason| reason.to_string() == reason.name())
    );
    for level in [Level::Must, Level::Should, Level::May, Level::Open] {
        assert_eq!(
            serde_json::to_value(level).ok(),
            Some(serde_json::Value::from(level.to_string()))
        );
    }
}

#[test]
fn a_clause_is_about_the_rules_it_says_and_no_other() {
    for of in OPERATORS.iter().flat_map(Operator::clauses) {
        let said: Vec<_> = of.clause.rules().collect();
        assert!(
            Rule::ALL
                .iter()
                .all(|rule| of.clause.is_about(*rule) == said.contains(rule)),
            "{of}"
        );
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
fn the_target_is_an_attribute_where_the_text_lists_no_second_input() {
    let attribute: Vec<_> = OPERATORS
        .iter()
        .filter(|one| one.target_is_attribute())
        .map(|one| one.name)
        .collect();
    assert_eq!(
        attribute,
        [
            "onnx.Reshape-1",
            "onednn-spec.StaticReshape-1",
            "onednn.StaticReshape"
        ]
    );
}

#[test]
fn each_version_lists_as_many_element_types_as_its_text() {
    let counts: Vec<_> = OPERATORS
        .iter()
        .map(|operator| (operator.name, operator.element_types.len()))
        .collect();
    let onnx = [
        (1, 3),
        (5, 15),
        (13, 16),
        (14, 16),
        (19, 20),
        (21, 22),
        (23, 23),
        (24, 24),
        (25, 26),
    ];
    for ((name, count), (version, expected)) in counts.iter().zip(onnx) {
        assert_eq!(
            (*name, *count),
            (format!("onnx.Reshape-{version}").as_str(), expected)
        );
    }
    assert_eq!(
        counts[9..],
        [
            ("openvino.Reshape-1", 19),
            ("onednn-spec.StaticReshape-1", 3),
            ("onednn.StaticReshape", 3)
        ]
    );
}

#[test]
fn clause_ids_are_unique_and_every_operator_has_the_rules_that_all_share() {
    for operator in OPERATORS {
        let ids: std::collections::BTreeSet<_> =
            operator.clauses().map(|of| of.to_string()).collect();
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
        let zero = if operator.zero_attribute().is_some() {
            Rule::LiteralZero
        } else {
            Rule::CopiedZero
        };
        assert!(
            operator.clauses_of(zero).next().is_some(),
            "{operator} {zero}"
        );
    }
}

#[test]
fn the_statements_of_the_five_texts_are_all_there() {
    let texts = OPERATORS
        .iter()
        .filter(|operator| operator.family != Family::Onnx || operator.version <= 14);
    let clauses: std::collections::BTreeSet<_> = texts
        .flat_map(|operator| operator.clauses())
        .map(|of| of.to_string())
        .collect();
    let statements: std::collections::BTreeSet<_> = STATEMENTS.lines().map(str::to_owned).collect();
    assert_eq!(statements.len(), 126);
    assert_eq!(statements, clauses);
}

#[test]
fn later_onnx_versions_say_what_14_says_but_for_version_and_types() {
    let said = |name: &str| -> Vec<_> {
        let operator = Operator::named(name).expect("an operator");
        operator
            .clauses()
            .filter(|of| !matches!(of.clause.id, "since" | "types"))
            .map(|of| of.clause)
            .collect()
    };
    for version in [19, 21, 23, 24, 25] {
        assert_eq!(
            said("onnx.Reshape-14"),
            said(&format!("onnx.Reshape-{version}"))
        );
    }
}

#[test]
fn selectors_name_families_single_operators_and_bounds() {
    let names = |text: &str| -> Vec<u32> {
        let selector: Selector = text.parse().expect("a selector");
        selector
            .operators()
            .iter()
            .map(|operator| operator.version)
            .collect()
    };
    assert_eq!(names("onnx >= 23"), [23, 24, 25]);
    assert_eq!(names("onnx<13"), [1, 5]);
    assert_eq!(names("onnx.Reshape-14"), [14]);
    assert_eq!(names("onednn"), [0]);
    for wrong in [
        "onnx >= 99",
        "onnx ~ 3",
        "ONNX",
        "onnx.Reshape-2",
        "",
        "onnx >=",
    ] {
        assert!(wrong.parse::<Selector>().is_err(), "{wrong}");
    }
}
