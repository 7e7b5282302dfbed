//! Tests of the judge.

use super::{Verdict, is_possible, judge};
use crate::event::FailureKind;
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

/// The kind of a verdict: of a failure its own kind, and of an answer that is recorded the answer too.
fn said(expectation: &Expectation, data: &Tensor, outcome: &Outcome) -> String {
    let verdict = judge(expectation, data, outcome);
    match &verdict {
        Verdict::Recorded { answer, .. } => format!("recorded: {answer}"),
        Verdict::Failed(failure) => failure.kind().to_string(),
        Verdict::Passed
        | Verdict::Skipped
        | Verdict::Crashed
        | Verdict::TimedOut
        | Verdict::OutOfMemory
        | Verdict::ProtocolError => verdict.kind().to_string(),
    }
}

#[test]
fn an_outcome_is_judged_by_the_expectation_and_an_open_one_is_recorded() {
    let shape = |dims: &[u64]| Outcome::from(data(dims));
    let claimed = |dims: &[u64]| Outcome::Claimed {
        element_type: ElementType::F32,
        shape: dims.to_vec(),
    };
    let inferred = |dims: &[Option<u64>]| Outcome::Inferred(Some(dims.to_vec()));
    let both = |inferred: &[Option<u64>]| Outcome::Reshaped {
        output: data(&[3, 2]),
        inferred: Some(inferred.to_vec()),
        shares: None,
    };
    let ended = |how: fn(ProcessFailure) -> Outcome| how(ProcessFailure::without_log(""));
    let one_bit = |i| if i == 0 { 0x8000_0000 } else { i as u128 };
    let other_bit = Tensor::from_bits(ElementType::F32, vec![3, 2], one_bit);
    let other_type = Tensor::from_bits(ElementType::I32, vec![3, 2], |i| i as u128);
    let one = Expectation::Reshaped(vec![3, 2]);
    let none = Expectation::Rejected([Reason::VolumeMismatch].into());
    let below = |allowed| open(Question::BelowMinusOne, allowed);
    let pattern = |dims: &[Option<u64>]| Allowed::Reshaped(dims.to_vec());
    let any = below(None);
    let some = below(Some(vec![Allowed::Rejected, pattern(&[Some(3), None])]));
    let either = [[Some(3), Some(2)], [Some(2), Some(3)]].map(|dims| pattern(&dims));
    let either = below(Some(either.into()));
    let only = below(Some(vec![pattern(&[Some(6)])]));
    for (expectation, outcome, expected) in [
        (&one, shape(&[3, 2]), "passed"),
        (&one, shape(&[2, 3]), "wrong-shape"),
        (&one, other_bit.into(), "wrong-content"),
        (&one, other_type.into(), "wrong-element-type"),
        (&one, rejected(), "rejected"),
        // A shape without its elements is wrong, whatever it is and the text allows.
        (&one, claimed(&[3, 2]), "wrong-content"),
        (&one, claimed(&[1 << 32, 1 << 32]), "wrong-shape"),
        (&none, claimed(&[1 << 32, 1 << 32]), "not-rejected"),
        // An inference may be unknown.
        (&one, Outcome::Inferred(None), "passed"),
        (&one, inferred(&[Some(3), None]), "passed"),
        (&one, inferred(&[Some(2), None]), "wrong-inference"),
        (&one, inferred(&[None]), "wrong-inference"),
        (&one, both(&[Some(9), None]), "wrong-inference"),
        (&none, rejected(), "passed"),
        (&none, shape(&[3, 2]), "not-rejected"),
        (&none, Outcome::Inferred(None), "not-rejected"),
        (&none, ended(Outcome::Crashed), "crashed"),
        (&none, ended(Outcome::TimedOut), "timed-out"),
        (&none, ended(Outcome::OutOfMemory), "out-of-memory"),
        (&none, ended(Outcome::ProtocolError), "protocol-error"),
        (&none, Outcome::Unsupported(String::new()), "unsupported"),
        (&some, rejected(), "recorded: rejected"),
        (&some, shape(&[3, 2]), "recorded: [3, 2]"),
        (&some, shape(&[2, 3]), "wrong-shape"),
        (&only, rejected(), "rejected"),
        // Any shape of the same count.
        (&any, rejected(), "recorded: rejected"),
        (&any, shape(&[6, 1]), "recorded: [6, 1]"),
        (&any, shape(&[7]), "wrong-shape"),
        (&any, inferred(&[Some(3), Some(2)]), "recorded: [3, 2]"),
        (&any, inferred(&[Some(4), None]), "recorded: [4, ?]"),
        (&any, inferred(&[Some(3), Some(3)]), "wrong-inference"),
        // The inference must agree with the output, whatever the text allows.
        (&any, both(&[None, Some(2)]), "recorded: [3, 2]"),
        (&any, both(&[Some(2), Some(3)]), "wrong-inference"),
        (&either, both(&[None, Some(2)]), "recorded: [3, 2]"),
        (&either, both(&[Some(2), Some(3)]), "wrong-inference"),
    ] {
        let said = said(expectation, &data(&[2, 3]), &outcome);
        assert_eq!(said, expected, "{expectation} {outcome:?}");
    }
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
    let said = |question, data: &Tensor, output: Tensor| {
        let any = vec![Some(data.len() as u64)];
        let allowed = Some(vec![Allowed::Rejected, Allowed::Reshaped(any)]);
        said(&open(question, allowed), data, &Outcome::from(output))
    };
    let bools = |bytes: &[u8]| {
        let dims = vec![bytes.len() as u64];
        Tensor::from_bits(ElementType::Bool, dims, |index| bytes[index].into())
    };
    for (output, expected) in [
        (&[0, 1, 2][..], "recorded: kept"),
        (&[0, 1, 1], "recorded: changed"),
        (&[0, 1, 0], "recorded: changed"),
        (&[0, 255, 2], "wrong-content"),
        (&[0, 1], "wrong-shape"),
    ] {
        let said = said(Question::BoolByte, &bools(&[0, 1, 2]), bools(output));
        assert_eq!(said, expected, "{output:?}");
    }
    let strings = |texts: [&str; 2]| {
        let bytes = texts.map(|text| text.as_bytes().to_vec());
        Tensor::from_strings(vec![2], bytes.into()).expect("strings")
    };
    for (output, expected) in [
        (["a", "b\0"], "recorded: kept"),
        (["a", "b"], "recorded: changed"),
        (["", "b"], "wrong-content"),
    ] {
        let data = strings(["a", "b\0"]);
        let said = said(Question::NulInString, &data, strings(output));
        assert_eq!(said, expected, "{output:?}");
    }
}
