//! The format of `adapter.yaml`, which `docs/adapters.md` documents.

use crate::backend::claims::{Claim, each_named};
use crate::backend::declaration::{Declaration, Interface, ModelFormat};
use crate::backend::supports::Limits;
use crate::error::{Error, Source};
use crate::names::UnknownName;
use crate::suite::partition::Sample;
use crate::yaml::read::{Read, each, flag, one, text};
#[cfg(test)]
use crate::yaml::schema::{boolean, list, map_of, string, strings, titled};
use crate::yaml::{self, Faults, Node, Value, mapping};
use std::collections::BTreeMap;
use std::ops::Range;

mapping! {
    /// A manifest.
    pub(super) struct FileManifest, "a manifest", "" {
        /// The name of the folder.
        pub name: (String, Range<usize>) = required(placed, string()),
        /// What the adapter connects, in a sentence.
        pub about: String = required(text, string()),
        /// Where to report faults of the backend.
        pub issues: Option<String> = optional(text, string()),
        /// What to install.
        pub install: FileInstall = optional(FileInstall::read, FileInstall::schema()),
        /// The program to start, and its arguments.
        pub command: Vec<String> = required(program("`command`", FOLDERS), strings()),
        /// The command that runs the reproducer of a cause, without this suite.
        pub reproduce: Vec<String> = optional(reproduce, strings()),
        /// Environment variables of the program.
        pub environment: BTreeMap<String, String> = optional(each_named(template(FOLDERS)), map_of(string())),
        /// The model in a `compile`: none, onnx or openvino-ir.
        model: ModelFormat = required(one::<ModelFormat>("a model format"), ModelFormat::schema()),
        /// Whether the backend only infers shapes.
        infer_only: bool = optional(flag, boolean()),
        /// Whether `compiled` reports the inferred shape, even of data that is too large to materialize.
        infers: bool = optional(flag, boolean()),
        /// Whether several threads may run one compiled model concurrently.
        concurrent_runs: bool = optional(flag, boolean()),
        /// Whether it is only similar to the operators, and violates no clause.
        only_similar: bool = optional(flag, boolean()),
        /// Whether it rewrites models, which another backend runs.
        rewrites: bool = optional(flag, boolean()),
        /// What cannot be passed to the backend.
        pub limits: Limits = optional(Limits::read, Limits::schema()),
        /// The sample of its claim that it is asked, such as 1/16; by default, everything.
        sample: Option<Sample> = optional(one::<Sample>("a sample"), string()),
        /// What the backend claims to support.
        supports: Vec<Claim> = required(each(Claim::read), list(Claim::schema())),
        /// The same installation with other settings, each under its name.
        pub configurations: BTreeMap<String, FileConfiguration> =
            optional(each_named(FileConfiguration::read), map_of(FileConfiguration::schema())),
    }
}

mapping! {
    /// What to install.
    pub(super) struct FileInstall, "`install`", "" {
        /// Python packages, pinned.
        pub python: Vec<String> = optional(each(pinned), strings()),
        /// The oldest Python that they support, such as 3.11.
        pub oldest_python: Option<(u32, u32)> = optional(python_version, string()),
        /// Commands that install the rest, in order.
        pub commands: Vec<Vec<String>> = optional(each(program("a command", FOLDERS)), list(strings())),
    }
}

mapping! {
    /// A configuration: the same installation with other settings. `None` means the manifest's setting.
    pub(super) struct FileConfiguration, "a configuration", "" {
        /// What is special about it, in a sentence.
        about: String = required(text, string()),
        /// More environment variables.
        environment: BTreeMap<String, String> = optional(each_named(template(FOLDERS)), map_of(string())),
        /// The model in a `compile`.
        model: Option<ModelFormat> = optional(one::<ModelFormat>("a model format"), ModelFormat::schema()),
        /// What is supported, instead of the manifest's.
        supports: Option<Vec<Claim>> = optional(each(Claim::read), list(Claim::schema())),
    }
}

impl FileManifest {
    /// Reads a manifest. The error has every fault in it.
    pub(super) fn of(source: &Source) -> Result<Self, Error> {
        let document = yaml::tree(source)?;
        let mut faults = Faults::new(source, "docs/adapters.md");
        let manifest = Self::read(&mut faults, &document, "");
        faults.found.sort_by_key(|fault| fault.span.start);
        Error::if_any(faults.found)?;
        Ok(manifest.unwrap_or_default())
    }

    /// Applies a configuration to the manifest. Returns `None` if there is no configuration with this name.
    pub(super) fn configure(&mut self, configuration: &str) -> Option<()> {
        let of = self.configurations.remove(configuration)?;
        self.about = of.about;
        self.environment.extend(of.environment);
        self.model = of.model.unwrap_or(self.model);
        let supports = of.supports;
        self.supports = supports.unwrap_or_else(|| std::mem::take(&mut self.supports));
        Some(())
    }

    /// The capabilities and limits, and how the backend is reached.
    pub(super) fn declaration(&self) -> Declaration {
        let interface = Interface {
            model: self.model,
            infer_only: self.infer_only,
            infers: self.infers,
            concurrent_runs: self.concurrent_runs,
            claims_nothing: false,
        };
        let mut of = Declaration::of(interface, &self.supports, self.limits.clone());
        of.supports.only_similar = self.only_similar;
        of.supports.rewrites = self.rewrites;
        of.supports.sample = self.sample;
        of
    }
}

fn placed(faults: &mut Faults<'_>, node: &Node, name: &str) -> Option<(String, Range<usize>)> {
    text(faults, node, name).map(|text| (text, node.span()))
}

fn python_version(faults: &mut Faults<'_>, node: &Node, name: &str) -> Option<(u32, u32)> {
    let text = text(faults, node, name)?;
    let numbers = text.split_once('.');
    let numbers = numbers.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    numbers.or_else(|| {
        let message = format!("'{text}' is no version of Python");
        let hint = "write two numbers in quotes, such as \"3.11\"";
        faults.wrong(node, message, hint)
    })
}

/// The names in braces that are replaced: by folders, and for a reproducer also by the id of the cause.
const FOLDERS: &[&str] = &["{env}", "{adapter}", "{kits}"];
const FOLDERS_AND_CAUSE: &[&str] = &["{env}", "{adapter}", "{kits}", "{cause}"];

/// A text in which each lowercase word in braces is one of `names`.
fn template(names: &'static [&'static str]) -> impl Read<String> {
    move |faults, node, _| {
        let text = text(faults, node, "")?;
        let words = text.split('{').skip(1);
        let words = words.filter_map(|rest| Some(rest.split_once('}')?.0));
        let is_word = |word: &&str| {
            let mut bytes = word.bytes();
            !word.is_empty() && bytes.all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        };
        let mut words = words.filter(is_word).map(|word| format!("{{{word}}}"));
        let Some(unknown) = words.find(|word| !names.contains(&word.as_str())) else {
            return Some(text);
        };
        let why = UnknownName {
            noun: "placeholder",
            text: unknown,
            names: names.to_vec(),
        };
        faults.wrong(node, why.to_string(), "")
    }
}

/// A program and its arguments.
fn program(noun: &'static str, names: &'static [&'static str]) -> impl Read<Vec<String>> {
    move |faults, node, name| {
        let what = match &node.value {
            Value::List(items) if !items.is_empty() => {
                return each(template(names))(faults, node, name);
            }
            Value::List(_) => "an empty one",
            Value::Scalar(_) | Value::Map(_) | Value::Nothing => node.what(),
        };
        let hint = "write the program, then each argument separately, such as `[python3, main.py]`";
        faults.wrong(node, format!("{noun} is a list, not {what}"), hint)
    }
}

/// The program that runs a reproducer. It receives the cause's id.
fn reproduce(faults: &mut Faults<'_>, node: &Node, name: &str) -> Option<Vec<String>> {
    let words = program("`reproduce`", FOLDERS_AND_CAUSE)(faults, node, name)?;
    if words.iter().any(|word| word.contains("{cause}")) {
        return Some(words);
    }
    let hint = "write it where the id of the cause belongs, such as `reproducers/{cause}.py`";
    faults.wrong(node, "`reproduce` has no {cause}", hint)
}

/// A Python package with its version.
fn pinned(faults: &mut Faults<'_>, node: &Node, _: &str) -> Option<String> {
    let text = text(faults, node, "")?;
    let is_version = |version: &str| {
        let mut bytes = version.bytes();
        !version.is_empty()
            && bytes.all(|byte| byte.is_ascii_alphanumeric() || b".+!-_".contains(&byte))
    };
    match text.split_once("==") {
        Some((name, version)) if !name.is_empty() && is_version(version) => Some(text),
        Some(_) | None => {
            let message = format!("'{text}' is not pinned to a version");
            let hint = "write `name==version`, such as `numpy==2.4.6`";
            faults.wrong(node, message, hint)
        }
    }
}

/// The JSON Schema of a manifest.
#[cfg(test)]
pub(crate) fn schema() -> serde_json::Value {
    titled("Manifest", FileManifest::schema())
}
