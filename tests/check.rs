//! `adapter check`: what it says of each fault of a shim, and whose fault it says it is.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::python_is_there;
use crate::reports::run;
use std::fs;
use tempfile::tempdir;

const SHIM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/shim.py");

/// What a check says of a shim with this fault, except for what is right and for the elements of a diff, and the exit code.
fn check(fault: &str) -> String {
    let place = tempdir().unwrap();
    let shim = format!("python3 -S {SHIM} '{fault}'");
    let (code, text) = run(&place, &["adapter", "check", &shim, "--timeout", "20"]);
    let is_told = |line: &&str| {
        !["ok ", "      asking", "      + ", "      - ", "        ["]
            .iter()
            .any(|of| line.starts_with(of))
    };
    let told: Vec<_> = text.lines().filter(is_told).collect();
    format!("{fault}: exit code {code}\n{}\n\n", told.join("\n"))
}

#[test]
fn each_fault_of_a_shim_gets_its_own_advice() {
    if !python_is_there() {
        return;
    }
    const FAULTS: &[&str] = &[
        "nothing is wrong",
        // On the wire.
        "prints a line",
        "gives float dims",
        "leaves offset out",
        "leaves id out",
        "takes another id",
        "counts elements",
        "says too short a payload",
        "ends a payload with a line break",
        "gives no handle",
        "answers run with compiled",
        "ends at a run",
        // In the shim.
        "swaps bytes",
        "is column-major",
        "gives another type",
        "gives another shape",
        "gives the dims negative",
        "infers -1 for unknown",
        "cannot refuse",
        "reads targets big-endian",
        "refuses a version",
        "refuses unknown dims",
        "cannot do a type",
        // Of the backend.
        "accepts two -1s",
        // At the end.
        "does not answer release",
        "does not answer bye",
        "ends with a status",
    ];
    std::thread::scope(|scope| {
        let halves = FAULTS.chunks(FAULTS.len().div_ceil(2));
        let halves: Vec<_> = halves
            .map(|half| scope.spawn(|| half.iter().map(|fault| check(fault)).collect::<String>()))
            .collect();
        let told = halves.into_iter().map(|half| half.join().unwrap());
        insta::assert_snapshot!("adapter-check", told.collect::<String>());
    });
}

#[cfg_attr(not(unix), test)]
pub(crate) fn who_is_killed_by_the_runner_is_not_said_to_have_died_of_a_signal() {
    if !python_is_there() {
        return;
    }
    for fault in ["closes its output", "does not end"] {
        let told = check(fault);
        assert!(told.contains("killed by the runner)"), "{told}");
        assert!(!told.contains("signal"), "{told}");
    }
}

#[test]
fn a_type_is_asked_through_an_operator_that_lists_it() {
    if !python_is_there() {
        return;
    }
    let told = check("cannot do a type, and has a version without it");
    assert!(told.contains("no u8"), "{told}");
}

#[test]
fn a_check_takes_the_name_of_an_adapter_of_the_gate() {
    if !python_is_there() {
        return;
    }
    let place = tempdir().unwrap();
    let gate = format!("[[adapter]]\nname = 'mine'\ncommand = \"python3 -S {SHIM} good\"\n");
    fs::write(place.path().join("reshape-conformance.toml"), gate).unwrap();
    let (code, text) = run(&place, &["adapter", "check", "mine"]);
    assert!(code == 0 && text.contains("shakes hands: shim 1"), "{text}");
    let (code, text) = run(&place, &["adapter", "check", "other"]);
    assert!(
        code == 102 && text.contains("did not start: other"),
        "{text}"
    );
}
