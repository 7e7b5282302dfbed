//! Embeds the suite, and the adapters with their shims, reproducers and kits.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=cases");
    println!("cargo::rerun-if-changed=build.rs");
    let into = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("adapters");
    if into.exists() {
        fs::remove_dir_all(&into)?;
    }
    fs::create_dir_all(&into)?;
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    copy(&root.join("adapters"), &into)
}

/// Copies a folder without tests and without what tools leave in it, such as `__pycache__` and `target`.
fn copy(from: &Path, into: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default();
        let text = name.to_string_lossy();
        let is_left_out = text.starts_with(['.', '_'])
            || matches!(&*text, "target" | "node_modules" | "Cargo.toml")
            || text.starts_with("test_")
            || text.contains(".test.");
        if is_left_out {
            continue;
        }
        if path.is_dir() {
            fs::create_dir_all(into.join(name))?;
            copy(&path, &into.join(name))?;
        } else {
            println!("cargo::rerun-if-changed={}", path.display());
            fs::copy(&path, into.join(name))?;
        }
    }
    Ok(())
}
