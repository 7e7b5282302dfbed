//! Wrong rewriters, which get the bytes of models and no name of a surrounding, fail where they are wrong and nowhere else.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::{program, python_is_there};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rewriters");
const FAULTS: [&str; 9] = [
    "folds an overridable initializer",
    "drops the first of two Reshapes",
    "captures a stale target in a branch",
    "drops allowzero",
    "ignores int64_data",
    "loses negatives in quantisation",
    "moves a Reshape across a Flatten",
    "takes a Transpose for a Reshape",
    "widens a target without its sign",
];

/// The cases that fail in each surrounding, and those that fail alone; and what the findings say.
fn red(fault: &str) -> (BTreeMap<String, BTreeSet<String>>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let events = folder.path().join("events.jsonl");
    let cases = format!("{FOLDER}/cases.yaml");
    let adapter = format!("python3 -S {FOLDER}/rewriter.py '{fault}'");
    program()
        .args(["run", "--cases", &cases, "--adapter-command", &adapter])
        .arg("--events")
        .arg(&events)
        .output()
        .unwrap();
    let events = std::fs::read_to_string(&events).unwrap();
    let mut red: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut said = Vec::new();
    for line in events.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        if event["event"] == "finding" {
            let only: Vec<&str> = event["only"]
                .as_array()
                .unwrap()
                .iter()
                .map(|of| of.as_str().unwrap())
                .collect();
            said.push(format!(
                "{} {}",
                event["says"].as_str().unwrap(),
                only.join(", ")
            ));
        }
        let verdict = event["verdict"].as_str().unwrap_or_default();
        if event["event"] != "trial" || ["passed", "skipped"].contains(&verdict) {
            continue;
        }
        let binding = event["binding"].as_str().unwrap();
        let (_, surrounding) = binding.split_once('+').unwrap_or((binding, "alone"));
        let case = event["case"].as_str().unwrap().to_owned();
        red.entry(surrounding.to_owned()).or_default().insert(case);
    }
    (red, said)
}

#[test]
fn a_wrong_rewriter_fails_where_it_is_wrong_and_nowhere_else() {
    if !python_is_there() {
        return;
    }
    assert_eq!(red("nothing").0, BTreeMap::new(), "the evaluator is right");
    let mut shown = String::new();
    for fault in FAULTS {
        let (red, said) = red(fault);
        assert!(!red.is_empty(), "{fault}");
        writeln!(shown, "{fault}").unwrap();
        for says in said {
            writeln!(shown, "  it {}", says.trim_end()).unwrap();
        }
        for (surrounding, cases) in red {
            let cases: Vec<_> = cases.into_iter().collect();
            writeln!(shown, "  {surrounding}: {}", cases.join(", ")).unwrap();
        }
    }
    insta::assert_snapshot!("wrong-rewriters", shown);
}
