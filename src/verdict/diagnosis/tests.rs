//! Tests of diagnosis: planted faults are found.

use super::Observations;
use crate::backend::Backend;
use crate::backend::mutant::MutantBackend;
use crate::event::Cause;
use crate::spec::operator::Operator;
use crate::spec::request::Call;
use crate::suite::Suite;
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use crate::verdict::judge::judge;
use crate::verdict::mutant::Mutant;

/// The causes found for a backend with these faults, on two operators and four element types.
fn causes(names: &[&str]) -> Vec<Cause> {
    let suite = Suite::built_in().expect("the suite");
    let operators = ["onnx.Reshape-14", "openvino.Reshape-1"]
        .map(|name| Operator::named(name).expect("an operator"));
    let patterns = ["*/*/{f32,f16,f64,string}/*".to_owned()];
    let selection =
        Selection::new(&patterns, false, Some(operators.to_vec())).expect("a selection");
    let mutants: Vec<_> = names
        .iter()
        .map(|name| Mutant::named(name).expect("a mutant"))
        .collect();
    let mut backend = MutantBackend::new(&mutants);
    let mut observations = Observations::default();
    for trial in Plan::new(&suite, &selection, None).trials() {
        let request = trial.request();
        let data = trial.case.data(trial.element_type).expect("data");
        let outcome = backend.reshape(&Call {
            request,
            binding: trial.binding,
            surrounding: None,
            data: &data,
        });
        let verdict = judge(trial.case.expectation(trial.operator), &data, &outcome);
        observations.add(trial, verdict.kind(), Some(&outcome));
    }
    observations.causes()
}

#[test]
fn the_reference_has_no_causes() {
    assert_eq!(causes(&[]), []);
}

#[test]
fn a_single_fault_is_one_cause_that_nothing_contradicts() {
    for name in [
        "zero-never-copies",
        "copied-zero-from-the-right",
        "runtime-target-in-i32",
        "nan-quieted",
        "column-major",
    ] {
        let found = causes(&[name]);
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        assert_eq!(
            (found[0].mutants.as_slice(), found[0].against),
            (&[name.to_owned()][..], 0)
        );
    }
}

#[test]
fn of_ten_planted_pairs_nearly_all_are_named() {
    let pairs = [
        ["zero-always-copies", "counts-in-32-bits"],
        ["copied-zero-from-the-right", "count-unchecked"],
        ["second-minus-one-is-1", "nan-quieted"],
        ["minus-one-rounds-down", "column-major"],
        ["runtime-target-in-i32", "one-value-at-run-flattens"],
        ["any-negative-is-minus-one", "last-element-lost"],
        ["copied-zero-clamped", "empty-tensors-refused"],
        ["dims-of-1-dropped", "f64-through-f32"],
        ["zero-mode-inverted", "strings-trimmed"],
        ["ranks-past-6-refused", "count-unchecked-on-empty-data"],
    ];
    let mut named = 0;
    for pair in pairs {
        let found = causes(&pair);
        let names: Vec<_> = found
            .iter()
            .flat_map(|cause| cause.mutants.iter().chain(&cause.or))
            .collect();
        if pair
            .iter()
            .all(|name| names.iter().any(|named| named == name))
        {
            named += 1;
        }
    }
    assert!(named >= 8, "{named} of {}", pairs.len());
}
