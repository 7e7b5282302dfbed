//! The core: it is run alone or before all else, and says what it is worth.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::{BINARY, python_is_there};
use crate::reports::{FAULT_CASES, FAULTS, mutant, read, run};
use serde_json::Value;
use std::fs;
use tempfile::{TempDir, tempdir};

const LIST: &str = include_str!("../cases/CORE.txt");
const SOME_CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/cases/not-divisible.yaml");

/// The names in the list, in its order.
fn listed() -> Vec<&'static str> {
    let lines = LIST.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split(" | ").next()).collect()
}

/// The names of the trials of a stream, in its order.
fn ran(place: &TempDir, stream: &str) -> Vec<String> {
    let events = read(place, stream);
    let events = events
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let trials = events.filter(|event: &Value| event["event"] == "trial");
    trials
        .map(|event| event["trial"].as_str().unwrap().to_owned())
        .collect()
}

fn sorted<T: Ord>(mut names: Vec<T>) -> Vec<T> {
    names.sort_unstable();
    names
}

#[test]
fn the_core_runs_alone_in_its_order_and_says_what_it_shows() {
    let place = tempdir().unwrap();
    let (code, text) = run(&place, &["list", "--core"]);
    assert_eq!((code, text.lines().collect::<Vec<_>>()), (0, listed()));
    let (code, text) = run(
        &place,
        &[
            "run",
            "--core",
            "-j1",
            "--events",
            "it.jsonl",
            "--markdown",
            "it.md",
            "--html",
            "it.html",
            "--junit",
            "it.xml",
        ],
    );
    assert_eq!(code, 0, "{text}");
    assert_eq!(ran(&place, "it.jsonl"), listed());
    let reports = ["it.md", "it.html", "it.xml"].map(|name| read(&place, name));
    for text in [text].into_iter().chain(reports) {
        assert!(
            text.contains("the core alone: on a backend that is asked all of it, it shows all "),
            "{text}"
        );
        assert!(text.contains("the whole suite asks more"), "{text}");
    }
    let parts = ["1", "2"].map(|part| {
        let (name, partition) = (format!("{part}.jsonl"), format!("hash:{part}/2"));
        run(
            &place,
            &[
                "run",
                "--core",
                "-q",
                "--partition",
                &partition,
                "--events",
                &name,
            ],
        );
        name
    });
    let (code, text) = run(
        &place,
        &["merge", &parts[0], &parts[1], "-o", "merged.jsonl"],
    );
    assert_eq!(code, 0, "{text}");
    assert_eq!(
        sorted(ran(&place, "merged.jsonl")),
        sorted(ran(&place, "it.jsonl"))
    );
}

#[test]
fn every_run_begins_with_the_core_and_names_its_first_failure_at_once() {
    let place = tempdir().unwrap();
    let wrong = mutant("zero-never-copies");
    let wrong = [
        "--adapter-command",
        &wrong,
        "-j1",
        "--max-failures",
        "1",
        "--events",
        "it.jsonl",
    ];
    let (_, text) = run(&place, &[&["run"], &wrong[..]].concat());
    let (ran, core) = (ran(&place, "it.jsonl"), listed());
    assert_eq!(ran.first().map(String::as_str), core.first().copied());
    let first = text
        .lines()
        .find(|line| line.contains("the first red trial: "))
        .unwrap();
    let name = first.split(": ").last().unwrap().split(' ').next().unwrap();
    assert!(
        core.contains(&name) && ran.len() < 500,
        "{first} of {}",
        ran.len()
    );
}

#[test]
fn a_run_that_a_limit_ends_has_asked_the_core_first_and_is_resumed() {
    let core = listed();
    for selection in [&["--core"][..], &[]] {
        let place = tempdir().unwrap();
        let it = [&["run", "-q", "-j1"], selection].concat();
        let limit = ["--time-limit", "0.001", "--events", "it.jsonl"];
        let (code, text) = run(&place, &[&it[..], &limit].concat());
        let cut = ran(&place, "it.jsonl");
        assert!(code != 0 && cut.len() < core.len(), "{text}");
        let (code, text) = run(&place, &[&it[..], &["--resume", "it.jsonl"]].concat());
        assert_eq!(code, 0, "{text}");
        let all = ran(&place, "it.jsonl");
        assert!(all.starts_with(&cut) && all.first().is_some_and(|first| first == core[0]));
        if selection.is_empty() {
            // Whole groups come first, so some trials outside the core do, too.
            let last = all.iter().rposition(|name| core.contains(&name.as_str()));
            assert!(last.unwrap() * 3 < all.len(), "{last:?} of {}", all.len());
        } else {
            assert!(all == core, "the order of the core");
        }
    }
}

#[test]
fn trials_that_are_named_run_in_the_order_of_their_names() {
    let place = tempdir().unwrap();
    let mut names = listed()[..20].to_vec();
    names.reverse();
    let it = ["run", "-q", "-j1", "--events", "it.jsonl", "--exact"];
    let (code, text) = run(&place, &[&it[..], &names].concat());
    assert_eq!(
        (code, ran(&place, "it.jsonl")),
        (0, names.iter().map(ToString::to_string).collect()),
        "{text}"
    );
}

#[test]
fn known_failures_outside_the_core_are_not_stale_and_those_in_it_are_compared() {
    let place = tempdir().unwrap();
    let right = format!("{BINARY} serve reference");
    let with = |trial: &str| {
        let entry = format!("- {{trials: ['{trial}'], outcome: failed, reason: A test.}}\n");
        fs::write(place.path().join("known.yaml"), entry).unwrap();
        run(
            &place,
            &[
                "run",
                "--core",
                "--operator",
                "onnx.Reshape-14",
                "-q",
                "--adapter-command",
                &right,
                "--known-failures",
                "known.yaml",
            ],
        )
    };
    let core = listed();
    let is_of_one = |name: &&&str| name.contains("/onnx.Reshape-14/") && !name.contains('+');
    let of_one = core.iter().find(is_of_one);
    assert!(!core.contains(&"copied-zero-first/onnx.Reshape-14/u64/runtime-dynamic"));
    assert_eq!(
        with("copied-zero-first/onnx.Reshape-14/u64/runtime-dynamic").0,
        0
    );
    let (code, text) = with(of_one.unwrap());
    assert!(code == 101 && text.contains("1 fixed"), "{code} {text}");
}

#[test]
fn the_core_of_other_cases_is_computed_and_a_whole_run_is_its_baseline() {
    let place = tempdir().unwrap();
    let it = ["run", "-q", "--cases", SOME_CASES, "--events"];
    let wrong = ["--adapter-command", &mutant("minus-one-rounds-down")];
    run(&place, &[&it[..], &["whole.jsonl"], &wrong].concat());
    let core = ["core.jsonl", "--core", "--baseline", "whole.jsonl"];
    let (code, text) = run(&place, &[&it[..], &core, &wrong].concat());
    assert_eq!(code, 0, "{text}");
    let (core, whole) = (ran(&place, "core.jsonl"), ran(&place, "whole.jsonl"));
    assert!(
        !core.is_empty() && core.len() * 4 < whole.len(),
        "{} of {}",
        core.len(),
        whole.len()
    );
    let (code, text) = run(&place, &["core", "--cases", SOME_CASES]);
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    assert_eq!((code, lines.count()), (0, core.len()));
}

#[test]
fn the_gate_runs_the_core_until_the_command_line_asks_for_more() {
    let place = tempdir().unwrap();
    let gate = format!(
        "core = true\noperators = ['onnx.Reshape-1']\n[[adapter]]\nname = 'it'\ncommand = '{BINARY} serve reference'\n"
    );
    fs::write(place.path().join("reshape-conformance.toml"), gate).unwrap();
    run(&place, &["run", "--gate", "-q", "--events", "core.jsonl"]);
    run(
        &place,
        &[
            "run",
            "--gate",
            "-q",
            "--core=false",
            "--events",
            "whole.jsonl",
        ],
    );
    let (core, whole) = (
        ran(&place, "core.jsonl").len(),
        ran(&place, "whole.jsonl").len(),
    );
    assert!(core > 10 && core * 10 < whole, "{core} of {whole}");
}

#[test]
fn a_known_crash_runs_once() {
    if !python_is_there() {
        return;
    }
    let place = tempdir().unwrap();
    let adapter = format!("sh -c 'echo >> starts; exec python3 -S {FAULTS} crashes'");
    fs::write(place.path().join("known.yaml"), "").unwrap();
    let it = [
        "run",
        "-j1",
        "--cases",
        FAULT_CASES,
        "--adapter-command",
        &adapter,
        "--events",
        "it.jsonl",
    ];
    let known = ["-q", "--known-failures", "known.yaml"];
    run(&place, &it);
    let crashed = read(&place, "it.jsonl")
        .matches("\"verdict\":\"crashed\"")
        .count();
    let entry = "- {trials: ['data-of-three/**', 'data-of-three/*/*/*+*'], outcome: crashed, flaky: true, reason: A test.}\n";
    fs::write(place.path().join("known.yaml"), entry).unwrap();
    fs::remove_file(place.path().join("starts")).unwrap();
    let (code, text) = run(&place, &[&it[..], &known].concat());
    let starts = read(&place, "starts").lines().count();
    assert_eq!((code, starts), (0, crashed), "{text}");
}
