//! Fault injection: whatever an adapter does, every trial gets exactly one verdict, and the run ends.
//!
//! `cargo test --release --test program all_at_once:: -- --nocapture` prints the table of verdicts.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test")]

use crate::program::{self, BINARY, program};
use reshape_conformance::backend::Call;
use reshape_conformance::backend::{Backend, ProcessBackend, ProcessOptions};
use reshape_conformance::semantics::operator::{Binding, Operator};
use reshape_conformance::semantics::outcome::Outcome;
use reshape_conformance::semantics::request::{Attributes, Request, Target};
use reshape_conformance::tensor::{ElementType, Fill};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults");

/// The fault, the verdict of the two trials with the data [3], and the exit code.
const AT_A_RUN: &[(&str, &str, i32)] = &[
    ("behaves", "passed", 0),
    ("crashes", "crashed", 100),
    ("aborts with last words", "crashed", 100),
    ("exits 0 without a reply", "crashed", 100),
    ("exits 0 in mid-header", "crashed", 100),
    ("exits 0 in mid-payload", "crashed", 100),
    ("closes stdout and stays", "crashed", 100),
    ("hangs", "timed-out", 100),
    ("hangs, ignores signals, has a child", "timed-out", 100),
    ("takes all memory", "out-of-memory", 100),
    ("writes garbage", "protocol-error", 100),
    ("writes binary garbage", "protocol-error", 100),
    ("writes an endless line", "protocol-error", 100),
    ("writes JSON that is no object", "protocol-error", 100),
    ("answers with a wrong id", "protocol-error", 100),
    ("claims 2^60 elements", "protocol-error", 100),
    ("claims a payload of 2^50 bytes", "protocol-error", 100),
    ("sends fewer bytes than its shape", "protocol-error", 100),
    ("claims 2^64 elements that it has not", "failed", 100),
    ("claims no elements, and sends none", "failed", 100),
    ("gives a negative dim", "failed", 100),
    ("gives a negative dim beside a 0", "failed", 100),
    ("points outside its payload", "protocol-error", 100),
    ("names an unknown type", "protocol-error", 100),
    ("names an unknown element type", "protocol-error", 100),
    ("answers a run with compiled", "protocol-error", 100),
    ("answers what nobody asked", "protocol-error", 100),
    ("rejects in 10 MB of invalid UTF-8", "protocol-error", 100),
    ("rejects with escape codes", "failed", 100),
    ("rejects with markup", "failed", 100),
    ("says unsupported", "failed", 100),
    ("leaves bits behind the last element", "protocol-error", 100),
    ("changes a bit", "failed", 100),
    ("gives another shape", "failed", 100),
    ("writes null for what is absent", "passed", 0),
    ("is slow but in time", "passed", 0),
    ("floods its log", "passed", 0),
    ("answers out of order", "passed", 0),
];

struct Run {
    trials: BTreeMap<String, Value>,
    lines: usize,
    exit: i32,
    text: String,
}

fn run(fault: &str, timeout: &str) -> Run {
    run_cases("cases.yaml", fault, &["--timeout", timeout])
}

/// Runs the cases of a file on the adapter with a fault, nodes alone.
fn run_cases(cases: &str, fault: &str, options: &[&str]) -> Run {
    run_trials(cases, "**", fault, options)
}

/// Runs the trials of a pattern, of the cases of a file.
fn run_trials(cases: &str, pattern: &str, fault: &str, options: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let events = folder.path().join("events.jsonl");
    // To take memory takes time.
    let memory = match fault {
        "takes all memory" => "64",
        _ => "200",
    };
    let output = program()
        .args([
            "run",
            "--jobs",
            "1",
            "--memory",
            memory,
            "--cases",
            &format!("{FOLDER}/{cases}"),
            pattern,
        ])
        .args(options)
        .args([
            "--adapter-command",
            &format!("python3 -S {FOLDER}/adapter.py '{fault}'"),
            "--events",
        ])
        .arg(&events)
        .env_remove("CARGO")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    let lines = std::fs::read_to_string(&events).unwrap_or_default();
    let events = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let trials: Vec<_> = events.filter(|event| event["event"] == "trial").collect();
    let lines = trials.len();
    let trials = trials
        .into_iter()
        .map(|event| (event["trial"].as_str().unwrap().to_owned(), event))
        .collect();
    Run {
        trials,
        lines,
        exit: output.status.code().unwrap(),
        text,
    }
}

/// Seconds that end a hanging adapter soon; any other has time enough even on a busy machine.
fn timeout(verdict: &str) -> &'static str {
    match verdict {
        "timed-out" => "1.5",
        _ => "60",
    }
}

/// Runs every fault of the table, several at once because most of the time is spent waiting for hanging adapters.
fn run_all(workers: usize) -> Vec<Run> {
    std::thread::scope(|scope| {
        let share = |part: usize| {
            AT_A_RUN
                .iter()
                .skip(part)
                .step_by(workers)
                .map(|(fault, verdict, _)| run(fault, timeout(verdict)))
                .collect::<Vec<_>>()
        };
        let handles: Vec<_> = (0..workers)
            .map(|part| scope.spawn(move || share(part)))
            .collect();
        let mut parts: Vec<_> = handles
            .into_iter()
            .map(|handle| handle.join().unwrap().into_iter())
            .collect();
        (0..AT_A_RUN.len())
            .map(|index| parts[index % workers].next().unwrap())
            .collect()
    })
}

fn python_is_there() -> bool {
    let there = program::python_is_there();
    assert!(there || std::env::var_os("CI").is_none(), "CI has python3");
    if !there {
        println!("not tested: there is no python3");
    }
    there
}

pub(crate) fn every_trial_gets_one_verdict_whatever_happens_at_a_run() {
    if !python_is_there() {
        return;
    }
    println!("{:40} {:16} exit", "at the data [3] it", "reported");
    let runs = run_all(8);
    for ((fault, verdict, exit), run) in AT_A_RUN.iter().zip(runs) {
        assert_eq!(
            (run.lines, run.trials.len()),
            (10, 10),
            "{fault}: {}",
            run.text
        );
        for (trial, event) in &run.trials {
            let expected = if trial.starts_with("data-of-three/") {
                verdict
            } else {
                &"passed"
            };
            assert_eq!(
                event["verdict"], *expected,
                "{fault}: {trial}\n{}",
                run.text
            );
        }
        assert_eq!(run.exit, *exit, "{fault}: {}", run.text);
        assert!(
            !run.text.contains("panicked") && !run.text.contains('\u{1b}'),
            "{fault}: {}",
            run.text
        );
        println!("{fault:40} {verdict:16} {exit}");
    }
    let left = Command::new("pgrep").args(["-f", "sleep 600.125"]).output();
    assert!(
        left.is_err() || left.is_ok_and(|output| output.stdout.is_empty()),
        "a grandchild is left behind"
    );
}

/// The option that writes a report in a folder, and its path.
fn report_in(folder: &tempfile::TempDir, report: &str) -> (String, String) {
    let path = folder.path().join(report);
    (format!("--{report}"), path.to_string_lossy().into_owned())
}

fn report_options(reports: &[(String, String)]) -> Vec<&str> {
    let options = reports.iter();
    options
        .flat_map(|(option, path)| [option.as_str(), path.as_str()])
        .collect()
}

#[test]
fn a_negative_dim_is_a_wrong_shape_with_its_sign() {
    if !python_is_there() {
        return;
    }
    let run = run("gives a negative dim", "60");
    let event = &run.trials["data-of-three/onnx.Reshape-14/f32/constant-static"];
    assert_eq!(event["failure"], "wrong-shape", "{event}");
    assert_eq!(event["outcome"]["shape"], serde_json::json!([-1, -3]));
    let got = "got       [-1, -3]";
    assert!(run.text.contains(got), "{}", run.text);
    let run = run_cases("compiled_only.yaml", "infers a negative dim", &[]);
    let event = &run.trials.values().next().unwrap();
    assert_eq!(event["failure"], "wrong-inference", "{event}");
    assert_eq!(event["outcome"]["inferred"][0], -1, "{event}");
}

#[test]
fn a_rejection_by_accident_passes_and_every_report_notes_it() {
    if !python_is_there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let reports = ["results", "markdown", "html"].map(|report| report_in(&folder, report));
    let options = report_options(&reports);
    let run = run_cases("rejected.yaml", "rejects by accident", &options);
    assert_eq!((run.lines, run.exit), (2, 0), "{}", run.text);
    for event in run.trials.values() {
        assert_eq!(event["verdict"], "passed");
        assert_eq!(event["outcome"]["internal"], true);
    }
    let notes = reports
        .iter()
        .map(|(_, path)| std::fs::read_to_string(path).unwrap());
    for note in notes.chain([run.text]) {
        assert!(
            note.to_lowercase().contains("rejected by accident"),
            "{note}"
        );
        assert!(!note.contains('\u{1b}'), "{note}");
    }
}

#[test]
fn of_data_that_is_too_large_only_the_inferred_shape_is_judged_if_there_is_one() {
    if !python_is_there() {
        return;
    }
    for (fault, exit, verdicts) in [
        ("behaves", 4, ["skipped", "skipped", "skipped"]),
        ("infers", 0, ["passed", "recorded", "skipped"]),
        ("infers in 32 bits", 100, ["passed", "failed", "skipped"]),
    ] {
        let run = run_cases("compiled_only.yaml", fault, &[]);
        let got = run.trials.values().map(|event| &event["verdict"]);
        assert!(got.eq(&verdicts), "{fault}: {}", run.text);
        assert_eq!(run.exit, exit, "{fault}: {}", run.text);
    }
}

/// A case of 65 MiB, which by default is too large to be made.
const LARGER: &str = "\
- name: larger-than-usual
  operators: [onnx.Reshape-14]
  covers: [same-count]
  data: {shape: [65, 262144], element_types: [f32], fill: none}
  shape: [-1]
  expect: {shape: [17039360]}
";

/// Runs such a case with these options. Returns the exit code, and what was said.
fn run_larger(case: &str, options: &[&str]) -> (i32, String) {
    let folder = tempfile::tempdir().unwrap();
    let cases = folder.path().join("larger.yaml");
    std::fs::write(&cases, case).unwrap();
    let mut command = program();
    command.args(["run", "--jobs", "1", "--cases"]);
    let output = command.arg(&cases).args(options).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap(), said.into_owned())
}

#[test]
fn data_within_a_raised_limit_is_made_and_run() {
    let served = format!(
        "{} serve reference",
        env!("CARGO_BIN_EXE_reshape-conformance")
    );
    let wrong = LARGER.replace("[17039360]", "[17039360, 1]");
    let (larger, payload) = (["--max-data", "65"], ["--max-payload", "66"]);
    for (case, options, exit, told) in [
        (LARGER, Vec::new(), 4, "1 skipped"),
        (LARGER, larger.to_vec(), 0, "1 passed"),
        (LARGER, [larger, payload].concat(), 0, "1 passed"),
        // The command that runs the failure again makes the data, too.
        (&wrong, larger.to_vec(), 100, "--max-data 65"),
    ] {
        let options = [&["--adapter-command", &served], &options[..]].concat();
        let (code, said) = run_larger(case, &options);
        assert_eq!(code, exit, "{options:?}: {said}");
        assert!(said.contains(told), "{options:?}: {said}");
    }
}

#[test]
fn limits_that_no_machine_has_or_that_contradict_are_refused() {
    for (options, why) in [
        (&["--max-data", "0"][..], "0 is not in 1..=65536"),
        (&["--max-data", "65537"], "65537 is not in 1..=65536"),
        (&["--max-data", "99999999999999999999"], "number too large"),
        (&["--max-data", "1.5"], "invalid digit"),
        (&["--max-payload", "0"], "0 is not in 1..=65537"),
        (
            &["--max-payload", "64"],
            "64 MiB; it must be more than max-data, which is 64 MiB",
        ),
        (
            &["--max-data", "300", "--max-payload", "256"],
            "which is 300 MiB",
        ),
    ] {
        let (code, said) = run_larger(LARGER, options);
        assert_eq!(code, 2, "{options:?}: {said}");
        assert!(said.contains(why), "{options:?}: {said}");
    }
}

#[test]
fn a_payload_over_its_limit_is_not_read() {
    if !python_is_there() {
        return;
    }
    let limited = ["--max-data", "1", "--max-payload", "2", "--timeout", "60"];
    let run = run_cases("cases.yaml", "claims a payload of 2^50 bytes", &limited);
    assert_eq!(run.exit, 100, "{}", run.text);
    assert!(
        run.text.contains("at most 2097152 are allowed"),
        "{}",
        run.text
    );
}

#[test]
fn what_a_machine_cannot_do_is_skipped_with_the_reason() {
    if !python_is_there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let reports = ["results", "markdown", "html", "junit"].map(|report| report_in(&folder, report));
    let options = report_options(&reports);
    let run = run_cases("cases.yaml", "lacks instructions", &options);
    assert_eq!((run.lines, run.exit), (10, 0), "{}", run.text);
    for (trial, event) in &run.trials {
        let (verdict, reason) = match trial.ends_with("/runtime-dynamic") {
            true => ("skipped", Some("no \u{1b}[2J instructions")),
            false => ("passed", None),
        };
        assert_eq!(event["verdict"], verdict, "{trial}");
        assert_eq!(event["unavailable"].as_str(), reason, "{trial}");
    }
    let told = reports
        .iter()
        .map(|(_, path)| std::fs::read_to_string(path).unwrap());
    for told in told.chain([run.text]) {
        assert!(told.contains("instructions"), "{told}");
        assert!(!told.contains('\u{1b}'), "{told}");
    }
    let run = run_cases("cases.yaml", "lacks what it does not support", &[]);
    assert_eq!(run.exit, 104, "{}", run.text);
    assert!(run.text.contains("f16"), "{}", run.text);
}

#[test]
fn no_clause_is_cited_against_a_function_that_is_only_similar() {
    if !python_is_there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let adapter = folder.path().join("adapters/faulty");
    std::fs::create_dir_all(&adapter).unwrap();
    let manifest = |more: &str| {
        format!(
            "name: faulty\nabout: It changes a bit\nmodel: none\n{more}\
             command: [python3, -S, {FOLDER}/adapter.py, changes a bit]\n\
             supports:\n  - operators: [onnx.Reshape-14]\n    element_types: [f32]\n    \
             bindings: [constant-static, runtime-dynamic]\n"
        )
    };
    let told = |more: &str| {
        std::fs::write(adapter.join("adapter.yaml"), manifest(more)).unwrap();
        let reports = ["results", "markdown", "sarif", "html"]
            .map(|report| (format!("--{report}"), folder.path().join(report)));
        let mut command = program();
        command.args(["run", "--adapter", "faulty", "--adapters"]);
        command.arg(folder.path().join("adapters"));
        command.args(["--cases", &format!("{FOLDER}/cases.yaml")]);
        for (option, path) in &reports {
            command.arg(option).arg(path);
        }
        let output = command.output().unwrap();
        let mut told = vec![String::from_utf8_lossy(&output.stdout).into_owned()];
        for (_, path) in &reports {
            told.push(std::fs::read_to_string(path).unwrap());
        }
        // The page's data describes every clause.
        let page = told.last_mut().unwrap();
        page.truncate(page.find("application/json").unwrap());
        told
    };
    const CLAUSE: &str = "onnx.Reshape-14/same-count";
    for report in told("") {
        assert!(report.contains(CLAUSE), "{report}");
        assert!(!report.contains("similar function"), "{report}");
    }
    for (at, report) in told("only_similar: true\n").iter().enumerate() {
        assert!(!report.contains(CLAUSE), "{report}");
        let is_sarif = at == 3;
        assert!(is_sarif || report.contains("imilar function"), "{report}");
    }
    let results = told("rewrites: true\n").swap_remove(1);
    let section = results.find("## Rewriters of models\n");
    assert!(section < results.find("## faulty\n"), "{results}");
    assert!(
        section.is_some() && results.contains("These rewrite models"),
        "{results}"
    );
}

#[cfg_attr(not(unix), test)]
pub(crate) fn an_adapter_that_stops_reading_times_out_although_its_pipe_is_full() {
    if !python_is_there() {
        return;
    }
    let run = run_cases("large.yaml", "stops reading", &["--timeout", "2"]);
    assert_eq!((run.lines, run.trials.len()), (9, 9), "{}", run.text);
    for (trial, event) in &run.trials {
        let expected = match trial.starts_with("large-data-of-three/") {
            true => "timed-out",
            false => "passed",
        };
        assert_eq!(event["verdict"], expected, "{trial}\n{}", run.text);
    }
    assert_eq!(run.exit, 100, "{}", run.text);
}

pub(crate) fn what_goes_wrong_at_compile_is_the_outcome_of_that_models_trials_alone() {
    if !python_is_there() {
        return;
    }
    for (fault, verdict) in [
        ("crashes at compile", "crashed"),
        ("hangs at compile", "timed-out"),
        ("answers compile with reshaped", "protocol-error"),
    ] {
        let run = run(fault, "0.6");
        assert_eq!(
            (run.lines, run.trials.len()),
            (10, 10),
            "{fault}: {}",
            run.text
        );
        for (trial, event) in &run.trials {
            let expected = if trial == "data-of-three/onnx.Reshape-14/f32/constant-static" {
                verdict
            } else {
                "passed"
            };
            assert_eq!(event["verdict"], expected, "{fault}: {trial}\n{}", run.text);
        }
        let is_blamed = !run.text.contains("no trial can be blamed");
        assert!(is_blamed, "{fault}: {}", run.text);
        println!("{fault:40} {verdict:16} {}", run.exit);
    }
}

#[test]
fn a_fault_that_shows_only_at_the_next_trial_loses_no_trial() {
    if !python_is_there() {
        return;
    }
    // The second answer arrives during a later request, and the crash at a release shows there: a later trial must not
    // fail because of an earlier one, unless both were in flight.
    for (fault, most) in [
        ("crashes at release", 0),
        ("crashes after release", 0),
        ("answers twice", 1),
        ("ends badly", 0),
    ] {
        let run = run(fault, "0.6");
        assert_eq!(
            (run.lines, run.trials.len()),
            (10, 10),
            "{fault}: {}",
            run.text
        );
        let kinds: Vec<_> = run
            .trials
            .values()
            .map(|event| event["verdict"].as_str().unwrap())
            .collect();
        let bad = kinds.iter().filter(|kind| **kind != "passed").count();
        assert!(bad <= most, "{fault}: {kinds:?}");
        // The report still shows it.
        assert!(run.text.contains(" died "), "{fault}: {}", run.text);
        println!("{fault:40} {bad} of 10 blamed  {}", run.exit);
    }
}

#[cfg_attr(not(unix), test)]
pub(crate) fn the_handshake_has_a_limit_of_its_own_and_its_fault_is_named() {
    if !python_is_there() {
        return;
    }
    let faults = [
        (
            "never says hello",
            "did not answer `hello` within 3s; if it wrote a reply, it may not have flushed its standard output",
        ),
        (
            "says half a hello",
            "did not answer `hello` within 3s; 61 bytes arrived, which are not a complete message: \"Loading\\u{1b}[2Jxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…\"",
        ),
    ];
    std::thread::scope(|scope| {
        for (fault, words) in faults {
            scope.spawn(move || {
                let run = run_cases("cases.yaml", fault, &["--handshake-timeout", "3"]);
                assert_eq!(run.exit, 102, "{fault}: {}", run.text);
                assert!(run.text.contains(words), "{fault}: {}", run.text);
            });
        }
        scope.spawn(|| {
            let slow = format!("sh -c 'sleep 3 && exec {BINARY} serve reference'");
            // Of two options, the last holds, as behind the command of `again:`.
            let few = [
                "run",
                "-j9",
                "-j1",
                "*/onnx.Reshape-14/f16/*",
                "--adapter-command",
                &slow,
            ];
            let output = program().args(few).output().unwrap();
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{text}");
            // At once, and in the report.
            let report = String::from_utf8_lossy(&output.stdout);
            assert!(
                [text, report].iter().all(|of| of.contains(" s to start")),
                "{output:?}"
            );
        });
    });
}

#[test]
fn the_end_of_a_long_log_is_shown() {
    if !python_is_there() {
        return;
    }
    let last = "ImportError: libbackend.so.1 is missing";
    for (fault, exit) in [
        ("loads a missing library", 102),
        ("ends with a long log", 100),
    ] {
        let run = run(fault, "5");
        assert_eq!(run.exit, exit, "{fault}: {}", run.text);
        assert!(run.text.contains(last), "{fault}: {}", run.text);
        let logs: Vec<_> = run
            .trials
            .values()
            .map(|event| &event["outcome"]["log"])
            .collect();
        let recorded = logs.iter().filter(|log| log.to_string().contains(last));
        assert_eq!(
            recorded.count(),
            run.trials.len().min(2),
            "{fault}: {logs:?}"
        );
    }
}

#[test]
fn a_further_instance_that_does_not_start_leaves_its_trials_to_the_others() {
    let place = tempfile::tempdir().unwrap();
    // Only the first that starts serves; the trials last long enough for the others to be asked for.
    let adapter = format!("sh -c 'mkdir once && exec {BINARY} serve reference'");
    let output = program()
        .args([
            "run",
            "*/onnx.Reshape-14/{f32,f16}/*",
            "-j3",
            "--events",
            "it.jsonl",
        ])
        .args(["--adapter-command", &adapter])
        .current_dir(place.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(
        text.contains("2 times: another instance did not start: "),
        "{text}"
    );
    assert!(!text.contains("no trial can be blamed"), "{text}");
    let events = std::fs::read_to_string(place.path().join("it.jsonl")).unwrap();
    let finished = events
        .lines()
        .find(|line| line.contains("\"backend-finished\""));
    assert!(
        finished
            .unwrap()
            .contains("another instance did not start: ")
    );
}

#[test]
fn an_adapter_that_does_not_shake_hands_ends_the_run_with_its_own_code() {
    if !python_is_there() {
        return;
    }
    for (fault, exit, words) in [
        ("exits before hello", 102, "I have no licence"),
        ("prints before hello", 104, "Welcome to the backend!"),
        ("speaks another protocol", 104, "protocol 7"),
    ] {
        let run = run(fault, "0.6");
        assert_eq!(run.exit, exit, "{fault}: {}", run.text);
        assert!(run.text.contains(words), "{fault}: {}", run.text);
        println!("{fault:40} {:16} {exit}", "(no run)");
    }
    let missing = program()
        .args(["run", "--adapter-command", "/no/such/program"])
        .args(["two-minus-ones"])
        .output()
        .unwrap();
    assert_eq!(missing.status.code(), Some(102));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("/no/such/program"));
}

/// Runs the adapter `mine`, whose program says `model` is `none` and does not set `infer_only`, with these lines in its manifest.
fn run_with_manifest(declares: &str) -> (Option<i32>, String) {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("adapters/mine");
    std::fs::create_dir_all(&folder).unwrap();
    let manifest = format!(
        "name: mine\nabout: A test\ncommand: [python3, -S, {FOLDER}/adapter.py, behaves]\n{declares}\nsupports:\n\
         - {{operators: [onnx.Reshape-14], element_types: [f32], bindings: [constant-static, runtime-dynamic]}}\n"
    );
    std::fs::write(folder.join("adapter.yaml"), manifest).unwrap();
    let output = program()
        .args(["run", "--adapter", "mine", "--cases"])
        .arg(format!("{FOLDER}/cases.yaml"))
        .current_dir(root.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text)
}

#[test]
fn a_handshake_that_differs_from_the_manifest_ends_the_run() {
    if !python_is_there() {
        return;
    }
    let (exit, text) = run_with_manifest("model: none");
    assert_eq!(exit, Some(0), "{text}");
    for (declares, words) in [
        (
            "model: onnx",
            "model: the manifest says onnx, but the handshake says none",
        ),
        (
            "model: none\ninfer_only: true",
            "infer_only: the manifest says true, but the handshake says false",
        ),
        (
            "model: none\ninfers: true",
            "infers: the manifest says true, but the handshake says false",
        ),
        (
            "model: none\nconcurrent_runs: true",
            "concurrent_runs: the manifest says true, but the handshake says false",
        ),
    ] {
        let (exit, text) = run_with_manifest(declares);
        assert_eq!(exit, Some(102), "{declares}: {text}");
        assert!(text.contains(words), "{declares}: {text}");
    }
}

/// The adapter with a fault, started from this process.
fn options(fault: &str) -> ProcessOptions {
    let command = ["python3", "-S", &format!("{FOLDER}/adapter.py"), fault];
    let command = command.map(str::to_owned).to_vec();
    ProcessOptions::new("faulty", command, Duration::from_secs(600))
}

/// Stops the adapter after a moment, from another thread. Gives when it was.
fn stop_soon(stop: &Arc<AtomicBool>) -> JoinHandle<Instant> {
    let stop = Arc::clone(stop);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        stop.store(true, Ordering::Relaxed);
        Instant::now()
    })
}

/// Far less than the timeout of the adapter that is stopped.
fn assert_soon_after(stopped: JoinHandle<Instant>) {
    assert!(stopped.join().unwrap().elapsed() < Duration::from_secs(60));
}

/// Calls a started adapter with the data [2] and then [3].
fn call_twice(backend: &mut ProcessBackend, done: &mut dyn FnMut(usize, Outcome)) {
    let requests = [2, 3].map(|length| Request {
        operator: Operator::named("onnx.Reshape-14").unwrap(),
        element_type: ElementType::F32,
        data_shape: vec![length],
        target: Some(Target::list([-1, 1])),
        attributes: Attributes::default(),
    });
    let data = [2, 3].map(|length| Fill::Index.tensor(ElementType::F32, vec![length]));
    let call = |index: usize| Call {
        request: &requests[index],
        binding: Binding::RuntimeDynamic,
        surrounding: None,
        data: &data[index],
    };
    backend.reshape_all(&[call(0), call(1)], done);
}

#[test]
fn a_stopped_adapter_is_killed_at_once_and_its_calls_get_no_outcome() {
    if !python_is_there() {
        return;
    }
    let options = options("hangs, ignores signals, has a child");
    let mut backend = ProcessBackend::start(options.clone()).unwrap();
    let (mut answered, mut stopped) = (Vec::new(), None);
    call_twice(&mut backend, &mut |index, _| {
        answered.push(index);
        stopped = Some(stop_soon(&options.stop));
    });
    assert_eq!(answered, [0]);
    assert!(backend.is_stopped());
    call_twice(&mut backend, &mut |index, outcome| {
        panic!("call {index} was sent: {outcome:?}")
    });
    backend.finish();
    assert_soon_after(stopped.unwrap());
}

#[test]
fn an_adapter_that_is_stopped_in_its_handshake_is_not_waited_for() {
    if !python_is_there() {
        return;
    }
    let options = options("never says hello");
    let stopped = stop_soon(&options.stop);
    let error = ProcessBackend::start(options).unwrap_err();
    assert!(
        error.to_string().contains("stopped in its handshake"),
        "{error}"
    );
    assert_soon_after(stopped);
}

#[test]
fn an_adapter_whose_handshake_is_refused_is_not_left_behind() {
    if !python_is_there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("process");
    let mut options = options("speaks another protocol");
    let name = ("PROCESS".to_owned(), path.to_str().unwrap().to_owned());
    options.environment.extend([name]);
    let error = ProcessBackend::start(options).unwrap_err();
    assert!(error.to_string().contains("protocol 7"), "{error}");
    let process = std::fs::read_to_string(path).unwrap();
    assert!(
        !std::path::Path::new(&format!("/proc/{process}")).exists(),
        "process {process} is left behind"
    );
}

#[test]
fn memory_that_several_processes_share_is_counted_once() {
    if !python_is_there() {
        return;
    }
    let run = run("has children that share its memory", "30");
    assert_eq!((run.lines, run.exit), (10, 0), "{}", run.text);
}

pub(crate) fn the_memory_of_the_processes_that_an_adapter_starts_is_its_own() {
    if !python_is_there() {
        return;
    }
    let run = run("has a child that takes all memory", "30");
    let verdict = |trial: &str| run.trials[trial]["verdict"].as_str().unwrap();
    assert_eq!(
        verdict("data-of-three/onnx.Reshape-14/f32/constant-static"),
        "out-of-memory",
        "{}",
        run.text
    );
    assert_eq!(
        verdict("data-of-three/onnx.Reshape-14/f32/runtime-dynamic"),
        "out-of-memory",
        "{}",
        run.text
    );
}

/// The trials of a sequence that fail, with the exit code and the text of the run.
fn failed_in_sequences(fault: &str) -> (Vec<String>, Run) {
    let run = run_trials("cases.yaml", "*/*/*/*+after-{other-*,refusal}", fault, &[]);
    let is_red = |(_, event): &(&String, &Value)| event["verdict"] != "passed";
    let failed = run.trials.iter().filter(is_red);
    (failed.map(|(trial, _)| trial.clone()).collect(), run)
}

#[test]
fn an_adapter_that_keeps_something_from_a_run_fails_in_sequences_and_again_alone() {
    if !python_is_there() {
        return;
    }
    let (failed, run) = failed_in_sequences("behaves");
    assert_eq!((failed.len(), run.exit), (0, 0), "{}", run.text);
    let fault = "repeats the first answer of a model";
    let (failed, run) = failed_in_sequences(fault);
    // It refuses what it must.
    let remembered = run
        .trials
        .keys()
        .filter(|trial| !trial.ends_with("+after-refusal"));
    assert!(
        !failed.is_empty() && failed.iter().eq(remembered),
        "{}",
        run.text
    );
    let cause = "it gives the first output of a model in every run";
    assert!(run.text.contains(cause), "{}", run.text);

    let trial = "data-of-three/onnx.Reshape-14/f32/constant-static+after-other-data";
    let again = run_trials("cases.yaml", trial, fault, &["--exact"]);
    assert_eq!((again.lines, again.exit), (1, 100), "{}", again.text);
    for said in ["after a run of f32[3] to [3, 1]", trial] {
        assert!(again.text.contains(said), "{}", again.text);
    }
    let alone = trial.replace("+after-other-data", "");
    let alone = run_trials("cases.yaml", &alone, fault, &["--exact"]);
    assert_eq!((alone.lines, alone.exit), (1, 0), "{}", alone.text);
}

#[test]
fn a_run_that_changes_the_output_of_the_run_before_fails_whatever_it_gives() {
    if !python_is_there() {
        return;
    }
    let fault = "reuses its output buffer";
    let (failed, run) = failed_in_sequences(fault);
    let after_outputs = run
        .trials
        .keys()
        .filter(|trial| !trial.ends_with("+after-refusal"));
    assert!(
        !failed.is_empty() && failed.iter().eq(after_outputs),
        "{}",
        run.text
    );
    for trial in &failed {
        assert_eq!(run.trials[trial]["failure"], "earlier-output-changed");
        assert_eq!(run.trials[trial]["outcome"]["kind"], "reshaped");
    }
    for said in [
        "an output of the model changed when it ran again",
        "it overwrites each output of a model with the next one",
    ] {
        assert!(run.text.contains(said), "{}", run.text);
    }

    // Of trials that share a model, the second does it; alone none.
    let run = run_trials("cases.yaml", "**/runtime-dynamic", fault, &[]);
    assert_eq!(run.exit, 100, "{}", run.text);
    for said in ["passes alone, fails after", "again: "] {
        assert!(run.text.contains(said), "{}", run.text);
    }
}

#[test]
fn a_crash_in_an_earlier_run_of_a_sequence_is_the_outcome_of_its_trial() {
    if !python_is_there() {
        return;
    }
    let (failed, run) = failed_in_sequences("crashes at the data of another run");
    assert_eq!((failed.len(), run.exit), (run.lines, 100), "{}", run.text);
    for (trial, event) in &run.trials {
        assert_eq!(event["verdict"], "crashed", "{trial}");
        let said = event["outcome"].to_string();
        let place = "\"in an earlier run of the model: ended without an answer";
        assert!(said.contains(place), "{said}");
    }
}

#[test]
fn a_model_that_runs_as_the_last_compiled_one_fails_between_other_models_alone() {
    if !python_is_there() {
        return;
    }
    let (fault, surrounded) = ("runs the model compiled last", ["data-of-three/*/*/*+*"]);
    let run = run_trials("cases.yaml", "data-of-three/**", fault, &surrounded);
    assert_eq!(run.exit, 100, "{}", run.text);
    for (trial, event) in &run.trials {
        let is_between = trial.ends_with("+between-other-models");
        assert_eq!(event["verdict"] == "failed", is_between, "{trial}");
    }
    for told in [
        "as the mutant compiled-model-of-another-target, or last-compiled-model-wins",
        "between other models, one of f32[3] to [1, 3]",
    ] {
        assert!(run.text.contains(told), "{}", run.text);
    }
    let run = run_trials("cases.yaml", "data-of-three/**", "behaves", &surrounded);
    assert_eq!(run.exit, 0, "{}", run.text);
}

#[cfg_attr(not(unix), test)]
pub(crate) fn several_runs_at_once_end_in_one_verdict_whatever_becomes_of_them() {
    if !python_is_there() {
        return;
    }
    let pattern = "data-of-{one,three}/*/*/*+beside-other-runs";
    std::thread::scope(|scope| {
        for (fault, verdict, exit, said) in [
            ("behaves", "skipped", 4, "no trial was run"),
            ("behaves at once", "passed", 0, "passed"),
            (
                "crashes in runs at once",
                "crashed",
                100,
                "in one of several runs at once: ended without an answer",
            ),
            (
                "hangs in runs at once",
                "timed-out",
                100,
                "in one of several runs at once: no answer within",
            ),
            (
                "leaves one of several out at once",
                "timed-out",
                100,
                "in one of several runs at once: no answer within",
            ),
            (
                "swaps the elements of two others at once",
                "failed",
                100,
                "in a concurrent run of f32[1] to [1, 1]:",
            ),
        ] {
            scope.spawn(move || {
                let limit = if verdict == "timed-out" { "0.5" } else { "60" };
                let options = ["--timeout", limit, "--give-up-after", "100"];
                let run = run_trials("cases.yaml", pattern, fault, &options);
                assert_eq!((run.lines, run.exit), (4, exit), "{fault}: {}", run.text);
                for (trial, event) in &run.trials {
                    assert_eq!(event["verdict"], verdict, "{fault}: {trial}");
                }
                assert!(run.text.contains(said), "{fault}: {}", run.text);
            });
        }
    });
    // The answer is to the trial that it follows, or to nobody's.
    let run = run_trials("cases.yaml", pattern, "answers one too many at once", &[]);
    let red = |event: &&Value| event["verdict"] != "passed";
    assert_eq!((run.lines, run.exit), (4, 100), "{}", run.text);
    assert!(
        run.trials
            .values()
            .filter(red)
            .all(|event| event["verdict"] == "protocol-error")
    );
}

#[test]
fn a_trial_among_runs_at_once_fails_again_alone() {
    let mutants = [
        ("elements-shared-by-threads", "constant-static"),
        ("target-shared-by-threads", "runtime-dynamic"),
        ("shape-shared-by-threads", "runtime-dynamic"),
    ];
    for (mutant, binding) in mutants {
        let trial = format!("data-of-four/onnx.Reshape-14/f32/{binding}+beside-other-runs");
        let served = format!("{BINARY} serve --mutant {mutant}");
        for (pattern, exit) in [(trial.as_str(), 100), (trial.split('+').next().unwrap(), 0)] {
            let cases = format!("{FOLDER}/cases.yaml");
            let arguments = [
                "run",
                "--cases",
                &cases,
                "--adapter-command",
                &served,
                "--exact",
                pattern,
            ];
            let output = program().args(arguments).output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout);
            assert_eq!(output.status.code(), Some(exit), "{text}");
            let mut causes = text.lines().filter(|line| line.contains("as the mutant"));
            let is_named = causes.any(|line| line.contains(mutant));
            assert_eq!(is_named, exit == 100, "{text}");
        }
    }
}
