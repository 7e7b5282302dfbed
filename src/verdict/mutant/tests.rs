//! Tests of the catalogue, and of the behavior that breaks nothing.

use super::behavior::Memory;
use super::{Behavior, CATALOGUE, Session};
use crate::backend::{Backend, Reference};
use crate::model::call::Call;
use crate::model::surroundings::Surrounding;
use crate::semantics::outcome::Outcome;
use crate::suite::Suite;
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use crate::verdict::judge::judge;

#[test]
fn names_are_unique_kebab_case_and_each_says_what_it_does() {
    let names: std::collections::BTreeSet<_> = CATALOGUE.iter().map(|mutant| mutant.name).collect();
    assert_eq!(names.len(), CATALOGUE.len());
    assert!(CATALOGUE.len() >= 60, "{}", CATALOGUE.len());
    for mutant in CATALOGUE.iter() {
        let is_kebab = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        assert!(mutant.name.bytes().all(is_kebab), "{mutant:?}");
        let description = mutant.description;
        let is_sentence = description.is_empty() || description.ends_with('.');
        assert!(!is_sentence, "{mutant:?}");
    }
}

#[test]
fn the_right_behavior_does_what_the_reference_does_in_every_trial() {
    let suite = Suite::built_in().expect("the suite");
    for trial in Plan::new(&suite, &Selection::default(), None).trials() {
        let data = trial.case.data(trial.element_type).expect("data");
        let call = Call {
            surrounding: None,
            ..trial.call(&data)
        };
        let (ours, reference) = (Behavior::default().answer(&call), Reference.reshape(&call));
        match (&ours, &reference) {
            (Outcome::Rejected { .. }, Outcome::Rejected { .. }) => {}
            _ => assert_eq!(ours, reference, "{trial}"),
        }
    }
}

#[test]
fn a_mutant_does_what_its_name_says_where_another_rule_is_near() {
    let suite = Suite::built_in().expect("the suite");
    let cases = [
        // Read as -1, the -2 would be refused beside a literal 0.
        (
            "negative-is-absolute",
            "minus-two-beside-a-literal-zero-on-empty-data/onnx.Reshape-24/f32/runtime-dynamic",
            [0, 2],
        ),
        // The Reshape behind, which copies one dim and infers the other, takes what the first of three takes.
        (
            "first-of-two-reshapes-left-out",
            "every-type-two-minus-ones/onnx.Reshape-14/f32/runtime-dynamic+between-reshapes",
            [1, 6],
        ),
    ];
    for (name, trial, shape) in cases {
        let selection = Selection::new(&[trial.to_owned()], false, None).expect("a pattern");
        let plan = Plan::new(&suite, &selection, None);
        let trial = plan.trials().next().expect("the trial");
        let data = trial.case.data(trial.element_type).expect("data");
        let behavior = super::behavior(&[super::Mutant::named(name).expect(name)]);
        let outcome = behavior.answer(&trial.call(&data));
        assert_eq!(outcome.shape(), Some(&shape[..]), "{trial}");
    }
}

#[test]
fn of_trials_that_run_alone_only_sequences_kill_a_mutant_with_a_memory() {
    let suite = Suite::built_in().expect("the suite");
    let patterns = ["*/onnx.Reshape-14/f32/*", "*/onnx.Reshape-14/f32/*+*"].map(str::to_owned);
    let selection = Selection::new(&patterns, false, None).expect("patterns");
    let plan = Plan::new(&suite, &selection, None);
    let mutants = CATALOGUE.iter().map(|mutant| super::behavior(&[mutant]));
    let mutants: Vec<_> = mutants.filter(Behavior::has_memory).collect();
    assert!(mutants.len() >= 6);
    let mut killed = vec![0; mutants.len()];
    for trial in plan.trials() {
        let data = trial.case.data(trial.element_type).expect("data");
        for (behavior, killed) in mutants.iter().zip(&mut killed) {
            let outcome = Session::default().answer(behavior, &trial.call(&data));
            if judge(trial.expectation(), &data, &outcome).kind().is_red() {
                let sequence = trial.surrounding.filter(|of| of.is_sequence());
                assert!(sequence.is_some(), "{trial}");
                let is_concurrent = matches!(
                    behavior.memory,
                    Memory::InputsOfConcurrentRun
                        | Memory::ElementsOfConcurrentRun
                        | Memory::TargetOfConcurrentRun
                        | Memory::ShapeOfConcurrentRun
                );
                assert!(
                    !is_concurrent || sequence.is_some_and(Surrounding::is_concurrent),
                    "{trial}"
                );
                *killed += 1;
            }
        }
    }
    assert!(killed.iter().all(|count| *count > 0), "{killed:?}");
}
