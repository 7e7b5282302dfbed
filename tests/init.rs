//! `init`: from nothing to a green gate, without a line by hand.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::{BINARY, is_thorough};
use crate::reports::{command, ended, read, run};
use std::fmt::Write;
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::Command;
use tempfile::{TempDir, tempdir};

/// A folder of a project named `mine`, and the folder around it.
fn project() -> (TempDir, TempDir) {
    let around = tempdir().unwrap();
    let place = tempfile::Builder::new()
        .prefix("mine")
        .rand_bytes(0)
        .tempdir_in(around.path())
        .unwrap();
    (place, around)
}

/// The files of a folder, by path.
fn files(place: &TempDir) -> Vec<String> {
    let mut folders = vec![place.path().to_path_buf()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let path = path.strip_prefix(place.path()).unwrap();
                    files.push(path.display().to_string());
                }
            }
        }
    }
    files.sort();
    files
}

#[test]
fn init_leads_to_a_green_gate_without_a_line_by_hand() {
    for (language, is_there) in [("--c", "cc"), ("--node", "node")] {
        let there = Command::new(is_there).arg("--version").output();
        if !there.is_ok_and(|output| output.status.success()) {
            continue;
        }
        let (place, _around) = project();
        let (code, said) = run(&place, &["init", language]);
        assert_eq!(code, 0, "{said}");
        // What it says to do next is done as it says.
        let commands: Vec<_> = said
            .lines()
            .filter_map(|line| line.strip_prefix("     "))
            .collect();
        assert!(commands.len() >= 3, "{said}");
        for command in commands {
            // The whole suite takes long.
            let command = match is_thorough() {
                true => command.to_owned(),
                false => command.replace(" --core=false", ""),
            };
            let (code, said) = match command.strip_prefix("reshape-conformance ") {
                Some(arguments) => run(&place, &Vec::from_iter(arguments.split(' '))),
                None => {
                    let mut shell = Command::new("sh");
                    let shell = shell.args(["-c", &command]).current_dir(place.path());
                    (shell.status().unwrap().code().unwrap(), String::new())
                }
            };
            assert_eq!(code, 0, "{command}: {said}");
        }
        assert!(read(&place, "reshape/report/junit.xml").contains("<testsuites"));
    }
}

#[test]
fn init_writes_what_each_kind_of_backend_needs() {
    let mut shown = String::new();
    for arguments in [
        &["--python-function", "pkg.module:f", "--github", "--gitlab"][..],
        &["--onnx-backend", "onnxruntime.backend", "--github"],
        &["--python", "--github"],
        &["--c", "--github", "--gitlab"],
        &["onnxruntime", "--github"],
    ] {
        let (place, _around) = project();
        fs::write(place.path().join("pyproject.toml"), "").unwrap();
        let (code, said) = run(&place, &[&["init"], arguments].concat());
        writeln!(
            shown,
            "# init {} [exit {code}]\n{said}",
            arguments.join(" ")
        )
        .unwrap();
        for file in files(&place) {
            let text = read(&place, &file);
            let is_short = text.len() < 2_000 && !file.contains("adapter.");
            let again = shown.contains(&text);
            if is_short && !again && !text.is_empty() {
                writeln!(shown, "--- {file}\n{text}").unwrap();
            }
        }
    }
    // It changes with the suite and the program.
    let versions = [
        ("\nsuite = \"", "\""),
        ("reshape-conformance==", " "),
        ("reshape-conformance==", "\n"),
    ];
    for (before, after) in versions {
        let parts: Vec<_> = shown.split(before).map(str::to_owned).collect();
        let rest = parts[1..].iter().map(|part| match part.split_once(after) {
            Some((version, rest)) if version.bytes().all(|b| b.is_ascii_digit() || b == b'.') => {
                format!("{before}VERSION{after}{rest}")
            }
            _ => format!("{before}{part}"),
        });
        shown = parts[0].clone() + &rest.collect::<String>();
    }
    insta::assert_snapshot!("init", shown);
}

#[test]
fn its_commands_begin_as_the_program_was_started() {
    for (variable, value, start) in [
        ("CARGO", "cargo", "cargo run --release --"),
        (
            "RESHAPE_CONFORMANCE_STARTED",
            "python3 -m reshape_conformance",
            "python3 -m reshape_conformance",
        ),
        ("NO_VARIABLE", "", BINARY),
    ] {
        let (place, _around) = project();
        let mut init = command(&place, &["init", "--array-api", "a.b"]);
        if start == BINARY {
            init.arg0(BINARY);
        }
        let (code, said) = ended(&init.env(variable, value).output().unwrap());
        let commands: Vec<_> = said
            .lines()
            .filter(|line| line.starts_with("     "))
            .collect();
        let all = commands
            .iter()
            .all(|line| line.trim_start().starts_with(start));
        assert!(code == 0 && commands.len() == 3 && all, "{said}");
    }
}

#[test]
fn init_replaces_nothing() {
    let (place, _around) = project();
    fs::create_dir(place.path().join("reshape")).unwrap();
    fs::write(place.path().join("reshape/adapter.c"), "mine").unwrap();
    let (code, said) = run(&place, &["init", "--c", "--github"]);
    assert!(
        code == 0 && said.contains("reshape/adapter.c exists already, and stays as it is"),
        "{said}"
    );
    assert_eq!(read(&place, "reshape/adapter.c"), "mine");
    // What is missing is added later.
    let before = files(&place);
    let (code, said) = run(&place, &["init", "--c", "--github", "--gitlab"]);
    let stays = "reshape-conformance.toml exists already";
    assert!(code == 0 && said.contains(stays), "{said}");
    assert_eq!(files(&place).len(), before.len() + 2, "{said}");
    // Nobody may believe that another backend is tested now.
    let before = files(&place);
    let (code, said) = run(&place, &["init", "--array-api", "numpy", "--gitlab"]);
    let wanted = "does not test numpy; to test it, too, add:\n\n[[adapter]]\nname = \"numpy\"\narray-api = \"numpy\"";
    assert!(code == 2 && said.contains(wanted), "{said}");
    assert_eq!(files(&place), before);
    // That its name is somewhere in the file does not mean that it is tested.
    let (place, _around) = project();
    let gate = "# Not yet: array-api = \"numpy\"\n[[adapter]]\nname = \"numpy\"\npython-function = \"mine.numpy:f(allowzero)\"\n";
    fs::write(place.path().join("reshape-conformance.toml"), gate).unwrap();
    let (code, said) = run(&place, &["init", "--array-api", "numpy"]);
    assert!(code == 2 && said.contains("does not test numpy;"), "{said}");
    let (code, said) = run(&place, &["init", "--python-function", "mine.numpy:f"]);
    assert_eq!(code, 0, "{said}");
    fs::write(
        place.path().join("reshape-conformance.toml"),
        format!("retires = 2\n{gate}"),
    )
    .unwrap();
    let (code, said) = run(&place, &["init", "--python-function", "mine.numpy:f"]);
    assert!(
        code == 103 && said.contains("did you mean retries?"),
        "{said}"
    );
    let (place, _around) = project();
    // A job of GitLab is included by hand, if there are others.
    fs::write(place.path().join(".gitlab-ci.yml"), "mine").unwrap();
    let (code, said) = run(&place, &["init", "--python-function", "a:b", "--gitlab"]);
    assert!(
        code == 0 && said.contains("- local: reshape/gitlab-ci.yml"),
        "{said}"
    );
    assert_eq!(read(&place, ".gitlab-ci.yml"), "mine");
    let (place, _around) = project();
    for name in ["toy.reshape", "toy:", "a:b:c", "toy.py:/f"] {
        let (code, said) = run(&place, &["init", "--python-function", name]);
        let wanted = format!(
            "'{name}' for '--python-function <MODULE:FUNCTION>': expected `pkg.module:function`"
        );
        assert!(code == 2 && said.contains(&wanted), "{said}");
    }
    assert!(files(&place).is_empty());
    let (code, said) = run(&place, &["init", "nobody"]);
    assert!(code == 2 && said.contains("nobody"), "{said}");
    assert_eq!(run(&place, &["init"]).0, 2);
    assert_eq!(run(&place, &["init", "--c", "--node"]).0, 2);
}

#[test]
fn a_package_is_guessed_only_for_a_backend_that_is_not_here() {
    for (here, is_guessed) in [("other.py", true), ("theirs.py", false)] {
        let (place, _around) = project();
        fs::write(place.path().join(here), "").unwrap();
        let (code, said) = run(
            &place,
            &["init", "--onnx-backend", "theirs.backend", "--github"],
        );
        assert_eq!(code, 0, "{said}");
        let workflow = read(&place, ".github/workflows/reshape-conformance.yml");
        let guess = "      - run: python3 -m pip install theirs  # a guess";
        assert_eq!(workflow.contains(guess), is_guessed, "{workflow}");
    }
}

#[test]
fn the_gate_names_the_parameters_that_a_function_has() {
    let numpy = Command::new("python3")
        .args(["-c", "import numpy"])
        .output();
    let (place, _around) = project();
    let function = "def f(data, target, allowzero=0):\n    pass\n";
    fs::write(place.path().join("toy.py"), function).unwrap();
    let (code, said) = run(&place, &["init", "--python-function", "toy:f"]);
    assert_eq!(code, 0, "{said}");
    let gate = read(&place, "reshape-conformance.toml");
    let wanted = match numpy.is_ok_and(|output| output.status.success()) {
        true => "python-function = \"toy:f(allowzero)\"",
        false => "python-function = \"toy:f\"",
    };
    assert!(gate.contains(wanted), "{gate} {said}");
}
