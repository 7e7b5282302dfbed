//! Runs of a model that are made at once. Each must be right, since each may be the one that gets what belongs to
//! another.

use super::judgement::failure_of_run;
use crate::semantics::outcome::{Outcome, RunBeside};
use crate::semantics::request::Call;

/// The answers to one run, and to those that were made beside it, from all rounds.
#[derive(Default)]
pub(crate) struct AtOnce {
    /// An answer to the run: the first wrong one, or else the last; `None` before the first.
    own: Option<(Outcome, bool)>,
    /// The first wrong answer to another run; `None` if there is none.
    beside: Option<RunBeside>,
}

impl AtOnce {
    /// Adds an answer to the run itself, or to one beside it.
    pub(crate) fn add(&mut self, call: &Call<'_>, is_own: bool, outcome: Outcome) {
        let is_wrong = || failure_of_run(call.request, call.data, &outcome).is_some();
        match is_own {
            true if !matches!(self.own, Some((_, true))) => {
                let is_wrong = is_wrong();
                self.own = Some((outcome, is_wrong));
            }
            false if self.beside.is_none() && is_wrong() => {
                self.beside = Some(RunBeside {
                    request: call.request.clone(),
                    data: call.data.clone(),
                    outcome,
                });
            }
            true | false => {}
        }
    }

    /// The outcome of the trial: the run's own, unless only another went wrong; `None` without an answer.
    pub(crate) fn outcome(self) -> Option<Outcome> {
        match (self.own, self.beside) {
            (Some((_, false)), Some(beside)) => Some(Outcome::WrongBeside(Box::new(beside))),
            (own, _) => own.map(|(outcome, _)| outcome),
        }
    }
}
