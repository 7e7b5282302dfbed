//! Whether an output shares memory with the data is judged where a case tests it, and not where nobody sees it.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::{BINARY, python_is_there, write_relay};
use crate::reports::run;
use tempfile::tempdir;

/// The reference, whose replies say this of the memory instead, or nothing.
const SAYS: &str = r#"
shares = {"shared": True, "copied": False, "unseen": None}[sys.argv[2]]
for message, payload in messages():
    answer, body = forward(message, payload)
    if answer["type"] == "hello":
        answer["window"] = 1
    if answer["type"] == "reshaped":
        answer["shares"] = shares
    reply(answer, body)
"#;

#[test]
fn memory_is_judged_as_the_case_tests_it_and_not_where_nobody_sees_it() {
    if !python_is_there() {
        return;
    }
    let place = tempdir().unwrap();
    write_relay(place.path(), SAYS);
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
