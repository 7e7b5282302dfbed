//! The folder of adapters.

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

/// The folder `adapters` of the working directory or of its nearest ancestor that has one; otherwise the one of the
/// source tree that this crate was built from.
#[must_use]
pub fn find_adapters_folder() -> PathBuf {
    let working_directory = std::env::current_dir().unwrap_or_default();
    working_directory
        .ancestors()
        .map(|folder| folder.join("adapters"))
        .find(|folder| folder.is_dir())
        .unwrap_or_else(source_tree)
}

/// Whether a user can know of the folder: the one of the source tree is only for who works in that tree.
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
