//! The reports of a run: which are wanted, and where they go.

use crate::error::Error;
use crate::event::stream::Stream;
use crate::event::{Event, Reporter};
use crate::report::jsonl::JsonLines;
use crate::report::progress::Progress;
use crate::report::results::Results;
use crate::report::style::{err, whole};
use crate::report::text::{Text, Verbosity};
use crate::report::{badge, github, html, junit, sarif, summary};
use clap::Args;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
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
    /// Write JUnit XML here, for the viewers of CI systems
    #[arg(long, value_name = "FILE")]
    pub(super) junit: Option<PathBuf>,
    /// Write the page here: one HTML file, to be opened in a browser
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
    /// Write a summary in Markdown here, for a job's page or a comment; `-` for standard output
    #[arg(long, value_name = "FILE")]
    pub(super) markdown: Option<PathBuf>,
    /// Write SARIF here, for code-scanning pages
    #[arg(long, value_name = "FILE")]
    pub(super) sarif: Option<PathBuf>,
    /// Write the JSON of a shields.io endpoint badge here
    #[arg(long, value_name = "FILE")]
    pub(super) badge: Option<PathBuf>,
    /// Print GitHub annotations, and add the summary to the job's page (`$GITHUB_STEP_SUMMARY`)
    #[arg(long)]
    pub(super) github: bool,
}

impl ReportArgs {
    /// Whether a report is wanted that needs all events.
    fn whole(&self) -> bool {
        let files = [
            &self.junit,
            &self.html,
            &self.markdown,
            &self.sarif,
            &self.badge,
        ];
        files.iter().any(|file| file.is_some()) || self.github
    }

    /// Whether each file is written once, and none that is read.
    fn check(&self, read: &[&Path]) -> Result<(), Error> {
        let files = [
            &self.events,
            &self.results,
            &self.junit,
            &self.html,
            &self.markdown,
            &self.sarif,
            &self.badge,
        ];
        let mut taken: Vec<&Path> = read.to_vec();
        for path in files
            .into_iter()
            .flatten()
            .filter(|path| *path != Path::new("-"))
        {
            if taken.contains(&path.as_path()) {
                return Err(Error::Usage(format!(
                    "{} would be written over; name another file",
                    path.display()
                )));
            }
            taken.push(path);
        }
        Ok(())
    }

    /// Whether nothing is wanted.
    pub(super) fn is_empty(&self) -> bool {
        self.events.is_none() && self.results.is_none() && !self.whole()
    }
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
    text: Option<Text>,
    /// All events, if a report wants them.
    whole: Option<Stream>,
    results: Option<Results>,
}

impl Reports {
    /// Opens what is written as the run goes; events after those of a run that is resumed. `read` are files not to be
    /// written.
    ///
    /// # Errors
    /// A file that cannot be written, or that is wanted twice.
    pub(super) fn open(
        wanted: &ReportArgs,
        resumed: Option<&Stream>,
        read: &[&Path],
    ) -> Result<Self, Error> {
        wanted.check(read)?;
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
            text: Some(Text::new(Verbosity::Normal)),
            whole: wanted.whole().then(Stream::default),
            results: wanted.results.is_some().then(Results::default),
            wanted: wanted.clone(),
        })
    }

    pub(super) fn verbosity(&mut self, quiet: bool, verbose: bool) {
        self.text = Some(Text::new(match (quiet, verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        }));
    }

    /// Files alone: nothing on the terminal.
    pub(super) fn silent(&mut self) {
        (self.progress, self.text) = (None, None);
    }

    pub(super) fn without_progress(&mut self) {
        self.progress = None;
    }

    /// Writes what can only be written at the end.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn finish(&mut self, baseline: Option<&Stream>) -> Result<(), Error> {
        if let (Some(stream), Some(path)) = (self.stream.take(), &self.events) {
            stream.finish().map_err(cannot_write(path))?;
        }
        if let (Some(path), Some(results)) = (&self.wanted.results, &self.results) {
            write(path, &results.render(&self.not_available))?;
        }
        let Some(mut whole) = self.whole.take() else {
            return Ok(());
        };
        whole.sort();
        let wanted = &self.wanted;
        let of = |rendered: Result<String, String>| rendered.map_err(Error::Internal);
        if let Some(path) = &wanted.junit {
            write(path, &of(junit::render(&whole))?)?;
        }
        if let Some(path) = &wanted.html {
            write(path, &of(html::render(&whole, baseline))?)?;
        }
        if let Some(path) = &wanted.sarif {
            write(path, &of(sarif::of_run(&whole))?)?;
        }
        if let Some(path) = &wanted.badge {
            write(path, &badge::render(&whole))?;
        }
        if let Some(path) = &wanted.markdown {
            write(path, &summary::render(&whole))?;
        }
        if wanted.github {
            github::annotate(&whole);
            match std::env::var_os("GITHUB_STEP_SUMMARY") {
                Some(path) => append(Path::new(&path), &summary::render(&whole))?,
                None => err(
                    "GITHUB_STEP_SUMMARY is not set, so there is no job's page to add the summary to",
                ),
            }
        }
        Ok(())
    }
}

impl Reporter for Reports {
    fn event(&mut self, event: &Event) {
        self.progress
            .iter_mut()
            .for_each(|progress| progress.event(event));
        self.text.iter_mut().for_each(|text| text.event(event));
        if let Some(whole) = &mut self.whole {
            // They come from the runner or from a stream that was read, so they are in order.
            let _ = whole.append(event.clone());
        }
        self.results
            .iter_mut()
            .for_each(|results| results.event(event));
        // What is told again of a run that is resumed stands in its stream already.
        match self.told.checked_sub(1) {
            Some(left) => self.told = left,
            None => self
                .stream
                .iter_mut()
                .for_each(|stream| stream.event(event)),
        }
    }
}

/// Writes events, and nothing else, to a file, which `create` made at this path.
pub(super) fn write_events(
    path: &Path,
    file: File,
    events: impl Iterator<Item = Event>,
) -> Result<(), Error> {
    let mut lines = JsonLines::new(BufWriter::new(file));
    events.for_each(|event| lines.event(&event));
    lines
        .finish()
        .and_then(|mut file| file.flush())
        .map_err(cannot_write(path))
}

/// Writes a report; `-` is standard output.
pub(super) fn write(path: &Path, text: &str) -> Result<(), Error> {
    if path == Path::new("-") {
        whole(text.trim_end());
        return Ok(());
    }
    create(path)?
        .write_all(text.as_bytes())
        .map_err(cannot_write(path))
}

/// A new file, in a folder that is made if there is none.
pub(super) fn create(path: &Path) -> Result<File, Error> {
    if path == Path::new("-") {
        return Err(Error::Usage(
            "events go to a file, and '-' is none: name one, such as target/events.jsonl"
                .to_owned(),
        ));
    }
    let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    folder
        .and_then(|()| File::create(path))
        .map_err(cannot_write(path))
}

/// The stream's file, without what is left of a line that was not finished.
fn go_on(stream: &Stream) -> Result<File, Error> {
    let file = OpenOptions::new()
        .append(true)
        .open(&stream.path)
        .map_err(cannot_write(&stream.path))?;
    file.set_len(stream.complete_bytes)
        .map_err(cannot_write(&stream.path))?;
    Ok(file)
}

fn append(path: &Path, text: &str) -> Result<(), Error> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(cannot_write(path))
}

fn cannot_write(path: &Path) -> impl FnOnce(std::io::Error) -> Error + '_ {
    |why| Error::unwritable(path, why)
}
