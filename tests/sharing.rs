//! Whether an output shares memory with the data is judged where a case tests it, and not where nobody sees it.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::{BINARY, python_is_there};
use crate::reports::run;
use std::fs;
use tempfile::tempdir;

/// The reference, whose replies say this of the memory instead, or nothing.
const SAYS: &str = r#"
import json, subprocess, sys
program, shares = sys.argv[1], {"shared": True, "copied": False, "unseen": None}[sys.argv[2]]
child = subprocess.Popen([program, "serve", "reference"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for line in sys.stdin.buffer:
    message = json.loads(line)
    message.pop("more", None)
    payload = sys.stdin.buffer.read(message.get("payload", 0))
    child.stdin.write(json.dumps(message).encode() + b"\n" + payload)
    child.stdin.flush()
    reply = json.loads(child.stdout.readline())
    body = child.stdout.read(reply.get("payload", 0))
    if reply["type"] == "hello":
        reply["window"] = 1
    if reply["type"] == "reshaped":
        reply["shares"] = shares
    sys.stdout.buffer.write(json.dumps(reply).encode() + b"\n" + body)
    sys.stdout.buffer.flush()
"#;

#[test]
fn memory_is_judged_as_the_case_tests_it_and_not_where_nobody_sees_it() {
    if !python_is_there() {
        return;
    }
    let place = tempdir().unwrap();
    fs::write(place.path().join("it.py"), SAYS).unwrap();
    for (case, verdicts) in [
        ("copied-when-asked", ["failed", "passed", "skipped"]),
        // A library that cannot share may refuse, so the right answer is recorded.
        ("shared-when-asked", ["recorded", "failed", "skipped"]),
        ("shared-where-possible", ["passed", "failed", "skipped"]),
        ("minus-one-first", ["passed", "passed", "passed"]),
    ] {
        let trial = format!("{case}/array-api.reshape-2022.12/f32/eager");
        for (says, verdict) in ["shared", "copied", "unseen"].into_iter().zip(verdicts) {
            let command = format!("python3 it.py {BINARY} {says}");
            let arguments = ["run", "--exact", &trial, "--adapter-command", &command];
            let (code, said) = run(&place, &arguments);
            assert!(
                said.contains(&format!("1 {verdict}")),
                "{trial} {says}: {said}"
            );
            assert_eq!(code == 100, verdict == "failed", "{said}");
        }
    }
}
