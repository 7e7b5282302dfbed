//! The reports that a run writes, and their files.

use super::interrupt::waiting;
use super::output_file::{self, Identity};
use super::streams::{self, JsonLines};
use crate::error::Error;
use crate::event::stream::Stream;
use crate::event::{Event, Note, Reporter};
use crate::report::digest::RunDigest;
use crate::report::fault::print_error;
use crate::report::progress::Progress;
use crate::report::shown::shown;
use crate::report::style::err;
use crate::report::text::{Text, Verbosity};
use crate::report::{ReportInput, github, reports, summary};
use clap::Args;
use serde::Deserialize;
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Declares the options for reports. The reports that are one file each come from the table `reports!`.
macro_rules! report_args {
    ($($(#[doc = $help:literal])+ $key:ident: $render:expr,)+) => {
        /// The reports that `run`, or `report render`, writes.
        #[derive(Debug, Args, Default, Clone, PartialEq, Eq, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ReportsConfig"))]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        pub(crate) struct ReportArgs {
            /// Write the event stream here: one JSON object per line
            #[arg(long, value_name = "FILE")]
            pub(super) events: Option<PathBuf>,
            $(
                $(#[doc = $help])+
                #[arg(long, value_name = "FILE")]
                pub(super) $key: Option<PathBuf>,
            )+
            /// Print GitHub annotations, and add the summary to the job's page (`$GITHUB_STEP_SUMMARY`)
            #[arg(long, num_args = 0, default_missing_value = "true")]
            pub(super) github: Option<bool>,
            /// The files of the gate's configuration that the command line replaces. Files of an earlier run must not stay.
            #[arg(skip)]
            #[serde(skip)]
            pub(super) replaced: Vec<PathBuf>,
        }

        /// What writes each report of one file.
        const RENDERERS: &[Render] = &[$($render),+];

        impl ReportArgs {
            /// The file of each report, with its key in the gate's configuration; `None` for a report that is not
            /// requested. All except the first, the event stream, need all events and are in the order of `RENDERERS`.
            pub(super) fn files(&mut self) -> [(&'static str, &mut Option<PathBuf>); RENDERERS.len() + 1] {
                [("events", &mut self.events), $((stringify!($key), &mut self.$key)),+]
            }
        }
    };
}

reports!(report_args);

/// Writes a report.
type Render = fn(ReportInput<'_>, &mut dyn Write) -> std::io::Result<()>;

impl ReportArgs {
    /// Whether only the page of results is requested.
    pub(super) fn is_results_alone(&self) -> bool {
        let mut all = self.clone();
        let mut files = all.files().into_iter();
        files.all(|(key, file)| file.is_some() == (key == "results")) && self.github != Some(true)
    }

    /// Whether a requested report needs all events.
    fn whole(&self) -> bool {
        let mut all = self.clone();
        all.files().iter().skip(1).any(|(_, file)| file.is_some()) || self.github == Some(true)
    }

    /// Drops reports that would overwrite an input or a report, and removes what it replaces. Returns the first error.
    fn leave_out_taken(&mut self, read: &[&Path]) -> Option<Error> {
        let mut taken: Vec<_> = read.iter().map(|path| Identity::of(path)).collect();
        let mut first_error = None;
        let mut leave_out = |wanted: &mut Option<PathBuf>| {
            let path = wanted.take_if(|path| {
                let file = Identity::of(path);
                let is_taken = taken.contains(&file) && !output_file::is_standard_output(path);
                taken.push(file);
                is_taken
            });
            if let Some(path) = path {
                let path = path.display();
                let error = format!("{path} would be overwritten; name another file");
                first_error.get_or_insert(Error::Usage(error));
            }
        };
        let files = self.files().into_iter();
        files.for_each(|(_, file)| leave_out(file));
        let is_old = |path: &&PathBuf| path.is_file() && !taken.contains(&Identity::of(path));
        for old in self.replaced.iter().filter(is_old) {
            match output_file::prepare(old) {
                Ok(()) => err(format!(
                    "{} is removed: an earlier run wrote it, and this one writes another file instead",
                    old.display()
                )),
                Err(error) => drop(first_error.get_or_insert(error)),
            }
        }
        first_error
    }

    /// Whether no report is requested.
    pub(super) fn is_empty(&self) -> bool {
        self.events.is_none() && !self.whole()
    }
}

/// The amount of detail on the terminal.
#[derive(Debug, Args, Default)]
pub(super) struct VerbosityArgs {
    /// Show every failure in full, and name the skipped and recorded trials
    #[arg(long, short, conflicts_with = "quiet")]
    verbose: bool,
    /// Show only the counts
    #[arg(long, short)]
    quiet: bool,
}

impl VerbosityArgs {
    /// The report on the terminal.
    pub(super) fn text(&self) -> Text {
        Text::new(match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        })
    }
}

/// The reports of a run. Each takes every event.
#[derive(Default)]
pub(super) struct Reports {
    /// The file of the events, if they are written.
    pub(super) events: Option<PathBuf>,
    /// The names of the unavailable adapters.
    pub(super) not_available: Vec<String>,
    /// The number of findings so far.
    pub(super) findings: usize,
    /// The reports that can be written.
    wanted: ReportArgs,
    /// The first error of a report that cannot be written, until it is reported.
    first_error: Option<Error>,
    stream: Option<JsonLines<File>>,
    /// Whether the file of the events is not a regular file. Then its reader may keep the run waiting.
    is_pipe: bool,
    /// The number of repeated events that the file of a resumed run already has.
    recorded: usize,
    progress: Option<Progress>,
    text: Option<Text>,
    /// All events, if a report needs them.
    whole: Option<Stream>,
}

impl Reports {
    /// Removes what an earlier run wrote, except the inputs `read`. `progress` and `text` are for the terminal.
    pub(super) fn open(
        wanted: &ReportArgs,
        read: &[&Path],
        progress: Option<Progress>,
        text: Option<Text>,
    ) -> Self {
        let mut wanted = wanted.clone();
        let mut first_error = wanted.leave_out_taken(read);
        for (_, wanted) in wanted.files().into_iter().skip(1) {
            if let Some(Err(error)) = wanted.as_deref().map(output_file::prepare) {
                *wanted = None;
                match first_error {
                    None => first_error = Some(error),
                    // The first error ends the run. The others are printed too, because files of an earlier run stay.
                    Some(_) => print_error(&error.to_string()),
                }
            }
        }
        Self {
            first_error,
            progress,
            text,
            whole: wanted.whole().then(Stream::default),
            wanted,
            ..Self::default()
        }
    }

    /// Opens the file of the events. The events of a resumed run are appended to its file. Fails when it, or the file
    /// of a report, is not writable. The others are written nevertheless, so that nothing of an earlier run remains.
    pub(super) fn open_events(&mut self, resumed: Option<&Stream>) -> Result<(), Error> {
        let first_error = self.first_error.take();
        let opened = match resumed {
            Some(_) if first_error.is_some() => Ok(()),
            Some(_) | None => self.open_stream(resumed),
        };
        first_error.map_or(opened, Err)
    }

    fn open_stream(&mut self, resumed: Option<&Stream>) -> Result<(), Error> {
        let (path, file) = match (resumed, &self.wanted.events) {
            (Some(resumed), _) => (resumed.path.clone(), streams::resume(resumed)?),
            (None, Some(path)) => (path.clone(), streams::create(path)?),
            (None, None) => return Ok(()),
        };
        self.is_pipe = output_file::is_special(&path);
        self.recorded = resumed.map_or(0, |resumed| resumed.repeated().count());
        (self.events, self.stream) = (Some(path), Some(JsonLines::new(file)));
        Ok(())
    }

    /// Writes the reports that need all events. An error in one does not stop the others.
    pub(super) fn finish(&mut self, baseline: Option<&Stream>) -> Vec<Error> {
        let mut written = Vec::new();
        if let (Some(stream), Some(path)) = (self.stream.take(), &self.events) {
            written.push(stream.finish().map(drop).map_err(cannot_write(path)));
        }
        if let Some(mut whole) = self.whole.take() {
            whole.sort();
            written.extend(self.write(&whole, baseline));
        }
        written.into_iter().filter_map(Result::err).collect()
    }

    fn write(&self, whole: &Stream, baseline: Option<&Stream>) -> Vec<Result<(), Error>> {
        let run = &RunDigest::of(whole);
        let input = ReportInput {
            run,
            baseline,
            not_available: &self.not_available,
        };
        let file = |path: &Path, render: Render| {
            // The earlier file has been removed.
            if path.is_file() {
                let why =
                    "another command wrote it in the meantime, so it stays; name another file";
                let why = std::io::Error::new(ErrorKind::AlreadyExists, why);
                return Err(Error::unwritable(path, why));
            }
            let part = format!("the report {}", path.display());
            output_file::write_with(path, |out| {
                Error::catch(&part, || render(input, out).map_err(cannot_write(path)))
            })
        };
        let mut wanted = self.wanted.clone();
        let files = wanted.files().into_iter().skip(1).zip(RENDERERS);
        let files = files.filter_map(|((_, path), render)| Some(file(path.as_deref()?, *render)));
        files.chain([self.write_to_github(run, baseline)]).collect()
    }

    fn write_to_github(&self, run: &RunDigest<'_>, baseline: Option<&Stream>) -> Result<(), Error> {
        if self.wanted.github != Some(true) {
            return Ok(());
        }
        github::annotate(run);
        match std::env::var_os("GITHUB_STEP_SUMMARY") {
            Some(path) => output_file::append(Path::new(&path), &summary::render(run, baseline)),
            None => {
                err(
                    "GITHUB_STEP_SUMMARY is not set, so the summary cannot be added to the job's page",
                );
                Ok(())
            }
        }
    }
}

impl Reporter for Reports {
    fn event(&mut self, event: &Event) {
        self.findings += usize::from(matches!(event, Event::Finding(_)));
        // The terminal comes last: if it fails, the files have the event. A resumed run's file has it already.
        if let Some(left) = self.recorded.checked_sub(1) {
            self.recorded = left;
        } else if let Some(stream) = &mut self.stream {
            match self.is_pipe {
                true => waiting(|| stream.event(event)),
                false => stream.event(event),
            }
        }
        if let Some(progress) = &mut self.progress {
            progress.event(event);
        }
        if self.text.is_none() && self.whole.is_none() {
            return;
        }
        let shown = shown(event);
        if let Some(whole) = &mut self.whole {
            // The events come from a run or from a checked stream, so they are in order.
            let _ = whole.append(shown.clone().into_owned());
        }
        self.text.iter_mut().for_each(|text| text.event(&shown));
    }

    fn note(&mut self, note: Note<'_>) {
        self.progress.iter_mut().for_each(|of| of.note(note));
        self.text.iter_mut().for_each(|text| text.note(note));
    }
}

/// Writes events to a file that [`streams::create`] created at this path.
pub(super) fn write_events(
    path: &Path,
    file: File,
    events: impl Iterator<Item = Event>,
) -> Result<(), Error> {
    let mut lines = JsonLines::new(BufWriter::new(file));
    events.for_each(|event| lines.event(&event));
    let written = lines.finish().and_then(|mut file| file.flush());
    written.map_err(cannot_write(path))
}

/// Writes a report; `-` is standard output.
pub(super) fn write(path: &Path, text: &str) -> Result<(), Error> {
    output_file::write_with(path, |out| {
        out.write_all(text.as_bytes()).map_err(cannot_write(path))
    })
}

fn cannot_write(path: &Path) -> impl FnOnce(std::io::Error) -> Error + '_ {
    |why| Error::unwritable(path, why)
}
