//! The gate's evidence: which files a rerun leaves alone, and where annotations and results point.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::{BINARY, with_python};
use crate::reports::{command, ended, mutant, read, run};
use serde_json::Value;
use std::collections::HashSet;
use std::fs;
use std::process::Stdio;
use std::time::Duration;
use tempfile::{TempDir, tempdir};

/// A trial that the adapter of the gate fails.
const FAILS: &str = "copied-zero-first/onnx.Reshape-14/f32/constant-static";

/// A folder with a gate of one wrong adapter, `mine`, and these further lines.
fn gate(adapter: &str, rest: &str) -> TempDir {
    let place = tempdir().unwrap();
    let wrong = mutant("zero-never-copies");
    let config = format!("[[adapter]]\nname = 'mine'\ncommand = \"{wrong}\"\n{adapter}\n{rest}");
    fs::write(place.path().join("reshape-conformance.toml"), config).unwrap();
    place
}

/// Adds a line of the whole gate to its configuration.
fn configure(place: &TempDir, line: &str) {
    let config = read(place, "reshape-conformance.toml");
    fs::write(
        place.path().join("reshape-conformance.toml"),
        format!("{line}\n{config}"),
    )
    .unwrap();
}

#[test]
fn a_rerun_of_the_gate_leaves_its_reports_alone() {
    let reports = "[reports]\nevents = 'out/e.jsonl'\njunit = 'out/j.xml'\nhtml = 'out/p.html'\n\
                   markdown = 'out/m.md'\nsarif = 'out/s.sarif'\nbadge = 'out/b.json'\nresults = 'out/r.md'\nhistory = 'out/s.md'\n";
    let place = gate("", reports);
    configure(&place, "trials = ['copied-zero-first/onnx*/f32/**']");
    let out = place.path().join("out");
    fs::create_dir(&out).unwrap();
    let files = [
        "e.jsonl", "j.xml", "p.html", "m.md", "s.sarif", "b.json", "r.md", "s.md",
    ];
    for file in files {
        fs::write(out.join(file), "evidence").unwrap();
    }
    let narrowed: [&[&str]; 3] = [
        &["--adapter", "mine", "--exact", FAILS],
        &["copied-zero-first/onnx.Reshape-14/**"],
        &["--operator", "onnx.Reshape-5"],
    ];
    for arguments in narrowed {
        let arguments = [&["run", "--gate", "--html", "own.html"], arguments].concat();
        let output = command(&place, &arguments).output().unwrap();
        let said = String::from_utf8(output.stderr.clone()).unwrap();
        assert_eq!(output.status.code(), Some(100), "{said}");
        assert_eq!(
            said.matches("reshape-conformance.toml: ").count(),
            1,
            "{said}"
        );
        assert!(
            said.contains("does not write the reports of this file"),
            "{said}"
        );
        for file in files {
            assert_eq!(
                read(&place, &format!("out/{file}")),
                "evidence",
                "{arguments:?}"
            );
        }
        assert!(read(&place, "own.html").contains("<html"), "{arguments:?}");
    }
    // What the file itself selects is the whole gate.
    let (_, said) = run(&place, &["run", "--gate", "-q"]);
    assert!(
        !said.contains("does not write the reports of this file"),
        "{said}"
    );
    for file in files {
        assert_ne!(read(&place, &format!("out/{file}")), "evidence", "{file}");
    }
}

/// The first location of each SARIF result, by its rule: the file and line, and the logical name.
fn locations(place: &TempDir, name: &str) -> Vec<(String, Value, u64, Value)> {
    let sarif: Value = serde_json::from_str(&read(place, name)).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let location = |result: &Value| {
        let location = &result["locations"][0];
        let physical = &location["physicalLocation"];
        (
            result["ruleId"].as_str().unwrap().to_owned(),
            physical["artifactLocation"]["uri"].clone(),
            physical["region"]["startLine"].as_u64().unwrap_or(0),
            location["logicalLocations"][0]["fullyQualifiedName"].clone(),
        )
    };
    results.iter().map(location).collect()
}

#[test]
fn annotations_and_results_point_at_files_that_the_repository_has() {
    let place = gate("known-failures = 'ci/known.yaml'", "");
    fs::create_dir(place.path().join("ci")).unwrap();
    let known = "# mine\n- trials: [\"copied-zero-first/onnx.Reshape-14/f32/*\"]\n  outcome: failed\n  failure: wrong-shape\n  \
                 reason: \"Another shape.\"\n  link: \"https://example.com/7\"\n";
    fs::write(place.path().join("ci/known.yaml"), known).unwrap();
    let output = ["--github", "--sarif", "s.sarif", "--markdown", "m.md"];
    let known = "copied-zero-first/onnx.Reshape-14/f32/constant-static";
    let new = "copied-zero-first/onnx.Reshape-13/f32/constant-static";
    for (backend, trial, file, line) in [
        // Fails in another way than its entry says.
        (&["--gate"][..], known, Some("ci/known.yaml"), 2),
        (&["--gate"], new, Some("reshape-conformance.toml"), 2),
        (
            &["--adapter-command", &mutant("zero-never-copies")],
            new,
            None,
            0,
        ),
    ] {
        let (code, text) = run(
            &place,
            &[&["run", "--exact", trial], backend, &output].concat(),
        );
        assert_eq!(code, 100, "{text}");
        let annotation = text
            .lines()
            .find(|line| line.starts_with("::error "))
            .unwrap();
        let start = file.map_or_else(
            || "::error title=".to_owned(),
            |file| format!("::error file={file},line={line},title="),
        );
        assert!(annotation.starts_with(&start), "{annotation}");
        let (_, uri, at, name) = &locations(&place, "s.sarif")[0];
        assert_eq!((uri.as_str(), *at), (file, line));
        assert_eq!(name, trial);
    }
    // One's own case files are pointed at.
    let cases = place.path().join("mine.yaml");
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/cases.yaml");
    fs::copy(own, &cases).unwrap();
    let faulty = concat!(
        "python3 -S ",
        env!("CARGO_MANIFEST_DIR"),
        "/tests/faults/adapter.py 'gives another shape'"
    );
    let arguments = ["run", "--cases", "mine.yaml", "--adapter-command", faulty];
    let (_, text) = run(&place, &[&arguments[..], &output].concat());
    assert!(text.contains("::error file=mine.yaml,line="), "{text}");
    assert_eq!(locations(&place, "s.sarif")[0].1, "mine.yaml");
}

#[test]
fn an_entry_that_is_fixed_is_said_once_with_its_place_and_link() {
    let place = gate("known-failures = 'ci/known.yaml'", "");
    fs::create_dir(place.path().join("ci")).unwrap();
    let entry = |trials: &str, reason: &str| {
        format!(
            "- trials: [\"{trials}\"]\n  outcome: failed\n  reason: \"{reason}\"\n  link: \"https://example.com/{reason}\"\n"
        )
    };
    let known = entry("copied-zero-first/*/*/*", "known")
        + &entry("minus-one-alone*/*/f32/*", "fixed")
        + &entry("two-minus-ones/*/f32/*", "fixed-too");
    fs::write(place.path().join("ci/known.yaml"), known).unwrap();
    let files = [
        "--junit",
        "j.xml",
        "--html",
        "p.html",
        "--sarif",
        "s.sarif",
        "--markdown",
        "m.md",
        "--events",
        "e.jsonl",
    ];
    let arguments = [
        "run",
        "--gate",
        "copied-zero-first/**",
        "two-minus-ones/onnx.Reshape-1*/f32/*",
        "--github",
    ];
    let (code, text) = run(&place, &[&arguments[..], &files].concat());
    assert_eq!(code, 101, "{text}");
    let last = text.lines().find(|line| line.starts_with("red: ")).unwrap();
    assert!(last.ends_with(" fixed trials still listed"), "{text}");
    let fixed = "ci/known.yaml:9";
    assert_eq!(text.matches(&format!("  {fixed}: ")).count(), 1, "{text}");
    let annotation = "::error file=ci/known.yaml,line=9,title=stale known failure::";
    assert_eq!(text.matches(annotation).count(), 1, "{text}");
    let update = "%0Aupdate the file: reshape-conformance known-failures update --gate --adapter mine --core=false\n";
    assert_eq!(text.matches(update).count(), 1, "{text}");
    let update = "    update: reshape-conformance known-failures update --gate --adapter mine --core=false\n";
    assert_eq!(text.matches(update).count(), 1, "{text}");
    let sarif = locations(&place, "s.sarif");
    assert_eq!(sarif.len(), 1, "{sarif:?}");
    assert_eq!(
        (sarif[0].0.as_str(), &sarif[0].1, sarif[0].2),
        ("stale-known-failure", &"ci/known.yaml".into(), 9)
    );
    let page = read(&place, "p.html");
    let findings = page.split("id=\"data\"").next().unwrap();
    assert_eq!(findings.matches(fixed).count(), 1);
    for (name, count) in [("j.xml", 1), ("m.md", 1)] {
        assert_eq!(read(&place, name).matches(fixed).count(), count, "{name}");
    }
    // The link stands where the reason does.
    for (name, report) in [
        ("text", text),
        ("junit", read(&place, "j.xml")),
        ("html", page),
        ("sarif", read(&place, "s.sarif")),
        ("markdown", read(&place, "m.md")),
    ] {
        assert!(report.contains("https://example.com/fixed-too"), "{name}");
        let says_known = !["sarif", "markdown"].contains(&name);
        assert_eq!(
            report.contains("https://example.com/known"),
            says_known,
            "{name}"
        );
    }
    // What is rendered afterwards says the same.
    let (_, again) = run(&place, &["report", "render", "e.jsonl"]);
    assert!(again.contains(&format!("  {fixed}: ")), "{again}");
}

#[test]
fn known_failures_of_the_gates_own_adapter_are_created_and_updated() {
    let place = gate(
        "known-failures = 'ci/known.yaml'",
        "[reports]\njunit = 'j.xml'\n",
    );
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/cases/copied-zero.yaml");
    let trials = "trials = ['copied-zero-first/onnx.Reshape-14/**']";
    configure(&place, &format!("cases = ['{cases}']\n{trials}"));
    // The run says which command creates the file.
    let (code, said) = run(&place, &["run", "--gate"]);
    let update = "known-failures update --gate --adapter mine";
    assert!(
        code == 103 && said.contains("ci/known.yaml") && said.contains(update),
        "{code} {said}"
    );
    // New failures need a reason, but the file is there, so that `run` shows them.
    let arguments = ["known-failures", "update", "--adapter", "mine"];
    let (code, said) = run(&place, &arguments);
    assert!(
        code == 2 && said.contains("without a reason") && said.contains("\n  and "),
        "{code} {said}"
    );
    assert_eq!(read(&place, "ci/known.yaml"), "");
    assert_eq!(run(&place, &["run", "--gate", "-q"]).0, 100);
    for arguments in [&["--gate"][..], &["--config", "reshape-conformance.toml"]] {
        fs::remove_file(place.path().join("ci/known.yaml")).unwrap();
        let reason = ["--reason", "It never copies."];
        let (code, said) = run(
            &place,
            &[&["known-failures", "update"], arguments, &reason].concat(),
        );
        assert_eq!(code, 0, "{said}");
        assert!(read(&place, "ci/known.yaml").contains("It never copies."));
        // The quickest command that shows whether the gate is green comes last.
        let next = said.lines().last().unwrap().split("reshape-conformance ");
        let next: Vec<_> = next.last().unwrap().split(' ').collect();
        assert_eq!(next[..2], ["run", "--gate"], "{said}");
        assert_eq!(run(&place, &next).0, 0, "{said}");
    }
}

#[test]
fn the_last_line_of_a_red_gate_says_why_it_is_red() {
    let place = gate("known-failures = 'known.yaml'", "");
    let last = |known: &str, more: &[&str]| {
        fs::write(place.path().join("known.yaml"), known).unwrap();
        let case = "copied-zero-first/onnx.Reshape-14/f32/constant-*";
        let of = [
            "run",
            "--gate",
            "--github",
            case,
            "allowzero-one/onnx.Reshape-14/f32/constant-*",
        ];
        let output = command(&place, &[&of[..], more].concat()).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let line = said
            .trim_end()
            .lines()
            .last()
            .unwrap_or_default()
            .to_owned();
        (output.status.code().unwrap(), line)
    };
    let entry =
        |trials: &str| format!("- {{trials: [{trials}], outcome: failed, reason: Known.}}\n");
    let (code, line) = last("", &[]);
    assert_eq!(
        (code, line.as_str()),
        (100, "red: 2 new failures; 1 finding in them")
    );
    let (code, line) = last(&entry("'allowzero-one/**'"), &["-q"]);
    let wanted = "red: 2 new failures; 1 finding in them; 2 fixed trials still listed";
    assert_eq!((code, line.as_str()), (100, wanted));
    let (code, line) = last(&entry("'copied-zero-first/*/f32/**'"), &[]);
    assert!(code == 0 && !line.starts_with("red"), "{line}");
    let both = entry("'copied-zero-first/*/f32/**', 'allowzero-one/*/*/*-static'");
    let (code, line) = last(&both, &[]);
    assert_eq!(
        (code, line.as_str()),
        (101, "red: 1 fixed trial still listed")
    );
}

#[test]
fn a_pattern_that_no_trial_can_match_is_an_error_before_anything_runs() {
    let place = gate("known-failures = 'ci/known.yaml'", "");
    fs::create_dir(place.path().join("ci")).unwrap();
    let known = |pattern: &str, more: &str| {
        let entry = format!(
            "- trials:\n    - 'copied-zero-*/**'\n    - '{pattern}'\n  outcome: failed\n  reason: Known.\n{more}"
        );
        fs::write(place.path().join("ci/known.yaml"), entry).unwrap();
    };
    for pattern in [
        "copied-zero-fist/**",
        "copied-zero-first/onnx.Reshape-13/f33/*",
    ] {
        known(pattern, "");
        for more in [&["--core"][..], &["--exact", FAILS], &[]] {
            let (code, said) = run(&place, &[&["run", "--gate"], more].concat());
            let place_and_text = format!("ci/known.yaml:3:7\n  |\n3 |     - '{pattern}'");
            assert!(
                code == 103 && said.contains(&place_and_text),
                "{code} {said}"
            );
            assert!(!said.contains("mine"), "{said}");
        }
    }
    // In a core, a pattern need not match anything.
    known("copied-zero-first/onnx.Reshape-13/f16/constant-dynamic", "");
    assert_eq!(run(&place, &["run", "--gate", "-q", "--exact", FAILS]).0, 0);
    // An entry for a version may be about another one.
    known("copied-zero-fist/**", "  when: {version: '0.*'}\n");
    let (code, said) = run(&place, &["run", "--gate", "-q", "--exact", FAILS]);
    assert!(code != 103, "{said}");
}

#[test]
fn a_gate_whose_trials_are_all_quarantined_is_not_green() {
    let place = gate(
        "known-failures = 'known.yaml'",
        "[reports]\njunit = 'j.xml'\n",
    );
    let all = "- trials: ['**', '*/*/*/*+*']\n  reason: 'It is slow.'\n  outcome: failed\n  quarantine: true\n";
    fs::write(place.path().join("known.yaml"), all).unwrap();
    let (code, said) = run(&place, &["run", "--gate"]);
    assert!(
        code == 4 && said.contains("no trial was run"),
        "{code} {said}"
    );
    assert!(read(&place, "j.xml").contains("no trial was run"));
}

#[test]
fn known_failures_of_a_program_are_created_and_updated() {
    let place = tempdir().unwrap();
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/cases.yaml");
    let faulty = concat!(
        "python3 -S ",
        env!("CARGO_MANIFEST_DIR"),
        "/tests/faults/adapter.py 'gives another shape'"
    );
    let program = [
        "--cases",
        cases,
        "--adapter-command",
        faulty,
        "--known-failures",
        "new/known.yaml",
    ];
    let (code, said) = run(&place, &[&["run"], &program[..]].concat());
    assert!(
        code == 103 && said.contains("known-failures update --adapter-command"),
        "{code} {said}"
    );
    let update = [
        &["known-failures", "update", "--reason", "Another shape."],
        &program[..],
    ]
    .concat();
    let (code, said) = run(&place, &update);
    assert_eq!(code, 0, "{said}");
    assert!(read(&place, "new/known.yaml").contains("Another shape."));
    assert_eq!(run(&place, &[&["run", "-q"], &program[..]].concat()).0, 0);
    // A pattern that no trial's name matches goes, and that is said.
    let known = read(&place, "new/known.yaml");
    let more = known.replacen("- trials:\n", "- trials:\n    - 'no-such-case'\n", 1);
    fs::write(place.path().join("new/known.yaml"), more).unwrap();
    let (code, said) = run(&place, &update);
    assert!(
        code == 0 && said.contains("1 pattern without a trial removed"),
        "{code} {said}"
    );
    assert_eq!(read(&place, "new/known.yaml"), known);
    // Who is not in the source tree is not shown where it was.
    let (code, said) = run(&place, &["known-failures", "update", "--adapter", "nobody"]);
    assert!(
        code == 2 && !said.contains(env!("CARGO_MANIFEST_DIR")),
        "{code} {said}"
    );
    assert!(
        said.contains("--adapters") && said.contains("--gate"),
        "{said}"
    );
}

#[test]
fn an_update_of_known_failures_loses_no_other_and_no_edit() {
    let place = tempdir().unwrap();
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/cases.yaml");
    let faulty = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/adapter.py");
    let slow = format!(
        "sh -c 'touch started; while ! test -e go; do sleep 0.1; done; exec python3 -S {faulty} \"gives another shape\"'"
    );
    let update = |reason: &str| {
        let program = ["--adapter-command", &slow, "--known-failures", "known.yaml"];
        let of = [
            "known-failures",
            "update",
            "--cases",
            cases,
            "--reason",
            reason,
        ];
        command(&place, &[&of[..], &program].concat())
    };
    let path = |name: &str| place.path().join(name);
    for edit in [None, Some("# A comment.\n")] {
        fs::write(path("known.yaml"), "").unwrap();
        let mut first = update("The first.");
        first.stdout(Stdio::piped()).stderr(Stdio::piped());
        let first = first.spawn().unwrap();
        while !path("started").exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        match edit {
            Some(edit) => fs::write(path("known.yaml"), edit).unwrap(),
            None => {
                let (code, text) = ended(&update("The second.").output().unwrap());
                let is_said = text.contains("another run is writing known.yaml");
                assert!(code == 2 && is_said, "{code} {text}");
            }
        }
        fs::write(path("go"), "").unwrap();
        let (code, text) = ended(&first.wait_with_output().unwrap());
        let known = read(&place, "known.yaml");
        match edit {
            Some(edit) => {
                assert!(
                    code == 2 && text.contains("known.yaml changed after"),
                    "{code} {text}"
                );
                assert_eq!(known, edit);
            }
            None => assert!(code == 0 && known.contains("The first."), "{code} {text}"),
        }
        fs::remove_file(path("go")).unwrap();
        fs::remove_file(path("started")).unwrap();
    }
}

/// Runs its arguments on a terminal of 80 columns, and prints what they write there.
const TERMINAL: &str = "
import fcntl, os, pty, struct, sys, termios
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
    os.execv(sys.argv[1], sys.argv[1:])
try:
    while data := os.read(terminal, 65536):
        sys.stdout.buffer.write(data)
except OSError:
    pass
";

pub(crate) fn the_time_goes_on_beside_a_bar_while_the_first_result_is_awaited() {
    let place = tempdir().unwrap();
    let root = env!("CARGO_MANIFEST_DIR");
    let faulty = format!("python3 -S {root}/tests/faults/adapter.py 'hangs'");
    let cases = format!("{root}/tests/faults/cases.yaml");
    let output = with_python(std::process::Command::new("python3"))
        .args([
            "-c",
            TERMINAL,
            BINARY,
            "run",
            "data-of-three/*/*/constant-static",
            "--cases",
            &cases,
        ])
        .args(["--adapter-command", &faulty, "--timeout", "2.5", "-j", "1"])
        .current_dir(place.path())
        .env("TERM", "xterm")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let frames: Vec<_> = text.split('\r').collect();
    let bar = |frame: &&&str| frame.contains("█") || frame.contains("░");
    let waiting = frames
        .iter()
        .filter(bar)
        .filter(|frame| frame.contains(" 0/"));
    let waiting: Vec<_> = waiting.collect();
    assert!(
        waiting.iter().any(|frame| frame.contains(" 1s (")),
        "{text:?}"
    );
    assert!(
        waiting.iter().any(|frame| frame.contains(" 2s (")),
        "{text:?}"
    );
    assert!(waiting.iter().all(|frame| frame.contains("…")), "{text:?}");
    // What is printed beside it begins its own line.
    assert!(
        text.contains("trials\r\n") && !text.contains("left)  python3"),
        "{text:?}"
    );
}

pub(crate) fn the_limits_of_a_gate_hold_unless_the_command_line_says_otherwise() {
    let faults = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/adapter.py");
    let place = tempdir().unwrap();
    let run_with = |command: &str, limits: &str, arguments: &[&str]| {
        let own = format!("[[adapter]]\nname = 'mine'\ntimeout = 0.25\ncommand = \"{command}\"\n");
        let config = place.path().join("reshape-conformance.toml");
        fs::write(config, format!("{limits}\n{own}")).unwrap();
        run(&place, &[&["run", "--gate", "-j1"], arguments].concat())
    };
    let wrong = mutant("zero-never-copies");
    let (code, text) = run_with(&wrong, "max-failures = 3", &[]);
    assert!(
        code == 100 && text.contains("3 failures (--max-failures)"),
        "{code} {text}"
    );
    let hangs = format!("python3 -S {faults} hangs everywhere");
    let (code, text) = run_with(&hangs, "give-up-after = 2", &[]);
    assert!(
        code == 100 && text.contains("2 trials in a row timed-out"),
        "{code} {text}"
    );
    assert!(text.contains("no answer within 250ms"), "{text}");
    let (_, text) = run_with(&hangs, "give-up-after = 2", &["--timeout", "0.5"]);
    assert!(text.contains("no answer within 500ms"), "{text}");
    let (code, text) = run_with(&hangs, "time-limit = 1", &[]);
    assert!(
        code == 5 && text.contains("the time limit of 1 s ended it"),
        "{code} {text}"
    );
}

#[test]
fn a_fault_in_the_configuration_leaves_no_report_of_an_earlier_run() {
    for fault in [
        "time-limit = -1",
        "operators = ['onxx']",
        "timeout = 0",
        "jobs = 'two'",
        "jobs = 0",
        "time-limits = 1",
        "jobs = = 2",
        "trials = ['a, 'b']",
        "<<<<<<< ours\njobs = 1\n=======\njobs = 2\n>>>>>>> theirs",
        "trials = ['a'",
        "[[adapter]",
        "[[reports]]",
        "[reports",
    ] {
        let place = gate(
            "",
            "[reports]\njunit = 'j.xml'\nbadge = 'b.json'\nevents = 'e.jsonl'\n",
        );
        configure(&place, fault);
        for file in ["j.xml", "b.json", "e.jsonl"] {
            fs::write(place.path().join(file), "green").unwrap();
        }
        let (code, text) = run(&place, &["run", "--gate", "-q"]);
        assert_eq!(code, 103, "{text}");
        assert!(read(&place, "j.xml").contains("errors=\"1\""), "{fault}");
        for file in ["b.json", "e.jsonl"] {
            assert!(!read(&place, file).contains("green"), "{fault} {file}");
        }
    }
}

#[test]
fn a_configuration_that_is_not_utf_8_leaves_no_report_of_an_earlier_run() {
    let place = gate("", "[reports]\njunit = 'j.xml'\n");
    let file = place.path().join("reshape-conformance.toml");
    let mut bytes = fs::read(&file).unwrap();
    bytes.extend(b"# caf\xe9\n");
    fs::write(&file, bytes).unwrap();
    fs::write(place.path().join("j.xml"), "green").unwrap();
    let (code, text) = run(&place, &["run", "--gate", "-q"]);
    assert!(code == 103 && text.contains("not UTF-8"), "{code} {text}");
    assert!(text.contains("reshape-conformance.toml:7:6"), "{text}");
    assert!(read(&place, "j.xml").contains("errors=\"1\""));
}

#[test]
fn a_report_that_would_overwrite_a_file_keeps_no_other_from_being_written() {
    let known = "known-failures = 'known.yaml'";
    let of_the_gate = ["reshape-conformance.toml", "known.yaml", "base.jsonl"];
    let contents = |place: &TempDir| of_the_gate.map(|file| read(place, file));
    for report in [
        "j.xml",
        "b.json",
        "known.yaml",
        "base.jsonl",
        of_the_gate[0],
    ] {
        // With a configuration that is right, and with two that are not.
        for (fault, expected) in [("", 2), ("timeout = 0", 2), ("jobs = = 2", 2)] {
            let reports = format!(
                "[reports]\njunit = 'j.xml'\nbadge = 'b.json'\nsarif = '{report}'\nevents = 'e.jsonl'\n"
            );
            let place = gate(known, &reports);
            configure(&place, &format!("baseline = 'base.jsonl'\n{fault}"));
            for file in ["known.yaml", "base.jsonl", "j.xml", "b.json", "e.jsonl"] {
                fs::write(place.path().join(file), "# of yesterday\n").unwrap();
            }
            let before = contents(&place);
            let (code, text) = run(&place, &["run", "--gate", "-q"]);
            assert!(
                code == expected && text.contains("would be overwritten"),
                "{report} {fault}: {code} {text}"
            );
            assert_eq!(contents(&place), before, "{report} {fault}");
            for file in ["j.xml", "b.json", "e.jsonl"] {
                let written = read(&place, file);
                assert!(
                    !written.contains("of yesterday"),
                    "{report} {fault}: {file}"
                );
            }
        }
    }
}

#[test]
fn a_resumed_gate_leaves_no_events_of_an_earlier_run_behind() {
    let place = gate("", "[reports]\nevents = 'e.jsonl'\n");
    configure(&place, "trials = ['copied-zero-first/onnx.Reshape-14/**']");
    let gate = ["run", "--gate", "-q", "-j1"];
    let cut = ["--events", "cut.jsonl", "--time-limit", "0.001"];
    let (code, text) = run(&place, &[&gate[..], &cut].concat());
    assert_eq!(code, 5, "{text}");
    let again = "`reshape-conformance run --gate --resume cut.jsonl`";
    assert!(text.contains(again), "{text}");
    fs::write(place.path().join("e.jsonl"), "of yesterday").unwrap();
    let (code, text) = run(&place, &[&gate[..], &["--resume", "cut.jsonl"]].concat());
    assert!(
        code == 100 && text.contains("e.jsonl is removed"),
        "{code} {text}"
    );
    assert!(!place.path().join("e.jsonl").exists());
    // Its own events stay its own.
    fs::rename(place.path().join("cut.jsonl"), place.path().join("e.jsonl")).unwrap();
    let (code, text) = run(&place, &[&gate[..], &["--resume", "./e.jsonl"]].concat());
    assert!(code == 100 && !text.contains("removed"), "{code} {text}");
    assert!(read(&place, "e.jsonl").contains("run-finished"));
}

#[test]
fn a_report_that_the_command_line_replaces_leaves_none_of_an_earlier_run() {
    let reports = [
        ("events", "e.jsonl"),
        ("junit", "j.xml"),
        ("html", "p.html"),
        ("markdown", "m.md"),
        ("sarif", "s.sarif"),
        ("badge", "b.json"),
        ("results", "r.md"),
    ];
    let named = reports.map(|(key, file)| format!("{key} = 'out/{file}'\n"));
    for (fault, expected) in [("", 100), ("jobs = = 2", 103)] {
        let place = gate("", &format!("[reports]\n{}", named.concat()));
        let trials = "trials = ['copied-zero-first/onnx.Reshape-14/f32/*']";
        configure(&place, &format!("{trials}\n{fault}"));
        fs::create_dir(place.path().join("out")).unwrap();
        let old = |file: &str| place.path().join("out").join(file);
        for (replaced, file) in reports {
            for (_, file) in reports {
                fs::write(old(file), "of yesterday").unwrap();
            }
            let option = format!("--{replaced}");
            let (code, text) = run(&place, &["run", "--gate", "-q", &option, "other"]);
            assert_eq!(code, expected, "{text}");
            assert!(!old(file).exists(), "{replaced} {fault}");
            assert!(text.contains(&format!("out/{file} is removed")), "{text}");
            assert_eq!(text.matches("is removed").count(), 1, "{text}");
            assert!(place.path().join("other").exists(), "{replaced} {fault}");
            for (key, file) in reports.iter().filter(|(key, _)| *key != replaced) {
                assert_ne!(
                    read(&place, &format!("out/{file}")),
                    "of yesterday",
                    "{key}"
                );
            }
            // The same file under another name is the run's own.
            let (_, text) = run(
                &place,
                &["run", "--gate", &option, &format!("./out/{file}")],
            );
            assert!(!text.contains("is removed"), "{text}");
            assert!(old(file).exists(), "{replaced} {fault}");
        }
    }
    // What the run reads stays.
    let place = gate("", "[reports]\nevents = 'e.jsonl'\n");
    configure(
        &place,
        "trials = ['copied-zero-first/onnx.Reshape-14/f32/*']",
    );
    assert_eq!(run(&place, &["run", "--gate", "-q"]).0, 100);
    let before = read(&place, "e.jsonl");
    let arguments = [
        "run",
        "--gate",
        "--baseline",
        "e.jsonl",
        "--events",
        "f.jsonl",
    ];
    let (code, text) = run(&place, &arguments);
    assert!(code == 0 && !text.contains("is removed"), "{code} {text}");
    assert_eq!(read(&place, "e.jsonl"), before);
    // So does what another run is writing.
    let events = fs::File::open(place.path().join("e.jsonl")).unwrap();
    events.lock().unwrap();
    let arguments = ["run", "--gate", "--events", "f.jsonl"];
    let (code, text) = run(&place, &arguments);
    assert!(
        code == 2 && text.contains("another run is writing"),
        "{code} {text}"
    );
    assert_eq!(read(&place, "e.jsonl"), before);
}

#[test]
fn no_report_overwrites_what_the_gate_reads() {
    let known = "known-failures = 'known.yaml'";
    for (report, file) in [
        ("events", "known.yaml"),
        ("junit", "./known.yaml"),
        ("markdown", "reshape-conformance.toml"),
    ] {
        let place = gate(known, &format!("[reports]\n{report} = '{file}'\n"));
        fs::write(place.path().join("known.yaml"), "[]\n").unwrap();
        let config = read(&place, "reshape-conformance.toml");
        let (code, text) = run(&place, &["run", "--gate", "-q"]);
        assert!(
            code == 2 && text.contains("would be overwritten"),
            "{code} {text}"
        );
        assert_eq!(read(&place, "known.yaml"), "[]\n");
        assert_eq!(read(&place, "reshape-conformance.toml"), config);
        configure(&place, "jobs = = 2");
        let (code, text) = run(&place, &["run", "--gate", "-q"]);
        assert!(code == 2 || code == 103, "{code} {text}");
        assert_eq!(read(&place, "known.yaml"), "[]\n");
        assert!(read(&place, "reshape-conformance.toml").ends_with(&config));
    }
}

#[test]
fn a_stream_that_lacks_trials_of_a_finished_backend_is_refused() {
    let place = gate("", "[reports]\nevents = 'e.jsonl'\n");
    run(
        &place,
        &[
            "run",
            "--gate",
            "--events",
            "some.jsonl",
            "-q",
            "copied-zero-first/onnx*/f32/**",
        ],
    );
    let stream = read(&place, "some.jsonl");
    let mut trials = 0;
    let lines = stream.lines().filter(|line| {
        trials += usize::from(line.contains("\"event\":\"trial\""));
        !(line.contains("\"event\":\"trial\"") && trials % 3 == 0)
    });
    let less: String = lines.map(|line| format!("{line}\n")).collect();
    fs::write(place.path().join("less.jsonl"), less).unwrap();
    let (code, text) = run(&place, &["report", "render", "less.jsonl"]);
    assert!(
        code == 103 && text.contains("'mine' ends with 23 of its 34 trials"),
        "{code} {text}"
    );
}

#[test]
fn cases_newer_than_the_suite_of_the_gate_are_new_and_not_red_until_it_is_raised() {
    // A trial of suite 1.0, one of 3.1, and an old case in a sequence of 3.2. The adapter fails all three.
    let [old, new, sequence] = [
        "copied-zero-first/onnx.Reshape-14/f32/runtime-static",
        "copied-zero-in-the-first-of-eight-places/onnx.Reshape-14/f32/runtime-static",
        "allowzero-left-out-on-data-with-elements/onnx.Reshape-14/f32/constant-static+between-other-models",
    ];
    let files = "--junit j.xml --markdown m.md --html p.html --events e.jsonl";
    let arguments: Vec<_> = ["run", "--gate"]
        .into_iter()
        .chain(files.split(' '))
        .collect();
    let gate_with = |suite: &str, known: &[&str]| {
        let place = gate("known-failures = 'known.yaml'", "");
        configure(
            &place,
            &format!("trials = ['{old}', '{new}', '{sequence}']\n{suite}"),
        );
        let entry = |of| format!("- {{trials: ['{of}'], outcome: failed, reason: A test.}}\n");
        let known: String = known.iter().map(entry).collect();
        fs::write(place.path().join("known.yaml"), known).unwrap();
        let (code, text) = run(&place, &arguments);
        let counts = text
            .lines()
            .rfind(|line| line.starts_with("mine: 3 trials = "));
        (code, counts.unwrap_or(&text).to_owned(), text, place)
    };
    let (code, counts, ..) = gate_with("", &[old]);
    assert!(
        code == 100 && counts.contains(" 2 failed + 1 known"),
        "{counts}"
    );
    // The list of a gate that was never asked what is newer.
    let (code, counts, text, place) = gate_with("suite = '3.0'", &[old]);
    assert!(
        code == 0 && counts.contains(" 0 failed + 1 known + 2 new"),
        "{counts}"
    );
    assert!(
        text.contains("3 trials of suite 3.4, judged as 3.0"),
        "{text}"
    );
    let heading = "new: these fail, and are newer than `suite` in the gate's file";
    let (_, named) = text.split_once(heading).unwrap();
    assert!(
        named.contains(&format!("\n  {sequence}\n  {new}\n")),
        "{text}"
    );
    assert!(!text.contains("findings:"), "{text}");
    let (code, rendered) = run(&place, &["report", "render", "e.jsonl"]);
    assert!(code == 0 && rendered.contains(heading), "{rendered}");
    for (file, wanted) in [
        ("j.xml", ["new, and not judged yet: ", "3.4, judged as 3.0"]),
        (
            "m.md",
            [
                "2 newer than the gate's `suite` and failed, such as",
                "Suite 3.4, judged as 3.0",
            ],
        ),
        ("p.html", ["verdict=new", "Suite 3.4, judged as 3.0"]),
    ] {
        let report = read(&place, file);
        assert!(
            wanted.iter().all(|wanted| report.contains(wanted)),
            "{file}: {report}"
        );
    }
    // Each version judges what it has.
    let (code, counts, ..) = gate_with("suite = '3.1'", &[old]);
    assert!(
        code == 100 && counts.contains(" 1 failed + 1 known + 1 new"),
        "{counts}"
    );
    let (code, counts, ..) = gate_with("suite = '3.1'", &[old, new]);
    assert!(
        code == 0 && counts.contains(" 0 failed + 2 known + 1 new"),
        "{counts}"
    );
    // An entry for a newer trial is not stale when that one passes.
    let place = gate("", "");
    let gate = format!(
        "suite = '3.0'\ntrials = ['{old}', '{new}']\n[[adapter]]\nname = 'mine'\ncommand = '{BINARY} serve reference'\n\
         known-failures = 'known.yaml'\n"
    );
    fs::write(place.path().join("reshape-conformance.toml"), gate).unwrap();
    let known = format!("- {{trials: ['{new}'], outcome: failed, reason: A test.}}\n");
    fs::write(place.path().join("known.yaml"), known).unwrap();
    let (code, text) = run(&place, &["run", "--gate"]);
    assert!(
        code == 0 && text.contains("2 trials = 2 passed"),
        "{code} {text}"
    );
}

#[test]
fn a_pinned_gate_of_the_core_is_not_red_by_what_came_into_the_core_since() {
    let place = gate("", "");
    configure(
        &place,
        "core = true\nsuite = '3.1'\noperators = ['onnx']\ntrials = ['copied-zero']",
    );
    let named = |options: &[&str], verdict: &str| -> HashSet<String> {
        let arguments = [&["run", "--gate", "-q", "--events", "e.jsonl"], options].concat();
        assert_eq!(run(&place, &arguments).0, 100);
        let stream = read(&place, "e.jsonl");
        let events = stream
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let such = events.filter(|event: &Value| event["verdict"] == verdict);
        such.map(|event| event["trial"].as_str().unwrap().to_owned())
            .collect()
    };
    let (new, red) = (named(&[], "new"), named(&[], "failed"));
    let red_in_all = named(&["--core=false"], "failed");
    // What was in the core of 3.1 is red in both. What joined it later is old in the whole suite.
    assert!(!red.is_empty() && red.is_subset(&red_in_all), "{red:?}");
    assert!(new.intersection(&red_in_all).next().is_some(), "{new:?}");
    // To raise the key judges them.
    let config = read(&place, "reshape-conformance.toml");
    let config = config.replace("suite = '3.1'\n", "");
    fs::write(place.path().join("reshape-conformance.toml"), config).unwrap();
    assert!(new.is_subset(&named(&[], "failed")));
}

#[test]
fn a_suite_that_the_program_does_not_have_is_an_error_that_says_what_to_do() {
    for (suite, wanted) in [
        (
            "suite = '99.0'",
            [
                "this program is older than that: it has suite 3.4",
                "pip install --upgrade reshape-conformance",
            ],
        ),
        ("suite = '2.9'", ["there is no suite 2.9", "--version"]),
        (
            "suite = 3.1",
            ["expected a string", "reshape-conformance docs gate"],
        ),
        (
            "suite = 'three'",
            [
                "'three' is no version of the suite, such as \"3.4\"",
                "reshape-conformance docs gate",
            ],
        ),
        (
            "suite = '3.1'\ncases = ['mine.yaml']",
            [
                "`cases` replaces the built-in suite",
                "remove one of the two keys",
            ],
        ),
    ] {
        let place = gate("", "");
        configure(&place, suite);
        let (code, text) = run(&place, &["run", "--gate"]);
        let says = wanted.iter().all(|wanted| text.contains(wanted));
        assert!(
            code == 103 && says && text.contains("reshape-conformance.toml:1:9"),
            "{code} {text}"
        );
    }
}

#[test]
fn an_entry_of_the_gate_states_what_a_manifest_would() {
    let place = tempdir().unwrap();
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/cases/copied-zero.yaml");
    let run_with = |entry: &str| {
        let config = format!(
            "cases = ['{cases}']\noperators = ['onnx.Reshape-14']\n[[adapter]]\nname = 'mine'\n{entry}"
        );
        fs::write(place.path().join("reshape-conformance.toml"), config).unwrap();
        run(
            &place,
            &["run", "--gate", "--events", "e.jsonl", "--results", "r.md"],
        )
    };
    let command = format!(
        "command = \"sh -c 'test $MINE = yes && exec {BINARY} serve reference'\"\nenvironment = {{MINE = 'yes'}}\n"
    );
    let skipped = |said: &str| {
        let count = said.split(" skipped").next().unwrap().rsplit(' ').next();
        count.unwrap().parse::<usize>().unwrap_or(0)
    };
    let (code, said) = run_with(&command);
    assert_eq!(code, 0, "{said}");
    let all = skipped(said.lines().last().unwrap());
    let (code, said) = run_with(&format!("{command}limits = {{data_rank = 2}}\n"));
    assert!(
        code == 0 && skipped(said.lines().last().unwrap()) > all,
        "{said}"
    );
    let (code, said) = run_with(&format!(
        "{command}sample = '1/16'\nabout = 'A toy.'\nissues = 'https://example.com/mine'\nonly-similar = true\n"
    ));
    assert!(code == 0 && said.contains("a sample of 1/16"), "{said}");
    let stream = read(&place, "e.jsonl");
    for field in [
        "\"about\":\"A toy.\"",
        "\"tracker\":\"https://example.com/mine\"",
        "\"only_similar\":true",
    ] {
        assert!(stream.contains(field), "{field}");
    }
    for (entry, fault) in [
        (
            "command = 'a'\nonnx-backend = 'b'\n",
            "`command`, `onnx-backend`; keep one",
        ),
        ("limits = {rank = 2}\n", "adapter.yaml"),
        ("command = 'a'\nlimits = {rang = 2}\n", "rang"),
        ("command = 'a'\nlimits = 2\n", "limits"),
        ("command = 'a'\nsample = '2/1'\n", "such as 1/16"),
    ] {
        let (code, said) = run_with(entry);
        assert!(
            code == 103 && said.contains(fault) && said.contains("reshape-conformance.toml:"),
            "{entry}: {code} {said}"
        );
    }
}

#[test]
fn a_misspelt_key_is_answered_with_the_near_ones_and_a_missing_file_with_init() {
    let place = gate("", "");
    configure(&place, "retires = 2");
    let (code, text) = run(&place, &["run", "--gate"]);
    assert!(
        code == 103 && text.contains("did you mean retries?"),
        "{text}"
    );
    let place = tempdir().unwrap();
    let (code, text) = run(&place, &["run", "--gate"]);
    let wanted = "`reshape-conformance init` writes one, and --config names another";
    assert!(code == 2 && text.contains(wanted), "{text}");
}
