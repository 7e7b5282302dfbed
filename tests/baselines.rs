//! Baselines that do not fit the run.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::reports::{FAULT_CASES, FAULTS, read, run};
use std::fs;
use tempfile::tempdir;

#[test]
fn a_baseline_that_does_not_fit_is_told_or_refused() {
    let place = tempdir().unwrap();
    let backend = format!("python3 -S {FAULTS} behaves");
    let run_of = ["run", "--cases", FAULT_CASES, "--adapter-command", &backend];
    let (code, text) = run(
        &place,
        &[&run_of[..], &["--events", "before.jsonl"]].concat(),
    );
    assert_eq!(code, 0, "{text}");
    let against = |name: &str, more: &[&str]| {
        run(
            &place,
            &[&run_of[..], &["-q", "--baseline", name], more].concat(),
        )
    };
    let before = read(&place, "before.jsonl");
    let changed = |name: &str, from: &str, to: &str| {
        assert!(before.contains(from), "{from}");
        fs::write(place.path().join(name), before.replace(from, to)).unwrap();
    };
    let (code, text) = against("before.jsonl", &[]);
    assert!(code == 0 && !text.contains("warning"), "{code} {text}");
    changed(
        "suite.jsonl",
        "\"suite_hash\":\"",
        "\"suite_hash\":\"0000dead",
    );
    let (code, text) = against("suite.jsonl", &[]);
    let warning = "warning: the baseline suite.jsonl is of suite 0.1.0 (0000dead), but this run is of suite 0.1.0 (";
    assert!(code == 0 && text.contains(warning), "{code} {text}");
    changed("version.jsonl", "\"version\":\"1\"", "\"version\":\"0\"");
    let (code, text) = against("version.jsonl", &[]);
    let warning = "is of faulty 0, but 'python3";
    assert!(code == 0 && text.contains(warning), "{code} {text}");
    let other = format!("{backend} # again");
    let (code, text) = against("before.jsonl", &["--adapter-command", &other]);
    assert!(
        code == 0 && text.contains("warning: the baseline before.jsonl is of python3"),
        "{code} {text}"
    );
    changed("backend.jsonl", "python3", "python4");
    let (code, text) = against("backend.jsonl", &[]);
    assert!(
        code == 2 && text.contains("the baseline backend.jsonl is of python4"),
        "{code} {text}"
    );
    changed("trials.jsonl", "\"trial\":\"", "\"trial\":\"un");
    let (code, text) = against("trials.jsonl", &[]);
    assert!(
        code == 103 && text.contains("other trials than its start announced"),
        "{code} {text}"
    );
    // A stream of a version that wrote no hash of them.
    let older = read(&place, "trials.jsonl").replace("trials_hash", "unknown");
    fs::write(place.path().join("trials.jsonl"), older).unwrap();
    let (code, text) = against("trials.jsonl", &[]);
    assert!(
        code == 2 && text.contains("has no trial of this run"),
        "{code} {text}"
    );
}

#[test]
fn a_changed_answer_to_an_open_question_is_said_and_not_red() {
    let place = tempdir().unwrap();
    let run_of = ["run", "minus-two/onnx.Reshape-14/**", "--events"];
    let (code, text) = run(&place, &[&run_of[..], &["before.jsonl"]].concat());
    assert_eq!(code, 0, "{text}");
    let against = ["now.jsonl", "-q", "--baseline", "before.jsonl"];
    let (code, text) = run(&place, &[&run_of[..], &against].concat());
    assert!(code == 0 && !text.contains("answer"), "{code} {text}");
    let answered = "\"answer\":\"rejected\"";
    let before = read(&place, "before.jsonl");
    assert!(before.matches(answered).count() > 2, "{before}");
    let before = before.replacen(answered, "\"answer\":\"[7, 1]\"", 2);
    fs::write(place.path().join("before.jsonl"), before).unwrap();
    let (code, text) = run(&place, &[&run_of[..], &against].concat());
    let wanted = "changed answers to open questions, which are not red: 2, such as minus-two";
    assert!(code == 0 && text.contains(wanted), "{code} {text}");
    assert!(text.contains(": rejected, before [7, 1]\n"), "{text}");
}
