//! Sets of trials, compared without keeping their names.

use xxhash_rust::xxh3::xxh3_128;

/// The names of some trials. Two are equal if they hold the same names equally often, in any order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TrialSet {
    /// How many names it holds.
    pub(crate) count: usize,
    /// The sum of their hashes, modulo 2^128.
    sum: u128,
}

impl TrialSet {
    /// Adds a name.
    pub(crate) fn add(&mut self, trial: &str) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(xxh3_128(trial.as_bytes()));
    }

    /// The sum as 32 hexadecimal digits.
    pub(crate) fn hash(&self) -> String {
        format!("{:032x}", self.sum)
    }
}
