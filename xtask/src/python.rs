//! Commands, and virtual environments of Python with pinned packages.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Installs packages into an environment, which is created if there is none. Returns its Python.
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

/// Runs a command to its end.
pub(crate) fn command(program: &str, arguments: &[&str]) -> Result<(), String> {
    let status = Command::new(program)
        .args(arguments)
        .status()
        .map_err(|error| format!("{program} did not start: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!(
            "`{program} {}` failed ({status})",
            arguments.join(" ")
        ))
    }
}
