//! The [`Backend`] trait.

use super::about::About;
use super::unattributed_failures::UnattributedFailures;
use crate::spec::outcome::Outcome;
use crate::spec::request::Call;

/// An implementation of Reshape under test.
pub trait Backend {
    /// The backend's name, version and capabilities. It never receives a call outside its capabilities.
    fn about(&self) -> About;

    /// Executes one call. Every result is an outcome; a panic counts as a crash.
    fn reshape(&mut self, call: &Call<'_>) -> Outcome;

    /// Executes calls that share a model. Reports each outcome once, by the call's index, in any order.
    fn reshape_all(&mut self, calls: &[Call<'_>], done: &mut dyn FnMut(usize, Outcome)) {
        for (index, call) in calls.iter().enumerate() {
            done(index, self.reshape(call));
        }
    }

    /// Executes calls that share a model at the same time, for [`crate::backend::serve`]. Gives their outcomes in order. One
    /// after the other, unless the backend has threads for them.
    fn reshape_at_once(&mut self, calls: &[Call<'_>]) -> Vec<Outcome> {
        calls.iter().map(|call| self.reshape(call)).collect()
    }

    /// Whether the user stopped the backend: calls without an outcome were then not run, and that is no fault of it.
    fn is_stopped(&self) -> bool {
        false
    }

    /// Why the backend can be asked no more, such as `did not start again`; `None` as long as it can. Calls without an outcome
    /// were then not run.
    fn gone(&self) -> Option<String> {
        None
    }

    /// Takes the failures until now that are no trial's outcome.
    fn take_unattributed(&mut self) -> UnattributedFailures {
        UnattributedFailures::default()
    }

    /// Shuts the backend down. Returns the failures that are no trial's outcome, and were not taken before.
    fn finish(&mut self) -> UnattributedFailures {
        UnattributedFailures::default()
    }
}
