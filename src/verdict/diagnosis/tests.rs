//! Tests of diagnosis: planted faults are found.

use super::Observations;
use crate::backend::mutant::MutantBackend;
use crate::backend::{Backend, Reference};
use crate::event::{Cause, VerdictKind};
use crate::spec::operator::Operator;
use crate::spec::outcome::{Outcome, ProcessFailure};
use crate::spec::request::Call;
use crate::suite::Suite;
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use crate::verdict::judge::judge;
use crate::verdict::mutant::Mutant;

/// The causes found for a backend with these faults, on two operators and four element types.
fn causes(names: &[&str]) -> Vec<Cause> {
    let mutants: Vec<_> = names
        .iter()
        .map(|name| Mutant::named(name).expect("a mutant"))
        .collect();
    let mut backend = MutantBackend::new(&mutants);
    causes_of(&mut |call| backend.reshape(call))
}

/// The same for a backend that answers like this.
fn causes_of(backend: &mut dyn FnMut(&Call<'_>) -> Outcome) -> Vec<Cause> {
    let suite = Suite::built_in().expect("the suite");
    let operators = ["onnx.Reshape-14", "openvino.Reshape-1"]
        .map(|name| Operator::named(name).expect("an operator"));
    let patterns = ["*/*/{f32,f16,f64,string}/*".to_owned()];
    let selection =
        Selection::new(&patterns, false, Some(operators.to_vec())).expect("a selection");
    let mut observations = Observations::default();
    for trial in Plan::new(&suite, &selection, None).trials() {
        let request = trial.request();
        let data = trial.case.data(trial.element_type).expect("data");
        let outcome = backend(&Call {
            request,
            binding: trial.binding,
            surrounding: None,
            data: &data,
        });
        let verdict = judge(trial.case.expectation(trial.operator), &data, &outcome);
        observations.add(trial, verdict.kind(), verdict.failure(), Some(&outcome));
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

#[test]
fn a_wrong_inference_before_a_right_result_is_no_mutant() {
    let found = causes_of(&mut |call| {
        let outcome = Reference.reshape(call);
        let Outcome::Reshaped { output, .. } = outcome else {
            return outcome;
        };
        let wrong = output.shape().iter().map(|dim| Some(dim + 1)).collect();
        let is_wrong = call.binding.dynamic() && !output.shape().is_empty();
        let inferred = is_wrong.then_some(wrong);
        Outcome::Reshaped { output, inferred }
    });
    assert!(
        found.iter().all(|cause| cause.mutants.is_empty()),
        "{found:?}"
    );
}

#[test]
fn one_crash_is_one_cause_with_what_its_trials_share() {
    let mut count = 0;
    let found = causes_of(&mut |call| {
        if call.request.data_shape.len() <= 4 || !call.binding.dynamic() {
            return Reference.reshape(call);
        }
        count += 1;
        Outcome::Crashed(ProcessFailure {
            what: format!("ended without an answer (signal: 11) at {}", 1000 + count),
            log: String::new(),
        })
    });
    let [cause] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(cause.trials.len(), count);
    assert!(
        cause
            .says
            .starts_with("crashes: ended without an answer (signal: 11) at …"),
        "{cause:?}"
    );
}

#[test]
fn trials_that_pass_alone_are_one_cause_and_no_sign_of_a_mutant() {
    let suite = Suite::built_in().expect("the suite");
    let operator = Operator::named("onnx.Reshape-14").expect("an operator");
    let selection = Selection::new(&["*/*/f32/*".to_owned()], false, Some(vec![operator]));
    let mut backend = MutantBackend::new(&[Mutant::named("first-target-stays").expect("a mutant")]);
    let mut observations = Observations::default();
    let mut failed = 0;
    for trial in Plan::new(&suite, &selection.expect("a selection"), None).trials() {
        let data = trial.case.data(trial.element_type).expect("data");
        let outcome = backend.reshape(&trial.call(&data));
        let verdict = judge(trial.expectation(), &data, &outcome);
        let is_red = verdict.kind().is_red();
        failed += usize::from(is_red);
        let kind = if is_red {
            VerdictKind::Stateful
        } else {
            verdict.kind()
        };
        observations.add(trial, kind, verdict.failure(), Some(&outcome));
    }
    let found = observations.causes();
    let [cause] = &found[..] else {
        panic!("{found:?}");
    };
    assert!(
        cause
            .says
            .starts_with("fails after other trials and passes alone")
    );
    assert_eq!((cause.trials.len(), failed > 20), (failed, true));
}

#[test]
fn what_failures_share_is_said_where_no_mutant_fits() {
    let found = causes_of(&mut |call| {
        let target = call.request.target.as_ref();
        let many = target.is_some_and(|target| target.values.len() > 8);
        let is_wrong = many && call.binding.dynamic();
        if !is_wrong {
            return Reference.reshape(call);
        }
        Outcome::Claimed {
            element_type: call.data.element_type(),
            shape: vec![7; 3],
        }
    });
    let says: Vec<_> = found.iter().map(|cause| cause.says.as_str()).collect();
    assert!(
        says.iter()
            .any(|says| says.contains("the target has more than 8 values")
                && says.contains("data dims are not declared")),
        "{says:?}"
    );
}
