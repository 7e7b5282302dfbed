//! Samples: an adapter whose manifest has a sample is asked a part of the trials, and the others are counted.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::BINARY;
use crate::reports::{read, run};
use reshape_conformance::semantics::operator::OPERATORS;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use tempfile::{TempDir, tempdir};

/// Fewer trials than the suite has, and no pattern.
const PART: [&str; 2] = [
    "--cases",
    concat!(env!("CARGO_MANIFEST_DIR"), "/cases/copied-zero.yaml"),
];

/// A folder with the adapter `slow`, which takes every 0 literally, and this line in its manifest.
fn slow(line: &str) -> TempDir {
    let place = tempdir().unwrap();
    state(&place, line);
    place
}

fn state(place: &TempDir, line: &str) {
    let folder = place.path().join("adapters/slow");
    fs::create_dir_all(&folder).unwrap();
    let operators: Vec<_> = OPERATORS.iter().map(|of| of.name).collect();
    let operators = operators.join(", ");
    let manifest = format!(
        "name: slow\nabout: A test\nmodel: none\nconcurrent_runs: true\ncommand: [{BINARY}, serve, --mutant, zero-never-copies]\n{line}\n\
         limits: {{surroundings: []}}\nsupports:\n- {{operators: [{operators}], element_types: [{TYPES}], bindings: all}}\n"
    );
    fs::write(folder.join("adapter.yaml"), manifest).unwrap();
}

const TYPES: &str = "f32, f16, bf16, f64, i8, i16, i32, i64, u8, u16, u32, u64, bool, string, complex64, complex128, \
                     f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz, f8e8m0, f4e2m1, i4, u4, i2, u2";

/// Runs it with these arguments. Returns the exit code and the output.
fn ask(place: &TempDir, arguments: &[&str]) -> (i32, String) {
    run(place, &[&["run", "--adapter", "slow"], arguments].concat())
}

/// The names of the trials of a stream that were asked, and of those that the sample leaves out.
fn asked(place: &TempDir, stream: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut asked, mut left_out) = (BTreeSet::new(), BTreeSet::new());
    for line in read(place, stream).lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        let name = || event["trial"].as_str().unwrap().to_owned();
        if event["event"] != "trial" {
        } else if event["outside_sample"].is_string() {
            assert_eq!(event["verdict"], "skipped", "{line}");
            left_out.insert(name());
        } else if event["verdict"] != "skipped" {
            asked.insert(name());
        }
    }
    (asked, left_out)
}

/// A number as people read it.
fn grouped(count: usize) -> String {
    match count / 1000 {
        0 => count.to_string(),
        thousands => format!("{thousands},{:03}", count % 1000),
    }
}

#[test]
fn a_sample_is_asked_and_every_report_counts_the_rest() {
    let place = slow("sample: 1/8");
    let reports = [
        "--events",
        "it.jsonl",
        "--html",
        "it.html",
        "--results",
        "it.md",
        "--markdown",
        "sum.md",
        "--junit",
        "it.xml",
    ];
    let (code, text) = ask(&place, &[&PART[..], &reports].concat());
    assert_eq!(code, 100, "{text}");
    let (chosen, left_out) = asked(&place, "it.jsonl");
    let all = chosen.len() + left_out.len();
    assert!(
        (all / 10..all / 6).contains(&chosen.len()),
        "{} of {all}",
        chosen.len()
    );
    let description = format!(
        "asked {} of {} that it claims, the core and a sample of 1/8",
        grouped(chosen.len()),
        grouped(all)
    );
    for report in [
        &text,
        &read(&place, "it.html"),
        &read(&place, "it.md"),
        &read(&place, "sum.md"),
    ] {
        assert!(report.contains(&description), "{description}: {report}");
    }
    let junit = read(&place, "it.xml");
    assert_eq!(
        junit
            .matches("outside the core and the sample of 1/8")
            .count(),
        left_out.len()
    );

    let listed = run(
        &place,
        &[&["list", "--adapter", "slow"], &PART[..]].concat(),
    );
    let names: BTreeSet<_> = listed
        .1
        .lines()
        .filter(|line| line.contains('/') && !line.contains(' '))
        .collect();
    assert_eq!(names, chosen.iter().map(String::as_str).collect());
    let description = format!(
        "slow is asked {} of the {all} trials that it claims, the core and a sample of 1/8",
        chosen.len()
    );
    assert!(listed.1.contains(&description), "{description}");

    // A larger sample holds the smaller one, and no operator, case or machine changes it.
    state(&place, "sample: 1/4");
    ask(
        &place,
        &[&PART[..], &["-q", "--events", "more.jsonl"]].concat(),
    );
    let (more, _) = asked(&place, "more.jsonl");
    assert!(chosen.is_subset(&more) && chosen.len() < more.len());
    for wrong in ["0/4", "5/4", "many"] {
        state(&place, &format!("sample: {wrong}"));
        let (code, text) = ask(&place, &PART);
        assert!(
            code == 103 && text.contains("not a sample of the trials"),
            "{code} {text}"
        );
    }
}

#[test]
fn what_is_quarantined_in_a_sample_is_counted_beside_what_is_asked() {
    let place = slow("sample: 1/8");
    let known = "- trials: ['*/*/f32/*']\n  outcome: failed\n  quarantine: true\n  reason: 'It takes hours.'\n";
    let file = place.path().join("adapters/slow/known-failures.yaml");
    fs::write(file, known).unwrap();
    let (_, text) = ask(&place, &[&PART[..], &["--events", "it.jsonl"]].concat());
    let (chosen, left_out) = asked(&place, "it.jsonl");
    let is_quarantined = |name: &&String| name.split('/').nth(2) == Some("f32");
    let quarantined = chosen.iter().filter(is_quarantined).count();
    assert!(quarantined > 1, "{text}");
    let description = format!(
        "asked {} of {} that it claims ({} more are quarantined), the core and a sample of 1/8",
        grouped(chosen.len() - quarantined),
        grouped(chosen.len() + left_out.len()),
        grouped(quarantined)
    );
    assert!(text.contains(&description), "{description}: {text}");
}

#[test]
fn what_patterns_name_is_asked_whatever_the_sample() {
    let place = slow("sample: 1/8");
    ask(
        &place,
        &[&PART[..], &["-q", "--events", "it.jsonl"]].concat(),
    );
    let (_, left_out) = asked(&place, "it.jsonl");
    let name = left_out
        .iter()
        .find(|name| name.starts_with("copied-zero-first/onnx.Reshape-14/"))
        .unwrap();
    let case = "copied-zero-first/onnx.Reshape-14/**";
    for (pattern, more) in [(name.as_str(), "--exact"), (case, "--quiet")] {
        let (code, text) = ask(&place, &[pattern, more, "--events", "one.jsonl"]);
        assert_eq!(code, 100, "{text}");
        let (asked, left_out) = asked(&place, "one.jsonl");
        assert!(asked.contains(name) && left_out.is_empty(), "{asked:?}");
    }
    let (code, text) = run(&place, &["list", "--adapter", "slow", case]);
    assert!(
        code == 0 && text.contains(name) && !text.contains("a sample"),
        "{text}"
    );
}

#[test]
fn a_trial_outside_the_sample_is_neither_lost_nor_stale_and_parts_add_up() {
    let place = slow("");
    let entry = |trials: &str| {
        format!(
            "- trials:\n    - '{trials}'\n  outcome: failed\n  reason: It takes 0 literally\n\n"
        )
    };
    let known = place.path().join("adapters/slow/known-failures.yaml");
    ask(
        &place,
        &[&PART[..], &["-q", "--events", "all.jsonl"]].concat(),
    );
    state(&place, "sample: 1/8");
    let whole = [&PART[..], &["-q", "--events", "it.jsonl"]].concat();
    ask(&place, &whole);
    let (chosen, left_out) = asked(&place, "it.jsonl");
    // What passed in the baseline, and is not asked now, did not get worse.
    let (code, text) = ask(&place, &[&PART[..], &["--baseline", "all.jsonl"]].concat());
    assert!(code == 0 && !text.contains("lost"), "{code} {text}");

    // The parts of a run ask what the whole asks, and one that is resumed, too.
    for part in ["1", "2"] {
        let (events, part) = (format!("{part}.jsonl"), format!("slice:{part}/2"));
        ask(
            &place,
            &[
                &PART[..],
                &["-q", "--partition", &part, "--events", &events],
            ]
            .concat(),
        );
    }
    let merge = ["merge", "1.jsonl", "2.jsonl", "-o", "both.jsonl"];
    run(&place, &[&merge[..], &PART].concat());
    let (_, text) = run(&place, &["report", "render", "both.jsonl"]);
    assert_eq!(
        asked(&place, "both.jsonl"),
        (chosen.clone(), left_out.clone())
    );
    let sampled = format!("asked {} of", chosen.len());
    assert!(text.contains(&sampled), "{text}");
    let stream = read(&place, "it.jsonl");
    let trials = stream
        .lines()
        .position(|line| line.contains("\"event\":\"trial\""))
        .unwrap();
    let begun: String = stream
        .lines()
        .take(trials + 100)
        .map(|line| format!("{line}\n"))
        .collect();
    fs::write(place.path().join("begun.jsonl"), begun).unwrap();
    ask(
        &place,
        &[&PART[..], &["-q", "--resume", "begun.jsonl"]].concat(),
    );
    assert_eq!(asked(&place, "begun.jsonl"), (chosen, left_out.clone()));

    // A known failure outside the sample waits for those who ask.
    let mut outside = left_out
        .iter()
        .filter(|name| name.starts_with("copied-zero-first/"));
    let out = outside.next().unwrap();
    fs::write(&known, entry(out) + &entry("copied-zero-*/*/*/*")).unwrap();
    let (_, text) = ask(&place, &PART);
    assert!(
        !text.contains("stale") && text.contains("known failures"),
        "{text}"
    );
    let update = ["known-failures", "update", "--adapter", "slow"];
    let update = |more: &[&str]| run(&place, &[&update[..], &PART, more].concat());
    let (_, listed) = update(&[]);
    let ids = listed
        .lines()
        .filter_map(|line| line.strip_prefix("  finding: "));
    let ids = ids.flat_map(|id| ["--finding", id]);
    let (code, text) = update(&Vec::from_iter(ids.chain(["--reason", "It is so."])));
    assert!(code == 0, "{text}");
    assert!(fs::read_to_string(&known).unwrap().contains(out), "{text}");
    let (code, text) = ask(&place, &[&PART[..], &["--exact", out]].concat());
    assert!(code == 0 && text.contains("1 known"), "{code} {text}");
}
