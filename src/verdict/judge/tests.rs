//! Tests of the judge.

use super::{Failure, Verdict, is_possible, judge};
use crate::event::FailureKind::{
    self, NotRejected, WrongContent, WrongElementType, WrongInference, WrongShape,
};
use crate::event::VerdictKind::{
    self, Crashed, Failed, OutOfMemory, Passed, ProtocolError, Recorded, TimedOut,
};
use crate::names::Joined;
use crate::semantics::operator::{Question, Reason};
use crate::semantics::outcome::{Allowed, Outcome, Phase, ProcessFailure};
use crate::suite::case::Expectation;
use crate::tensor::{ElementType, Fill, Tensor};

fn data(shape: &[u64]) -> Tensor {
    Fill::Index.tensor(ElementType::F32, shape.to_vec())
}

fn rejected() -> Outcome {
    Outcome::rejected(Phase::Run, "no")
}

/// What the text leaves open, with what it allows.
fn open(question: Question, allowed: Option<Vec<Allowed>>) -> Expectation {
    Expectation::Open { question, allowed }
}

fn kind(expectation: &Expectation, outcome: &Outcome) -> VerdictKind {
    judge(expectation, &data(&[2, 3]), outcome).kind()
}

fn failure(expectation: &Expectation, outcome: &Outcome) -> Option<FailureKind> {
    judge(expectation, &data(&[2, 3]), outcome).failure()
}

#[test]
fn a_tensor_passes_only_with_the_shape_and_every_bit() {
    let expectation = Expectation::Reshaped(vec![3, 2]);
    assert_eq!(kind(&expectation, &Outcome::from(data(&[3, 2]))), Passed);
    assert_eq!(kind(&expectation, &Outcome::from(data(&[2, 3]))), Failed);
    assert_eq!(kind(&expectation, &rejected()), Failed);
    let other = Tensor::from_bits(ElementType::F32, vec![3, 2], |i| {
        if i == 0 { 0x8000_0000 } else { i as u128 }
    });
    assert_eq!(failure(&expectation, &other.into()), Some(WrongContent));
    let typed = Tensor::from_bits(ElementType::I32, vec![3, 2], |i| i as u128);
    assert_eq!(failure(&expectation, &typed.into()), Some(WrongElementType));
}

#[test]
fn a_shape_without_its_elements_is_a_wrong_result_whatever_the_text_allows() {
    let claimed = |shape: &[u64]| Outcome::Claimed {
        element_type: ElementType::F32,
        shape: shape.to_vec(),
    };
    let failure = |expectation, shape: &[u64]| {
        let verdict = judge(&expectation, &data(&[0]), &claimed(shape));
        let Verdict::Failed(failure) = verdict else {
            panic!("{verdict:?}");
        };
        failure
    };
    let large = [1 << 32, 1 << 32];
    let rejected = Expectation::Rejected([Reason::VolumeMismatch].into());
    assert_eq!(failure(rejected, &large).kind(), NotRejected);
    let reshaped = Expectation::Reshaped(vec![0]);
    assert_eq!(failure(reshaped, &large).kind(), WrongShape);
    let empty = failure(Expectation::Reshaped(vec![0, 2]), &[0, 2]);
    assert_eq!(empty, Failure::NoElements(vec![0, 2]));
}

#[test]
fn a_rejection_passes_whatever_its_message_and_a_crash_does_not() {
    let expectation = Expectation::Rejected([Reason::VolumeMismatch].into());
    assert_eq!(kind(&expectation, &rejected()), Passed);
    assert_eq!(kind(&expectation, &Outcome::from(data(&[3, 2]))), Failed);
    let failure = || ProcessFailure::without_log("");
    for (outcome, wanted) in [
        (Outcome::Crashed(failure()), Crashed),
        (Outcome::TimedOut(failure()), TimedOut),
        (Outcome::OutOfMemory(failure()), OutOfMemory),
        (Outcome::ProtocolError(failure()), ProtocolError),
        (Outcome::Unsupported(String::new()), Failed),
    ] {
        assert_eq!(kind(&expectation, &outcome), wanted);
    }
}

#[test]
fn an_open_question_records_what_is_allowed_and_fails_what_is_not() {
    let allowed = Some(vec![
        Allowed::Rejected,
        Allowed::Reshaped(vec![Some(3), None]),
    ]);
    let some = open(Question::BelowMinusOne, allowed);
    assert_eq!(kind(&some, &rejected()), Recorded);
    assert_eq!(kind(&some, &Outcome::from(data(&[3, 2]))), Recorded);
    assert_eq!(kind(&some, &Outcome::from(data(&[2, 3]))), Failed);
    let without = open(Question::BelowMinusOne, None);
    // Any shape of the same count.
    assert_eq!(kind(&without, &Outcome::from(data(&[6]))), Recorded);
    assert_eq!(kind(&without, &Outcome::from(data(&[7]))), Failed);
    let inferred = |shape: &[Option<u64>]| kind(&without, &Outcome::Inferred(Some(shape.to_vec())));
    assert_eq!(inferred(&[Some(3), Some(2)]), Recorded);
    assert_eq!(inferred(&[Some(3), Some(3)]), Failed);
    assert_eq!(inferred(&[Some(4), None]), Recorded);
    let shape_only = Some(vec![Allowed::Reshaped(vec![Some(6)])]);
    let no_rejection = open(Question::CountOverflows, shape_only);
    assert_eq!(kind(&no_rejection, &rejected()), Failed);
}

#[test]
fn an_inference_must_not_contradict_the_text_and_may_be_unknown() {
    let expectation = Expectation::Reshaped(vec![3, 2]);
    let inferred = |shape: &[Option<u64>]| Outcome::Inferred(Some(shape.to_vec()));
    assert_eq!(kind(&expectation, &Outcome::Inferred(None)), Passed);
    assert_eq!(kind(&expectation, &inferred(&[Some(3), None])), Passed);
    assert_eq!(kind(&expectation, &inferred(&[Some(2), None])), Failed);
    assert_eq!(kind(&expectation, &inferred(&[None])), Failed);
    let rejection = Expectation::Rejected([Reason::TwoMinusOnes].into());
    assert_eq!(kind(&rejection, &Outcome::Inferred(None)), Failed);
    let both = Outcome::Reshaped {
        output: data(&[3, 2]),
        inferred: Some(vec![Some(9), None]),
        shares: None,
    };
    assert_eq!(failure(&expectation, &both), Some(WrongInference));
}

#[test]
fn an_inference_must_agree_with_the_output_where_the_text_leaves_it_open() {
    let open = |allowed| open(Question::BelowMinusOne, allowed);
    let shapes = [vec![Some(3), Some(2)], vec![Some(2), Some(3)]];
    let either = shapes.map(Allowed::Reshaped).into_iter().collect();
    for expectation in [open(None), open(Some(either))] {
        let of = |inferred: &[Option<u64>]| Outcome::Reshaped {
            output: data(&[3, 2]),
            inferred: Some(inferred.to_vec()),
            shares: None,
        };
        assert_eq!(kind(&expectation, &of(&[None, Some(2)])), Recorded);
        let wrong = failure(&expectation, &of(&[Some(2), Some(3)]));
        assert_eq!(wrong, Some(WrongInference));
    }
}

#[test]
fn a_recorded_verdict_has_the_answer() {
    let open = open(Question::BelowMinusOne, None);
    let answer = |outcome: &Outcome| {
        let verdict = judge(&open, &data(&[2, 3]), outcome);
        let Verdict::Recorded {
            question: Question::BelowMinusOne,
            answer,
        } = verdict
        else {
            panic!("{verdict:?}")
        };
        answer
    };
    assert_eq!(answer(&Outcome::from(data(&[6, 1]))), "[6, 1]");
    assert_eq!(answer(&rejected()), "rejected");
    let inferred = Outcome::Inferred(Some(vec![Some(6), None]));
    assert_eq!(answer(&inferred), "[6, ?]");
}

#[test]
fn only_some_failures_are_possible_for_an_expectation() {
    let reshaped = Expectation::Reshaped(vec![6]);
    let rejected = Expectation::Rejected([Reason::VolumeMismatch].into());
    let either = open(Question::BelowMinusOne, None);
    let possible = |expectation: &Expectation| {
        let possible = FailureKind::ALL.iter();
        let possible = possible.filter(|kind| is_possible(**kind, expectation));
        possible.joined(" ")
    };
    let shapes = "wrong-shape wrong-content wrong-element-type wrong-sharing";
    for (expectation, kinds) in [
        (reshaped, format!("{shapes} rejected wrong-inference")),
        (rejected, "not-rejected".to_owned()),
        (either, format!("{shapes} wrong-inference")),
    ] {
        let always = "earlier-output-changed wrong-run-beside unsupported";
        assert_eq!(possible(&expectation), format!("{kinds} {always}"));
    }
}

#[test]
fn only_the_elements_that_a_question_is_about_may_change() {
    /// The answer that is recorded; `None` for a failure.
    fn answer(question: Question, data: &Tensor, output: Tensor) -> Option<String> {
        let any = vec![Some(data.len() as u64)];
        let allowed = Some(vec![Allowed::Rejected, Allowed::Reshaped(any)]);
        let verdict = judge(&open(question, allowed), data, &Outcome::from(output));
        let Verdict::Recorded { answer, .. } = verdict else {
            assert_eq!(verdict.kind(), Failed);
            return None;
        };
        Some(answer)
    }
    let bools = |bytes: &[u8]| {
        let dims = vec![bytes.len() as u64];
        Tensor::from_bits(ElementType::Bool, dims, |index| bytes[index].into())
    };
    for (output, expected) in [
        (&[0, 1, 2][..], Some("kept")),
        (&[0, 1, 1], Some("changed")),
        (&[0, 1, 0], Some("changed")),
        (&[0, 255, 2], None),
        (&[0, 1], None),
    ] {
        let answer = answer(Question::BoolByte, &bools(&[0, 1, 2]), bools(output));
        assert_eq!(answer.as_deref(), expected, "{output:?}");
    }
    let strings = |texts: [&str; 2]| {
        let bytes = texts.map(|text| text.as_bytes().to_vec());
        Tensor::from_strings(vec![2], bytes.into()).expect("strings")
    };
    for (output, expected) in [
        (["a", "b\0"], Some("kept")),
        (["a", "b"], Some("changed")),
        (["", "b"], None),
    ] {
        let data = strings(["a", "b\0"]);
        let answer = answer(Question::NulInString, &data, strings(output));
        assert_eq!(answer.as_deref(), expected, "{output:?}");
    }
}
