//! What a file says, and what `update` makes of it.

use super::Classification::{Changed, Fixed, Known, Quarantined, Unknown};
use super::{Addition, Comparison, KnownFailures, Matched, update};
use crate::error::Source;
use crate::event::{
    BackendFinished, Counts, DeathRecord, FailureKind, ProcessFailureRecord, UnattributedRecord,
    VerdictKind, is_alike,
};
use crate::semantics::operator::{Question, Reason};
use crate::semantics::outcome::Phase;
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

fn updated(
    known: &KnownFailures,
    version: &str,
    matched: &Matched,
    run: &Comparison,
    reason: Option<(&str, Option<&str>)>,
) -> String {
    update(known, version, matched, run, reason).expect("a file with a line for each entry")
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
fn an_entry_applies_only_to_trials_that_can_fail_as_it_says() {
    let known =
        read("- {trials: [\"**\"], outcome: failed, failure: rejected, reason: It has no f16.}\n");
    let matched = known.unmatched();
    let classify = |expectation, verdict: &Verdict| {
        known.classify("one/o/f16/b", &expectation, "1", verdict, &matched)
    };
    assert_eq!(classify(to_reject(), &Verdict::Passed), Unknown);
    assert_eq!(classify(to_reject(), &not_rejected()), Unknown);
    let question = Question::BelowMinusOne;
    assert_eq!(
        classify(
            Expectation::Open {
                question,
                allowed: None
            },
            &Verdict::Passed
        ),
        Unknown
    );
    assert_eq!(
        classify(Expectation::Reshaped(vec![6]), &Verdict::Passed),
        Fixed("It has no f16.".to_owned())
    );
    let rejected = Verdict::Failed(Failure::Rejected {
        expected: vec![Some(6)],
        phase: Phase::Run,
        message: "no".to_owned(),
    });
    assert_eq!(
        classify(Expectation::Reshaped(vec![6]), &rejected),
        Known("It has no f16.".to_owned())
    );
}

#[test]
fn only_the_failure_of_the_entry_is_known() {
    let known = read(FILE);
    let matched = known.unmatched();
    let classify = |trial: &str, verdict: &Verdict| {
        known.classify(trial, &to_reject(), "1.2", verdict, &matched)
    };
    assert_eq!(
        classify("one/o/f32/b", &not_rejected()),
        Known("It does not look.".to_owned())
    );
    assert_eq!(
        classify("two/o/f32/constant-static", &not_rejected()),
        Unknown
    );
    assert_eq!(
        classify("one/o/f32/b", &Verdict::Crashed),
        Changed("It does not look.".to_owned())
    );
    assert_eq!(
        classify("one/o/f32/b", &Verdict::Passed),
        Fixed("It does not look.".to_owned())
    );
    assert_eq!(classify("one/o/f32/b", &Verdict::Skipped), Unknown);
    assert_eq!(classify("elsewhere/o/f32/b", &not_rejected()), Unknown);
}

#[test]
fn a_fault_of_memory_may_end_the_process_instead() {
    let crashed = |severity: &str| {
        let known = read(&format!(
            "- {{trials: [\"**\"], outcome: failed, severity: {severity}, reason: It reads too far.}}\n"
        ));
        let matched = known.unmatched();
        known.classify(
            "one/o/f16/b",
            &to_reject(),
            "1",
            &Verdict::Crashed,
            &matched,
        )
    };
    let reason = || "It reads too far.".to_owned();
    assert_eq!(crashed("memory"), Known(reason()));
    assert_eq!(crashed("wrong-result"), Changed(reason()));
}

#[test]
fn one_entry_of_a_cause_names_its_example_its_rules_and_its_threads() {
    let known = read(
        "- {trials: [\"one/**\"], outcome: failed, cause: a, example: one/o, rules: [same-count], related: [u], searched: s, disputed: d, reason: x}\n\
         - {trials: [\"two/**\"], outcome: crashed, cause: a, reason: x}\n\
         - {trials: [\"three/**\"], outcome: crashed, cause: b, reason: x}\n",
    );
    let named = |trial: &str| {
        let (_, entry) = known.expected(trial, &to_reject()).expect("an entry");
        let threads = (entry.related, entry.searched, entry.disputed);
        (entry.example, entry.rules, threads)
    };
    let some = |text: &str| Some(text.to_owned());
    let threads = (vec!["u".to_owned()], some("s"), some("d"));
    let of_a = (some("one/o"), vec!["same-count".to_owned()], threads);
    assert_eq!(named("one/o"), of_a);
    assert_eq!(named("two/o"), of_a);
    assert_eq!(named("three/o"), Default::default());
}

#[test]
fn an_entry_whose_condition_fails_does_not_apply() {
    let known = read(FILE);
    let matched = known.unmatched();
    assert_eq!(
        known.classify(
            "three/o/f32/b",
            &to_reject(),
            "2.0",
            &Verdict::Crashed,
            &matched
        ),
        Unknown
    );
    assert!(
        known
            .quarantined("three/o/f32/b", "1.0", &matched)
            .is_some()
    );
    assert!(
        known
            .quarantined("three/o/f32/b", "2.0", &matched)
            .is_none()
    );
    assert!(known.quarantined("one/o/f32/b", "1.0", &matched).is_none());
}

#[test]
fn a_quarantine_holds_wherever_it_stands() {
    let known = read(
        "- {trials: [\"**\"], outcome: failed, reason: It is wrong.}\n\
         - {trials: [\"one/**\"], outcome: crashed, reason: It does harm., quarantine: true}\n",
    );
    let matched = known.unmatched();
    assert_eq!(
        known.quarantined("one/o/f32/b", "1", &matched),
        Some(Quarantined("It does harm.".to_owned()))
    );
    assert!(known.quarantined("two/o/f32/b", "1", &matched).is_none());
}

/// Whether a backend is red that ended in these ways so often, with what a file says of its deaths.
fn died(entries: &str, deaths: &[(u64, &str)]) -> bool {
    let deaths = deaths.iter().map(|(times, message)| DeathRecord {
        times: *times,
        message: (*message).to_owned(),
        did_not_start: false,
        doing: String::new(),
        received: 0,
        trials: Vec::new(),
        again: None,
    });
    let deaths: Vec<_> = deaths.collect();
    let finished = BackendFinished {
        backend: "it".into(),
        counts: Counts::default(),
        stale: Vec::new(),
        unmatched: Vec::new(),
        memory: None,
        unattributed: Some(UnattributedRecord {
            times: deaths.iter().map(|of| of.times).sum(),
            last: ProcessFailureRecord {
                message: deaths.last().expect("a death").message.clone(),
                log: String::new(),
            },
            deaths,
        }),
        allowed_deaths: read(entries).allowed_deaths("1"),
    };
    let mut of_an_old_version = finished.clone();
    if let Some(of) = &mut of_an_old_version.unattributed
        && of.deaths.len() == 1
    {
        of.deaths.clear();
        assert_eq!(of_an_old_version.died(), finished.died());
    }
    finished.died()
}

#[test]
fn an_entry_about_deaths_excuses_those_with_its_message() {
    let aborts = "- {deaths: 2, message: 'signal: 6', reason: 'It is torn down twice.'}\n";
    let any = "- {deaths: 1, reason: 'It ends somehow.'}\n";
    let (abort, exit) = ("ended (signal: 6 (SIGABRT))", "ended (exit status: 3)");
    let both = format!("{aborts}{any}");
    for (entries, deaths, expected) in [
        (aborts, &[(2, abort)][..], false),
        (aborts, &[(3, abort)], true),
        (aborts, &[(1, exit)], true),
        (aborts, &[(1, abort), (1, exit)], true),
        (any, &[(1, exit)], false),
        (any, &[(1, exit), (1, abort)], true),
        (&both, &[(1, exit), (2, abort)], false),
        // What is too many for one entry is left to the next.
        (&both, &[(3, abort)], false),
        (&both, &[(3, abort), (1, exit)], true),
        (&both, &[(2, exit)], true),
    ] {
        assert_eq!(died(entries, deaths), expected, "{entries}{deaths:?}");
    }
    let both = "- {deaths: 1, message: 'exit status: 3', reason: 'It exits.'}\n\
                - {deaths: 1, message: 'exit status: 4', reason: 'It exits otherwise.'}\n";
    let otherwise = "ended (exit status: 4)";
    assert!(!died(both, &[(1, exit), (1, otherwise)]));
    assert!(!is_alike(exit, otherwise), "counted apart");
}

#[test]
fn a_pattern_that_matches_nothing_is_stale_at_its_place() {
    let known = read(FILE);
    let matched = known.unmatched();
    known.record_match("one/o/f32/b", "2.0", &matched);
    let stale: Vec<_> = known
        .stale("2.0", &matched, &["one", "twos"])
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        stale,
        [
            "known-failures.yaml:4:7: no trial has a name like 'two/*/*/runtime-*'; did you mean twos?"
        ]
    );
}

#[test]
fn an_update_narrows_what_is_partly_fixed_and_keeps_the_rest() {
    let known = read(FILE);
    let matched = known.unmatched();
    for trial in [
        "one/o/f32/a",
        "one/o/f32/b",
        "two/o/f32/runtime-static",
        "three/o/f32/b",
    ] {
        known.record_match(trial, "1.0", &matched);
    }
    let trials = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let run = Comparison {
        known: trials(&["one/o/f32/a", "two/o/f32/runtime-static", "three/o/f32/b"]),
        fixed: trials(&["one/o/f32/b"]),
        ..Comparison::default()
    };
    let text = updated(&known, "1.0", &matched, &run, None);
    assert_eq!(text, FILE.replace("\"one/**\"", "\"one/*/*/a\""));
}

#[test]
fn an_update_drops_fixed_failures_and_writes_new_ones_with_their_reason() {
    let known = read(FILE);
    let matched = known.unmatched();
    for trial in ["one/o/f32/a", "two/o/f32/runtime-static", "three/o/f32/b"] {
        known.record_match(trial, "1.0", &matched);
    }
    let run = Comparison {
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
    let text = updated(
        &known,
        "1.0",
        &matched,
        &run,
        Some(("It is \"new\".", None)),
    );
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
        "k.yaml:1:26: unknown outcome 'passed'"
    );
    assert_eq!(
        fault("- {trials: [a], outcome: crashed, failure: rejected, reason: r}"),
        "k.yaml:1:44: an entry with `outcome: crashed` cannot have a `failure`"
    );
    assert!(fault("- {trials: ['['], outcome: failed, reason: r}").starts_with("k.yaml:1:13: "));
}

#[test]
fn an_update_with_a_known_reason_extends_that_list() {
    let known = read(FILE);
    let matched = known.unmatched();
    ["one/o/f32/b", "two/o/f32/runtime-static", "three/o/f32/b"]
        .iter()
        .for_each(|trial| known.record_match(trial, "1.0", &matched));
    let addition = Addition {
        trial: "four/o/f32/b".to_owned(),
        outcome: VerdictKind::Failed,
        failure: Some(FailureKind::NotRejected),
    };
    let run = Comparison {
        additions: vec![addition],
        ..Comparison::default()
    };
    let text = updated(
        &known,
        "1.0",
        &matched,
        &run,
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
fn an_update_writes_patterns_of_surroundings_apart_from_those_of_nodes_alone() {
    let known = read("");
    let failed = |trial: &str| Addition {
        trial: trial.to_owned(),
        outcome: VerdictKind::Failed,
        failure: Some(FailureKind::NotRejected),
    };
    let run = Comparison {
        additions: [
            "one/o/f32/b",
            "one/o/f32/b+s",
            "one/o/f32/c+s",
            "two/o/f32/b+s",
        ]
        .map(failed)
        .into(),
        others: ["two/o/f32/b", "two/o/f32/c+s"].map(str::to_owned).into(),
        ..Comparison::default()
    };
    let text = updated(&known, "1.0", &known.unmatched(), &run, Some(("R.", None)));
    for pattern in ["one/**", "one/*/*/*+*", "two/*/*/b+s"] {
        assert!(text.contains(&format!("    - \"{pattern}\"\n")), "{text}");
    }
}

#[test]
fn an_update_narrows_a_list_in_brackets_too() {
    let file = "- trials: [\"one/**\", \"[t]wo/**\"] # of old\n  outcome: failed\n  reason: R.\n";
    let known = read(file);
    let matched = known.unmatched();
    let trials = ["one/o/f32/b", "one/p/f32/b", "two/o/f32/b"];
    trials
        .iter()
        .for_each(|trial| known.record_match(trial, "1.0", &matched));
    let set = |trials: &[&str]| trials.iter().map(ToString::to_string).collect();
    let run = Comparison {
        known: set(&["one/p/f32/b", "two/o/f32/b"]),
        fixed: set(&["one/o/f32/b"]),
        ..Comparison::default()
    };
    let text = updated(&known, "1.0", &matched, &run, None);
    let lines = "- trials:\n    - \"one/*/*/b\"\n    - \"[t]wo/**\" # of old\n"
        .replace("one/*/*/b", "one/p/**");
    assert_eq!(text, format!("{lines}  outcome: failed\n  reason: R.\n"));
}

#[test]
fn an_update_narrows_a_list_of_an_entry_in_braces() {
    let file = "- {trials: [\"one/**\"], outcome: failed, reason: R.}\n";
    let known = read(file);
    let matched = known.unmatched();
    known.record_match("one/o/f32/b", "1.0", &matched);
    let set = |trials: &[&str]| trials.iter().map(ToString::to_string).collect();
    let run = Comparison {
        known: set(&["one/p/f32/b", "one/p/f16/b"]),
        fixed: set(&["one/o/f32/b"]),
        ..Comparison::default()
    };
    let text = updated(&known, "1.0", &matched, &run, None);
    let narrowed = "- {trials: [\"one/p/**\"], outcome: failed, reason: R.}\n";
    assert_eq!(text, narrowed);
    read(&text);
}

#[test]
fn entries_that_share_a_line_are_not_edited() {
    let fields = "outcome: failed, reason: R.";
    for file in [
        format!("[{{trials: [\"one/**\"], {fields}}}, {{trials: [\"two/**\"], {fields}}}]\n"),
        format!("[{{trials: [\"one/**\"], {fields}}},\n {{trials: [\"two/**\"], {fields}}}]\n"),
    ] {
        let known = read(&file);
        let run = Comparison::default();
        assert_eq!(update(&known, "1.0", &known.unmatched(), &run, None), None);
    }
}

#[test]
fn mutated_known_failures_are_read_or_refused() {
    let files: [&[u8]; 2] = [
        include_bytes!("../../../adapters/onnxruntime/known-failures.yaml"),
        include_bytes!("../../../adapters/onednn/known-failures.yaml"),
    ];
    crate::mutations::of(&files, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let _ = KnownFailures::read(&Source::new("known.yaml", &text));
    });
}
