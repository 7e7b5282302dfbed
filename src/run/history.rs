//! The history of a run: which calls each instance of the backend received, and in which order.

use super::result::{Position, TrialResult};
use crate::suite::trial::{Group, Trial};
use std::collections::BTreeMap;

/// The trials that were run, by the position of their calls.
#[derive(Debug, Default)]
pub(super) struct History(BTreeMap<Position, Trial>);

impl History {
    /// Adds a result. A trial that was not run has no position.
    pub(super) fn add(&mut self, result: &TrialResult) {
        if let Some(position) = result.position {
            self.0.insert(position, result.trial.clone());
        }
    }

    /// For each instance that ran some of these results, its groups from the first up to the last that holds one of them.
    pub(super) fn up_to(&self, results: &[TrialResult]) -> Vec<Vec<Group>> {
        let mut last: BTreeMap<usize, usize> = BTreeMap::new();
        for Position { worker, group, .. } in results.iter().filter_map(|of| of.position) {
            let last = last.entry(worker).or_default();
            *last = group.max(*last);
        }
        last.into_iter()
            .map(|(worker, group)| self.groups(worker, group))
            .collect()
    }

    /// The groups of a worker's instance up to and with the group of this number.
    fn groups(&self, worker: usize, last: usize) -> Vec<Group> {
        let position = |group, call| Position {
            worker,
            group,
            call,
        };
        let mut groups: BTreeMap<usize, Group> = BTreeMap::new();
        for (at, trial) in self.0.range(position(0, 0)..=position(last, usize::MAX)) {
            let group = groups.entry(at.group).or_insert_with(Group::empty);
            group.trials.push(trial.clone());
        }
        groups.into_values().collect()
    }
}
