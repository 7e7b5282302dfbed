//! What the file says, and what `update` leaves of it.

use super::{Addition, Classification, KnownFailures, Seen, update};
use crate::error::Source;
use crate::event::{FailureKind, VerdictKind};
use crate::spec::operator::{Question, Reason};
use crate::spec::outcome::Phase;
use crate::suite::case::Expectation;
use crate::verdict::judge::{Failure, Verdict};

const FILE: &str = "\
# Reported last year.
- trials:
    - \"one/**\"
    - \"two/*/*/runtime-*\"
  outcome: failed
  failure: not-rejected
  reason: \"It does not look.\" # they know

- trials: [\"three/**\"]
  when: {version: \"1.*\"}
  outcome: crashed
  reason: \"It falls over.\"
  quarantine: true
";

fn read(text: &str) -> KnownFailures {
    KnownFailures::read(&Source::new("known-failures.yaml", text)).expect("a good file")
}

fn not_rejected() -> Verdict {
    Verdict::Failed(Failure::NotRejected {
        reasons: [].into(),
        got: "[1]".to_owned(),
    })
}

fn to_reject() -> Expectation {
    Expectation::Rejected([Reason::TwoMinusOnes].into())
}

#[test]
fn an_entry_speaks_only_of_trials_that_can_fail_as_it_says() {
    let known =
        read("- {trials: [\"**\"], outcome: failed, failure: rejected, reason: It has no f16.}\n");
    let met = known.unmatched();
    let standing = |expectation, verdict: &Verdict| {
        known.standing("one/o/f16/b", &expectation, "1", verdict, &met)
    };
    assert_eq!(
        standing(to_reject(), &Verdict::Passed),
        Classification::Unknown
    );
    assert_eq!(
        standing(to_reject(), &not_rejected()),
        Classification::Unknown
    );
    let question = Question::BelowMinusOne;
    assert_eq!(
        standing(
            Expectation::Open {
                question,
                allowed: None
            },
            &Verdict::Passed
        ),
        Classification::Unknown
    );
    assert_eq!(
        standing(Expectation::Reshaped(vec![6]), &Verdict::Passed),
        Classification::Fixed("It has no f16.".to_owned())
    );
    let rejected = Verdict::Failed(Failure::Rejected {
        expected: vec![Some(6)],
        phase: Phase::Run,
        message: "no".to_owned(),
    });
    assert_eq!(
        standing(Expectation::Reshaped(vec![6]), &rejected),
        Classification::Known("It has no f16.".to_owned())
    );
}

#[test]
fn a_failure_that_is_said_is_known_and_any_other_is_not() {
    let known = read(FILE);
    let met = known.unmatched();
    let standing =
        |trial: &str, verdict: &Verdict| known.standing(trial, &to_reject(), "1.2", verdict, &met);
    assert_eq!(
        standing("one/o/f32/b", &not_rejected()),
        Classification::Known("It does not look.".to_owned())
    );
    assert_eq!(
        standing("two/o/f32/constant-static", &not_rejected()),
        Classification::Unknown
    );
    assert_eq!(
        standing("one/o/f32/b", &Verdict::Crashed),
        Classification::Changed("It does not look.".to_owned())
    );
    assert_eq!(
        standing("one/o/f32/b", &Verdict::Passed),
        Classification::Fixed("It does not look.".to_owned())
    );
    assert_eq!(
        standing("one/o/f32/b", &Verdict::Skipped),
        Classification::Unknown
    );
    assert_eq!(
        standing("elsewhere/o/f32/b", &not_rejected()),
        Classification::Unknown
    );
}

#[test]
fn a_condition_that_does_not_hold_takes_its_entry_away() {
    let known = read(FILE);
    let met = known.unmatched();
    assert_eq!(
        known.standing(
            "three/o/f32/b",
            &to_reject(),
            "2.0",
            &Verdict::Crashed,
            &met
        ),
        Classification::Unknown
    );
    assert!(known.quarantined("three/o/f32/b", "1.0", &met).is_some());
    assert!(known.quarantined("three/o/f32/b", "2.0", &met).is_none());
    assert!(known.quarantined("one/o/f32/b", "1.0", &met).is_none());
}

#[test]
fn a_pattern_that_meets_nothing_is_stale_at_its_place() {
    let known = read(FILE);
    let met = known.unmatched();
    known.meet("one/o/f32/b", "2.0", &met);
    let stale: Vec<_> = known
        .stale("2.0", &met)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        stale,
        ["known-failures.yaml:4:7: no trial has a name like 'two/*/*/runtime-*'"]
    );
}

#[test]
fn an_update_narrows_what_is_half_fixed_and_keeps_all_else() {
    let known = read(FILE);
    let met = known.unmatched();
    for trial in [
        "one/o/f32/a",
        "one/o/f32/b",
        "two/o/f32/runtime-static",
        "three/o/f32/b",
    ] {
        known.meet(trial, "1.0", &met);
    }
    let trials = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let seen = Seen {
        known: trials(&["one/o/f32/a", "two/o/f32/runtime-static", "three/o/f32/b"]),
        fixed: trials(&["one/o/f32/b"]),
        ..Seen::default()
    };
    let text = update(&known, "1.0", &met, &seen, None);
    assert_eq!(text, FILE.replace("\"one/**\"", "\"one/*/*/a\""));
}

#[test]
fn an_update_drops_what_is_fixed_and_writes_what_is_new_under_its_reason() {
    let known = read(FILE);
    let met = known.unmatched();
    for trial in ["one/o/f32/a", "two/o/f32/runtime-static", "three/o/f32/b"] {
        known.meet(trial, "1.0", &met);
    }
    let seen = Seen {
        additions: vec![Addition {
            trial: "new/o/f32/b".to_owned(),
            outcome: VerdictKind::Failed,
            failure: Some(FailureKind::WrongShape),
        }],
        known: ["three/o/f32/b".to_owned()].into(),
        fixed: [
            "one/o/f32/a".to_owned(),
            "two/o/f32/runtime-static".to_owned(),
        ]
        .into(),
        others: ["new/o/f32/c".to_owned()].into(),
    };
    let text = update(&known, "1.0", &met, &seen, Some(("It is \"new\".", None)));
    let (_, rest) = FILE
        .split_once("- trials: [\"three")
        .expect("the second entry");
    let added = "- trials:\n    - \"new/*/*/b\"\n  outcome: failed\n  failure: wrong-shape\n  reason: \"It is \\\"new\\\".\"\n";
    assert_eq!(
        text,
        format!("# Reported last year.\n\n- trials: [\"three{rest}\n{added}")
    );
    read(&text);
}

#[test]
fn an_entry_without_a_reason_or_with_an_unknown_word_is_a_fault_at_its_place() {
    let fault = |text: &str| {
        KnownFailures::read(&Source::new("k.yaml", text))
            .expect_err("a fault")
            .to_string()
    };
    assert!(fault("- {trials: [a], outcome: failed}").contains("reason"));
    assert_eq!(
        fault("- {trials: [a], outcome: failed, reason: \" \"}"),
        "k.yaml:1:42: an empty reason"
    );
    assert_eq!(
        fault("- {trials: [a], outcome: passed, reason: r}"),
        "k.yaml:1:26: there is no outcome 'passed'"
    );
    assert!(fault("- {trials: ['['], outcome: failed, reason: r}").starts_with("k.yaml:1:13: "));
}

#[test]
fn an_update_with_a_reason_that_is_there_makes_that_list_longer() {
    let known = read(FILE);
    let met = known.unmatched();
    ["one/o/f32/b", "two/o/f32/runtime-static", "three/o/f32/b"]
        .iter()
        .for_each(|trial| known.meet(trial, "1.0", &met));
    let addition = Addition {
        trial: "four/o/f32/b".to_owned(),
        outcome: VerdictKind::Failed,
        failure: Some(FailureKind::NotRejected),
    };
    let seen = Seen {
        additions: vec![addition],
        ..Seen::default()
    };
    let text = update(
        &known,
        "1.0",
        &met,
        &seen,
        Some(("It does not look.", None)),
    );
    assert_eq!(
        text,
        FILE.replace(
            "    - \"two/*/*/runtime-*\"\n",
            "    - \"two/*/*/runtime-*\"\n    - \"four/**\"\n"
        )
    );
}

#[test]
fn an_update_narrows_a_list_in_brackets_too() {
    let file = "- trials: [\"one/**\", \"[t]wo/**\"] # of old\n  outcome: failed\n  reason: R.\n";
    let known = read(file);
    let met = known.unmatched();
    let trials = ["one/o/f32/b", "one/p/f32/b", "two/o/f32/b"];
    trials
        .iter()
        .for_each(|trial| known.meet(trial, "1.0", &met));
    let set = |trials: &[&str]| trials.iter().map(ToString::to_string).collect();
    let seen = Seen {
        known: set(&["one/p/f32/b", "two/o/f32/b"]),
        fixed: set(&["one/o/f32/b"]),
        ..Seen::default()
    };
    let text = update(&known, "1.0", &met, &seen, None);
    let lines = "- trials:\n    - \"one/*/*/b\"\n    - \"[t]wo/**\" # of old\n"
        .replace("one/*/*/b", "one/p/**");
    assert_eq!(text, format!("{lines}  outcome: failed\n  reason: R.\n"));
}
