//! Output files of commands: checked before the work begins, and written whole or not at all.

use super::interrupt::waiting;
use crate::error::Error;
use crate::report::style::whole;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a report waits for a reader of the pipe that it is written to.
const READER: Duration = Duration::from_secs(10);

/// Checks that a file at this path is writable, and removes what an earlier command wrote there, because it must not
/// look like the result of this one. Terminals, pipes and the like are left alone. Fails when the file is not writable.
pub(super) fn prepare(path: &Path) -> Result<(), Error> {
    if is_standard_output(path) || is_special(path) {
        return Ok(());
    }
    create_folder(path)?;
    if let Ok(file) = File::open(path) {
        lock(&file, path)?;
    }
    write_with(path, |_| Ok(()))?;
    std::fs::remove_file(real(path)).map_err(|why| Error::unwritable(path, why))
}

/// Writes a file piece by piece, through a temporary one next to it, so that it is never half written; `-` is standard
/// output. Fails when it cannot be written.
pub(super) fn write_with(
    path: &Path,
    contents: impl FnOnce(&mut dyn Write) -> Result<(), Error>,
) -> Result<(), Error> {
    if is_standard_output(path) {
        let mut text = Vec::new();
        contents(&mut text)?;
        whole(String::from_utf8_lossy(&text).trim_end());
        return Ok(());
    }
    let unwritable = |why| Error::unwritable(path, why);
    let write = |file: std::io::Result<File>| {
        let mut file = BufWriter::new(file.map_err(unwritable)?);
        contents(&mut file)?;
        file.flush().map_err(unwritable)
    };
    if is_special(path) {
        return waiting(|| write(open_special(path)));
    }
    // The real place of the file, if its path is a link; the temporary one is in the same file system.
    let real = real(path);
    let name = real.file_name().unwrap_or_default().to_string_lossy();
    let temporary = real.with_file_name(format!(".{name}.{}", std::process::id()));
    write(File::create(&temporary))
        .and_then(|()| std::fs::rename(&temporary, &real).map_err(unwritable))
        .inspect_err(|_| drop(std::fs::remove_file(&temporary)))
}

/// Writes a file that does not exist yet, with its folder. Fails when it exists, or cannot be written.
pub(super) fn write_new(path: &Path, contents: &[u8]) -> Result<(), Error> {
    create_folder(path)?;
    let new = OpenOptions::new().write(true).create_new(true).open(path);
    let written = new.and_then(|mut file| file.write_all(contents));
    written.map_err(|why| Error::unwritable(path, why))
}

/// Appends to a file, which is created if it does not exist. Fails when it cannot be written.
pub(super) fn append(path: &Path, text: &str) -> Result<(), Error> {
    let file = open(path, OpenOptions::new().create(true).append(true));
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|why| Error::unwritable(path, why))
}

/// Opens a file with these options. Anything but a regular file is opened for writing.
pub(super) fn open(path: &Path, options: &OpenOptions) -> std::io::Result<File> {
    match is_special(path) {
        true => waiting(|| open_special(path)),
        false => options.open(path),
    }
}

/// Opens something other than a regular file. For a pipe, it waits some time for a reader. Fails when it cannot be
/// opened, or nobody reads it.
fn open_special(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    {
        use rustix::{fs::OFlags, io::Errno};
        use std::os::unix::fs::OpenOptionsExt;
        // With this flag, a pipe without a reader is an error and no endless wait.
        let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
        let deadline = Instant::now() + READER;
        while let Err(why) = options.clone().custom_flags(flags).open(path) {
            if why.raw_os_error() != Some(Errno::NXIO.raw_os_error()) {
                return Err(why);
            }
            if Instant::now() > deadline {
                let why = format!("it is a pipe that nobody read for {READER:?}");
                return Err(std::io::Error::new(ErrorKind::TimedOut, why));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    options.open(path)
}

/// Locks a file until it is closed. Returns whether it is a regular file: others, such as `/dev/null`, are not locked.
/// Fails when another program has locked it.
pub(super) fn lock(file: &File, path: &Path) -> Result<bool, Error> {
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Ok(false);
    }
    match file.try_lock() {
        // Some file systems have no locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(true),
        Err(TryLockError::WouldBlock) => Err(Error::Usage(format!(
            "another run is writing {}; wait until it ends, or name another file",
            path.display()
        ))),
    }
}

/// Creates the folder of a file, if it does not exist. Fails when it cannot be created.
pub(super) fn create_folder(path: &Path) -> Result<(), Error> {
    let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    folder.map_err(|why| Error::unwritable(path, why))
}

/// The file that a path names. Two paths may name one file.
pub(super) fn real(path: &Path) -> PathBuf {
    let resolved = path.canonicalize().or_else(|_| std::path::absolute(path));
    resolved.unwrap_or_else(|_| path.to_owned())
}

/// The identity of a file, by which two paths are compared, even with hard links or mounts.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Identity {
    /// An existing file, by its device and inode numbers.
    Inode(u64, u64),
    /// Any other file, by its full path.
    Path(PathBuf),
}

impl Identity {
    pub(super) fn of(path: &Path) -> Self {
        #[cfg(unix)]
        if let Ok(metadata) = std::fs::metadata(path) {
            use std::os::unix::fs::MetadataExt;
            return Self::Inode(metadata.dev(), metadata.ino());
        }
        Self::Path(real(path))
    }
}

/// Whether a path stands for standard output.
pub(super) fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-")
}

/// Whether the path exists but is neither a regular file nor a folder.
pub(super) fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|of| !of.is_file() && !of.is_dir())
}
