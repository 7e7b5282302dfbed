//! Progress: a bar on a terminal, or otherwise a line from time to time.

use super::number::grouped;
use crate::event::shorten::{is_unsafe, shorten, shorten_log};
use crate::event::{BackendStarted, Counts, Event, Note, Reporter, TrialRecord};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// The most characters of a backend's label, so that bar and counts fit in a line of 80.
const MAX_LABEL: usize = 24;
/// The interval between redraws of the bar, so that its time moves while no trial ends.
const TICK: Duration = Duration::from_millis(250);

/// The bar on the terminal.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Prints on the terminal, with the bar out of its way.
pub(super) fn beside_bar<T>(print: impl FnOnce() -> T) -> T {
    match SHOWN.lock().ok().and_then(|shown| shown.clone()) {
        Some(bar) => bar.suspend(print),
        None => print(),
    }
}

/// The progress of a run, on standard error.
#[derive(Default)]
pub(crate) struct Progress {
    /// While a backend runs.
    bar: Option<Bar>,
    /// The same, if standard error is not a terminal.
    heartbeat: Option<Heartbeat>,
    counts: Counts,
    /// Trials that failed and will run again.
    again: usize,
}

impl Progress {
    fn backend_started(&mut self, started: &BackendStarted) {
        (self.counts, self.again) = (Counts::default(), 0);
        let label = short(&started.backend);
        let bar = Bar::new(started.trials, label.clone());
        if bar.0.is_hidden() {
            let print = |line: &str| {
                use std::io::Write;
                let _ = writeln!(std::io::stderr(), "{line}");
            };
            self.heartbeat = Some(Heartbeat::new(label, started.trials, EVERY, print));
        }
        self.bar = Some(bar).filter(|bar| !bar.0.is_hidden());
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

    /// The text next to the bar: the number of failed trials, and the current activity.
    fn message(&self, doing: Option<&str>) -> String {
        let failed = failed(self.counts.red(), self.again);
        doing.map_or_else(|| failed.clone(), |doing| format!("{failed}, {doing}"))
    }
}

/// How many trials failed, and how many of those without a verdict will run again.
fn failed(red: usize, again: usize) -> String {
    match again {
        0 => format!("{} failed", grouped(red)),
        _ => format!("{} failed, {} to run again", grouped(red), grouped(again)),
    }
}

/// A label of at most `MAX_LABEL` characters, shortened in the middle, because the ends of a command say most.
fn short(label: &str) -> String {
    let label = label.replace(is_unsafe, " ");
    if label.chars().nth(MAX_LABEL).is_none() {
        return label;
    }
    let head = (MAX_LABEL - 1) / 2;
    let end = shorten_log(&label, MAX_LABEL - 1 - head);
    shorten(&label, head).into_owned() + end.strip_prefix('…').unwrap_or_default()
}

/// A bar, drawn only if standard error is a terminal.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// A bar of this length, with its subject in front. Without a length it counts.
    pub(crate) fn new(length: impl Into<Option<usize>>, what: impl Into<String>) -> Self {
        let length = length.into().map(|length| length as u64);
        let style = ProgressStyle::with_template(match length {
            Some(_) => "{prefix} {wide_bar} {pos}/{len}  {elapsed} ({eta} left)  {msg}",
            None => "{prefix} {spinner} {pos}  {elapsed}  {msg}",
        });
        let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr())
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
            .with_prefix(what.into());
        if !bar.is_hidden() {
            if let Ok(mut shown) = SHOWN.lock() {
                *shown = Some(bar.clone());
            }
            // Starts a thread, and panics if there is none. Without it the time stands still between two trials.
            if Builder::new().spawn(|| {}).is_ok() {
                bar.enable_steady_tick(TICK);
            }
        }
        Self(bar)
    }

    pub(crate) fn set(&self, done: usize) {
        self.0.set_position(done as u64);
    }

    /// Shows what is being done.
    pub(crate) fn say(&self, doing: &str) {
        let doing = doing.trim().replace(is_unsafe, " ");
        self.0.set_message(short(&doing));
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
    /// An early end leaves no bar.
    fn drop(&mut self) {
        if !self.0.is_finished() {
            self.clear();
        }
    }
}

/// The interval between lines. A shorter run prints no line.
const EVERY: Duration = Duration::from_secs(30);

/// Prints a line about a backend's trials at intervals, until it is dropped.
struct Heartbeat {
    done: Arc<Done>,
    /// Dropped to end the thread.
    _stop: Sender<()>,
}

/// The finished trials.
#[derive(Default)]
struct Done {
    all: AtomicUsize,
    red: AtomicUsize,
    again: AtomicUsize,
}

impl Heartbeat {
    /// Begins for a backend with this many trials.
    fn new(
        label: String,
        total: usize,
        every: Duration,
        print: impl Fn(&str) + Send + 'static,
    ) -> Self {
        let done = Arc::new(Done::default());
        let (_stop, stopped) = channel::<()>();
        let (seen, started) = (Arc::clone(&done), Instant::now());
        // If the system starts no thread, no line is printed.
        let _ = Builder::new().spawn(move || {
            while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                print(&seen.line(&label, total, started.elapsed()));
            }
        });
        Self { done, _stop }
    }

    /// Counts a trial.
    fn count(&self, is_red: bool) {
        let Done { all, red, .. } = &*self.done;
        all.fetch_add(1, Ordering::Relaxed);
        red.fetch_add(usize::from(is_red), Ordering::Relaxed);
    }
}

impl Done {
    fn line(&self, label: &str, total: usize, elapsed: Duration) -> String {
        let [all, red, again] =
            [&self.all, &self.red, &self.again].map(|of| of.load(Ordering::Relaxed));
        format!(
            "{label}: {} of {} trials, {}, {} s",
            grouped(all),
            grouped(total),
            failed(red, again),
            elapsed.as_secs()
        )
    }
}

impl Reporter for Progress {
    fn event(&mut self, event: &Event) {
        use Event::{BackendFinished, BackendNotRun, BackendStarted, RunStopped};
        if let BackendStarted(started) = event {
            self.backend_started(started);
        } else if let Event::Trial(trial) = event {
            self.trial(trial);
        } else if let BackendFinished(_) | BackendNotRun(_) | RunStopped(_) = event {
            (self.bar, self.heartbeat) = (None, None);
        }
    }

    fn note(&mut self, note: Note<'_>) {
        let doing = match note {
            Note::Doing(what) if self.counts.red() + self.again > 0 => Some(what),
            Note::Doing(_) | Note::StartedIn(..) => return,
            Note::WillRunAgain(count) => {
                self.again = count;
                if let Some(heartbeat) = &self.heartbeat {
                    heartbeat.done.again.store(count, Ordering::Relaxed);
                }
                None
            }
        };
        if let Some(Bar(bar)) = &self.bar {
            bar.set_message(self.message(doing));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::VerdictKind;

    #[test]
    fn the_bar_says_what_is_done_after_the_last_trial() {
        let mut progress = Progress {
            bar: Some(Bar::new(1, "mine")),
            ..Progress::default()
        };
        let said = |progress: &Progress| progress.bar.as_ref().map(|Bar(bar)| bar.message());
        progress.note(Note::Doing("looking for causes"));
        assert_eq!(said(&progress).as_deref(), Some(""));
        progress.counts.count(VerdictKind::Failed);
        progress.note(Note::Doing("looking for causes"));
        let wanted = "1 failed, looking for causes";
        assert_eq!(said(&progress).as_deref(), Some(wanted));
        progress.note(Note::WillRunAgain(12));
        let wanted = "1 failed, 12 to run again";
        assert_eq!(said(&progress).as_deref(), Some(wanted));
    }

    #[test]
    fn a_long_label_keeps_its_ends() {
        assert_eq!(short("onnxruntime"), "onnxruntime");
        let long = short("python3 a/long/path/to/the/adapter.py 'an argument'");
        assert_eq!(long, "python3 a/l…an argument'");
        assert_eq!(short("a\u{202e}b\n"), "a b ");
    }

    #[test]
    fn a_long_run_says_from_time_to_time_how_far_it_is() {
        let (sender, lines) = channel();
        let every = Duration::from_millis(20);
        let print_to = |to: Sender<String>| move |line: &str| drop(to.send(line.to_owned()));
        let heartbeat = Heartbeat::new("mine".to_owned(), 24_280, every, print_to(sender));
        (0..1_234).for_each(|at| heartbeat.count(at < 3));
        let wait = Duration::from_secs(10);
        let wanted = "mine: 1,234 of 24,280 trials, 3 failed, ";
        let mut line = lines.recv_timeout(wait).expect("a line");
        while !line.starts_with(wanted) {
            line = lines.recv_timeout(wait).expect("another line");
        }
        drop(heartbeat);
        // The thread ends, and with it the sender.
        while lines.recv_timeout(wait).is_ok() {}
        let end = Err(RecvTimeoutError::Disconnected);
        assert_eq!(lines.recv_timeout(wait), end);
        let (sender, lines) = channel();
        drop(Heartbeat::new(
            "mine".to_owned(),
            1,
            EVERY,
            print_to(sender),
        ));
        assert!(lines.recv().is_err(), "a short run says nothing");
    }
}
