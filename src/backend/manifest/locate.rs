//! The folder of adapters, and the causes that an adapter's known failures name.

use crate::error::{Error, Source};
use crate::yaml;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The names of the adapters in a folder, in alphabetical order.
#[must_use]
pub fn known_adapters(adapters: &Path) -> Vec<String> {
    let entries = adapters.read_dir().into_iter().flatten().flatten();
    let mut names: Vec<_> = entries
        .filter(|entry| entry.path().join("adapter.yaml").is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The folder `adapters` of the working directory or of its nearest ancestor that has one; otherwise that of the source
/// tree of this crate.
#[must_use]
pub fn find_adapters_folder() -> PathBuf {
    let working_directory = std::env::current_dir().unwrap_or_default();
    working_directory
        .ancestors()
        .map(|folder| folder.join("adapters"))
        .find(|folder| folder.is_dir())
        .unwrap_or_else(source_tree)
}

/// Whether a user can know the folder. That of the source tree is only for those who work in the tree.
pub(crate) fn is_in_reach(adapters: &Path) -> bool {
    let working_directory = std::env::current_dir().unwrap_or_default();
    let tree = source_tree();
    adapters != tree
        || tree
            .parent()
            .is_some_and(|tree| working_directory.starts_with(tree))
}

fn source_tree() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("adapters")
}

/// The fields of a known-failures entry that concern reproducers.
#[derive(Deserialize)]
struct Entry {
    cause: Option<String>,
}

/// The causes that an adapter's known failures name, in all configurations.
pub(super) fn causes(folder: &Path) -> Result<BTreeSet<String>, Error> {
    let mut causes = BTreeSet::new();
    let unreadable = |why| Error::unreadable(folder, why);
    for file in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = file.map_err(unreadable)?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let is_it = |name: &str| name.starts_with("known-failures.") && name.ends_with(".yaml");
        if name.is_some_and(is_it) {
            let source = Source::of_file(&path.to_string_lossy(), &path)?;
            let entries: Option<Vec<Entry>> = yaml::deserialized(&source)?;
            causes.extend(
                entries
                    .into_iter()
                    .flatten()
                    .filter_map(|entry| entry.cause),
            );
        }
    }
    Ok(causes)
}
