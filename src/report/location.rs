//! Where a failure is pointed out: in a file that the reader's own repository has.

use crate::event::TrialRecord;
use crate::event::stream::Stream;

/// The file and line for a trial: of its case if the case files are the reader's, else of its known failure, else the gate's
/// configuration, where it names the backend; `None` if the reader has no file that speaks of it.
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
