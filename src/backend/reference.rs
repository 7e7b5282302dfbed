//! The reference, and its mutants, as backends.

use super::interface::{About, Backend};
use super::supports::{CompiledOnly, Supports};
use crate::model::call::Call;
use crate::names::Joined;
use crate::semantics::oracle::{Resolution, resolve, shares};
use crate::semantics::outcome::{Allowed, Outcome, Phase};
use crate::verdict::mutant::{Behavior, Mutant, Session, behavior};

/// The oracle as a backend.
#[derive(Debug, Default, Clone, Copy)]
pub struct Reference;

fn about(name: &str) -> About {
    let mut supports = Supports::everything();
    supports.add_concurrent_runs();
    supports.compiled_only = CompiledOnly::Everything;
    About {
        name: name.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        supports,
    }
}

impl Backend for Reference {
    fn about(&self) -> About {
        about("reference")
    }

    fn reshape(&mut self, call: &Call<'_>) -> Outcome {
        let rejected = |message: String| Outcome::rejected(Phase::Compile, message);
        let shape: Option<Vec<u64>> = match resolve(call.request) {
            Resolution::Reshaped(shape) => Some(shape.into_vec()),
            Resolution::Rejected(reasons) => {
                return rejected(reasons.iter().map(|of| of.description()).joined("; "));
            }
            Resolution::Open {
                question, choice, ..
            } => match choice {
                Allowed::Rejected => return rejected(question.choice().to_owned()),
                Allowed::Reshaped(pattern) => pattern.into_iter().collect(),
            },
        };
        match shape {
            Some(shape) if !call.data.is_materialized() => {
                Outcome::Inferred(Some(shape.into_iter().map(Some).collect()))
            }
            Some(shape) => Outcome::Reshaped {
                output: call.data.with_shape(shape),
                inferred: None,
                shares: shares(call.request),
            },
            None => rejected("no single shape".to_owned()),
        }
    }
}

/// The reference with one or more changed decisions.
pub(crate) struct MutantBackend {
    name: String,
    behavior: Behavior,
    session: Session,
}

impl MutantBackend {
    /// The reference with the changes of all these mutants.
    pub(crate) fn new(mutants: &[&Mutant]) -> Self {
        Self {
            name: mutants.iter().map(|of| of.name).joined("+"),
            behavior: behavior(mutants),
            session: Session::default(),
        }
    }
}

impl Backend for MutantBackend {
    fn about(&self) -> About {
        about(&self.name)
    }

    fn reshape(&mut self, call: &Call<'_>) -> Outcome {
        if self.behavior.has_memory() {
            self.session.answer(&self.behavior, call)
        } else {
            self.behavior.answer(call)
        }
    }

    fn reshape_concurrently(&mut self, calls: &[Call<'_>]) -> Vec<Outcome> {
        self.session.answer_concurrently(&self.behavior, calls)
    }
}
