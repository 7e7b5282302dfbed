//! Trading cases with others: what `export` writes, and what `import` reads.

#![allow(clippy::unwrap_used, reason = "a test")]

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const BINARY: &str = env!("CARGO_BIN_EXE_reshape-conformance");

/// Whole cases of every kind, also in surroundings, and in every type.
const PATTERNS: [&str; 3] = ["*two-*/*/*/*", "*two-*/*/*/*+*", "every-*/*/*/*"];

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(BINARY);
    command
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// Runs a command that succeeds. Returns what it says, first on standard output.
fn said(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let said = text(output.stdout) + &text(output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
    said
}

/// The trials of a folder by their names, each with its data, and without the path.
fn trials(folder: &Path) -> BTreeMap<String, Value> {
    let text = fs::read(folder.join("trials.json")).unwrap();
    let file: Value = serde_json::from_slice(&text).unwrap();
    let trial = |trial: &Value| {
        let mut trial = trial.clone();
        let index = usize::try_from(trial["data"].as_u64().unwrap()).unwrap();
        trial["data"] = file["tensors"][index].clone();
        trial.as_object_mut().unwrap().remove("path");
        // A case is free to cite them in any order.
        let clauses = trial["clauses"].as_array_mut().unwrap();
        clauses.sort_by_key(ToString::to_string);
        (trial["trial"].as_str().unwrap().to_owned(), trial)
    };
    let trials = file["trials"].as_array().unwrap();
    trials.iter().map(trial).collect()
}

/// Exports trials, imports them, and compares the imported ones with the exported ones.
fn gives_the_same_trials(format: &str, most: usize) {
    let place = tempfile::tempdir().unwrap();
    let here = place.path();
    said(
        here,
        &[&["export", format, "there"][..], &PATTERNS].concat(),
    );
    let told = said(here, &["import", "there", "--output", "cases.yaml"]);
    assert!(told.contains("every expectation agrees"), "{told}");
    let back = ["export", "json", "back", "--cases", "cases.yaml"];
    said(here, &[&back[..], &PATTERNS].concat());
    let (there, mut back) = (trials(&here.join("there")), trials(&here.join("back")));
    assert!(there.len() > most, "{}", there.len());
    for (name, trial) in there {
        assert_eq!(Some(trial), back.remove(&name), "{name}");
    }
    assert_eq!(back.into_keys().next(), None);
}

#[test]
fn json_that_is_exported_and_imported_gives_the_same_trials() {
    gives_the_same_trials("json", 2000);
}

#[test]
fn node_tests_that_are_exported_and_imported_give_the_same_trials() {
    gives_the_same_trials("onnx", 1500);
}

#[test]
fn irs_that_are_exported_and_imported_give_the_same_trials() {
    gives_the_same_trials("openvino-ir", 500);
}

#[test]
fn graph_json_that_is_exported_and_imported_gives_the_same_trials() {
    gives_the_same_trials("benchdnn", 50);
}
