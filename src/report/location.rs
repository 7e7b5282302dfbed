//! The place that a failure points to: in a file of the reader's repository, and on the page.

use crate::event::TrialRecord;
use crate::event::stream::Stream;
use crate::names::Joined;

/// The file and line for a trial: its case, if the case files are the reader's; else its known failure; else the line
/// of the gate's configuration that names the backend. `None` if no such file concerns it.
pub(super) fn of_trial<'a>(stream: &'a Stream, trial: &'a TrialRecord) -> Option<(&'a str, usize)> {
    let run = &stream.run;
    let case = stream.case(trial).filter(|_| run.own_cases);
    let case = case.map(|(case, _)| (case.file.as_str(), case.line));
    let entry = trial.known_failure_entry.as_ref();
    let entry = entry.map(|entry| (entry.file.as_str(), entry.line));
    let backend = stream.backend(&trial.backend);
    let line = backend.and_then(|backend| backend.started.config_line);
    let config = run.config.as_deref().map(|file| (file, line.unwrap_or(1)));
    case.or(entry).or(config)
}

/// A link to the page's trials that match these filters, in the form that the page's data has.
pub(super) fn link(filters: &[(&str, &str)]) -> String {
    let filters = filters.iter();
    let pairs = filters.map(|(name, value)| format!("{name}={}", encoded(value, b"-._~")));
    format!("#{}", pairs.joined("&"))
}

/// Text as a part of an address, in which letters, digits and these bytes stand for themselves.
pub(super) fn encoded(text: &str, safe: &[u8]) -> String {
    let encode = |byte: u8| match byte.is_ascii_alphanumeric() || safe.contains(&byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}
