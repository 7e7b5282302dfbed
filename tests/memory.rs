//! The memory of a backend: its limit, its peak, and its growth; and the growth of its other resources.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::{BINARY, python_is_there};
use crate::reports::{FAULTS, command, ended, read, run};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::process::Command;
use tempfile::{TempDir, tempdir};

/// Every report, with the file that it writes.
const REPORTS: [&str; 10] = [
    "--junit",
    "junit.xml",
    "--html",
    "page.html",
    "--markdown",
    "summary.md",
    "--sarif",
    "results.sarif",
    "--events",
    "it.jsonl",
];

/// The record of the only backend's end.
fn finished(place: &TempDir) -> Value {
    let events = read(place, "it.jsonl");
    let finished = events
        .lines()
        .find(|line| line.contains("\"backend-finished\""));
    serde_json::from_str(finished.unwrap()).unwrap()
}

/// Runs the suite of many trials on one process of a faulty shim.
fn run_many(place: &TempDir, fault: &str) -> (i32, String) {
    let mut cases = String::new();
    for number in 1..=500 {
        let dims =
            format!("data: {{shape: [{number}], element_types: [f32]}}, shape: [{number}, 1]");
        let rest = format!(
            "bindings: [constant-static, runtime-dynamic], expect: {{shape: [{number}, 1]}}"
        );
        let head =
            format!("name: case-{number}, operators: [onnx.Reshape-14], covers: [same-count]");
        writeln!(cases, "- {{{head}, {dims}, {rest}}}").unwrap();
    }
    fs::write(place.path().join("many.yaml"), cases).unwrap();
    let leaks = format!("python3 -S {FAULTS} '{fault}' everywhere");
    let run_it = [
        "run",
        "-j1",
        "--cases",
        "many.yaml",
        "**",
        "--github",
        "--adapter-command",
        &leaks,
    ];
    run(place, &[&run_it[..], &REPORTS].concat())
}

/// Checks that every report says this of the backend, and GitHub's annotation has this title.
fn is_everywhere(place: &TempDir, text: &str, description: &str, title: &str) {
    assert!(
        text.contains(&format!("everywhere {description}")),
        "{text}"
    );
    assert!(
        text.contains(&format!("::warning title={title}::")),
        "{text}"
    );
    for file in ["junit.xml", "page.html", "summary.md", "results.sarif"] {
        assert!(read(place, file).contains(description), "{file}");
    }
}

#[test]
fn memory_that_grows_with_the_trials_is_in_every_report_and_not_red() {
    if !python_is_there() {
        return;
    }
    let place = tempdir().unwrap();
    let (code, text) = run_many(&place, "leaks");
    assert_eq!(code, 0, "{text}");
    let memory = &finished(&place)["memory"];
    let growth = &memory["growth"];
    let [bytes, trials] = ["bytes", "trials"].map(|name| growth[name].as_u64().expect(&text));
    assert!(bytes >= trials * 60 * 1024, "{growth}");
    assert!(memory.get("leaks").is_none(), "{memory}");
    let description = "seems to leak: the memory of a process grew by ";
    is_everywhere(
        &place,
        &text,
        description,
        "memory grows with the number of trials",
    );
}

#[test]
fn what_is_opened_with_the_trials_and_never_closed_is_in_every_report_and_not_red() {
    if !python_is_there() {
        return;
    }
    for (fault, resource) in [
        ("never closes a file", "open-files"),
        ("never closes a thread", "threads"),
        ("never closes a process", "child-processes"),
    ] {
        let place = tempdir().unwrap();
        let (code, text) = run_many(&place, fault);
        assert_eq!(code, 0, "{text}");
        let leaks = finished(&place)["memory"]["leaks"].clone();
        let [leak] = leaks.as_array().expect(&text).as_slice() else {
            panic!("{leaks}");
        };
        let [count, trials] = ["count", "trials"].map(|name| leak[name].as_u64().expect(&text));
        assert_eq!(leak["resource"], resource, "{leak}");
        assert!((trials / 10..trials).contains(&count), "{leak}");
        let things = resource.replace('-', " ");
        let description =
            format!("seems to leak: after {trials} trials, a process had {count} more {things}");
        let title = "resources in use grow with the number of trials";
        is_everywhere(&place, &text, &description, title);
    }
}

#[test]
fn the_peak_of_a_backend_is_reported_and_kept_out_of_the_results_page() {
    let place = tempdir().unwrap();
    let right = format!("{BINARY} serve reference");
    let run_it = [
        "run",
        "-j2",
        "copied-zero*/**",
        "--adapter-command",
        &right,
        "--results",
        "results.md",
    ];
    let (code, text) = run(&place, &[&run_it[..], &REPORTS].concat());
    assert_eq!(code, 0, "{text}");
    let memory = &finished(&place)["memory"];
    let peak = memory["peak_bytes"].as_u64().expect(&text) >> 20;
    assert!(peak > 0 && memory.get("growth").is_none(), "{memory}");
    let description = format!("peak memory of a process: {peak} MiB");
    assert!(text.contains(&description), "{text}");
    for file in ["page.html", "summary.md"] {
        assert!(read(&place, file).contains(&description), "{file}");
    }
    assert!(!read(&place, "results.md").contains("peak memory"));
}

/// The same command where the system reports no memory; `None` if this machine cannot hide it.
fn without_proc(command: &Command) -> Option<(i32, String)> {
    let hidden = |script: &str| {
        let mut unshare = Command::new("unshare");
        unshare.args([
            "-rm",
            "sh",
            "-c",
            &format!("mount -t tmpfs none /proc && {script}"),
            "sh",
        ]);
        unshare
    };
    let can = hidden("true").output();
    if !can.is_ok_and(|output| output.status.success()) {
        return None;
    }
    let mut unshare = hidden("exec \"$@\"");
    unshare.arg(command.get_program()).args(command.get_args());
    unshare.current_dir(command.get_current_dir().unwrap());
    Some(ended(&unshare.output().unwrap()))
}

#[test]
fn a_limit_that_cannot_be_enforced_is_an_error_if_the_user_asked_for_it() {
    let place = tempdir().unwrap();
    let right = format!("{BINARY} serve reference");
    let run_it = [
        "run",
        "-j1",
        "copied-zero-first/onnx.Reshape-14/f32/*",
        "--junit",
        "junit.xml",
    ];
    let backend = ["--adapter-command", &right];
    let run_with = |arguments: &[&str]| without_proc(&command(&place, arguments));
    let Some((code, text)) = run_with(&[&run_it[..], &backend].concat()) else {
        return;
    };
    let why = "this system does not report the memory of processes (no /proc), so the limit of";
    // Nobody asked for the default.
    assert!(
        code == 0 && text.contains(&format!("note: {why} 4096 MiB for")),
        "{code} {text}"
    );
    assert!(!text.contains("peak memory"), "{text}");
    let asked = format!("error: {why} 100 MiB cannot be enforced");
    let (code, text) = run_with(&[&run_it[..], &backend, &["--memory", "100"]].concat()).unwrap();
    assert!(code == 2 && text.contains(&asked), "{code} {text}");
    assert!(read(&place, "junit.xml").contains("type=\"incomplete\""));
    for key in ["memory = 100\n", ""] {
        let adapter = format!("[[adapter]]\nname = \"mine\"\ncommand = \"{right}\"\n");
        let own = if key.is_empty() { "memory = 100\n" } else { "" };
        fs::write(
            place.path().join("reshape-conformance.toml"),
            format!("{key}{adapter}{own}"),
        )
        .unwrap();
        let (code, text) = run_with(&[&run_it[..], &["--gate"]].concat()).unwrap();
        assert!(code == 2 && text.contains(&asked), "{code} {text}");
    }
}
