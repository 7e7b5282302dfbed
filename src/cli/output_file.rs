//! Files that a command writes: checked before the work begins, and written whole or not at all.

use super::interrupt::waiting;
use crate::error::Error;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Checks that a file can be written at this path, and removes what an earlier command wrote there: it must not be taken for
/// the result of this one. What is no regular file (a terminal, a pipe) is left alone.
///
/// # Errors
/// When a file cannot be written there.
pub(super) fn prepare(path: &Path) -> Result<(), Error> {
    if is_standard_output(path) || is_special(path) {
        return Ok(());
    }
    create_folder(path)?;
    if let Ok(file) = File::open(path) {
        lock(&file, path)?;
    }
    let (real, temporary) = places(path);
    File::create(&temporary)
        .and_then(|_| std::fs::rename(&temporary, &real))
        .and_then(|()| std::fs::remove_file(&real))
        .map_err(|why| {
            let _ = std::fs::remove_file(&temporary);
            Error::unwritable(path, why)
        })
}

/// Writes a file through a temporary one beside it, so that it is never half written.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write(path: &Path, text: &str) -> Result<(), Error> {
    let written = if is_special(path) {
        waiting(|| std::fs::write(path, text))
    } else {
        let (real, temporary) = places(path);
        std::fs::write(&temporary, text)
            .and_then(|()| std::fs::rename(&temporary, &real))
            .inspect_err(|_| {
                let _ = std::fs::remove_file(&temporary);
            })
    };
    written.map_err(|why| Error::unwritable(path, why))
}

/// Appends to a file, which is created if it does not exist.
///
/// # Errors
/// When it cannot be written.
pub(super) fn append(path: &Path, text: &str) -> Result<(), Error> {
    let mut options = OpenOptions::new();
    let file = waiting(|| options.create(true).append(true).open(path));
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|why| Error::unwritable(path, why))
}

/// Locks a file until it is closed. Returns whether it is a regular file: others, such as `/dev/null`, are not locked.
///
/// # Errors
/// When another program has locked it.
pub(super) fn lock(file: &File, path: &Path) -> Result<bool, Error> {
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Ok(false);
    }
    match file.try_lock() {
        // Some file systems have no locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(true),
        Err(TryLockError::WouldBlock) => Err(Error::Usage(format!(
            "another run is writing {}; wait until it has ended, or name another file",
            path.display()
        ))),
    }
}

/// Creates the folder of a file, if it does not exist.
///
/// # Errors
/// When it cannot be created.
pub(super) fn create_folder(path: &Path) -> Result<(), Error> {
    let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    folder.map_err(|why| Error::unwritable(path, why))
}

/// The file that a path names: two paths may be of one file.
pub(super) fn real(path: &Path) -> PathBuf {
    let resolved = path.canonicalize().or_else(|_| std::path::absolute(path));
    resolved.unwrap_or_else(|_| path.to_owned())
}

/// Whether a path stands for standard output.
pub(super) fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-")
}

/// Whether something is there that is neither a regular file nor a folder.
pub(super) fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|of| !of.is_file() && !of.is_dir())
}

/// Where a file really is, if its path is a link, and a temporary file beside it, in the same file system.
fn places(path: &Path) -> (PathBuf, PathBuf) {
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = real.file_name().unwrap_or_default().to_string_lossy();
    let temporary = real.with_file_name(format!(".{name}.{}", std::process::id()));
    (real, temporary)
}
