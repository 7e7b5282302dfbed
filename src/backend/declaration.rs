//! What an adapter declares, in its manifest and again in its `hello`.

use super::supports::Supports;
use serde::{Deserialize, Serialize};

/// The model format in which an adapter receives the model of a `compile`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ModelFormat {
    /// No model: the fields of `compile` describe the node.
    None,
    /// An ONNX ModelProto.
    Onnx,
    /// The two files of an OpenVINO IR.
    OpenvinoIr,
}

/// What the manifest and `hello` both declare, and must declare alike.
#[derive(Debug, Clone)]
pub(crate) struct Declaration {
    /// The capabilities.
    pub supports: Supports,
}

impl Declaration {
    /// The first difference between this manifest and a handshake, as text; `None` if they agree.
    pub(crate) fn difference(&self, handshake: &Self) -> Option<String> {
        self.supports.difference(&handshake.supports)
    }
}
