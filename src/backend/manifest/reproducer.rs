//! The causes that an adapter's known failures name, each of which has a reproducer.

use crate::error::{Error, Source};
use crate::yaml;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::Path;

/// An entry of a known-failures file, as far as it concerns reproducers.
#[derive(Deserialize)]
struct Entry {
    cause: Option<String>,
}

/// The causes that the known failures in an adapter's folder name, in all configurations.
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
