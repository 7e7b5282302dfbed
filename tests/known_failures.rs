//! Known failures: which failures an entry explains, and what an update makes of a file.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::BINARY;
use crate::reports::{mutant, read, run};
use std::fmt::Write;
use std::fs;
use tempfile::{TempDir, tempdir};

/// The first is refused for its count, the second for its target, and the third is accepted.
const CASES: &str = "\
- {name: one, operators: [onnx.Reshape-14], covers: [same-count], data: {shape: [6], element_types: [f32]}, shape: [7], expect: {rejected: volume-mismatch}}
- {name: two, operators: [onnx.Reshape-14], covers: [one-minus-one], data: {shape: [2, 3], element_types: [f32]}, shape: [-1, -1], expect: {rejected: two-minus-ones}}
- {name: three, operators: [onnx.Reshape-14], covers: [same-count], data: {shape: [6], element_types: [f32]}, shape: [2, 3], expect: {shape: [2, 3]}}
";

const FILE: &str = "\
# Reported last year.
- trials:
    - \"one/**\"
    - \"two/*/*/runtime-*\"
  outcome: failed
  failure: not-rejected
  reason: \"It does not look.\" # they know

- trials: [\"three/**\"]
  when: {version: \"9.*\"}
  outcome: crashed
  reason: \"It falls over.\"
  quarantine: true
";

/// A command on a backend with this fault and this file of known failures.
fn on(place: &TempDir, command: &[&str], fault: &str, file: &str) -> (i32, String) {
    fs::write(place.path().join("cases.yaml"), CASES).unwrap();
    fs::write(place.path().join("known.yaml"), file).unwrap();
    let backend = match fault {
        "" => format!("{BINARY} serve reference"),
        fault => mutant(fault),
    };
    let files = ["--cases", "cases.yaml", "--known-failures", "known.yaml"];
    let backend = ["--adapter-command", &backend];
    run(place, &[command, &files, &backend].concat())
}

#[test]
fn an_update_changes_only_what_no_longer_holds() {
    let place = tempdir().unwrap();
    let other = "- trials: [\"one/**\", \"[t]wo/**\"] # of old\n  outcome: failed\n  reason: R.\n";
    let braces = "- {trials: [\"one/**\"], outcome: failed, reason: R.}\n";
    let fields = "outcome: failed, reason: R.";
    let shared = [", ", ",\n "].map(|between| {
        format!("[{{trials: [\"one/**\"], {fields}}}{between}{{trials: [\"two/**\"], {fields}}}]\n")
    });
    let mut shown = String::new();
    for (fault, reason, file) in [
        // A pattern without a `+` never means trials in surroundings.
        ("count-unchecked-at-run", "It is \"new\".", FILE),
        ("second-minus-one-is-1", "It does not look.", FILE),
        ("", "Nothing is new.", FILE),
        ("count-unchecked-at-run", "R.", other),
        ("count-unchecked-at-run", "R.", braces),
        ("count-unchecked-at-run", "R.", &shared[0]),
        ("count-unchecked-at-run", "R.", &shared[1]),
    ] {
        let command = ["known-failures", "update", "--reason", reason];
        let (code, said) = on(&place, &command, fault, file);
        let after = read(&place, "known.yaml");
        write!(shown, "# {fault}: {said}# [exit {code}]\n{after}\n").unwrap();
    }
    insta::assert_snapshot!("known-failures-updated", shown);
}

#[test]
fn an_entry_explains_only_the_failures_that_it_is_about() {
    let place = tempdir().unwrap();
    let all = "trials: ['two/**', 'two/*/*/*+*']";
    let mut shown = String::new();
    for entry in [
        format!("{all}, outcome: failed, failure: not-rejected"),
        format!("{all}, outcome: failed, failure: not-rejected, when: {{version: '0.*'}}"),
        format!("{all}, outcome: failed, failure: not-rejected, when: {{version: '2.*'}}"),
        "trials: ['two/*/*/runtime-*'], outcome: failed".to_owned(),
        format!("{all}, outcome: crashed"),
        // Only the third case can fail in this way, and it passes.
        "trials: ['**'], outcome: failed, failure: rejected".to_owned(),
        // A quarantine holds wherever it stands.
        format!(
            "{all}, outcome: failed, reason: It is wrong.}}\n- {{trials: ['two/**'], outcome: crashed, quarantine: true"
        ),
        "trials: ['one/**', 'twos/**'], outcome: failed".to_owned(),
    ] {
        let file = format!("- {{{entry}, reason: It does not look.}}\n");
        let (code, said) = on(&place, &["run"], "second-minus-one-is-1", &file);
        let tells = |line: &&str| {
            let starts = ["known.yaml", "error: ", "--> "];
            starts.iter().any(|start| line.starts_with(start)) || line.contains(" trials = ")
        };
        let lines: Vec<_> = said.lines().map(str::trim_start).filter(tells).collect();
        write!(shown, "{file}{} [exit {code}]\n\n", lines.join("\n")).unwrap();
    }
    let shown = shown.replace(&mutant("second-minus-one-is-1"), "it");
    insta::assert_snapshot!("known-failures-explained", shown);
}
