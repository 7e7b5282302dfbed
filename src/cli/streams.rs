//! The event streams that commands read and write, as JSON lines. A lock keeps two programs from writing to the same file.

use super::interrupt::unless_stopped;
use super::output_file::{self, lock};
use crate::error::Error;
use crate::event::stream::{SearchRecords, Stream};
use crate::event::{Event, Reporter};
use crate::suite::entries;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

pub(super) fn read_run(path: &Path) -> Result<Stream, Error> {
    let stream = Stream::read(path)?;
    match stream.search {
        Some(_) => Err(of_another(path, "a search", "a run")),
        None => Ok(stream),
    }
}

/// The result of `read` for the file, if a path is given, until `stop` is set.
pub(super) fn read_unless_stopped<T: Send + 'static>(
    path: Option<&PathBuf>,
    stop: &AtomicBool,
    read: fn(&Path) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    let Some(path) = path.cloned() else {
        return Ok(None);
    };
    let waits = format!("stopped while it waited for {}", path.display());
    match unless_stopped(stop, move || read(&path))? {
        Some(read) => read.map(Some),
        None => Err(Error::Incomplete(waits)),
    }
}

/// Reads the stream of a search.
pub(super) fn read_search(path: &Path) -> Result<SearchRecords, Error> {
    let search = Stream::read(path)?.search;
    search.ok_or_else(|| of_another(path, "a run", "a search"))
}

fn of_another(path: &Path, of: &str, wanted: &str) -> Error {
    let path = path.display();
    Error::Usage(format!("{path} is of {of}; give it the events of {wanted}"))
}

/// The files of streams: the named files, and every `*.jsonl` of each named folder, by name.
pub(super) fn stream_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let mut inside = entries(path)?;
        inside.retain(|file| file.extension().is_some_and(|of| of == "jsonl"));
        if inside.is_empty() {
            let why = format!("no *.jsonl file in {}", path.display());
            return Err(Error::NothingSelected(why));
        }
        files.extend(inside);
    }
    Ok(files)
}

/// Creates the file of a stream, and its folder if it does not exist. It is locked until it is closed. Fails when it is
/// not writable, or another program is writing it, which leaves it unchanged.
pub(super) fn create(path: &Path) -> Result<File, Error> {
    if output_file::is_standard_output(path) {
        let why = "events are written to a file, not to '-': name one, such as target/events.jsonl";
        return Err(Error::Usage(why.to_owned()));
    }
    output_file::create_folder(path)?;
    let unwritable = |why| Error::unwritable(path, why);
    // Emptied only after it is locked.
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let file = output_file::open(path, &options).map_err(unwritable)?;
    if lock(&file, path)? {
        file.set_len(0).map_err(unwritable)?;
    }
    Ok(file)
}

/// Opens a stream's file for appending, without the records of its last run's early end. It is locked until it is
/// closed. Fails as [`create`] does.
pub(super) fn resume(stream: &Stream) -> Result<File, Error> {
    let unwritable = |why| Error::unwritable(&stream.path, why);
    let file = OpenOptions::new().append(true).open(&stream.path);
    let file = file.map_err(unwritable)?;
    lock(&file, &stream.path)?;
    file.set_len(stream.kept_bytes).map_err(unwritable)?;
    Ok(file)
}

/// Writes each event immediately, so that a killed run leaves every event up to that moment.
pub(super) struct JsonLines<W> {
    output: W,
    /// The first write error. Nothing is written after it.
    fault: Option<std::io::Error>,
}

impl<W: Write> JsonLines<W> {
    pub(super) fn new(output: W) -> Self {
        Self {
            output,
            fault: None,
        }
    }

    /// The output, or the first write error.
    pub(super) fn finish(self) -> std::io::Result<W> {
        self.fault.map_or(Ok(self.output), Err)
    }
}

impl<W: Write> Reporter for JsonLines<W> {
    fn event(&mut self, event: &Event) {
        if self.fault.is_none() {
            self.fault = write(&mut self.output, event).err();
        }
    }
}

fn write(output: &mut impl Write, event: &Event) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(event)?;
    line.push(b'\n');
    output.write_all(&line)
}
