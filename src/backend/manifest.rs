//! Manifests: what an adapter's folder says of it, known before anything starts.

use super::process::ProcessOptions;
use super::wire::{self, ModelFormat};
use super::{Limits, ProcessBackend, Supports};
use crate::error::{Error, Fault, Source};
use crate::spec::operator::{Binding, Selector};
use crate::tensor::ElementType;
use crate::yaml::{self, Spanned};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// An adapter as its folder declares it.
#[derive(Debug, Clone)]
pub struct Adapter {
    /// The folder's name; for a configuration `folder:configuration`.
    pub name: String,
    /// What it connects, in a sentence.
    pub about: String,
    /// Its other configurations.
    pub configurations: Vec<String>,
    /// Where to report what is wrong with the backend.
    pub issues: Option<String>,
    /// What it can do.
    pub supports: Supports,
    /// Python packages for its environment, pinned.
    pub python: Vec<String>,
    /// Commands that build the rest of it, in order.
    pub install_commands: Vec<Vec<String>>,
    memory: Option<u64>,
    command: Vec<String>,
    environment: BTreeMap<String, String>,
    folder: PathBuf,
    installed: PathBuf,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileManifest {
    name: Spanned<String>,
    about: String,
    issues: Option<String>,
    #[serde(default)]
    install: Install,
    command: Vec<String>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    #[serde(rename = "model")]
    _model: ModelFormat,
    #[serde(default, rename = "infer_only")]
    _infer_only: bool,
    #[serde(default)]
    limits: FileLimits,
    supports: Vec<Spanned<FileSupports>>,
    #[serde(default)]
    configurations: BTreeMap<String, FileConfiguration>,
}

/// The same installation, set up in another way.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileConfiguration {
    about: String,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    supports: Option<Vec<Spanned<FileSupports>>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Install {
    #[serde(default)]
    python: Vec<String>,
    #[serde(default)]
    commands: Vec<Vec<String>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct FileLimits {
    rank: Option<u64>,
    data_rank: Option<u64>,
    target_ranks: Option<Vec<u64>>,
    target_types: Option<Vec<ElementType>>,
    attributes: Option<Vec<String>>,
    memory_mib: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileSupports {
    operators: Vec<String>,
    element_types: Names,
    bindings: Names,
    #[serde(default)]
    attributes: BTreeMap<String, Vec<i64>>,
}

/// A list of names, or the word `all`.
struct Names(Vec<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Vec<String>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of names, or `all`")
            }
            fn visit_str<E>(self, name: &str) -> Result<Vec<String>, E> {
                Ok(vec![name.to_owned()])
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(
                self,
                mut list: A,
            ) -> Result<Vec<String>, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = list.next_element()? {
                    names.push(name);
                }
                Ok(names)
            }
        }
        deserializer.deserialize_any(Visitor).map(Self)
    }
}

impl Adapter {
    /// Reads `<adapters>/<name>/adapter.yaml`, or for `name:configuration` that configuration of it.
    ///
    /// # Errors
    /// When there is no such adapter, or its manifest is wrong.
    pub fn read(adapters: &Path, full_name: &str) -> Result<Self, Error> {
        let (name, configuration) = match full_name.split_once(':') {
            Some((name, configuration)) => (name, Some(configuration)),
            None => (full_name, None),
        };
        let folder = adapters.join(name);
        let path = folder.join("adapter.yaml");
        let plain = !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
            && name != "..";
        if !plain || !path.is_file() {
            let known = known_adapters(adapters).join(", ");
            return Err(Error::Usage(format!(
                "there is no adapter '{name}' in {}; there are: {known}",
                adapters.display()
            )));
        }
        let text = std::fs::read_to_string(&path).map_err(|why| Error::unreadable(&path, why))?;
        let source = Source::new(&path.to_string_lossy(), &text);
        let mut file: FileManifest = yaml::read(&source)?;
        let configurations: Vec<_> = file.configurations.keys().cloned().collect();
        if file.name.value != name {
            let message = format!(
                "the adapter's name is '{}', its folder's is '{name}'",
                file.name.value
            );
            return Err(Fault::new(&source, yaml::span(&source, &file.name), message).into());
        }
        if let Some(name) = configuration {
            let Some(chosen) = file.configurations.remove(name) else {
                let message = format!(
                    "the adapter '{}' has no configuration '{name}'; it has {configurations:?}",
                    file.name.value
                );
                return Err(Error::Usage(message));
            };
            file.about = chosen.about;
            file.environment.extend(chosen.environment);
            file.supports = chosen.supports.unwrap_or(file.supports);
        }
        let mut supports = Supports::default();
        for entry in &file.supports {
            add(&mut supports, &entry.value)
                .map_err(|why| Fault::new(&source, yaml::span(&source, entry), why))?;
        }
        let FileLimits {
            rank,
            data_rank,
            target_ranks,
            target_types,
            attributes,
            memory_mib,
        } = file.limits;
        supports.limit(Limits {
            rank,
            data_rank,
            target_ranks,
            target_types,
            attributes,
        });
        let folder = folder.canonicalize().unwrap_or(folder);
        let root = folder
            .parent()
            .and_then(Path::parent)
            .unwrap_or(Path::new("."));
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let installed = std::path::absolute(target.join("adapters").join(name)).unwrap_or(target);
        let mut adapter = Self {
            name: full_name.to_owned(),
            configurations: if configuration.is_none() {
                configurations
            } else {
                Vec::new()
            },
            about: file.about,
            issues: file.issues,
            supports,
            python: file.install.python,
            install_commands: Vec::new(),
            memory: memory_mib.map(|mib| mib.saturating_mul(1 << 20)),
            command: file.command,
            environment: file.environment,
            folder,
            installed,
        };
        let fill = |command: &Vec<String>| command.iter().map(|text| adapter.fill(text)).collect();
        adapter.install_commands = file.install.commands.iter().map(fill).collect();
        Ok(adapter)
    }

    /// A text of the manifest with its folders filled in.
    fn fill(&self, text: &str) -> String {
        let kits = self
            .folder
            .parent()
            .map(|adapters| adapters.join("kit"))
            .unwrap_or_default();
        let text = text.replace("{env}", &self.installed.to_string_lossy());
        text.replace("{adapter}", &self.folder.to_string_lossy())
            .replace("{kits}", &kits.to_string_lossy())
    }

    /// Where `cargo xtask adapters` installs what it needs.
    #[must_use]
    pub fn installed(&self) -> &Path {
        &self.installed
    }

    /// What it is known to get wrong: `known-failures.yaml` in its folder, or where that would be; for a configuration
    /// `known-failures.<configuration>.yaml`.
    #[must_use]
    pub fn known_failures_path(&self) -> PathBuf {
        match self.name.split_once(':') {
            Some((_, configuration)) => self
                .folder
                .join(format!("known-failures.{configuration}.yaml")),
            None => self.folder.join("known-failures.yaml"),
        }
    }

    /// How to start it.
    ///
    /// # Errors
    /// When it is not installed.
    pub fn options(&self, timeout: Duration) -> Result<ProcessOptions, Error> {
        let command: Vec<_> = self.command.iter().map(|text| self.fill(text)).collect();
        let program = command.first().map(Path::new).unwrap_or(Path::new(""));
        if program.is_absolute() && !program.exists() {
            let name = self.name.split(':').next().unwrap_or_default();
            let what = format!(
                "is not available: {} is not there; run `cargo xtask adapters {name}`",
                program.display()
            );
            return Err(Error::AdapterStart {
                adapter: self.name.clone(),
                what,
            });
        }
        let environment = self
            .environment
            .iter()
            .map(|(name, value)| (name.clone(), self.fill(value)))
            .collect();
        let (label, folder, manifest) = (
            self.name.clone(),
            Some(self.folder.clone()),
            Some(self.supports.clone()),
        );
        Ok(ProcessOptions {
            label,
            command,
            environment,
            folder,
            timeout,
            memory: self.memory,
            manifest,
        })
    }

    /// Starts it.
    ///
    /// # Errors
    /// When it is not installed, does not start, or does not say what its manifest says.
    pub fn start(&self, timeout: Duration) -> Result<ProcessBackend, Error> {
        ProcessBackend::start(self.options(timeout)?)
    }
}

fn add(supports: &mut Supports, entry: &FileSupports) -> Result<(), String> {
    for selector in &entry.operators {
        let selector: Selector = selector.parse().map_err(|error| format!("{error}"))?;
        for operator in selector.operators() {
            let bindings: Vec<Binding> = if entry.bindings.0 == ["all"] {
                operator.bindings.to_vec()
            } else {
                entry
                    .bindings
                    .0
                    .iter()
                    .map(|name| name.parse().map_err(|error| format!("{error}")))
                    .collect::<Result<_, _>>()?
            };
            supports.add(
                operator,
                &wire::element_types(&entry.element_types.0, operator)?,
                &bindings,
            );
            for (name, values) in &entry.attributes {
                supports.limit_attribute(operator, name, values.clone());
            }
        }
    }
    Ok(())
}

/// The names of the adapters in a folder.
#[must_use]
pub fn known_adapters(adapters: &Path) -> Vec<String> {
    let entries = adapters.read_dir().into_iter().flatten().flatten();
    let with_manifest = entries.filter(|entry| entry.path().join("adapter.yaml").is_file());
    let mut names: Vec<_> = with_manifest
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The nearest folder `adapters` from here upward, or the one of the tree this crate was built from.
#[must_use]
pub fn find_adapters_folder() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let near = here
        .ancestors()
        .map(|folder| folder.join("adapters"))
        .find(|folder| folder.is_dir());
    near.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("adapters"))
}
