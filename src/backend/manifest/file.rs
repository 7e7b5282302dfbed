//! The format of `adapter.yaml`; `docs/adapters.md` is its manual.

use crate::backend::declaration::ModelFormat;
use crate::backend::supports::{Limits, StringLimit, Supports};
use crate::backend::wire;
use crate::error::{Error, Fault, Source};
use crate::spec::operator::{Binding, Operator, Selector};
use crate::spec::surrounding::Surrounding;
use crate::tensor::ElementType;
use crate::yaml::{self, Spanned};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct FileManifest {
    #[cfg_attr(test, schemars(with = "String"))]
    pub name: Spanned<String>,
    pub about: String,
    pub issues: Option<String>,
    #[serde(default)]
    pub install: FileInstall,
    pub command: Vec<String>,
    /// What runs the reproducer of a cause, without this suite.
    #[serde(default)]
    pub reproduce: Vec<String>,
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    #[cfg_attr(test, schemars(with = "String"))]
    pub model: ModelFormat,
    #[serde(default)]
    pub infer_only: bool,
    #[serde(default)]
    only_similar: bool,
    #[serde(default)]
    pub limits: FileLimits,
    /// The surroundings that are asked of it; all without it.
    #[cfg_attr(test, schemars(with = "Option<Vec<String>>"))]
    surroundings: Option<Vec<Surrounding>>,
    #[cfg_attr(test, schemars(with = "Vec<FileSupports>"))]
    supports: Vec<Spanned<FileSupports>>,
    #[serde(default)]
    pub configurations: BTreeMap<String, FileConfiguration>,
}

/// A configuration: the same installation with other settings. What is `None` is as in the manifest.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct FileConfiguration {
    about: String,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    model: Option<ModelFormat>,
    #[cfg_attr(test, schemars(with = "Option<Vec<FileSupports>>"))]
    supports: Option<Vec<Spanned<FileSupports>>>,
}

#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct FileInstall {
    #[serde(default)]
    pub python: Vec<String>,
    #[serde(default)]
    pub commands: Vec<Vec<String>>,
}

#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct FileLimits {
    rank: Option<u64>,
    data_rank: Option<u64>,
    target_ranks: Option<Vec<u64>>,
    #[cfg_attr(test, schemars(with = "Option<Vec<String>>"))]
    target_types: Option<Vec<ElementType>>,
    attributes: Option<Vec<String>>,
    #[cfg_attr(test, schemars(with = "Option<[i64; 2]>"))]
    target_values: Option<[i128; 2]>,
    data_dim: Option<u64>,
    data_bytes: Option<u64>,
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    strings: Vec<StringLimit>,
    pub memory_mib: Option<u64>,
}

impl FileLimits {
    fn limits(&self) -> Limits {
        Limits {
            rank: self.rank,
            data_rank: self.data_rank,
            target_ranks: self.target_ranks.clone(),
            target_types: self.target_types.clone(),
            attributes: self.attributes.clone(),
            target_values: self.target_values,
            data_dim: self.data_dim,
            data_bytes: self.data_bytes,
            strings: self.strings.clone(),
        }
    }
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct FileSupports {
    operators: Vec<String>,
    #[cfg_attr(test, schemars(with = "OneOrMore"))]
    element_types: Names,
    #[cfg_attr(test, schemars(with = "OneOrMore"))]
    bindings: Names,
    #[serde(default)]
    attributes: BTreeMap<String, Vec<i64>>,
    #[serde(default)]
    limits: FileLimits,
}

/// How [`Names`] are written.
#[cfg(test)]
#[derive(schemars::JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "only its schema is used")]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

/// The JSON Schema of a manifest.
#[cfg(test)]
pub(crate) fn schema() -> schemars::Schema {
    schemars::schema_for!(FileManifest)
}

/// A list of names, or the word `all`, which reads as the list `[all]`.
struct Names(Vec<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NamesVisitor)
    }
}

struct NamesVisitor;

impl<'de> serde::de::Visitor<'de> for NamesVisitor {
    type Value = Names;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list of names, or `all`")
    }

    fn visit_str<E>(self, name: &str) -> Result<Names, E> {
        Ok(Names(vec![name.to_owned()]))
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<Names, A::Error> {
        let mut names = Vec::new();
        while let Some(name) = list.next_element()? {
            names.push(name);
        }
        Ok(Names(names))
    }
}

impl FileManifest {
    /// Applies a configuration to the manifest. Returns `None` if there is no configuration of that name.
    pub(super) fn configure(&mut self, configuration: &str) -> Option<()> {
        let FileConfiguration {
            about,
            environment,
            model,
            supports,
        } = self.configurations.remove(configuration)?;
        self.about = about;
        self.environment.extend(environment);
        if let Some(model) = model {
            self.model = model;
        }
        if let Some(supports) = supports {
            self.supports = supports;
        }
        Some(())
    }

    /// The capabilities and limits.
    ///
    /// # Errors
    /// When an entry names an unknown operator, element type or binding.
    pub(super) fn supports(&self, source: &Source) -> Result<Supports, Error> {
        let mut supports = Supports::default();
        for entry in &self.supports {
            add(&mut supports, &entry.value)
                .map_err(|why| Fault::new(source, yaml::span(source, entry), why))?;
        }
        supports.limit(self.limits.limits());
        supports.set_only_similar(self.only_similar);
        let mut surroundings = self.model.surroundings(self.infer_only);
        if let Some(named) = &self.surroundings {
            surroundings.retain(|of| named.contains(of));
        }
        supports.set_surroundings(surroundings);
        Ok(supports)
    }
}

fn add(supports: &mut Supports, entry: &FileSupports) -> Result<(), String> {
    if entry.limits.memory_mib.is_some() {
        return Err("memory_mib is a limit of the whole process, not of an entry".to_owned());
    }
    for selector in &entry.operators {
        let selector: Selector = selector.parse().map_err(|error| format!("{error}"))?;
        for operator in selector.operators() {
            let types = wire::element_types(&entry.element_types.0, operator)?;
            let bindings = bindings(&entry.bindings, operator)?;
            let (attributes, limits) = (entry.attributes.clone(), entry.limits.limits());
            supports.add_limited(operator, &types, &bindings, attributes, limits);
        }
    }
    Ok(())
}

/// The bindings of these names; `all` alone means those that the operator has.
fn bindings(names: &Names, operator: &'static Operator) -> Result<Vec<Binding>, String> {
    if names.0 == ["all"] {
        return Ok(operator.bindings.to_vec());
    }
    names
        .0
        .iter()
        .map(|name| name.parse().map_err(|error| format!("{error}")))
        .collect()
}
