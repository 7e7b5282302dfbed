//! The adapter's side of the handshake.

use crate::backend::declaration::{Declaration, Interface};
use crate::backend::interface::contradiction;
use crate::backend::supports::Supports;
use crate::names::UnknownName;
use crate::semantics::operator::{Binding, Operator, Selector};
use crate::tensor::ElementType;
use serde::{Deserialize, Serialize};

/// The protocol version that this runner speaks.
pub(crate) const VERSION: u64 = 1;

/// The reply to `hello`. Absent optional fields have the defaults of `docs/protocol.md`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Hello {
    pub protocol: u64,
    pub backend: Identity,
    #[serde(default = "default_window")]
    pub window: usize,
    #[serde(flatten)]
    pub interface: Interface,
    pub supports: Vec<HelloSupports>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unavailable: Vec<HelloUnavailable>,
}

fn default_window() -> usize {
    1
}

/// The identity of a backend, or of the runner.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Identity {
    pub name: String,
    pub version: String,
}

impl Identity {
    /// How a later handshake contradicts this one; `None` if it does not.
    pub(crate) fn contradiction(&self, later: &Self) -> Option<String> {
        contradiction((&self.name, &self.version), (&later.name, &later.version))
    }
}

/// One entry of `supports`: every operator × element type × binding that it names.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct HelloSupports {
    pub operators: Vec<String>,
    pub element_types: Vec<String>,
    pub bindings: Vec<String>,
}

/// What of `supports` this machine cannot do, and why.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct HelloUnavailable {
    #[serde(flatten)]
    cells: HelloSupports,
    reason: String,
}

impl HelloSupports {
    /// The operators, each with its element types, and the bindings.
    #[expect(clippy::type_complexity, reason = "it is used here alone")]
    fn read(&self) -> Result<(Vec<(&'static Operator, Vec<ElementType>)>, Vec<Binding>), String> {
        let bindings = self.bindings.iter();
        let bindings = bindings.map(|name| name.parse().map_err(|error| format!("{error}")));
        let mut operators = Vec::new();
        for selector in &self.operators {
            let selector: Selector = selector.parse().map_err(|error| format!("{error}"))?;
            for operator in selector.operators() {
                operators.push((*operator, element_types(&self.element_types, operator)?));
            }
        }
        Ok((operators, bindings.collect::<Result<_, _>>()?))
    }
}

impl Hello {
    /// Takes out of `supports` what this machine cannot do.
    ///
    /// # Errors
    /// When it names what is not supported anyway.
    pub(crate) fn narrow(&self, supports: &mut Supports) -> Result<(), String> {
        for HelloUnavailable { cells, reason } in &self.unavailable {
            let (operators, bindings) = cells.read()?;
            for (operator, types) in operators {
                supports.narrow(operator, &types, &bindings, reason)?;
            }
        }
        Ok(())
    }

    /// What the handshake declares.
    pub(crate) fn declaration(&self) -> Result<Declaration, String> {
        let mut supports = Supports::default();
        for entry in &self.supports {
            let (operators, bindings) = entry.read()?;
            for (operator, types) in operators {
                supports.add(operator, &types, &bindings);
            }
        }
        Ok(Declaration::new(self.interface, supports))
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
