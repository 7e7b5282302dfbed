//! The random trials of a search that have begun and have no result yet.

use crate::suite::case::Case;
use crate::suite::trial::{Group, Trial};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// The trials under way, each in a group of its own, with the number of each from the first of the search.
#[derive(Debug, Default)]
pub(super) struct UnderWay(Mutex<VecDeque<(u64, Arc<Case>)>>);

impl UnderWay {
    /// A trial begins. Its number is that before `after`.
    pub(super) fn begin(&self, after: u64, group: &Group) {
        let cases = group.trials.iter().map(|trial| Arc::clone(&trial.case));
        let number = after.saturating_sub(1);
        self.trials().extend(cases.map(|case| (number, case)));
    }

    /// A trial has its result. Every generated trial has a case of its own.
    pub(super) fn end(&self, trial: &Trial) {
        let mut trials = self.trials();
        let is_it = |(_, case): &(u64, Arc<Case>)| Arc::ptr_eq(case, &trial.case);
        if let Some(at) = trials.iter().position(is_it) {
            trials.remove(at);
        }
    }

    /// The number of the first trial without a result; `None` if all have one.
    pub(super) fn first(&self) -> Option<u64> {
        self.trials().front().map(|(number, _)| *number)
    }

    fn trials(&self) -> std::sync::MutexGuard<'_, VecDeque<(u64, Arc<Case>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
