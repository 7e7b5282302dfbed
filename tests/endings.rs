//! Endings: after any end of a run, the exit code shows it, every report is written with what is missing, and no
//! process is left.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::{BINARY, with_python};
use crate::reports::{ENOUGH, FAULT_CASES, FAULTS, FEW, command, ended, mutant, read, run};
use std::fs;
use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::{TempDir, tempdir};

/// Every report in a file, with its text about an incomplete run.
const REPORTS: [(&str, &str, &str); 6] = [
    ("--junit", "junit.xml", "type=\"incomplete\""),
    ("--html", "page.html", "Incomplete: "),
    ("--markdown", "summary.md", "**Incomplete**: "),
    ("--sarif", "results.sarif", "\"executionSuccessful\": false"),
    ("--badge", "badge.json", "\"incomplete\""),
    ("--results", "results.md", "**Incomplete**: "),
];

fn report_arguments() -> Vec<&'static str> {
    let arguments = REPORTS
        .iter()
        .flat_map(|(option, file, _)| [*option, *file]);
    arguments.collect()
}

/// Writes the reports of an earlier run.
fn leave_old_reports(place: &TempDir) {
    for (_, file, _) in REPORTS {
        fs::write(place.path().join(file), "of yesterday").unwrap();
    }
}

fn assert_all_incomplete(place: &TempDir, why: &str) {
    for (_, file, description) in REPORTS {
        let text = read(place, file);
        assert!(
            text.contains(description),
            "{file} says that it is whole: {text}"
        );
        assert!(
            file == "badge.json" || text.contains(why),
            "{file} does not say '{why}': {text}"
        );
    }
}

#[test]
fn who_reads_the_terminal_changes_neither_verdict_nor_files() {
    let place = tempdir().unwrap();
    let wrong = mutant("copied-zero-from-the-right");
    let arguments = [
        "run",
        "--adapter-command",
        &wrong,
        "--junit",
        "junit.xml",
        ENOUGH,
    ];
    assert_eq!(run(&place, &arguments).0, 100);
    let whole = read(&place, "junit.xml");
    let tests = |text: &str| text.matches("<testcase").count();
    // Full, and closed before the first line.
    for stdout in [File::create("/dev/full").unwrap().into(), closed_pipe()] {
        let output = command(&place, &arguments).stdout(stdout).output().unwrap();
        assert_eq!(ended(&output).0, 100);
        assert_eq!(tests(&read(&place, "junit.xml")), tests(&whole));
    }
    // What cannot be told is an error; a reader who has read enough is not.
    let full = || Stdio::from(File::create("/dev/full").unwrap());
    for arguments in [&["run", ENOUGH][..], &["list"]] {
        let (code, text) = ended(&command(&place, arguments).stdout(full()).output().unwrap());
        assert!(
            code == 105 && text.contains("standard output cannot be written"),
            "{code} {text}"
        );
        let closed = command(&place, arguments).stdout(closed_pipe()).output();
        assert_eq!(ended(&closed.unwrap()), (0, String::new()));
    }
}

/// A pipe that nobody reads.
fn closed_pipe() -> Stdio {
    let mut reader = Command::new("true").stdin(Stdio::piped()).spawn().unwrap();
    let pipe = reader.stdin.take().unwrap();
    reader.wait().unwrap();
    pipe.into()
}

#[test]
fn a_backend_that_does_not_start_keeps_no_other_from_running() {
    let place = tempdir().unwrap();
    let wrong = mutant("copied-zero-from-the-right");
    let gate = |third: &str| {
        let adapters = [
            ("right", format!("{BINARY} serve reference")),
            ("gone", "/nowhere/gone".to_owned()),
        ];
        let third = ("third", third.to_owned());
        let adapters = adapters.into_iter().chain([third]).map(|(name, command)| {
            format!("[[adapter]]\nname = \"{name}\"\ncommand = \"{command}\"\n")
        });
        let config = adapters.collect::<String>();
        fs::write(place.path().join("reshape-conformance.toml"), config).unwrap();
    };
    let mut arguments = vec!["run", "--gate", "--events", "events.jsonl", ENOUGH];
    arguments.extend(report_arguments());
    for (third, expected) in [(format!("{BINARY} serve reference"), 102), (wrong, 100)] {
        gate(&third);
        leave_old_reports(&place);
        let (code, text) = run(&place, &arguments);
        assert_eq!(code, expected, "{text}");
        assert!(text.contains("adapter 'gone' did not start"), "{text}");
        assert_all_incomplete(&place, "/nowhere/gone");
        assert!(read(&place, "junit.xml").contains("third onnx.Reshape-14"));
        // What is rendered later is the same.
        let live = read(&place, "junit.xml");
        let render = ["report", "render", "events.jsonl", "--junit", "later.xml"];
        assert_eq!(run(&place, &render).0, expected);
        assert_eq!(read(&place, "later.xml"), live);
    }
    // Once it starts, a run that is resumed asks it alone.
    let config = read(&place, "reshape-conformance.toml");
    let config = config.replace("/nowhere/gone", &format!("{BINARY} serve reference"));
    fs::write(place.path().join("reshape-conformance.toml"), config).unwrap();
    let resume = [
        "run",
        "--gate",
        "--resume",
        "events.jsonl",
        "--junit",
        "junit.xml",
        ENOUGH,
    ];
    let (code, text) = run(&place, &resume);
    assert_eq!(code, 100, "{text}");
    assert!(!read(&place, "junit.xml").contains("incomplete"));
    let render = ["report", "render", "events.jsonl", "--junit", "later.xml"];
    assert_eq!(run(&place, &render).0, 100);
    assert_eq!(read(&place, "later.xml"), read(&place, "junit.xml"));
}

#[test]
fn what_ends_a_run_before_it_begins_is_in_every_report() {
    let place = tempdir().unwrap();
    fs::write(place.path().join("bad.yaml"), "- name: 1").unwrap();
    let cases: [(&[&str], i32, &str); 6] = [
        (&["--cases", "bad.yaml"], 103, "bad.yaml"),
        (&["--baseline", "absent.jsonl"], 103, "absent.jsonl"),
        (&["no-such-trial"], 4, "no trial has such a name"),
        (&["after-reshape"], 4, "for a surrounding, write "),
        (
            &[
                "--exact",
                "search-2-to-2/onnx.Reshape-5/f32/constant-static",
            ],
            4,
            "is a trial of a search",
        ),
        (&["--adapter", "no-such-adapter"], 2, "no-such-adapter"),
    ];
    for (extra, expected, why) in cases {
        leave_old_reports(&place);
        let arguments = [&["run"][..], &report_arguments(), extra].concat();
        let (code, text) = run(&place, &arguments);
        assert!(code == expected && text.contains(why), "{code} {text}");
        assert_all_incomplete(&place, why);
    }
}

#[test]
fn a_report_that_cannot_be_written_is_found_before_the_run_and_loses_no_other() {
    let place = tempdir().unwrap();
    fs::create_dir(place.path().join("junit.xml")).unwrap();
    fs::write(place.path().join("e.jsonl"), "of yesterday").unwrap();
    let arguments = ["run", ENOUGH, "--events", "e.jsonl"];
    let arguments = [&arguments[..], &report_arguments()].concat();
    let (code, text) = run(&place, &arguments);
    assert!(
        code == 105 && text.contains("cannot write junit.xml"),
        "{code} {text}"
    );
    assert!(!text.contains("passed"), "it ran: {text}");
    for (_, file, description) in &REPORTS[1..] {
        assert!(read(&place, file).contains(description), "{file}");
    }
    assert!(read(&place, "e.jsonl").starts_with("{\"event\":\"run-stopped\""));
    let files = fs::read_dir(place.path()).unwrap().count();
    assert_eq!(files, REPORTS.len() + 1, "a temporary file is left");
}

#[test]
fn a_limit_of_the_size_of_files_ends_no_run_and_loses_no_other_report() {
    let place = tempdir().unwrap();
    leave_old_reports(&place);
    let path = place.path().display().to_string();
    let starts = format!("grep ^Sig /proc/self/status > signals; exec python3 -S {FAULTS} behaves");
    let backend = format!("sh -c '{starts} {path}'");
    let run = ["run", "--cases", FAULT_CASES, "--adapter-command", &backend];
    let arguments = [&run[..], &["--events", "e.jsonl"], &report_arguments()].concat();
    // 4 KiB: the events and the page are larger, the badge is not.
    let mut limited = with_python(Command::new("sh"));
    limited.args(["-c", "ulimit -f 8; exec \"$@\"", "sh", BINARY]);
    let output = limited.args(&arguments).current_dir(place.path()).output();
    let output = output.unwrap();
    assert!(output.status.code().is_some(), "{:?}", output.status);
    let (code, text) = ended(&output);
    assert_eq!(code, 105, "{text}");
    for file in ["e.jsonl", "junit.xml", "page.html"] {
        assert!(text.contains(&format!("cannot write {file}")), "{text}");
    }
    for file in ["junit.xml", "page.html"] {
        assert!(!place.path().join(file).exists(), "{file}");
    }
    assert!(read(&place, "badge.json").contains("brightgreen"), "{text}");
    let hidden = fs::read_dir(place.path()).unwrap().flatten();
    let hidden = hidden.filter(|of| of.file_name().to_string_lossy().starts_with('.'));
    assert_eq!(hidden.count(), 0, "a temporary file is left");
    let left = Command::new("pgrep").args(["-f", &path]).output().unwrap();
    assert!(left.stdout.is_empty(), "a process is left");
    // For the backend, the limit is what it is for other programs.
    for line in read(&place, "signals").lines() {
        let (name, mask) = line.split_once(":\t").unwrap();
        let Ok(mask) = u64::from_str_radix(mask, 16) else {
            continue;
        };
        assert_eq!(mask >> 24 & 1, 0, "{name}");
    }
}

pub(crate) fn an_interrupted_run_ends_at_once_with_every_report() {
    for fault in ["is slow but in time", "hangs"] {
        for signal in ["-INT", "-TERM"] {
            let place = tempdir().unwrap();
            leave_old_reports(&place);
            // The place names the child among all processes.
            let path = place.path().display().to_string();
            let backend = format!("python3 -S {FAULTS} '{fault}' {path}");
            let run = ["run", "--cases", FAULT_CASES, "--adapter-command", &backend];
            let arguments = [&run[..], &["--events", "cut.jsonl"], &report_arguments()].concat();
            let child = command(&place, &arguments)
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            while !fs::read_to_string(place.path().join("cut.jsonl"))
                .is_ok_and(|text| text.contains("backend-started"))
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            std::thread::sleep(Duration::from_millis(300));
            let pid = child.id().to_string();
            let begun = Instant::now();
            Command::new("kill").args([signal, &pid]).status().unwrap();
            let (code, text) = ended(&child.wait_with_output().unwrap());
            // A hang is noticed after 30 seconds.
            assert!(
                begun.elapsed() < Duration::from_secs(10),
                "{fault} {signal}"
            );
            if code == 5 {
                assert_all_incomplete(&place, "interrupted");
            } else {
                assert_eq!((code, fault), (0, "is slow but in time"), "{text}");
            }
            let left = Command::new("pgrep").args(["-f", &path]).output().unwrap();
            assert!(left.stdout.is_empty(), "a process is left");
        }
    }
}

/// Waits until a thread of the process waits here in the kernel; a second if the system does not show that.
fn await_waiting(pid: u32, place: &str) {
    let begun = Instant::now();
    let threads = format!("/proc/{pid}/task");
    let waits = |thread: std::io::Result<fs::DirEntry>| {
        let waits_in = thread.map(|thread| fs::read_to_string(thread.path().join("wchan")));
        waits_in.is_ok_and(|waits_in| waits_in.is_ok_and(|name| name.contains(place)))
    };
    let is_waiting = || fs::read_dir(&threads).is_ok_and(|mut threads| threads.any(waits));
    let at_most = Duration::from_secs(if cfg!(target_os = "linux") { 20 } else { 1 });
    while !is_waiting() && begun.elapsed() < at_most {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Enough for a run to come to its pipe, also on a busy machine. There it looks for a reader again and again, for ten
/// seconds.
const UNTIL_IT_LOOKS: Duration = Duration::from_secs(5);

/// Runs with a pipe that nobody reads, and sends the signal while it waits.
fn signalled_at_a_pipe(
    place: &TempDir,
    option: &str,
    signal: &str,
    more: &[&str],
) -> (i32, String) {
    leave_old_reports(place);
    let pipe = place.path().join("pipe");
    Command::new("mkfifo").arg(&pipe).status().unwrap();
    let backend = format!("{BINARY} serve reference");
    let run = ["run", "--adapter-command", &backend, ENOUGH, option, "pipe"];
    let child = command(place, &[&run[..], more].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // What is left of yesterday goes first.
    while place.path().join("page.html").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    match option {
        "--baseline" | "--resume" => await_waiting(child.id(), "wait_for_partner"),
        _ => std::thread::sleep(UNTIL_IT_LOOKS),
    }
    let begun = Instant::now();
    let pid = child.id().to_string();
    Command::new("kill").args([signal, &pid]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(10), "{option}");
    ended(&output)
}

/// Several of these wait at once, since each takes seconds.
pub(crate) fn a_pipe_that_nobody_reads_keeps_back_no_other_report_and_no_signal() {
    std::thread::scope(|scope| {
        scope.spawn(nobody_reads_a_pipe);
        scope.spawn(|| {
            for (option, signal) in [
                ("--baseline", "-INT"),
                ("--baseline", "-TERM"),
                ("--resume", "-INT"),
                ("--resume", "-TERM"),
            ] {
                let place = tempdir().unwrap();
                let reports = report_arguments();
                let (code, text) = signalled_at_a_pipe(&place, option, signal, &reports);
                assert_eq!(code, 5, "{option} {signal}: {text}");
                assert!(text.contains("while it waited for pipe"), "{text}");
                assert_all_incomplete(&place, "while it waited for pipe");
            }
        });
        scope.spawn(|| {
            for option in ["--events", "--junit"] {
                let place = tempdir().unwrap();
                let page = ["--html", "page.html"];
                let (code, text) = signalled_at_a_pipe(&place, option, "-TERM", &page);
                assert_eq!(code, 5, "{option}: {text}");
            }
        });
        scope.spawn(somebody_is_there_and_does_not_read);
        scope.spawn(nobody_reads_the_page_of_githubs_job);
    });
}

fn somebody_is_there_and_does_not_read() {
    let place = tempdir().unwrap();
    let pipe = place.path().join("pipe");
    Command::new("mkfifo").arg(&pipe).status().unwrap();
    let mut child = command(&place, &["run", "-q", "--events", "pipe"])
        .spawn()
        .unwrap();
    let reader = File::open(&pipe).unwrap();
    await_waiting(child.id(), "pipe_write");
    Command::new("kill")
        .arg(child.id().to_string())
        .status()
        .unwrap();
    assert_eq!(exit_within(&mut child, 10), Some(5));
    drop(reader);
}

fn nobody_reads_the_page_of_githubs_job() {
    let place = tempdir().unwrap();
    Command::new("mkfifo")
        .arg(place.path().join("pipe"))
        .status()
        .unwrap();
    let mut child = command(&place, &["run", "--github", "-q", ENOUGH])
        .env("GITHUB_STEP_SUMMARY", "pipe")
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(UNTIL_IT_LOOKS);
    Command::new("kill")
        .arg(child.id().to_string())
        .status()
        .unwrap();
    assert_eq!(exit_within(&mut child, 10), Some(5));
}

/// Waits as long as a reader may take to come.
fn nobody_reads_a_pipe() {
    let place = tempdir().unwrap();
    let made = Command::new("mkfifo")
        .arg(place.path().join("pipe"))
        .status();
    assert!(made.unwrap().success());
    let files = ["--junit", "pipe", "--markdown", "summary.md"];
    let (code, text) = run(&place, &[&["run", "-q", ENOUGH], &files[..]].concat());
    assert!(
        code == 105 && text.contains("that nobody read"),
        "{code} {text}"
    );
    assert!(read(&place, "summary.md").contains("as expected"));
}

/// The exit code of a process; `None` if it does not end by itself within this many seconds.
fn exit_within(child: &mut Child, seconds: u64) -> Option<i32> {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(seconds) {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    None
}

#[test]
fn a_pipe_is_no_configuration_no_case_and_no_known_failures() {
    let place = tempdir().unwrap();
    Command::new("mkfifo")
        .arg(place.path().join("pipe"))
        .status()
        .unwrap();
    let backend = format!("{BINARY} serve reference");
    for arguments in [
        &["run", "--gate", "--config", "pipe"][..],
        &["run", "--cases", "pipe"],
        &[
            "run",
            "--adapter-command",
            &backend,
            "--known-failures",
            "pipe",
        ],
        &["known-failures", "update", "--config", "pipe"],
        &["lint", "pipe"],
    ] {
        let mut it = command(&place, arguments);
        it.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = it.spawn().unwrap();
        assert_eq!(exit_within(&mut child, 60), Some(103), "{arguments:?}");
        let (_, text) = ended(&child.wait_with_output().unwrap());
        assert!(text.contains("cannot read pipe: it is n"), "{text}");
    }
}

#[test]
fn an_interrupted_search_ends_at_once_and_goes_on_with_the_trials_under_way() {
    let place = tempdir().unwrap();
    let process = place.path().join("process");
    let backend = format!("python3 -S {FAULTS} hangs everywhere");
    let search = [
        "search",
        "--random",
        "--from",
        "40",
        "-j1",
        "--adapter-command",
    ];
    let child = command(&place, &[&search[..], &[&backend]].concat())
        .env("PROCESS", &process)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    while !process.exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(500));
    let begun = Instant::now();
    let pid = child.id().to_string();
    Command::new("kill").args(["-INT", &pid]).status().unwrap();
    let (code, text) = ended(&child.wait_with_output().unwrap());
    // A hang is noticed after 30 seconds.
    assert!(begun.elapsed() < Duration::from_secs(10), "{text}");
    assert_eq!(code, 5, "{text}");
    assert!(text.contains("continue with --seed 1 --from 40"), "{text}");
}

#[test]
fn a_backend_that_fails_again_and_again_is_asked_no_more() {
    let place = tempdir().unwrap();
    // Ends at every run.
    let dead = format!("python3 -S {FAULTS} 'exits 0 without a reply' everywhere");
    let right = format!("{BINARY} serve reference");
    let wrong = mutant("reversed");
    let run_with = |backend: &str, limit: &[&str]| {
        leave_old_reports(&place);
        let run_both = [
            "run",
            "-j1",
            "--events",
            "it.jsonl",
            "--adapter-command",
            backend,
        ];
        let others = ["--adapter-command", &right, FEW];
        let arguments = [&run_both[..], &others, limit, &report_arguments()].concat();
        let (code, text) = run(&place, &arguments);
        assert_eq!(code, 100, "{text}");
        let live = read(&place, "junit.xml");
        let render = ["report", "render", "it.jsonl", "--junit", "later.xml"];
        assert_eq!(run(&place, &render).0, 100);
        assert_eq!(read(&place, "later.xml"), live);
        text
    };
    let text = run_with(&dead, &[]);
    assert!(
        text.contains("10 trials in a row crashed: ended without an answer"),
        "{text}"
    );
    assert_all_incomplete(&place, "was stopped after");
    // The other backend ran to its end.
    assert!(text.contains("serve reference: "), "{text}");
    let text = run_with(&wrong, &["--max-failures", "3"]);
    assert!(text.contains("failures (--max-failures)"), "{text}");
    assert_all_incomplete(&place, "was stopped after");
    let text = run_with(&wrong, &[]);
    assert!(!text.contains("was stopped after"), "{text}");
}

#[test]
fn a_search_and_an_update_ask_a_dead_backend_no_more() {
    let place = tempdir().unwrap();
    let dead = format!("python3 -S {FAULTS} 'exits 0 without a reply' everywhere");
    let search = ["search", "-j1", "--adapter-command", &dead];
    let (code, text) = run(&place, &search);
    assert!(
        code == 100 && text.contains("failed again and again in the same way (--give-up-after)"),
        "{code} {text}"
    );
    fs::write(place.path().join("known.yaml"), "").unwrap();
    let update = ["known-failures", "update", "--known-failures", "known.yaml"];
    let reason = ["--reason", "It is dead.", "--adapter-command", &dead];
    let (code, text) = run(&place, &[&update[..], &reason].concat());
    assert!(
        code == 102 && text.contains("the file is unchanged: 10 trials in a row crashed"),
        "{code} {text}"
    );
    assert_eq!(read(&place, "known.yaml"), "");
}

pub(crate) fn a_run_ends_with_its_time_limit() {
    let place = tempdir().unwrap();
    leave_old_reports(&place);
    let hangs = format!("python3 -S {FAULTS} hangs everywhere");
    let run_it = ["run", "--time-limit", "1.5", "--events", "it.jsonl", ENOUGH];
    let arguments = [
        &run_it[..],
        &["--adapter-command", &hangs],
        &report_arguments(),
    ]
    .concat();
    let (code, text) = run(&place, &arguments);
    let why = "the time limit of 1.5 s ended it";
    assert!(code == 5 && text.contains(why), "{code} {text}");
    assert_all_incomplete(&place, why);
    // It resumes as an interrupted run does.
    let resume = [
        "run",
        "--resume",
        "it.jsonl",
        "--max-failures",
        "1",
        "--timeout",
        "0.5",
        ENOUGH,
    ];
    let (code, text) = run(
        &place,
        &[&resume[..], &["--adapter-command", &hangs]].concat(),
    );
    assert!(
        code == 100 && text.contains("(--max-failures)"),
        "{code} {text}"
    );
}

#[test]
fn a_backend_that_is_asked_no_more_leaves_its_notes_to_itself() {
    let place = tempdir().unwrap();
    let wrong = mutant("reversed");
    let right = format!("{BINARY} serve reference");
    let first = ["--adapter-command", &wrong, "--max-failures", "8"];
    let second = ["--adapter-command", &right];
    let trials = ["run", "-j1", "*minus-one*/onnx.Reshape-14/f32/**"];
    let (_, both) = run(&place, &[&trials[..], &first, &second].concat());
    let (_, alone) = run(&place, &[&trials[..], &second].concat());
    let label = "serve reference (";
    let (first, second) = both.split_once(label).unwrap();
    assert!(first.contains("recorded, not judged"), "{both}");
    // Errors are on standard error, which the test appends.
    let (second, _) = second.split_once("error: ").unwrap();
    // The memory that was used differs from run to run.
    let lines = |text: &str| -> Vec<String> {
        let lines = text.trim_end().lines();
        let lines = lines.filter(|line| !line.starts_with("peak memory "));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(lines(second), lines(alone.split_once(label).unwrap().1));
}

#[test]
fn a_backend_that_dies_outside_its_trials_is_told_and_again_and_again_is_not_green() {
    let place = tempdir().unwrap();
    // Ends at every release.
    let run_with = |fault: &str, limit: &str| {
        leave_old_reports(&place);
        let dies = format!("python3 -S {FAULTS} 'crashes {fault} release'");
        let it = ["run", "-j1", "--cases", FAULT_CASES, "--github"];
        let it = [&it[..], &["--adapter-command", &dies, "--give-up-after"]].concat();
        run(&place, &[&it[..], &[limit], &report_arguments()].concat())
    };
    let why = "no single trial repeats it";
    for fault in ["at", "after", "at last at"] {
        let (code, text) = run_with(fault, "3");
        assert_eq!(code, 100, "{fault}: {text}");
        let is_said = text.contains("times in a row where no trial");
        assert!(is_said, "{fault}: {text}");
        assert_all_incomplete(&place, why);
    }
}

/// A program that starts the adapter with a fault this many times, and then runs another command.
fn starts(times: u32, fault: &str, then: &str) -> String {
    let script =
        "echo >>starts; test $(wc -l <starts) -le $1 || exec $3; exec python3 -S $0 \"$2\"";
    format!("sh -c '{script}' {FAULTS} {times} '{fault}' '{then}'")
}

pub(crate) fn a_backend_that_does_not_start_again_is_not_available_whatever_is_known() {
    let place = tempdir().unwrap();
    let known = "- {trials: ['data-of-three/**'], outcome: crashed, reason: 'It ends there.'}\n";
    fs::write(place.path().join("known.yaml"), known).unwrap();
    let it = ["run", "**", "-j1", "--cases", FAULT_CASES];
    let known = ["--known-failures", "known.yaml", "--events", "e.jsonl"];
    let run_with = |backend: &str| {
        leave_old_reports(&place);
        let _ = fs::remove_file(place.path().join("starts"));
        let backend = ["--adapter-command", backend];
        run(
            &place,
            &[&it[..], &known, &backend, &report_arguments()].concat(),
        )
    };
    let fault = "exits 0 without a reply";
    let (code, text) = run_with(&starts(99, fault, "false"));
    assert_eq!(code, 0, "{text}");
    let (code, text) = run_with(&starts(1, fault, "false"));
    assert_eq!(code, 102, "{text}");
    assert_all_incomplete(&place, "did not restart");
    // What is rendered later is the same.
    let live = read(&place, "junit.xml");
    let render = ["report", "render", "e.jsonl", "--junit", "later.xml"];
    assert_eq!(run(&place, &render).0, 102);
    assert_eq!(read(&place, "later.xml"), live);
}

#[test]
fn a_backend_whose_instances_are_of_different_versions_is_not_available() {
    let place = tempdir().unwrap();
    let other = format!("{BINARY} serve reference");
    let known = "- {trials: ['data-of-three/**'], outcome: crashed, reason: 'It ends there.'}\n";
    fs::write(place.path().join("known.yaml"), known).unwrap();
    // Another version when it starts again, and in another worker.
    for (fault, jobs) in [
        ("exits 0 without a reply", "-j1"),
        ("is slow but in time", "-j2"),
    ] {
        leave_old_reports(&place);
        let _ = fs::remove_file(place.path().join("starts"));
        let backend = starts(1, fault, &other);
        let it = ["run", "**", jobs, "--cases", FAULT_CASES];
        let backend = [
            "--known-failures",
            "known.yaml",
            "--adapter-command",
            &backend,
        ];
        let (code, text) = run(&place, &[&it[..], &backend, &report_arguments()].concat());
        assert_eq!(code, 102, "{text}");
        assert_all_incomplete(&place, "is now reference 0.1.0, but was faulty 1");
    }
}

/// A run that stopped a backend resumes there; the findings and the early end are recorded again.
#[test]
fn a_run_that_gave_up_is_resumed_to_the_whole() {
    let place = tempdir().unwrap();
    // While the file is there, it answers the handshake alone.
    let script = format!(
        "if [ -e dead ]; then head -n 1 | {BINARY} serve reference; exit; fi
exec {BINARY} serve reference
"
    );
    std::fs::write(place.path().join("backend.sh"), script).unwrap();
    let right = format!("{BINARY} serve reference");
    for others in [&[][..], &["--adapter-command", &right]] {
        std::fs::write(place.path().join("dead"), "").unwrap();
        let run_with = |events: &str| {
            let arguments = ["run", "-j1", "-q", "--adapter-command", "sh backend.sh"];
            let pattern = ["*/onnx.Reshape-14/f32/*", events, "it.jsonl"];
            run(&place, &[&arguments[..], others, &pattern].concat())
        };
        let (code, text) = run_with("--events");
        assert_eq!(code, 100, "{text}");
        std::fs::remove_file(place.path().join("dead")).unwrap();
        let (code, text) = run_with("--resume");
        assert_eq!(code, 100, "{text}");
        let render = ["report", "render", "it.jsonl", "--results", "it.md", "-q"];
        let (code, text) = run(&place, &render);
        assert_eq!(code, 100, "{text}");
        let page = read(&place, "it.md");
        assert!(!page.contains("Incomplete"), "{page}");
        let events = read(&place, "it.jsonl");
        let of_trials = events
            .lines()
            .filter(|line| line.contains("\"event\":\"trial\""));
        let counts = events
            .lines()
            .filter(|line| line.contains("\"event\":\"backend-finished\""));
        let counted = counts.map(|line| {
            let event: serde_json::Value = serde_json::from_str(line).unwrap();
            event["counts"]["trials"].as_u64().unwrap()
        });
        assert_eq!(of_trials.count() as u64, counted.sum::<u64>());
    }
}

#[test]
fn a_run_ends_with_the_process_that_started_it_if_it_is_to() {
    let place = tempdir().unwrap();
    let hanging = format!("python3 -S {FAULTS} hangs");
    let run = ["run", "--until-eof", "--timeout", "600", "--cases"];
    let backend = [FAULT_CASES, "--adapter-command", &hanging];
    let mut run = command(&place, &[&run[..], &backend].concat());
    let run = run.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = run.stdout(Stdio::null()).spawn().unwrap();
    drop(child.stdin.take());
    let (code, text) = ended(&child.wait_with_output().unwrap());
    assert!(code == 5 && text.contains("interrupted"), "{code} {text}");
}

#[test]
fn a_hard_link_to_what_a_run_reads_is_not_written() {
    let place = tempdir().unwrap();
    let known = "- {trials: ['two-minus-ones/**'], outcome: crashed, reason: 'It ends there.'}\n";
    fs::write(place.path().join("known.yaml"), known).unwrap();
    fs::hard_link(
        place.path().join("known.yaml"),
        place.path().join("e.jsonl"),
    )
    .unwrap();
    let right = format!("{BINARY} serve reference");
    let it = [
        "run",
        ENOUGH,
        "--adapter-command",
        &right,
        "--events",
        "e.jsonl",
    ];
    let (code, text) = run(
        &place,
        &[&it[..], &["--known-failures", "known.yaml"]].concat(),
    );
    assert!(
        code == 2 && text.contains("would be overwritten"),
        "{code} {text}"
    );
    assert_eq!(read(&place, "known.yaml"), known);
}

#[test]
fn a_signal_of_a_batch_system_ends_a_run_with_its_reports() {
    let place = tempdir().unwrap();
    for signal in ["-USR1", "-XCPU"] {
        leave_old_reports(&place);
        let hangs = format!("python3 -S {FAULTS} hangs");
        let mut arguments = vec!["run", "--events", "e.jsonl", "--cases", FAULT_CASES];
        arguments.extend(["--adapter-command", &hangs]);
        arguments.extend(report_arguments());
        let child = command(&place, &arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        while !fs::read_to_string(place.path().join("e.jsonl")).is_ok_and(|of| of.contains("trial"))
        {
            assert!(begun.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(20));
        }
        let pid = child.id().to_string();
        Command::new("kill").args([signal, &pid]).status().unwrap();
        let (code, text) = ended(&child.wait_with_output().unwrap());
        assert_eq!(code, 5, "{signal}: {text}");
        assert_all_incomplete(&place, "interrupted");
        fs::remove_file(place.path().join("e.jsonl")).unwrap();
    }
}
