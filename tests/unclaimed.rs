//! Backends that claim nothing: what they decline is skipped, unless the run shows that they support it.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::{BINARY, program, python_is_there, write_relay};
use crate::reports::{ended, run};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use tempfile::{TempDir, tempdir};

/// The reference, which declines what an expression of Python says of a `compile`.
const DECLINES: &str = r#"
claims_nothing, declines = sys.argv[2:]
for message, payload in messages():
    if message["type"] == "compile" and eval(declines, {}, message):
        answer, body = {"type": "unsupported", "id": message["id"], "message": "not for me"}, b""
    else:
        answer, body = forward(message, payload)
    if message["type"] == "hello":
        answer |= {"claims_nothing": claims_nothing == "yes", "window": 1, "concurrent_runs": False}
    reply(answer, body)
"#;

const F16: &str = "element_type == 'f16'";

fn place() -> TempDir {
    let place = tempdir().unwrap();
    write_relay(place.path(), DECLINES);
    place
}

/// A run of the cases about copied zeros on ONNX 13 and 14. Returns the exit code and the output.
fn declining(place: &TempDir, claims_nothing: &str, what: &str, more: &[&str]) -> (i32, String) {
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/cases/copied-zero.yaml");
    let command = format!(r#"python3 it.py {BINARY} {claims_nothing} "{what}""#);
    let arguments = ["run", "--cases", cases, "--operator", "onnx >= 13, < 19"];
    run(
        place,
        &[&arguments[..], &["--adapter-command", &command], more].concat(),
    )
}

#[test]
fn what_a_backend_without_a_claim_declines_is_skipped_and_listed_by_operator() {
    if !python_is_there() {
        return;
    }
    let place = place();
    let (code, said) = declining(&place, "yes", F16, &["--events", "it.jsonl"]);
    assert_eq!(code, 0, "{said}");
    let listed = said
        .lines()
        .find(|line| line.contains("not claim them, or declined"));
    assert!(listed.unwrap().contains("onnx.Reshape-14 "), "{said}");
    assert!(said.contains("the backend declined: not for me"), "{said}");
    assert!(
        !said.contains(" 0 skipped") && said.contains(" skipped"),
        "{said}"
    );
    let events = fs::read_to_string(place.path().join("it.jsonl")).unwrap();
    let declined = events.lines().find(|line| line.contains("/f16/")).unwrap();
    assert!(declined.contains(r#""verdict":"skipped""#), "{declined}");
    assert!(declined.contains("not for me"), "{declined}");
    // The page of results counts them as declined, not as passed. ONNX 13 has no trials in surroundings.
    let of = |part: &str| {
        let lines = events.lines().filter(|line| line.contains(part));
        lines.filter(|line| line.contains("not for me")).count()
    };
    run(
        &place,
        &["report", "render", "it.jsonl", "--results", "it.md"],
    );
    let page = fs::read_to_string(place.path().join("it.md")).unwrap();
    let declined = format!("; {} that it was asked could not be judged", of("/f16/"));
    assert!(page.contains(&declined), "{page}");
    let mut rows = page
        .lines()
        .filter(|line| line.contains("| onnx.Reshape-13 |"));
    let skipped = format!("| {} |", of("/onnx.Reshape-13/f16/"));
    assert!(rows.any(|row| row.ends_with(&skipped)), "{page}");
    // With a claim it is a failure, as ever.
    let (code, said) = declining(&place, "no", F16, &[]);
    assert_eq!(code, 100, "{said}");
}

#[test]
fn an_operator_that_is_declined_as_a_whole_is_red() {
    if !python_is_there() {
        return;
    }
    let place = place();
    let (code, said) = declining(&place, "yes", "operator == 'onnx.Reshape-13'", &[]);
    assert_eq!(code, 100, "{said}");
    let is_of_13 = |line: &&str| line.contains("onnx.Reshape-14/");
    assert!(
        said.contains("onnx.Reshape-13") && !said.lines().any(|line| is_of_13(&line)),
        "{said}"
    );
}

#[test]
fn to_decline_what_passed_elsewhere_is_a_failure_whatever_the_order() {
    if !python_is_there() {
        return;
    }
    let place = place();
    let last = |said: &str| said.lines().last().unwrap().to_owned();
    let dynamic = "None in data['dims']";
    let (code, said) = declining(&place, "yes", dynamic, &[]);
    assert_eq!(code, 100, "{said}");
    let (code, shuffled) = declining(&place, "yes", dynamic, &["--shuffle", "7", "-j1"]);
    assert_eq!(code, 100, "{shuffled}");
    assert_eq!(last(&said), last(&shuffled));
}

#[test]
fn a_manifest_claims_what_it_says_whatever_the_handshake_does() {
    if !python_is_there() {
        return;
    }
    let place = place();
    let folder = place.path().join("adapters/mine");
    fs::create_dir_all(&folder).unwrap();
    fs::rename(place.path().join("it.py"), folder.join("it.py")).unwrap();
    let manifest = format!(
        "name: mine\nabout: A test\nmodel: none\ncommand: [python3, it.py, {BINARY}, 'yes', {F16:?}]\n\
         supports:\n- {{operators: [onnx], element_types: all, bindings: all}}\n"
    );
    fs::write(folder.join("adapter.yaml"), manifest).unwrap();
    let (code, said) = run(&place, &["run", "-q", "--adapter", "mine"]);
    let wanted = "claims_nothing: the manifest says false, but the handshake says true";
    assert!(code == 102 && said.contains(wanted), "{code} {said}");
}

/// A Python that only prints its arguments.
fn printing(place: &TempDir) {
    let python = place.path().join("python");
    fs::write(&python, "#!/bin/sh\necho \"in $PWD: $@\" >&2\nexit 1\n").unwrap();
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn what_needs_no_adapter_starts_by_a_program_of_the_kit() {
    let place = tempdir().unwrap();
    printing(&place);
    let gate = "[[adapter]]\nname = \"mine\"\npython-function = \"pkg.module:f\"\n\
                [[adapter]]\nname = \"theirs\"\nonnx-backend = \"pkg.backend\"\n\
                [[adapter]]\nname = \"arrays\"\narray-api = \"pkg.arrays\"\n";
    fs::create_dir(place.path().join("below")).unwrap();
    fs::write(place.path().join("reshape-conformance.toml"), gate).unwrap();
    let option = |option, value| vec!["run", option, value, "--python", "./python"];
    let gate = |name| vec!["run", "--gate", "--adapter", name, "--python", "./python"];
    for (arguments, file) in [
        (
            option("--python-function", "pkg.module:f"),
            "function.py pkg.module:f",
        ),
        (
            option("--onnx-backend", "pkg.backend"),
            "onnx_backend.py pkg.backend",
        ),
        (
            option("--array-api", "pkg.arrays"),
            "array_api.py pkg.arrays",
        ),
        (gate("arrays"), "array_api.py pkg.arrays"),
        (gate("mine"), "function.py pkg.module:f"),
        (gate("theirs"), "onnx_backend.py pkg.backend"),
    ] {
        let mut command = program();
        command.args(&arguments).current_dir(place.path());
        command.env("XDG_CACHE_HOME", place.path().join("cache"));
        command.env_remove("RESHAPE_CONFORMANCE_DIR");
        let (code, said) = ended(&command.output().unwrap());
        assert!(
            code == 102 && said.contains(&format!("kit/python/{file}")),
            "{arguments:?} {said}"
        );
    }
    let (code, said) = run(&place, &["run", "--onnx-backend", "b", "--all-adapters"]);
    assert!(code == 2 && said.contains("cannot be used with"), "{said}");
}

#[test]
fn a_search_skips_what_a_backend_without_a_claim_declines() {
    if !python_is_there() {
        return;
    }
    let place = place();
    for (claims_nothing, wanted) in [("yes", 0), ("no", 100)] {
        let command = format!(r#"python3 it.py {BINARY} {claims_nothing} "{F16}""#);
        let types = ["--element-type", "f16", "--element-type", "f32"];
        let search = [
            "search",
            "--max-rank",
            "1",
            "--operator",
            "onnx.Reshape-14",
            "--adapter-command",
        ];
        let (code, said) = run(&place, &[&search[..], &[&command], &types].concat());
        assert!(
            code == wanted && said.contains(" skipped") == (wanted == 0),
            "{code} {said}"
        );
    }
}
