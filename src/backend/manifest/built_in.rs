//! The adapters that are part of this program: their folders with shims and reproducers, and the kits.
//!
//! They have a folder as all others have. It lies in the folder into which adapters are installed, its name ends with a hash of
//! all that is in it, and it is written when an adapter is started or installed. Until then, its files are read from the program.

use crate::error::{Error, Source};
use std::path::{Path, PathBuf};

/// All of `adapters/`, as `build.rs` copies it. The library alone has no adapter.
#[cfg(feature = "cli")]
static ADAPTERS: include_dir::Dir<'_> = include_dir::include_dir!("$OUT_DIR/adapters");
#[cfg(not(feature = "cli"))]
static ADAPTERS: include_dir::Dir<'_> = include_dir::Dir::new("", &[]);

/// The folder of the built-in adapters, in the folder into which adapters are installed.
pub(super) fn folder(installations: &Path) -> PathBuf {
    installations.join(end())
}

/// The folder of installations of a folder of the built-in adapters; `None` for any other folder.
pub(super) fn installations(adapters: &Path) -> Option<&Path> {
    adapters.ends_with(end()).then_some(())?;
    adapters.parent()?.parent()
}

/// The end of the folder's path.
fn end() -> &'static Path {
    static END: std::sync::LazyLock<PathBuf> = std::sync::LazyLock::new(|| {
        let mut hasher = xxhash_rust::xxh3::Xxh3::new();
        for (path, contents) in files() {
            hasher.update(path.to_string_lossy().as_bytes());
            hasher.update(contents);
        }
        PathBuf::from(format!(".built-in-{:016x}", hasher.digest())).join("adapters")
    });
    &END
}

/// The built-in files, each with its path in `adapters`.
pub(super) fn files() -> impl Iterator<Item = (&'static Path, &'static [u8])> {
    let mut folders = vec![&ADAPTERS];
    std::iter::from_fn(move || {
        let folder = folders.pop()?;
        folders.extend(folder.dirs());
        Some(folder.files())
    })
    .flatten()
    .map(|file| (file.path(), file.contents()))
}

/// The files of the kit for a language, each with its name.
pub(crate) fn kit_files(language: &str) -> impl Iterator<Item = (&'static Path, &'static [u8])> {
    let folder = Path::new("kit").join(language);
    files().filter_map(move |(path, contents)| Some((path.strip_prefix(&folder).ok()?, contents)))
}

/// The path in `adapters` of a path in the folder of the built-in adapters; `None` for any other path.
fn inside(path: &Path) -> Option<&Path> {
    let folder = path.ancestors().find(|folder| folder.ends_with(end()))?;
    path.strip_prefix(folder).ok()
}

/// A file of an adapter, of the program or on the disk; `None` if there is no such file. Fails when it cannot be read.
pub(crate) fn read(path: &Path) -> Result<Option<Source>, Error> {
    let Some(inside) = inside(path) else {
        // Relative to the current folder where possible: annotations need it so.
        let here = std::env::current_dir().unwrap_or_default();
        let name = path.strip_prefix(here).unwrap_or(path).to_string_lossy();
        return match path.exists() {
            true => Source::of_file(&name, path).map(Some),
            false => Ok(None),
        };
    };
    let text = ADAPTERS.get_file(inside).and_then(|of| of.contents_utf8());
    let name = Path::new("adapters").join(inside);
    Ok(text.map(|text| Source::new(&name.to_string_lossy(), text)))
}

/// Writes what the folder of the built-in adapters lacks, and nothing elsewhere. Fails when a file cannot be written.
pub(super) fn unpack(adapters: &Path) -> Result<(), Error> {
    if installations(adapters).is_none() {
        return Ok(());
    }
    for (file, contents) in files() {
        let path = adapters.join(file);
        if std::fs::read(&path).is_ok_and(|there| there == contents) {
            continue;
        }
        // Another process may read it now.
        let mut new = path.clone().into_os_string();
        new.push(format!(".{}", std::process::id()));
        std::fs::create_dir_all(path.parent().unwrap_or(adapters))
            .and_then(|()| std::fs::write(&new, contents))
            .and_then(|()| std::fs::rename(&new, &path))
            .map_err(|why| Error::unwritable(&path, why))?;
    }
    Ok(())
}
