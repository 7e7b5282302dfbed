//! Commands, and virtual environments of Python with pinned packages.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Installs packages into an environment, which is created if it does not exist. Returns its Python.
pub(crate) fn install<'a>(
    environment: &Path,
    packages: impl Iterator<Item = &'a str>,
) -> Result<PathBuf, String> {
    let python = environment.join("bin").join("python");
    if !python.exists() {
        command("python3", &["-m", "venv", &environment.to_string_lossy()])?;
    }
    let mut arguments = vec![
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-input",
    ];
    arguments.extend(packages);
    command(&python.to_string_lossy(), &arguments)?;
    Ok(python)
}

/// Runs a command to its end, and shows its output. The error is its own: the first of cargo's, the last of pip's.
pub(crate) fn command(program: &str, arguments: &[&str]) -> Result<(), String> {
    let did_not_start = |error| format!("{program} did not start: {error}");
    let mut child = Command::new(program)
        .args(arguments)
        .stderr(Stdio::piped())
        .spawn()
        .map_err(did_not_start)?;
    let mut errors = Vec::new();
    let said = BufReader::new(child.stderr.take().ok_or("no pipe")?);
    for line in said.lines().map_while(Result::ok) {
        eprintln!("{line}");
        errors.extend(line.starts_with("error").then(|| line.clone()));
        errors.splice(0..0, line.strip_prefix("ERROR: ").map(str::to_owned));
    }
    let status = child.wait().map_err(did_not_start)?;
    match errors.into_iter().next() {
        _ if status.success() => Ok(()),
        Some(error) => Err(error),
        None => Err(format!(
            "`{program} {}` failed ({status})",
            arguments.join(" ")
        )),
    }
}
