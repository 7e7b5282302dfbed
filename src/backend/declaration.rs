//! What an adapter declares, in its manifest and again in its `hello`.

use super::supports::{CompiledOnly, Supports};
use crate::spec::surrounding::Surrounding;
use serde::Deserialize;

/// The model format in which an adapter receives the model of a `compile`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
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

    /// The surroundings that reach a backend that gets its models so: a graph in the model, a sequence by runs.
    pub(crate) fn surroundings(self, infer_only: bool, concurrent_runs: bool) -> Vec<Surrounding> {
        let reaches = |surrounding: &&Surrounding| match surrounding.is_sequence() {
            true => !infer_only && (concurrent_runs || !surrounding.is_at_once()),
            false => self != Self::None,
        };
        Surrounding::ALL.iter().filter(reaches).copied().collect()
    }
}

impl CompiledOnly {
    /// What a backend can be asked that declares this.
    pub(crate) fn of(infer_only: bool, infers: bool) -> Self {
        match (infer_only, infers) {
            (true, _) => Self::Everything,
            (false, true) => Self::Accepted,
            (false, false) => Self::Nothing,
        }
    }
}

/// What the manifest and `hello` both declare, and must declare alike.
#[derive(Debug, Clone)]
pub(crate) struct Declaration {
    /// The capabilities.
    pub supports: Supports,
    /// The model format of `compile`.
    pub model: ModelFormat,
    /// Whether the backend only infers shapes.
    pub infer_only: bool,
    /// Whether it tells what it infers of data that is too large to be made.
    pub infers: bool,
    /// Whether several threads may run one compiled model at once.
    pub concurrent_runs: bool,
}

impl Declaration {
    /// The first difference between this manifest and a handshake, as text; `None` if they agree.
    pub(crate) fn difference(&self, handshake: &Self) -> Option<String> {
        let differs = |field: &str, manifest: &str, handshake: &str| {
            format!("{field}: the manifest says {manifest}; the handshake says {handshake}")
        };
        if self.model != handshake.model {
            let (manifest, handshake) = (self.model.name(), handshake.model.name());
            return Some(differs("model", manifest, handshake));
        }
        let flags = [
            ("infer_only", self.infer_only, handshake.infer_only),
            ("infers", self.infers, handshake.infers),
            (
                "concurrent_runs",
                self.concurrent_runs,
                handshake.concurrent_runs,
            ),
        ];
        let mut flags = flags.into_iter();
        if let Some((field, manifest, handshake)) = flags.find(|(_, ours, theirs)| ours != theirs) {
            return Some(differs(
                field,
                &manifest.to_string(),
                &handshake.to_string(),
            ));
        }
        self.supports.difference(&handshake.supports)
    }
}
