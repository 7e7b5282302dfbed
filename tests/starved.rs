//! A run for which the system does not start every thread: it loses no trial, or it is red.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::{BINARY, is_thorough, python_is_there, with_python};
use crate::reports::{ENOUGH, command, ended, mutant};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use tempfile::tempdir;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults");

/// Seeds of the runs in which some threads do not start: thirty, or a sample of them; `FAULT_SEEDS=1000` tries as many.
fn seeds() -> Vec<u64> {
    match std::env::var("FAULT_SEEDS") {
        Ok(count) => (0..count.parse().unwrap()).collect(),
        Err(_) if is_thorough() => (0..30).collect(),
        Err(_) => (0..12).map(|number| number * 7 % 30).collect(),
    }
}

/// The library that lets threads fail, compiled by the compiler that Rust links with.
fn library() -> &'static PathBuf {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let library = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("starve.so");
        let compiled = Command::new("cc")
            .args(["-shared", "-fPIC", "-o"])
            .arg(&library)
            .args([&format!("{FOLDER}/starve.c"), "-ldl"])
            .status();
        assert!(compiled.unwrap().success());
        library
    })
}

/// The exit code and the output of a run whose thread creations of these numbers fail, on a backend that is right or wrong.
fn run(seed: u64, (first, last): (u64, u64), jobs: u64, is_wrong: bool) -> (i32, String) {
    let place = tempdir().unwrap();
    let backend = match is_wrong {
        true => mutant("copied-zero-from-the-right"),
        false => format!("{BINARY} serve reference"),
    };
    let jobs = format!("-j{jobs}");
    let mut run = command(
        &place,
        &["run", "--events", "events", "--junit", "junit.xml", &jobs],
    );
    run.args([ENOUGH, "--adapter-command", &backend]);
    run.env("LD_PRELOAD", library());
    run.env("STARVE_FIRST", first.to_string());
    run.env("STARVE_LAST", last.to_string());
    let (code, text) = ended(&run.output().unwrap());
    let listed = command(&place, &["list", ENOUGH]).output().unwrap();
    fs::write(place.path().join("planned"), listed.stdout).unwrap();
    if python_is_there() {
        let mut recheck = with_python(Command::new("python3"));
        let recheck = recheck.arg(format!("{FOLDER}/recheck.py"));
        let recheck = recheck.args(["events", "planned", &code.to_string()]);
        let (wrong, description) = ended(&recheck.current_dir(&place).output().unwrap());
        assert_eq!(wrong, 0, "seed {seed}: {description}{text}");
    }
    let junit = fs::read_to_string(place.path().join("junit.xml")).unwrap();
    let incomplete = junit.contains("type=\"incomplete\"");
    assert!(
        incomplete || matches!(code, 0 | 100),
        "seed {seed}: {code} {text}"
    );
    (code, text)
}

#[test]
fn whatever_thread_does_not_start_no_trial_is_lost() {
    let workers = 4;
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let seeds = seeds().into_iter().skip(worker).step_by(workers);
            scope.spawn(move || {
                for seed in seeds {
                    let first = seed % 23;
                    let last = first + [0, 0, 3, 1000][seed as usize % 4];
                    let (code, text) = run(seed, (first, last), 1 + seed % 5, seed % 3 > 0);
                    assert!(!text.contains("panicked"), "seed {seed}: {text}");
                    assert_ne!(code, 101, "seed {seed}: {text}");
                }
            });
        }
    });
}
