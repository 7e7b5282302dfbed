//! GitHub's workflow commands: annotations on the lines of the cases, findings first.

use super::cause::sentence;
use super::junit::brief;
use super::style::{command, tame};
use crate::event::TrialRecord;
use crate::event::stream::Stream;

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
        for place in backend.finished.iter().flat_map(|end| &end.stale) {
            let (file, message) = (property(&place.file), data(&place.message));
            lines.push(format!(
                "::error file={file},line={},col={},title=stale known failure::{message}",
                place.line, place.column
            ));
        }
    }
    lines
}

fn error(stream: &Stream, trial: &TrialRecord, title: &str, message: &str) -> String {
    let place = stream.case(trial).map_or_else(String::new, |(case, _)| {
        format!("file={},line={},", property(&case.file), case.line)
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
