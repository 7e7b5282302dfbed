//! The history of a run: the calls that each instance of the backend received, in order.

use super::result::{Position, TrialResult};
use crate::names::Joined;
use crate::suite::trial::{Group, Trial};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::ops::Range;

/// The most trials in it. Later trials of a longer run are not remembered.
const MAX_TRIALS: usize = 200_000;

/// The most trials of a process that died in the command that runs them again.
const MAX_NAMED: usize = 32;

/// The trials that ran, by the position of their calls.
#[derive(Debug, Default)]
pub(super) struct History(BTreeMap<Position, Trial>);

/// A trial, and the number of its group within its instance.
pub(super) type Step = (usize, Trial);

impl History {
    /// Adds a result. A trial that did not run has no position.
    pub(super) fn add(&mut self, result: &TrialResult) {
        if let Some(position) = result.position
            && self.0.len() < MAX_TRIALS
        {
            self.0.insert(position, result.trial.clone());
        }
    }

    /// For each instance that ran some of these results, its groups up to the last that holds one of them.
    pub(super) fn up_to(&self, results: &[TrialResult]) -> Vec<Vec<Group>> {
        let mut last: BTreeMap<usize, usize> = BTreeMap::new();
        for Position { worker, group, .. } in results.iter().filter_map(|of| of.position) {
            let last = last.entry(worker).or_default();
            *last = group.max(*last);
        }
        let whole = |(worker, group)| Position {
            worker,
            group,
            call: usize::MAX,
        };
        let last = last.into_iter().map(whole);
        last.map(|last| groups(&self.steps(last))).collect()
    }

    /// The steps of the instances that ran trials of these names, up to and including each, for those with the fewest
    /// earlier steps; at most `most` of them.
    pub(super) fn steps_to(&self, names: &HashSet<&str>, most: usize) -> Vec<Vec<Step>> {
        let mut before: BTreeMap<usize, usize> = BTreeMap::new();
        let mut found = Vec::new();
        for (at, trial) in &self.0 {
            let before = before.entry(at.worker).or_default();
            if names.contains(trial.to_string().as_str()) {
                found.push((*before, *at));
            }
            *before += 1;
        }
        found.sort_unstable();
        let found = found.into_iter().take(most);
        found.map(|(_, at)| self.steps(at)).collect()
    }

    /// The steps of an instance up to and including this position.
    fn steps(&self, last: Position) -> Vec<Step> {
        let first = Position {
            worker: last.worker,
            group: 0,
            call: 0,
        };
        let steps = self.0.range(first..=last);
        steps.map(|(at, trial)| (at.group, trial.clone())).collect()
    }
}

/// The last trials that an instance received, as many as a command names, and those of its current group.
#[derive(Debug, Default)]
pub(super) struct LastTrials {
    trials: VecDeque<Trial>,
    /// The number of earlier trials.
    before: usize,
}

impl LastTrials {
    /// Adds the trials of the next group.
    pub(super) fn add(&mut self, group: impl Iterator<Item = Trial>) {
        let old = self.trials.len().saturating_sub(MAX_NAMED);
        self.trials.drain(..old);
        self.before += old;
        self.trials.extend(group);
    }

    /// The names of the trials of these calls, numbered from the first of the instance; of many, the last ones.
    pub(super) fn names(&self, calls: &Range<usize>) -> Vec<String> {
        let trials = self.trials.iter().zip(self.before..);
        let first = calls.start.max(calls.end.saturating_sub(MAX_NAMED));
        let named = trials.filter(|(_, number)| (first..calls.end).contains(number));
        named.map(|(trial, _)| trial.to_string()).collect()
    }
}

/// The command that runs these trials again in one process, in order. `arguments` make `run` take the backend.
pub(super) fn again_in_order(arguments: &str, trials: &[String]) -> String {
    let named = trials.iter().map(|name| format!("'{name}'")).joined(" ");
    format!("reshape-conformance run{arguments} -j1 --exact {named}")
}

/// The groups of these steps, in order.
pub(super) fn groups<'a>(steps: impl IntoIterator<Item = &'a Step>) -> Vec<Group> {
    let mut groups: Vec<(usize, Group)> = Vec::new();
    for (number, trial) in steps {
        match groups.last_mut() {
            Some((last, group)) if last == number => group.trials.push(trial.clone()),
            Some(_) | None => groups.push((*number, Group::single(trial.clone()))),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}
