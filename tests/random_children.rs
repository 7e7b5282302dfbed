//! A child that answers, lies, stalls and dies at random. Always, every trial has one verdict, the run ends in bounded
//! time, the exit code is right, every report is written, and no process is left.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::{is_thorough, program};
use crate::reports::{FAULT_CASES, command, ended};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::tempdir;

const CHILD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/random_child.py");
const REPORTS: [&str; 6] = ["junit", "html", "markdown", "sarif", "badge", "results"];
/// The trials of the cases.
const TRIALS: usize = 10;
/// Far more than the limits of all trials together.
const MAX_LENGTH: Duration = Duration::from_secs(120);

/// Seeds to try; `RANDOM_CHILDREN=FIRST..LAST` tries others.
fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("RANDOM_CHILDREN").ok();
    let given = given.as_ref().and_then(|range| range.split_once(".."));
    given.map_or(0..if is_thorough() { 8 } else { 3 }, |(first, last)| {
        first.parse().unwrap()..last.parse().unwrap()
    })
}

#[test]
fn every_run_of_a_random_child_ends_as_it_should() {
    let seeds = seeds();
    let workers = 4;
    let misbehaved = std::thread::scope(|scope| {
        let runs = |worker| {
            let seeds = seeds.clone().skip(worker).step_by(workers);
            scope.spawn(move || seeds.filter(|seed| one_run(*seed)).count())
        };
        let runs: Vec<_> = (0..workers).map(runs).collect();
        runs.into_iter()
            .map(|run| run.join().unwrap())
            .sum::<usize>()
    });
    assert!(misbehaved > 0, "no child did anything at random");
}

/// A run with this seed. Every fourth is interrupted. Whether a trial failed.
fn one_run(seed: u64) -> bool {
    let place = tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    let counter = at("processes");
    let backend = format!("python3 -S {CHILD} {seed} {}", counter.display());
    let mut arguments: Vec<String> = ["run", "**", "--cases", FAULT_CASES, "--events", "events"]
        .map(str::to_owned)
        .to_vec();
    let limits = [
        "--timeout",
        "0.8",
        "--handshake-timeout",
        "2",
        "--memory",
        "200",
    ];
    arguments.extend(limits.map(str::to_owned));
    arguments.extend([
        format!("-j{}", 1 + seed % 3),
        format!("--retries={}", seed % 2),
    ]);
    arguments.extend(["--adapter-command".to_owned(), backend]);
    for report in REPORTS {
        arguments.extend([format!("--{report}"), report.to_owned()]);
        fs::write(at(report), "of yesterday").unwrap();
    }
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let begun = Instant::now();
    let child = command(&place, &arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let interrupted = seed % 4 == 3;
    if interrupted {
        // Before that nothing has begun, and the signal just ends the process.
        while !at("events").exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(seed * 7919 % 3000));
        let pid = child.id().to_string();
        Command::new("kill").args(["-TERM", &pid]).status().unwrap();
    }
    let (code, text) = ended(&child.wait_with_output().unwrap());
    assert!(begun.elapsed() < MAX_LENGTH, "seed {seed} took too long");
    assert!(!text.contains("panicked"), "seed {seed}: {text}");
    for report in REPORTS {
        assert_ne!(
            fs::read_to_string(at(report)).unwrap(),
            "of yesterday",
            "seed {seed}"
        );
    }
    let red = check_stream(seed, &at("events"), code, interrupted, &text);
    check_reports(seed, place.path(), code);
    let left = ["-f", &counter.display().to_string()];
    let left = Command::new("pgrep").args(left).output().unwrap();
    assert!(left.stdout.is_empty(), "seed {seed} leaves a process");
    red
}

/// Every trial has one verdict, unless the run was interrupted or the backend did not start; the exit code shows which.
/// Whether one is red.
fn check_stream(seed: u64, path: &Path, code: i32, interrupted: bool, text: &str) -> bool {
    let stream = fs::read_to_string(path).unwrap();
    let events = stream
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let (mut verdicts, mut last) = (BTreeMap::<String, Vec<String>>::new(), String::new());
    let mut died = false;
    for event in events {
        event["event"].as_str().unwrap().clone_into(&mut last);
        if last == "trial" {
            let name = event["trial"].as_str().unwrap().to_owned();
            let verdict = event["verdict"].as_str().unwrap().to_owned();
            verdicts.entry(name).or_default().push(verdict);
        }
        died |= event["mishaps"]["times"]
            .as_u64()
            .is_some_and(|times| times > 0);
    }
    assert!(
        verdicts.values().all(|of| of.len() == 1),
        "seed {seed}: {verdicts:?}"
    );
    let red = verdicts
        .values()
        .flatten()
        .any(|verdict| !["passed", "recorded", "flaky"].contains(&verdict.as_str()));
    match code {
        5 => assert!(
            interrupted && last == "run-stopped",
            "seed {seed}: {last} {text}"
        ),
        // It did not start, or not again.
        102 | 104 => assert!(
            verdicts.len() < TRIALS && last == "backend-not-run",
            "seed {seed}: {text}"
        ),
        100 if last == "backend-not-run" => assert!(red, "seed {seed}: {text}"),
        0 | 100 => {
            assert_eq!(
                (verdicts.len(), &*last),
                (TRIALS, "run-finished"),
                "seed {seed}: {text}"
            );
            assert_eq!(red || died, code == 100, "seed {seed}: {verdicts:?}");
        }
        _ => panic!("seed {seed}: exit code {code}: {text}"),
    }
    red
}

/// The reports are those of the stream, and the badge is green only if the run was.
fn check_reports(seed: u64, place: &Path, code: i32) {
    let render = ["report", "render", "events", "--junit", "again"];
    let rendered = program().args(render).current_dir(place).output();
    assert_eq!(rendered.unwrap().status.code(), Some(code), "seed {seed}");
    let read = |name: &str| fs::read_to_string(place.join(name)).unwrap();
    assert_eq!(read("junit"), read("again"), "seed {seed}");
    let green = read("badge").contains("brightgreen") || read("badge").contains("yellow");
    assert_eq!(green, code == 0, "seed {seed}: {}", read("badge"));
    let complete = !read("junit").contains("type=\"incomplete\"");
    let is_whole = read("events").contains("\"run-finished\"");
    assert_eq!(complete, is_whole, "seed {seed}");
}
