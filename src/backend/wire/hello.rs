//! The adapter's side of the handshake.

use crate::backend::declaration::{Declaration, ModelFormat};
use crate::backend::supports::Supports;
use crate::names::UnknownName;
use crate::spec::operator::{Binding, Operator, Selector};
use crate::tensor::ElementType;
use serde::{Deserialize, Serialize};

/// The protocol version that this runner speaks.
pub(crate) const VERSION: u64 = 1;

/// The reply to `hello`. Absent optional fields have the defaults of `docs/protocol.md`.
#[derive(Debug, Deserialize)]
pub(crate) struct Hello {
    pub protocol: u64,
    pub backend: HelloBackend,
    pub model: ModelFormat,
    #[serde(default = "default_window")]
    pub window: usize,
    #[serde(default)]
    pub infer_only: bool,
    pub supports: Vec<HelloSupports>,
}

fn default_window() -> usize {
    1
}

/// The backend's identity.
#[derive(Debug, Deserialize)]
pub(crate) struct HelloBackend {
    pub name: String,
    pub version: String,
}

/// One entry of `supports`: every operator × element type × binding that it names.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct HelloSupports {
    pub operators: Vec<String>,
    pub element_types: Vec<String>,
    pub bindings: Vec<String>,
}

impl Hello {
    /// What the handshake declares.
    pub(crate) fn declaration(&self) -> Result<Declaration, String> {
        Ok(Declaration {
            supports: self.supports()?,
            model: self.model,
            infer_only: self.infer_only,
        })
    }

    fn supports(&self) -> Result<Supports, String> {
        let mut supports = Supports::default();
        for entry in &self.supports {
            let bindings: Vec<Binding> = entry
                .bindings
                .iter()
                .map(|name| name.parse().map_err(|error| format!("{error}")))
                .collect::<Result<_, _>>()?;
            for selector in &entry.operators {
                let selector: Selector = selector.parse().map_err(|error| format!("{error}"))?;
                for operator in selector.operators() {
                    let types = element_types(&entry.element_types, operator)?;
                    supports.add(operator, &types, &bindings);
                }
            }
        }
        Ok(supports)
    }
}

/// The element types of these names; `all` alone means the types that the operator's text lists.
pub(crate) fn element_types(
    names: &[String],
    operator: &'static Operator,
) -> Result<Vec<ElementType>, String> {
    if names == ["all"] {
        return Ok(operator.element_types.to_vec());
    }
    names
        .iter()
        .map(|name| name.parse().map_err(|error: UnknownName| error.to_string()))
        .collect()
}
