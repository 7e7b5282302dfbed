//! Faults that end the backend or change elements, and what their finding says.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::{BINARY, python_is_there, write_relay};
use crate::reports::run;
use tempfile::tempdir;

/// The reference, which ends its process where it refuses a compilation, each time with other words.
const ENDS: &str = r#"
import os
words = "alpha beta gamma delta epsilon zeta eta theta iota kappa".split()
for message, payload in messages():
    answer, body = forward(message, payload)
    if message["type"] == "hello":
        answer |= {"window": 1, "concurrent_runs": False}
    if answer["type"] == "rejected":
        first = message["id"] % 10
        print("check failed:", *(words[first:] + words[:first])[:3], file=sys.stderr, flush=True)
        os._exit(70)
    reply(answer, body)
"#;

#[test]
fn a_backend_that_ends_instead_of_refusing_is_one_finding_whatever_it_says() {
    if !python_is_there() {
        return;
    }
    let place = tempdir().unwrap();
    write_relay(place.path(), ENDS);
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/cases/volume-mismatch.yaml");
    let command = format!("python3 it.py {BINARY}");
    let arguments = ["run", "**/constant-*", "--cases", cases];
    let more = ["--operator", "onnx.Reshape-14", "--give-up-after", "0"];
    let backend = ["--adapter-command", &command];
    let (code, text) = run(&place, &[&arguments[..], &more, &backend].concat());
    assert_eq!(code, 100, "{text}");
    let headings: Vec<_> = text.lines().filter(|line| line.starts_with('✗')).collect();
    assert_eq!(headings.len(), 1, "{text}");
    assert!(headings[0].contains("(exit status: 70)"), "{text}");
}

/// The reference, which changes the sign of every f32.
const NEGATES: &str = r#"
for message, payload in messages():
    answer, body = forward(message, payload)
    if message["type"] == "hello":
        answer |= {"window": 1, "concurrent_runs": False}
    if answer["type"] == "reshaped":
        body = bytes(byte ^ (128 if at % 4 == 3 else 0) for at, byte in enumerate(body))
    reply(answer, body)
"#;

#[test]
fn elements_with_the_opposite_sign_are_called_so() {
    if !python_is_there() {
        return;
    }
    let place = tempdir().unwrap();
    write_relay(place.path(), NEGATES);
    let command = format!("python3 it.py {BINARY}");
    let run_it = ["run", "row-becomes-column/onnx.Reshape-14/f32/*"];
    let backend = ["--adapter-command", &command];
    let (code, text) = run(&place, &[&run_it[..], &backend].concat());
    assert_eq!(code, 100, "{text}");
    assert!(text.contains("wrong elements"), "{text}");
    assert!(text.contains("(with the opposite sign)"), "{text}");
}
