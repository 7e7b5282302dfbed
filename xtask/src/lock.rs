//! `cargo xtask lock`: writes the `requirements.txt` of adapters: their packages of Python with all that they depend on, each
//! with the checksums of all its files, for every platform and every Python from the oldest on. Needs `uv`.

use reshape_conformance::backend::{Adapter, known_adapters};
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

const HEAD: &str = "# Written by `cargo xtask lock`.\n";

/// Locks the packages of these adapters, or of all that have some.
pub(crate) fn run(names: &[String]) -> Result<(), String> {
    let folder = crate::root().join("adapters");
    let all = known_adapters(&folder);
    let names = if names.is_empty() { &all } else { names };
    for name in names {
        let adapter = Adapter::read(&folder, name).map_err(|error| error.to_string())?;
        if adapter.python.is_empty() {
            continue;
        }
        let locked = locked(&adapter)?;
        let file = adapter.requirements();
        fs::write(&file, format!("{HEAD}{locked}"))
            .map_err(|error| format!("{}: {error}", file.display()))?;
        println!("{name}: {} packages", locked.matches("==").count());
    }
    Ok(())
}

fn locked(adapter: &Adapter) -> Result<String, String> {
    let failed = |error| format!("uv did not start: {error}");
    let (major, minor) = adapter.oldest_python.unwrap_or((3, 9));
    let mut child = Command::new("uv")
        .args([
            "pip",
            "compile",
            "--quiet",
            "--universal",
            "--generate-hashes",
        ])
        .args(["--no-header", "--no-annotate", "--python-version"])
        .args([&format!("{major}.{minor}"), "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        let packages = adapter.python.join("\n");
        stdin.write_all(packages.as_bytes()).map_err(failed)?;
    }
    let output = child.wait_with_output().map_err(failed)?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{}: uv failed ({})", adapter.name, output.status)),
    }
}
