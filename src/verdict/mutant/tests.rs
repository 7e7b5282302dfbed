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
                    Memory::ElementsOfConcurrentRun
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
