//! Searches in surroundings. The rewriters get only the bytes of models, and are wrong in some surroundings.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::{BINARY, is_thorough, program, python_is_there};
use crate::reports::timeless;
use std::path::Path;
use tempfile::tempdir;

const REWRITER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rewriters/rewriter.py");
const SMALL: [&str; 7] = [
    "-j1",
    "--max-rank",
    "2",
    "--max-dim",
    "2",
    "--max-value",
    "1",
];

fn rewriter(fault: &str) -> String {
    format!("python3 -S {REWRITER} '{fault}'")
}

/// The exit code and the output of `search` with these arguments.
fn search(folder: &Path, arguments: &[&str]) -> (i32, String) {
    run(folder, &[&["search"], arguments].concat())
}

fn run(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = program()
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code().unwrap(),
        String::from_utf8(text).unwrap(),
    )
}

/// The name after `--trial`, in the command that repeats the first finding's trial.
fn again(text: &str) -> String {
    let after = text.split_once("--trial '").unwrap().1;
    after.split_once('\'').unwrap().0.to_owned()
}

#[test]
fn a_fault_of_a_surrounding_is_found_in_the_simplest_one_that_shows_it() {
    if !python_is_there() {
        return;
    }
    let place = tempdir().unwrap();
    let wrong = rewriter("drops the first of two Reshapes");
    let adapter = ["--adapter-command", &wrong];
    let within = ["--operator", "onnx.Reshape-19", "--save", "found.yaml"];
    let alone = search(place.path(), &[&adapter[..], &within, &SMALL].concat());
    assert!(
        alone.0 == 0 && alone.1.contains("\n0 findings"),
        "{}",
        alone.1
    );
    let within = [&within[..], &["--surrounding", "between-reshapes"]].concat();
    let (code, text) = search(place.path(), &[&adapter[..], &within, &SMALL].concat());
    // Not every failure needs both.
    let is_simpler = |word: &&str| word.ends_with("+after-reshape");
    let trial = text.split('\'').rfind(is_simpler);
    let trial = trial.unwrap_or_default().to_owned();
    assert!(code == 100 && !trial.is_empty(), "{code} {text}");
    assert!(
        text.contains("only in a surrounding (") && text.contains(" +between-reshapes\n"),
        "{text}"
    );
    let once = |more: &[&str]| search(place.path(), &[&["--trial", trial.as_str()], more].concat());
    let (code, text) = once(&adapter);
    assert!(
        code == 100 && text.contains(" 1 trials = ") && text.contains(&trial),
        "{code} {text}"
    );
    assert_eq!(once(&[]).0, 0, "the reference passes it");
    // The saved case fails in that surrounding, and alone it passes.
    let saved = ["run", "--cases", "found.yaml"];
    let (code, text) = run(
        place.path(),
        &[&saved[..], &adapter, &["+after-reshape"]].concat(),
    );
    assert!(
        code == 100 && text.contains("+after-reshape"),
        "{code} {text}"
    );
    let (code, text) = run(
        place.path(),
        &[&saved[..], &adapter, &["*/*/*/*-{static,dynamic}"]].concat(),
    );
    assert_eq!(code, 0, "{text}");
}

#[test]
fn a_fault_of_the_node_is_shown_without_the_surrounding() {
    if !python_is_there() {
        return;
    }
    let place = tempdir().unwrap();
    let wrong = rewriter("drops allowzero");
    let within = ["--adapter-command", &wrong, "--operator", "onnx.Reshape-14"];
    let within = [&within[..], &["--surrounding", "after-transpose"]].concat();
    let (code, text) = search(place.path(), &[&within[..], &SMALL].concat());
    assert!(
        code == 100 && text.contains("it also fails without a surrounding"),
        "{code} {text}"
    );
    assert!(!again(&text).contains('+'), "{text}");
}

#[test]
fn a_right_backend_passes_all_small_trials_in_every_surrounding() {
    if !python_is_there() {
        return;
    }
    let place = tempdir().unwrap();
    let right = rewriter("nothing");
    let every = ["--surrounding", "all", "--operator", "onnx.Reshape-19"];
    let part = if is_thorough() {
        "hash:1/1"
    } else {
        "hash:1/8"
    };
    let every = [&every[..], &SMALL, &["--partition", part]].concat();
    let every = [&every[..], &["--adapter-command", &right]].concat();
    let (code, text) = search(place.path(), &every);
    assert!(
        code == 0 && text.contains(" + 0 failed in") && text.contains(" in 28 surroundings\n"),
        "{code} {text}"
    );
}

#[test]
fn the_parts_of_a_search_in_graphs_merge_into_the_whole() {
    if !python_is_there() {
        return;
    }
    let place = tempdir().unwrap();
    let wrong = rewriter("drops the first of two Reshapes");
    let adapter = ["--adapter-command", &wrong];
    let whole = ["--operator", "onnx.Reshape-14", "--max-rank", "1"];
    let graphs = [
        "--surrounding",
        "between-reshapes",
        "--surrounding",
        "inside-if",
    ];
    let whole = [&adapter[..], &whole, &graphs, &["--events"]].concat();
    let read = |file: &str| timeless(&std::fs::read_to_string(place.path().join(file)).unwrap());
    search(place.path(), &[&whole[..], &["whole.jsonl"]].concat());
    let parts = ["1.jsonl", "2.jsonl", "3.jsonl"];
    for (number, part) in (1..).zip(parts) {
        let slice = format!("slice:{number}/3");
        search(
            place.path(),
            &[&whole[..], &[part, "--partition", &slice]].concat(),
        );
    }
    let (code, text) = run(
        place.path(),
        &[&["merge", "-o", "all.jsonl"], &parts[..]].concat(),
    );
    assert_eq!(code, 100, "{text}");
    let shrink = ["--shrink", "all.jsonl", "--events", "all.jsonl"];
    let (code, text) = search(place.path(), &[&adapter[..], &shrink].concat());
    assert!(
        code == 100 && text.contains("only in a surrounding ("),
        "{text}"
    );
    assert_eq!(read("all.jsonl"), read("whole.jsonl"));
}

#[test]
fn every_name_of_a_trial_in_a_surrounding_recreates_the_trial() {
    let place = tempdir().unwrap();
    let every = ["--surrounding", "all", "--events", "all.jsonl"];
    let few = ["--operator", "onnx >= 19, < 22", "--operator", "openvino"];
    let (code, text) = search(place.path(), &[&every[..], &few, &SMALL].concat());
    assert!(code == 0 && text.contains(" + 0 failed in"), "{text}");
    let counts = text.split_once("reference: ").unwrap().1;
    let counts: usize = counts.split_once(' ').unwrap().0.parse().unwrap();
    let events = std::fs::read_to_string(place.path().join("all.jsonl")).unwrap();
    assert_eq!(
        events.matches("\"search-").count() - 2,
        counts.min(100_000),
        "beside the start and the end, each trial once"
    );
    // `merge` recreates each of them.
    let (code, text) = run(place.path(), &["merge", "all.jsonl", "-o", "same.jsonl"]);
    assert_eq!(code, 0, "{text}");
    for name in [
        "search-2-3-to-3-2/onnx.Reshape-14/f32/constant-static+after-reshape",
        "search-2-3-to-3-2/onnx.Reshape-14/f32/runtime-dynamic+after-other-target",
        "search-2-3-to-3-2/onnx.Reshape-19/f32/constant-static+quantised",
    ] {
        let (code, text) = search(place.path(), &["--trial", name]);
        assert!(
            code == 0 && text.contains(&format!("the trial {name}\n")),
            "{text}"
        );
    }
    for name in [
        "search-2-3-to-3-2/onnx.Reshape-14/f32/constant-static+",
        "search-2-3-to-3-2/onnx.Reshape-14/f32/constant-static+nowhere",
        "search-2-3-to-3-2/onnx.Reshape-14/f32/constant-static+after-reshape+after-reshape",
        // An operator, a target, a binding and a type that are never there.
        "search-2-3-to-3-2/onnx.Reshape-14/f32/constant-static+inside-function",
        "search-2-3-to-6/onnx.Reshape-14/f32/constant-static+before-flatten",
        "search-2-3-to-3-2/onnx.Reshape-14/f32/constant-static+after-other-shape",
        "search-2-3-to-3-2/onnx.Reshape-14/f16/constant-static+after-reshape",
    ] {
        let (code, text) = search(place.path(), &["--trial", name]);
        assert!(
            code == 4 && text.contains("no search generates"),
            "{name}: {text}"
        );
    }
}

#[test]
fn a_random_search_draws_from_the_surroundings_too() {
    let place = tempdir().unwrap();
    let names = |from: &str, count: &str| {
        let random = ["--random", "--count", count, "--from", from, "-j1"];
        let more = ["--surrounding", "all", "--events", "random.jsonl"];
        let (code, text) = search(place.path(), &[&random[..], &more].concat());
        assert_eq!(code, 0, "{text}");
        let events = std::fs::read_to_string(place.path().join("random.jsonl")).unwrap();
        let passed: Vec<String> = events
            .split('"')
            .filter(|word| word.starts_with("search-") && word.contains('/'))
            .map(str::to_owned)
            .collect();
        passed
    };
    let mut whole = names("0", "300");
    assert!(whole.iter().all(|name| name.contains('+')), "{whole:?}");
    let mut parts = [names("0", "100"), names("100", "200")].concat();
    whole.sort_unstable();
    parts.sort_unstable();
    parts.dedup();
    assert_eq!(whole, parts);
}

#[test]
fn a_backend_is_searched_only_in_the_surroundings_that_it_claims() {
    let place = tempdir().unwrap();
    // It gets no model, so no graph.
    let served = format!("{BINARY} serve reference");
    let served = [
        "--adapter-command",
        &served,
        "--operator",
        "onnx.Reshape-21",
    ];
    let all = [&served[..], &["--surrounding", "all", "--max-rank", "1"]].concat();
    let (code, text) = search(place.path(), &all);
    assert!(
        code == 0 && text.contains(" in 6 surroundings\n") && !text.contains("skipped"),
        "{code} {text}"
    );
    let graph = [&served[..], &["--surrounding", "after-reshape"]].concat();
    let (code, text) = search(place.path(), &graph);
    assert!(
        code == 4 && text.contains("supports no trial of this search"),
        "{code} {text}"
    );
}

#[test]
fn a_surrounding_that_cannot_be_searched_is_one_error() {
    let place = tempdir().unwrap();
    for (arguments, wrong, why) in [
        (
            &["--surrounding", "after-reshap"][..],
            2,
            "unknown surrounding 'after-reshap'; did you mean after-reshape?",
        ),
        (
            &["--surrounding", "before-flatten", "--operator", "openvino"],
            4,
            "no operator of this search is tested in the surrounding before-flatten",
        ),
        (
            &[
                "--surrounding",
                "after-other-data",
                "--operator",
                "array-api",
            ],
            4,
            "no operator of this search is tested in the surrounding after-other-data",
        ),
        (
            &["--surrounding", "before-flatten", "--max-rank", "1"],
            4,
            "no trial of this search can be in its surrounding",
        ),
        (
            &["--surrounding", "all", "--trial", "x"],
            2,
            "cannot be used with",
        ),
    ] {
        let (code, text) = search(place.path(), arguments);
        assert!(
            code == wrong && text.contains(why),
            "{arguments:?}: {code} {text}"
        );
    }
}
