//! Retries: only a failure that passes in the same circumstances is flaky.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::reports::{FAULT_CASES, FAULTS, FEW, command, ended, mutant, read, run};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::{TempDir, tempdir};

const ONE: &str = "data-of-three/onnx.Reshape-14/f32/constant-static";

/// A backend that is one script at its first, third, … start, and the other in between.
fn by_turns(place: &TempDir, one: &str, other: &str) -> String {
    let script = place.path().join("backend.sh");
    let turn = place.path().join("turn");
    let turn = turn.display();
    let text =
        format!("if ! test -d {turn}; then mkdir {turn}; {one}; fi\nrmdir {turn}\n{other}\n");
    fs::write(&script, text).unwrap();
    format!("sh {}", script.display())
}

/// The verdict and the attempts of each trial in `it.jsonl`.
fn verdicts(place: &TempDir) -> BTreeMap<String, (String, Value)> {
    let text = read(place, "it.jsonl");
    let events = text.lines().map(|line| serde_json::from_str(line).unwrap());
    events
        .filter(|event: &Value| event["event"] == "trial")
        .map(|event| {
            let word = |name: &str| event[name].as_str().unwrap().to_owned();
            (word("trial"), (word("verdict"), event["attempts"].clone()))
        })
        .collect()
}

#[test]
fn a_trial_that_fails_in_another_way_each_time_is_not_flaky() {
    let place = tempdir().unwrap();
    let adapter = |fault| format!("exec python3 -S {FAULTS} '{fault}'");
    let backend = by_turns(&place, &adapter("changes a bit"), &adapter("crashes"));
    let (code, text) = run(
        &place,
        &[
            &[
                "run",
                "--cases",
                FAULT_CASES,
                "--exact",
                ONE,
                "--retries",
                "1",
            ][..],
            &["--adapter-command", &backend, "-j1", "--events", "it.jsonl"],
        ]
        .concat(),
    );
    assert_eq!(code, 100, "{text}");
    let (verdict, attempts) = &verdicts(&place)[ONE];
    assert_eq!(verdict, "failed");
    assert_eq!(*attempts, serde_json::json!(["failed", "crashed"]));
}

#[test]
fn a_trial_that_fails_only_after_others_is_stateful_and_red() {
    let place = tempdir().unwrap();
    let repeats = format!("python3 -S {FAULTS} 'repeats the first answer of a model'");
    let retries = ["--retries", "2", "--events", "it.jsonl", "--junit", "j.xml"];
    for (backend, trials) in [
        (repeats, &["--cases", FAULT_CASES, "-j1"][..]),
        (mutant("stale-elements"), &[FEW, "-j1"]),
        (mutant("stale-elements"), &[FEW, "-j2"]),
        (mutant("first-target-stays"), &[FEW, "-j1"]),
    ] {
        let arguments = [&["run", "--adapter-command", &backend], trials, &retries].concat();
        let (code, text) = run(&place, &arguments);
        assert_eq!(code, 100, "{backend}: {text}");
        let kinds: Vec<_> = verdicts(&place)
            .into_values()
            .map(|(kind, _)| kind)
            .collect();
        assert!(kinds.iter().any(|kind| kind == "stateful"), "{text}");
        assert!(kinds.iter().all(|kind| kind != "flaky"), "{text}");
        assert!(
            text.contains("fails after other trials, passes alone"),
            "{text}"
        );
        assert!(read(&place, "j.xml").contains("type=\"stateful\""));
        let again = run(&place, &["report", "render", "it.jsonl"]);
        assert_eq!(again, (100, text));
    }
}

/// Many trials are repeated one after the other in one process, but each with its own model.
#[test]
fn a_trial_is_repeated_with_a_model_of_its_own() {
    let place = tempdir().unwrap();
    let cases: String = (1..=40)
        .map(|n| {
            format!(
                "- name: of-{n}\n  operators: [onnx.Reshape-14]\n  covers: [same-count]\n  \
                 data: {{shape: [{n}], element_types: [f32]}}\n  shape: [{n}, 1]\n  expect: {{shape: [{n}, 1]}}\n"
            )
        })
        .collect();
    let file = place.path().join("many.yaml");
    fs::write(&file, cases).unwrap();
    let backend = format!("python3 -S {FAULTS} 'repeats the first answer of a model'");
    let file = file.to_string_lossy();
    let run_it = [
        "run",
        "--adapter-command",
        &backend,
        "--cases",
        &file,
        "-j1",
    ];
    let retries = ["**/runtime-dynamic", "--retries", "1"];
    let (code, text) = run(&place, &[&run_it[..], &retries].concat());
    assert_eq!(code, 100, "{text}");
    assert!(
        text.ends_with("1 passed + 0 failed + 39 stateful\n"),
        "{text}"
    );
}

/// The findings in `it.jsonl`.
fn findings(place: &TempDir) -> Vec<Value> {
    let text = read(place, "it.jsonl");
    let events = text.lines().map(|line| serde_json::from_str(line).unwrap());
    events
        .filter(|event: &Value| event["event"] == "finding")
        .collect()
}

#[test]
fn without_retries_a_finding_names_the_trial_after_which_its_example_fails() {
    let place = tempdir().unwrap();
    let planted = format!("python3 -S {FAULTS} 'changes a bit after the data [2]'");
    let one_of_two = ["--cases", FAULT_CASES];
    for (backend, trials, after, heading) in [
        (
            planted,
            &one_of_two[..],
            "data-of-two/onnx.Reshape-14/f32/constant-static",
            "it gives wrong elements after a trial of another model and passes alone",
        ),
        (
            mutant("first-target-stays"),
            &["literal*/onnx.Reshape-14/f32/runtime-dynamic"],
            "literal-zero-in-the-last-of-eight-places/onnx.Reshape-14/f32/runtime-dynamic",
            "run of its model and passes alone",
        ),
    ] {
        let arguments = [&["run", "-j1", "--adapter-command", &backend], trials].concat();
        let events = [
            "--events", "it.jsonl", "--junit", "j.xml", "--html", "h.html",
        ];
        let (code, text) = run(&place, &[&arguments[..], &events].concat());
        assert_eq!(code, 100, "{text}");
        let [finding] = &findings(&place)[..] else {
            panic!("not one finding: {text}");
        };
        let stateful = &finding["alone"]["stateful"];
        let [named] = &stateful["after"].as_array().unwrap()[..] else {
            panic!("not one trial before it: {finding}");
        };
        let named = named.as_str().unwrap();
        assert!(named.ends_with(after), "{named}");
        let description = format!("stateful: the first passes alone, fails after {named}");
        let again = stateful["again"].as_str().unwrap();
        for report in [&text, &read(&place, "h.html")] {
            assert!(
                report.contains(&description) && report.contains(heading),
                "{report}"
            );
        }
        assert!(text.contains(&format!("again: {again}")), "{text}");
        assert!(read(&place, "j.xml").contains(" -j1 --exact "));
        // The command fails as the run did, and the example alone does not.
        let words = shlex::split(again).unwrap();
        let words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        let (code, text) = run(&place, &words);
        assert_eq!(code, 100, "{text}");
        assert!(text.contains(": 2 trials = 1 passed + 1 failed"), "{text}");
        let example = finding["trials"][0].as_str().unwrap();
        let cases = if trials.len() > 1 { trials } else { &[] };
        let alone = ["run", "--adapter-command", &backend, "--exact", example];
        assert_eq!(run(&place, &[&alone[..], cases].concat()).0, 0);
        // Merged, it is the same.
        let merge = ["merge", "it.jsonl", "-o", "merged.jsonl"];
        run(&place, &[&merge[..], cases].concat());
        for same in ["alone", "says"] {
            let same = serde_json::to_string(&finding[same]).unwrap();
            assert!(read(&place, "merged.jsonl").contains(&same), "{same}");
        }
    }
}

#[test]
fn what_fails_after_other_trials_and_in_sequences_is_one_finding() {
    let place = tempdir().unwrap();
    let sequences = "*zero*/onnx.Reshape-14/f32/*+after-{other-target,refusal}";
    for name in ["first-target-stays", "stale-elements"] {
        let backend = mutant(name);
        let arguments = ["run", "-j1", "--adapter-command", &backend, FEW, sequences];
        let (code, text) = run(
            &place,
            &[&arguments[..], &["--events", "it.jsonl"]].concat(),
        );
        assert_eq!(code, 100, "{text}");
        let [finding] = &findings(&place)[..] else {
            panic!("not one finding: {text}");
        };
        assert_eq!(finding["mutants"], serde_json::json!([name]), "{text}");
        let trials = finding["trials"].as_array().unwrap();
        let is_in_sequence = |name: &&Value| name.as_str().unwrap().contains('+');
        assert!(trials.iter().any(|name| is_in_sequence(&name)), "{text}");
        assert!(!trials.iter().all(|name| is_in_sequence(&name)), "{text}");
        assert_eq!(
            finding["alone"]["stateful"]["after"]
                .as_array()
                .unwrap()
                .len(),
            1
        );
    }
}

/// The only finding of a run of an adapter with this fault, and what the run prints.
fn only_finding(fault: &str) -> (Value, String) {
    let place = tempdir().unwrap();
    let backend = format!("python3 -S {FAULTS} '{fault}'");
    let arguments = [
        "run",
        "-j1",
        "--cases",
        FAULT_CASES,
        "--adapter-command",
        &backend,
    ];
    let (code, text) = run(
        &place,
        &[&arguments[..], &["--events", "it.jsonl"]].concat(),
    );
    assert_eq!(code, 100, "{text}");
    let [finding] = &findings(&place)[..] else {
        panic!("not one finding: {text}");
    };
    (finding.clone(), text)
}

#[test]
fn what_fails_at_every_third_run_is_found_after_two() {
    // The cases' sequences have one run before their own or two, so alone it is the second or the third.
    for (fault, before, description) in [
        (
            "changes a bit at every third run",
            2,
            "after 2 trials of other models, or after earlier runs of its own model",
        ),
        (
            "changes a bit at every second run",
            1,
            "after a trial of another model, or after earlier runs of its own model",
        ),
    ] {
        let (finding, text) = only_finding(fault);
        let after = &finding["alone"]["stateful"]["after"];
        assert_eq!(after.as_array().unwrap().len(), before, "{text}");
        assert!(
            text.contains(&format!("it gives wrong elements {description}")),
            "{text}"
        );
    }
}

#[test]
fn what_passes_when_the_same_trials_run_again_comes_and_goes() {
    let (finding, text) = only_finding("changes a bit now and then");
    assert_eq!(finding["alone"], "unsteady", "{text}");
    assert!(
        text.contains("it gives wrong elements now and then"),
        "{text}"
    );
}

pub(crate) fn a_retry_that_is_interrupted_leaves_its_trials_to_the_resumed_run() {
    let place = tempdir().unwrap();
    let adapter = |fault| format!("exec python3 -S {FAULTS} '{fault}'");
    let folder = place.path().display();
    let later = format!("touch {folder}/again; sleep 1; mkdir {folder}/turn; ");
    let later = later + &adapter("behaves");
    let backend = by_turns(&place, &adapter("changes a bit"), &later);
    let mut arguments = vec!["run", "**", "--cases", FAULT_CASES, "--retries", "2"];
    arguments.push("-j1");
    arguments.extend(["--adapter-command", &backend, "--events", "it.jsonl"]);
    let child = command(&place, &arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !place.path().join("again").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let interrupt = ["-INT", &child.id().to_string()];
    Command::new("kill").args(interrupt).status().unwrap();
    let (code, text) = ended(&child.wait_with_output().unwrap());
    assert_eq!(code, 5, "{text}");
    let before = verdicts(&place);
    assert_eq!(before.len(), 8, "{text}");
    assert!(before.values().all(|(kind, _)| kind == "passed"), "{text}");
    assert!(!read(&place, "it.jsonl").contains("\"finding\""));
    let last = arguments.len() - 2;
    arguments[last] = "--resume";
    let (code, text) = run(&place, &arguments);
    assert_eq!(code, 0, "{text}");
    assert_eq!(run(&place, &["report", "render", "it.jsonl"]).0, 0);
}
