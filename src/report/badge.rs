//! A badge: the JSON that shields.io's endpoint badges read.

use crate::event::Counts;
use crate::event::VerdictKind;
use crate::event::stream::{BackendRecords, Stream};
use serde_json::json;

/// The number of passed trials out of those that the specifications decide and that were run. It is red where a backend's
/// process died, even if no trial failed, and not bright green where a known failure allows that.
pub(crate) fn render(stream: &Stream) -> String {
    let mut counts = Counts::default();
    stream
        .backends
        .iter()
        .for_each(|backend| counts.add(&backend.counts()));
    let passed = counts.of(VerdictKind::Passed);
    let undecided = [
        VerdictKind::Recorded,
        VerdictKind::Skipped,
        VerdictKind::Quarantined,
    ]
    .map(|kind| counts.of(kind));
    let decided = counts.total() - undecided.iter().sum::<usize>();
    let died = stream.backends.iter().any(BackendRecords::died);
    let went_wrong = stream.backends.iter().any(|of| of.unattributed().is_some());
    let (message, color) = match (stream.finished.is_some(), counts.red(), decided - passed) {
        (false, ..) => ("incomplete".to_owned(), "lightgrey"),
        (true, 0, _) if died => ("died".to_owned(), "red"),
        (true, 0, 0) if decided == 0 => ("nothing judged".to_owned(), "lightgrey"),
        (true, 0, 0) if !went_wrong => (format!("{passed} of {decided}"), "brightgreen"),
        (true, 0, _) => (format!("{passed} of {decided}"), "yellow"),
        (true, red, _) => (format!("{red} failed"), "red"),
    };
    format!(
        "{:#}\n",
        json!({"schemaVersion": 1, "label": "reshape conformance", "message": message, "color": color})
    )
}
