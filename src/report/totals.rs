//! The last lines about a backend on a terminal: its counts, and failures outside its trials.

use super::number::counted;
use super::style::{BAD, GOOD, NOTE, STRONG, out, paint, tame};
use crate::error::as_started;
use crate::event::{BackendFinished, Counts, MemoryRecord, VerdictKind};
use crate::names::Joined;
use std::time::Duration;

/// A backend's counts in a line, out of this many trials.
pub(crate) fn counts_line(backend: &str, counts: &Counts, trials: usize) -> String {
    let shown = VerdictKind::ALL.iter().filter(|kind| {
        matches!(kind, VerdictKind::Passed | VerdictKind::Failed) || counts.of(**kind) > 0
    });
    let parts = shown.map(|kind| count(*kind, counts.of(*kind)));
    let parts = parts.joined(" + ");
    let so_far = match counts.total() {
        all if all == trials => String::new(),
        some => format!("{some} of "),
    };
    let backend = paint(STRONG, backend);
    format!("{backend}: {so_far}{trials} trials = {parts}")
}

fn count(kind: VerdictKind, count: usize) -> String {
    let text = format!("{count} {}", kind.name());
    let style = match kind.is_bad() {
        _ if count == 0 => return text,
        true => BAD,
        false if kind == VerdictKind::Passed => GOOD,
        false => NOTE,
    };
    paint(style, text)
}

/// The peak memory of a backend's process.
pub(crate) fn peak(memory: &MemoryRecord) -> String {
    format!("peak memory of a process: {} MiB", memory.peak_bytes >> 20)
}

/// How long a backend takes from its start to its `hello`; `None` if that is not worth a word.
pub(crate) fn slow_start(time: Duration) -> Option<String> {
    let text = || format!("a process takes {:.1} s to start", time.as_secs_f32());
    (time >= Duration::from_secs(3)).then(text)
}

/// Prints the counts of a backend that has finished, and whether its process died.
pub(super) fn print_end(finished: &BackendFinished) {
    let counts = &finished.counts;
    let line = counts_line(&finished.backend, counts, counts.total());
    let times = finished.unattributed.as_ref().map_or(0, |of| of.times);
    let deaths = counted(usize::try_from(times).unwrap_or(usize::MAX), "death");
    out(match finished.died() {
        true => format!("{line}, and {}", paint(BAD, deaths)),
        false => line,
    });
}

/// Prints a note about a backend. The first line is read after its name.
pub(super) fn print_note<'a>(
    backend: &str,
    is_error: bool,
    description: impl Iterator<Item = &'a str>,
) {
    let name = match is_error {
        true => format!("{} {}", paint(BAD, "✗"), paint(STRONG, backend)),
        false => paint(NOTE, backend),
    };
    let mut lines = description;
    let first = tame(lines.next().unwrap_or_default());
    out(format!("\n{name} {first}"));
    for line in lines {
        let again = line.strip_prefix("again: ");
        let again = again.map(|command| format!("again: {}", as_started(command)));
        out(format!("  {}", again.unwrap_or_else(|| tame(line))));
    }
}
