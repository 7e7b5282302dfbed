//! Mutants as backends: deliberately wrong implementations, to test the suite and the runner.

use super::about::About;
use super::interface::Backend;
use super::supports::Supports;
use crate::spec::outcome::Outcome;
use crate::spec::request::Call;
use crate::verdict::mutant::{Behavior, Mutant, Session, behavior};

/// The reference with one behavior changed, or several.
pub(crate) struct MutantBackend {
    name: String,
    behavior: Behavior,
    session: Session,
}

impl MutantBackend {
    /// The reference with the changes of all these mutants.
    pub(crate) fn new(mutants: &[&Mutant]) -> Self {
        let name = mutants
            .iter()
            .map(|mutant| mutant.name)
            .collect::<Vec<_>>()
            .join("+");
        Self {
            name,
            behavior: behavior(mutants),
            session: Session::default(),
        }
    }
}

impl Backend for MutantBackend {
    fn about(&self) -> About {
        About {
            name: self.name.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            supports: Supports::of_reference(),
        }
    }

    fn reshape(&mut self, call: &Call<'_>) -> Outcome {
        if self.behavior.has_memory() {
            self.session.answer(&self.behavior, call)
        } else {
            self.behavior.answer(call)
        }
    }

    fn reshape_at_once(&mut self, calls: &[Call<'_>]) -> Vec<Outcome> {
        self.session.answer_at_once(&self.behavior, calls)
    }
}
