//! GitHub's workflow commands: annotations, findings first, on lines of files that the repository has.

use super::cause::sentence;
use super::junit::brief;
use super::known_failure::red_fixed_entries;
use super::location;
use super::style::{command, tame};
use crate::event::TrialRecord;
use crate::event::stream::{BackendRecords, Stream};

/// The most annotations that are written. GitHub shows ten errors for each step, so the findings have to come first.
const MOST: usize = 50;

/// Prints the annotations.
pub(crate) fn annotate(stream: &Stream) {
    annotations(stream)
        .iter()
        .take(MOST)
        .for_each(|line| command(line));
}

fn annotations(stream: &Stream) -> Vec<String> {
    let mut lines: Vec<_> = stream
        .missing()
        .iter()
        .map(|missing| format!("::error title=incomplete run::{}", data(missing)))
        .collect();
    for backend in &stream.backends {
        let name = &backend.started.backend;
        for finding in &backend.findings {
            let smallest = finding
                .cause
                .trials
                .first()
                .and_then(|name| backend.trial(name));
            let title = format!("{name}: {} failed", finding.cause.trials.len());
            lines.extend(smallest.map(|trial| {
                error(
                    stream,
                    trial,
                    &title,
                    &format!(
                        "{}\n{}\n{}",
                        sentence(&finding.cause),
                        trial.trial,
                        brief(trial)
                    ),
                )
            }));
        }
        for trial in backend.unexplained() {
            let title = format!("{name}: {}", trial.judged().name());
            lines.push(error(
                stream,
                trial,
                &title,
                &format!("{}\n{}", trial.trial, brief(trial)),
            ));
        }
        lines.extend(stale(stream, backend));
        lines.extend(backend.growth().map(|growth| {
            let message = data(&format!("{name} {growth}"));
            format!("::warning title=memory grows with the number of trials::{message}")
        }));
        lines.extend(backend.unattributed().map(|unattributed| {
            let lines = unattributed.lines();
            // A command is cut here; the terminal's report and the page have it.
            let lines: Vec<_> = lines.filter(|line| !line.starts_with("again: ")).collect();
            let message = data(&format!("{name} {}", lines.join("\n")));
            let level = if backend.died() { "error" } else { "warning" };
            format!("::{level} title=the backend's process failed::{message}")
        }));
    }
    lines
}

/// The entries of the known failures that match no trial, or of which trials do not fail any more.
fn stale(stream: &Stream, backend: &BackendRecords) -> Vec<String> {
    let unmatched = backend.finished.iter().flat_map(|end| &end.stale);
    let unmatched = unmatched.map(|place| {
        let (file, message) = (property(&place.file), data(&place.message));
        let (line, column) = (place.line, place.column);
        format!("::error file={file},line={line},col={column},title=stale known failure::{message}")
    });
    let mut lines: Vec<_> = unmatched.collect();
    for fixed in red_fixed_entries(stream, backend) {
        let place = fixed.entry.map_or_else(String::new, |entry| {
            format!("file={},line={},", property(&entry.file), entry.line)
        });
        let message = data(&fixed.says());
        lines.push(format!(
            "::error {place}title=stale known failure::{message}"
        ));
    }
    lines
}

fn error(stream: &Stream, trial: &TrialRecord, title: &str, message: &str) -> String {
    let place = location::of_trial(stream, trial);
    let place = place.map_or_else(String::new, |(file, line)| {
        format!("file={},line={line},", property(file))
    });
    format!(
        "::error {place}title={}::{}",
        property(title),
        data(message)
    )
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
