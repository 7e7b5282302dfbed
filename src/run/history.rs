//! The history of a run: which calls each instance of the backend received, and in which order.

use super::result::{Position, TrialResult};
use crate::suite::trial::{Group, Trial};
use std::collections::BTreeMap;

/// The most trials that it holds; what a longer run does after them is not remembered.
const MAX_TRIALS: usize = 200_000;

/// The trials that were run, by the position of their calls.
#[derive(Debug, Default)]
pub(super) struct History(BTreeMap<Position, Trial>);

/// A trial, and the number of its group among those of its instance.
pub(super) type Step = (usize, Trial);

impl History {
    /// Adds a result. A trial that was not run has no position.
    pub(super) fn add(&mut self, result: &TrialResult) {
        if let Some(position) = result.position
            && self.0.len() < MAX_TRIALS
        {
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

    /// What the instance that ran the trial of this name ran up to and with it, in order; `None` if it was not run.
    pub(super) fn steps_to(&self, name: &str) -> Option<Vec<Step>> {
        let mut trials = self.0.iter();
        let (last, _) = trials.find(|(_, trial)| trial.to_string() == name)?;
        let first = Position {
            worker: last.worker,
            group: 0,
            call: 0,
        };
        let steps = self.0.range(first..=*last);
        Some(steps.map(|(at, trial)| (at.group, trial.clone())).collect())
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

/// The groups of these steps, in order.
pub(super) fn groups<'a>(steps: impl Iterator<Item = &'a Step>) -> Vec<Group> {
    let mut groups: Vec<(usize, Group)> = Vec::new();
    for (number, trial) in steps {
        match groups.last_mut() {
            Some((last, group)) if last == number => group.trials.push(trial.clone()),
            Some(_) | None => groups.push((*number, Group::single(trial.clone()))),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}
