//! The reference: the oracle's shape with the data's own bits. For open questions it returns the oracle's choice.

use super::about::About;
use super::interface::Backend;
use super::supports::Supports;
use crate::spec::oracle::{Resolution, resolve};
use crate::spec::outcome::Allowed;
use crate::spec::outcome::{Outcome, Phase};
use crate::spec::request::Call;

/// The oracle as a backend.
#[derive(Debug, Default, Clone, Copy)]
pub struct Reference;

impl Backend for Reference {
    fn about(&self) -> About {
        About {
            name: "reference".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            supports: Supports::of_reference(),
        }
    }

    fn reshape(&mut self, call: &Call<'_>) -> Outcome {
        let rejected = |message: String| Outcome::rejected(Phase::Compile, message);
        let shape: Option<Vec<u64>> = match resolve(call.request) {
            Resolution::Reshaped(shape) => Some(shape.into_vec()),
            Resolution::Rejected(reasons) => {
                let reasons: Vec<_> = reasons.iter().map(|reason| reason.says()).collect();
                return rejected(reasons.join("; "));
            }
            Resolution::Open {
                question, choice, ..
            } => match choice {
                Allowed::Rejected => return rejected(question.choice().to_owned()),
                Allowed::Reshaped(pattern) => pattern.into_iter().collect(),
            },
        };
        match shape {
            Some(shape) if !call.data.is_made() => {
                Outcome::Inferred(Some(shape.into_iter().map(Some).collect()))
            }
            Some(shape) => Outcome::Reshaped {
                output: call.data.with_shape(shape),
                inferred: None,
            },
            None => rejected("no single shape".to_owned()),
        }
    }
}
