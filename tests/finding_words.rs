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

/// The reference, which changes the sign of every f32.
const NEGATES: &str = r#"
def negate(message, answer, body):
    if answer["type"] != "reshaped":
        return body
    return bytes(byte ^ (128 if at % 4 == 3 else 0) for at, byte in enumerate(body))
relay_one_by_one(negate)
"#;

#[test]
fn elements_with_the_opposite_sign_are_called_so() {
    if !python_is_there() {
        return;
    }
    let text = printed(NEGATES, &["row-becomes-column/onnx.Reshape-14/f32/*"]);
    assert!(text.contains("wrong elements"), "{text}");
    assert!(text.contains("(with the opposite sign)"), "{text}");
}
