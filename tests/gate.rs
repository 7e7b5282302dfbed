//! The gate's evidence: which files a rerun leaves alone, and where annotations and results point.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::reports::{command, mutant, read, run};
use std::fs;
use tempfile::{TempDir, tempdir};

/// A trial that the adapter of the gate fails.
const FAILS: &str = "copied-zero-first/onnx.Reshape-14/f32/constant-static";

/// A folder with a gate of one wrong adapter, `mine`, and these further lines.
fn gate(adapter: &str, rest: &str) -> TempDir {
    let place = tempdir().unwrap();
    let wrong = mutant("zero-never-copies");
    let config = format!("[[adapter]]\nname = 'mine'\ncommand = \"{wrong}\"\n{adapter}\n{rest}");
    fs::write(place.path().join("reshape-conformance.toml"), config).unwrap();
    place
}

#[test]
fn a_rerun_of_the_gate_leaves_its_reports_alone() {
    let reports = "[reports]\nevents = 'out/e.jsonl'\njunit = 'out/j.xml'\nhtml = 'out/p.html'\n\
                   markdown = 'out/m.md'\nsarif = 'out/s.sarif'\nbadge = 'out/b.json'\nresults = 'out/r.md'\n";
    let place = gate("", reports);
    let out = place.path().join("out");
    fs::create_dir(&out).unwrap();
    let files = [
        "e.jsonl", "j.xml", "p.html", "m.md", "s.sarif", "b.json", "r.md",
    ];
    for file in files {
        fs::write(out.join(file), "evidence").unwrap();
    }
    let narrowed: [&[&str]; 3] = [
        &["--adapter", "mine", "--exact", FAILS],
        &["copied-zero-first/**"],
        &["--operator", "onnx.Reshape-5"],
    ];
    for arguments in narrowed {
        let arguments = [&["run", "--gate", "--html", "own.html"], arguments].concat();
        let output = command(&place, &arguments).output().unwrap();
        let said = String::from_utf8(output.stderr.clone()).unwrap();
        assert_eq!(output.status.code(), Some(100), "{said}");
        assert_eq!(
            said.matches("reshape-conformance.toml: ").count(),
            1,
            "{said}"
        );
        assert!(said.contains("are not written"), "{said}");
        for file in files {
            assert_eq!(
                read(&place, &format!("out/{file}")),
                "evidence",
                "{arguments:?}"
            );
        }
        assert!(read(&place, "own.html").contains("<html"), "{arguments:?}");
    }
    // What the file itself selects is the whole gate.
    let config = read(&place, "reshape-conformance.toml");
    let config = format!("trials = ['copied-zero-first/**']\n{config}");
    fs::write(place.path().join("reshape-conformance.toml"), config).unwrap();
    let (_, said) = run(&place, &["run", "--gate", "-q"]);
    assert!(!said.contains("are not written"), "{said}");
    for file in files {
        assert_ne!(read(&place, &format!("out/{file}")), "evidence", "{file}");
    }
}
