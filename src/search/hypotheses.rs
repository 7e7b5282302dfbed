//! Hypotheses: the mutants that a backend may behave like.

use crate::run::TrialResult;
use crate::semantics::outcome::{Outcome, fits};
use crate::suite::trial::Trial;
use crate::verdict::mutant::{Behavior, CATALOGUE, OracleAnswer, behavior};
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The mutants that change a shape, and those of them that the backend has not refuted.
pub(super) struct Hypotheses {
    mutants: Vec<(&'static str, Behavior)>,
    /// The indices of the mutants that no trial has refuted.
    unrefuted: Mutex<HashSet<usize>>,
}

/// The shape that a mutant gives; `None` if it rejects.
type Answer = Option<Vec<u64>>;

impl Hypotheses {
    /// All mutants that change a shape.
    pub(super) fn new() -> Self {
        let mutants: Vec<_> = CATALOGUE
            .iter()
            .map(|mutant| (mutant.name, behavior(&[mutant])))
            .filter(|(_, behavior)| behavior.follows_from_the_request())
            .collect();
        let unrefuted = Mutex::new((0..mutants.len()).collect());
        Self { mutants, unrefuted }
    }

    fn unrefuted(&self) -> MutexGuard<'_, HashSet<usize>> {
        self.unrefuted
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// How useful a trial is. First counts the number of different answers of the unrefuted mutants, then the number of
    /// these mutants that differ from the reference.
    pub(super) fn usefulness(&self, trial: &Trial) -> (usize, usize) {
        let answers = Answers::new(trial);
        let unrefuted: Vec<Answer> = self
            .unrefuted()
            .iter()
            .map(|index| answers.of(&self.mutants[*index].1))
            .collect();
        let differing = unrefuted.iter().filter(|answer| **answer != answers.right);
        let differing = differing.count();
        (
            unrefuted.into_iter().collect::<HashSet<_>>().len(),
            differing,
        )
    }

    /// Refutes the mutants that would have answered differently.
    pub(super) fn learn(&self, result: &TrialResult) {
        let trial = &result.trial;
        match &result.outcome {
            Some(Outcome::Reshaped { output, .. }) => {
                self.retain(trial, &|answer| answer == Some(output.shape()));
            }
            Some(Outcome::Claimed { shape, .. }) => {
                self.retain(trial, &|answer| answer == Some(shape.as_slice()));
            }
            Some(Outcome::Inferred(None)) => self.retain(trial, &|answer| answer.is_some()),
            Some(Outcome::Inferred(Some(pattern))) => {
                self.retain(trial, &|answer| {
                    answer.is_some_and(|shape| fits(shape, pattern))
                });
            }
            Some(Outcome::Rejected { .. }) => self.retain(trial, &|answer| answer.is_none()),
            None
            | Some(
                Outcome::ChangedEarlier(_)
                | Outcome::WrongConcurrentRun(_)
                | Outcome::Unsupported(_)
                | Outcome::Crashed(_)
                | Outcome::TimedOut(_)
                | Outcome::OutOfMemory(_)
                | Outcome::ProtocolError(_),
            ) => {}
        }
    }

    /// Retains the mutants whose answer to a trial agrees with the backend's, or equals the reference's. Where the text
    /// leaves the answer open, another answer refutes nothing.
    pub(super) fn retain(&self, trial: &Trial, agrees: &dyn Fn(Option<&[u64]>) -> bool) {
        let answers = Answers::new(trial);
        self.unrefuted().retain(|index| {
            let answer = answers.of(&self.mutants[*index].1);
            answer == answers.right || agrees(answer.as_deref())
        });
    }

    /// The names of the mutants that no trial has refuted, in the order of the catalogue.
    pub(super) fn names(&self) -> Vec<&'static str> {
        let mut unrefuted: Vec<usize> = self.unrefuted().iter().copied().collect();
        unrefuted.sort_unstable();
        let names = unrefuted.into_iter().map(|index| self.mutants[index].0);
        names.collect()
    }
}

/// The answers to one trial.
struct Answers<'a> {
    trial: &'a Trial,
    read: OracleAnswer,
    /// The reference's answer.
    right: Answer,
}

impl<'a> Answers<'a> {
    fn new(trial: &'a Trial) -> Self {
        let read = OracleAnswer::of(trial.request());
        let right = Behavior::right().resolve(trial.request(), trial.binding, &read);
        Self { trial, read, right }
    }

    fn of(&self, behavior: &Behavior) -> Answer {
        behavior.resolve(self.trial.request(), self.trial.binding, &self.read)
    }
}
