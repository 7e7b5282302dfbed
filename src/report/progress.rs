//! Progress bars: on a terminal only.

use crate::event::{Counts, Event, Reporter};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on standard error, drawn only if that is a terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
    counts: Counts,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Self {
            bar: new_bar(),
            counts: Counts::default(),
        }
    }
}

fn new_bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template(
        "{prefix} {wide_bar} {pos}/{len}  {elapsed} ({eta} left)  {msg}",
    );
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// A bar for work that is not a run.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    pub(crate) fn new(length: usize, what: &'static str) -> Self {
        let bar = new_bar();
        bar.set_length(length as u64);
        bar.set_prefix(what);
        Self(bar)
    }

    pub(crate) fn set(&self, done: usize) {
        self.0.set_position(done as u64);
    }

    pub(crate) fn clear(&self) {
        self.0.finish_and_clear();
    }
}

impl Reporter for Progress {
    fn event(&mut self, event: &Event) {
        match event {
            Event::BackendStarted(started) => {
                self.counts = Counts::default();
                self.bar.reset();
                self.bar.set_length(started.trials as u64);
                self.bar.set_prefix(started.backend.to_string());
                self.bar.set_message(String::new());
            }
            Event::Trial(trial) => {
                self.counts.count(trial.verdict);
                self.bar.inc(1);
                if trial.verdict.is_red() {
                    self.bar
                        .set_message(format!("{} failed", self.counts.red()));
                }
            }
            Event::BackendFinished(_) | Event::BackendNotRun(_) | Event::RunStopped(_) => {
                self.bar.finish_and_clear();
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
            | Event::Unknown => {}
        }
    }
}
