//! Progress: a bar on a terminal; without one, a line from time to time.

use super::heartbeat::{EVERY, Heartbeat};
use crate::event::shorten::is_unsafe;
use crate::event::{BackendStarted, Counts, Event, Reporter, TrialRecord};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::Mutex;
use std::thread::Builder;
use std::time::Duration;

/// The most characters of a backend's label, so that bar and counts have room in a line of 80.
const LONGEST_LABEL: usize = 24;
/// How often the bar is drawn anew, so that its time goes on where no trial ends.
const TICK: Duration = Duration::from_millis(250);

/// The bar that is on the terminal now.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Calls what prints on the terminal, with the bar out of its way.
pub(super) fn beside_bar<T>(print: impl FnOnce() -> T) -> T {
    let shown = SHOWN.lock().ok().and_then(|shown| shown.clone());
    match shown {
        Some(bar) => bar.suspend(print),
        None => print(),
    }
}

/// The progress of a run, on standard error.
pub(crate) struct Progress {
    /// While a backend runs.
    bar: Option<Bar>,
    /// The same, if standard error is not a terminal.
    heartbeat: Option<Heartbeat>,
    counts: Counts,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Self {
            bar: None,
            heartbeat: None,
            counts: Counts::default(),
        }
    }

    fn backend_started(&mut self, started: &BackendStarted) {
        self.counts = Counts::default();
        let label = short(&started.backend);
        let bar = Bar::new(started.trials, label.clone());
        if bar.0.is_hidden() {
            let print = |line: &str| {
                use std::io::Write;
                let _ = writeln!(std::io::stderr(), "{line}");
            };
            self.heartbeat = Some(Heartbeat::new(label, started.trials, EVERY, print));
        }
        self.bar = Some(bar);
    }

    fn trial(&mut self, trial: &TrialRecord) {
        let is_red = trial.verdict.is_red();
        self.counts.count(trial.verdict);
        if let Some(heartbeat) = &self.heartbeat {
            heartbeat.count(is_red);
        }
        if let Some(Bar(bar)) = &self.bar {
            bar.inc(1);
            if is_red {
                bar.set_message(self.message(None));
            }
        }
    }

    /// What is said beside the bar: how many trials failed, and what is being done.
    fn message(&self, doing: Option<&str>) -> String {
        let failed = format!("{} failed", self.counts.red());
        doing.map_or_else(|| failed.clone(), |doing| format!("{failed}, {doing}"))
    }
}

/// A label of at most `LONGEST_LABEL` characters, shortened in the middle: a command's ends say most.
fn short(label: &str) -> String {
    let label: Vec<char> = label
        .chars()
        .map(|c| if is_unsafe(c) { ' ' } else { c })
        .collect();
    if label.len() <= LONGEST_LABEL {
        return label.iter().collect();
    }
    let head = (LONGEST_LABEL - 1) / 2;
    let tail = label.len() - (LONGEST_LABEL - 1 - head);
    let start: String = label[..head].iter().collect();
    let end: String = label[tail..].iter().collect();
    format!("{start}…{end}")
}

/// A bar, drawn only if standard error is a terminal.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// A bar of this length, with what it is about before it.
    pub(crate) fn new(length: usize, what: impl Into<String>) -> Self {
        let style = ProgressStyle::with_template(
            "{prefix} {wide_bar} {pos}/{len}  {elapsed} ({eta} left)  {msg}",
        );
        let target = ProgressDrawTarget::stderr();
        let bar = ProgressBar::with_draw_target(Some(length as u64), target)
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
            .with_prefix(what.into());
        if !bar.is_hidden() {
            if let Ok(mut shown) = SHOWN.lock() {
                *shown = Some(bar.clone());
            }
            // It starts a thread, and panics where the system starts none: then the time stands still between two trials.
            if Builder::new().spawn(|| {}).is_ok() {
                bar.enable_steady_tick(TICK);
            }
        }
        Self(bar)
    }

    pub(crate) fn set(&self, done: usize) {
        self.0.set_position(done as u64);
    }

    pub(crate) fn clear(&self) {
        if let Ok(mut shown) = SHOWN.lock() {
            *shown = None;
        }
        self.0.disable_steady_tick();
        self.0.finish_and_clear();
    }
}

impl Drop for Bar {
    /// What ends early leaves no bar behind.
    fn drop(&mut self) {
        if !self.0.is_finished() {
            self.clear();
        }
    }
}

impl Reporter for Progress {
    fn event(&mut self, event: &Event) {
        match event {
            Event::BackendStarted(started) => self.backend_started(started),
            Event::Trial(trial) => self.trial(trial),
            Event::BackendFinished(_) | Event::BackendNotRun(_) | Event::RunStopped(_) => {
                (self.bar, self.heartbeat) = (None, None);
            }
            Event::RunStarted(_)
            | Event::Clause(_)
            | Event::Question(_)
            | Event::Case(_)
            | Event::Finding(_)
            | Event::RunFinished(_)
            | Event::SearchStarted(_)
            | Event::Passed(_)
            | Event::Found(_)
            | Event::SearchFinished(_)
            | Event::BackendDied(_)
            | Event::Unknown => {}
        }
    }

    fn doing(&mut self, what: &'static str) {
        if let Some(Bar(bar)) = &self.bar
            && self.counts.red() > 0
        {
            bar.set_message(self.message(Some(what)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::VerdictKind;

    #[test]
    fn the_bar_says_what_is_done_after_the_last_trial() {
        let mut progress = Progress::new();
        progress.bar = Some(Bar::new(1, "mine"));
        let said = |progress: &Progress| progress.bar.as_ref().map(|Bar(bar)| bar.message());
        progress.doing("looking for causes");
        assert_eq!(said(&progress).as_deref(), Some(""));
        progress.counts.count(VerdictKind::Failed);
        progress.doing("looking for causes");
        let wanted = "1 failed, looking for causes";
        assert_eq!(said(&progress).as_deref(), Some(wanted));
    }

    #[test]
    fn a_long_label_keeps_its_ends() {
        assert_eq!(short("onnxruntime"), "onnxruntime");
        let long = short("python3 a/long/path/to/the/adapter.py 'an argument'");
        assert_eq!(long, "python3 a/l…an argument'");
        assert_eq!(short("a\u{202e}b\n"), "a b ");
    }
}
