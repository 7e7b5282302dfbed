//! The folders of adapters and of their installations, and the causes that an adapter's known failures name.

use super::built_in;
use crate::error::{Error, Source};
use crate::yaml::{self, Node};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The names of the adapters in a folder, in alphabetical order.
#[must_use]
pub fn known_adapters(adapters: &Path) -> Vec<String> {
    let is_it = |path: &Path| path.ends_with("adapter.yaml") && path.components().count() == 2;
    let mut names: Vec<_> = match built_in::installations(adapters) {
        Some(_) => {
            let manifests = built_in::files().filter(|(path, _)| is_it(path));
            let manifests = manifests.filter_map(|(path, _)| path.parent());
            let manifests = manifests.map(|folder| folder.to_string_lossy().into_owned());
            manifests.collect()
        }
        None => {
            let entries = adapters.read_dir().into_iter().flatten().flatten();
            let adapters = entries.filter(|entry| entry.path().join("adapter.yaml").is_file());
            let names = adapters.map(|entry| entry.file_name().to_string_lossy().into_owned());
            names.collect()
        }
    };
    names.sort();
    names
}

/// The folder `adapters` of the working directory or of its nearest ancestor that has one with an adapter in it;
/// otherwise that of the built-in adapters, which need not exist yet.
#[must_use]
pub fn find_adapters_folder() -> PathBuf {
    let working_directory = std::env::current_dir().unwrap_or_default();
    working_directory
        .ancestors()
        .map(|folder| folder.join("adapters"))
        .find(|folder| !known_adapters(folder).is_empty())
        .unwrap_or_else(built_in_adapters)
}

/// The folder of the built-in adapters.
pub(crate) fn built_in_adapters() -> PathBuf {
    let in_caches = || caches().join("reshape-conformance").join("adapters");
    built_in::folder(&stated_installations().unwrap_or_else(in_caches))
}

/// The path of a program of the kit for Python, which is written if it is not there. `dir` is the folder into which
/// adapters are installed; `None` for the usual one. Fails when a file cannot be written.
pub(crate) fn python_program(name: &str, dir: Option<&Path>) -> Result<PathBuf, Error> {
    let adapters = dir.map_or_else(built_in_adapters, built_in::folder);
    built_in::unpack(&adapters)?;
    Ok(absolute(&adapters.join("kit/python").join(name)))
}

/// The folder into which the adapters of a folder are installed: what RESHAPE_CONFORMANCE_DIR names; or `adapters` in Cargo's
/// target folder, of the tree that holds a folder on the disk; or one in the user's caches.
pub(super) fn installations(adapters: &Path) -> PathBuf {
    let of_tree = || {
        let tree = adapters.parent().unwrap_or(adapters);
        stated("CARGO_TARGET_DIR")
            .unwrap_or_else(|| tree.join("target"))
            .join("adapters")
    };
    let of_built_in = built_in::installations(adapters).map(Path::to_owned);
    let folder = of_built_in.or_else(stated_installations);
    absolute(&folder.unwrap_or_else(of_tree))
}

/// The path from the root; as it is if there is no current folder.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn stated_installations() -> Option<PathBuf> {
    stated("RESHAPE_CONFORMANCE_DIR")
}

/// A path that the environment states.
fn stated(variable: &str) -> Option<PathBuf> {
    let value = std::env::var_os(variable).filter(|value| !value.is_empty());
    value.map(PathBuf::from)
}

/// The folder for what programs can make again, by the rules of the platform.
fn caches() -> PathBuf {
    let home = || std::env::home_dir().unwrap_or_else(std::env::temp_dir);
    let folder = match std::env::consts::OS {
        "windows" => stated("LOCALAPPDATA"),
        "macos" => Some(home().join("Library/Caches")),
        _ => stated("XDG_CACHE_HOME").filter(|path| path.is_absolute()),
    };
    folder.unwrap_or_else(|| home().join(".cache"))
}

/// The causes that an adapter's known failures name, in all configurations, but those of some releases alone. A version
/// `*(bf16*)` is of no release.
pub(super) fn causes(folder: &Path) -> Result<BTreeSet<String>, Error> {
    let mut causes = BTreeSet::new();
    let unreadable = |why| Error::unreadable(folder, why);
    for file in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = file.map_err(unreadable)?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let is_it = |name: &str| name.starts_with("known-failures.") && name.ends_with(".yaml");
        if name.is_some_and(is_it) {
            let source = Source::of_file(&path.to_string_lossy(), &path)?;
            for entry in yaml::tree(&source)?.items() {
                let when = entry.get("when").and_then(|when| when.get("version"));
                let releases = when
                    .and_then(Node::scalar)
                    .filter(|of| !of.text.starts_with('*'));
                let cause = entry.get("cause").filter(|_| releases.is_none());
                let cause = cause.and_then(Node::scalar);
                causes.extend(cause.map(|cause| cause.text.clone()));
            }
        }
    }
    Ok(causes)
}
