//! Tests of diagnosis: planted faults are found.

use super::Observations;
use crate::backend::MutantBackend;
use crate::backend::{Backend, Reference};
use crate::event::{Cause, VerdictKind};
use crate::semantics::operator::Operator;
use crate::semantics::oracle::copies_zero;
use crate::semantics::outcome::{Outcome, ProcessFailure};
use crate::semantics::request::Call;
use crate::suite::Suite;
use crate::suite::case::DataCache;
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use crate::tensor::{ElementType, Tensor};
use crate::verdict::judge::judge;
use crate::verdict::mutant::Mutant;
use std::sync::LazyLock;

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
    static PLAN: LazyLock<Plan> = LazyLock::new(plan);
    let mut observations = Observations::default();
    let cache = DataCache::default();
    for trial in PLAN.trials() {
        let request = trial.request();
        let data = cache.get(&trial.case, trial.element_type).expect("data");
        let outcome = backend(&Call {
            request,
            binding: trial.binding,
            surrounding: None,
            data: &data,
        });
        let verdict = judge(trial.expectation(), &data, &outcome);
        observations.add(trial, verdict.kind(), verdict.failure(), Some(&outcome));
    }
    observations.causes()
}

/// The trials of two operators and four element types.
fn plan() -> Plan {
    let suite = Suite::built_in().expect("the suite");
    let operators = ["onnx.Reshape-14", "openvino.Reshape-1"]
        .map(|name| Operator::named(name).expect("an operator"));
    let patterns = ["*/*/{f32,f16,f64,string}/*".to_owned()];
    let selection =
        Selection::new(&patterns, false, Some(operators.to_vec())).expect("a selection");
    Plan::new(&suite, &selection, None)
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
            .any(|says| says.contains("the target has at least 9 values")
                && says.contains("data dims are not declared")),
        "{says:?}"
    );
}

#[test]
fn no_mutant_explains_a_right_shape_without_its_elements() {
    let found = causes_of(&mut |call| {
        let outcome = Reference.reshape(call);
        if let Outcome::Reshaped { output, .. } = &outcome {
            return Outcome::Claimed {
                element_type: output.element_type(),
                shape: output.shape().to_vec(),
            };
        }
        outcome
    });
    assert!(
        found.iter().all(|cause| cause.mutants.is_empty()),
        "{found:?}"
    );
}

/// The one cause of a backend that answers like this, with how many trials speak against it.
fn cause_of(backend: &mut dyn FnMut(&Call<'_>) -> Outcome) -> (String, usize) {
    let found = causes_of(backend);
    let [cause] = &found[..] else {
        panic!("{found:?}");
    };
    assert!(cause.mutants.is_empty(), "{cause:?}");
    (cause.says.clone(), cause.against)
}

fn bytes(of: &Tensor) -> Vec<u8> {
    let mut bytes = Vec::new();
    of.write_bytes(&mut bytes);
    bytes
}

/// Each byte one place further; strings as they are.
fn rotated(of: &Tensor) -> Tensor {
    let mut bytes = bytes(of);
    if of.element_type() != ElementType::String && !bytes.is_empty() {
        bytes.rotate_right(1);
    }
    Tensor::from_bytes(of.element_type(), of.shape().to_vec(), bytes).expect("a tensor")
}

/// The reference's answer, with its output changed.
fn changed(call: &Call<'_>, change: impl FnOnce(Tensor) -> Tensor) -> Outcome {
    let outcome = Reference.reshape(call);
    let Outcome::Reshaped { output, inferred } = outcome else {
        return outcome;
    };
    let output = change(output);
    Outcome::Reshaped { output, inferred }
}

#[test]
fn where_a_size_decides_the_least_that_fails_is_said() {
    let (says, _) = cause_of(&mut |call| {
        changed(call, |output| match bytes(&output).len() {
            ..1000 => output,
            _ => rotated(&output),
        })
    });
    assert!(
        says.starts_with("gives wrong elements where the data has at least 1"),
        "{says}"
    );
}

#[test]
fn where_an_element_type_decides_it_is_said() {
    let (says, _) = cause_of(&mut |call| {
        let is_wrong = call.data.element_type() == ElementType::F64;
        changed(call, |output| match is_wrong {
            true => rotated(&output),
            false => output,
        })
    });
    assert!(says.contains("where the element type is f64"), "{says}");
}

#[test]
fn of_the_failures_of_one_case_only_its_name_is_said() {
    let (says, against) = cause_of(&mut |call| {
        let is_wrong = call.request.data_shape == [2; 12];
        changed(call, |output| match is_wrong {
            true => rotated(&output),
            false => output,
        })
    });
    assert!(
        says.ends_with("where the case is rank-twelve-to-rank-one"),
        "{says}"
    );
    assert_eq!(against, 0, "{says}");
}

#[test]
fn a_wrong_inference_is_one_cause_with_its_place() {
    let (says, _) = cause_of(&mut |call| {
        let outcome = Reference.reshape(call);
        let values = call
            .request
            .target
            .as_ref()
            .map_or(&[][..], |of| &of.values);
        let is_wrong = call.binding.dynamic() && values.contains(&-1);
        let Outcome::Reshaped { output, inferred } = outcome else {
            return outcome;
        };
        let wrong = values.iter().map(|_| Some(1)).collect();
        Outcome::Reshaped {
            inferred: if is_wrong { Some(wrong) } else { inferred },
            output,
        }
    });
    assert!(says.starts_with("infers a wrong shape, "), "{says}");
    assert!(says.contains("the target holds a -1"), "{says}");
    assert!(says.contains("data dims are not declared"), "{says}");
}

#[test]
fn one_cause_that_fails_in_two_ways_is_told_once() {
    let (says, _) = cause_of(&mut |call| {
        let mut request = call.request.clone();
        let is_literal = copies_zero(&request) == Some(false);
        let dims = request.data_shape.clone();
        let target = request.target.as_mut().filter(|_| is_literal);
        if let Some(values) = target.map(|target| &mut target.values)
            && let Some(dim) = values.len().checked_sub(1).and_then(|at| dims.get(at))
            && let Some(last) = values.last_mut().filter(|last| **last == 0)
        {
            *last = i128::from(*dim);
        }
        Reference.reshape(&Call {
            request: &request,
            ..*call
        })
    });
    for place in ["the target ends with a 0", "zeros are literal"] {
        assert!(says.starts_with("fails only where "), "{says}");
        assert!(says.contains(place), "{says}");
    }
}
