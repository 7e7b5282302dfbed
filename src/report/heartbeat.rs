//! A line from time to time about a long run without a terminal, so that a job's log shows that it goes on.

use super::number::grouped;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// How often a line is printed. A shorter run prints none.
pub(super) const EVERY: Duration = Duration::from_secs(30);

/// Prints a line about a backend's trials every so often, until it is dropped.
pub(super) struct Heartbeat {
    done: Arc<Done>,
    /// Dropped to end the thread.
    _stop: Sender<()>,
}

/// The trials that have their verdicts.
#[derive(Default)]
struct Done {
    all: AtomicUsize,
    red: AtomicUsize,
}

impl Heartbeat {
    /// Begins for a backend with so many trials.
    pub(super) fn new(
        label: String,
        total: usize,
        every: Duration,
        print: impl Fn(&str) + Send + 'static,
    ) -> Self {
        let done = Arc::new(Done::default());
        let (_stop, stopped) = channel::<()>();
        let (seen, started) = (Arc::clone(&done), Instant::now());
        // Where the system starts no thread, no line is printed.
        let _ = Builder::new().spawn(move || {
            while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                print(&seen.line(&label, total, started.elapsed()));
            }
        });
        Self { done, _stop }
    }

    /// Counts a trial.
    pub(super) fn count(&self, is_red: bool) {
        self.done.all.fetch_add(1, Ordering::Relaxed);
        self.done
            .red
            .fetch_add(usize::from(is_red), Ordering::Relaxed);
    }
}

impl Done {
    fn line(&self, label: &str, total: usize, elapsed: Duration) -> String {
        let (all, red) = (&self.all, &self.red);
        format!(
            "{label}: {} of {} trials, {} failed, {} s",
            grouped(all.load(Ordering::Relaxed)),
            grouped(total),
            grouped(red.load(Ordering::Relaxed)),
            elapsed.as_secs()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_says_from_time_to_time_how_far_it_is() {
        let (sender, lines) = channel();
        let every = Duration::from_millis(20);
        let print = move |line: &str| {
            let _ = sender.send(line.to_owned());
        };
        let heartbeat = Heartbeat::new("mine".to_owned(), 24_280, every, print);
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
        assert_eq!(
            lines.recv_timeout(wait),
            Err(RecvTimeoutError::Disconnected)
        );
    }

    #[test]
    fn a_short_run_says_nothing() {
        let (sender, lines) = channel();
        let print = move |line: &str| {
            let _ = sender.send(line.to_owned());
        };
        drop(Heartbeat::new("mine".to_owned(), 1, EVERY, print));
        assert!(lines.recv().is_err());
    }
}
