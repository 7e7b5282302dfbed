//! The kits' examples, compiled and run as their authors' readers would: the whole suite, over the protocol.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::program;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The whole suite on a program that speaks the protocol; its last line.
fn suite_on(command: &str) -> String {
    let runner = program()
        .args(["run", "--adapter-command", command])
        .current_dir(root())
        .output()
        .unwrap();
    let told = String::from_utf8(runner.stdout).unwrap();
    assert_eq!(
        runner.status.code(),
        Some(0),
        "{told}{}",
        String::from_utf8_lossy(&runner.stderr)
    );
    told.lines().last().unwrap().to_owned()
}

fn compiled(arguments: &[&str], folder: &Path) -> PathBuf {
    let program = folder.join("example");
    // Rust links with cc, so it is there.
    let built = Command::new("cc")
        .args(arguments)
        .arg("-o")
        .arg(&program)
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    program
}

#[test]
fn the_example_of_the_c_kit_passes_the_suite() {
    let folder = tempfile::tempdir().unwrap();
    let flags = [
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-pedantic",
        "adapters/kit/c/example.c",
    ];
    let last = suite_on(compiled(&flags, folder.path()).to_str().unwrap());
    assert!(
        last.contains(" 0 failed") && !last.contains(" 0 passed"),
        "{last}"
    );
}

#[test]
fn the_example_of_the_c_kit_is_as_short_as_the_document_says() {
    let text = std::fs::read_to_string(root().join("adapters/kit/c/example.c")).unwrap();
    let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    assert!(lines < 40, "{lines} lines");
}
