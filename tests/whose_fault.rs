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
        findings.contains("it refuses what the text accepts for a target with a copied 0"),
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
        findings.contains("it refuses what the text accepts for a target with a copied 0"),
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
    for description in [
        "TypeError: the data is no array: 6 failed",
        "ValueError: cannot reshape array of size … into shape (…): 4 failed",
    ] {
        assert!(text.contains(&format!("{crashes} {description}")), "{text}");
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

#[cfg_attr(not(unix), test)]
pub(crate) fn what_a_process_does_from_some_run_on_is_no_refusal_of_a_group() {
    if !python_is_there() {
        return;
    }
    std::thread::scope(|scope| {
        for (fault, heading) in [
            (
                "refuses from the third run on",
                "✗ it refuses (the pool is exhausted) ",
            ),
            (
                "hangs from the third run on",
                "✗ it does not answer in time ",
            ),
        ] {
            scope.spawn(move || {
                let place = tempdir().unwrap();
                let backend = format!("python3 -S {FAULTS} '{fault}'");
                let limit = ["--timeout", "1", "--adapter-command", &backend];
                let run_it = ["run", "-j1", "--cases", FAULT_CASES, "*/*/*/*"];
                let (code, text) = run(&place, &[&run_it[..], &limit].concat());
                assert_eq!(code, 100, "{text}");
                assert_eq!(text.matches("✗ ").count(), 1, "{text}");
                assert!(text.contains(heading), "{text}");
                assert!(text.contains("passes alone"), "{text}");
            });
        }
    });
}

pub(crate) fn a_run_that_ends_early_prints_its_totals_and_the_first_trial_that_failed() {
    let place = tempdir().unwrap();
    let wrong = mutant("reversed");
    let backend = ["run", "-j1", "--shuffle", "7", "--adapter-command", &wrong];
    let trials = ["*/onnx.Reshape-14/f32/*", "--events", "it.jsonl"];
    let reports = [
        "--junit",
        "junit.xml",
        "--html",
        "page.html",
        "--markdown",
        "summary.md",
    ];
    let limit = ["--max-failures", "5"];
    let run_it = [&backend[..], &trials, &reports, &limit].concat();
    let (code, text) = run(&place, &run_it);
    assert_eq!(code, 100, "{text}");
    let events = read(&place, "it.jsonl");
    let is_trial = |line: &&str| line.contains("\"event\":\"trial\"");
    let ended: Vec<&str> = events.lines().filter(is_trial).collect();
    let failed = ended
        .iter()
        .filter(|line| line.contains("\"verdict\":\"failed\""));
    let first = failed.clone().next().unwrap();
    let (_, first) = first.split_once("\"trial\":\"").unwrap();
    let (first, _) = first.split_once('"').unwrap();
    let (_, total) = events.split_once("\"trials\":").unwrap();
    let total: String = total.chars().take_while(char::is_ascii_digit).collect();
    let so_far = format!("{} of {total} trials", ended.len());
    let counts = format!("reversed: {so_far} = ");
    let (before, after) = text.split_once(&counts).expect(&text);
    assert!(
        after.contains(&format!(" + {} failed", failed.count())),
        "{text}"
    );
    let (_, shown) = before
        .split_once(&format!("  failed {first}\n"))
        .expect(&text);
    let again = shown.lines().find(|line| line.contains("again: "));
    assert!(again.is_some_and(|line| line.contains(first)), "{text}");
    for file in ["junit.xml", "page.html", "summary.md"] {
        let report = read(&place, file);
        assert!(
            report.contains(&format!("was stopped after {so_far}")),
            "{file}"
        );
        // The summary shows the smallest failure of each finding.
        assert!(file == "summary.md" || report.contains(first), "{file}");
    }
    // So does a run that ends with its time limit.
    let hangs = format!("python3 -S {FAULTS} hangs everywhere");
    let it = [
        "run",
        "-j1",
        "--cases",
        FAULT_CASES,
        "--time-limit",
        "2",
        "*/*/*/*",
    ];
    let (_, text) = run(
        &place,
        &[&it[..], &["--adapter-command", &hangs, "--timeout", "0.3"]].concat(),
    );
    assert!(
        text.contains("everywhere: ") && text.contains(" of 10 trials = 0 passed + "),
        "{text}"
    );
    assert!(text.contains("again: "), "{text}");
}

#[test]
fn two_mutants_that_explain_few_failures_are_a_guess() {
    let place = tempdir().unwrap();
    let both = mutant("copied-zero-from-the-right") + " --mutant minus-one-rounds-down";
    let heading = |cases: &[&str]| {
        let (code, text) = run(
            &place,
            &[&["run", "--adapter-command", &both], cases].concat(),
        );
        assert_eq!(code, 100, "{text}");
        let heading = text.lines().find(|line| line.starts_with("✗ ")).unwrap();
        heading.to_owned()
    };
    // The first needs both: it copies a dim, and then does not compare the counts.
    let cases = [
        "copy-past-the-rank-before-minus-one",
        "copied-zero-fits-only-from-the-right",
        "a-scalar-by-two",
    ];
    let says = "it copies from the dims counted from the right, and rounds down when the count is not divisible, and does not \
        check it then";
    let of = |part: &str| cases.map(|case| format!("{case}/openvino.Reshape-1/*/{part}"));
    let few = of("constant-static");
    assert_eq!(
        heading(&few.each_ref().map(String::as_str)),
        format!("✗ perhaps {says}: 3 failed")
    );
    let many = of("**");
    assert!(heading(&many.each_ref().map(String::as_str)).starts_with(&format!("✗ {says}: ")));
}
