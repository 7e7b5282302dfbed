use super::{ClauseStatus, Coverage, Summary, Way};
use crate::semantics::operator::{Binding, Level, OPERATORS, Rule, Tested};
use crate::suite::Suite;
use crate::tensor::{Class, ElementType};
use std::collections::BTreeSet;

/// The coverage of a clause by cases of `openvino.Reshape-1`: what each cites, its data, target, attributes, expectation.
fn coverage(clause: &str, cases: &[[&str; 5]]) -> Coverage {
    let operator = clause.split('/').next().unwrap_or_default();
    let case = |(index, [covers, data, shape, attributes, expect]): (usize, &[&str; 5])| {
        format!(
            "- {{name: case-{index}, operators: [{operator}], covers: [{covers}], data: {{{data}}}, shape: {shape}, \
             attributes: {{{attributes}}}, expect: {{{expect}}}}}\n"
        )
    };
    let text: String = cases.iter().enumerate().map(case).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cases.yaml");
    std::fs::write(&path, text).expect("a file");
    let suite = Suite::from_paths(&[path]).unwrap_or_else(|error| panic!("{error}"));
    Coverage::of(&suite, |of| of.to_string() == clause)
}

const COPIED: [&str; 5] = [
    "copied-zero",
    "shape: [2, 3]",
    "[0, 3]",
    "special_zero: true",
    "shape: [2, 3]",
];
const COPY_PAST_RANK: [&str; 5] = [
    "copied-zero",
    "shape: [6]",
    "[6, 0]",
    "special_zero: true",
    "rejected: copy-past-rank",
];

#[test]
fn the_built_in_suite_has_no_gap() {
    let suite = Suite::built_in().unwrap_or_else(|error| panic!("{error}"));
    let coverage = Coverage::of(&suite, |_| true);
    let gaps: Vec<_> = coverage.gaps().iter().map(ToString::to_string).collect();
    assert!(gaps.is_empty(), "{}", gaps.join("\n"));
    assert_eq!(coverage.statements(), (130, 130));
    let (covered, testable) = Summary::of(&coverage.clauses).must_covered();
    assert_eq!(covered, testable);
}

#[test]
fn the_built_in_suite_tries_every_element_type_on_every_operator() {
    let suite = Suite::built_in().unwrap_or_else(|error| panic!("{error}"));
    for operator in OPERATORS {
        let cases = suite.cases().iter();
        let of_operator = cases.filter(|case| case.operators.contains(&operator));
        let tried: BTreeSet<_> = of_operator
            .flat_map(|case| case.element_types(operator))
            .collect();
        let all = ElementType::ALL.iter();
        let missing: Vec<_> = all.filter(|one| !tried.contains(one)).collect();
        assert!(missing.is_empty(), "{operator}: {missing:?}");
    }
}

#[test]
fn what_is_not_tested_both_ways_says_why() {
    for of in OPERATORS.iter().flat_map(|operator| operator.clauses()) {
        assert_eq!(
            of.clause.tested.why().is_none(),
            of.clause.tested == Tested::Both,
            "{of}"
        );
        assert!(
            of.clause.tested.why().is_none_or(|why| why.ends_with('.')),
            "{of}"
        );
    }
}

#[test]
fn a_rule_that_is_cited_covers_a_clause_for_that_rule_alone() {
    // This clause says what a copied zero is and what a literal one is.
    let coverage = coverage(
        "openvino.Reshape-1/shape/zero-copy",
        &[COPIED, COPY_PAST_RANK],
    );
    let [covered] = coverage.clauses.as_slice() else {
        panic!("one clause")
    };
    assert_eq!(
        covered.missing(),
        [
            (Rule::LiteralZero, Way::Accepting),
            (Rule::LiteralZero, Way::Rejecting)
        ]
    );
    assert_eq!(covered.status(), ClauseStatus::Gap);
}

#[test]
fn a_clause_that_is_cited_is_covered_for_every_rule_it_says() {
    let id = "openvino.Reshape-1/shape/zero-copy";
    let cited = |[_, data, shape, attributes, expect]: [&'static str; 5]| {
        [id, data, shape, attributes, expect]
    };
    let coverage = coverage(id, &[cited(COPIED), cited(COPY_PAST_RANK)]);
    assert_eq!(coverage.gaps(), []);
    assert_eq!(coverage.clauses[0].status(), ClauseStatus::BothWays);
}

#[test]
fn an_open_case_fills_no_gap() {
    let open = [
        "inferred-minus-one",
        "shape: [0, 3]",
        "[0, -1]",
        "special_zero: true",
        "open: indeterminate-dimension",
    ];
    let coverage = coverage("openvino.Reshape-1/shape/minus-one", &[open]);
    let ways: Vec<_> = coverage.gaps().iter().map(|gap| gap.way).collect();
    assert_eq!(ways, [Way::Accepting, Way::Rejecting]);
}

#[test]
fn one_way_is_enough_where_there_is_no_other() {
    let same_content = [
        "same-content",
        "shape: [2, 3]",
        "[3, 2]",
        "special_zero: true",
        "shape: [3, 2]",
    ];
    let coverage = coverage("openvino.Reshape-1/output/same-content", &[same_content]);
    assert_eq!(coverage.clauses[0].status(), ClauseStatus::OneWay);
}

#[test]
fn only_must_clauses_have_gaps() {
    let numpy = ["like-numpy", "shape: [6]", "[3, 2]", "", "shape: [3, 2]"];
    let coverage = coverage("onnx.Reshape-14/like-numpy", &[numpy]);
    assert_eq!(coverage.clauses[0].of.clause.level, Level::Open);
    assert_eq!(coverage.clauses[0].status(), ClauseStatus::Partly);
    assert_eq!(coverage.gaps(), []);
}

#[test]
fn a_cell_is_a_way_a_class_and_a_binding() {
    let types = "shape: [2, 3], element_types: [f32, f64, i4]";
    let coverage = coverage(
        "openvino.Reshape-1/special-zero/true-copy",
        &[["copied-zero", types, COPIED[2], COPIED[3], COPIED[4]]],
    );
    let cells = coverage.clauses[0].cells();
    assert_eq!(cells.len(), 2 * 4);
    assert_eq!(
        cells[&(Way::Accepting, Class::Float, Binding::RuntimeDynamic)],
        ["case-0"]
    );
    assert_eq!(
        cells[&(
            Way::Accepting,
            Class::SubByteInteger,
            Binding::ConstantStatic
        )],
        ["case-0"]
    );
}

#[test]
fn a_gap_says_what_to_add() {
    let coverage = coverage("openvino.Reshape-1/shape/one-minus-one", &[COPIED]);
    let gaps: Vec<_> = coverage.gaps().iter().map(ToString::to_string).collect();
    let [accepting, rejecting] = gaps.as_slice() else {
        panic!("{gaps:?}")
    };
    assert!(
        accepting
            .contains("no accepting case tests one-minus-one; add a case on openvino.Reshape-1"),
        "{accepting}"
    );
    assert!(rejecting.contains("expects a rejection"), "{rejecting}");
}

#[test]
fn a_rejection_for_another_reason_shows_nothing_about_a_rule_that_it_does_not_break() {
    let of = |reason: &'static str| {
        let case = [
            "one-minus-one",
            "shape: [6]",
            "[-2, -3]",
            "special_zero: true",
            reason,
        ];
        let coverage = coverage("openvino.Reshape-1/shape/one-minus-one", &[case]);
        coverage.clauses[0].in_way(Way::Rejecting).count()
    };
    assert_eq!(of("rejected: below-minus-one"), 0);
    assert_eq!(of("rejected: two-minus-ones"), 1);
}
