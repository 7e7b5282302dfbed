//! An adapter: its manifest, its folder, and how to start it.

use super::built_in;
use super::file::FileManifest;
use super::locate::{absolute, built_in_adapters, causes, installations, known_adapters};
use super::release::{Package, Registry};
use crate::backend::declaration::{Declaration, Interface};
use crate::backend::process::{ProcessBackend, ProcessOptions};
use crate::backend::supports::Supports;
use crate::error::{Error, Fault, Source, as_started};
use crate::names::Joined;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The Python of an installation, as manifests write it.
const PYTHON: &str = "{env}/bin/python";
/// The file in an installation that is there until it is complete.
pub const UNFINISHED: &str = "unfinished.txt";

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
    /// The oldest Python that its packages support, such as 3.11; `None` if the manifest names none.
    pub oldest_python: Option<(u32, u32)>,
    install_commands: Vec<Vec<String>>,
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
    /// Reads `<adapters>/<name>/adapter.yaml`, or the manifest of a built-in adapter if the folder has no such adapter.
    /// `name@release` has that release of the backend instead of the pinned one; `name:configuration` is that
    /// configuration.
    ///
    /// # Errors
    /// When there is no such adapter or configuration, it has no releases, or the manifest is wrong.
    pub fn read(adapters: &Path, full_name: &str) -> Result<Self, Error> {
        let (name, ..) = parts(full_name);
        Self::find(adapters, full_name)?.ok_or_else(|| unknown(adapters, name))
    }

    /// The same; `None` if there is no such adapter.
    pub(crate) fn find(adapters: &Path, full_name: &str) -> Result<Option<Self>, Error> {
        let (name, ..) = parts(full_name);
        for adapters in [adapters, &built_in_adapters()] {
            if is_folder_name(name)
                && let Some(source) = built_in::read(&adapters.join(name).join("adapter.yaml"))?
            {
                let folder = adapters.join(name);
                let folder = folder.canonicalize().unwrap_or(folder);
                return Self::of_manifest(&source, &folder, full_name).map(Some);
            }
        }
        Ok(None)
    }

    /// The adapter with this name, as this folder's manifest declares it.
    fn of_manifest(source: &Source, folder: &Path, full_name: &str) -> Result<Self, Error> {
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
        let installed = installations(folder.parent().unwrap_or(folder)).join(installation);
        let (declaration, memory) = (file.declaration(), file.limits.memory_mib);
        Ok(Self {
            name: full_name.to_owned(),
            about: file.about,
            configurations,
            issues: file.issues,
            supports: declaration.supports,
            python: install.python,
            oldest_python: install.oldest_python,
            install_commands: install.commands,
            interface: declaration.interface,
            memory: memory.map(|mib| mib.saturating_mul(1 << 20)),
            command: file.command,
            reproduce: file.reproduce,
            environment: file.environment,
            release: release.map(str::to_owned),
            package,
            installed,
            folder: folder.to_owned(),
        })
    }

    /// The same adapter, installed in this folder of installations.
    #[must_use]
    pub fn installed_under(mut self, installations: &Path) -> Self {
        let installations = absolute(installations);
        if let (Some(adapters), Some(name)) = (self.folder.parent(), self.folder.file_name())
            && built_in::installations(adapters).is_some()
        {
            self.folder = built_in::folder(&installations).join(name);
        }
        self.installed = installations.join(self.installation());
        self
    }

    /// Runs its shim by this Python, in which its packages are installed already.
    ///
    /// # Errors
    /// When its shim is no program of Python.
    pub fn with_python(mut self, python: &Path) -> Result<Self, Error> {
        let program = self.command.first_mut();
        let Some(program) = program.filter(|program| *program == PYTHON) else {
            return Err(Error::Usage(format!(
                "the adapter '{}' runs in no Python, so --python is not for it",
                self.name
            )));
        };
        // The folder in which it is started is another one, and a name alone is looked up in the PATH.
        *program = match python.components().count() {
            1 => python.to_string_lossy().into_owned(),
            _ => absolute(python).to_string_lossy().into_owned(),
        };
        Ok(self)
    }

    /// The causes in its known failures, of all configurations, but those of some releases alone.
    ///
    /// # Errors
    /// When a known-failures file is unreadable.
    pub fn causes(&self) -> Result<BTreeSet<String>, Error> {
        causes(&self.folder)
    }

    /// The program that shows a cause in the backend's own API, without this suite; `None` if the manifest names no
    /// program. The cause of another adapter (`openvino/counts-wrap`) still goes through this backend.
    #[must_use]
    pub fn reproducer(&self, cause: &str) -> Option<Command> {
        let words = self.reproduce.iter();
        let cause = cause.rsplit('/').next().unwrap_or(cause);
        let words = words.map(|word| self.fill(word).replace("{cause}", cause));
        let words: Vec<_> = words.collect();
        let (program, arguments) = words.split_first()?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .envs(self.environment())
            .current_dir(&self.folder);
        Some(command)
    }

    /// The environment variables of its program.
    fn environment(&self) -> BTreeMap<String, String> {
        let variables = self.environment.iter();
        let variables = variables.map(|(name, value)| (name.clone(), self.fill(value)));
        variables.collect()
    }

    fn fill_all(&self, texts: &[String]) -> Vec<String> {
        texts.iter().map(|text| self.fill(text)).collect()
    }

    /// A text of the manifest with `{env}`, `{adapter}` and `{kits}` replaced by their folders.
    fn fill(&self, text: &str) -> String {
        let text = match text.strip_prefix(PYTHON) {
            Some(rest) if cfg!(windows) => format!("{{env}}/Scripts/python.exe{rest}"),
            Some(_) | None => text.to_owned(),
        };
        let adapter = self.copy().unwrap_or_else(|| self.folder.clone());
        let kits = self.adapters().join("kit");
        text.replace("{env}", &self.installed.to_string_lossy())
            .replace("{adapter}", &adapter.to_string_lossy())
            .replace("{kits}", &kits.to_string_lossy())
    }

    /// The folder into which it is installed.
    pub fn installed(&self) -> &Path {
        &self.installed
    }

    /// The folder that holds its folder and the kits.
    pub fn adapters(&self) -> &Path {
        self.folder.parent().unwrap_or(&self.folder)
    }

    /// The copy of its folder in which it is built, if it is built by cargo: in a copy of the workspace around it.
    pub fn copy(&self) -> Option<PathBuf> {
        let package = self.package.as_ref()?;
        let name = self.folder.file_name()?;
        (package.registry == Registry::Crates).then(|| self.installed.join("adapters").join(name))
    }

    /// Commands that install what is no package of Python, in order.
    pub fn install_commands(&self) -> Vec<Vec<String>> {
        let commands = self.install_commands.iter();
        commands.map(|command| self.fill_all(command)).collect()
    }

    /// The packages and commands of the manifest that install it, one a line: equal if an installation is up to date.
    pub fn recipe(&self) -> String {
        let commands = self.install_commands.iter();
        let commands = commands.map(|command| command.join(" "));
        self.python.iter().cloned().chain(commands).joined("\n")
    }

    /// Its packages of Python with all that they depend on, as its `requirements.txt` locks them with their checksums. `None`
    /// without one, or for another release than the pinned one.
    ///
    /// # Errors
    /// When the file cannot be read, or lacks a package.
    pub fn locked(&self) -> Result<Option<Vec<String>>, Error> {
        let file = self.requirements();
        let source = match self.release {
            Some(_) => None,
            None => built_in::read(&file)?,
        };
        let Some(source) = source else {
            return Ok(None);
        };
        let names = source.text.lines();
        let names = names.filter_map(|line| line.split([' ', ';']).next());
        let names = names.filter(|word| word.contains("==")).map(str::to_owned);
        let names: Vec<_> = names.collect();
        // Letters and separators of a name count as one.
        let normal = |package: &String| package.to_lowercase().replace('_', "-");
        let locked: BTreeSet<_> = names.iter().map(normal).collect();
        let mut packages = self.python.iter();
        match packages.find(|package| !locked.contains(&normal(package))) {
            Some(lacking) => Err(Error::Usage(format!(
                "{} lacks {lacking}; `cargo xtask lock {}` writes it",
                file.display(),
                self.installation()
            ))),
            None => Ok(Some(names)),
        }
    }

    /// The path of the file that locks its packages of Python, whether it exists or not.
    pub fn requirements(&self) -> PathBuf {
        self.folder.join("requirements.txt")
    }

    /// Writes its folder and the kits to the disk, if it is an adapter of this program.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn unpack(&self) -> Result<(), Error> {
        built_in::unpack(self.adapters())
    }

    /// Whether it is part of this program, so that nothing in its folder is to be changed.
    pub fn is_built_in(&self) -> bool {
        built_in::installations(self.adapters()).is_some()
    }

    /// The path of its known failures, whether or not the file exists: `known-failures.yaml` in its folder, for a
    /// configuration `known-failures.<configuration>.yaml`.
    pub fn known_failures_path(&self) -> PathBuf {
        self.folder.join(match self.name.split_once(':') {
            Some((_, configuration)) => format!("known-failures.{configuration}.yaml"),
            None => "known-failures.yaml".to_owned(),
        })
    }

    /// The name of its installation, which its configurations share: its own without `:configuration`.
    pub fn installation(&self) -> &str {
        self.name.split(':').next().unwrap_or_default()
    }

    /// Whether the program of its command is there, and completely installed.
    pub fn is_available(&self) -> bool {
        let program = self.command.first().map(|program| self.fill(program));
        let program = PathBuf::from(program.unwrap_or_default());
        let is_installed_in = program.starts_with(&self.installed);
        let is_unfinished = is_installed_in && self.installed.join(UNFINISHED).exists();
        !is_unfinished && (program.is_relative() || program.exists())
    }

    /// How to start it.
    ///
    /// # Errors
    /// When it is not installed.
    pub fn options(&self, timeout: Duration) -> Result<ProcessOptions, Error> {
        let command = self.fill_all(&self.command);
        let program = command.first().map(Path::new).unwrap_or(Path::new(""));
        if !self.is_available() {
            let dir = self.installed.parent().unwrap_or(&self.installed);
            let dir = match dir == installations(self.adapters()) {
                true => String::new(),
                false => format!(" --dir {}", dir.display()),
            };
            let name = self.installation();
            let what = format!(
                "is not available: {} does not exist, or its installation is not complete; run `{}`",
                program.display(),
                as_started(&format!("reshape-conformance adapters install {name}{dir}"))
            );
            return Err(Error::AdapterStart {
                adapter: self.name.clone(),
                what,
            });
        }
        self.unpack()?;
        Ok(ProcessOptions {
            environment: self.environment(),
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
    fn split(name: &str, sign: char) -> (&str, Option<&str>) {
        let parts = name.split_once(sign);
        parts.map_or((name, None), |(name, rest)| (name, Some(rest)))
    }
    let (installation, configuration) = split(full_name, ':');
    let (name, release) = split(installation, '@');
    (name, release, configuration)
}

/// Every adapter, each followed by its configurations.
pub(crate) fn all_adapters(folder: &Path) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for name in known_adapters(folder) {
        let adapter = Adapter::read(folder, &name)?;
        let configurations = adapter.configurations.iter();
        let configurations = configurations.map(|configuration| format!("{name}:{configuration}"));
        names.extend(std::iter::once(name.clone()).chain(configurations));
    }
    Ok(names)
}

/// Whether a text can be the name of an adapter's folder.
fn is_folder_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    !name.is_empty()
        && name != ".."
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

/// That there is no such adapter in a folder, and in the program.
fn unknown(adapters: &Path, name: &str) -> Error {
    if is_folder_name(name) && adapters.join(name).is_dir() {
        let path = adapters.join(name).join("adapter.yaml");
        let path = path.display();
        let why = format!("the adapter '{name}' has no manifest: {path} is not a file");
        return Error::Usage(why);
    }
    let mut known: BTreeSet<_> = known_adapters(adapters).into_iter().collect();
    known.extend(known_adapters(&built_in_adapters()));
    let place = match built_in::installations(adapters) {
        Some(_) => String::new(),
        None => format!(" in {} or in this program", adapters.display()),
    };
    let known = known.iter().joined(", ");
    Error::Usage(format!(
        "there is no adapter '{name}'{place}; there are: {known}; --adapters names another folder, --adapter-command a \
         program, and --gate uses the adapters of reshape-conformance.toml"
    ))
}
