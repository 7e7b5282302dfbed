//! Streams that two runs, or two backends of one run, would write into each other.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::BINARY;
use crate::reports::{FAULT_CASES, FAULTS, command, ended, mutant, read, run};
use std::fs;
use std::process::Stdio;
use std::time::Duration;
use tempfile::tempdir;

#[test]
fn a_second_run_does_not_touch_the_stream_of_one_that_is_running() {
    let place = tempdir().unwrap();
    let slow =
        format!("sh -c 'while ! test -e go; do sleep 0.1; done; exec python3 -S {FAULTS} behaves'");
    let run_of = [
        "run",
        "--cases",
        FAULT_CASES,
        "--adapter-command",
        &slow,
        "-j1",
    ];
    let first = command(&place, &[&run_of[..], &["--events", "it.jsonl"]].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !std::fs::read_to_string(place.path().join("it.jsonl"))
        .is_ok_and(|it| it.ends_with("}\n"))
    {
        std::thread::sleep(Duration::from_millis(5));
    }
    let before = read(&place, "it.jsonl");
    for option in ["--events", "--resume"] {
        let (code, text) = run(&place, &[&run_of[..], &[option, "it.jsonl"]].concat());
        assert_eq!(code, 2, "{text}");
        assert!(text.contains("another run is writing it.jsonl"), "{text}");
        assert!(read(&place, "it.jsonl").starts_with(&before));
    }
    std::fs::write(place.path().join("go"), "").unwrap();
    let (code, text) = ended(&first.wait_with_output().unwrap());
    assert_eq!(code, 0, "{text}");
    assert_eq!(run(&place, &["report", "render", "it.jsonl"]), (0, text));
    // It is free again, and longer than what replaces it.
    let (code, text) = run(
        &place,
        &[&run_of[..], &["data-of-one/**", "--events", "it.jsonl"]].concat(),
    );
    assert_eq!(code, 0, "{text}");
    assert_eq!(run(&place, &["report", "render", "it.jsonl"]), (0, text));
}

#[test]
fn a_backend_that_is_named_twice_is_a_wrong_command_line() {
    let place = tempdir().unwrap();
    let backend = format!("python3 -S {FAULTS} behaves");
    let twice = ["--adapter-command", &backend, "--adapter-command", &backend];
    let (code, text) = run(
        &place,
        &[&["run", "--cases", FAULT_CASES][..], &twice].concat(),
    );
    assert!(
        code == 2 && text.contains("is named twice"),
        "{code} {text}"
    );
}

#[test]
fn streams_of_different_backends_give_one_report() {
    let place = tempdir().unwrap();
    let (wrong, right) = (mutant("reversed"), format!("{BINARY} serve reference"));
    let folder = place.path().join("streams");
    fs::create_dir(&folder).unwrap();
    let trials = "copied-zero-first/**";
    let record = |file: &str, arguments: &[&str]| {
        let all = [&["run", "-q", "--events", file], arguments].concat();
        assert!(matches!(run(&place, &all).0, 0 | 100), "{file}");
    };
    record("streams/a.jsonl", &[trials, "--adapter-command", &wrong]);
    record("streams/b.jsonl", &[trials, "--adapter-command", &right]);
    let both = ["--adapter-command", &wrong, "--adapter-command", &right];
    record("both.jsonl", &[&[trials], &both[..]].concat());
    let page = |stream: &str| {
        let (code, text) = run(
            &place,
            &["report", "render", stream, "--results", "page.md"],
        );
        assert_eq!(code, 100, "{text}");
        read(&place, "page.md")
    };
    assert_eq!(page("streams"), page("both.jsonl"));
    record(
        "other.jsonl",
        &["two-minus-ones/**", "--adapter-command", &wrong],
    );
    record(
        "own.jsonl",
        &["--cases", FAULT_CASES, "--adapter-command", &right],
    );
    record("part.jsonl", &[trials, "--partition", "slice:1/2"]);
    for (with, says, exit) in [
        ("both.jsonl", "both have the backend", 5),
        ("other.jsonl", "are of different selections", 5),
        ("own.jsonl", "one report needs one suite", 5),
        ("part.jsonl", "is of a part of a run", 2),
        ("no-such.jsonl", "no-such.jsonl", 103),
    ] {
        let (code, text) = run(&place, &["report", "render", "streams/a.jsonl", with]);
        assert!(code == exit && text.contains(says), "{code} {text}");
    }
}
