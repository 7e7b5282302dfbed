//! Whose fault a failure is: the backend's or the case's, and which failures are the same one.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::python_is_there;
use crate::reports::{FAULT_CASES, FAULTS, mutant, read, run};
use std::fs;
use tempfile::tempdir;

/// A case whose expectation is wrong, and one that is right.
const CASES: &str = "
- {name: wrong, operators: [onnx.Reshape-14], covers: [inferred-minus-one], data: {shape: [2, 3, 4], element_types: [f32, f16]}, shape: [6, -1], expect: {shape: [4, 6]}}
- {name: right, operators: [onnx.Reshape-14], covers: [copied-zero], data: {shape: [2, 3, 4], element_types: [f32, f16]}, shape: [-1, 0], zero: copy, expect: {shape: [8, 3]}}
";

#[test]
fn where_the_reference_answers_as_the_backend_the_expectation_is_in_doubt() {
    let place = tempdir().unwrap();
    fs::write(place.path().join("mine.yaml"), CASES).unwrap();
    let wrong = "it answers as the reference does, so the expectation is probably wrong \
                 (reshape-conformance lint mine.yaml)";
    let reports = [
        ("--junit", "junit.xml"),
        ("--markdown", "summary.md"),
        ("--html", "page.html"),
        ("--sarif", "results.sarif"),
    ];
    let files = reports.iter().flat_map(|(option, file)| [*option, *file]);
    let arguments = ["run", "--cases", "mine.yaml", "--github"];
    let (code, text) = run(
        &place,
        &arguments.into_iter().chain(files).collect::<Vec<_>>(),
    );
    assert_eq!(code, 100, "{text}");
    assert_eq!(text.matches("✗ ").count(), 1, "{text}");
    assert!(text.contains(&format!("✗ {wrong}: ")), "{text}");
    assert!(!text.contains("mutant zero"), "{text}");
    for (_, file) in reports {
        assert!(read(&place, file).contains("lint mine.yaml"), "{file}");
    }
    // A fault of the backend is found beside it, and comes second however many trials it fails.
    let backend = mutant("zero-never-copies");
    let run_it = ["run", "--cases", "mine.yaml", "--adapter-command", &backend];
    let (_, text) = run(&place, &run_it);
    let (_, findings) = text.split_once(&format!("✗ {wrong}: ")).expect(&text);
    assert!(
        findings.contains("as the mutant zero-never-copies"),
        "{text}"
    );
    assert_eq!(text.matches("✗ ").count(), 2, "{text}");
    // The parts of a run say so together, too.
    for (part, events) in [("hash:1/2", "1.jsonl"), ("hash:2/2", "2.jsonl")] {
        let part = ["--partition", part, "--events", events];
        run(&place, &[&run_it[..], &part].concat());
    }
    let merge = ["merge", "1.jsonl", "2.jsonl", "--cases", "mine.yaml"];
    run(&place, &[&merge[..], &["-o", "whole.jsonl"]].concat());
    run(
        &place,
        &["report", "render", "whole.jsonl", "--markdown", "whole.md"],
    );
    let whole = read(&place, "whole.md");
    let (_, findings) = whole.split_once("lint mine.yaml").expect(&whole);
    assert!(
        findings.contains("as the mutant zero-never-copies"),
        "{whole}"
    );
}

#[test]
fn two_exceptions_are_two_findings_and_do_not_happen_in_a_row() {
    if !python_is_there() {
        return;
    }
    let place = tempdir().unwrap();
    let raises = format!("python3 -S {FAULTS} 'raises one of two exceptions' everywhere");
    let run_it = ["run", "-j1", "--cases", FAULT_CASES, "*/*/*/*"];
    // Two trials in a row end with one of them, the next two with the other.
    let limit = ["--give-up-after", "3", "--events", "it.jsonl"];
    let backend = ["--adapter-command", &raises];
    let (code, text) = run(&place, &[&run_it[..], &limit, &backend].concat());
    assert!(code == 100 && !text.contains("--give-up-after)"), "{text}");
    let crashes = "✗ it crashes: ended without an answer (exit status: 1):";
    for says in [
        "TypeError: the data is no array: 6 failed",
        "ValueError: cannot reshape array of size … into shape (…): 4 failed",
    ] {
        assert!(text.contains(&format!("{crashes} {says}")), "{text}");
    }
    assert_eq!(text.matches("✗ ").count(), 2, "{text}");
    // A stream that is merged gives the same findings.
    run(
        &place,
        &[
            "merge",
            "it.jsonl",
            "-o",
            "whole.jsonl",
            "--cases",
            FAULT_CASES,
        ],
    );
    let findings = |name| -> Vec<String> {
        let stream = read(&place, name);
        let findings = stream.lines().filter(|line| line.contains("\"finding\""));
        findings.map(ToOwned::to_owned).collect()
    };
    assert_eq!(findings("it.jsonl").len(), 2);
    assert_eq!(findings("it.jsonl"), findings("whole.jsonl"));
    // What ends one trial after the other with the same exception is given up, and the reason names it.
    let limit = ["--give-up-after", "2"];
    let (_, text) = run(&place, &[&run_it[..], &limit, &backend].concat());
    let why = "2 trials in a row crashed: ended without an answer (exit status: 1): TypeError: the data is no array";
    assert!(text.contains(why), "{text}");
}
