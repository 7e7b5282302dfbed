//! A badge: the JSON that shields.io's endpoint badges read.

use super::digest::{Conclusion, Digest, RunDigest};
use crate::event::VerdictKind;
use serde_json::json;

/// The number of passed trials, out of the trials that ran and that the specifications decide. It is red if a backend's
/// process died, even if no trial failed. It is not bright green if a known failure allows that death.
pub(crate) fn render(run: &RunDigest<'_>) -> String {
    use VerdictKind::{Passed, Quarantined, Recorded, Skipped};
    let counts = run.counts();
    let passed = counts.of(Passed);
    let undecided = [Recorded, Skipped, Quarantined].map(|kind| counts.of(kind));
    let decided = counts.total() - undecided.iter().sum::<usize>();
    let is_bright = passed == decided && !run.backends.iter().any(Digest::has_died);
    let (message, color) = match run.conclusion() {
        _ if run.stream.finished.is_none() => ("incomplete".to_owned(), "lightgrey"),
        Conclusion::Failed => (format!("{} failed", counts.red()), "red"),
        Conclusion::Died => ("died".to_owned(), "red"),
        Conclusion::Incomplete => ("incomplete".to_owned(), "lightgrey"),
        Conclusion::Stale => ("stale known failures".to_owned(), "orange"),
        Conclusion::AsExpected if decided == 0 => ("nothing judged".to_owned(), "lightgrey"),
        Conclusion::AsExpected if is_bright => (format!("{passed} of {decided}"), "brightgreen"),
        Conclusion::AsExpected => (format!("{passed} of {decided}"), "yellow"),
    };
    format!(
        "{:#}\n",
        json!({"schemaVersion": 1, "label": "reshape conformance", "message": message, "color": color})
    )
}
