//! Whose fault a failure is: the backend's or the case's, and which failures are the same one.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::reports::{mutant, read, run};
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
