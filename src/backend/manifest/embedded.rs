//! The adapters' manifests and known failures as they were when this crate was built, for who has no folder of adapters.

use super::adapter::Adapter;
use crate::error::{Error, Source};
use include_dir::{Dir, include_dir};
use std::path::Path;

/// Copied by `build.rs`, without the programs beside them.
static ADAPTERS: Dir<'_> = include_dir!("$OUT_DIR/adapters");

/// Each adapter and each configuration of one, with its known failures; `None` if it has none.
///
/// # Errors
/// Every fault in a manifest.
pub(crate) fn embedded_adapters() -> Result<Vec<(Adapter, Option<Source>)>, Error> {
    let mut adapters = Vec::new();
    for folder in ADAPTERS.dirs() {
        let name = folder.path().to_string_lossy();
        let source = |file: &Path| {
            let found = ADAPTERS.get_file(folder.path().join(file.file_name()?))?;
            let shown = format!("adapters/{}", found.path().display());
            Some(Source::new(&shown, found.contents_utf8()?))
        };
        let Some(manifest) = source(Path::new("adapter.yaml")) else {
            continue;
        };
        let shown = Path::new("adapters").join(folder.path());
        let adapter = Adapter::of_manifest(&manifest, &shown, &name)?;
        let configurations = adapter.configurations.clone();
        adapters.push(adapter);
        for configuration in configurations {
            let name = format!("{name}:{configuration}");
            adapters.push(Adapter::of_manifest(&manifest, &shown, &name)?);
        }
    }
    let known = |adapter: &Adapter| {
        let path = adapter.known_failures_path();
        let inside = path.strip_prefix("adapters").ok()?;
        let found = ADAPTERS.get_file(inside)?;
        Some(Source::new(&path.to_string_lossy(), found.contents_utf8()?))
    };
    let with_known = adapters.into_iter().map(|adapter| {
        let known = known(&adapter);
        (adapter, known)
    });
    Ok(with_known.collect())
}
