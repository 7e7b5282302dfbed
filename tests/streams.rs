//! Streams that two runs, or two backends of one run, would write into each other.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::BINARY;
use crate::reports::{ENOUGH, FAULT_CASES, FAULTS, command, ended, mutant, read, run};
use reshape_conformance::backend::{Adapter, Registry};
use serde_json::{Value, json};
use std::fs;
use std::process::Stdio;
use std::time::Duration;
use tempfile::{TempDir, tempdir};

#[test]
fn a_second_run_does_not_touch_the_stream_of_one_that_is_running() {
    let place = tempdir().unwrap();
    let slow =
        format!("sh -c 'while ! test -e go; do sleep 0.1; done; exec python3 -S {FAULTS} behaves'");
    let run_of = [
        "run",
        "--cases",
        FAULT_CASES,
        "--adapter-command",
        &slow,
        "-j1",
    ];
    let reports = [
        "--events", "it.jsonl", "--junit", "j.xml", "--badge", "b.json",
    ];
    let first = command(&place, &[&run_of[..], &reports].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !std::fs::read_to_string(place.path().join("it.jsonl"))
        .is_ok_and(|it| it.ends_with("}\n"))
    {
        std::thread::sleep(Duration::from_millis(5));
    }
    let before = read(&place, "it.jsonl");
    for option in ["--events", "--resume"] {
        let (code, text) = run(&place, &[&run_of[..], &[option, "it.jsonl"]].concat());
        assert_eq!(code, 2, "{text}");
        assert!(text.contains("another run is writing it.jsonl"), "{text}");
        assert!(read(&place, "it.jsonl").starts_with(&before));
    }
    // Another report is of whoever wrote it first, and the other says so.
    let reference = ["run", "-q", "data-of-one/**", "--cases", FAULT_CASES];
    let (code, text) = run(&place, &[&reference[..], &["--junit", "j.xml"]].concat());
    assert_eq!(code, 0, "{text}");
    let junit = read(&place, "j.xml");
    std::fs::write(place.path().join("go"), "").unwrap();
    let (code, text) = ended(&first.wait_with_output().unwrap());
    assert!(
        code == 105 && text.contains("cannot write j.xml: another command"),
        "{code} {text}"
    );
    assert_eq!(read(&place, "j.xml"), junit);
    assert!(read(&place, "b.json").contains("brightgreen"));
    let text = text.split("error: ").next().unwrap().to_owned();
    assert_eq!(run(&place, &["report", "render", "it.jsonl"]), (0, text));
    // It is free again, and longer than what replaces it.
    let (code, text) = run(
        &place,
        &[&run_of[..], &["data-of-one/**", "--events", "it.jsonl"]].concat(),
    );
    assert_eq!(code, 0, "{text}");
    assert_eq!(run(&place, &["report", "render", "it.jsonl"]), (0, text));
}

#[test]
fn a_backend_that_is_named_twice_is_a_wrong_command_line() {
    let place = tempdir().unwrap();
    let backend = format!("python3 -S {FAULTS} behaves");
    let twice = ["--adapter-command", &backend, "--adapter-command", &backend];
    let (code, text) = run(
        &place,
        &[&["run", "--cases", FAULT_CASES][..], &twice].concat(),
    );
    assert!(
        code == 2 && text.contains("is named twice"),
        "{code} {text}"
    );
}

#[test]
fn streams_of_different_backends_give_one_report() {
    let place = tempdir().unwrap();
    let (wrong, right) = (mutant("reversed"), format!("{BINARY} serve reference"));
    let folder = place.path().join("streams");
    fs::create_dir(&folder).unwrap();
    let trials = "copied-zero-first/onnx*/f32/**";
    let record = |file: &str, arguments: &[&str]| {
        let all = [&["run", "-q", "--events", file], arguments].concat();
        assert!(matches!(run(&place, &all).0, 0 | 100), "{file}");
    };
    record("streams/a.jsonl", &[trials, "--adapter-command", &wrong]);
    record("streams/b.jsonl", &[trials, "--adapter-command", &right]);
    let both = ["--adapter-command", &wrong, "--adapter-command", &right];
    record("both.jsonl", &[&[trials], &both[..]].concat());
    let page = |stream: &str| {
        let (code, text) = run(
            &place,
            &["report", "render", stream, "--results", "page.md"],
        );
        assert_eq!(code, 100, "{text}");
        read(&place, "page.md")
    };
    assert_eq!(page("streams"), page("both.jsonl"));
    record(
        "other.jsonl",
        &["two-minus-ones/**", "--adapter-command", &wrong],
    );
    record(
        "own.jsonl",
        &["--cases", FAULT_CASES, "--adapter-command", &right],
    );
    record("part.jsonl", &[trials, "--partition", "slice:1/2"]);
    for (with, description, exit) in [
        ("both.jsonl", "both have the backend", 5),
        ("other.jsonl", "are of different selections", 5),
        ("own.jsonl", "a report needs one suite", 5),
        ("part.jsonl", "is of a part of a run", 2),
        ("no-such.jsonl", "no-such.jsonl", 103),
    ] {
        let (code, text) = run(&place, &["report", "render", "streams/a.jsonl", with]);
        assert!(code == exit && text.contains(description), "{code} {text}");
    }
}

#[test]
fn a_page_of_streams_of_several_suites_says_which_backend_was_run_with_which() {
    let place = tempdir().unwrap();
    let right = format!("{BINARY} serve reference");
    fs::copy("cases/copied-zero.yaml", place.path().join("own.yaml")).unwrap();
    let trials = ["run", "-q", "copied-zero-first/onnx*/f32/**"];
    let own = ["--cases", "own.yaml", "--adapter-command", &right];
    run(&place, &[&trials[..], &["--events", "a.jsonl"]].concat());
    run(
        &place,
        &[&trials[..], &own, &["--events", "b.jsonl"]].concat(),
    );
    let render = ["report", "render", "a.jsonl", "b.jsonl"];
    let (code, text) = run(&place, &[&render[..], &["--results", "page.md"]].concat());
    assert_eq!(code, 0, "{text}");
    let page = read(&place, "page.md");
    let line = page
        .lines()
        .find_map(|line| Some(line.split_once(" Suite ")?.1));
    let parts: Vec<_> = line.unwrap().split("; suite ").collect();
    assert_eq!(parts.len(), 2, "{line:?}");
    assert!(parts[0].ends_with(" for reference"), "{line:?}");
    let of_own = parts[1].starts_with("of own cases (") && parts[1].contains(&right);
    assert!(of_own, "{line:?}");
    // Other reports need one suite.
    for report in [&["--html", "page.html"][..], &[]] {
        let (code, text) = run(&place, &[&render[..], report].concat());
        assert!(code == 5 && text.contains("one suite"), "{code} {text}");
    }
}

/// Writes the manifest of an adapter whose releases before 2 change a bit.
fn adapter(place: &TempDir, name: &str, package: &str) {
    let folder = place.path().join("adapters").join(name);
    fs::create_dir_all(&folder).unwrap();
    let manifest = format!(
        "name: {name}\nabout: A test\nmodel: none\ninstall: {{python: [{package}==2.0, other==7]}}\n\
         command: [sh, '{{adapter}}/start.sh', '{{env}}']\nsupports:\n\
         - {{operators: [onnx.Reshape-14], element_types: [f32], bindings: [constant-static, runtime-dynamic]}}\n"
    );
    fs::write(folder.join("adapter.yaml"), manifest).unwrap();
    let start = format!(
        "case $1 in *@1*) exec python3 -S {FAULTS} 'changes a bit';; *) exec python3 -S {FAULTS} behaves;; esac\n"
    );
    fs::write(folder.join("start.sh"), start).unwrap();
}

#[test]
fn the_history_shows_in_which_releases_a_cause_is() {
    let place = tempdir().unwrap();
    adapter(&place, "mine", "mine");
    fs::create_dir(place.path().join("streams")).unwrap();
    for (name, release) in [("mine", "2.0"), ("mine@1.10", "1.10"), ("mine@1.9", "1.9")] {
        let file = format!("streams/{release}.jsonl");
        let arguments = [
            "run",
            "-q",
            "--cases",
            FAULT_CASES,
            "--adapter",
            name,
            "--events",
            &file,
        ];
        let (code, text) = run(&place, &arguments);
        assert!(matches!(code, 0 | 100), "{code} {text}");
        // The test's adapter has one version, whatever its release.
        let stream = read(&place, &file);
        let versioned = stream.replace("\"version\":\"1\"", &format!("\"version\":\"{release}\""));
        assert_ne!(stream, versioned);
        fs::write(place.path().join(&file), versioned).unwrap();
    }
    let (code, text) = run(
        &place,
        &[
            "report",
            "render",
            "streams",
            "--history",
            "history.md",
            "--html",
            "history.html",
        ],
    );
    assert_eq!(code, 100, "{text}");
    let html = read(&place, "history.html");
    for said in [
        "<h3>mine</h3>",
        "<td>6</td><td>6</td><td>–</td><td>until 1.10</td>",
    ] {
        assert!(html.contains(said), "{said}: {html}");
    }
    let page = read(&place, "history.md");
    assert!(
        page.contains("## mine\n\n| cause | 1.9 | 1.10 | 2.0 | seen |\n"),
        "{page}"
    );
    assert!(
        page.contains("\n| *trials asked* | 33 | 33 | 33 | |\n"),
        "{page}"
    );
    assert!(page.contains(" | 6 | 6 | – | until 1.10 |\n"), "{page}");
}

#[test]
fn a_release_is_of_the_first_package_of_an_adapter() {
    let place = tempdir().unwrap();
    adapter(&place, "mine", "mine");
    adapter(&place, "built", "tool");
    for (name, description) in [
        ("mine@", "'' cannot be a release of mine"),
        ("mine@1; x", "'1; x' cannot be a release of mine"),
        ("mine@1:fast", "has no configuration 'fast'"),
        ("built@1", "'built' has only one release"),
    ] {
        let (code, text) = run(&place, &["run", "--adapter", name]);
        assert!(
            code == 2 && text.contains(description),
            "{name}: {code} {text}"
        );
    }
}

#[test]
fn a_release_of_a_package_of_npm_is_installed_by_the_same_command() {
    let place = tempdir().unwrap();
    adapter(&place, "mine", "tool");
    let manifest = read(&place, "adapters/mine/adapter.yaml");
    let commands = "install: {commands: [[npm, install, '@scope/mine@2.0']], ";
    let manifest = manifest.replace("install: {", commands);
    fs::write(place.path().join("adapters/mine/adapter.yaml"), manifest).unwrap();
    let release = Adapter::read(&place.path().join("adapters"), "mine@1.9").unwrap();
    let package = release.package.as_ref().unwrap();
    assert_eq!(package.registry, Registry::Npm);
    assert_eq!((&*package.name, &*package.pinned), ("@scope/mine", "2.0"));
    let install = ["npm", "install", "@scope/mine@1.9"].map(str::to_owned);
    assert_eq!(release.install_commands(), [install]);
    assert!(release.copy().is_none());
}

#[test]
fn a_release_of_a_crate_is_built_from_a_copy() {
    let place = tempdir().unwrap();
    adapter(&place, "mine", "tool");
    let folder = place.path().join("adapters/mine");
    let crates =
        "[dependencies]\nother = \"1\"\nmine-core = { version = \"=2.0\" }\nmine-onnx = \"=2.0\"\n";
    fs::write(folder.join("package.toml"), crates).unwrap();
    let manifest = read(&place, "adapters/mine/adapter.yaml");
    let commands = "install: {commands: [[build, '{adapter}', '{env}']], ";
    let manifest = manifest.replace("install: {", commands);
    fs::write(folder.join("adapter.yaml"), manifest).unwrap();

    let adapters = place.path().join("adapters");
    let pinned = Adapter::read(&adapters, "mine").unwrap();
    let package = pinned.package.as_ref().unwrap();
    assert_eq!((&*package.name, &*package.pinned), ("mine-core", "2.0"));
    assert_eq!(package.registry, Registry::Crates);
    let release = Adapter::read(&adapters, "mine@1.9").unwrap();
    // Its sources are a package only in a copy.
    for adapter in [&pinned, &release] {
        let copy = adapter.installed().join("adapters/mine");
        assert_eq!(adapter.copy().as_deref(), Some(&*copy));
        let built = [
            "build",
            &copy.to_string_lossy(),
            &adapter.installed().to_string_lossy(),
        ];
        assert_eq!(adapter.install_commands(), [built]);
    }
    // Beside the pinned one, wherever CARGO_TARGET_DIR puts it.
    let beside = pinned.installed().with_file_name("mine@1.9");
    assert_eq!(release.installed(), beside);
    assert_eq!(
        release.python, pinned.python,
        "the tools stay as they are pinned"
    );
    assert_eq!(release.known_failures_path(), pinned.known_failures_path());
    assert!(Adapter::read(&adapters, "mine@../1").is_err());
}

#[test]
fn a_stream_that_cannot_be_rendered_leaves_no_report_of_an_earlier_one() {
    let place = tempdir().unwrap();
    fs::write(place.path().join("broken.jsonl"), "{}\n").unwrap();
    fs::create_dir(place.path().join("empty")).unwrap();
    let trials = "copied-zero-first/onnx.Reshape-14/f32/*";
    assert_eq!(
        run(&place, &["run", "-q", trials, "--events", "good.jsonl"]).0,
        0
    );
    for (streams, expected) in [
        (&["gone.jsonl"][..], 103),
        (&["broken.jsonl"], 103),
        (&["empty"], 4),
        (&["good.jsonl", "--baseline", "gone.jsonl"], 103),
        (&["good.jsonl", "good.jsonl"], 5),
    ] {
        for file in ["e.jsonl", "j.xml", "p.html"] {
            fs::write(place.path().join(file), "of yesterday").unwrap();
        }
        let render = [
            "report", "render", "--events", "e.jsonl", "--junit", "j.xml",
        ];
        let (code, text) = run(
            &place,
            &[&render[..], &["--html", "p.html"], streams].concat(),
        );
        assert_eq!(code, expected, "{text}");
        for file in ["e.jsonl", "j.xml", "p.html"] {
            let left = fs::read_to_string(place.path().join(file)).unwrap_or_default();
            assert!(left.is_empty(), "{streams:?}: {file}");
        }
    }
    for backend in [
        ["--adapter", "gone"],
        ["--adapter-command", "no-such-program"],
    ] {
        fs::write(place.path().join("e.jsonl"), "of yesterday").unwrap();
        fs::write(place.path().join("s.yaml"), "of yesterday").unwrap();
        let search = ["search", "--events", "e.jsonl", "--save", "s.yaml"];
        let (code, text) = run(&place, &[&search[..], &backend].concat());
        assert!(matches!(code, 2 | 102), "{code} {text}");
        for file in ["e.jsonl", "s.yaml"] {
            let left = fs::read_to_string(place.path().join(file)).unwrap_or_default();
            assert!(left.is_empty(), "{backend:?}: {file}");
        }
    }
    // A stream that is read stays.
    let before = read(&place, "good.jsonl");
    for option in ["--events", "--junit"] {
        let (code, text) = run(
            &place,
            &["report", "render", "good.jsonl", option, "good.jsonl"],
        );
        assert!(
            code == 2 && text.contains("would be overwritten"),
            "{code} {text}"
        );
        assert_eq!(read(&place, "good.jsonl"), before);
    }
}

#[test]
fn a_merge_that_fails_leaves_no_output_and_no_input_is_its_output() {
    let place = tempdir().unwrap();
    let trials = "copied-zero-first/onnx*/f32/**";
    for part in ["1", "2"] {
        let (file, part) = (format!("part-{part}.jsonl"), format!("slice:{part}/2"));
        let it = ["run", "-q", trials, "--partition", &part, "--events", &file];
        assert_eq!(run(&place, &it).0, 0);
    }
    let both = ["merge", "part-1.jsonl", "part-2.jsonl", "-o"];
    let before = read(&place, "part-1.jsonl");
    let (code, text) = run(&place, &[&both[..], &["./part-1.jsonl"]].concat());
    assert!(
        code == 2 && text.contains("is one of the parts"),
        "{code} {text}"
    );
    assert_eq!(read(&place, "part-1.jsonl"), before);
    let all = [&both[..], &["all.jsonl"]].concat();
    for (arguments, expected) in [
        (&["merge", "part-1.jsonl", "-o", "all.jsonl"][..], 5),
        (
            &["merge", "part-1.jsonl", "gone.jsonl", "-o", "all.jsonl"],
            103,
        ),
    ] {
        assert_eq!(run(&place, &all).0, 0);
        let (code, text) = run(&place, arguments);
        assert_eq!(code, expected, "{text}");
        assert!(!place.path().join("all.jsonl").exists(), "{arguments:?}");
    }
}

/// Text that no report may contain unchanged.
const HOSTILE: &str = "\u{202e}\u{1b}[8m\u{1b}]0;title\u{7}\0\u{9b}2J\u{2066}\u{7f}\r::error::";

/// A stream with a text in every field that can hold one.
fn stream_with_every_field(place: &TempDir) -> Vec<Value> {
    let known = "- trials: ['copied-zero-first/*/f32/constant-static', 'two-minus-ones/*/f32/*']\n  outcome: failed\n  \
                 reason: 'It is known.'\n  link: 'https://example.com/1'\n";
    fs::write(place.path().join("known.yaml"), known).unwrap();
    let wrong = mutant("zero-never-copies");
    let config = format!(
        "trials = ['{{copied-zero-first,minus-one-on-empty-data*}}/onnx.Reshape-14/f32/*']\n\
         [[adapter]]\nname = 'mine'\ncommand = \"{wrong}\"\nknown-failures = 'known.yaml'\n\
         [[adapter]]\nname = 'gone'\ncommand = 'no-such-program'\n"
    );
    fs::write(place.path().join("reshape-conformance.toml"), config).unwrap();
    let (code, text) = run(place, &["run", "--gate", "-q", "--events", "it.jsonl"]);
    assert_eq!(code, 100, "{text}");
    let text = read(place, "it.jsonl");
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let mut events: Vec<Value> = lines.collect();
    let mut skipped = ["unavailable", "outside_sample"].into_iter();
    let failure = json!({"kind": "crashed", "message": "it said", "log": "it logged"});
    for event in &mut events {
        match event["event"].as_str().unwrap() {
            "run-started" => {
                event["baseline"] = json!("base.jsonl");
                event["commit"] = json!("0123456789");
                event["link"] = json!("https://example.com/");
            }
            "backend-finished" => {
                event["mishaps"] = json!({"times": 1, "last": failure});
                let place = json!({"file": "known.yaml", "line": 1, "column": 1, "length": 2, "text": "- trials"});
                event["stale"] = json!([place]);
                event["stale"][0]["message"] = json!("no trial has such a name");
                event["stale"][0]["hint"] = json!("remove the line");
            }
            "trial" if event["verdict"] == "failed" => event["outcome"] = failure.clone(),
            "trial" if event["verdict"] == "passed" => {
                if let Some(key) = skipped.next() {
                    event["verdict"] = json!("skipped");
                    event[key] = json!("why not");
                }
            }
            _ => {}
        }
    }
    events.push(json!({"event": "run-stopped", "message": "it stopped"}));
    events
}

/// Changes every text that is not a name of this format.
fn change_texts(value: &mut Value, key: &str, change: &impl Fn(&str) -> String) {
    const NAMES: [&str; 11] = [
        "event", "verdict", "failure", "level", "outcome", "kind", "before", "attempts", "phase",
        "why", "severity",
    ];
    match value {
        Value::String(text) if !NAMES.contains(&key) => *text = change(text),
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| change_texts(item, key, change)),
        Value::Object(fields) => fields
            .iter_mut()
            .for_each(|(key, value)| change_texts(value, key, change)),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[test]
fn no_text_of_a_stream_gets_into_a_report_raw_or_at_any_length() {
    let place = tempdir().unwrap();
    let events = stream_with_every_field(&place);
    let long = "long".repeat(20_000);
    let mut faults = Vec::new();
    for (name, end) in [("raw", HOSTILE), ("long", &long)] {
        let change = |text: &str| format!("{text}{end}");
        let lines = events.iter().cloned().map(|mut event| {
            change_texts(&mut event, "", &change);
            // Other names are other trials.
            event.as_object_mut().unwrap().remove("trials_hash");
            format!("{event}\n")
        });
        fs::write(
            place.path().join("hostile.jsonl"),
            lines.collect::<String>(),
        )
        .unwrap();
        let render = ["report", "render", "hostile.jsonl"];
        let files = [
            ("--junit", "j.xml"),
            ("--html", "p.html"),
            ("--markdown", "m.md"),
            ("--sarif", "s.sarif"),
            ("--badge", "b.json"),
            ("--results", "r.md"),
            ("--history", "h.md"),
        ];
        let options = files.iter().flat_map(|(option, file)| [*option, *file]);
        let options: Vec<_> = options.collect();
        let mut outputs = Vec::new();
        for more in [&["--github"][..], &["-v"], &options] {
            let arguments = [&render[..], more].concat();
            let mut command = command(&place, &arguments);
            command.env("GITHUB_STEP_SUMMARY", place.path().join("summary.md"));
            let (code, text) = ended(&command.env("CLICOLOR_FORCE", "1").output().unwrap());
            assert_eq!(code, 5, "{name} {more:?}: {text}");
            // Without our own colours.
            let codes = [
                "0",
                "1",
                "2",
                "31",
                "32",
                "33",
                "91",
                "92",
                "93",
                "94",
                "96",
                "1m\u{1b}[31",
            ];
            let text = codes.iter().fold(text, |text, code| {
                text.replace(&["\u{1b}[", code, "m"].concat(), "")
            });
            outputs.push((more.join(" "), text));
        }
        for file in files.iter().map(|(_, file)| *file).chain(["summary.md"]) {
            outputs.push((file.to_owned(), read(&place, file)));
        }
        for (output, text) in &outputs {
            let is_raw = |c: char| HOSTILE.contains(c) && !c.is_ascii_graphic() && c != ' ';
            if let Some((before, _)) = text.split_once(is_raw) {
                let start = before.char_indices().nth_back(100).map_or(0, |(at, _)| at);
                faults.push(format!(
                    "{name} {output} is raw after {:?}",
                    &before[start..]
                ));
            }
            if text.contains("\\u001b") {
                faults.push(format!("{name} {output} has an escape of JSON"));
            }
            if text.len() > 2_000_000 {
                faults.push(format!("{name} {output}: {} bytes", text.len()));
            }
        }
        roxmltree::Document::parse(&read(&place, "j.xml")).unwrap();
        // What is shown is what there is: nothing is lost on the way.
        let tests = read(&place, "j.xml").matches("<testcase").count();
        let trials = events.iter().filter(|event| event["event"] == "trial");
        assert!(tests >= trials.count(), "{name}: {tests}");
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn a_part_without_trials_is_no_failure_and_is_not_praised() {
    let place = tempdir().unwrap();
    let it = [
        "run",
        "copied-zero-first/onnx.Reshape-14/f32/*",
        "--badge",
        "b.json",
    ];
    let part = |part: &str| run(&place, &[&it[..], &["--partition", part]].concat());
    let (code, text) = part("slice:300/300");
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains(" (part slice:300/300, of ") && text.contains(": 0 trials "),
        "{text}"
    );
    let badge = read(&place, "b.json");
    assert!(
        badge.contains("nothing judged") && badge.contains("lightgrey"),
        "{badge}"
    );
    let (code, text) = part("slice:1/1");
    assert!(
        code == 0 && read(&place, "b.json").contains("brightgreen"),
        "{text}"
    );
}

#[test]
fn the_results_praise_no_backend_that_never_answered_rightly() {
    let place = tempdir().unwrap();
    let praised = |fault: &str, give_up_after: &str, part: &str| {
        let backend = format!("python3 -S {FAULTS} '{fault}' everywhere");
        let it = ["run", "**", "--cases", FAULT_CASES, "--results", "r.md"];
        let limits = ["--give-up-after", give_up_after, "--partition", part];
        let backend = ["--adapter-command", &backend];
        let (_, text) = run(&place, &[&it[..], &backend, &limits].concat());
        let page = read(&place, "r.md");
        assert!(page.contains("what 1 project does"), "{page} {text}");
        let is_right = page.contains("**No fault.**");
        let is_clean = page.contains("No failed trial.\n");
        assert_eq!(is_right, is_clean, "{page}");
        (is_right, page)
    };
    assert!(praised("behaves", "0", "slice:1/1").0);
    let no_answer = "gave no answer to judge in 10 trials";
    for (fault, give_up_after, part, why) in [
        ("writes garbage", "0", "slice:1/1", no_answer),
        ("says unsupported", "0", "slice:1/1", no_answer),
        (
            "crashes at release",
            "0",
            "slice:1/1",
            "Its cause is unknown, and may be the adapter",
        ),
        (
            "crashes at release",
            "2",
            "slice:1/1",
            "did not run to its end",
        ),
        ("behaves", "0", "slice:300/300", "was asked nothing"),
    ] {
        let (is_right, page) = praised(fault, give_up_after, part);
        assert!(!is_right && page.contains(why), "{fault}: {page}");
    }
}

#[test]
fn a_stream_that_lost_a_trial_is_not_rendered() {
    let place = tempdir().unwrap();
    let wrong = mutant("copied-zero-from-the-right");
    let arguments = ["run", "--events", "whole", "--adapter-command", &wrong];
    assert_eq!(run(&place, &[&arguments[..], &[ENOUGH]].concat()).0, 100);
    let whole = read(&place, "whole");
    let lines: Vec<&str> = whole.lines().collect();
    let has = |verdict: &str| format!("\"verdict\":\"{verdict}\"");
    let is_failed = |line: &&str| line.contains(&has("failed"));
    let (failed, others): (Vec<_>, Vec<_>) = lines.iter().copied().partition(is_failed);
    let passed = others.iter().find(|line| line.contains(&has("passed")));
    let count = |name: &str, count: usize| format!("\"{name}\":{count}");
    let all = whole.matches("{\"event\":\"trial\"").count();
    let without = (others.join("\n") + "\n")
        .replace(&count("failed", failed.len()), &count("failed", 0))
        .replace(&count("trials", all), &count("trials", all - failed.len()));
    let copies = lines.iter().map(|line| match is_failed(line) {
        true => *passed.unwrap(),
        false => *line,
    });
    let copies = copies.collect::<Vec<_>>().join("\n") + "\n";
    let has_ended = |line: &&str| line.contains("backend-finished");
    let endless = lines.iter().copied().filter(|line| !has_ended(line));
    let endless = endless.collect::<Vec<_>>().join("\n") + "\n";
    let forged = [
        (
            "without what failed",
            without,
            "other trials than its start announced",
        ),
        ("with copies of what passed", copies, "two verdicts for"),
        ("without an end of the backend", endless, "has not finished"),
    ];
    for (what, text, description) in forged {
        assert_ne!(text, whole, "{what}");
        fs::write(place.path().join("forged"), text).unwrap();
        for command in [
            &["report", "render", "forged"][..],
            &["merge", "forged", "-o", "merged"],
            &["run", "--baseline", "forged", ENOUGH],
        ] {
            let (code, text) = run(&place, command);
            assert!(
                code == 103 && text.contains(description),
                "{what}: {code} {text}"
            );
        }
    }
}

/// The reports of a run of a wrong backend whose first event and first failure are changed.
fn changed(start: impl Fn(&mut Value), failure: impl Fn(&mut Value)) -> (String, String) {
    let place = tempdir().unwrap();
    let wrong = mutant("zero-never-copies");
    let run_it = [
        "run",
        "copied-zero-first/onnx.Reshape-14/f32/constant-static",
        "-q",
    ];
    run(
        &place,
        &[
            &run_it[..],
            &["--adapter-command", &wrong, "--events", "it.jsonl"],
        ]
        .concat(),
    );
    let events = read(&place, "it.jsonl");
    let mut events: Vec<Value> = events
        .lines()
        .map(|of| serde_json::from_str(of).unwrap())
        .collect();
    start(&mut events[0]);
    events
        .iter_mut()
        .filter(|of| of["verdict"] == "failed")
        .for_each(failure);
    let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
    fs::write(place.path().join("it.jsonl"), lines).unwrap();
    let files = ["--results", "r.md", "--html", "p.html"];
    let (code, text) = run(
        &place,
        &[&["report", "render", "it.jsonl"][..], &files].concat(),
    );
    assert_eq!(code, 100, "{text}");
    (read(&place, "r.md"), read(&place, "p.html"))
}

#[test]
fn an_open_answer_is_inconsistent_for_two_bindings_of_one_layout_only() {
    let place = tempdir().unwrap();
    let page = |case: &str, binding: &str, answer: &str| {
        let trials = ["run", case, "-q", "--events", "e.jsonl"];
        assert_eq!(run(&place, &trials).0, 0);
        let events = read(&place, "e.jsonl");
        let lines = events.lines().map(|line| {
            let mut event: Value = serde_json::from_str(line).unwrap();
            if event["binding"] == binding {
                event["question"]["answer"] = json!(answer);
            }
            format!("{event}\n")
        });
        fs::write(place.path().join("e.jsonl"), lines.collect::<String>()).unwrap();
        let render = ["report", "render", "e.jsonl", "--results", "r.md"];
        assert_eq!(run(&place, &render).0, 0);
        read(&place, "r.md")
    };
    let strided = page(
        "shared-when-asked/array-api.reshape-2023.12/*/*",
        "eager-permuted",
        "rejected",
    );
    assert!(strided.contains("rejects 2") && !strided.contains("**inconsistent** ("));
    let empty = page(
        "copied-zero-takes-a-zero-beside-minus-one/onnx.Reshape-14/f32/*",
        "runtime-static",
        "[0, 3]",
    );
    assert!(empty.contains("**inconsistent** ("), "{empty}");
}

#[test]
fn days_begin_and_end_where_the_calendar_says_and_thousands_are_apart() {
    const DAY: u64 = 86_400_000;
    for (milliseconds, day, count, shown) in [
        (1, "1970-01-01", 7, " 7 trials"),
        (11_016 * DAY, "2000-02-29", 999, " 999 trials"),
        (11_017 * DAY, "2000-03-01", 1_000, " 1,000 trials"),
        (19_722 * DAY, "2023-12-31", 24_333, " 24,333 trials"),
        (19_723 * DAY, "2024-01-01", 1_234_567, " 1,234,567 trials"),
        (1_795_305_599_999, "2026-11-21", 0, " 0 trials"),
    ] {
        let start = |event: &mut Value| {
            (event["started"], event["trials"]) = (json!(milliseconds), json!(count));
        };
        let (results, page) = changed(start, |_| {});
        assert!(
            results.contains(&format!(", run on {day}")),
            "{day}: {results}"
        );
        assert!(
            page.contains(&format!("{shown} for each backend")),
            "{shown}"
        );
    }
}

#[test]
fn what_belongs_to_the_machine_is_left_out_of_the_results_page() {
    let panic = "thread 'main' (11893) panicked at /u/cargo/index.crates.io-0/candle-onnx-0.11.1/src/eval.rs:398:45:";
    let lines = [
        panic,
        "index out of bounds: the len is 1 but the index is 1",
        "stack backtrace:",
        "   0: __rustc::rust_begin_unwind",
        "             at /rustc/abc/library/std/src/panicking.rs:698:5",
        "  File \"/work/x/target/adapters/jax/lib/python3.11/site-packages/jax/_src/dtypes.py\", line 3, in f",
        "ends at 0x7f12abcd9876, as /u/someone/it/main.py does; [4294967296] of f32 0x3f800000, 1/2/3/4",
        "- [0] 9007199254740993 0x0020000000000001",
        "[07:11:58] :46: ir version: 7",
    ];
    let wanted = [
        "thread 'main' panicked at candle-onnx-0.11.1/src/eval.rs:398:45:",
        "index out of bounds: the len is 1 but the index is 1",
        "  File \"jax/_src/dtypes.py\", line 3, in f",
        "ends at 0x…, as main.py does; [4294967296] of f32 0x3f800000, 1/2/3/4",
        "- [0] 9007199254740993 0x0020000000000001",
        "[…] :46: ir version: 7",
    ];
    let shown = |lines: &[&str]| {
        let line = |text: &&str| json!({"kind": "text", "text": text});
        let diff: Vec<_> = lines.iter().map(line).collect();
        changed(|_| {}, |failure| failure["story"]["diff"] = json!(diff)).0
    };
    let page = shown(&lines);
    assert!(page.contains(&wanted.join("\n")), "{page}");
    let page = shown(&["line"; 20]);
    assert!(page.contains("line\n… (6 more lines)\n"), "{page}");
}
