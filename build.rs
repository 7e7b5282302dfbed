//! Embeds the suite, and the declarations and known failures of the adapters.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=cases");
    let into = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("adapters");
    if into.exists() {
        fs::remove_dir_all(&into)?;
    }
    fs::create_dir_all(&into)?;
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    for folder in fs::read_dir(root.join("adapters"))? {
        copy_declarations(&folder?.path(), &into)?;
    }
    Ok(())
}

/// Copies the manifest and the known failures of an adapter.
fn copy_declarations(adapter: &Path, into: &Path) -> io::Result<()> {
    let manifest = adapter.join("adapter.yaml");
    let Some(name) = adapter.file_name().filter(|_| manifest.is_file()) else {
        return Ok(());
    };
    fs::create_dir_all(into.join(name))?;
    for file in fs::read_dir(adapter)? {
        let path = file?.path();
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let is_known = file.starts_with("known-failures") && file.ends_with(".yaml");
        if file == "adapter.yaml" || is_known {
            println!("cargo::rerun-if-changed={}", path.display());
            fs::copy(&path, into.join(name).join(&*file))?;
        }
    }
    Ok(())
}
