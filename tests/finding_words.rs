//! Faults that end the backend or change elements, and what their finding says.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::{BINARY, python_is_there, write_relay};
use crate::reports::run;
use tempfile::tempdir;

/// What a red run of this relay prints.
fn printed(relay: &str, arguments: &[&str]) -> String {
    let place = tempdir().unwrap();
    write_relay(place.path(), relay);
    let command = format!("python3 it.py {BINARY}");
    let backend = ["run", "--adapter-command", &command];
    let (code, text) = run(&place, &[&backend[..], arguments].concat());
    assert_eq!(code, 100, "{text}");
    text
}

/// The reference, which ends its process where it refuses a compilation, each time with other words.
const ENDS: &str = r#"
import os
words = "alpha beta gamma delta epsilon zeta eta theta iota kappa".split()
def end(message, answer, body):
    if answer["type"] == "rejected":
        first = message["id"] % 10
        print("check failed:", *(words[first:] + words[:first])[:3], file=sys.stderr, flush=True)
        os._exit(70)
    return body
relay_one_by_one(end)
"#;

#[test]
fn a_backend_that_ends_instead_of_refusing_is_one_finding_whatever_it_says() {
    if !python_is_there() {
        return;
    }
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/cases/volume-mismatch.yaml");
    let trials = ["**/constant-*", "--operator", "onnx.Reshape-14"];
    let more = ["--cases", cases, "--give-up-after", "0"];
    let text = printed(ENDS, &[&trials[..], &more].concat());
    let headings: Vec<_> = text.lines().filter(|line| line.starts_with('✗')).collect();
    assert_eq!(headings.len(), 1, "{text}");
    let said = "(exit status: 70), where the text allows no output";
    assert!(headings[0].contains(said), "{text}");
}

/// The reference, whose outputs of four-byte elements are changed by `change`.
const CHANGES: &str = r#"
def changed(message, answer, body):
    if answer["type"] != "reshaped":
        return body
    return bytes(change(body))
relay_one_by_one(changed)
"#;

#[test]
fn how_all_wrong_elements_differ_is_said() {
    if !python_is_there() {
        return;
    }
    let negated = "change = lambda body: (byte ^ (128 if at % 4 == 3 else 0) for at, byte in enumerate(body))";
    let last = "change = lambda body: body[:-8] + bytes(4) + body[-4:]";
    let all = [
        (negated, "(with the opposite sign)"),
        (last, "(zeros in their place)"),
    ];
    for (change, said) in all {
        let relay = format!("{change}\n{CHANGES}");
        let text = printed(&relay, &["row-becomes-column/onnx.Reshape-14/f32/*"]);
        assert!(text.contains("wrong elements"), "{text}");
        assert!(text.contains(said), "{text}");
    }
}

/// The reference, whose nodes all have the first allowzero that it sees.
const ATTRIBUTES: &str = r#"
first = []
def ask(message):
    attributes = message.get("attributes")
    if message["type"] == "compile":
        first.append(attributes)
        if first[0]:
            message["attributes"] = first[0]
        else:
            message.pop("attributes", None)
relay_one_by_one(ask=ask)
"#;

#[test]
fn what_a_stateful_backend_does_and_how_the_requests_differ_is_said() {
    if !python_is_there() {
        return;
    }
    let of = |cases: &[&str]| -> Vec<String> {
        let versions = cases
            .iter()
            .flat_map(|case| [14, 19, 21].map(|version| (case, version)));
        let names = versions
            .map(|(case, version)| format!("{case}/onnx.Reshape-{version}/f32/constant-static"));
        names.collect()
    };
    // They run in this order.
    let in_order = of(&[
        "allowzero-left-out-on-data-with-elements",
        "allowzero-one",
        "allowzero-one-where-only-copied-zeros-fit",
    ]);
    let cases = [
        (
            [vec!["--exact".to_owned()], in_order].concat(),
            "every 0",
            "after a trial of another model",
        ),
        (
            of(&["{allowzero-left-out,literal-zeros-on-data}*"]),
            "accepts what the text rejects",
            "after a refused trial of another model",
        ),
    ];
    for (trials, what, after) in cases {
        let trials: Vec<&str> = trials.iter().map(String::as_str).collect();
        let text = printed(ATTRIBUTES, &[&["-j1"], &trials[..]].concat());
        let heading = text.lines().find(|line| line.starts_with('✗')).unwrap();
        for said in [what, after] {
            assert!(heading.contains(said), "{text}");
        }
    }
}

/// The reference, which keeps the first constant target of so many values for all models.
const TARGETS: &str = r#"
first = {}
def ask(message):
    if message["type"] == "compile" and "values" in message["target"]:
        target = message["target"]
        message["target"] = first.setdefault(len(target["values"]), target)
relay_one_by_one(ask=ask)
"#;

#[test]
fn the_target_of_another_model_is_recognised() {
    if !python_is_there() {
        return;
    }
    let trials = "{row-becomes-column,two-by-three-becomes-three-by-two,ones-removed-everywhere}/onnx.Reshape-14/f32/constant-static";
    let text = printed(TARGETS, &[trials, "-j1"]);
    assert!(
        text.contains("✗ it takes another model's target after"),
        "{text}"
    );
}

#[test]
fn what_a_sequence_fails_is_of_the_stateful_finding_if_its_lone_node_fails_after_others() {
    if !python_is_there() {
        return;
    }
    let trials = [
        "{row-becomes-column,two-by-three-becomes-three-by-two}/onnx.Reshape-14/f32/constant-static",
        "{minus-one-first,minus-one-last,flattened,dims-in-reverse}/onnx.Reshape-14/f32/constant-static+between-other-models",
        "-j1",
    ];
    let text = printed(TARGETS, &trials);
    let headings: Vec<_> = text.lines().filter(|line| line.starts_with('✗')).collect();
    assert_eq!(headings.len(), 1, "{text}");
}

/// The reference, which ends its process silently at the run of so many.
const ENDS_SILENTLY: &str = r#"
import os
runs = []
def end(message, answer, body):
    runs.extend([message] if message["type"] == "run" else [])
    if len(runs) > 20:
        os._exit(0)
    return body
relay_one_by_one(end)
"#;

#[test]
fn a_silent_end_after_other_trials_has_its_exit_status() {
    if !python_is_there() {
        return;
    }
    let trials = [
        "{copied-zero,minus-one}*/onnx.Reshape-14/f32/constant-static",
        "-j1",
    ];
    let text = printed(ENDS_SILENTLY, &trials);
    let said = "it crashes (exit status: 0) after 20 trials of other models";
    assert!(text.contains(said), "{text}");
}
