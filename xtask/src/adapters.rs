//! `cargo xtask adapters`: each adapter's environment, from its manifest's pinned packages.

use crate::python::{self, command};
use reshape_conformance::backend::{Adapter, known_adapters};
use std::fs;
use std::path::Path;

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

/// The packages that were installed are written here last, so that half an installation is none.
fn stamp(adapter: &Adapter) -> std::path::PathBuf {
    adapter.installed().join("installed.txt")
}

/// All that goes into an installation, in words.
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

/// What is built from sources here may have changed, so an adapter with commands is always built again.
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
        // A release stands with the packages that suit it.
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

/// The commands that build what is not a package.
fn build(adapter: &Adapter) -> Result<(), String> {
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

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
