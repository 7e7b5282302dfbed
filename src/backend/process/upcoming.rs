//! A model whose turn has not come yet: it can be compiled while those before it run.

use crate::spec::operator::Binding;
use crate::spec::request::{Call, Model, Request};
use crate::spec::surrounding::Surrounding;
use crate::tensor::Tensor;

/// The first call of a model.
#[derive(Debug, Clone)]
pub(super) struct Upcoming {
    request: Request,
    binding: Binding,
    surrounding: Option<Surrounding>,
    data: Tensor,
}

impl Upcoming {
    pub(super) fn new(call: &Call<'_>) -> Self {
        Self {
            request: call.request.clone(),
            binding: call.binding,
            surrounding: call.surrounding,
            data: call.data.clone(),
        }
    }

    pub(super) fn call(&self) -> Call<'_> {
        Call {
            request: &self.request,
            binding: self.binding,
            surrounding: self.surrounding,
            data: &self.data,
        }
    }

    /// Whether this is the call.
    pub(super) fn is_of(&self, call: &Call<'_>) -> bool {
        let own = (&self.request, self.binding, self.surrounding, &self.data);
        own == (call.request, call.binding, call.surrounding, call.data)
    }

    /// Whether a compiled model serves this call and that one: the node alone, which runs, with the same model.
    pub(super) fn shares_model(&self, other: &Call<'_>) -> bool {
        let is_lone = |call: &Call<'_>| call.surrounding.is_none() && call.data.is_made();
        let own = self.call();
        is_lone(&own)
            && is_lone(other)
            && Model::of(own.request, own.binding) == Model::of(other.request, other.binding)
    }
}
