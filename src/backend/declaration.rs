//! What an adapter declares, in its manifest and again in its `hello`.

use super::supports::{CompiledOnly, Supports};
use crate::semantics::surrounding::Surrounding;
use serde::{Deserialize, Serialize};
use std::ops::Not;

/// The model format in which an adapter receives the model of a `compile`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ModelFormat {
    /// No model: the fields of `compile` describe the node.
    #[default]
    None,
    /// An ONNX ModelProto.
    Onnx,
    /// The two files of an OpenVINO IR.
    OpenvinoIr,
}

impl ModelFormat {
    /// The format's name, as manifests and `hello` spell it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Onnx => "onnx",
            Self::OpenvinoIr => "openvino-ir",
        }
    }
}

/// How a backend is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Interface {
    /// The model format of `compile`.
    pub model: ModelFormat,
    /// Whether the backend only infers shapes.
    #[serde(default)]
    pub infer_only: bool,
    /// Whether it tells what it infers of data that is too large to be made.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub infers: bool,
    /// Whether several threads may run one compiled model at once.
    #[serde(default)]
    pub concurrent_runs: bool,
}

impl Interface {
    /// The surroundings that reach the backend: a graph in the model, a sequence by runs.
    fn surroundings(self) -> Vec<Surrounding> {
        let reaches = |surrounding: &&Surrounding| match surrounding.is_sequence() {
            true => !self.infer_only && (self.concurrent_runs || !surrounding.is_at_once()),
            false => self.model != ModelFormat::None,
        };
        Surrounding::ALL.iter().filter(reaches).copied().collect()
    }

    /// What the backend can be asked of data that is too large to be made.
    fn compiled_only(self) -> CompiledOnly {
        match (self.infer_only, self.infers) {
            (true, _) => CompiledOnly::Everything,
            (false, true) => CompiledOnly::Accepted,
            (false, false) => CompiledOnly::Nothing,
        }
    }
}

/// What the manifest and `hello` both declare, and must declare alike.
#[derive(Debug, Clone)]
pub(crate) struct Declaration {
    /// The capabilities.
    pub supports: Supports,
    /// How the backend is reached.
    pub interface: Interface,
}

impl Declaration {
    /// These capabilities, with what follows from how the backend is reached.
    pub(crate) fn new(interface: Interface, mut supports: Supports) -> Self {
        supports.set_surroundings(interface.surroundings());
        supports.set_compiled_only(interface.compiled_only());
        Self {
            supports,
            interface,
        }
    }

    /// The first difference between this manifest and a handshake, as text; `None` if they agree.
    pub(crate) fn difference(&self, handshake: &Self) -> Option<String> {
        let facts = |of: &Interface| {
            [
                ("model", of.model.name().to_owned()),
                ("infer_only", of.infer_only.to_string()),
                ("infers", of.infers.to_string()),
                ("concurrent_runs", of.concurrent_runs.to_string()),
            ]
        };
        let (ours, theirs) = (facts(&self.interface), facts(&handshake.interface));
        let mut both = ours.into_iter().zip(theirs);
        match both.find(|(ours, theirs)| ours != theirs) {
            Some(((field, manifest), (_, handshake))) => Some(format!(
                "{field}: the manifest says {manifest}; the handshake says {handshake}"
            )),
            None => self.supports.difference(&handshake.supports),
        }
    }
}
