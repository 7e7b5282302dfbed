//! A sample of the trials that passed: those with the smallest hashes of their names. It does not depend on the order in which
//! trials end.

use crate::suite::trial::Trial;
use xxhash_rust::xxh3::xxh3_64;

/// The most trials of a sample.
const MAX_TRIALS: usize = 100_000;
/// How many more are held until those that belong to the sample are sorted out.
const MORE: usize = MAX_TRIALS / 4;

/// The names of the trials with the smallest hashes of them, each once: a trial that passed can be made again from its name.
#[derive(Debug)]
pub(super) struct Sample {
    /// These, and others that came since they were sorted out last.
    names: Vec<(u64, String)>,
    /// No larger hash belongs to the sample.
    largest: u64,
    /// The name of the last trial.
    last: String,
}

impl Default for Sample {
    fn default() -> Self {
        Self {
            names: Vec::new(),
            largest: u64::MAX,
            last: String::new(),
        }
    }
}

impl Sample {
    /// Adds a trial.
    pub(super) fn add(&mut self, trial: &Trial) {
        self.last.clear();
        trial.write_name(&mut self.last);
        let hash = xxh3_64(self.last.as_bytes());
        if hash <= self.largest {
            self.names.push((hash, self.last.clone()));
            if self.names.len() > MAX_TRIALS + MORE {
                self.sort_out();
            }
        }
    }

    /// The names, by their hash.
    pub(super) fn names(&mut self) -> impl Iterator<Item = &String> {
        self.sort_out();
        self.names.iter().map(|(_, name)| name)
    }

    fn sort_out(&mut self) {
        self.names.sort_unstable();
        self.names.dedup();
        self.names.truncate(MAX_TRIALS);
        if let (MAX_TRIALS, Some((largest, _))) = (self.names.len(), self.names.last()) {
            self.largest = *largest;
        }
    }
}
