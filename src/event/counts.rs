//! Verdicts counted by kind. The counts add up to the number of trials.

use super::verdict_kind::VerdictKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Verdicts by kind. As JSON an object: for every kind how many, zeros included, and `trials`, their sum.
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
        self.0
            .iter_mut()
            .zip(other.0)
            .for_each(|(ours, theirs)| *ours = ours.saturating_add(theirs));
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
        sum(VerdictKind::ALL
            .iter()
            .filter(|kind| kind.is_red())
            .map(|kind| self.of(*kind)))
    }
}

/// The sum, at most `usize::MAX`: a file can contain any numbers.
fn sum(counts: impl Iterator<Item = usize>) -> usize {
    counts.fold(0, usize::saturating_add)
}

impl fmt::Display for Counts {
    /// `12 trials: 10 passed, 2 failed`, without the kinds that did not occur, except `passed`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = VerdictKind::ALL
            .iter()
            .filter(|kind| **kind == VerdictKind::Passed || self.of(**kind) > 0);
        let parts: Vec<_> = shown
            .map(|kind| format!("{} {}", self.of(*kind), kind.name()))
            .collect();
        write!(f, "{} trials: {}", self.total(), parts.join(", "))
    }
}

impl From<Counts> for BTreeMap<String, usize> {
    fn from(counts: Counts) -> Self {
        let kinds = VerdictKind::ALL
            .iter()
            .map(|kind| (kind.name().to_owned(), counts.of(*kind)));
        kinds
            .chain([("trials".to_owned(), counts.total())])
            .collect()
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
