//! Which runs come before the one that is judged, or beside it.

use super::*;
use crate::semantics::operator::Operator;
use crate::semantics::request::{Attributes, Model, Target};
use crate::suite::Suite;
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;

/// The data dims and targets of the other runs, `[6, 4] to [2, -1]` each.
fn before(data: &[u64], target: &[i64], binding: Binding, sequence: Surrounding) -> Vec<String> {
    let request = Request {
        operator: Operator::named("onnx.Reshape-14").expect("an operator of that name"),
        element_type: ElementType::F32,
        data_shape: data.to_vec(),
        target: Some(Target::list(target.iter().copied())),
        attributes: Attributes::new(),
    };
    let others: Vec<_> = requests(&request, binding, Some(sequence)).collect();
    let shown = others.iter().map(|of| {
        let target = of
            .target
            .as_ref()
            .map_or(String::new(), ToString::to_string);
        format!("{:?} to {target}", of.data_shape)
    });
    shown.collect()
}

#[test]
fn the_other_shapes_are_larger_smaller_and_of_equal_size() {
    let before =
        |data, target, binding| before(data, target, binding, Surrounding::AfterOtherShape);
    let dynamic = Binding::ConstantDynamic;
    assert_eq!(
        before(&[3, 4], &[2, -1], dynamic),
        [
            "[6, 4] to [2, -1]",
            "[1, 4] to [2, -1]",
            "[4, 3] to [2, -1]"
        ]
    );
    assert_eq!(before(&[3, 4], &[2, 6], dynamic), ["[4, 3] to [2, 6]"]);
    assert_eq!(before(&[2, 3], &[7, 1], dynamic), ["[7, 1] to [7, 1]"]);
    assert!(before(&[3, 4], &[2, -1], Binding::ConstantStatic).is_empty());
    assert!(before(&[], &[-1], dynamic).is_empty());
}

#[test]
fn the_other_targets_give_another_shape() {
    let before =
        |data, target, binding| before(data, target, binding, Surrounding::AfterOtherTarget);
    let at_run = Binding::RuntimeStatic;
    let swapped = ["[3, 4] to [1, -1]", "[3, 4] to [-1, 2]"];
    assert_eq!(before(&[3, 4], &[2, -1], at_run), swapped);
    let swapped = ["[3, 4] to [12, 1]", "[3, 4] to [6, 2]"];
    assert_eq!(before(&[3, 4], &[2, 6], at_run), swapped);
    let swapped = ["[3, 4] to [1, 12]", "[3, 4] to [1, 12]"];
    assert_eq!(before(&[3, 4], &[12, 1], at_run), swapped);
    assert_eq!(before(&[3, 4], &[5, 5], at_run), ["[3, 4] to [12, 1]"]);
    assert!(before(&[3, 4], &[-1], at_run).is_empty());
    assert!(before(&[3, 4], &[2, -1], Binding::ConstantStatic).is_empty());
}

#[test]
fn the_refused_run_is_one_of_the_same_model() {
    let before = |data, target, binding| before(data, target, binding, Surrounding::AfterRefusal);
    let at_run = Binding::RuntimeStatic;
    assert_eq!(before(&[3, 4], &[2, 6], at_run), ["[3, 4] to [13, 1]"]);
    let dynamic = Binding::ConstantDynamic;
    assert_eq!(before(&[3, 4], &[2, 6], dynamic), ["[6, 4] to [2, 6]"]);
    // Whatever the data, it is not refused.
    assert!(before(&[3, 4], &[0, -1], dynamic).is_empty());
    assert!(before(&[3, 4], &[2, 7], dynamic).is_empty());
}

#[test]
fn the_runs_beside_have_another_shape_and_another_target_where_the_binding_leaves_them_open() {
    let beside =
        |data, target, binding| before(data, target, binding, Surrounding::BesideOtherRuns);
    let own = "[3, 4] to [2, -1]";
    let (shape, target) = ("[6, 4] to [2, -1]", "[3, 4] to [1, -1]");
    for (binding, runs) in [
        (Binding::ConstantStatic, [own, own, own]),
        (Binding::ConstantDynamic, [shape, own, own]),
        (Binding::RuntimeStatic, [target, own, own]),
        (Binding::RuntimeDynamic, [shape, target, own]),
    ] {
        assert_eq!(beside(&[3, 4], &[2, -1], binding), runs);
    }
    assert!(beside(&[3, 4], &[5, 5], Binding::RuntimeDynamic).is_empty());
    assert!(beside(&[0, 4], &[0, 4], Binding::RuntimeDynamic).is_empty());
}

#[test]
fn each_of_the_runs_at_once_is_the_first_in_some_round() {
    let rounds: Vec<_> = rounds(4).collect();
    for run in 0..4 {
        assert!(rounds.iter().any(|order| order[0] == run));
        assert!(rounds.iter().all(|order| order.contains(&run)));
    }
}

#[test]
fn every_sequence_of_the_suite_is_of_one_model_and_no_two_runs_have_the_same_data() {
    let suite = Suite::built_in().expect("the suite");
    let mut counts = std::collections::BTreeMap::new();
    for trial in Plan::new(&suite, &Selection::default(), None).trials() {
        let data = trial.case.data(trial.element_type).expect("data");
        let call = trial.call(&data);
        let others = others(&call);
        let Some(sequence) = trial.surrounding.filter(|of| of.is_sequence()) else {
            assert!(others.is_empty(), "{trial}");
            continue;
        };
        *counts.entry(sequence).or_insert(0) += 1;
        assert!(!others.is_empty(), "{trial}");
        let of_call = Model::of(call.request, call.binding);
        let mut seen = vec![&data];
        for (request, data) in &others {
            assert_eq!(Model::of(request, call.binding), of_call, "{trial}");
            let is_refusal = sequence == Surrounding::AfterRefusal;
            assert_eq!(is_accepted(request), !is_refusal, "{trial}");
            assert_eq!(is_refused(request), is_refusal, "{trial}");
            let has_equal =
                |of: &&&Tensor| (0..of.len()).any(|index| of.bits(index) == data.bits(index));
            assert_eq!(seen.iter().find(has_equal), None, "{trial}");
            seen.push(data);
        }
    }
    let sequences = Surrounding::ALL.iter().filter(|of| of.is_sequence());
    assert!(sequences.clone().all(|of| counts[of] > 400), "{counts:?}");
}
