//! The reports of a run: which are wanted, and where they go.

use crate::error::Error;
use crate::event::{Event, Reporter};
use crate::report::jsonl::JsonLines;
use crate::report::progress::Progress;
use crate::report::results::Results;
use crate::report::text::{Text, Verbosity};
use crate::stream::Stream;
use clap::Args;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

/// The reports that a run writes, or `report render` of one that is over.
#[derive(Debug, Args, Default, Clone)]
pub(super) struct ReportArgs {
    /// Write the event stream here, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub(super) events: Option<PathBuf>,
    /// Write what every backend does here, as a Markdown page
    #[arg(long, value_name = "FILE")]
    pub(super) results: Option<PathBuf>,
}

/// The reporters of a run. Each hears every event.
pub(super) struct Reports {
    /// Where the events go.
    pub(super) events: Option<PathBuf>,
    /// Adapters that would take part, were they installed.
    pub(super) not_available: Vec<String>,
    wanted: ReportArgs,
    stream: Option<JsonLines<File>>,
    /// How many events the stream has already, of a run that is resumed.
    told: usize,
    progress: Option<Progress>,
    text: Text,
    results: Option<Results>,
}

impl Reports {
    /// Opens what is written as the run goes; events after those of a run that is resumed.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn open(wanted: &ReportArgs, resumed: Option<&Stream>) -> Result<Self, Error> {
        let (events, file) = match (resumed, &wanted.events) {
            (Some(resumed), _) => (Some(resumed.path.clone()), Some(go_on(resumed)?)),
            (None, Some(path)) => (Some(path.clone()), Some(create(path)?)),
            (None, None) => (None, None),
        };
        Ok(Self {
            events,
            not_available: Vec::new(),
            stream: file.map(JsonLines::new),
            told: resumed.map_or(0, |resumed| resumed.events().count()),
            progress: Some(Progress::new()),
            text: Text::new(Verbosity::Normal),
            results: wanted.results.is_some().then(Results::default),
            wanted: wanted.clone(),
        })
    }

    pub(super) fn verbosity(&mut self, quiet: bool, verbose: bool) {
        self.text = Text::new(match (quiet, verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        });
    }

    pub(super) fn without_progress(&mut self) {
        self.progress = None;
    }

    /// Writes what can only be written at the end.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn finish(&mut self, _baseline: Option<&Stream>) -> Result<(), Error> {
        if let (Some(JsonLines { fault: Some(_), .. }), Some(path)) = (&self.stream, &self.events)
            && let Some(why) = self.stream.take().and_then(|stream| stream.fault)
        {
            return Err(Error::File { doing: "write", path: path.clone(), why });
        }
        if let (Some(path), Some(results)) = (&self.wanted.results, &self.results) {
            write(path, &results.render(&self.not_available))?;
        }
        Ok(())
    }
}

impl Reporter for Reports {
    fn event(&mut self, event: &Event) {
        self.progress.iter_mut().for_each(|progress| progress.event(event));
        self.text.event(event);
        self.results.iter_mut().for_each(|results| results.event(event));
        // What is told again of a run that is resumed stands in its stream already.
        match self.told.checked_sub(1) {
            Some(left) => self.told = left,
            None => self.stream.iter_mut().for_each(|stream| stream.event(event)),
        }
    }
}

fn create(path: &Path) -> Result<File, Error> {
    File::create(path).map_err(|why| Error::File { doing: "write", path: path.to_owned(), why })
}

/// The stream's file, without what is left of a line that was not finished.
fn go_on(stream: &Stream) -> Result<File, Error> {
    let failed = |why| Error::File { doing: "write", path: stream.path.clone(), why };
    let file = OpenOptions::new().append(true).open(&stream.path).map_err(failed)?;
    file.set_len(stream.whole).map_err(failed)?;
    Ok(file)
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(|why| Error::File { doing: "write", path: path.to_owned(), why })
}
