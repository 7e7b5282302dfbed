//! Streams that two runs, or two backends of one run, would write into each other.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::reports::{FAULT_CASES, FAULTS, command, ended, read, run};
use std::process::Stdio;
use std::time::Duration;
use tempfile::tempdir;

#[test]
fn a_second_run_does_not_touch_the_stream_of_one_that_is_running() {
    let place = tempdir().unwrap();
    let slow =
        format!("sh -c 'while ! test -e go; do sleep 0.1; done; exec python3 {FAULTS} behaves'");
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
    let backend = format!("python3 {FAULTS} behaves");
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
