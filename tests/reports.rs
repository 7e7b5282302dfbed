//! Reports, parts and baselines: a report rendered later equals the live one, and the parts of a run, or a resumed run,
//! equal the whole.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::{BINARY, is_thorough, program};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::{TempDir, tempdir};

pub(crate) const FAULTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/adapter.py");
pub(crate) const FAULT_CASES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/cases.yaml");
/// A small part of the suite.
pub(crate) const FEW: &str = "*zero*/onnx.Reshape-14/f32/*";
/// A part that is large enough to be cut into eight, with values past 32 bits.
const SOME: &str = "{copied-zero*,*thirty-two-bits*}/onnx.Reshape-{13,14}/{f32,string}/*";
/// A part that is enough for a finding.
pub(crate) const ENOUGH: &str = "copied-zero*/onnx.Reshape-14/f32/*";

pub(crate) fn command(place: &TempDir, arguments: &[&str]) -> Command {
    let mut command = program();
    command
        .args(arguments)
        .current_dir(place.path())
        .env_remove("CARGO")
        .stdin(Stdio::null());
    for name in [
        "TEST_TOTAL_SHARDS",
        "XML_OUTPUT_FILE",
        "GITHUB_ACTIONS",
        "JOB_COMPLETION_INDEX",
        "SLURM_ARRAY_TASK_ID",
    ] {
        command.env_remove(name);
    }
    command
}

pub(crate) fn run(place: &TempDir, arguments: &[&str]) -> (i32, String) {
    ended(&command(place, arguments).output().unwrap())
}

pub(crate) fn ended(output: &Output) -> (i32, String) {
    let text = [&output.stdout[..], &output.stderr[..]]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .concat();
    (output.status.code().unwrap(), text)
}

pub(crate) fn read(place: &TempDir, name: &str) -> String {
    fs::read_to_string(place.path().join(name)).unwrap()
}

/// A wrong backend, behind the protocol.
pub(crate) fn mutant(name: &str) -> String {
    format!("{BINARY} serve --mutant {name}")
}

/// A stream without what varies: durations, the time of day, and the memory used.
pub(crate) fn timeless(stream: &str) -> String {
    let field = |line: &str, name: &str| match line.split_once(&format!("\"{name}\":")) {
        Some((before, after)) => format!(
            "{before}{}",
            after.trim_start_matches(|c: char| c.is_ascii_digit())
        ),
        None => line.to_owned(),
    };
    stream
        .lines()
        .map(|line| {
            let names = ["microseconds", "started", "peak_bytes"];
            names
                .iter()
                .fold(line.to_owned(), |line, name| field(&line, name))
                + "\n"
        })
        .collect()
}

/// The whole run as `merge` writes it.
fn whole(place: &TempDir, backend: &str, trials: &str) -> String {
    run(
        place,
        &[
            "run",
            trials,
            "--adapter-command",
            backend,
            "--events",
            "whole.jsonl",
            "-q",
        ],
    );
    run(place, &["merge", "whole.jsonl", "-o", "whole-merged.jsonl"]);
    timeless(&read(place, "whole-merged.jsonl"))
}

#[test]
fn what_is_rendered_afterwards_is_what_was_rendered_live() {
    let place = tempdir().unwrap();
    let names = ["junit", "html", "markdown", "sarif", "badge", "results"];
    let files = |when: &str| {
        names
            .iter()
            .flat_map(|name| [format!("--{name}"), format!("{when}/{name}")])
            .collect::<Vec<_>>()
    };
    let (live, after) = (files("live"), files("after"));
    let backend = mutant("zero-never-copies");
    let mut arguments = vec![
        "run",
        SOME,
        "--adapter-command",
        &backend,
        "--events",
        "events.jsonl",
    ];
    arguments.extend(live.iter().map(String::as_str));
    let (code, live_text) = run(&place, &arguments);
    assert_eq!(code, 100, "{live_text}");
    let mut arguments = vec!["report", "render", "events.jsonl"];
    assert_eq!(run(&place, &arguments), (100, live_text));
    arguments.extend(after.iter().map(String::as_str));
    assert_eq!(run(&place, &arguments), (100, String::new()));
    // The order in which trials ended changes nothing.
    let events = read(&place, "events.jsonl");
    let mut lines: Vec<_> = events.lines().collect();
    let trials = lines.split_mut(|line| !line.starts_with(r#"{"event":"trial""#));
    trials.for_each(<[_]>::reverse);
    fs::write(place.path().join("reversed.jsonl"), lines.join("\n") + "\n").unwrap();
    let reversed = files("reversed");
    let mut arguments = vec!["report", "render", "reversed.jsonl"];
    arguments.extend(reversed.iter().map(String::as_str));
    assert_eq!(run(&place, &arguments), (100, String::new()));
    for name in names {
        let of = |when: &str| read(&place, &format!("{when}/{name}"));
        let (live, after) = (of("live"), of("after"));
        assert!(live == after, "{name} differs");
        assert!(live == of("reversed"), "{name} depends on the order");
        if !["badge", "results"].contains(&name) {
            assert!(
                live.contains("it takes every 0 as literal, whatever the attribute says"),
                "{name} does not say why"
            );
        }
    }
}

#[test]
fn the_parts_of_a_run_merge_into_the_whole() {
    let place = tempdir().unwrap();
    let backend = mutant("runtime-target-in-i32");
    let whole = whole(&place, &backend, SOME);
    assert!(whole.contains("\"event\":\"finding\""));
    let cuts = [("slice", 1), ("hash", 2), ("slice", 3), ("hash", 8)];
    let tried = if is_thorough() { cuts.len() } else { 3 };
    for (by, of) in cuts.into_iter().take(tried) {
        let names: Vec<_> = (1..=of)
            .map(|part| format!("{by}-{of}-{part}.jsonl"))
            .collect();
        for (part, name) in (1..=of).zip(&names) {
            let partition = format!("{by}:{part}/{of}");
            run(
                &place,
                &[
                    "run",
                    SOME,
                    "--adapter-command",
                    &backend,
                    "--partition",
                    &partition,
                    "--events",
                    name,
                    "-q",
                ],
            );
        }
        let mut arguments = vec!["merge", "-o", "merged.jsonl"];
        arguments.extend(names.iter().rev().map(String::as_str));
        let (code, text) = run(&place, &arguments);
        assert_eq!(code, 100, "{text}");
        assert!(
            timeless(&read(&place, "merged.jsonl")) == whole,
            "{by} in {of} parts"
        );
    }
    // Holes, duplicates, and parts of another run.
    let refused = |names: &[&str], why: &str| {
        let (code, text) = run(&place, &[&["merge", "-o", "no.jsonl"], names].concat());
        assert!(code == 5 && text.contains(why), "{code} {text}");
        assert!(!place.path().join("no.jsonl").exists());
    };
    refused(&["hash-2-1.jsonl"], "are in no part");
    refused(
        &["hash-2-1.jsonl", "hash-2-2.jsonl", "hash-2-1.jsonl"],
        "and again in",
    );
    run(
        &place,
        &[
            "run",
            "copied-zero*/**",
            "--adapter-command",
            &backend,
            "--events",
            "other.jsonl",
            "-q",
        ],
    );
    refused(
        &["hash-2-1.jsonl", "other.jsonl"],
        "are of different selections",
    );
    assert_eq!(
        run(&place, &["merge", "-o", "no.jsonl", "no-such.jsonl"]).0,
        103
    );
}

/// A search in one piece equals the merge of any number of parts, whatever a part alone finds.
fn parts_of_a_search_merge_into_the_whole(backend: &str, what: &[&str], findings: usize) {
    let place = tempdir().unwrap();
    let search = |more: &[&str]| {
        let all = [
            "search",
            "--adapter-command",
            backend,
            "--operator",
            "onnx.Reshape-14",
        ];
        let (code, text) = run(&place, &[&all[..], what, more].concat());
        assert!(code == 100 || code == 0, "{text}");
    };
    search(&["--events", "whole.jsonl", "--save", "whole.yaml"]);
    let whole = timeless(&read(&place, "whole.jsonl"));
    assert_eq!(whole.matches("\"event\":\"found\"").count(), findings);
    for of in [1, 3, 8] {
        let names: Vec<_> = (1..=of).map(|part| format!("{of}-{part}.jsonl")).collect();
        let by = if of % 2 == 0 { "hash" } else { "slice" };
        for (part, name) in (1..=of).zip(&names) {
            search(&[
                "--partition",
                &format!("{by}:{part}/{of}"),
                "--events",
                name,
            ]);
        }
        let mut merge = vec!["merge", "-o", "merged.jsonl"];
        merge.extend(names.iter().rev().map(String::as_str));
        let (code, text) = run(&place, &merge);
        assert_eq!(code, 100, "{text}");
        let shrink = [
            "search",
            "--adapter-command",
            backend,
            "--shrink",
            "merged.jsonl",
        ];
        let (code, text) = run(
            &place,
            &[
                &shrink[..],
                &["--events", "merged.jsonl", "--save", "merged.yaml"],
            ]
            .concat(),
        );
        assert_eq!(code, 100, "{text}");
        assert!(
            timeless(&read(&place, "merged.jsonl")) == whole,
            "{of} parts"
        );
        assert_eq!(read(&place, "merged.yaml"), read(&place, "whole.yaml"));
    }
    let refused = |names: &[&str], why: &str| {
        let (code, text) = run(&place, &[&["merge", "-o", "no.jsonl"], names].concat());
        assert!(code == 5 && text.contains(why), "{code} {text}");
    };
    refused(&["3-3.jsonl", "3-1.jsonl"], "part 2 of 3 is missing");
    refused(&["3-3.jsonl", "3-1.jsonl", "3-3.jsonl"], "occurs twice");
    refused(
        &["3-3.jsonl", "3-1.jsonl", "8-2.jsonl"],
        "are not parts of one search",
    );
    search(&["--partition", "hash:1/3", "--events", "hash.jsonl"]);
    refused(
        &["hash.jsonl", "3-2.jsonl", "3-3.jsonl"],
        "are not parts of one search",
    );
    search(&[
        "--partition",
        "slice:1/3",
        "--element-type",
        "f64",
        "--events",
        "first.jsonl",
    ]);
    refused(
        &["first.jsonl", "3-2.jsonl", "3-3.jsonl"],
        "are of different searches",
    );
    assert_eq!(run(&place, &["report", "render", "merged.jsonl"]).0, 100);
    assert_eq!(
        run(
            &place,
            &["report", "render", "merged.jsonl", "--junit", "no.xml"]
        )
        .0,
        2
    );
    let another = [
        "search",
        "--adapter-command",
        &mutant("reversed"),
        "--shrink",
        "3-1.jsonl",
    ];
    let stranger = read(&place, "3-1.jsonl").replace("\"smallest\"", "\"largest\"");
    fs::write(place.path().join("3-1.jsonl"), stranger).unwrap();
    let (code, text) = run(&place, &another);
    assert!(
        code == 2 && text.contains("was searched, but this is"),
        "{code} {text}"
    );
}

#[test]
fn the_parts_of_a_search_of_all_small_trials_merge_into_the_whole() {
    let small = ["--max-rank", "2", "--max-dim", "2", "--max-value", "2"];
    parts_of_a_search_merge_into_the_whole(&mutant("zero-never-copies"), &small, 1);
}

#[test]
fn the_parts_of_a_search_in_surroundings_merge_into_the_whole() {
    let few = ["--max-rank", "1", "--max-dim", "2", "--max-value", "2"];
    let all = ["--surrounding", "all"];
    let backend = mutant("zero-never-copies");
    parts_of_a_search_merge_into_the_whole(&backend, &[&few[..], &all].concat(), 1);
}

#[test]
fn the_parts_of_a_random_search_of_several_causes_merge_into_the_whole() {
    let backend = format!(
        "{} --mutant copied-zero-clamped --mutant any-negative-is-minus-one",
        mutant("runtime-target-in-i32")
    );
    parts_of_a_search_merge_into_the_whole(&backend, &["--random", "--count", "600"], 3);
}

#[test]
fn what_a_search_saves_is_a_suite_and_its_trials_run_again_by_name() {
    let place = tempdir().unwrap();
    // Several findings with the same smallest situation, of two operators.
    let crashes = format!("python3 -S {FAULTS} crashes");
    let crashing = [
        "search",
        "--adapter-command",
        &crashes,
        "--operator",
        "onnx.Reshape-14",
        "--operator",
        "openvino",
        "--max-rank",
        "1",
        "--max-value",
        "0",
        "--save",
        "crashes.yaml",
    ];
    let (code, text) = run(&place, &crashing);
    assert!(
        code == 100
            && text.contains("it crashes on everything where the data has")
            && text.contains("it breaks the protocol: "),
        "{code} {text}"
    );
    let reverses = mutant("reversed");
    run(
        &place,
        &[
            "search",
            "--adapter-command",
            &reverses,
            "--max-rank",
            "1",
            "--save",
            "reverses.yaml",
            "--events",
            "it.jsonl",
        ],
    );
    // What a node leaves out, and one rule that is cited for a question and for what it does otherwise.
    let random = [
        "--random",
        "--count",
        "800",
        "--operator",
        "onnx.Reshape-14",
    ];
    for wrong in ["default-mode-is-literal", "target-for-the-data"] {
        run(
            &place,
            &[
                &[
                    "search",
                    "--adapter-command",
                    &mutant(wrong),
                    "--save",
                    &format!("{wrong}.yaml"),
                ],
                &random[..],
            ]
            .concat(),
        );
    }
    for file in [
        "crashes.yaml",
        "reverses.yaml",
        "default-mode-is-literal.yaml",
        "target-for-the-data.yaml",
    ] {
        let (code, text) = run(&place, &["lint", file]);
        assert_eq!(code, 0, "{text}");
    }
    let stream = read(&place, "it.jsonl");
    let name = stream
        .split_once("--trial '")
        .unwrap()
        .1
        .split_once('\'')
        .unwrap()
        .0;
    let (code, text) = run(
        &place,
        &["search", "--adapter-command", &reverses, "--trial", name],
    );
    assert!(
        code == 100 && text.contains(": 1 trials = ") && text.contains(name),
        "{code} {text}"
    );
    assert_eq!(run(&place, &["search", "--trial", name]).0, 0);
    assert_eq!(run(&place, &["search", "--trial", "no-such"]).0, 4);
    // A search's stream is no run's, and whatever numbers it holds it is shown.
    let (code, text) = run(&place, &["run", FEW, "--baseline", "it.jsonl"]);
    assert!(
        code == 2 && text.contains("is of a search"),
        "{code} {text}"
    );
    let end = stream.rfind("\"failed\":").unwrap() + "\"failed\":".len();
    let hostile = format!(
        "{}18446744073709551615,\"passed\":18446744073709551615}}}}\n",
        &stream[..end]
    );
    fs::write(place.path().join("it.jsonl"), hostile).unwrap();
    let (code, text) = run(&place, &["report", "render", "it.jsonl"]);
    assert!(code == 100 || code == 103, "{code} {text}");
}

#[test]
fn a_search_that_ends_early_says_so_and_loses_nothing() {
    let place = tempdir().unwrap();
    let timed = [
        "search",
        "--max-rank",
        "4",
        "--time",
        "0.2",
        "--events",
        "it.jsonl",
    ];
    let (code, text) = run(&place, &timed);
    assert!(
        code == 0 && text.contains("its time limit ended it early"),
        "{code} {text}"
    );
    let (code, text) = run(&place, &["merge", "it.jsonl", "-o", "no.jsonl"]);
    assert!(code == 5 && text.contains("ends early"), "{code} {text}");
    // Where the next begins is the number of trials that were run.
    let (_, text) = run(&place, &["search", "--random", "--time", "0.2"]);
    let trials = text
        .split_once("reference: ")
        .unwrap()
        .1
        .split_once(" trials")
        .unwrap()
        .0;
    assert!(
        text.contains(&format!("continue with --seed 1 --from {trials}\n")),
        "{text}"
    );
    // A part that is few and far between hears its time too.
    let rare = [
        "search",
        "--random",
        "--time",
        "0.2",
        "--partition",
        "slice:1/1000000000000",
    ];
    let (code, text) = run(&place, &rare);
    assert!(
        code == 0 && text.contains("1 trials = 1 passed"),
        "{code} {text}"
    );
    let nothing = [
        "search",
        "--operator",
        "openvino",
        "--binding",
        "attribute-static",
        "--partition",
        "slice:1/2",
    ];
    assert_eq!(run(&place, &nothing).0, 4);
    assert_eq!(
        run(&place, &["search", "--max-rank", "9", "--max-dim", "9"]).0,
        2
    );
    // An adapter that starts once: what was found is told although nothing of it can be made smaller.
    let once = format!("sh -c 'mkdir begun && exec {}'", mutant("reversed"));
    let arguments = [
        "search",
        "--adapter-command",
        &once,
        "--max-rank",
        "1",
        "-j1",
        "--events",
        "found.jsonl",
    ];
    let (code, text) = run(&place, &arguments);
    assert!(code == 102 && text.contains("1 finding"), "{code} {text}");
    assert!(read(&place, "found.jsonl").contains("\"event\":\"found\""));
}

#[test]
fn a_search_stream_that_names_a_trial_no_search_makes_is_refused() {
    let place = tempdir().unwrap();
    let backend = mutant("zero-never-copies");
    run(
        &place,
        &[
            "search",
            "--adapter-command",
            &backend,
            "--max-rank",
            "1",
            "--events",
            "it.jsonl",
        ],
    );
    let stream = read(&place, "it.jsonl");
    for name in [
        "search-9999999999999-to-1/onnx.Reshape-14/f32/constant-static",
        "copied-zero/onnx.Reshape-14/f32/constant-static",
    ] {
        let (before, after) = stream.split_once("\"trials\":[\"search-").unwrap();
        let rest = after.split_once('"').unwrap().1;
        fs::write(
            place.path().join("it.jsonl"),
            format!("{before}\"trials\":[\"{name}\"{rest}"),
        )
        .unwrap();
        let (code, text) = run(&place, &["merge", "it.jsonl", "-o", "no.jsonl"]);
        assert!(
            code == 5 && text.contains("no search generates"),
            "{code} {text}"
        );
    }
}

#[test]
fn a_stream_cut_anywhere_is_resumed_to_the_whole() {
    let place = tempdir().unwrap();
    let backend = mutant("zero-never-copies");
    let whole = whole(&place, &backend, ENOUGH);
    let stream = fs::read(place.path().join("whole.jsonl")).unwrap();
    let first = stream.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    // In the first line after the start, among the clauses, cases and trials, in the findings, before the end.
    let step = if is_thorough() { 1 } else { 2 };
    let cuts = [0, 15, 37, 211, 400, 3, 997, 613, 1000, 800].into_iter();
    for place_in_it in cuts.step_by(step) {
        let cut = first + (stream.len() - first) * place_in_it / 1000;
        fs::write(place.path().join("cut.jsonl"), &stream[..cut]).unwrap();
        let (code, text) = run(
            &place,
            &[
                "run",
                ENOUGH,
                "--adapter-command",
                &backend,
                "--resume",
                "cut.jsonl",
                "-q",
            ],
        );
        assert_eq!(code, 100, "cut at {cut}: {text}");
        run(&place, &["merge", "cut.jsonl", "-o", "merged.jsonl"]);
        assert!(
            timeless(&read(&place, "merged.jsonl")) == whole,
            "cut at {cut}"
        );
    }
    // With other arguments it is another run.
    fs::write(place.path().join("cut.jsonl"), &stream[..stream.len() / 2]).unwrap();
    let (code, text) = run(
        &place,
        &[
            "run",
            "--adapter-command",
            &backend,
            "--resume",
            "cut.jsonl",
            "-q",
        ],
    );
    assert!(
        code == 2 && text.contains("are of different selections"),
        "{code} {text}"
    );
    // A stream that is none is refused with the place of the fault.
    for (stream, description) in [
        ("", "it contains no complete line"),
        ("{}\n", "missing field"),
        ("{\"event\":\"zap\"}\n", "does not begin"),
        ("[1", "no complete line"),
    ] {
        fs::write(place.path().join("bad.jsonl"), stream).unwrap();
        let (code, text) = run(&place, &["report", "render", "bad.jsonl"]);
        assert!(
            code == 103 && text.contains("bad.jsonl") && text.contains(description),
            "{code} {text}"
        );
    }
}

/// Version 0.1 at first wrote no `clause` and no `question` events.
const OLD_STREAM: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/fixtures/events-0.1.jsonl"
);

#[test]
fn a_stream_of_an_old_version_is_rendered_with_the_ids_of_its_clauses() {
    let place = tempdir().unwrap();
    let (code, text) = run(&place, &["report", "render", OLD_STREAM]);
    assert_eq!(code, 100, "{text}");
    for line in [
        "✗ it takes every 0 as literal, whatever the attribute says: 4 failed\n",
        "    expected  [3, 0]\n    got       [0, 0]\n",
        "    onnx.Reshape-14/allowzero/default-zero\n",
        "  allowzero-not-0-or-1: reshaped in 4\n",
        "mutant zero-never-copies: 8 trials = 0 passed + 4 recorded + 4 failed\n",
    ] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
    let names = ["junit", "html", "markdown", "sarif", "badge", "results"];
    let options = names.map(|name| [format!("--{name}"), name.to_owned()]);
    let mut arguments = vec!["report", "render", OLD_STREAM];
    arguments.extend(options.iter().flatten().map(String::as_str));
    assert_eq!(run(&place, &arguments), (100, String::new()));
    let results = read(&place, "results");
    assert!(results.contains("| onnx.Reshape-14 | 8 | 0 | 4 | **4** | 0 |"));
    assert!(results.contains("| `allowzero-not-0-or-1` | reshapes 1 ("));
    assert!(read(&place, "sarif").contains("\"onnx.Reshape-14/allowzero/default-copies\""));
}

#[test]
fn a_stream_of_an_old_version_is_resumed_and_merged() {
    let place = tempdir().unwrap();
    let backend = mutant("zero-never-copies");
    let old = |stream: &str| {
        let new = ["\"event\":\"clause\"", "\"event\":\"question\""];
        let lines = stream
            .lines()
            .filter(|line| !new.iter().any(|event| line.contains(event)));
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    let whole = old(&whole(&place, &backend, ENOUGH));
    let stream = old(&read(&place, "whole.jsonl"));
    for place_in_it in [20, 500] {
        let cut = stream.len() * place_in_it / 1000;
        fs::write(place.path().join("cut.jsonl"), &stream[..cut]).unwrap();
        let arguments = ["run", ENOUGH, "--adapter-command", &backend, "-q"];
        let resumed = run(
            &place,
            &[&arguments[..], &["--resume", "cut.jsonl"]].concat(),
        );
        assert_eq!(resumed.0, 100, "cut at {cut}: {}", resumed.1);
        run(&place, &["merge", "cut.jsonl", "-o", "merged.jsonl"]);
        assert!(
            timeless(&read(&place, "merged.jsonl")) == whole,
            "cut at {cut}"
        );
    }
}

pub(crate) fn ctrl_c_leaves_a_stream_that_can_be_resumed() {
    let place = tempdir().unwrap();
    let backend = format!("python3 -S {FAULTS} 'is slow but in time'");
    let arguments = [
        "run",
        "--cases",
        FAULT_CASES,
        "--adapter-command",
        &backend,
        "--events",
        "cut.jsonl",
        "-q",
        "-j1",
    ];
    let child = command(&place, &arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let trials = || {
        fs::read_to_string(place.path().join("cut.jsonl"))
            .map_or(0, |text| text.matches("\"event\":\"trial\"").count())
    };
    while trials() == 0 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    let (code, text) = ended(&child.wait_with_output().unwrap());
    // It may have been just done.
    if code == 5 {
        assert!(text.contains("run --resume cut.jsonl"), "{text}");
        assert!(!read(&place, "cut.jsonl").contains("run-finished"));
    }
    let mut again = arguments.to_vec();
    again[5] = "--resume";
    assert_eq!(run(&place, &again).0, 0);
    assert_eq!(
        run(
            &place,
            &[
                "merge",
                "cut.jsonl",
                "-o",
                "merged.jsonl",
                "--cases",
                FAULT_CASES
            ]
        )
        .0,
        0
    );
    // Merged with another suite it would be told of trials that it does not have.
    let (code, text) = run(&place, &["merge", "cut.jsonl", "-o", "merged.jsonl"]);
    assert!(
        code == 5 && text.contains("merge with the program and the --cases of the run"),
        "{code} {text}"
    );
}

#[test]
fn a_stream_that_no_run_could_have_told_is_not_resumed() {
    let place = tempdir().unwrap();
    let few = ["run", "copied-zero-first/onnx.Reshape-14/f32/*", "-q"];
    run(&place, &[&few[..], &["--events", "whole.jsonl"]].concat());
    let whole = read(&place, "whole.jsonl");
    let lines: Vec<&str> = whole.lines().collect();
    let place_of = |event: &str| {
        let event = format!("\"event\":\"{event}\"");
        lines.iter().position(|line| line.contains(&event)).unwrap()
    };
    let (case, first) = (place_of("case"), place_of("trial"));
    let stranger = lines[first].replace("/constant-", "/no-such-");
    let end = lines[lines.len() - 1];
    for (lines, why) in [
        (
            [&lines[..first], &[stranger.as_str()]].concat(),
            "this run has no trial",
        ),
        ([&lines[..=first], &[lines[first]]].concat(), " twice"),
        (
            [&lines[..1], &lines[2..=first]].concat(),
            "its clauses and questions are not those of this run",
        ),
        (
            [&lines[..case], &lines[case + 1..=first]].concat(),
            "its cases are not those of this run",
        ),
        (
            [&lines[..=first], &[end]].concat(),
            "the run ends, but its backend 'reference' has not finished",
        ),
        (
            [&lines[..=first], &[lines[lines.len() - 2]]].concat(),
            "'reference' ends with 1 of its 4 trials",
        ),
    ] {
        let text = lines
            .iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>();
        fs::write(place.path().join("cut.jsonl"), &text).unwrap();
        let (code, told) = run(&place, &[&few[..], &["--resume", "cut.jsonl"]].concat());
        assert!(code == 103 && told.contains(why), "{why}: {code} {told}");
        assert_eq!(read(&place, "cut.jsonl"), text);
    }
    // A run's and a search's at once, and one backend twice.
    let search = "{\"event\":\"search-started\",\"format\":1,\"suite_version\":\"0.1.0\",\"backend\":\"x\",\"name\":\"x\",\"version\":\"1\",\"space\":\"\"}\n";
    let twice = lines[0].replace("[\"reference\"]", "[\"reference\",\"reference\"]");
    for text in [
        format!("{whole}{search}"),
        format!("{search}{whole}"),
        twice + "\n",
    ] {
        fs::write(place.path().join("both.jsonl"), text).unwrap();
        assert_eq!(run(&place, &["report", "render", "both.jsonl"]).0, 103);
    }
    for (file, other) in [("whole.jsonl", "x.xml"), ("same.xml", "same.xml")] {
        let (code, told) = run(
            &place,
            &[
                "report",
                "render",
                "whole.jsonl",
                "--junit",
                file,
                "--html",
                other,
            ],
        );
        assert!(
            code == 2 && told.contains("would be overwritten"),
            "{code} {told}"
        );
    }
    assert_eq!(read(&place, "whole.jsonl"), whole);
    let (code, told) = run(&place, &["run", FEW, "--events", "-"]);
    assert!(code == 2 && told.contains("not to '-'"), "{code} {told}");
}

#[test]
fn ctrl_c_ends_a_search_and_what_it_found_is_shown() {
    for (backend, expected) in [("reference", 5), ("--mutant zero-never-copies", 100)] {
        let place = tempdir().unwrap();
        // It is there once the search has begun.
        let backend = format!("sh -c 'touch ready; exec {BINARY} serve {backend}'");
        let arguments = [
            "search",
            "--adapter-command",
            &backend,
            "--random",
            "--count",
            "9000000000",
            "--events",
            "it.jsonl",
        ];
        let child = command(&place, &arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        while !place.path().join("ready").exists() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        std::thread::sleep(std::time::Duration::from_millis(300));
        Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .unwrap();
        let (code, text) = ended(&child.wait_with_output().unwrap());
        assert!(
            code == expected && text.contains("stopped before its end") && text.contains("--from"),
            "{code} {text}"
        );
        assert!(!text.contains(": 0 trials"), "{text}");
        let (code, text) = run(&place, &["merge", "it.jsonl", "-o", "no.jsonl"]);
        assert!(code == 5 && text.contains("ends early"), "{code} {text}");
    }
}

#[test]
fn only_what_got_worse_is_red_next_to_a_baseline() {
    let place = tempdir().unwrap();
    let trials = "{copied-zero*,nans-*}/onnx.Reshape-14/f32/*";
    // The label has to be the same, so the backend is a script that does what a file says.
    let script = place.path().join("backend.sh");
    fs::write(
        &script,
        format!("exec {BINARY} serve $(cat $(dirname $0)/how)\n"),
    )
    .unwrap();
    let backend = format!("sh {}", script.display());
    let how = |mutants: &[&str]| {
        let words: Vec<_> = mutants
            .iter()
            .map(|name| format!("--mutant {name}"))
            .collect();
        let words = if words.is_empty() {
            "reference".to_owned()
        } else {
            words.join(" ")
        };
        fs::write(place.path().join("how"), words).unwrap();
    };
    let against = |baseline: &str, trials: &str| {
        let arguments = [
            "run",
            trials,
            "--adapter-command",
            &backend,
            "--baseline",
            baseline,
        ];
        run(
            &place,
            &[
                &arguments[..],
                &["--events", "now.jsonl", "--html", "now.html"],
            ]
            .concat(),
        )
    };
    how(&["nan-quieted"]);
    assert_eq!(
        run(
            &place,
            &[
                "run",
                trials,
                "--adapter-command",
                &backend,
                "--events",
                "before.jsonl"
            ]
        )
        .0,
        100
    );
    let (code, text) = against("before.jsonl", trials);
    assert!(
        code == 0 && text.contains("unchanged: these fail just as in the baseline"),
        "{code} {text}"
    );
    how(&["nan-quieted", "last-element-lost"]);
    let (code, text) = against("before.jsonl", trials);
    assert!(
        code == 100 && text.contains("in the baseline: passed") && text.contains("unchanged"),
        "{code} {text}"
    );
    how(&[]);
    assert_eq!(against("before.jsonl", trials).0, 0);
    assert!(read(&place, "now.html").contains("\"before\":\"before.jsonl\""));
    // What it does not do any more is lost.
    let less = format!("exec python3 -S {FAULTS} behaves\n");
    fs::write(&script, less).unwrap();
    let events = read(&place, "now.jsonl").replace(
        "reference\",\"version\":\"0.1.0\"",
        "faulty\",\"version\":\"1\"",
    );
    fs::write(place.path().join("before.jsonl"), events).unwrap();
    let (code, text) = against("before.jsonl", "copied-zero-first/onnx.Reshape-14/f32/*");
    assert!(code == 100 && text.contains(" lost"), "{code} {text}");
}

#[test]
fn a_trial_that_changes_its_mind_is_flaky_and_not_red() {
    let place = tempdir().unwrap();
    let backend = format!("python3 -S {FAULTS} 'changes a bit now and then'");
    let arguments = [
        "run",
        "**",
        "--cases",
        FAULT_CASES,
        "--adapter-command",
        &backend,
        "-j1",
        "--junit",
        "j.xml",
    ];
    let (code, text) = run(&place, &[&arguments[..], &["--retries", "2"]].concat());
    assert!(
        code == 0 && text.contains("(failed, then passed, then passed)") && text.contains(" flaky"),
        "{code} {text}"
    );
    assert!(read(&place, "j.xml").contains("flakyFailure"));
    fs::remove_dir(place.path().join("come-and-gone")).unwrap();
    assert_eq!(run(&place, &arguments).0, 100);
}

/// What the schema junit-10.xsd of Jenkins' xUnit plugin, the strictest reader we know, lets an element have.
fn allowed_in_junit(element: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match element {
        "testsuites" => (
            &["name", "time", "tests", "failures", "errors"],
            &["testsuite"],
        ),
        "testsuite" => (
            &["name", "tests", "failures", "errors", "skipped", "time"],
            &["properties", "testcase"],
        ),
        "properties" => (&[], &["property"]),
        "property" => (&["name", "value"], &[]),
        "testcase" => (
            &["name", "classname", "time"],
            &["skipped", "failure", "error", "flakyFailure"],
        ),
        "skipped" | "failure" | "error" | "flakyFailure" => (&["type", "message"], &[]),
        other => panic!("<{other}>"),
    }
}

#[test]
fn strict_readers_of_junit_can_read_ours() {
    let place = tempdir().unwrap();
    let flaky = format!("python3 -S {FAULTS} 'changes a bit now and then'");
    let crashes = format!("python3 -S {FAULTS} crashes");
    let mut seen = std::collections::BTreeSet::new();
    for more in [
        &["--adapter-command", &mutant("zero-never-copies"), FEW][..],
        &[
            "--adapter-command",
            &flaky,
            "--retries",
            "2",
            "-j1",
            "**",
            "--cases",
            FAULT_CASES,
        ],
        &[
            "--adapter-command",
            &crashes,
            "copied-zero-first/onnx.Reshape-14/**",
        ],
        &["--adapter-command", &crashes, "--cases", FAULT_CASES],
    ] {
        run(&place, &[&["run", "-q", "--junit", "j.xml"], more].concat());
        let text = read(&place, "j.xml");
        let document = roxmltree::Document::parse(&text).unwrap();
        for element in document.descendants().filter(roxmltree::Node::is_element) {
            let name = element.tag_name().name();
            let (attributes, children) = allowed_in_junit(name);
            for attribute in element.attributes() {
                assert!(
                    attributes.contains(&attribute.name()),
                    "<{name} {}>",
                    attribute.name()
                );
            }
            for child in element.children().filter(roxmltree::Node::is_element) {
                assert!(
                    children.contains(&child.tag_name().name()),
                    "<{}> in <{name}>",
                    child.tag_name().name()
                );
            }
            seen.insert(name.to_owned());
        }
        let count = |name: &str| {
            document
                .descendants()
                .filter(|node| node.has_tag_name(name))
                .count()
                .to_string()
        };
        let root = document.root_element();
        for (attribute, name) in [
            ("tests", "testcase"),
            ("failures", "failure"),
            ("errors", "error"),
        ] {
            assert_eq!(
                root.attribute(attribute),
                Some(count(name).as_str()),
                "{attribute}"
            );
        }
    }
    let all = [
        "testsuites",
        "testsuite",
        "properties",
        "property",
        "testcase",
        "skipped",
        "failure",
        "error",
        "flakyFailure",
    ];
    all.iter()
        .for_each(|name| assert!(seen.contains(*name), "no <{name}>"));
    assert!(read(&place, "j.xml").contains("cases.yaml:"));
}

#[test]
fn advice_is_red_only_where_it_is_asked_for() {
    let place = tempdir().unwrap();
    let backend = mutant("reversed");
    // The first case cites a permission alone, the second a demand too.
    for (case, advice) in [
        ("consumed-inputs/**", true),
        ("consumed-inputs-with-a-copied-zero/**", false),
    ] {
        let arguments = ["run", case, "--adapter-command", &backend, "-q"];
        let (code, text) = run(&place, &arguments);
        assert!(code == 100 && text.contains(" failed"), "{code} {text}");
        let (code, text) = run(&place, &[&arguments[..], &["--level", "must"]].concat());
        assert!(
            (code == 0 && text.contains(" advisory")) == advice,
            "{code} {text}"
        );
    }
}

#[test]
fn the_gate_runs_what_the_configuration_says() {
    let place = tempdir().unwrap();
    let inner = place.path().join("ci/deep");
    fs::create_dir_all(&inner).unwrap();
    let wrong = mutant("zero-never-copies");
    let config = format!(
        "trials = ['copied-zero*/*/f32/*']\noperators = ['onnx >= 14']\nlevel = 'must'\nretries = 1\n\n[[adapter]]\nname = 'mine'\n\
         command = \"{wrong}\"\n\n[[adapter]]\nname = 'right'\ncommand = \"{BINARY} serve reference\"\ntimeout = 60\n\n[reports]\n\
         events = 'out/events.jsonl'\njunit = 'out/junit.xml'\nhtml = 'out/page.html'\nmarkdown = 'out/summary.md'\ngithub = true\n"
    );
    let write =
        |text: &str| fs::write(place.path().join("reshape-conformance.toml"), text).unwrap();
    write(&config);
    let summary = place.path().join("job.md");
    let output = command(&place, &["run", "--gate"])
        .current_dir(&inner)
        .env("GITHUB_STEP_SUMMARY", &summary)
        .output()
        .unwrap();
    let (code, text) = ended(&output);
    assert_eq!(code, 100, "{text}");
    assert!(
        text.contains("reshape-conformance.toml,line=7,title=")
            && text.contains("run --gate --adapter mine --exact"),
        "{text}"
    );
    for file in [
        "out/events.jsonl",
        "out/junit.xml",
        "out/page.html",
        "out/summary.md",
    ] {
        assert!(!read(&place, file).is_empty(), "{file}");
    }
    assert_eq!(
        fs::read_to_string(summary).unwrap(),
        read(&place, "out/summary.md")
    );
    assert_eq!(
        run(&place, &["run", "--gate", "--adapter", "right", "-q"]).0,
        0
    );
    let (code, text) = run(&place, &["run", "--gate", "--adapter", "nobody"]);
    assert!(
        code == 2 && text.contains("it has mine, right"),
        "{code} {text}"
    );
    // Faults have their place.
    for (text, description, exit) in [
        (
            config.replace("retries", "retires"),
            "unknown field `retires`",
            103,
        ),
        (
            config.replace("level = 'must'", "level = 'may'"),
            "unknown variant `may`",
            103,
        ),
        (
            config.replace("'right'", "'mine'"),
            "two adapters are named 'mine'",
            103,
        ),
        ("retries = 1".to_owned(), "names no [[adapter]]", 2),
    ] {
        write(&text);
        let (code, said) = run(&place, &["run", "--gate"]);
        assert!(
            code == exit && said.contains(description) && said.contains("reshape-conformance.toml"),
            "{code} {said}"
        );
    }
    // An adapter that is not there is no green gate.
    write("[[adapter]]\nname = 'gone'\ncommand = 'no-such-program'\n");
    assert_eq!(run(&place, &["run", "--gate"]).0, 102);
}

#[test]
fn failures_without_a_finding_are_grouped_alike_in_every_report() {
    let place = tempdir().unwrap();
    let trials = "copied-zero-*/onnx.Reshape-14/f32/*+after-other-*";
    let backend = ["--adapter-command", &mutant("zero-never-copies")];
    let record = ["run", trials, "-q", "--events", "whole.jsonl"];
    assert_eq!(run(&place, &[&record[..], &backend].concat()).0, 100);
    // A run that was interrupted has no findings.
    let stream = read(&place, "whole.jsonl");
    let lines = stream
        .lines()
        .filter(|line| !line.contains("\"event\":\"finding\""));
    let without: String = lines.map(|line| format!("{line}\n")).collect();
    fs::write(place.path().join("e.jsonl"), without).unwrap();
    let (_, text) = run(&place, &["report", "render", "e.jsonl"]);
    let groups = text.lines().filter(|line| line.starts_with("✗ ")).count();
    assert!(groups > 1, "{text}");
    let files = ["--junit", "j.xml", "--markdown", "m.md", "--github"];
    let (_, text) = run(
        &place,
        &[&["report", "render", "e.jsonl"][..], &files].concat(),
    );
    let annotations: Vec<_> = text
        .lines()
        .filter(|line| line.starts_with("::error"))
        .collect();
    assert_eq!(annotations.len(), groups, "{text}");
    // A sequence begins with what ran before, which is not what was wrong.
    let is_whole = |line: &&str| line.contains("%0Aexpected ") && line.contains("; got ");
    assert!(annotations.iter().all(is_whole), "{text}");
    let (junit, summary) = (read(&place, "j.xml"), read(&place, "m.md"));
    assert_eq!(junit.matches("type=\"failures\"").count(), groups);
    assert_eq!(summary.matches(" failed, ").count(), groups, "{summary}");
}

#[test]
fn a_job_says_which_part_it_is() {
    let place = tempdir().unwrap();
    let trials = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = command(
            &place,
            &[&["run", "copied-zero*/**", "-q"], arguments].concat(),
        );
        let (code, text) = ended(&command.envs(variables.iter().copied()).output().unwrap());
        (
            code,
            text.split(' ')
                .nth(1)
                .and_then(|count| count.parse::<usize>().ok())
                .unwrap_or(0),
        )
    };
    let (_, all) = trials(&[], &[]);
    let sum = |arguments: &[&str], of: &dyn Fn(usize) -> Vec<(&'static str, String)>| {
        let one = |part| {
            let variables = of(part);
            trials(
                arguments,
                &variables
                    .iter()
                    .map(|(name, value)| (*name, value.as_str()))
                    .collect::<Vec<_>>(),
            )
            .1
        };
        (0..3).map(one).collect::<Vec<_>>()
    };
    let shard = place.path().join("status");
    let bazel = |part: usize| {
        let file = shard.to_string_lossy().into_owned();
        vec![
            ("TEST_TOTAL_SHARDS", "3".to_owned()),
            ("TEST_SHARD_INDEX", part.to_string()),
            ("TEST_SHARD_STATUS_FILE", file),
        ]
    };
    for parts in [
        sum(&[], &bazel),
        sum(&["--partition", "hash:/3"], &|part| {
            vec![("JOB_COMPLETION_INDEX", part.to_string())]
        }),
        sum(&["--partition", "slice:/3"], &|part| {
            vec![
                ("SLURM_ARRAY_TASK_ID", (part + 1).to_string()),
                ("SLURM_ARRAY_TASK_MIN", "1".to_owned()),
            ]
        }),
    ] {
        assert!(
            parts.iter().sum::<usize>() == all && parts.iter().all(|part| *part < all),
            "{parts:?} of {all}"
        );
    }
    assert!(shard.exists());
    assert_eq!(trials(&["--partition", "hash:/3"], &[]).0, 2);
    assert_eq!(trials(&["--partition", "hash:4/3"], &[]).0, 2);
    assert_eq!(
        trials(
            &[],
            &[("TEST_TOTAL_SHARDS", "3"), ("TEST_SHARD_INDEX", "3")]
        )
        .0,
        2
    );
    let junit = place.path().join("bazel.xml");
    trials(&[], &[("XML_OUTPUT_FILE", &junit.to_string_lossy())]);
    assert!(fs::read_to_string(junit).unwrap().contains("<testsuites"));
}

#[test]
fn what_a_backend_says_is_harmless_in_every_report() {
    let place = tempdir().unwrap();
    for fault in [
        "rejects with markup",
        "rejects with escape codes",
        "rejects in 10 MB of invalid UTF-8",
        "floods its log",
    ] {
        let backend = format!("python3 -S {FAULTS} '{fault}'");
        let arguments = [
            "run",
            "--cases",
            FAULT_CASES,
            "--adapter-command",
            &backend,
            "--events",
            "events.jsonl",
        ];
        let files = [
            "--junit",
            "j.xml",
            "--html",
            "p.html",
            "--sarif",
            "s.sarif",
            "--markdown",
            "m.md",
            "--github",
        ];
        let (_, text) = run(&place, &[&arguments[..], &files].concat());
        let commands = text.lines().filter(|line| line.starts_with("::"));
        assert!(
            commands
                .clone()
                .all(|line| line.starts_with("::error file=")),
            "{text}"
        );
        assert!(!text.contains(['\u{1b}', '\u{7}']), "{text}");
        for (name, report) in [
            ("text", text.clone()),
            ("junit", read(&place, "j.xml")),
            ("html", read(&place, "p.html")),
            ("sarif", read(&place, "s.sarif")),
            ("markdown", read(&place, "m.md")),
        ] {
            let turns = ['\u{202e}', '\u{2066}', '\u{200f}', '\u{61c}'];
            assert!(
                !report.contains(turns),
                "{fault}: {name} can be turned around"
            );
            if fault == "rejects with markup" {
                assert!(report.contains("u{202e}"), "{name} does not show it");
            }
        }
        let xml = read(&place, "j.xml");
        roxmltree::Document::parse(&xml).unwrap();
        let page = read(&place, "p.html");
        assert_eq!(page.matches("<script").count(), 2, "{fault}");
        assert!(
            !page.contains("<img") && !page.contains('\u{1b}'),
            "{fault}"
        );
        let sarif: serde_json::Value = serde_json::from_str(&read(&place, "s.sarif")).unwrap();
        assert_eq!(sarif["version"], "2.1.0");
        let summary = read(&place, "m.md");
        assert!(!summary.contains('\u{1b}'), "{fault}");
        for size in [text.len(), page.len(), xml.len(), summary.len()] {
            assert!(size < 4_000_000, "{fault}: {size} bytes");
        }
        assert!(
            fs::metadata(Path::new(&place.path().join("events.jsonl")))
                .unwrap()
                .len()
                < 4_000_000
        );
    }
}

#[test]
fn the_causes_of_the_results_page_add_up_to_what_deviates() {
    let place = tempdir().unwrap();
    // Three rules broken: one known with a cause, one known without, one unknown.
    let known = "- trials: ['copied-zero-*/**']\n  outcome: failed\n  failure: wrong-shape\n  cause: copies-from-the-right\n  \
                 severity: memory\n  reason: 'It reads past the dims.'\n\
                 - trials: ['*-copied/**']\n  outcome: failed\n  severity: accepts-invalid\n  reason: 'It is strict.'\n";
    std::fs::write(place.path().join("known.yaml"), known).unwrap();
    let wrong = mutant("copied-zero-from-the-right");
    let arguments = [
        "run",
        "--adapter-command",
        &wrong,
        "--known-failures",
        "known.yaml",
        "--operator",
        "onnx",
        "*cop*/*/{f32,i64}/**",
        "--results",
        "results.md",
    ];
    assert_eq!(run(&place, &arguments).0, 100);
    let page = read(&place, "results.md");
    let cells = |line: &str| -> Vec<String> { line.split(" | ").map(str::to_owned).collect() };
    let (causes, by_operator) = page.split_once("## Appendix: trials").unwrap();
    let number = |cell: &str| -> usize {
        cell.trim_matches(|c: char| !c.is_ascii_digit())
            .parse()
            .unwrap()
    };
    let rows = |table: &str| -> Vec<Vec<String>> {
        let rows = table.lines().filter(|line| line.contains("serve --mutant"));
        rows.map(cells).collect()
    };
    // A row speaks of as many operators as it names.
    let deviates: usize = rows(by_operator)
        .iter()
        .map(|row| (number(&row[5]) + number(&row[6])) * row[1].split(", ").count())
        .sum();
    let places = causes.lines().filter(|line| line.starts_with("- in: "));
    let listed = places.map(|line| number(line.rsplit(" · ").next().unwrap()));
    let listed: usize = listed.sum();
    assert!(
        deviates > 0 && deviates == listed,
        "{deviates} {listed}\n{page}"
    );
    for line in [
        // What harms the memory is counted for what it shows, too.
        "### 2. memory, wrong-result · It reads past the dims.",
        "cargo xtask reproduce",
        "--cause copies-from-the-right",
        "accepts-invalid · It is strict.",
    ] {
        assert!(page.contains(line), "{line} is not in\n{page}");
    }
}

#[test]
fn of_trials_of_equal_size_the_page_shows_one_of_f32() {
    let place = tempdir().unwrap();
    let wrong = mutant("copied-zero-from-the-right");
    let arguments = [
        "run",
        "--adapter-command",
        &wrong,
        "--results",
        "results.md",
        "copied-zero-first/onnx.Reshape-14/{f16,f32,i8}/constant-static",
    ];
    assert_eq!(run(&place, &arguments).0, 100);
    let page = read(&place, "results.md");
    let is_example = |line: &&str| line.starts_with("- by this suite:");
    let example = page.lines().find(is_example).unwrap_or_default();
    assert!(example.contains("/f32/"), "{example}\n{page}");
}

/// The results page of backends with these names, each with its cause; without one, it has no fault.
fn results_of_backends(backends: &[(&str, &str)]) -> String {
    let place = tempdir().unwrap();
    let mut render = vec!["report".to_owned(), "render".to_owned()];
    for (name, cause) in backends {
        let backend = match *cause {
            "" => format!("{BINARY} serve reference"),
            _ => mutant("copied-zero-from-the-right"),
        };
        let known = format!(
            "- trials: ['**']\n  outcome: failed\n  failure: rejected\n  cause: {cause}\n  reason: 'It copies from the right.'\n"
        );
        fs::write(place.path().join("known.yaml"), known).unwrap();
        let events = format!("{name}.jsonl");
        let mut arguments = vec!["run", "--adapter-command", &backend, "--events", &events];
        if !cause.is_empty() {
            arguments.extend(["--known-failures", "known.yaml"]);
        }
        arguments.push("copied-zero-alone-drops-the-other-dims/**");
        let (code, text) = run(&place, &arguments);
        assert_eq!(code, 0, "{text}");
        // The stream as if the adapter had this name.
        let backend = serde_json::to_string(&backend).unwrap();
        let stream = read(&place, &events).replace(&backend, &format!("\"{name}\""));
        fs::write(place.path().join(&events), stream).unwrap();
        render.push(events);
    }
    render.extend(["--results", "results.md"].map(str::to_owned));
    let render: Vec<_> = render.iter().map(String::as_str).collect();
    let (_, text) = run(&place, &render);
    assert!(place.path().join("results.md").exists(), "{text}");
    read(&place, "results.md")
}

#[test]
fn a_cause_that_shows_through_another_backend_is_told_once() {
    let page = results_of_backends(&[
        ("library", "copies-from-the-right"),
        ("runtime", "library/copies-from-the-right"),
    ]);
    for line in [
        "This page shows what 2 projects (named in the tables) do with",
        "**1 of these projects has 1 fault**, in all tables below.",
        "- 0 read or write memory that is not their own (0 with a valid node)",
        "- 0 crash, hang or take too much memory (0 with a valid node)",
        "- 0 give a wrong result",
        "- 1 refuse a valid node",
        // The row of a cause's other project names both, its own first.
        "| runtime + library |",
        "No current fault was seen in the share of the trials that these were asked: runtime (100 %).",
        "- a cause of library, [1. there](#library-1), which shows through this backend",
    ] {
        assert!(page.contains(line), "{line} is not in\n{page}");
    }
}

#[test]
fn a_cause_of_a_backend_that_does_not_show_it_itself_counts_once_for_that_one() {
    let cause = "library/copies-from-the-right";
    let page = results_of_backends(&[("library", ""), ("one", cause), ("two", cause)]);
    for line in [
        "**1 of these projects has 1 fault**,",
        "| one + library |",
        "| two + library |",
        "No current fault was seen in the share of the trials that these were asked: one (100 %), two (100 %).",
    ] {
        assert!(page.contains(line), "{line} is not in\n{page}");
    }
}

/// The results page of these trials of a mutant, with these known failures.
fn results_of(place: &TempDir, known: &str, trials: &[&str]) -> (i32, String) {
    fs::write(place.path().join("known.yaml"), known).unwrap();
    let arguments = [
        "run",
        "--adapter-command",
        &mutant("copied-zero-from-the-right"),
        "--known-failures",
        "known.yaml",
        "--results",
        "results.md",
    ];
    let (code, _) = run(place, &[&arguments[..], trials].concat());
    (code, read(place, "results.md"))
}

#[test]
fn a_cause_is_shown_by_its_example_and_counted_apart_beside_reshape() {
    let place = tempdir().unwrap();
    let example = "copied-zero-alone-drops-the-other-dims/onnx.Reshape-14/f32/runtime-dynamic";
    let results = |severity: &str| {
        let known = format!(
            "- trials: ['**']\n  outcome: failed\n  failure: rejected\n  cause: from-the-right\n{severity}  \
             example: '{example}'\n  reason: 'It copies from the right.'\n"
        );
        let trials = "copied-zero-alone-drops-the-other-dims/**";
        let (code, page) = results_of(&place, &known, &[trials]);
        assert_eq!(code, 0, "{page}");
        page
    };
    let counted = results("");
    for description in [
        "**1 of these projects has 1 fault**,",
        "## 1. refuses-valid",
        "- reported: nobody has searched the tracker",
        "- text: `onnx.Reshape-14/zero-copies`",
        "- model: the target is an input; the dims of the data are not declared",
        &format!("--exact '{example}'"),
    ] {
        assert!(
            counted.contains(description),
            "{description} is not in\n{counted}"
        );
    }
    let apart = results("  severity: beside-reshape\n");
    for description in ["**No fault.**", "## 1. beside-reshape"] {
        assert!(
            apart.contains(description),
            "{description} is not in\n{apart}"
        );
    }
    assert!(!apart.contains("- text: "), "{apart}");
    // The rules that the cause breaks are cited and marked, and none that the case covers beside them.
    let named = results("  rules: [same-count]\n");
    for description in [
        "- text: `onnx.Reshape-14/same-count`",
        "| `same-count` | ✗ 100 % |",
    ] {
        assert!(
            named.contains(description),
            "{description} is not in\n{named}"
        );
    }
    for description in ["- text: `onnx.Reshape-14/zero-copies`", "| `copied-zero` |"] {
        assert!(!named.contains(description), "{description} is in\n{named}");
    }
}

#[test]
fn a_cause_says_of_what_kinds_it_is_where_it_is_reported_and_who_disputes_it() {
    let place = tempdir().unwrap();
    let results = |more: &str| {
        let known = format!(
            "- trials: ['**']\n  outcome: failed\n  cause: c\n{more}  reason: 'It is so.'\n"
        );
        results_of(
            &place,
            &known,
            &["copied-zero-fits-only-from-the-right/onnx.Reshape-14/f32/constant-static"],
        )
        .1
    };
    let lenient = results(
        "  severity: lenient\n  searched: 'reshape, 2026-11-23'\n  related: ['https://a/1', 'https://a/2', 'upstream/of_a.md']\n  disputed: 'https://a/3'\n",
    );
    for description in [
        "**No fault.**",
        "0 causes do only this.",
        "### 1. lenient · It is so.",
        "| `same-count` | ○ 100 % |",
        "- **disputed**: <https://a/3>",
        "- reported: not yet; searched: reshape, 2026-11-23",
        "- see also: <https://a/1>, <https://a/2>, [upstream/of\\_a.md](<upstream/of_a.md>)",
        "[Dispute it](../.github/ISSUE_TEMPLATE/dispute.md)",
    ] {
        assert!(
            lenient.contains(description),
            "{description} is not in\n{lenient}"
        );
    }
    let memory = results("  severity: memory\n  link: 'https://a/4'\n");
    for description in [
        "- 1 read or write memory that is not their own (0 with a valid node): ",
        "### 1. memory, accepts-invalid, shown only with invalid nodes",
        "| `same-count` | ✗ 100 % |",
        "-1\"></a>",
        " [1](#",
        "- reported: <https://a/4>",
    ] {
        assert!(
            memory.contains(description),
            "{description} is not in\n{memory}"
        );
    }
}

/// A cause that a newer release no longer has is counted apart.
#[test]
fn an_old_cause_is_counted_beside_those_of_the_newest_release() {
    let place = tempdir().unwrap();
    let known = "- trials: ['**']\n  outcome: failed\n  cause: c\n  absent_in: '9.1'\n  reason: 'It is so.'\n";
    let trials = "copied-zero-alone-drops-the-other-dims/onnx.Reshape-14/f32/**";
    let (_, page) = results_of(&place, known, &[trials]);
    for description in [
        "**No fault.**\n\nNot counted: [faults that an adapter avoids](",
        ", and 1 fault, which newer releases of the project at fault no longer have (**old** in the tables). ",
        "| [0 + 1 old](#",
        "refuses-valid, not in 9.1 · It is so.",
    ] {
        assert!(
            page.contains(description),
            "{description} is not in\n{page}"
        );
    }
}

/// A cause whose trials did not run shows their request and what is known.
#[test]
fn a_cause_of_trials_that_are_not_run_shows_what_they_ask() {
    let place = tempdir().unwrap();
    let known = "- trials: ['**']\n  outcome: timed-out\n  quarantine: true\n  cause: slow\n  rules: [one-minus-one]\n  reason: 'It takes hours.'\n";
    let trial = "two-minus-ones/onnx.Reshape-14/f32/constant-static";
    let (_, page) = results_of(&place, known, &["--exact", trial]);
    for description in [
        "got       not run for this page: known not to answer in time",
        "expected  a rejection: the target holds more than one -1",
        "- text: `onnx.Reshape-14/",
        &format!("--exact '{trial}'"),
    ] {
        assert!(
            page.contains(description),
            "{description} is not in\n{page}"
        );
    }
}
