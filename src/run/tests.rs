//! Threads that panic: a backend's panic is its trial's, and any other ends the run without a verdict too many or too few.

use super::{BrakeLimits, Label, Participant, RunOptions, run};
use crate::backend::{About, Backend, Reference, UnattributedFailures};
use crate::error::Error;
use crate::event::{Event, Reporter, VerdictKind};
use crate::model::call::Call;
use crate::semantics::outcome::Outcome;
use crate::suite::Suite;
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where a thread panics, or where the backend gives no outcome.
const PLACES: &str = "reshape silent about take_unattributed gone finish start report";

/// The reference, which panics at one of its calls.
struct Panics {
    place: &'static str,
    /// The calls until it does, of all instances together.
    left: Arc<AtomicU64>,
}

impl Panics {
    fn at(&self, place: &str) {
        panic_at(self.place == place, &self.left);
    }
}

fn panic_at(is_here: bool, left: &AtomicU64) {
    let goes_on = !is_here || left.fetch_sub(1, Ordering::Relaxed) != 0;
    assert!(goes_on, "a planted panic");
}

impl Backend for Panics {
    fn about(&self) -> About {
        self.at("about");
        Reference.about()
    }

    fn reshape(&mut self, call: &Call<'_>) -> Outcome {
        self.at("reshape");
        Reference.reshape(call)
    }

    fn reshape_all(&mut self, calls: &[Call<'_>], done: &mut dyn FnMut(usize, Outcome)) {
        for (index, call) in calls.iter().enumerate() {
            let is_silent =
                self.place == "silent" && self.left.fetch_sub(1, Ordering::Relaxed) == 0;
            if !is_silent {
                done(index, self.reshape(call));
            }
        }
    }

    fn gone(&self) -> Option<String> {
        self.at("gone");
        None
    }

    fn take_unattributed(&mut self) -> UnattributedFailures {
        self.at("take_unattributed");
        UnattributedFailures::default()
    }

    fn finish(&mut self) -> UnattributedFailures {
        self.at("finish");
        UnattributedFailures::default()
    }
}

/// Takes the trials, and panics at one of its events.
struct Recorded {
    place: &'static str,
    left: AtomicU64,
    trials: Vec<(String, bool)>,
}

impl Reporter for Recorded {
    fn event(&mut self, event: &Event) {
        if let Event::Trial(trial) = event {
            self.trials
                .push((trial.trial.clone(), trial.verdict.is_red()));
        }
        panic_at(self.place == "report", &self.left);
    }
}

#[test]
fn whatever_thread_panics_the_run_is_whole_or_an_error() {
    let suite = Suite::built_in().unwrap();
    let patterns = ["copied-zero*/onnx.Reshape-14/f32/*".to_owned()];
    let selection = Selection::new(&patterns, false, None).unwrap();
    let plan = Plan::new(&suite, &selection, None);
    let planned: BTreeSet<String> = plan.trials().map(ToString::to_string).collect();
    let seeds = std::env::var("FAULT_SEEDS").ok();
    for seed in 0..seeds.map_or(30, |count| count.parse().unwrap()) {
        let mut random = fastrand::Rng::with_seed(seed);
        let places: Vec<_> = PLACES.split(' ').collect();
        let place = places[random.usize(..places.len())];
        let left = random.u64(
            ..match place {
                "reshape" | "silent" | "report" => 140,
                "about" | "start" | "finish" => 5,
                _ => 60,
            },
        );
        let counter = Arc::new(AtomicU64::new(left));
        let seen = Arc::clone(&counter);
        let start = move || -> Result<Box<dyn Backend + Send>, Error> {
            panic_at(place == "start", &counter);
            let left = Arc::clone(&counter);
            Ok(Box::new(Panics { place, left }))
        };
        let label = Label {
            name: "panics".into(),
            ..Label::default()
        };
        let participant = Participant {
            label,
            known_failures: None,
            memory_used: Arc::default(),
            start: Box::new(start),
        };
        let options = RunOptions {
            jobs: random.usize(1..=4),
            retries: random.u32(..2),
            circuit_breaker: BrakeLimits::default(),
            ..RunOptions::default()
        };
        let mut recorded = Recorded {
            place,
            left: AtomicU64::new(left),
            trials: Vec::new(),
        };
        let ran = Error::catch("the run", || {
            run(&suite, &selection, &[participant], &options, &mut recorded)
        });
        let names = recorded.trials.iter().map(|(name, _)| name.clone());
        let names: BTreeSet<_> = names.collect();
        assert_eq!(
            names.len(),
            recorded.trials.len(),
            "{seed}: a trial has two verdicts"
        );
        assert!(names.is_subset(&planned), "{seed}");
        match ran {
            Ok(tally) => {
                assert_eq!(names, planned, "{seed}: {place} after {:?}", recorded.left);
                let red = recorded.trials.iter().filter(|(_, is_red)| *is_red).count();
                assert_eq!(tally.counts.red(), red, "{seed}");
                let is_silent = place == "silent" && seen.load(Ordering::Relaxed) > left;
                let kinds = [VerdictKind::ProtocolError, VerdictKind::Flaky];
                let told: usize = kinds.iter().map(|kind| tally.counts.of(*kind)).sum();
                let is_told = place == "reshape" || told == usize::from(is_silent);
                assert!(is_told, "{seed}");
                assert_eq!(tally.counts.total(), planned.len(), "{seed}");
            }
            Err(error) => {
                assert!(
                    place != "reshape",
                    "{seed}: the backend's panic is its trial's: {error}"
                );
                let description = error.to_string();
                let is_planted = description.contains("panicked: a planted panic");
                assert!(is_planted, "{seed}: {description}");
            }
        }
    }
}
