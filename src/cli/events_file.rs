//! The files of event streams. A lock keeps two programs from writing to the same one.

use super::interrupt::waiting;
use super::output_file::{self, lock};
use crate::error::Error;
use crate::event::stream::Stream;
use std::fs::{File, OpenOptions};
use std::path::Path;

/// Creates the file of a stream, and its folder if it does not exist. It is locked until it is closed.
///
/// # Errors
/// When it cannot be written, or another program is writing it: it is then left as it is.
pub(super) fn create(path: &Path) -> Result<File, Error> {
    if output_file::is_standard_output(path) {
        return Err(Error::Usage(
            "events are written to a file, not to '-': name one, such as target/events.jsonl"
                .to_owned(),
        ));
    }
    output_file::create_folder(path)?;
    let unwritable = |why| Error::unwritable(path, why);
    // Emptied only when it is locked.
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let file = match output_file::is_special(path) {
        true => waiting(|| output_file::open_special(path)),
        false => options.open(path),
    };
    let file = file.map_err(unwritable)?;
    if lock(&file, path)? {
        file.set_len(0).map_err(unwritable)?;
    }
    Ok(file)
}

/// Opens a stream's file for appending, without what its last run said at its early end. It is locked until it is closed.
///
/// # Errors
/// As in [`create`].
pub(super) fn resume(stream: &Stream) -> Result<File, Error> {
    let unwritable = |why| Error::unwritable(&stream.path, why);
    let mut options = OpenOptions::new();
    let file = options
        .append(true)
        .open(&stream.path)
        .map_err(unwritable)?;
    lock(&file, &stream.path)?;
    file.set_len(stream.kept_bytes).map_err(unwritable)?;
    Ok(file)
}
