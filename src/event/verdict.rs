//! The kinds of verdict, and the number of each.

use crate::names::{Joined, named_enum};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

named_enum! {
    /// The kinds of verdict, as they are counted.
    // The row is whether it is a failure, and makes a run red.
    pub enum VerdictKind: bool, "verdict kind" {
        /// As the text says.
        Passed = "passed" => false,
        /// The text leaves it open.
        Recorded = "recorded" => false,
        /// Not as the text says.
        Failed = "failed" => true,
        /// Its process ended before it answered.
        Crashed = "crashed" => true,
        /// It did not answer in time.
        TimedOut = "timed-out" => true,
        /// It exceeded its memory limit.
        OutOfMemory = "out-of-memory" => true,
        /// It broke the protocol.
        ProtocolError = "protocol-error" => true,
        /// Skipped, although it passed in the baseline.
        Lost = "lost" => true,
        /// Failed again after the trials before it, and passed when run alone.
        Stateful = "stateful" => true,
        /// Failed as a known failure states.
        Known = "known" => false,
        /// Did not fail, although a known failure states that it does.
        Fixed = "fixed" => false,
        /// Not run, because a known failure states that it does harm.
        Quarantined = "quarantined" => false,
        /// Failed, and then passed when run again in the same circumstances.
        Flaky = "flaky" => false,
        /// Failed just as in the baseline.
        Unchanged = "unchanged" => false,
        /// Failed a `should` clause in a run whose level is `must`.
        Advisory = "advisory" => false,
        /// Failed, and is newer than the suite of the gate's file.
        New = "new" => false,
        /// Not run: the backend's manifest or `hello` does not claim it, or its sample leaves it out.
        Skipped = "skipped" => false,
    }
}

impl VerdictKind {
    /// Whether it is a failure, and makes a run red.
    #[must_use]
    pub const fn is_red(self) -> bool {
        *self.row()
    }

    /// Whether the text allows what the backend did.
    pub(crate) fn passes(self) -> bool {
        matches!(self, Self::Passed | Self::Recorded)
    }

    /// Whether it is a failure, or the end of a known one.
    pub(crate) fn is_bad(self) -> bool {
        self.is_red() || self == Self::Fixed
    }

    /// Whether the backend was asked.
    pub(crate) fn is_asked(self) -> bool {
        !matches!(self, Self::Skipped | Self::Quarantined)
    }
}

/// Verdicts by kind. The JSON form is an object with the number of each kind, zeros included, and `trials`, their sum.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(from = "BTreeMap<String, usize>", into = "BTreeMap<String, usize>")]
pub struct Counts([usize; VerdictKind::ALL.len()]);

impl Counts {
    /// Adds one verdict.
    pub fn count(&mut self, kind: VerdictKind) {
        self.0[kind as usize] = self.of(kind).saturating_add(1);
    }

    /// Adds all verdicts of another count.
    pub fn add(&mut self, other: &Self) {
        for (ours, theirs) in self.0.iter_mut().zip(other.0) {
            *ours = ours.saturating_add(theirs);
        }
    }

    /// The number of verdicts of a kind.
    #[must_use]
    pub fn of(&self, kind: VerdictKind) -> usize {
        self.0[kind as usize]
    }

    /// The number of all verdicts.
    #[must_use]
    pub fn total(&self) -> usize {
        sum(self.0.iter().copied())
    }

    /// The number of verdicts that make the run red.
    #[must_use]
    pub fn red(&self) -> usize {
        let red = VerdictKind::ALL.iter().filter(|kind| kind.is_red());
        sum(red.map(|kind| self.of(*kind)))
    }
}

/// The sum, at most `usize::MAX`, because a file can contain any numbers.
fn sum(counts: impl Iterator<Item = usize>) -> usize {
    counts.fold(0, usize::saturating_add)
}

impl fmt::Display for Counts {
    /// `12 trials: 10 passed, 2 failed`, without the kinds that did not occur, except `passed`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = VerdictKind::ALL.iter();
        let shown = shown.filter(|kind| **kind == VerdictKind::Passed || self.of(**kind) > 0);
        let parts = shown.map(|kind| format!("{} {kind}", self.of(*kind)));
        write!(f, "{} trials: {}", self.total(), parts.joined(", "))
    }
}

impl From<Counts> for BTreeMap<String, usize> {
    fn from(counts: Counts) -> Self {
        let kinds = VerdictKind::ALL.iter();
        let kinds = kinds.map(|kind| (kind.name().to_owned(), counts.of(*kind)));
        let kinds = kinds.chain([("trials".to_owned(), counts.total())]);
        kinds.collect()
    }
}

impl From<BTreeMap<String, usize>> for Counts {
    fn from(map: BTreeMap<String, usize>) -> Self {
        let mut counts = Self::default();
        for kind in VerdictKind::ALL {
            counts.0[*kind as usize] = map.get(kind.name()).copied().unwrap_or(0);
        }
        counts
    }
}
