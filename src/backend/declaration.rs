//! An adapter's declaration, in its manifest and again in its `hello`.

use super::claims::Claim;
use super::supports::{CompiledOnly, Limits, Supports};
use crate::model::surroundings::Surrounding;
use crate::names::named_enum;
use serde::Serialize;
use std::ops::Not;

named_enum! {
    /// The format of the model that an adapter receives in a `compile`.
    #[derive(Default)]
    pub(crate) enum ModelFormat, "model format" {
        /// No model: the fields of `compile` describe the node.
        #[default]
        None = "none",
        /// An ONNX ModelProto.
        Onnx = "onnx",
        /// The two files of an OpenVINO IR.
        OpenvinoIr = "openvino-ir",
    }
}

#[cfg(test)]
impl ModelFormat {
    pub(crate) fn schema() -> serde_json::Value {
        serde_json::json!({ "enum": Self::ALL })
    }
}

/// How a backend is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Interface {
    /// The model format of `compile`.
    pub model: ModelFormat,
    /// Whether the backend only infers shapes.
    pub infer_only: bool,
    /// Whether it reports the inferred shape of data that is too large to materialize.
    #[serde(skip_serializing_if = "Not::not")]
    pub infers: bool,
    /// Whether several threads may run one compiled model concurrently.
    pub concurrent_runs: bool,
    /// Whether it claims nothing: see [`Supports::claims_nothing`].
    #[serde(skip_serializing_if = "Not::not")]
    pub claims_nothing: bool,
}

impl Interface {
    /// Each fact with its name in manifests and in `hello`.
    fn facts(&self) -> [(&'static str, String); 5] {
        [
            ("model", self.model.to_string()),
            ("infer_only", self.infer_only.to_string()),
            ("infers", self.infers.to_string()),
            ("concurrent_runs", self.concurrent_runs.to_string()),
            ("claims_nothing", self.claims_nothing.to_string()),
        ]
    }

    /// The surroundings that reach the backend: a graph in the model, a sequence by runs.
    fn surroundings(self) -> Vec<Surrounding> {
        let reaches = |of: &&Surrounding| {
            (!of.has_graph() || self.model != ModelFormat::None)
                && (!of.is_sequence() || !self.infer_only)
                && (!of.is_concurrent() || self.concurrent_runs)
        };
        Surrounding::ALL.iter().filter(reaches).copied().collect()
    }

    /// What the backend can be asked about data that is too large to materialize.
    fn compiled_only(self) -> CompiledOnly {
        match (self.infer_only, self.infers) {
            (true, _) => CompiledOnly::Everything,
            (false, true) => CompiledOnly::Accepted,
            (false, false) => CompiledOnly::Nothing,
        }
    }
}

/// What the manifest and `hello` both declare; the two must agree.
#[derive(Debug, Clone)]
pub(crate) struct Declaration {
    /// The capabilities.
    pub supports: Supports,
    /// How the backend is reached.
    pub interface: Interface,
}

impl Declaration {
    /// What these entries of `supports` claim within these limits.
    pub(crate) fn of(interface: Interface, claims: &[Claim], limits: Limits) -> Self {
        let mut supports = Supports::default();
        for claim in claims {
            for (operator, types, bindings) in claim.cells() {
                let (attributes, limits) = (claim.attributes.clone(), claim.limits.clone());
                supports.add_limited(operator, types, bindings, attributes, limits);
            }
        }
        supports.limit(limits);
        supports.surroundings = interface.surroundings();
        supports.compiled_only = interface.compiled_only();
        supports.claims_nothing = interface.claims_nothing;
        Self {
            supports,
            interface,
        }
    }

    /// The first difference between this manifest and a handshake, as text; `None` if they agree.
    pub(crate) fn difference(&self, handshake: &Self) -> Option<String> {
        let (ours, theirs) = (self.interface.facts(), handshake.interface.facts());
        let mut both = ours.into_iter().zip(theirs);
        match both.find(|(ours, theirs)| ours != theirs) {
            Some(((field, manifest), (_, handshake))) => Some(format!(
                "{field}: the manifest says {manifest}, but the handshake says {handshake}"
            )),
            None => self.supports.difference(&handshake.supports),
        }
    }
}
