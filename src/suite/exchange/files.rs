//! Files from other projects: searching folders, and reading with limits.

use crate::error::{Error, Fault, Source};
use crate::model::found::External;
use crate::suite::collection::read_limited;
use crate::suite::entries;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};

/// The most bytes of a file: the limit of a protobuf message.
const MAX_BYTES: u64 = 2 << 30;
/// The most bytes of a tensor in a file next to a model: only data and targets are read.
const MAX_EXTERNAL: u64 = 64 << 20;

/// A file, or a folder of files that belong together.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A model with recorded runs: `model.onnx` and `test_data_set_*`.
    NodeTest(PathBuf),
    /// A single file.
    File(PathBuf),
}

/// The items under a path, in the order of their names.
pub(super) fn items(path: &Path) -> Result<Vec<Item>, Error> {
    let mut items = Vec::new();
    let about = path.metadata();
    let about = about.map_err(|why| Error::unreadable(path, why))?;
    if !about.is_dir() {
        return Ok(vec![Item::File(path.to_owned())]);
    }
    collect(path, &mut items)?;
    Ok(items)
}

fn collect(folder: &Path, items: &mut Vec<Item>) -> Result<(), Error> {
    if folder.join("model.onnx").is_file() {
        items.push(Item::NodeTest(folder.to_owned()));
        return Ok(());
    }
    for entry in entries(folder)? {
        // Links to folders are skipped, because they could form a cycle.
        if entry.is_dir() && !entry.is_symlink() {
            collect(&entry, items)?;
        } else if entry.ends_with(super::MANIFEST) {
            // `export` wrote it: the list of the models beside it.
        } else if has_ending(&entry, &["onnx", "json"])
            || has_ending(&entry, &["xml"]) && entry.with_extension("bin").is_file()
        {
            items.push(Item::File(entry));
        }
    }
    Ok(())
}

pub(super) fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let ending = path.extension().and_then(|of| of.to_str());
    ending.is_some_and(|of| endings.contains(&of))
}

/// The folders `test_data_set_N` next to a model, in the order of their numbers.
pub(super) fn data_sets(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let number = |path: &PathBuf| {
        let name = path.file_name()?.to_str()?;
        name.strip_prefix("test_data_set_")?.parse::<u32>().ok()
    };
    let sets = entries(folder)?.into_iter().filter(|path| path.is_dir());
    let sets = sets.filter_map(|path| Some((number(&path)?, path)));
    let mut sets: Vec<_> = sets.collect();
    sets.sort();
    Ok(sets.into_iter().map(|(_, path)| path).collect())
}

/// The files `input_N.pb` (or `output_N.pb`) of a recorded run: from 0 up to the first that is missing.
pub(super) fn numbered(folder: &Path, kind: &str) -> Vec<PathBuf> {
    let path = |index: usize| folder.join(format!("{kind}_{index}.pb"));
    (0..).map(path).take_while(|path| path.is_file()).collect()
}

/// A fault of a whole file.
pub(super) fn fault(path: &Path, message: impl Into<String>) -> Error {
    Fault::new(&Source::new(&path.to_string_lossy(), ""), 0..0, message).into()
}

/// The bytes of a file.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let about = path.metadata();
    // Reading a pipe might never end.
    if !about.map_err(|why| Error::unreadable(path, why))?.is_file() {
        return Err(fault(path, "not a file"));
    }
    let bytes = read_limited(path, MAX_BYTES)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(fault(path, format!("more than {} MiB", MAX_BYTES >> 20)));
    }
    Ok(bytes)
}

/// Whether a path in a file leads to something below the folder from which it is read.
pub(super) fn is_inside(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    !path.is_empty() && parts.all(|of| matches!(of, Component::Normal(_) | Component::CurDir))
}

/// The bytes of a tensor in a file in this folder, next to a model. Nothing outside the folder is read.
pub(super) fn beside(folder: &Path, external: External<'_>) -> Result<Vec<u8>, String> {
    let (location, offset, length) = (external.location, external.offset, external.length);
    let named = |why: &dyn std::fmt::Display| format!("its external data '{location}': {why}");
    if !is_inside(location) {
        return Err(named(&"not a path inside the model's folder"));
    }
    let real = |path: &Path| path.canonicalize().map_err(|why| named(&why));
    let path = folder.join(location);
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    if !real(&path)?.starts_with(real(folder)?) {
        return Err(named(&"a link that leads out of the model's folder"));
    }
    let about = path.metadata().map_err(|why| named(&why))?;
    if !about.is_file() {
        return Err(named(&"not a file"));
    }
    if length > MAX_EXTERNAL {
        return Err(named(&format!("more than {} MiB", MAX_EXTERNAL >> 20)));
    }
    let end = offset.checked_add(length).filter(|end| *end <= about.len());
    if end.is_none() {
        let size = about.len();
        return Err(named(&format!(
            "{length} bytes from byte {offset} on, but the file has {size}"
        )));
    }
    let mut bytes = Vec::new();
    let mut file = File::open(&path).map_err(|why| named(&why))?;
    let read = file.seek(SeekFrom::Start(offset));
    let read = read.and_then(|_| file.take(length).read_to_end(&mut bytes));
    read.map_err(|why| named(&why))?;
    Ok(bytes)
}
