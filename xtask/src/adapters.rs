//! `cargo xtask adapters`: each adapter's environment, from its manifest's pinned packages.

use crate::python::{self, command};
use reshape_conformance::backend::{Adapter, known_adapters};
use std::fs;
use std::path::Path;
use std::process::Command;

pub(crate) fn run(names: &[String]) -> Result<(), String> {
    let folder = crate::root().join("adapters");
    if names.is_empty() {
        for name in known_adapters(&folder) {
            let adapter = Adapter::read(&folder, &name).map_err(|error| error.to_string())?;
            let state = if is_installed(&adapter) {
                "installed"
            } else {
                "not installed"
            };
            println!("{name:24} {state:14} {}", adapter.about);
        }
        return Ok(());
    }
    for name in names {
        let adapter = Adapter::read(&folder, name).map_err(|error| error.to_string())?;
        install(&adapter)?;
    }
    Ok(())
}

/// The file with the installed packages. It is written last, so a partial installation lacks it.
fn stamp(adapter: &Adapter) -> std::path::PathBuf {
    adapter.installed().join("installed.txt")
}

/// Everything that determines an installation, as text.
fn recipe(adapter: &Adapter) -> String {
    let commands = adapter
        .install_commands
        .iter()
        .map(|command| command.join(" "));
    adapter
        .python
        .iter()
        .cloned()
        .chain(commands)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Sources here may have changed, so an adapter with commands is always built again.
fn is_installed(adapter: &Adapter) -> bool {
    fs::read_to_string(stamp(adapter)).is_ok_and(|recipe_then| recipe_then == recipe(adapter))
}

fn install(adapter: &Adapter) -> Result<(), String> {
    let environment = adapter.installed();
    if is_installed(adapter) {
        println!("{}: installed", adapter.name);
        return build(adapter);
    }
    if let Some(package) = adapter
        .python
        .iter()
        // A release comes with the packages that suit it.
        .take(if adapter.name.contains('@') {
            1
        } else {
            usize::MAX
        })
        .find(|package| !package.contains("=="))
    {
        return Err(format!(
            "{}: '{package}' is not pinned; write name==version",
            adapter.name
        ));
    }
    println!(
        "{}: installing into {}",
        adapter.name,
        environment.display()
    );
    if environment.exists() {
        fs::remove_dir_all(environment)
            .map_err(|error| format!("cannot clear {}: {error}", environment.display()))?;
    }
    fs::create_dir_all(environment)
        .map_err(|error| format!("cannot make {}: {error}", environment.display()))?;
    if !adapter.python.is_empty() {
        python::install(environment, adapter.python.iter().map(String::as_str))?;
    }
    build(adapter)?;
    write(&stamp(adapter), &recipe(adapter))
}

/// The commands that build what is not a package. Another release than the pinned one is built from a copy.
fn build(adapter: &Adapter) -> Result<(), String> {
    if let (Some(copy), Some(package), Some(release)) =
        (&adapter.copy, &adapter.package, &adapter.release)
    {
        let with_release = |text: String| text.replace(&package.pinned, release);
        copy_sources(copy, &with_release)
            .map_err(|why| format!("cannot copy the sources: {why}"))?;
    }
    for line in &adapter.install_commands {
        let (program, arguments) = line
            .split_first()
            .ok_or_else(|| format!("{}: an empty install command", adapter.name))?;
        command(
            program,
            &arguments.iter().map(String::as_str).collect::<Vec<_>>(),
        )?;
    }
    Ok(())
}

/// Copies a Rust adapter with changed texts, and as much of the workspace around it as it needs.
fn copy_sources(adapter: &Path, changed: &dyn Fn(String) -> String) -> std::io::Result<()> {
    let (root, copy) = (crate::root(), adapter.parent().unwrap_or(adapter));
    let name = adapter.file_name().unwrap_or_default().to_string_lossy();
    let needed = [
        "ls-files",
        "Cargo.toml",
        "Cargo.lock",
        "shared-features",
        &name,
    ];
    let adapters = root.join("adapters");
    let files = Command::new("git")
        .args(needed)
        .current_dir(&adapters)
        .output()?;
    for file in String::from_utf8_lossy(&files.stdout).lines() {
        let Ok(text) = fs::read_to_string(adapters.join(file)) else {
            continue; // a file that is not text needs no build
        };
        let text = match file {
            "Cargo.toml" => with_members(&text, &name),
            _ => text.replace("\"../..\"", &format!("\"{}\"", root.display())),
        };
        let to = copy.join(file);
        let text = if to.starts_with(adapter) {
            changed(text)
        } else {
            text
        };
        fs::create_dir_all(to.parent().unwrap_or(copy))?;
        fs::write(&to, text)?;
    }
    Ok(())
}

/// A workspace without the other adapters, which an older release need not suit.
fn with_members(workspace: &str, name: &str) -> String {
    let lines = workspace
        .lines()
        .map(|line| match line.starts_with("members") {
            true => format!("members = [\"{name}\", \"shared-features\"]\n"),
            false => format!("{line}\n"),
        });
    lines.collect()
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
