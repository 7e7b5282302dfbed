//! An adapter: its manifest, its folder, and how to start it; and the adapters embedded in this crate.

use super::file::FileManifest;
use super::locate::{causes, is_in_reach, known_adapters};
use super::release::{Package, Registry};
use crate::backend::declaration::{Declaration, Interface};
use crate::backend::process::{ProcessBackend, ProcessOptions};
use crate::backend::supports::Supports;
use crate::error::{Error, Fault, Source};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// An adapter, as the manifest in its folder declares it.
#[derive(Debug, Clone)]
pub struct Adapter {
    /// The folder's name, `folder@release`, or either with `:configuration`.
    pub name: String,
    /// What the adapter connects, in one sentence.
    pub about: String,
    /// The names of its configurations; empty for a configuration.
    pub configurations: Vec<String>,
    /// Where to report faults of the backend; `None` if the manifest names no place.
    pub issues: Option<String>,
    /// The backend's capabilities.
    pub supports: Supports,
    /// Python packages to install, pinned.
    pub python: Vec<String>,
    /// The package that is the backend, if it is one.
    pub package: Option<Package>,
    /// The release to use instead of the pinned one.
    pub release: Option<String>,
    /// The copy of its folder that is built with another release of a crate, in a copy of the surrounding workspace.
    pub copy: Option<PathBuf>,
    /// Commands that install the rest, in order.
    pub install_commands: Vec<Vec<String>>,
    interface: Interface,
    /// The most resident memory, in bytes; `None` for no limit.
    memory: Option<u64>,
    command: Vec<String>,
    reproduce: Vec<String>,
    environment: BTreeMap<String, String>,
    folder: PathBuf,
    installed: PathBuf,
}

impl Adapter {
    /// Reads `<adapters>/<name>/adapter.yaml`. `name@release` has that release of the backend instead of the pinned
    /// one; `name:configuration` is that configuration.
    ///
    /// # Errors When there is no such adapter or configuration, it has no releases, or the manifest is wrong.
    pub fn read(adapters: &Path, full_name: &str) -> Result<Self, Error> {
        let (name, ..) = parts(full_name);
        let folder = adapters.join(name);
        let source = read_source(adapters, name, &folder.join("adapter.yaml"))?;
        let folder = folder.canonicalize().unwrap_or(folder);
        Self::of_manifest(&source, &folder, full_name)
    }

    /// The adapter with this name, as this folder's manifest declares it.
    ///
    /// # Errors When there is no such configuration, it has no releases, or the manifest is wrong.
    pub(super) fn of_manifest(
        source: &Source,
        folder: &Path,
        full_name: &str,
    ) -> Result<Self, Error> {
        let (name, release, configuration) = parts(full_name);
        let installation = full_name.split(':').next().unwrap_or_default();
        let mut file = FileManifest::of(source)?;
        let (own_name, span) = &file.name;
        if own_name != name {
            let message =
                format!("the adapter's name is '{own_name}', but its folder's is '{name}'");
            return Err(Fault::new(source, span.clone(), message).into());
        }
        let mut configurations: Vec<_> = file.configurations.keys().cloned().collect();
        if let Some(configuration) = configuration {
            file.configure(configuration).ok_or_else(|| {
                Error::Usage(format!(
                    "the adapter '{name}' has no configuration '{configuration}'; it has {configurations:?}"
                ))
            })?;
            configurations.clear();
        }
        let mut install = std::mem::take(&mut file.install);
        let package = Package::of(name, &install.python, &install.commands, folder);
        if let Some(release) = release {
            let package = package.as_ref().ok_or_else(|| {
                Error::Usage(format!(
                    "the adapter '{name}' has only one release: its backend is not a Python, cargo or npm package"
                ))
            })?;
            package.check(release)?;
            install.python = package.python(release, &install.python);
            package.commands(release, &mut install.commands);
        }
        let installed = installed_in(folder, installation);
        let is_crate = |package: &Package| package.registry == Registry::Crates;
        let copied = release.is_some() && package.as_ref().is_some_and(is_crate);
        let Declaration {
            supports,
            interface,
        } = file.declaration();
        let mut adapter = Self {
            name: full_name.to_owned(),
            about: file.about,
            configurations,
            issues: file.issues,
            supports,
            python: install.python,
            install_commands: Vec::new(),
            interface,
            memory: file
                .limits
                .memory_mib
                .map(|mib| mib.saturating_mul(1 << 20)),
            command: file.command,
            reproduce: file.reproduce,
            environment: file.environment,
            release: release.map(str::to_owned),
            package,
            copy: copied.then(|| installed.join("adapters").join(name)),
            installed,
            folder: folder.to_owned(),
        };
        let built = adapter.copy.as_deref().unwrap_or(folder).to_string_lossy();
        let built = |word: &String| adapter.fill(&word.replace("{adapter}", &built));
        let commands = install.commands.iter();
        let commands = commands.map(|command| command.iter().map(built).collect());
        adapter.install_commands = commands.collect();
        Ok(adapter)
    }

    /// The causes in its known failures, of all configurations.
    ///
    /// # Errors When a known-failures file is unreadable.
    pub fn causes(&self) -> Result<BTreeSet<String>, Error> {
        causes(&self.folder)
    }

    /// The program that shows a cause in the backend's own API, without this suite; `None` if the manifest names no
    /// program. The cause of another adapter (`openvino/counts-wrap`) still goes through this backend.
    #[must_use]
    pub fn reproducer(&self, cause: &str) -> Option<Command> {
        let words = self.reproduce.iter();
        let cause = cause.rsplit('/').next().unwrap_or(cause);
        let words: Vec<_> = words
            .map(|word| self.fill(word).replace("{cause}", cause))
            .collect();
        let (program, arguments) = words.split_first()?;
        let mut command = Command::new(program);
        let environment = self.environment.iter();
        command
            .args(arguments)
            .envs(environment.map(|(name, value)| (name, self.fill(value))))
            .current_dir(&self.folder);
        Some(command)
    }

    fn fill_all(&self, texts: &[String]) -> Vec<String> {
        texts.iter().map(|text| self.fill(text)).collect()
    }

    /// A text of the manifest with `{env}`, `{adapter}` and `{kits}` replaced by their folders.
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

    /// The folder into which `cargo xtask adapters` installs the adapter.
    #[must_use]
    pub fn installed(&self) -> &Path {
        &self.installed
    }

    /// The path of its known failures, whether or not the file exists: `known-failures.yaml` in its folder, for a
    /// configuration `known-failures.<configuration>.yaml`.
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
        let command = self.fill_all(&self.command);
        let program = command.first().map(Path::new).unwrap_or(Path::new(""));
        if program.is_absolute() && !program.exists() {
            let name = self.name.split(':').next().unwrap_or_default();
            let what = format!(
                "is not available: {} does not exist; run `cargo xtask adapters {name}`",
                program.display()
            );
            return Err(Error::AdapterStart {
                adapter: self.name.clone(),
                what,
            });
        }
        let environment = self.environment.iter();
        Ok(ProcessOptions {
            environment: environment
                .map(|(name, value)| (name.clone(), self.fill(value)))
                .collect(),
            folder: Some(self.folder.clone()),
            memory: self.memory,
            manifest: Some(Declaration {
                supports: self.supports.clone(),
                interface: self.interface,
            }),
            ..ProcessOptions::new(&self.name, command, timeout)
        })
    }

    /// Starts it.
    ///
    /// # Errors
    /// When it is not installed, does not start, or its handshake breaks the protocol or differs from the manifest.
    pub fn start(&self, timeout: Duration) -> Result<ProcessBackend, Error> {
        ProcessBackend::start(self.options(timeout)?)
    }
}

/// The parts of an adapter's name: the folder, the release, and the configuration.
fn parts(full_name: &str) -> (&str, Option<&str>, Option<&str>) {
    let (installation, configuration) = match full_name.split_once(':') {
        Some((name, configuration)) => (name, Some(configuration)),
        None => (full_name, None),
    };
    match installation.split_once('@') {
        Some((name, release)) => (name, Some(release), configuration),
        None => (installation, None, configuration),
    }
}

fn read_source(adapters: &Path, name: &str, path: &Path) -> Result<Source, Error> {
    let is_folder_name = !name.is_empty()
        && name != ".."
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    if !is_folder_name || !path.is_file() {
        if !is_in_reach(adapters) {
            return Err(Error::Usage(format!(
                "no adapter '{name}': there is no folder 'adapters' here or above; --adapters names a folder, \
                 --adapter-command a program, and --gate uses the adapters of reshape-conformance.toml"
            )));
        }
        if is_folder_name && adapters.join(name).is_dir() {
            let path = path.display();
            let why = format!("the adapter '{name}' has no manifest: {path} is not a file");
            return Err(Error::Usage(why));
        }
        let (folder, known) = (adapters.display(), known_adapters(adapters));
        let there = match known.is_empty() {
            true => "it contains no adapter".to_owned(),
            false => format!("it contains {}", known.join(", ")),
        };
        let why = format!("no adapter '{name}' in {folder}; {there}");
        return Err(Error::Usage(why));
    }
    Source::of_file(&path.to_string_lossy(), path)
}

/// The folder `adapters/<name>` in Cargo's target folder, of the tree that holds the adapters.
fn installed_in(folder: &Path, name: &str) -> PathBuf {
    let root = folder
        .parent()
        .and_then(Path::parent)
        .unwrap_or(Path::new("."));
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    std::path::absolute(target.join("adapters").join(name)).unwrap_or(target)
}

/// The adapters' manifests and known failures at build time, for users without a folder of adapters. `build.rs` copies
/// them, without the programs.
#[cfg(feature = "cli")]
static ADAPTERS: include_dir::Dir<'_> = include_dir::include_dir!("$OUT_DIR/adapters");

/// Each adapter and each of its configurations, with its known failures; `None` without known failures.
///
/// # Errors Every fault in a manifest.
#[cfg(feature = "cli")]
pub(crate) fn embedded_adapters() -> Result<Vec<(Adapter, Option<Source>)>, Error> {
    let mut adapters = Vec::new();
    for folder in ADAPTERS.dirs() {
        let name = folder.path().to_string_lossy();
        let source = |file: &Path| {
            let found = ADAPTERS.get_file(folder.path().join(file.file_name()?))?;
            let shown = format!("adapters/{}", found.path().display());
            Some(Source::new(&shown, found.contents_utf8()?))
        };
        let Some(manifest) = source(Path::new("adapter.yaml")) else {
            continue;
        };
        let shown = Path::new("adapters").join(folder.path());
        let adapter = Adapter::of_manifest(&manifest, &shown, &name)?;
        let configurations = adapter.configurations.clone();
        adapters.push(adapter);
        for configuration in configurations {
            let name = format!("{name}:{configuration}");
            adapters.push(Adapter::of_manifest(&manifest, &shown, &name)?);
        }
    }
    let known = |adapter: &Adapter| {
        let path = adapter.known_failures_path();
        let inside = path.strip_prefix("adapters").ok()?;
        let found = ADAPTERS.get_file(inside)?;
        Some(Source::new(&path.to_string_lossy(), found.contents_utf8()?))
    };
    let with_known = adapters.into_iter().map(|adapter| {
        let known = known(&adapter);
        (adapter, known)
    });
    Ok(with_known.collect())
}
