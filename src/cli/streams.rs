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

/// The files of streams: those that are named, and of each folder every `*.jsonl`, by name.
pub(super) fn stream_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let entries = entries.map_err(|why| Error::unreadable(path, why))?;
        let mut inside: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
        inside.retain(|file| file.extension().is_some_and(|of| of == "jsonl"));
        if inside.is_empty() {
            let why = format!("there is no *.jsonl in {}", path.display());
            return Err(Error::NothingSelected(why));
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}
