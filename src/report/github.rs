//! GitHub's workflow commands: annotations on lines of the repository's files, findings first.

use super::cause::sentence;
use super::digest::{Digest, Note, RunDigest};
use super::junit::brief;
use super::location;
use super::style::{command, tame};
use crate::names::Joined;

/// The most annotations to print. GitHub shows ten errors for each step, so findings come first.
const MAX: usize = 50;

/// Prints the annotations.
pub(crate) fn annotate(run: &RunDigest<'_>) {
    let missing = run.missing.iter();
    let missing = missing.map(|of| annotation("error", "", "incomplete run", of));
    let backends = run.backends.iter();
    let backends = backends.flat_map(|backend| of_backend(run, backend));
    let lines = missing.chain(backends).take(MAX);
    lines.for_each(|line| command(&line));
}

fn of_backend(run: &RunDigest<'_>, backend: &Digest<'_>) -> Vec<String> {
    let name = backend.name;
    let shown = backend.findings.iter().filter_map(|(cause, first)| {
        let title = format!("{name}: {} failed", cause.trials.len());
        Some(((*first)?, title, sentence(cause) + "\n"))
    });
    let groups = backend.unexplained_by_clause(run.stream).into_iter();
    let unexplained = groups.filter_map(|group| {
        let first = group.trials.first().copied()?;
        let title = format!("{name}: {} {}", group.trials.len(), first.judged().name());
        Some((first, title, group.heading() + "\n"))
    });
    let failures = shown.chain(unexplained).map(|(trial, title, description)| {
        let message = format!("{description}{}\n{}", trial.trial, brief(trial));
        let place = location::of_trial(run.stream, trial);
        let place = place.map_or_else(String::new, |(file, line)| at(file, line));
        annotation("error", &place, &title, &message)
    });
    failures.chain(backend.alerts().map(note)).collect()
}

fn at(file: &str, line: usize) -> String {
    format!("file={},line={line},", property(file))
}

fn note(note: &Note) -> String {
    let place = note.place.as_ref();
    let place = place.map_or_else(String::new, |(file, line, column)| match column {
        Some(column) => format!("{}col={column},", at(file, *line)),
        None => at(file, *line),
    });
    let message = note.message();
    // Drop the command here; the terminal's report and the page have it.
    let lines = message.lines().filter(|line| !line.starts_with("again: "));
    let update = note.update.iter();
    let update = update.map(|of| format!("update the file: {of}"));
    let message = lines.map(str::to_owned).chain(update).joined("\n");
    annotation(note.weight.name(), &place, note.kind.title(), &message)
}

fn annotation(level: &str, place: &str, title: &str, message: &str) -> String {
    let (title, message) = (property(title), data(message));
    format!("::{level} {place}title={title}::{message}")
}

/// A message escaped for a command: it cannot end the line.
fn data(text: &str) -> String {
    tame(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A property escaped for a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
