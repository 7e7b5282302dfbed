//! Mutants as backends: deliberately wrong implementations, to test the suite and the runner.

use super::about::About;
use super::interface::Backend;
use super::supports::Supports;
use crate::spec::operator::TargetSource;
use crate::spec::outcome::Outcome;
use crate::spec::request::{Call, Model, Request, Target};
use crate::tensor::Tensor;
use crate::verdict::mutant::{Behavior, Memory, Mutant, behavior};

/// The reference with one behavior changed, or several.
pub(crate) struct MutantBackend {
    name: String,
    behavior: Behavior,
    /// The model that ran last with a runtime target, and the target of its first run; `None` before that.
    first_target: Option<(Model, Option<Target>)>,
    /// The data of the previous call; `None` before the first.
    last_data: Option<Tensor>,
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
            first_target: None,
            last_data: None,
        }
    }

    /// The request with the target of its model's first run; `None` in that run, and without a runtime target.
    fn with_first_target(&mut self, call: &Call<'_>) -> Option<Request> {
        if call.binding.source() != TargetSource::Runtime {
            return None;
        }
        let model = Model::of(call.request, call.binding);
        match &self.first_target {
            Some((known, target)) if *known == model => Some(Request {
                target: target.clone(),
                ..call.request.clone()
            }),
            _ => {
                self.first_target = Some((model, call.request.target.clone()));
                None
            }
        }
    }
}

impl Backend for MutantBackend {
    fn about(&self) -> About {
        About {
            name: self.name.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            supports: Supports::everything(),
        }
    }

    fn reshape(&mut self, call: &Call<'_>) -> Outcome {
        match self.behavior.memory {
            Memory::Nothing => self.behavior.answer(call),
            Memory::FirstTarget => match self.with_first_target(call) {
                Some(request) => self.behavior.answer(&Call {
                    request: &request,
                    ..*call
                }),
                None => self.behavior.answer(call),
            },
            Memory::LastData => {
                let outcome = self.behavior.answer(call);
                let last = self.last_data.replace(call.data.clone());
                match (outcome, last) {
                    (Outcome::Reshaped { output, inferred }, Some(last))
                        if last.element_type() == output.element_type()
                            && last.len() == output.len() =>
                    {
                        Outcome::Reshaped {
                            output: last.with_shape(output.shape().to_vec()),
                            inferred,
                        }
                    }
                    (outcome, _) => outcome,
                }
            }
        }
    }
}
