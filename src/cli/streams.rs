//! The event streams that commands read.

use crate::error::Error;
use crate::event::stream::{SearchRecords, Stream};
use std::path::{Path, PathBuf};

/// Reads the stream of a run, if a path is given.
pub(super) fn read_run(path: Option<&PathBuf>) -> Result<Option<Stream>, Error> {
    let Some(path) = path else { return Ok(None) };
    let stream = Stream::read(path)?;
    if stream.search.is_some() {
        return Err(Error::Usage(format!(
            "{} is of a search; give it the events of a run",
            path.display()
        )));
    }
    Ok(Some(stream))
}

/// Reads the stream of a search.
pub(super) fn read_search(path: &Path) -> Result<SearchRecords, Error> {
    Stream::read(path)?.search.ok_or_else(|| {
        Error::Usage(format!(
            "{} is of a run; give it the events of a search",
            path.display()
        ))
    })
}
