//! The adapter's side of the handshake.

use crate::backend::claims::{Claim, Unavailable, entry_limits};
use crate::backend::declaration::{Interface, ModelFormat};
use crate::backend::supports::{Limits, Supports};
use crate::names::{did_you_mean, nearest};
use crate::yaml::read::{each, flag, number, one, text};
#[cfg(test)]
use crate::yaml::schema::{boolean, count, list, string, titled};
use crate::yaml::{mapping, of_json};
use serde::de::{Deserialize, Deserializer, Error};
use serde_json::{Map, Value};

/// The protocol version that this runner speaks.
pub(crate) const VERSION: u64 = 1;

mapping! {
    /// The reply to `hello`. What is absent has the default of `docs/protocol.md`.
    #[derive(serde::Serialize)]
    pub(crate) struct Hello, "`hello`", "" {
        /// The version of the protocol that the adapter chose.
        pub protocol: u64 = required(number::<u64>, count()),
        /// The backend's name and version.
        pub backend: Identity = required(Identity::read, Identity::schema()),
        /// How many unanswered requests the adapter accepts at a time; 1 without it.
        pub window: Option<u64> = optional(number::<u64>, count()),
        /// The model that a `compile` brings: none, onnx or openvino-ir.
        pub model: ModelFormat = required(one::<ModelFormat>("a model format"), ModelFormat::schema()),
        /// Whether the backend only infers shapes.
        pub infer_only: bool = optional(flag, boolean()),
        /// Whether `compiled` has the inferred shape even of data that is too large to be made.
        pub infers: bool = optional(flag, boolean()),
        /// Whether several threads may run one compiled model at once.
        pub concurrent_runs: bool = optional(flag, boolean()),
        /// Whether `supports` is only what can be asked: `unsupported` is then skipped, where the backend has no such ability.
        pub claims_nothing: bool = optional(flag, boolean()),
        /// What cannot be passed to the backend.
        pub limits: Limits = optional(entry_limits, Limits::schema()),
        /// What the backend claims to support.
        pub supports: Vec<Claim> = required(each(Claim::read), list(Claim::schema())),
        /// What of that this machine, or this release of the backend, cannot do.
        pub unavailable: Vec<Unavailable> = optional(each(Unavailable::read), list(Unavailable::schema())),
    }
}

mapping! {
    /// The identity of a backend, or of the runner.
    #[derive(serde::Serialize, serde::Deserialize)]
    pub(crate) struct Identity, "`backend`", "" {
        /// The name, as reports show it.
        pub name: String = required(text, string()),
        /// The version.
        pub version: String = required(text, string()),
    }
}

impl<'de> Deserialize<'de> for Hello {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut fields = Map::deserialize(from)?;
        // Later versions have other fields.
        fields.retain(|name, _| Self::FIELDS.iter().any(|field| field.name == name));
        of_json(&Value::Object(fields), "docs/protocol.md", Self::read).map_err(D::Error::custom)
    }
}

impl Hello {
    /// The fields of such a reply that nothing reads, each with its likely meaning.
    pub(crate) fn unread(header: &Value) -> Vec<String> {
        let fields = || Self::FIELDS.iter().map(|field| field.name);
        let known =
            |name: &str| ["type", "id", "payload"].contains(&name) || fields().any(|of| of == name);
        let names = header.as_object().into_iter().flat_map(Map::keys);
        let unread = names
            .filter(|name| !known(name))
            .map(|name| match nearest(name, fields()) {
                near if near.is_empty() => format!("`{name}`"),
                near => format!("`{name}`: {}", did_you_mean(&near)),
            });
        unread.collect()
    }

    /// How the backend is reached.
    pub(crate) fn interface(&self) -> Interface {
        Interface {
            model: self.model,
            infer_only: self.infer_only,
            infers: self.infers,
            concurrent_runs: self.concurrent_runs,
            claims_nothing: self.claims_nothing,
        }
    }

    /// Removes from `supports` what this machine cannot do. Fails when it names what is not supported anyway.
    pub(crate) fn narrow(&self, supports: &mut Supports) -> Result<(), String> {
        for of in &self.unavailable {
            for (operator, types, bindings) in of.cells() {
                supports.narrow(operator, types, bindings, &of.reason)?;
            }
        }
        Ok(())
    }
}

/// The JSON Schema of the reply. Other fields are ignored.
#[cfg(test)]
pub(crate) fn schema() -> Value {
    let mut schema = titled("Hello", Hello::schema());
    schema["additionalProperties"] = true.into();
    schema
}
