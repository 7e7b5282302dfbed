//! Deaths: a run in which the backend's process died, hung or ended with an error is not green, whether or not a trial
//! can be blamed.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::{BINARY, python_is_there, with_python};
use crate::reports::{FAULT_CASES, FAULTS, ended, read, run};
use std::fs;
use std::process::Command;
use tempfile::{TempDir, tempdir};

const REFUSED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/rejected.yaml");

/// Runs the adapter with a fault, in one process without an early stop.
fn run_fault(place: &TempDir, fault: &str, more: &[&str]) -> (i32, String) {
    let adapter = format!("python3 -S {FAULTS} '{fault}'");
    let it = ["run", "-j1", "--give-up-after", "0"];
    let adapter = ["--cases", FAULT_CASES, "--adapter-command", &adapter];
    run(place, &[&it[..], more, &adapter].concat())
}

/// The command in a report that runs the trials of the dead process again.
fn again(text: &str) -> String {
    let line = text.lines().find(|line| line.contains("again: ")).unwrap();
    let (_, command) = line.split_once("again: ").unwrap();
    let program = format!("'{BINARY}'");
    let options = " --give-up-after 0";
    format!(
        "{}{options}",
        command.replacen("reshape-conformance", &program, 1)
    )
}

pub(crate) fn a_process_that_dies_where_no_trial_can_be_blamed_makes_the_run_red() {
    if !python_is_there() {
        return;
    }
    // Several at once, since most of the time is spent waiting for the one that ignores `bye`.
    std::thread::scope(|scope| {
        for (fault, description) in [
            (
                "aborts two compilations after a refusal",
                "once: ended without an answer (signal: 6 (SIGABRT)",
            ),
            ("ends badly", "died after its last trial (exit status: 3)"),
            ("crashes at release", "6 times: ended without an answer"),
            (
                "ignores bye",
                "once: did not end within 10s of `bye`; killed",
            ),
        ] {
            scope.spawn(move || is_red(fault, description));
        }
    });
}

/// Checks that a run in which the process dies so is red, and that the command in its report shows it again.
fn is_red(fault: &str, description: &str) {
    let place = tempdir().unwrap();
    let more = ["**", "--cases", REFUSED, "--events", "it.jsonl"];
    let (code, text) = run_fault(&place, fault, &more);
    assert_eq!(code, 100, "{fault}: {text}");
    for description in [" died ", description, "12 trials = 12 passed + 0 failed"] {
        assert!(
            text.contains(description),
            "{fault} without '{description}': {text}"
        );
    }
    let (code, text) = run(&place, &["report", "render", "it.jsonl"]);
    assert_eq!(code, 100, "{fault}: {text}");
    // The command shows it again: the process dies once more, or at its end.
    let mut shell = with_python(Command::new("sh"));
    let shell = shell.current_dir(place.path()).args(["-c", &again(&text)]);
    let (code, text) = ended(&shell.output().unwrap());
    assert_eq!(code, 100, "{fault}: {text}");
}

#[test]
fn a_run_that_is_resumed_stays_red_for_a_death_before() {
    if !python_is_there() {
        return;
    }
    let place = tempdir().unwrap();
    let fault = "aborts two compilations after a refusal";
    let more = ["**", "--cases", REFUSED];
    let (code, _) = run_fault(
        &place,
        fault,
        &[&more[..], &["--events", "it.jsonl"]].concat(),
    );
    assert_eq!(code, 100);
    let whole = read(&place, "it.jsonl");
    let end = whole.find("{\"event\":\"backend-died\"").unwrap();
    let end = end + whole[end..].find('\n').unwrap() + 1;
    fs::write(place.path().join("it.jsonl"), &whole[..end]).unwrap();
    // What is known of a stream that breaks off is told.
    let (code, text) = run(&place, &["report", "render", "it.jsonl"]);
    for description in [", and no single trial", "the run ended early"] {
        assert!(code == 5 && text.contains(description), "{code} {text}");
    }
    let forged = whole.replace("\"mishaps\":{\"times\":1", "\"mishaps\":{\"times\":0");
    let forged = forged.replacen("\"mishaps\":{\"times\":0", "\"mishaps\":{\"times\":1", 1);
    fs::write(place.path().join("forged.jsonl"), forged).unwrap();
    let (code, text) = run(&place, &["report", "render", "forged.jsonl"]);
    let description = "ends with fewer deaths than its events report";
    assert!(code == 103 && text.contains(description), "{code} {text}");
    let (code, text) = run_fault(
        &place,
        fault,
        &[&more[..], &["--resume", "it.jsonl"]].concat(),
    );
    let description = "died once (signal: 6 (SIGABRT)), and no single trial repeats it";
    assert!(code == 100 && text.contains(description), "{code} {text}");
    let (code, later) = run(&place, &["report", "render", "it.jsonl"]);
    assert!(code == 100 && later.contains(description), "{code} {later}");
}

#[test]
fn every_report_says_where_the_process_died() {
    if !python_is_there() {
        return;
    }
    let place = tempdir().unwrap();
    let files = [
        ("--junit", "junit.xml", "<error "),
        ("--html", "page.html", "the process of a backend died"),
        ("--markdown", "summary.md", "**died**"),
        ("--sarif", "it.sarif", "\"executionSuccessful\": false"),
        ("--badge", "badge.json", "\"red\""),
        ("--results", "results.md", "no single trial repeats it"),
    ];
    let reports: Vec<_> = files
        .iter()
        .flat_map(|(option, file, _)| [*option, *file])
        .collect();
    let more = [&["**", "--cases", REFUSED, "--github"][..], &reports].concat();
    let (_, text) = run_fault(&place, "aborts two compilations after a refusal", &more);
    assert!(
        text.contains("::error title=the backend's process failed::"),
        "{text}"
    );
    for (_, file, description) in files {
        let report = read(&place, file);
        assert!(
            report.contains(description),
            "{file} without '{description}': {report}"
        );
    }
    let text: String = text
        .replace(FAULTS, "FAULTS")
        .replace(env!("CARGO_MANIFEST_DIR"), "")
        .replace(" (core dumped)", "");
    let lines: Vec<_> = text
        .lines()
        .skip_while(|line| !line.contains("no single trial repeats it"))
        .filter(|line| !line.starts_with("peak memory "))
        .collect();
    let lines: Vec<_> = lines
        .into_iter()
        .take_while(|line| !line.starts_with("::"))
        .collect();
    insta::assert_snapshot!("death", lines.join("\n"));
}

#[test]
fn a_known_failure_allows_as_many_deaths_as_it_says() {
    if !python_is_there() {
        return;
    }
    let place = tempdir().unwrap();
    let run_known = |fault: &str, entry: &str, more: &[&str]| {
        let entry = format!("- {{{entry}, reason: 'It is torn down twice.'}}\n");
        fs::write(place.path().join("known.yaml"), entry).unwrap();
        let known = ["--known-failures", "known.yaml"];
        run_fault(&place, fault, &[&known[..], more].concat())
    };
    // One sequence releases another model, so it repeats a crash at release.
    let and_between = "deaths: 99, message: 'signal: 11', reason: 'The same.'}
- {trials: ['*/*/*/*+between-other-models'], outcome: crashed";
    for (fault, entry, expected) in [
        ("ends badly", "deaths: 1", 0),
        ("crashes at release", "deaths: 1", 100),
        ("ends badly", "deaths: 1, when: {version: '2'}", 100),
        ("behaves", "deaths: 1", 101),
        ("behaves", "deaths: 1, flaky: true", 0),
        ("behaves", "deaths: 1, when: {version: '2'}", 0),
        ("ends badly", "deaths: 1, message: 'exit status: 3'", 0),
        ("ends badly", "deaths: 1, message: 'exit status: 4'", 100),
        ("ends badly", "deaths: 99, message: 'signal: 6'", 100),
        ("crashes at release", and_between, 0),
        (
            "crashes at release",
            "deaths: 99, message: 'signal: 6'",
            100,
        ),
        ("behaves", "deaths: 1, message: 'signal: 6'", 101),
        ("behaves", "deaths: 1, message: ' '", 103),
        ("behaves", "deaths: 0", 103),
        ("behaves", "deaths: 1, trials: ['**']", 103),
    ] {
        let (code, text) = run_known(fault, entry, &[]);
        assert_eq!(code, expected, "{fault}, {entry}: {text}");
        let is_told = text.contains(":1 allows 1: It is torn down twice.");
        assert!(is_told || fault != "ends badly" || expected != 0, "{text}");
    }
    // A selection cannot tell.
    assert_eq!(run_known("behaves", "deaths: 1", &["**"]).0, 0);
    // Parts are compared when they are merged.
    for (fault, entry, expected) in [
        ("ends badly", "deaths: 1", 100),
        ("ends badly", "deaths: 2", 0),
        ("behaves", "deaths: 1", 101),
    ] {
        for part in ["1", "2"] {
            let (part, events) = (format!("slice:{part}/2"), format!("{part}.jsonl"));
            let more = ["--partition", &part, "--events", &events];
            let (code, text) = run_known(fault, entry, &more);
            assert_eq!(code, 0, "{fault}, {entry}: {text}");
        }
        let parts = ["merge", "1.jsonl", "2.jsonl", "--cases", FAULT_CASES];
        let (code, text) = run(&place, &[&parts[..], &["-o", "all.jsonl"]].concat());
        assert_eq!(code, expected, "{fault}, {entry}: {text}");
        let (code, text) = run(&place, &["report", "render", "all.jsonl"]);
        assert_eq!(code, expected, "{fault}, {entry}: {text}");
    }
}

#[test]
fn processes_that_end_badly_alike_count_once_however_many_they_are() {
    if !python_is_there() {
        return;
    }
    let place = tempdir().unwrap();
    let known = "- {deaths: 1, reason: 'It is torn down twice.'}\n";
    fs::write(place.path().join("known.yaml"), known).unwrap();
    let adapter = format!("python3 -S {FAULTS} 'ends badly'");
    let it = ["run", "-j4", "--known-failures", "known.yaml"];
    let adapter = ["--cases", FAULT_CASES, "--adapter-command", &adapter];
    let (code, text) = run(&place, &[&it[..], &adapter].concat());
    assert!(code == 0 && !text.contains("times"), "{code} {text}");
}

#[test]
fn an_entry_about_deaths_is_not_stale_where_a_trial_was_flaky() {
    if !python_is_there() {
        return;
    }
    let place = tempdir().unwrap();
    let known = "- {deaths: 1, reason: 'It is torn down twice.'}\n";
    fs::write(place.path().join("known.yaml"), known).unwrap();
    let adapter = |fault| format!("exec python3 -S {FAULTS} '{fault}'");
    let (wrong, right) = (adapter("changes a bit"), adapter("behaves"));
    let script = format!("mkdir once 2>/dev/null && {wrong}\n{right}");
    fs::write(place.path().join("backend.sh"), script).unwrap();
    let it = ["run", "-j1", "--retries", "1", "--cases", FAULT_CASES];
    let backend = [
        "--known-failures",
        "known.yaml",
        "--adapter-command",
        "sh backend.sh",
    ];
    let (code, text) = run(&place, &[&it[..], &backend].concat());
    assert!(code == 0 && text.contains(" flaky"), "{code} {text}");
}

#[test]
fn an_update_says_that_deaths_are_entered_by_hand() {
    if !python_is_there() {
        return;
    }
    let place = tempdir().unwrap();
    let update = [
        "known-failures",
        "update",
        "--known-failures",
        "known.yaml",
        "--cases",
        FAULT_CASES,
    ];
    let (description, hand) = ("(exit status: 3)", "docs/known-failures.md#deaths");
    for (fault, is_red) in [("ends badly", true), ("behaves", false)] {
        let adapter = format!("python3 -S {FAULTS} '{fault}'");
        let (code, text) = run(
            &place,
            &[&update[..], &["--adapter-command", &adapter]].concat(),
        );
        assert_eq!(code, 0, "{text}");
        assert_eq!(
            (text.contains(description), text.contains(hand)),
            (is_red, is_red),
            "{text}"
        );
    }
}

#[test]
fn a_search_in_which_the_process_died_is_not_green() {
    if !python_is_there() {
        return;
    }
    let place = tempdir().unwrap();
    let script = format!("{BINARY} serve reference; exit 3");
    fs::write(place.path().join("ends-badly.sh"), script).unwrap();
    let it = ["search", "-j1", "--max-rank", "1", "--max-dim", "2"];
    let adapter = ["--adapter-command", "sh ends-badly.sh"];
    let (code, text) = run(&place, &[&it[..], &adapter].concat());
    assert!(
        code == 100 && text.contains("died after its last trial"),
        "{code} {text}"
    );
}

#[test]
fn a_process_that_dies_between_two_steps_of_a_check_is_a_fault() {
    if !python_is_there() {
        return;
    }
    let place = tempdir().unwrap();
    // The first process dies when it is to release a model.
    let script = r#"
import os, subprocess, sys
child = subprocess.Popen([sys.argv[1], "serve", "reference"], stdin=subprocess.PIPE, bufsize=0)
while some := os.read(0, 1 << 20):
    if b'"release"' in some and not os.path.exists("died"):
        open("died", "w").close()
        child.kill()
        os._exit(1)
    child.stdin.write(some)
child.stdin.close()
child.wait()
"#;
    fs::write(place.path().join("dies.py"), script).unwrap();
    let adapter = format!("python3 -S dies.py {BINARY}");
    let (code, text) = run(&place, &["adapter", "check", &adapter]);
    let description = "wrong no single request can be blamed for this: ended without an answer";
    assert!(code == 100 && text.contains(description), "{text}");
    // The second time, it behaves.
    let (code, text) = run(&place, &["adapter", "check", &adapter]);
    assert_eq!(code, 0, "{text}");
    fs::remove_file(place.path().join("died")).unwrap();
    let trials = [
        "{row-becomes-column,dims-in-reverse}/onnx.Reshape-14/f32/*",
        "-j1",
    ];
    let backend = ["run", "--adapter-command", &adapter];
    let (code, text) = run(&place, &[&backend[..], &trials].concat());
    let description = "died once (exit status: 1), perhaps at a `release`";
    assert!(code == 100 && text.contains(description), "{text}");
}

#[test]
fn a_death_of_too_much_memory_says_by_how_much_the_memory_grows_a_trial() {
    let place = tempdir().unwrap();
    let backend = format!("{BINARY} serve reference");
    let arguments = [
        "run",
        "--adapter-command",
        &backend,
        "--events",
        "it.jsonl",
        "one-column-between-ones/**",
    ];
    run(&place, &arguments);
    let described = |memory: serde_json::Value| {
        let lines = read(&place, "it.jsonl");
        let lines = lines.lines().map(|line| {
            let mut event: serde_json::Value = serde_json::from_str(line).unwrap();
            if event["event"] == "backend-finished" {
                let last = serde_json::json!({"kind": "out-of-memory", "message": "it used 9 MiB, more than its limit", "log": ""});
                let death = serde_json::json!({"times": 2, "message": "it used 9 MiB, more than its limit",
                    "received": 500, "trials": vec!["one/of/these"; 32], "again": "reshape-conformance run -j1"});
                event["mishaps"] = serde_json::json!({"times": 2, "last": last, "deaths": [death]});
                event["memory"] = memory.clone();
            }
            event.to_string() + "\n"
        });
        let forged: String = lines.collect();
        fs::write(place.path().join("forged.jsonl"), forged).unwrap();
        run(&place, &["report", "render", "forged.jsonl"]).1
    };
    let died = "died 2 times, of too much memory";
    let grown =
        serde_json::json!({"peak_bytes": 9 << 20, "growth": {"bytes": 8 << 20, "trials": 16}});
    let text = described(grown);
    let grows = format!("{died}, which grows by 512 KiB a trial, as of a leak\n");
    assert!(text.contains(&grows), "{text}");
    assert!(
        text.contains("this repeats the last 32 and may not show it"),
        "{text}"
    );
    // 500 trials take 4000 MiB, so the last 32 take 256, and a few more than three quarters of them are too much.
    let fast = serde_json::json!({"peak_bytes": 4096_u64 << 20, "growth": {"bytes": 800 << 20, "trials": 100}});
    let text = described(fast);
    assert!(
        text.contains("this repeats the last 32 with less memory"),
        "{text}"
    );
    assert!(text.contains("run -j1 --memory 288\n"), "{text}");
    let text = described(serde_json::json!({"peak_bytes": 9 << 20}));
    let still = format!("{died}, and no single trial repeats it");
    assert!(text.contains(&still), "{text}");
}
