//! The documents are true: their commands run, their examples load, and their tables match the code.

#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "docs/markdown.rs"]
mod markdown;
#[path = "docs/schema.rs"]
mod schema;

/// The example of README.md, compiled.
#[allow(dead_code)]
#[path = "docs/backend.rs"]
mod backend;

use crate::program::{BINARY, is_thorough, program, with_python};
use markdown::{Block, anchors, blocks, first_column, links, rows, section};
use reshape_conformance::backend::{Adapter, known_adapters};
use reshape_conformance::semantics::operator::{Question, Reason, Rule};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Commands with one of these are not run here: CI runs them itself, or they need an adapter that may not be installed.
const NOT_RUN: &[&str] = &[
    "cargo test",
    "cargo nextest",
    "cargo xtask",
    ".ci/run",
    "export PYTHONPATH",
    "--adapter ",
    "--all-adapters",
    "adapter check numpy",
    "adapters install ",
    "target/adapters/",
    // commands::the_reference_behind_the_protocol_… runs it on some operators.
    "run --adapter-command \"target/release/reshape-conformance serve reference\"",
    // kits::the_example_of_the_c_kit_… runs it.
    "run --adapter-command target/example",
    // It would write into the repository.
    "--markdown docs/",
    "--history docs/",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(document: &str) -> String {
    fs::read_to_string(root().join(document)).unwrap_or_else(|error| panic!("{document}: {error}"))
}

fn documents() -> Vec<String> {
    let mut documents: Vec<_> = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "python/README.md",
    ]
    .map(str::to_owned)
    .into();
    let docs = fs::read_dir(root().join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    documents.extend(
        docs.filter(|name| name.ends_with(".md"))
            .map(|name| format!("docs/{name}")),
    );
    documents
}

fn all_blocks(language: &str) -> Vec<Block> {
    let all = documents()
        .into_iter()
        .flat_map(|document| blocks(&document, &read(&document)));
    all.filter(|block| block.language == language).collect()
}

/// A folder that looks like the repository's, for commands that write files.
#[cfg(unix)]
fn workplace() -> TempDir {
    let place = tempfile::tempdir().unwrap();
    for name in ["cases", "adapters", "docs"] {
        std::os::unix::fs::symlink(root().join(name), place.path().join(name)).unwrap();
    }
    fs::create_dir(place.path().join("target")).unwrap();
    let requests = all_blocks("json")
        .into_iter()
        .find(|block| block.text.starts_with(r#"{"operator""#))
        .unwrap();
    fs::write(place.path().join("requests.jsonl"), requests.text).unwrap();
    // The adapter of README's first screen.
    let runtime = "#!/bin/sh\nexec \"$PROGRAM\" serve --mutant zero-with-minus-one-without-zeros\n";
    let adapter = place.path().join("my-adapter");
    fs::write(&adapter, runtime).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&adapter, mode).unwrap();
    place
}

/// The library's test `the_suite_kills_every_mutant` does this, up to the first trial that kills each.
const OF_THE_LIBRARY: &str = "cargo run --release -- mutants";

/// The suite on the reference: a transcript shows what it prints.
const OF_A_TRANSCRIPT: &str = "cargo run --release";

/// The longest of them: only a thorough test runs it.
const OF_CI: &str = "cargo run --release -- mutants --core";

fn is_run(command: &str) -> bool {
    NOT_RUN.iter().all(|part| !command.contains(part))
        && command != OF_THE_LIBRARY
        && (command != OF_CI || is_thorough())
}

/// Runs a command of a document by the shell, with the program of this build.
fn run(command: &str, place: &Path) -> Output {
    let command = command
        .replace("cargo run --release --", "\"$PROGRAM\"")
        .replace("cargo run --release", "\"$PROGRAM\"");
    let command = command
        .replace(BINARY, "$PROGRAM")
        .replace("target/release/reshape-conformance", "$PROGRAM");
    let mut shell = with_python(Command::new("sh"));
    let command = match command.strip_prefix("reshape-conformance ") {
        Some(arguments) => {
            // The commands that it prints are then those of an installed program.
            shell.env_remove("CARGO");
            format!("PATH=\"${{PROGRAM%/*}}:$PATH\"; reshape-conformance {arguments}")
        }
        None => command,
    };
    shell
        .args(["-c", &command])
        .env("PROGRAM", BINARY)
        .current_dir(place)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(unix)]
#[test]
fn every_command_ends_as_the_document_says() {
    let place = workplace();
    let mut seen = BTreeSet::new();
    for block in all_blocks("sh") {
        for line in block.text.lines() {
            let (command, comment) = line.split_once(" #").unwrap_or((line, ""));
            let command = command.trim();
            let is_run = is_run(command) && command != OF_A_TRANSCRIPT;
            if command.is_empty() || !is_run || !seen.insert(command.to_owned()) {
                continue;
            }
            let expected = comment
                .trim()
                .strip_prefix("exit code ")
                .map_or(0, |code| code.parse().unwrap());
            let output = run(command, place.path());
            let said = text(&output.stderr);
            assert_eq!(
                output.status.code(),
                Some(expected),
                "{}:{}: {command}\n{said}",
                block.document,
                block.line
            );
        }
    }
    assert!(seen.len() > 10, "the documents show few commands: {seen:?}");
}

/// A transcript's lines in order; `...` stands for any lines, or for the rest of one.
fn agrees(shown: &[String], real: &[String]) -> bool {
    match (shown.split_first(), real.split_first()) {
        (None, None) => true,
        (Some((line, rest)), _) if line == "..." => {
            (0..=real.len()).any(|skipped| agrees(rest, &real[skipped..]))
        }
        (Some((shown, shown_rest)), Some((real, real_rest))) => {
            let same = shown
                .strip_suffix("...")
                .map_or(shown == real, |start| real.starts_with(start));
            same && agrees(shown_rest, real_rest)
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// The counts change with every case that is added, so a run's numbers are not compared.
fn lines(text: &str, with_numbers: bool) -> Vec<String> {
    let blank = |line: &str| {
        line.chars()
            .filter(|c| with_numbers || !c.is_ascii_digit())
            .collect()
    };
    text.trim_end().lines().map(blank).collect()
}

/// Whether a block is a case that the transcript below it lints; the case may have a fault.
fn is_saved_by_an_editor(block: &Block) -> bool {
    block.language == "yaml" && block.text.starts_with("# yaml-language-server: ")
}

#[cfg(unix)]
#[test]
fn every_transcript_is_what_the_command_prints() {
    let place = workplace();
    let all = documents().into_iter();
    let all = all.flat_map(|document| blocks(&document, &read(&document)));
    for block in all {
        if is_saved_by_an_editor(&block) {
            let schema = yaml(&read("docs/cases.schema.json"));
            let marked = schema::faults(&schema, &schema, &yaml(&block.text));
            assert!(marked.is_empty(), "{marked:?}");
            fs::write(place.path().join("target/my-case.yaml"), &block.text).unwrap();
        }
        if block.language != "console" {
            continue;
        }
        for part in block.text.split("$ ").skip(1) {
            let (command, shown) = part.split_once('\n').unwrap();
            if !is_run(command) {
                continue;
            }
            let of_numbers = command != "cargo run --release";
            let output = run(command, place.path());
            let real = text(&output.stdout);
            let agrees = agrees(&lines(shown, of_numbers), &lines(&real, of_numbers));
            assert!(
                agrees,
                "{}:{}: {command} prints\n{real}",
                block.document, block.line
            );
        }
    }
}

/// The file of this name that `docs/gate.md` shows as a whole.
fn script_of_the_gate(start: &str) -> String {
    let blocks = blocks("docs/gate.md", &read("docs/gate.md"));
    let scripts = blocks.into_iter().map(|block| block.text);
    let mut scripts = scripts.filter(|text| text.starts_with("#!/bin/sh"));
    scripts.find(|text| text.contains(start)).unwrap()
}

#[cfg(unix)]
#[test]
fn the_array_of_slurm_is_red_if_a_part_is_missing() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    std::os::unix::fs::symlink(BINARY, at("reshape-conformance")).unwrap();
    let gate = "trials = ['copied-zero-first/onnx.Reshape-14/**']\n[[adapter]]\nname = 'mine'\ncommand = \"reshape-conformance serve reference\"\n";
    fs::write(at("reshape-conformance.toml"), gate).unwrap();
    let part = script_of_the_gate("--array");
    let whole = script_of_the_gate("merge");
    let sh = |script: &str, number: u32| {
        let others = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{others}", place.path().display());
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(place.path());
        command.env("PATH", path).env("SLURM_ARRAY_TASK_MIN", "1");
        command.env("SLURM_ARRAY_TASK_ID", number.to_string());
        command.output().unwrap().status.code()
    };
    for number in 1..=8 {
        assert_eq!(sh(&part, number), Some(0));
    }
    assert_eq!(sh(&whole, 0), Some(0));
    assert!(at("junit.xml").exists());
    fs::remove_file(at("part-3.jsonl")).unwrap();
    assert_eq!(sh(&whole, 0), Some(5));
    assert!(!at("events.jsonl").exists());
}

#[cfg(unix)]
#[test]
fn the_examples_of_the_gate_run() {
    if !crate::program::python_is_there() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    fs::create_dir(at("ci")).unwrap();
    let adapter = format!("import os\nos.execv({BINARY:?}, [{BINARY:?}, 'serve', 'reference'])\n");
    fs::write(at("ci/adapter.py"), adapter).unwrap();
    fs::write(at("ci/known-failures.yaml"), "").unwrap();
    let examples = blocks("docs/gate.md", &read("docs/gate.md"));
    let (mut configurations, mut commands) = (0, BTreeSet::new());
    for example in examples.iter().filter(|of| of.language == "toml") {
        let config = format!(
            "trials = ['copied-zero-first/onnx*/f32/**']\n{}",
            example.text
        );
        fs::write(at("reshape-conformance.toml"), config).unwrap();
        let output = run("reshape-conformance run --gate -q", place.path());
        let said = text(&output.stderr);
        assert!(
            output.status.success(),
            "docs/gate.md:{}: {said}",
            example.line
        );
        configurations += 1;
    }
    let known = "known-failures = 'ci/known-failures.yaml'\n";
    let config = fs::read_to_string(at("reshape-conformance.toml")).unwrap() + known;
    fs::write(at("reshape-conformance.toml"), config).unwrap();
    // What GitLab, Jenkins and a terminal run, without what they put in.
    for example in examples.iter().filter(|of| of.language != "toml") {
        for (start, _) in example.text.match_indices("reshape-conformance ") {
            let command = example.text[start..]
                .split(['\'', '"', '\n', '|'])
                .next()
                .unwrap();
            let is_of_gate = command.contains(" --gate") && !command.contains('$');
            if is_of_gate && commands.insert(command.trim()) {
                let output = run(command.trim(), place.path());
                let said = text(&output.stderr);
                assert!(output.status.success(), "docs/gate.md: {command}: {said}");
            }
        }
    }
    assert!(configurations >= 3 && commands.len() >= 4, "{commands:?}");
    assert!(at("junit.xml").exists() && at("page.html").exists());
}

#[test]
fn every_example_of_a_case_agrees_with_the_reference() {
    let place = tempfile::tempdir().unwrap();
    let examples = blocks("docs/cases.md", &read("docs/cases.md"));
    let examples: Vec<_> = examples
        .into_iter()
        .filter(|block| ["yaml", "xml"].contains(&block.language.as_str()))
        .filter(|block| !is_saved_by_an_editor(block))
        .collect();
    assert!(examples.len() >= 3);
    for block in examples {
        let file = place.path().join(format!("cases.{}", block.language));
        fs::write(&file, &block.text).unwrap();
        let output = program().arg("lint").arg(&file).output().unwrap();
        assert!(
            output.status.success(),
            "docs/cases.md:{}\n{}",
            block.line,
            text(&output.stderr)
        );
    }
}

#[test]
fn the_example_of_a_manifest_is_read() {
    let place = tempfile::tempdir().unwrap();
    let example = blocks("docs/adapters.md", &read("docs/adapters.md"))
        .into_iter()
        .find(|block| block.language == "yaml");
    fs::create_dir(place.path().join("mine")).unwrap();
    fs::write(
        place.path().join("mine").join("adapter.yaml"),
        example.unwrap().text,
    )
    .unwrap();
    for name in ["mine", "mine:quiet"] {
        Adapter::read(place.path(), name)
            .unwrap_or_else(|error| panic!("docs/adapters.md: {error}"));
    }
}

#[test]
fn the_messages_of_the_protocol_are_json() {
    for block in blocks("docs/protocol.md", &read("docs/protocol.md")) {
        if block.language == "json" {
            for message in serde_json::Deserializer::from_str(&block.text.replace('→', " "))
                .into_iter::<serde_json::Value>()
            {
                let message = message
                    .unwrap_or_else(|error| panic!("docs/protocol.md:{}: {error}", block.line));
                assert!(
                    message["type"].is_string() && message["id"].is_u64(),
                    "{message}"
                );
            }
        }
    }
}

#[test]
fn the_example_of_a_rust_backend_is_the_one_that_is_compiled() {
    let example = blocks("README.md", &read("README.md"))
        .into_iter()
        .find(|block| block.language == "rust")
        .unwrap();
    assert_eq!(
        example.text,
        include_str!("docs/backend.rs"),
        "README.md and tests/docs/backend.rs differ"
    );
}

#[test]
fn every_link_leads_somewhere() {
    // The package index shows this page elsewhere, so a relative link would lead nowhere.
    let page = "python/README.md";
    let links_of_page = links(&read(page));
    assert!(
        read("pyproject.toml").contains(page) && links_of_page.is_empty(),
        "{links_of_page:?}"
    );
    for document in documents() {
        let own = read(&document);
        let folder = root().join(&document).parent().unwrap().to_owned();
        for link in links(&own).iter().filter(|link| !link.contains("://")) {
            let (path, anchor) = link
                .split_once('#')
                .map_or((link.as_str(), None), |(path, anchor)| (path, Some(anchor)));
            let target = if path.is_empty() {
                root().join(&document)
            } else {
                folder.join(path)
            };
            assert!(target.exists(), "{document}: {link} leads nowhere");
            if let Some(anchor) = anchor {
                let text = fs::read_to_string(&target).unwrap();
                let is_heading = anchors(&text).iter().any(|known| known == anchor);
                let found = is_heading || text.contains(&format!("<a id=\"{anchor}\">"));
                assert!(found, "{document}: {link} has no such heading");
            }
        }
    }
}

/// The first row whose beginning fits applies, so `onnxruntime-web-` comes before `onnxruntime-`.
#[test]
fn every_report_for_upstream_has_the_sections_of_its_tracker() {
    let trackers = rows(&read("docs/upstream/README.md"));
    let mut used = BTreeSet::new();
    for entry in fs::read_dir(root().join("docs/upstream")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name == "README.md" {
            continue;
        }
        let tracker = trackers.iter().find(|row| name.starts_with(&row[0]));
        let tracker = tracker.unwrap_or_else(|| panic!("{name}: no tracker in README.md"));
        used.insert(&tracker[0]);
        let report = read(&format!("docs/upstream/{name}"));
        let (mut in_code, mut sections) = (false, Vec::new());
        for line in report.lines() {
            in_code ^= line.starts_with("```");
            sections.extend(line.strip_prefix("## ").filter(|_| !in_code));
        }
        assert_eq!(sections.join(" · "), tracker[3], "{name}");
        let empty = sections
            .iter()
            .find(|head| section(&report, &format!("## {head}")).trim().is_empty());
        assert_eq!(empty, None, "{name}: an empty section");
    }
    let listed: BTreeSet<_> = trackers.iter().map(|row| &row[0]).collect();
    assert_eq!(used, listed);
}

/// A cause that shows in today's release is reported, or somebody has searched for it. Each report is of a cause, which
/// the results page leads from, or of a fault that an adapter avoids.
#[test]
fn every_cause_is_reported_or_was_searched_for() {
    let (mut causes, mut known) = (BTreeSet::new(), BTreeSet::new());
    let mut related = BTreeSet::new();
    for adapter in known_adapters(&root().join("adapters")) {
        let in_full = |cause: &str| match cause.contains('/') {
            true => cause.to_owned(),
            false => format!("{adapter}/{cause}"),
        };
        let of_today = Adapter::read(&root().join("adapters"), &adapter).unwrap();
        causes.extend(of_today.causes().unwrap().iter().map(|of| in_full(of)));
        for file in fs::read_dir(root().join("adapters").join(&adapter)).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            if !name.starts_with("known-failures") {
                continue;
            }
            let text = read(&format!("adapters/{adapter}/{name}"));
            for entry in yaml(&text).as_array().into_iter().flatten() {
                let Some(cause) = entry["cause"].as_str() else {
                    continue;
                };
                let texts = entry["related"].as_array().into_iter().flatten();
                related.extend(texts.map(|of| of.as_str().unwrap().to_owned()));
                if entry["link"].is_string() || entry["searched"].is_string() {
                    known.insert(in_full(cause));
                }
            }
        }
    }
    let unknown: Vec<_> = causes.difference(&known).collect();
    assert!(unknown.is_empty(), "neither link nor searched: {unknown:?}");
    let index = read("docs/upstream/README.md");
    let avoided = section(&index, "## Faults that adapters avoid");
    for report in fs::read_dir(root().join("docs/upstream")).unwrap() {
        let name = report.unwrap().file_name().into_string().unwrap();
        let leads = related.remove(&format!("upstream/{name}"));
        assert!(
            leads || name == "README.md" || avoided.contains(&name),
            "no cause is related to docs/upstream/{name}"
        );
    }
    let mut files = related.iter().filter(|of| !of.contains(':'));
    assert_eq!(files.next(), None, "no such report");
}

#[test]
fn the_rules_reasons_and_questions_are_those_of_the_code() {
    let rules: Vec<Vec<String>> = Rule::ALL
        .iter()
        .map(|rule| vec![rule.name().to_owned(), rule.description().to_owned()])
        .collect();
    assert_eq!(rows(section(&read("docs/cases.md"), "## Rules")), rules);
    let oracle = read("docs/oracle.md");
    let reason = |reason: &Reason| {
        [reason.name(), reason.description(), reason.rule().name()]
            .map(str::to_owned)
            .to_vec()
    };
    assert_eq!(
        rows(section(&oracle, "## Reasons")),
        Reason::ALL.iter().map(reason).collect::<Vec<_>>()
    );
    let question = |q: &Question| {
        [q.name(), q.asks(), q.allowed(), q.choice(), q.debated()]
            .map(str::to_owned)
            .to_vec()
    };
    assert_eq!(
        rows(section(&oracle, "## Questions")),
        Question::ALL.iter().map(question).collect::<Vec<_>>()
    );
}

/// The names of a kind of word in the event stream.
fn names_in_events(kind: &str) -> Vec<String> {
    let schema: serde_json::Value = serde_json::from_str(&read("docs/events.schema.json")).unwrap();
    let names = schema["$defs"][kind]["oneOf"].as_array().unwrap().iter();
    names
        .map(|of| of["const"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_verdicts_failures_and_exit_codes_are_those_of_the_program() {
    let readme = read("README.md");
    let place = tempfile::tempdir().unwrap();
    let page = place.path().join("page.html");
    let mut run = program();
    run.args(["run", "copied-zero-first/onnx.Reshape-14/f32/*", "--html"]);
    assert!(run.arg(&page).output().unwrap().status.success());
    // The page's data begins with each verdict, and whether it is red.
    let page = fs::read_to_string(page).unwrap();
    let (_, data) = page.split_once("\"verdicts\":").unwrap();
    let mut data = serde_json::Deserializer::from_str(data).into_iter::<Vec<(String, bool)>>();
    let verdicts = data.next().unwrap().unwrap();
    let rows_of = rows(section(&readme, "## Verdicts")).into_iter();
    let described: Vec<_> = rows_of
        .map(|row| (row[0].clone(), row[2] == "yes"))
        .collect();
    assert_eq!(described, verdicts);

    let help = text(&program().arg("--help").output().unwrap().stdout);
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, codes) = help.split_once("Exit codes: ").unwrap();
    let codes = codes.split(" · ").filter_map(|code| code.split(' ').next());
    let described = first_column(section(&readme, "## Exit codes"));
    assert_eq!(described, codes.collect::<Vec<_>>());

    let failures = names_in_events("FailureKind");
    let events = read("docs/events.md");
    assert_eq!(first_column(section(&events, "### failure")), failures);
    let fields = rows(&read("docs/known-failures.md"));
    let field = |name: &str| fields.iter().find(|row| row[0] == name).unwrap()[2].clone();
    assert!(failures.iter().all(|name| field("failure").contains(name)));
    let is_outcome = |name: &str| !["lost", "stateful"].contains(&name);
    let red = verdicts
        .iter()
        .filter(|(name, is_red)| *is_red && is_outcome(name));
    for (name, _) in red {
        assert!(field("outcome").contains(name), "{name}");
    }
}

#[test]
fn the_examples_of_known_failures_are_read() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("known.yaml");
    let reference = format!("{BINARY} serve reference");
    for block in blocks("docs/known-failures.md", &read("docs/known-failures.md")) {
        if block.language == "yaml" {
            fs::write(&file, &block.text).unwrap();
            let mut run = program();
            run.args(["run", "copied-zero-first/onnx.Reshape-14/f32/*", "-q"]);
            run.args(["--adapter-command", &reference, "--known-failures"]);
            let output = run.arg(&file).output().unwrap();
            // A file that is wrong ends with 103.
            let (code, errors) = (output.status.code(), text(&output.stderr));
            assert!(
                matches!(code, Some(0 | 101)),
                "{code:?}: {}\n{errors}",
                block.text
            );
        }
    }
}

#[test]
fn what_is_decided_is_shown_by_a_case() {
    let oracle = read("docs/oracle.md");
    let decided = rows(section(&oracle, "## Decided, and why"));
    assert!(!decided.is_empty());
    for row in decided {
        let [_, why, case] = row.as_slice() else {
            panic!("{row:?}")
        };
        assert!(!why.is_empty(), "{row:?}");
        let mut command = program();
        let shown = command.args(["show", case]).current_dir(root());
        assert!(shown.output().unwrap().status.success(), "{case}");
    }
}

#[test]
fn the_commands_and_adapters_are_all_in_the_readme() {
    let readme = read("README.md");
    let help = text(&program().arg("--help").output().unwrap().stdout);
    let listed = help
        .split("Commands:\n")
        .nth(1)
        .unwrap()
        .split("\n\n")
        .next()
        .unwrap();
    // A description that is too long goes on in the next line, further in.
    let names = listed
        .lines()
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| !line.starts_with(' '));
    let names = names
        .filter_map(|line| line.split(' ').next())
        .filter(|name| *name != "help")
        .map(str::to_owned);
    let shown = first_column(section(&readme, "## Commands"));
    assert_eq!(BTreeSet::from_iter(shown), names.collect::<BTreeSet<_>>());
    assert_eq!(
        first_column(section(&readme, "## Adapters")),
        known_adapters(&root().join("adapters"))
    );
}

#[test]
fn the_coverage_page_is_up_to_date() {
    let output = program()
        .args(["coverage", "--markdown", "-"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let agrees = text(&output.stdout) == read("docs/coverage.md");
    assert!(
        agrees,
        "docs/coverage.md is out of date: `cargo run --release -- coverage --markdown docs/coverage.md` writes it"
    );
}

#[test]
fn every_field_of_an_event_is_described() {
    let (described, schema) = (read("docs/events.md"), read("docs/events.schema.json"));
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    let kinds = schema["$defs"].as_object().unwrap();
    let fields = kinds
        .values()
        .filter_map(|kind| kind["properties"].as_object())
        .flat_map(|fields| fields.keys());
    for field in fields {
        assert!(
            described.contains(&format!("`{field}`")),
            "docs/events.md does not speak of {field}"
        );
    }
}

#[cfg(unix)]
#[test]
fn every_line_of_the_stream_is_as_its_schema_says() {
    let place = workplace();
    let wrong = format!(
        "reshape-conformance run --adapter-command \"{BINARY} serve --mutant zero-never-copies\""
    );
    let output = run(
        &format!("{wrong} '*/onnx.Reshape-14/{{f32,string}}/*' --events events.jsonl"),
        place.path(),
    );
    assert_eq!(output.status.code(), Some(100), "{}", text(&output.stderr));
    let schema: serde_json::Value = serde_json::from_str(&read("docs/events.schema.json")).unwrap();
    let mut kinds = BTreeSet::new();
    for line in fs::read_to_string(place.path().join("events.jsonl"))
        .unwrap()
        .lines()
    {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        let faults = schema::faults(&schema, &schema, &event);
        assert!(faults.is_empty(), "{faults:?} in {line}");
        kinds.insert(event["event"].as_str().unwrap().to_owned());
    }
    assert_eq!(kinds.len(), 9, "{kinds:?}");
}

#[test]
fn the_schemas_are_up_to_date() {
    for of in ["events", "config"] {
        let output = program().args(["schema", of]).output().unwrap();
        let path = format!("docs/{of}.schema.json");
        assert!(
            text(&output.stdout) == read(&path),
            "`schema {of}` does not print {path}"
        );
    }
    let (described, schema) = (read("docs/gate.md"), read("docs/config.schema.json"));
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    let inner = schema["$defs"]
        .as_object()
        .unwrap()
        .values()
        .filter_map(|kind| kind["properties"].as_object());
    for key in inner
        .chain(schema["properties"].as_object())
        .flat_map(|keys| keys.keys())
    {
        assert!(
            described.contains(&format!("`{key}`")),
            "docs/gate.md does not speak of {key}"
        );
    }
}

/// A YAML document as JSON.
fn yaml(text: &str) -> serde_json::Value {
    serde_yaml::from_str(text).unwrap()
}

#[test]
fn the_schemas_for_editors_hold_for_the_files_of_this_repository() {
    let schema = |name: &str| yaml(&read(&format!("docs/{name}.schema.json")));
    let holds = |name: &str, path: &Path| {
        let (schema, text) = (schema(name), fs::read_to_string(path).unwrap());
        // A list of nothing but comments.
        let value = match text
            .lines()
            .all(|line| line.is_empty() || line.starts_with('#'))
        {
            true => serde_json::json!([]),
            false => yaml(&text),
        };
        let faults = schema::faults(&schema, &schema, &value);
        assert!(faults.is_empty(), "{}: {faults:?}", path.display());
    };
    let (mut cases, mut adapters) = (0, 0);
    for entry in fs::read_dir(root().join("cases")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "yaml") {
            holds("cases", &path);
            cases += 1;
        }
    }
    for entry in fs::read_dir(root().join("adapters")).unwrap() {
        let folder = entry.unwrap().path();
        for (file, name) in [
            ("adapter.yaml", "manifest"),
            ("known-failures.yaml", "known-failures"),
        ] {
            if folder.join(file).exists() {
                holds(name, &folder.join(file));
                adapters += 1;
            }
        }
    }
    assert!(cases > 20 && adapters > 10, "{cases}, {adapters}");
    let (schema, wrong) = (
        schema("cases"),
        "[{name: A, operators: [onx], covers: [copied-zeros]}]",
    );
    assert!(schema::faults(&schema, &schema, &yaml(wrong)).len() >= 5);
}
