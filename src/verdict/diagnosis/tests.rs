//! Tests of diagnosis: planted faults are found.

use super::Observations;
use crate::backend::{Backend, MutantBackend, Reference};
use crate::event::{Cause, VerdictKind};
use crate::model::call::Call;
use crate::model::surroundings::Surrounding;
use crate::names::table;
use crate::run::record::outcome_record;
use crate::semantics::operator::{Operator, TargetSource};
use crate::semantics::oracle::{self, Resolution, copies_zero};
use crate::semantics::outcome::{ConcurrentRun, Outcome, Phase, ProcessFailure};
use crate::semantics::request::Request;
use crate::suite::Suite;
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use crate::tensor::{ElementType, Tensor};
use crate::verdict::judge::judge;
use crate::verdict::mutant::Mutant;
use std::sync::LazyLock;

/// A backend with these faults.
fn mutant(names: &[&str]) -> MutantBackend {
    let mutants = names.iter().map(|name| Mutant::named(name).expect(name));
    MutantBackend::new(&mutants.collect::<Vec<_>>())
}

/// The causes found for a backend with these faults, on two operators and four element types.
fn causes(names: &[&str]) -> Vec<Cause> {
    let mut backend = mutant(names);
    causes_of(&mut |call| backend.reshape(call))
}

/// The same for a backend that answers like this.
fn causes_of(backend: &mut dyn FnMut(&Call<'_>) -> Outcome) -> Vec<Cause> {
    causes_where(backend, &mut |kind| kind)
}

/// The same where each verdict counts as another kind.
fn causes_where(
    backend: &mut dyn FnMut(&Call<'_>) -> Outcome,
    kind: &mut dyn FnMut(VerdictKind) -> VerdictKind,
) -> Vec<Cause> {
    static PLAN: LazyLock<Plan> = LazyLock::new(|| plan("*/*/{f32,f16,f64,string}/*"));
    causes_in(&PLAN, Observations::default(), backend, kind)
}

/// The same in these trials.
fn causes_in(
    plan: &Plan,
    mut observations: Observations,
    backend: &mut dyn FnMut(&Call<'_>) -> Outcome,
    kind: &mut dyn FnMut(VerdictKind) -> VerdictKind,
) -> Vec<Cause> {
    for trial in plan.trials() {
        let data = trial.case.data(trial.element_type).expect("data");
        let outcome = backend(&trial.call(&data));
        let verdict = judge(trial.expectation(), &data, &outcome);
        let record = outcome_record(&outcome, Some((trial, &verdict)));
        observations.add(
            trial,
            kind(verdict.kind()),
            verdict.failure(),
            Some(&record),
        );
    }
    observations.causes()
}

/// The same where each verdict counts as it is.
fn causes_among(plan: &Plan, backend: &mut dyn FnMut(&Call<'_>) -> Outcome) -> Vec<Cause> {
    causes_in(plan, Observations::default(), backend, &mut |kind| kind)
}

/// The trials of two operators with such names.
fn plan(pattern: &str) -> Plan {
    let suite = Suite::built_in().expect("the suite");
    let operators = ["onnx.Reshape-14", "openvino.Reshape-1"]
        .map(|name| Operator::named(name).expect("an operator"));
    let patterns = [pattern.to_owned()];
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
        "counts-in-32-bits",
        "nan-quieted",
        "column-major",
    ] {
        let found = causes(&[name]);
        let cause = one(&found);
        assert_eq!(
            (&cause.mutants[..], cause.against),
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
    let pairs = match std::env::var_os("THOROUGH") {
        Some(_) => &pairs[..],
        None => &pairs[..4],
    };
    let are_named = |pair: &&[&str; 2]| {
        let found = causes(&pair[..]);
        let is_named = |name| {
            found
                .iter()
                .any(|of| of.mutants.contains(name) || of.or.contains(name))
        };
        pair.map(str::to_owned).iter().all(is_named)
    };
    let named = pairs.iter().filter(are_named).count();
    assert!(named * 10 >= pairs.len() * 8, "{named} of {}", pairs.len());
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
        Outcome::Reshaped {
            output,
            inferred,
            shares: None,
        }
    });
    assert_no_mutant(&found);
}

#[test]
fn one_crash_is_one_cause_with_what_its_trials_share() {
    let mut count = 0;
    let found = causes_of(&mut |call| {
        if call.request.data_shape.len() <= 4 || !call.binding.dynamic() {
            return Reference.reshape(call);
        }
        count += 1;
        let what = format!("ended without an answer (signal: 11) at {}", 1000 + count);
        Outcome::Crashed(ProcessFailure::without_log(what))
    });
    let cause = one(&found);
    assert_eq!(cause.trials.len(), count);
    let wanted =
        "crashes on everything where the data has at least 5 dims and data dims are not declared (";
    assert_says(cause, &[wanted]);
}

#[test]
fn trials_that_pass_alone_are_one_cause_and_no_sign_of_a_mutant() {
    let (mut backend, mut failed) = (mutant(&["first-target-stays"]), 0);
    let found = causes_where(&mut |call| backend.reshape(call), &mut |kind| {
        failed += usize::from(kind.is_red());
        match kind.is_red() {
            true => VerdictKind::Stateful,
            false => kind,
        }
    });
    let cause = one(&found);
    assert_says(cause, &["fails after other trials and passes alone"]);
    assert_eq!((cause.trials.len(), failed > 20), (failed, true));
}

#[test]
fn what_failures_share_is_said_where_no_mutant_fits() {
    let found = causes_of(&mut |call| {
        if call.request.values().len() <= 8 || !call.binding.dynamic() {
            return Reference.reshape(call);
        }
        Outcome::Claimed {
            element_type: call.data.element_type(),
            shape: vec![7; 3],
        }
    });
    let place = [
        "the target has at least 9 values",
        "data dims are not declared",
    ];
    let is_said = |of: &Cause| place.iter().all(|part| of.description.contains(part));
    assert!(found.iter().any(is_said), "{found:?}");
}

#[test]
fn no_mutant_explains_a_right_shape_without_its_elements() {
    let found = causes_of(&mut |call| {
        let outcome = Reference.reshape(call);
        let shape = outcome.shape().map(<[u64]>::to_vec);
        shape.map_or(outcome, |shape| Outcome::Claimed {
            element_type: call.data.element_type(),
            shape,
        })
    });
    assert_no_mutant(&found);
}

#[test]
fn a_refused_concurrent_run_is_a_refusal_like_the_others() {
    let differ = |of: &Request| of.data_shape.windows(2).any(|two| two[0] != two[1]);
    let is_refused =
        |of: &Request| differ(of) && matches!(oracle::resolve(of), Resolution::Reshaped(_));
    let refused = |of: &Request| {
        let message = format!(
            "the symbolic dim is {} and {}",
            of.data_shape[0], of.data_shape[1]
        );
        Outcome::rejected(Phase::Run, message)
    };
    let cause = cause_of(&mut |call| {
        let others = call.others();
        let mut other = others.iter().filter(|(of, _)| is_refused(of));
        match other.next() {
            _ if !call.binding.dynamic() => Reference.reshape(call),
            _ if is_refused(call.request) => refused(call.request),
            Some((request, data)) if call.surrounding.is_some_and(Surrounding::is_concurrent) => {
                Outcome::WrongConcurrentRun(Box::new(ConcurrentRun {
                    request: request.clone(),
                    data: data.clone(),
                    outcome: refused(request),
                }))
            }
            Some(_) | None => Reference.reshape(call),
        }
    });
    let parts = [
        "refuses what the text accepts",
        "data dims are not declared",
    ];
    assert_says(&cause, &parts);
}

fn assert_no_mutant(found: &[Cause]) {
    let mut causes = found.iter();
    assert!(causes.all(|cause| cause.mutants.is_empty()), "{found:?}");
}

/// The only cause.
fn one(found: &[Cause]) -> &Cause {
    let [cause] = found else {
        panic!("{found:?}");
    };
    cause
}

/// Checks that a description begins with the first of these parts, and holds the others.
fn assert_says(cause: &Cause, parts: &[&str]) {
    let description = &cause.description;
    assert!(description.starts_with(parts[0]), "{description}");
    for part in &parts[1..] {
        assert!(description.contains(part), "{description}");
    }
}

/// The one cause of a backend that answers like this, which no mutant explains.
fn cause_of(backend: &mut dyn FnMut(&Call<'_>) -> Outcome) -> Cause {
    let found = causes_of(backend);
    assert_no_mutant(&found);
    one(&found).clone()
}

fn bytes(of: &Tensor) -> Vec<u8> {
    let mut bytes = Vec::new();
    of.write_bytes(&mut bytes);
    bytes
}

/// Each byte one place further; of strings, each string.
fn rotated(of: &Tensor) -> Tensor {
    let mut bytes = bytes(of);
    if of.element_type() == ElementType::String {
        let strings = (0..of.len()).filter_map(|at| of.string(at).map(<[u8]>::to_vec));
        let mut strings: Vec<_> = strings.collect();
        if !strings.is_empty() {
            strings.rotate_right(1);
        }
        return Tensor::from_strings(of.shape().to_vec(), strings).expect("a tensor");
    }
    if !bytes.is_empty() {
        bytes.rotate_right(1);
    }
    Tensor::from_bytes(of.element_type(), of.shape().to_vec(), bytes).expect("a tensor")
}

#[test]
fn what_decides_about_wrong_elements_is_said() {
    type IsWrong = fn(&Call<'_>) -> bool;
    let cases: &[(&str, IsWrong)] = table! {
        "where the output has the data's dims reversed" => |call| {
            let right = Reference.reshape(call);
            let shape = right.shape().unwrap_or_default().iter();
            shape.rev().eq(call.data.shape())
        },
        // The least that fails. A string counts as a byte.
        "gives wrong elements where the data has at least 1" => |call| match is_of(call, ElementType::String) {
            true => call.data.len() >= 1000,
            false => bytes(call.data).len() >= 1000,
        },
        "where the element type is f64" => |call| call.data.element_type() == ElementType::F64,
        // Of the failures of one case, a number that no other reaches.
        "where the data has at least 12 dims" => |call| call.request.data_shape == [2; 12],
    };
    for (wanted, is_wrong) in cases {
        let cause = cause_of(&mut |call| {
            let mut outcome = Reference.reshape(call);
            if let Outcome::Reshaped { output, .. } = &mut outcome
                && is_wrong(call)
            {
                *output = rotated(output);
            }
            outcome
        });
        assert_says(&cause, &["", wanted]);
        assert!(cause.against <= 2, "{cause:?}");
    }
}

#[test]
fn a_wrong_inference_is_one_cause_with_its_place() {
    let cause = cause_of(&mut |call| {
        let outcome = Reference.reshape(call);
        let values = call.request.values();
        let is_wrong = call.binding.dynamic() && values.contains(&-1);
        let Outcome::Reshaped {
            output,
            inferred,
            shares,
        } = outcome
        else {
            return outcome;
        };
        let wrong = values.iter().map(|_| Some(1)).collect();
        Outcome::Reshaped {
            inferred: if is_wrong { Some(wrong) } else { inferred },
            output,
            shares,
        }
    });
    let place = ["the target holds a -1", "data dims are not declared"];
    assert_says(&cause, &["infers a wrong shape, ", place[0], place[1]]);
}

#[test]
fn one_cause_that_fails_in_two_ways_is_told_once() {
    let cause = cause_of(&mut |call| {
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
    let place = ["the target ends with a 0", "zeros are literal"];
    assert_says(
        &cause,
        &["computes a wrong shape only where ", place[0], place[1]],
    );
}

/// Refuses in these words where the predicate holds, and otherwise answers as these mutants do.
fn refusing(
    description: &str,
    mutants: &[&str],
    refuses: impl Fn(&Call<'_>) -> bool,
) -> impl FnMut(&Call<'_>) -> Outcome {
    let mut backend = mutant(mutants);
    move |call| match refuses(call) {
        true => Outcome::Rejected {
            phase: Phase::Compile,
            message: format!("{description} (node '{}')", rank(call)),
            internal: false,
        },
        false => backend.reshape(call),
    }
}

/// What each cause says, without its counts and the message.
fn headings(found: &[Cause]) -> Vec<String> {
    let headings = found
        .iter()
        .filter_map(|of| of.description.split(" (").next());
    headings.map(str::to_owned).collect()
}

fn is_14(call: &Call<'_>) -> bool {
    call.request.operator.name == "onnx.Reshape-14"
}

fn is_of(call: &Call<'_>, element_type: ElementType) -> bool {
    call.data.element_type() == element_type
}

/// The number of target values; `None` without a target.
fn values(call: &Call<'_>) -> Option<usize> {
    call.request.target.as_ref().map(|of| of.values.len())
}

fn rank(call: &Call<'_>) -> usize {
    call.data.shape().len()
}

fn holds_nan(data: &Tensor) -> bool {
    let is_nan = |bits: u128| match data.element_type().bits() {
        Some(16) => bits & 0x7fff > 0x7c00,
        Some(32) => f32::from_bits(bits as u32).is_nan(),
        Some(64) => f64::from_bits(bits as u64).is_nan(),
        Some(_) | None => false,
    };
    data.is_materialized() && (0..data.len()).any(|at| data.bits(at).is_some_and(is_nan))
}

#[test]
fn a_group_that_is_refused_as_a_whole_is_said_plainly() {
    type Refuses = fn(&Call<'_>) -> bool;
    macro_rules! refusals {
        ($($message:literal where $holds:expr; $wanted:literal; $claim_less:literal,)+) => {
            [$(($message, $holds as Refuses, $wanted, $claim_less)),+]
        };
    }
    let cases = refusals! {
        "unsupported opset 14" where |of| is_14(of);
            "of onnx.Reshape-14"; "leave onnx.Reshape-14 out of the `operators` that it claims",
        "no kernel" where |of| is_of(of, ElementType::F64) || is_of(of, ElementType::String);
            "where the element type is f64 or string"; "leave f64 and string out of the `element_types` that it claims",
        "shape must be constant" where |of| of.binding.source() == TargetSource::Runtime;
            "where the binding is runtime-dynamic or runtime-static";
            "leave runtime-dynamic and runtime-static out of the `bindings` that it claims",
        "dynamic dims at /model/reshape.cc:12" where |of| of.binding.dynamic();
            "where the binding is constant-dynamic or runtime-dynamic";
            "leave constant-dynamic and runtime-dynamic out of the `bindings` that it claims",
        "no" where |_| true; ""; "",
        "too many dims" where |of| of.request.data_shape.len() > 4;
            "where the data has at least 5 dims"; "state the limit `data_rank: 4`",
        "empty" where |of| is_14(of) && of.request.data_shape.contains(&0); "of onnx.Reshape-14 where the data has no element"; "",
        "empty" where |of| of.request.data_shape.contains(&0); "where the data has no element"; "state the limit `empty_data_ranks: []`",
        "no folding" where |of| is_14(of) && is_of(of, ElementType::F64) && of.binding.source() == TargetSource::Constant;
            "of onnx.Reshape-14 where the binding is constant-dynamic or constant-static and the element type is f64"; "",
        "too many dims" where |of| rank(of).max(values(of).unwrap_or(0)) > 4;
            "where data or target has at least 5 dims"; "state the limit `rank: 4`",
        "dims" where |of| rank(of) == 3; "where the data's number of dims is 3"; "",
        "unaligned" where |of| !is_of(of, ElementType::String) && !bytes(of.data).len().is_multiple_of(16);
            "where the data's bytes are no multiple of 16"; "",
        "not a number" where |of| holds_nan(of.data); "where the data holds a NaN"; "",
        "unknown attribute" where |of| is_14(of) && !of.request.attributes.is_empty();
            "where the node has the attribute allowzero"; "state the limit `attributes` without allowzero",
        "no such attribute" where |of| copies_zero(of.request) == Some(false); "where zeros are literal"; "",
        "wrong rank" where |of| of.binding.source() == TargetSource::Runtime && values(of) != Some(rank(of));
            "where the target has another number of values than the data has dims and the target arrives at the run"; "",
        "no shape" where |of| values(of) == Some(0); "where the target has no value"; "",
        "not yet" where |of| is_of(of, ElementType::F64) || values(of) == Some(0);
            "where the element type is f64, and everything where the target has no value"; "",
    };
    for (description, refuses, wanted, claim_less) in cases {
        let found = causes_of(&mut refusing(description, &[], refuses));
        let wanted = format!("refuses everything {wanted}");
        assert_eq!(headings(&found), [wanted.trim_end()], "{found:?}");
        let found_less = found[0].claim_less.as_deref();
        assert_eq!(found_less.unwrap_or_default(), claim_less);
        let words = format!("that the text accepts): {description} (node '");
        assert_says(&found[0], &["", &words]);
        assert_no_mutant(&found);
    }
}

#[test]
fn a_group_that_is_refused_in_many_wordings_is_said_plainly() {
    type Message = fn(&Call<'_>) -> String;
    const WORDS: &str =
        "executor kernel launch failed buffer pool device context handle state tensor graph";
    let wordings: [Message; 6] = [
        // Other words each time.
        |call| {
            let of = format!("{:?} {}", call.data.shape(), call.request.operator.name);
            let mut hash = of
                .bytes()
                .fold(5381_u64, |hash, byte| hash * 33 % 65_521 + u64::from(byte));
            let words = WORDS.split(' ').filter(|_| {
                hash = hash * 75 % 65_537;
                hash % 3 == 0
            });
            words.collect::<Vec<_>>().join(" ")
        },
        |call| format!("no kernel for data of {:?}", call.data.shape()),
        |call| format!("no kernel Reshape<{}>", "long, ".repeat(rank(call))),
        |call| format!("type {} is not supported", call.data.element_type()),
        |call| format!("kernel {}: no", "a".repeat(rank(call) + 1)),
        |call| format!("{} at rank {}", call.data.element_type(), rank(call)),
    ];
    for message in wordings {
        let refused = [ElementType::F64, ElementType::String];
        let found = causes_of(
            &mut |call| match refused.contains(&call.data.element_type()) {
                true => Outcome::rejected(Phase::Compile, message(call)),
                false => Reference.reshape(call),
            },
        );
        let wanted = ["refuses everything where the element type is f64 or string"];
        assert_eq!(headings(&found), wanted, "{found:?}");
    }
}

#[test]
fn an_output_of_another_count_may_hold_anything() {
    let mut backend = mutant(&["count-unchecked"]);
    let found = causes_of(&mut |call| {
        let mut answer = backend.reshape(call);
        if let Outcome::Reshaped { output, .. } = &mut answer
            && output.len() != call.data.len()
            && output.len() < 1000
        {
            *output = Tensor::from_bits(output.element_type(), output.shape().to_vec(), |_| 1);
        }
        answer
    });
    assert_eq!(one(&found).mutants, ["count-unchecked"]);
}

#[test]
fn a_crash_of_a_whole_group_is_said_plainly_with_the_numbers_that_never_differ() {
    const F64: &str = "crashes on everything where the element type is f64";
    let exited = "ended without an answer (exit status: 1)";
    let segfault = "ended without an answer (signal: 11 (SIGSEGV))";
    type Error = fn(&Call<'_>) -> String;
    let cases: &[(&str, (Error, &str))] = table! {
        segfault => (|_| String::new(), ": ended without an answer (signal: 11 (SIGSEGV))"),
        exited => (|_| "RuntimeError: opset 14 is no more".to_owned(), "RuntimeError: opset 14 is no more"),
        // Shapes, open dims among them, are of one exception.
        exited => (
            |call| match call.binding.dynamic() {
                true => "ValueError: no kernel for (None, None)".to_owned(),
                false => format!("ValueError: no kernel for {:?}", call.data.shape()),
            },
            "",
        ),
    };
    for (what, (error, end)) in cases {
        let found = causes_of(&mut |call| match is_of(call, ElementType::F64) {
            true => Outcome::Crashed(ProcessFailure {
                what: (*what).to_owned(),
                log: format!("Traceback (most recent call last):\n{}", error(call)),
            }),
            false => Reference.reshape(call),
        });
        assert_eq!(headings(&found), [F64]);
        assert!(found[0].description.ends_with(end), "{found:?}");
    }
}

#[test]
fn failures_in_a_surrounding_alone_are_one_cause_that_names_it() {
    let few = plan(
        "{copied-zero-first,copied-zeros-only}/onnx.Reshape-14/f32/constant-static{,+inside-if,+after-cast}",
    );
    let is_inside = |of: &Call<'_>| of.surrounding == Some(Surrounding::InsideIf);
    let found = causes_among(&few, &mut refusing("no", &[], is_inside));
    assert_eq!(
        headings(&found),
        ["refuses everything where the surrounding is inside-if"]
    );
    let wrong_in = |is_wrong: fn(&Call<'_>) -> bool| {
        let mut backend = |call: &Call<'_>| {
            let mut outcome = Reference.reshape(call);
            if let (Outcome::Reshaped { output, .. }, true) = (&mut outcome, is_wrong(call)) {
                *output = rotated(output);
            }
            outcome
        };
        headings(&causes_among(&few, &mut backend))
    };
    let place = "the node is in a branch of an If, and takes data and target from outside";
    let wanted = format!("gives wrong elements only where {place}");
    assert_eq!(wrong_in(is_inside), [wanted]);
    let wanted = "gives wrong elements only in the surroundings after-cast, inside-if";
    assert_eq!(wrong_in(|of| of.surrounding.is_some()), [wanted]);
}

#[test]
fn the_refusal_of_one_case_names_no_mutant() {
    let cause = cause_of(&mut |call| match call.request.data_shape == [2; 8] {
        true => Outcome::rejected(Phase::Run, "no".to_owned()),
        false => Reference.reshape(call),
    });
    let one_case = "refuses what the text accepts: no, where the case is rank-eight";
    assert_says(&cause, &[one_case]);
}

#[test]
fn a_limit_with_exceptions_is_one_cause_with_its_message() {
    let cause = cause_of(&mut |call| {
        let dims = &call.request.data_shape;
        let values = call.request.values();
        let is_past = dims.len().max(values.len()) > 6;
        match is_past && !values.contains(&-1) && Reference.reshape(call).kind() == "reshaped" {
            true => Outcome::rejected(Phase::Run, "axis < MAX_DIMS".to_owned()),
            false => Reference.reshape(call),
        }
    });
    let what = "refuses what the text accepts: axis < MAX_DIMS";
    assert_says(&cause, &[what, "only where the data has 8 dims"]);
}

#[test]
fn a_mutant_behind_a_check_is_named_and_so_is_one_of_the_inference() {
    let mut mutant = mutant(&["zero-always-copies"]);
    let checked = causes_of(&mut |call| {
        let right = Reference.reshape(call);
        match right.kind() == "reshaped" {
            true => mutant.reshape(call),
            false => right,
        }
    });
    assert_eq!(one(&checked).mutants, ["zero-always-copies"]);
    let inferred = causes_of(&mut |call| {
        let (mut right, answer) = (Reference.reshape(call), mutant.reshape(call));
        match (&mut right, &answer) {
            (Outcome::Reshaped { inferred, .. }, Outcome::Reshaped { output, .. }) => {
                *inferred = Some(output.shape().iter().copied().map(Some).collect());
                right
            }
            (_, Outcome::Rejected { .. }) => answer,
            _ => right,
        }
    });
    let cause = one(&inferred);
    assert_eq!(cause.mutants, ["zero-always-copies"]);
    assert!(
        cause
            .description
            .ends_with("as it infers the shape before the run")
    );
}

#[test]
fn a_refused_group_and_a_wrong_result_are_two_causes() {
    let mutants = "zero-always-copies counts-in-32-bits copied-zero-from-the-right nan-quieted column-major \
        any-negative-is-minus-one last-element-lost count-unchecked second-minus-one-is-1 minus-one-rounds-down";
    for (at, mutant) in mutants.split(' ').enumerate() {
        let refuses = |call: &Call<'_>| match at % 3 {
            0 => call.request.operator.name == "openvino.Reshape-1",
            1 => call.data.element_type() == ElementType::F64,
            _ => call.binding.dynamic(),
        };
        let found = causes_of(&mut refusing("not supported", &[mutant], refuses));
        let plain = found.iter();
        let plain = plain.filter(|of| of.description.starts_with("refuses everything "));
        let named = found.iter();
        let named = named.filter(|of| of.mutants.iter().chain(&of.or).any(|name| name == mutant));
        assert_eq!(
            (plain.count(), named.count(), found.len()),
            (1, 1, 2),
            "{mutant}: {found:?}"
        );
    }
}

#[test]
fn how_all_wrong_shapes_differ_is_said_once() {
    let found = causes_of(&mut |call| {
        let outcome = Reference.reshape(call);
        let Outcome::Reshaped { output, .. } = &outcome else {
            return outcome;
        };
        let mut both = [output.shape(), call.data.shape()].map(<[u64]>::to_vec);
        both.iter_mut().for_each(|dims| dims.sort_unstable());
        // An optimizer takes these for Reshapes that change nothing.
        match both[0] == both[1] && !call.binding.dynamic() {
            true => Outcome::from(call.data.clone()),
            false => outcome,
        }
    });
    let cause = one(&found);
    let place = "the output has the data's dims in another order";
    assert_says(
        cause,
        &[
            "gives a wrong shape (with the data's dims)",
            place,
            "data dims are declared",
        ],
    );
    let cause = cause_of(&mut |call| {
        let mut outcome = Reference.reshape(call);
        if let Outcome::Reshaped {
            output, inferred, ..
        } = &mut outcome
            && let [1, rest @ ..] = output.shape()
        {
            *inferred = Some(rest.iter().copied().map(Some).collect());
        }
        outcome
    });
    let place = "the output begins with a 1";
    assert_says(
        &cause,
        &[
            "infers a wrong shape (with other dims of 1 than the right shape)",
            place,
        ],
    );
}

#[test]
fn what_is_done_to_dims_or_elements_is_said() {
    type Change = fn(&Tensor) -> Option<Tensor>;
    let cases: &[(&str, Change)] = table! {
        "gives a wrong shape (with the right shape's last dims multiplied into one)" => |of| {
            let (first, rest) = of.shape().split_at_checked(4).filter(|(_, rest)| rest.len() > 1)?;
            Some(of.with_shape([first, &[rest.iter().product()]].concat()))
        },
        "gives wrong elements (with the bytes of each in reverse)" => |of| {
            let mut bytes = bytes(of);
            let half = bytes.len() / 2;
            bytes[..half].chunks_exact_mut(4).for_each(<[u8]>::reverse);
            let is_f32 = of.element_type() == ElementType::F32;
            is_f32.then(|| Tensor::from_bytes(ElementType::F32, of.shape().to_vec(), bytes).ok()).flatten()
        },
        // Nothing in between is asked, so the limit may be lower.
        "elements (it passes with 164)" => |of| (of.len() >= 200).then(|| rotated(of)),
    };
    for (wanted, change) in cases {
        let cause = cause_of(&mut |call| {
            let mut outcome = Reference.reshape(call);
            if let Outcome::Reshaped { output, .. } = &mut outcome
                && let Some(changed) = change(output)
            {
                *output = changed;
            }
            outcome
        });
        assert_says(&cause, &["", wanted]);
    }
}

#[test]
fn what_the_whole_shows_comes_before_a_mutant_of_a_part() {
    type Change = fn(&mut Vec<u64>, &Call<'_>);
    fn copied(call: &Call<'_>) -> impl Iterator<Item = usize> {
        let values = call.request.values().iter().enumerate();
        let zeros =
            values.filter(|(_, value)| **value == 0 && copies_zero(call.request) == Some(true));
        zeros.map(|(at, _)| at)
    }
    // Some of the first look like a 0 that copies from its left, some of the second like padding to the data's rank.
    let all: &[(&str, Change)] = table! {
        "gives a wrong shape (with the right dims in another order) only where the target has at least 7 values" =>
            |dims, _| if let last @ 7.. = dims.len() { dims.swap(last - 1, last - 2) },
        "gives a wrong shape (with other dims of 1 than the right shape) where the target has 1 value" =>
            |dims, call| if values(call) == Some(1) { dims.insert(0, 1) },
        "gives a wrong shape (with more elements than the data) where a 0 copies past the fourth place" =>
            |dims, call| copied(call).filter(|at| *at > 3).for_each(|at| dims[at] += 5),
    };
    for (wanted, change) in all {
        let found = causes_of(&mut |call| {
            let outcome = Reference.reshape(call);
            let Some(shape) = outcome.shape() else {
                return outcome;
            };
            let mut dims = shape.to_vec();
            change(&mut dims, call);
            Outcome::from(call.data.with_shape(dims))
        });
        assert_eq!(one(&found).description, *wanted);
    }
    let plan =
        plan("*/onnx.Reshape-14/f32/*{+after-cast,+inside-if,+inside-loop,+target-from-reshape}");
    let found = |backend: &mut dyn FnMut(&Call<'_>) -> Outcome| causes_among(&plan, backend);
    let is_within = |call: &Call<'_>, some: &[Surrounding]| {
        call.surrounding.is_some_and(|of| some.contains(&of))
    };
    let runtime = found(&mut refusing("no", &[], |call| {
        call.binding.source() == TargetSource::Runtime
            && !is_within(call, &[Surrounding::TargetFromReshape])
    }));
    assert_says(
        one(&runtime),
        &["refuses everything where the target arrives at the run, and at the node as it is"],
    );
    let mut faulty = mutant(&["zero-always-copies"]);
    let inside = [Surrounding::InsideIf, Surrounding::InsideLoop];
    let inside = found(&mut |call| match is_within(call, &inside) {
        true => faulty.reshape(call),
        false => Reference.reshape(call),
    });
    assert_eq!(one(&inside).mutants, ["zero-always-copies"]);
    assert_eq!(
        inside[0].only,
        ["where the surrounding is inside-if or inside-loop"]
    );
}

#[test]
fn the_place_of_few_failures_is_said_if_nothing_passes_there() {
    let plan = plan("{scalar-gets-two-dims,scalar-by-minus-one}/*/{f32,f64}/*");
    let mut count = 0;
    let found = causes_among(&plan, &mut |call| {
        if !is_14(call) || !is_of(call, ElementType::F64) || call.binding.dynamic() {
            return Reference.reshape(call);
        }
        count += 1;
        Outcome::Crashed(ProcessFailure::without_log("ended (signal: 11)".to_owned()))
    });
    assert!((2..5).contains(&count), "{count}");
    assert_says(one(&found), &["crashes", "element type is f64"]);
}

#[test]
fn one_failure_says_what_the_backend_gave() {
    type Answers = fn(&Call<'_>) -> Outcome;
    let answers: &[(&str, (Answers, &str))] = table! {
        "something-does-not-become-nothing/onnx.Reshape-14/f32/runtime-dynamic" => (
            |call| Outcome::from(call.data.clone()),
            "not have as many elements as the data (with the data's dim for a literal 0)",
        ),
        "scalar-from-one-element/onnx.Reshape-14/f64/runtime-static" =>
            (|call| refusing("no f64 at 71", &[], |_| true)(call), "refuses what the text accepts: no f64 at 71"),
        "zeros-and-infinities/onnx.Reshape-14/f32/constant-static" => (
            |call| mutant(&["last-element-lost"]).reshape(call),
            "gives wrong elements of f32 (only of -0 or subnormal numbers, zeros in their place)",
        ),
        "first-bit-patterns-of-wide-types/onnx.Reshape-14/f64/runtime-static+beside-other-runs" => (
            |call| refusing("busy", &[], |call| call.surrounding.is_some())(call),
            "refuses what the text accepts only where the model makes many runs, some at the same time: busy",
        ),
    };
    for (trial, (answer, said)) in answers {
        let plan = plan(trial);
        let mut observations = Observations::default();
        for trial in plan.trials() {
            observations.add_pass(&trial.of_lone_node());
        }
        let found = causes_in(&plan, observations, &mut |call| answer(call), &mut |kind| {
            kind
        });
        let cause = one(&found);
        assert!(cause.mutants.is_empty(), "{cause:?}");
        assert!(!cause.id.contains("71"), "{cause:?}");
        assert_says(cause, &["", said]);
    }
}

#[test]
fn a_lone_failure_does_not_hide_a_surrounding() {
    let plan = plan(
        "{one-element-is-not-repeated,scalar-does-not-become-two}/*/f32/{constant,runtime}-dynamic{,+declared-output}",
    );
    let found = causes_among(&plan, &mut |call| {
        let is_run = call.binding.name() == "runtime-dynamic";
        let is_other = !is_14(call) && call.data.shape().is_empty();
        match call.surrounding.is_some() == is_run && is_run != is_other {
            true => Outcome::Claimed {
                element_type: ElementType::F32,
                shape: vec![7],
            },
            false => Reference.reshape(call),
        }
    });
    assert_says(&found[0], &["accepts", "declares the correct shape"]);
}

#[test]
fn a_mutant_of_some_requests_alone_says_which() {
    type When = fn(&Call<'_>) -> bool;
    let odd_and_shorter: When =
        |call| call.data.len() % 2 == 1 && values(call).is_some_and(|of| of < rank(call));
    let odd = "the data has an odd number of elements and the target has fewer values than the data has dims";
    let is_of_i32: When = |call| {
        let target = call.request.target.as_ref();
        target.is_some_and(|of| of.element_type == ElementType::I32)
    };
    let has_two: When = |call| call.request.values().split(|of| *of == -1).count() == 3;
    let all: &[(&str, (When, &str))] = table! {
        "target-of-another-type" => (is_of_i32, "the target is of i32"),
        "second-minus-one-is-1" => (has_two, "the target holds two -1s"),
        "tail-lost" => (|call| call.data.len() > 64, "the data has at least 98 elements"),
        "zero-always-copies" => (|call| call.data.is_empty(), "the data has no element"),
        "column-major" => (|call| rank(call) >= 4, "the data has at least 4 dims"),
        "last-element-lost" => (odd_and_shorter, odd),
    };
    for (name, (when, only)) in all {
        let mut faulty = mutant(&[name]);
        let found = causes_of(&mut |call| match when(call) {
            true => faulty.reshape(call),
            false => Reference.reshape(call),
        });
        let cause = one(&found);
        let only = format!("where {only}");
        assert_eq!((&*cause.mutants[0], &*cause.only[0]), (*name, &*only));
    }
}

#[test]
fn one_message_with_the_element_type_in_words_is_one_cause() {
    let found = causes_of(&mut |call| {
        let of = match call.data.element_type().name() {
            "f16" => "float16",
            "f32" => "float",
            "f64" => "double",
            _ => "string",
        };
        let message = format!("bound to different types (tensor(int64) and tensor({of}))");
        let is_alone = !call.request.values().contains(&0) && values(call) == Some(2);
        match is_alone && rank(call) == 3 {
            true => Outcome::rejected(Phase::Compile, message),
            false => Reference.reshape(call),
        }
    });
    assert!(one(&found).description.contains("bound to different types"));
}

#[test]
fn a_fault_that_some_graphs_hide_or_only_one_shows_is_one_cause() {
    let plan =
        plan("*/onnx.Reshape-14/f32/*{,+before-reshape,+declared-output,+inside-if,+inside-loop}");
    let found = |backend: &mut dyn FnMut(&Call<'_>) -> Outcome| causes_among(&plan, backend);
    let name = "each-value-may-keep-its-dim";
    let mut faulty = mutant(&[name]);
    let alone = found(
        &mut |call| match call.surrounding.is_some_and(Surrounding::has_graph) {
            true => Reference.reshape(call),
            false => faulty.reshape(call),
        },
    );
    assert_eq!(one(&alone).mutants, [name]);
    let is_inside = |call: &Call<'_>| call.surrounding == Some(Surrounding::InsideIf);
    let ranks = |call: &Call<'_>| is_inside(call) && [0, 3, 4].contains(&rank(call));
    let ranks = found(&mut refusing("no", &[], ranks));
    assert_says(
        one(&ranks),
        &[
            "refuses what the text accepts: no",
            "only where",
            "in a branch of an If",
        ],
    );
    let mut first = 0;
    let hangs = found(&mut |call| {
        first += usize::from(is_inside(call));
        match is_inside(call) && (10..14).contains(&first) {
            true => Outcome::TimedOut(ProcessFailure::without_log("no answer within 30s")),
            false => Reference.reshape(call),
        }
    });
    assert_says(
        one(&hangs),
        &["does not answer in time", "If", ": no answer within 30s"],
    );
}

#[test]
fn what_a_message_says_is_neither_a_mutant_nor_a_part_of_its_failures() {
    let past_five =
        |of: &Call<'_>| values(of).is_some_and(|of| of > 5) && !of.request.values().contains(&-1);
    let found = causes_of(&mut refusing("the file is corrupt", &[], past_five));
    assert_no_mutant(&found);
    assert_says(
        one(&found),
        &[
            "refuses",
            "the target has at least 6 values",
            "the file is corrupt",
        ],
    );
}
