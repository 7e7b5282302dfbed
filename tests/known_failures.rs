//! Known failures: which failures an entry explains, and what an update makes of a file.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::{BINARY, TERMINAL, python_is_there, with_python, write_relay};
use crate::reports::{ended, mutant, read, run};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::process::Command;
use tempfile::{TempDir, tempdir};

/// The first is refused for its count, the second for its target, and the third is accepted.
const CASES: &str = "\
- {name: one, operators: [onnx.Reshape-14], covers: [same-count], data: {shape: [6], element_types: [f32]}, shape: [7], expect: {rejected: volume-mismatch}}
- {name: two, operators: [onnx.Reshape-14], covers: [one-minus-one], data: {shape: [2, 3], element_types: [f32]}, shape: [-1, -1], expect: {rejected: two-minus-ones}}
- {name: three, operators: [onnx.Reshape-14], covers: [same-count], data: {shape: [6], element_types: [f32]}, shape: [2, 3], expect: {shape: [2, 3]}}
";

const FILE: &str = "\
# Reported last year.
- trials:
    - \"one/**\"
    - \"two/*/*/runtime-*\"
  outcome: failed
  failure: not-rejected
  reason: \"It does not look.\" # they know

- trials: [\"three/**\"]
  when: {version: \"9.*\"}
  outcome: crashed
  reason: \"It falls over.\"
  quarantine: true
";

/// A command on a backend with this fault and this file of known failures.
fn on(place: &TempDir, command: &[&str], fault: &str, file: &str) -> (i32, String) {
    fs::write(place.path().join("cases.yaml"), CASES).unwrap();
    fs::write(place.path().join("known.yaml"), file).unwrap();
    let backend = match fault {
        "" => format!("{BINARY} serve reference"),
        fault => mutant(fault),
    };
    let files = ["--cases", "cases.yaml", "--known-failures", "known.yaml"];
    let backend = ["--adapter-command", &backend];
    run(place, &[command, &files, &backend].concat())
}

#[test]
fn an_update_changes_only_what_no_longer_holds() {
    let place = tempdir().unwrap();
    let other = "- trials: [\"one/**\", \"[t]wo/**\"] # of old\n  outcome: failed\n  reason: R.\n";
    let braces = "- {trials: [\"one/**\"], outcome: failed, reason: R.}\n";
    let fields = "outcome: failed, reason: R.";
    let shared = [", ", ",\n "].map(|between| {
        format!("[{{trials: [\"one/**\"], {fields}}}{between}{{trials: [\"two/**\"], {fields}}}]\n")
    });
    let mut shown = String::new();
    for (fault, reason, file) in [
        // A pattern without a `+` never means trials in surroundings.
        ("count-unchecked-at-run", "It is \"new\".", FILE),
        ("second-minus-one-is-1", "It does not look.", FILE),
        ("", "Nothing is new.", FILE),
        ("count-unchecked-at-run", "R.", other),
        ("count-unchecked-at-run", "R.", braces),
        ("count-unchecked-at-run", "R.", &shared[0]),
        ("count-unchecked-at-run", "R.", &shared[1]),
    ] {
        let command = ["known-failures", "update", "--reason", reason];
        let (code, said) = on(&place, &command, fault, file);
        let after = read(&place, "known.yaml");
        write!(shown, "# {fault}: {said}# [exit {code}]\n{after}\n").unwrap();
    }
    insta::assert_snapshot!("known-failures-updated", shown);
}

#[test]
fn an_entry_explains_only_the_failures_that_it_is_about() {
    let place = tempdir().unwrap();
    let all = "trials: ['two/**', 'two/*/*/*+*']";
    let mut shown = String::new();
    for entry in [
        format!("{all}, outcome: failed, failure: not-rejected"),
        format!("{all}, outcome: failed, failure: not-rejected, when: {{version: '0.*'}}"),
        format!("{all}, outcome: failed, failure: not-rejected, when: {{version: '2.*'}}"),
        "trials: ['two/*/*/runtime-*'], outcome: failed".to_owned(),
        format!("{all}, outcome: crashed"),
        // Only the third case can fail in this way, and it passes.
        "trials: ['**'], outcome: failed, failure: rejected".to_owned(),
        // A quarantine holds wherever it stands.
        format!(
            "{all}, outcome: failed, reason: It is wrong.}}\n- {{trials: ['two/**'], outcome: crashed, quarantine: true"
        ),
        "trials: ['one/**', 'twos/**'], outcome: failed".to_owned(),
    ] {
        let file = format!("- {{{entry}, reason: It does not look.}}\n");
        let (code, said) = on(&place, &["run"], "second-minus-one-is-1", &file);
        let tells = |line: &&str| {
            let starts = ["known.yaml", "error: ", "--> "];
            starts.iter().any(|start| line.starts_with(start)) || line.contains(" trials = ")
        };
        let lines: Vec<_> = said.lines().map(str::trim_start).filter(tells).collect();
        write!(shown, "{file}{} [exit {code}]\n\n", lines.join("\n")).unwrap();
    }
    let shown = shown.replace(&mutant("second-minus-one-is-1"), "it");
    insta::assert_snapshot!("known-failures-explained", shown);
}

/// A few cases for several faults: an update compares its patterns with every trial of the suite, and of the built-in one
/// these are too many for a command that is repeated.
const FOR_SEVERAL: &str = "\
- {name: two-minus-ones, operators: [onnx.Reshape-14], covers: [one-minus-one], data: {shape: [2, 3], element_types: [f32, f16]}, shape: [-1, -1], expect: {rejected: two-minus-ones}}
- {name: three-minus-ones, operators: [onnx.Reshape-14], covers: [one-minus-one], data: {shape: [6], element_types: [f32]}, shape: [-1, 1, -1, -1], expect: {rejected: two-minus-ones}}
- {name: zero-copied, operators: [onnx.Reshape-14], covers: [copied-zero], data: {shape: [2, 3], element_types: [f32, f16]}, shape: [0, 3], zero: copy, expect: {shape: [2, 3]}}
- {name: every-type, operators: [onnx.Reshape-14], covers: [same-count], data: {shape: [6], element_types: [f32, f16, u8]}, shape: [7], expect: {rejected: volume-mismatch}}
- {name: one-more-than-a-scalar, operators: [onnx.Reshape-14], covers: [same-count], data: {shape: [], element_types: [f32]}, shape: [2], expect: {rejected: volume-mismatch}}
- {name: good, operators: [onnx.Reshape-14], covers: [same-count], data: {shape: [6], element_types: [f32]}, shape: [2, 3], expect: {shape: [2, 3]}}
";

/// A gate of the core of some cases, and a backend with several faults.
fn gate() -> TempDir {
    let place = tempdir().unwrap();
    fs::write(place.path().join("several.yaml"), FOR_SEVERAL).unwrap();
    let wrong = mutant("zero-never-copies");
    let config = format!(
        "cases = ['several.yaml']\ncore = true\noperators = ['onnx.Reshape-14']\n[[adapter]]\nname = 'mine'\nknown-failures = 'known.yaml'\n\
         command = '{wrong} --mutant count-unchecked-at-run --mutant second-minus-one-is-1'\n"
    );
    fs::write(place.path().join("reshape-conformance.toml"), config).unwrap();
    place
}

const UPDATE: [&str; 3] = ["known-failures", "update", "--gate"];

#[test]
fn an_update_from_recorded_events_runs_nothing() {
    let place = gate();
    fs::write(place.path().join("known.yaml"), "").unwrap();
    let (code, said) = run(&place, &["run", "--gate", "-q", "--events", "e.jsonl"]);
    assert_eq!(code, 100, "{said}");
    let config = read(&place, "reshape-conformance.toml");
    let absent = config.replace("serve --mutant", "absent");
    assert_ne!(config, absent);
    fs::write(place.path().join("reshape-conformance.toml"), absent).unwrap();
    let from = |more: &[&str]| {
        run(
            &place,
            &[&UPDATE[..], &["--from", "e.jsonl"], more].concat(),
        )
    };
    let (code, said) = from(&[]);
    assert_eq!(code, 2, "{said}");
    let ids = said
        .lines()
        .filter_map(|line| line.strip_prefix("  finding: "));
    let reasons: Vec<_> = ids
        .flat_map(|id| ["--finding", id, "--reason", "R."])
        .collect();
    let (code, said) = from(&reasons);
    assert!(code == 0 && said.contains(" explained, 0 left"), "{said}");
    fs::write(place.path().join("reshape-conformance.toml"), config).unwrap();
    let (code, said) = run(&place, &["run", "--gate", "-q"]);
    assert_eq!(code, 0, "{said}");
    // The events of another suite say nothing about this one.
    let events = read(&place, "e.jsonl").replace("\"suite_hash\":\"", "\"suite_hash\":\"0");
    fs::write(place.path().join("e.jsonl"), events).unwrap();
    let (code, said) = from(&[]);
    assert!(
        code == 4 && said.contains("no trial of 'mine' ran on this suite"),
        "{code} {said}"
    );
}

#[test]
fn each_finding_gets_its_own_reason_for_exactly_its_failures() {
    let place = gate();
    let update = |arguments: &[&str]| run(&place, &[&UPDATE, arguments].concat());
    let of = |id| ["--finding", id, "--reason"];
    let (code, said) = update(&[]);
    assert_eq!(code, 2, "{said}");
    let ids = said
        .lines()
        .filter_map(|line| line.strip_prefix("  finding: "));
    let ids: Vec<_> = ids.collect();
    assert!(
        ids.len() > 1 && ids.contains(&"second-minus-one-is-1"),
        "{said}"
    );
    // Failures of several findings need several reasons.
    let (code, said) = update(&["--reason", "It is wrong."]);
    let names_all = ids.iter().all(|id| said.contains(id));
    assert!(code == 2 && names_all, "{code} {said}");
    // What selects nothing is an error.
    for nothing in [
        &["no-such-case", "--reason", "R."][..],
        &["minus-one", "no-such-case", "--reason", "R."],
        &["--failure", "wrong-content", "--reason", "R."],
        &["--finding", "no-such-finding", "--reason", "R."],
        &[
            "every-type",
            "--finding",
            "second-minus-one-is-1",
            "--reason",
            "R.",
        ],
    ] {
        let (code, said) = update(nothing);
        assert!(
            code == 4 && said.contains("no new failure"),
            "{nothing:?} {code} {said}"
        );
    }
    for wrong in [
        &["R.", "--reason", "S."][..],
        &["R.", "--finding", ids[0]],
        &["R.", "--link", "l", "--link", "m"],
    ] {
        let wrong = [&of(ids[0])[..], wrong].concat();
        assert_eq!(update(&wrong).0, 2, "{wrong:?}");
    }
    assert_eq!(read(&place, "known.yaml"), "");

    // What is explained changes what the others have in common, so each time the command is asked.
    for at in 0.. {
        let (code, said) = update(&[]);
        let id = said
            .lines()
            .find_map(|line| line.strip_prefix("  finding: "));
        let Some(id) = id else {
            assert_eq!(code, 0, "{said}");
            break;
        };
        let before = read(&place, "known.yaml");
        let reason = format!("This is fault {at}.");
        let (code, said) = update(&["--finding", id, "--reason", &reason]);
        assert_eq!(code, 0, "{said}");
        let after = read(&place, "known.yaml");
        let new = after.strip_prefix(&before).expect("it only adds");
        let patterns = |text: &str, start: &str| {
            let lines = text.lines().filter_map(|line| line.strip_prefix(start));
            lines
                .map(|line| line.trim_matches('"').to_owned())
                .collect::<BTreeSet<_>>()
        };
        let has_reason = said.lines().any(|line| line == reason);
        assert!(
            patterns(&said, "  + ") == patterns(new, "    - ") && has_reason,
            "only what changed: {said}"
        );
    }
    let (code, green) = run(&place, &["run", "--gate", "-q"]);
    assert_eq!(code, 0, "{green}");
    let (_, said) = update(&[]);
    assert_eq!(said.lines().count(), 2, "nothing changed: {said}");
    // The entries are about nothing else: no trial outside the core is known.
    let count = |said: &str| {
        let before = said.split(" known").next().unwrap();
        before.rsplit(' ').next().unwrap().to_owned()
    };
    let (code, said) = run(&place, &["run", "--gate", "-q", "--core=false"]);
    let last = said
        .lines()
        .find(|line| line.contains(" trials = "))
        .unwrap();
    assert!(code == 100 && !last.contains("fixed"), "{said}");
    assert_eq!(count(last), count(&green), "{said}");
}

#[test]
fn two_faults_get_a_reason_each_in_few_lines() {
    let place = gate();
    // The whole of the files that both faults are about.
    let files = ["copied-zero", "minus-one-errors", "zero-with-minus-one"];
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/cases");
    let config = read(&place, "reshape-conformance.toml")
        .replace(
            "['several.yaml']",
            &format!("{:?}", files.map(|file| format!("{folder}/{file}.yaml"))),
        )
        .replace("core = true", "core = false")
        .replace(" --mutant count-unchecked-at-run", "");
    fs::write(place.path().join("reshape-conformance.toml"), config).unwrap();
    fs::write(place.path().join("known.yaml"), "").unwrap();
    let whole = ["run", "--gate", "-q", "--events", "e.jsonl"];
    let (code, said) = run(&place, &whole);
    assert_eq!(code, 100, "{said}");
    let events = read(&place, "e.jsonl");
    for finding in ["zero-never-copies", "second-minus-one-is-1"] {
        let id = format!("\"id\":\"{finding}\"");
        assert!(events.contains(&id), "no finding {finding}");
    }
    let update = |arguments: &[&str]| run(&place, &[&UPDATE, arguments].concat());
    let (code, said) = update(&["--reason", "They are wrong."]);
    assert_eq!(code, 2, "{said}");
    let of = |id, why| ["--finding", id, "--reason", why];
    let both = [
        of("second-minus-one-is-1", "It takes a -1 as 1."),
        of("zero-never-copies", "It copies no length."),
    ];
    let (code, said) = update(&both.concat());
    assert!(code == 0 && said.contains(" 0 left, "), "{code} {said}");
    let known = read(&place, "known.yaml");
    assert!(known.matches("\n    - ").count() < 40, "{known}");
    for reason in ["It takes a -1 as 1.", "It copies no length."] {
        assert!(known.contains(reason), "{known}");
    }
    // They match every failure, and nothing else: no entry is stale, and nothing is fixed.
    assert_eq!(run(&place, &["run", "--gate", "-q"]).0, 0);
}

#[test]
fn an_update_of_the_core_keeps_what_only_the_whole_suite_shows() {
    let place = gate();
    let update = |arguments: &[&str]| run(&place, &[&UPDATE, arguments].concat());
    let whole = [
        "minus-ones",
        "--core=false",
        "--reason",
        "It takes a -1 as 1.",
    ];
    assert_eq!(update(&whole).0, 0);
    let known = read(&place, "known.yaml");
    // A backend without the fault: the core shows that, and knows nothing of the others.
    let config =
        read(&place, "reshape-conformance.toml").replace(" --mutant second-minus-one-is-1", "");
    fs::write(place.path().join("reshape-conformance.toml"), config).unwrap();
    let (code, said) = update(&["one-more-than", "--reason", "It sends too much."]);
    let mut removed = said.lines().filter(|line| line.starts_with("  - "));
    let is_removed = removed.any(|line| line.contains("minus-ones"));
    assert!(code == 0 && is_removed, "{code} {said}");
    let whole = ["run", "--gate", "minus-ones", "--core=false", "-q"];
    let (code, said) = run(&place, &whole);
    assert!(
        code == 101 && said.contains(" fixed"),
        "{code} {said} {known}"
    );
}

#[test]
fn an_update_drops_a_pattern_whose_trials_the_backend_does_not_claim() {
    let place = gate();
    let config = read(&place, "reshape-conformance.toml")
        .replace("core = true", "core = false")
        .replace(" --mutant count-unchecked-at-run", "")
        .replace(" --mutant second-minus-one-is-1", "")
        + "limits = {surroundings = []}\n";
    fs::write(place.path().join("reshape-conformance.toml"), config).unwrap();
    let reason = ["--reason", "They are wrong."];
    assert_eq!(run(&place, &[&UPDATE[..], &reason].concat()).0, 0);
    let known = read(&place, "known.yaml");
    let dead = "    - \"two-minus-ones/onnx.Reshape-14/f32/constant-static+after-reshape\"\n";
    let both = known.replacen("  outcome:", &format!("{dead}  outcome:"), 1);
    fs::write(place.path().join("known.yaml"), both).unwrap();
    let (code, said) = run(&place, &UPDATE);
    assert!(
        code == 0 && said.contains("1 pattern without a trial removed"),
        "{code} {said}"
    );
    assert_eq!(read(&place, "known.yaml"), known);
}

#[test]
fn on_a_terminal_an_update_asks_for_the_reason_of_each_finding() {
    if !python_is_there() {
        return;
    }
    let place = gate();
    // The first is left out, and the third question is not answered.
    let mut asked = with_python(Command::new("python3"));
    asked.args([
        "-c",
        TERMINAL,
        "questions: ",
        "\nThe answer to the second.\n\u{4}",
        BINARY,
    ]);
    asked
        .args(UPDATE)
        .current_dir(place.path())
        .env_remove("CI");
    let (code, said) = ended(&asked.output().unwrap());
    assert!(
        code == 0 && said.matches("questions: ").count() == 3,
        "{code} {said}"
    );
    // A finding that fails in two ways has two entries.
    let known = read(&place, "known.yaml");
    let answered = known
        .matches("reason: \"The answer to the second.\"")
        .count();
    assert!(
        (1..=2).contains(&answered) && known.matches("reason: ").count() == answered,
        "{known}"
    );
}

/// The reference, which breaks at every request.
const BREAKS: &str = r#"
for message, payload in messages():
    if message["type"] == "hello":
        reply(*forward(message, payload))
    elif message["type"] == "bye":
        break
    else:
        reply({"type": "rejected", "id": message["id"], "phase": "compile", "message": "NameError: dimz", "internal": True})
child.kill()
"#;

#[test]
fn a_backend_that_breaks_at_everything_has_fixed_nothing() {
    if !python_is_there() {
        return;
    }
    let place = tempdir().unwrap();
    write_relay(place.path(), BREAKS);
    let known = "- {trials: ['two-minus-ones/**'], outcome: failed, failure: not-rejected, reason: It does not look.}\n";
    fs::write(place.path().join("known.yaml"), known).unwrap();
    let command = format!("python3 it.py {BINARY}");
    let trial = "two-minus-ones/onnx.Reshape-14/f32/constant-static";
    let it = [
        "--adapter-command",
        &command,
        "--known-failures",
        "known.yaml",
        "--exact",
        trial,
    ];
    let (code, said) = run(&place, &[&["run"], &it[..]].concat());
    assert!(
        code == 0 && said.contains("1 passed") && said.contains("by accident"),
        "{code} {said}"
    );
    assert!(!said.contains("fixed"), "{said}");
}
