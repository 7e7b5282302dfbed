//! The format of `adapter.yaml`; `docs/adapters.md` is its manual.

use super::fields::{CONFIGURATION, INSTALL, LIMITS, MANIFEST, SUPPORTS};
use crate::backend::declaration::ModelFormat;
use crate::backend::supports::{CompiledOnly, Limits, Supports};
use crate::error::{Error, Source};
use crate::names::UnknownName;
use crate::spec::operator::{Binding, OPERATORS, Operator, Selector};
use crate::suite::sample::Sample;
use crate::tensor::ElementType;
use crate::yaml::{self, Faults, Kind, Mapping, Node, Value};
use std::collections::BTreeMap;
use std::ops::Range;

#[derive(Debug, Default)]
pub(super) struct FileManifest {
    pub name: String,
    pub name_span: Range<usize>,
    pub about: String,
    pub issues: Option<String>,
    pub python: Vec<String>,
    pub install_commands: Vec<Vec<String>>,
    pub command: Vec<String>,
    /// What runs the reproducer of a cause, without this suite.
    pub reproduce: Vec<String>,
    pub environment: BTreeMap<String, String>,
    pub model: ModelFormat,
    pub infer_only: bool,
    pub infers: bool,
    pub concurrent_runs: bool,
    only_similar: bool,
    limits: Limits,
    pub memory_mib: Option<u64>,
    /// The part of what it claims that it is asked, such as 1/16; all without it.
    sample: Option<Sample>,
    supports: Vec<FileSupports>,
    pub configurations: BTreeMap<String, FileConfiguration>,
}

/// A configuration: the same installation with other settings. What is `None` is as in the manifest.
#[derive(Debug)]
pub(super) struct FileConfiguration {
    about: String,
    environment: BTreeMap<String, String>,
    model: Option<ModelFormat>,
    supports: Option<Vec<FileSupports>>,
}

#[derive(Debug)]
struct FileSupports {
    operators: Vec<&'static Operator>,
    /// `None` for all that each operator has.
    element_types: Option<Vec<ElementType>>,
    /// `None` for all that each operator has.
    bindings: Option<Vec<Binding>>,
    attributes: BTreeMap<String, Vec<i64>>,
    limits: Limits,
}

impl FileManifest {
    /// Reads a manifest.
    ///
    /// # Errors
    /// Every fault in it.
    pub(super) fn read(source: &Source) -> Result<Self, Error> {
        let document = yaml::tree(source)?;
        let mut faults = Faults::new(source, "docs/adapters.md");
        let manifest = manifest(&mut faults, &document);
        if !faults.found.is_empty() {
            faults.found.sort_by_key(|fault| fault.span.start);
            return Err(Error::Faults(faults.found));
        }
        Ok(manifest.unwrap_or_default())
    }

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
    pub(super) fn supports(&self) -> Supports {
        let mut supports = Supports::default();
        for entry in &self.supports {
            for operator in &entry.operators {
                let types = entry.element_types.as_deref();
                let types = types.unwrap_or(operator.element_types);
                let bindings = entry.bindings.as_deref().unwrap_or(operator.bindings);
                let (attributes, limits) = (entry.attributes.clone(), entry.limits.clone());
                supports.add_limited(operator, types, bindings, attributes, limits);
            }
        }
        supports.limit(self.limits.clone());
        supports.set_only_similar(self.only_similar);
        let surroundings = self
            .model
            .surroundings(self.infer_only, self.concurrent_runs);
        supports.set_surroundings(surroundings);
        supports.set_compiled_only(CompiledOnly::of(self.infer_only, self.infers));
        supports.set_sample(self.sample);
        supports
    }
}

/// What could be read of a manifest.
fn manifest(faults: &mut Faults<'_>, node: &Node) -> Option<FileManifest> {
    let fields = Mapping::read(faults, node, "a manifest", MANIFEST, "")?;
    let mut manifest = FileManifest::default();
    if let Some(name) = fields.get("name") {
        manifest.name = text(faults, name).unwrap_or_default();
        manifest.name_span = name.span(faults.source);
    }
    manifest.about = read(faults, &fields, "about", text).unwrap_or_default();
    manifest.issues = read(faults, &fields, "issues", text);
    let install = fields.get("install");
    if let Some(install) =
        install.and_then(|node| Mapping::read(faults, node, "`install`", INSTALL, ""))
    {
        let python = read(faults, &install, "python", |faults, node| {
            let items = faults.list(node, "python")?;
            faults.each(items, pinned)
        });
        manifest.python = python.unwrap_or_default();
        let commands = read(faults, &install, "commands", |faults, node| {
            let items = faults.list(node, "commands")?;
            faults.each(items, |faults, node| {
                program(faults, node, "a command", FOLDERS)
            })
        });
        manifest.install_commands = commands.unwrap_or_default();
    }
    let command = read(faults, &fields, "command", |faults, node| {
        program(faults, node, "`command`", FOLDERS)
    });
    manifest.command = command.unwrap_or_default();
    manifest.reproduce = read(faults, &fields, "reproduce", reproduce).unwrap_or_default();
    manifest.environment = read(faults, &fields, "environment", environment).unwrap_or_default();
    manifest.model = read(faults, &fields, "model", model).unwrap_or_default();
    manifest.infer_only = read(faults, &fields, "infer_only", flag).unwrap_or_default();
    manifest.infers = read(faults, &fields, "infers", flag).unwrap_or_default();
    manifest.concurrent_runs = read(faults, &fields, "concurrent_runs", flag).unwrap_or_default();
    manifest.only_similar = read(faults, &fields, "only_similar", flag).unwrap_or_default();
    if let Some((limits, memory)) = read(faults, &fields, "limits", limits) {
        (manifest.limits, manifest.memory_mib) = (limits, memory);
    }
    manifest.sample = read(faults, &fields, "sample", |faults, node| {
        faults.named(node, "a sample")
    });
    manifest.supports = read(faults, &fields, "supports", all_supports).unwrap_or_default();
    let configurations = read(faults, &fields, "configurations", |faults, node| {
        named(faults, node, configuration)
    });
    manifest.configurations = configurations.unwrap_or_default();
    Some(manifest)
}

fn configuration(faults: &mut Faults<'_>, _: &Node, node: &Node) -> Option<FileConfiguration> {
    let fields = Mapping::read(faults, node, "a configuration", CONFIGURATION, "")?;
    Some(FileConfiguration {
        about: read(faults, &fields, "about", text).unwrap_or_default(),
        environment: read(faults, &fields, "environment", environment).unwrap_or_default(),
        model: read(faults, &fields, "model", model),
        supports: read(faults, &fields, "supports", all_supports),
    })
}

fn all_supports(faults: &mut Faults<'_>, node: &Node) -> Option<Vec<FileSupports>> {
    let items = faults.list(node, "supports")?;
    faults.each(items, supports)
}

fn supports(faults: &mut Faults<'_>, node: &Node) -> Option<FileSupports> {
    let fields = Mapping::read(
        faults,
        node,
        "an entry of `supports`",
        SUPPORTS,
        "operators",
    )?;
    let operators = read(faults, &fields, "operators", |faults, node| {
        faults.names::<Selector>(node, "operators", "an operator")
    });
    let element_types = read(faults, &fields, "element_types", |faults, node| {
        some_or_all(faults, node, "element_types", "an element type")
    });
    let bindings = read(faults, &fields, "bindings", |faults, node| {
        some_or_all(faults, node, "bindings", "a binding")
    });
    let attributes = read(faults, &fields, "attributes", |faults, node| {
        named(faults, node, attribute_values)
    });
    let limits = read(faults, &fields, "limits", |faults, node| {
        let (limits, memory) = limits(faults, node)?;
        if memory.is_some() {
            let message = "memory_mib is a limit of the whole process, not of an entry";
            return faults.wrong(node, message, "write it in the manifest's own `limits`");
        }
        Some(limits)
    });
    let operators = operators?.into_iter();
    Some(FileSupports {
        operators: operators
            .flat_map(|selector| selector.operators().to_vec())
            .collect(),
        element_types: element_types?,
        bindings: bindings?,
        attributes: attributes.unwrap_or_default(),
        limits: limits.unwrap_or_default(),
    })
}

/// Limits, and the most resident memory of the process in MiB.
fn limits(faults: &mut Faults<'_>, node: &Node) -> Option<(Limits, Option<u64>)> {
    let fields = Mapping::read(faults, node, "`limits`", LIMITS, "")?;
    let limits = Limits {
        rank: read(faults, &fields, "rank", number),
        data_rank: read(faults, &fields, "data_rank", number),
        target_ranks: read(faults, &fields, "target_ranks", |faults, node| {
            numbers(faults, node, "target_ranks")
        }),
        target_types: read(faults, &fields, "target_types", |faults, node| {
            faults.names(node, "target_types", "an element type")
        }),
        attributes: read(faults, &fields, "attributes", texts),
        target_values: read(faults, &fields, "target_values", |faults, node| {
            let both = numbers(faults, node, "target_values")?;
            let both: Option<[i128; 2]> = both.try_into().ok();
            let message = "`target_values` is the lowest and the highest target value";
            let both = both.filter(|[lowest, highest]| lowest <= highest);
            both.or_else(|| faults.wrong(node, message, "a list of two numbers, the lower first"))
        }),
        empty_data_ranks: read(faults, &fields, "empty_data_ranks", |faults, node| {
            numbers(faults, node, "empty_data_ranks")
        }),
        data_dim: read(faults, &fields, "data_dim", number),
        data_bytes: read(faults, &fields, "data_bytes", number),
        strings: read(faults, &fields, "strings", |faults, node| {
            faults.names(node, "strings", "a limit of strings")
        })
        .unwrap_or_default(),
        surroundings: read(faults, &fields, "surroundings", |faults, node| {
            faults.names(node, "surroundings", "a surrounding")
        }),
    };
    Some((limits, read(faults, &fields, "memory_mib", number)))
}

/// The value of a field; `None` without one, or if it is a fault.
fn read<T>(
    faults: &mut Faults<'_>,
    fields: &Mapping<'_>,
    name: &str,
    of: impl FnOnce(&mut Faults<'_>, &Node) -> Option<T>,
) -> Option<T> {
    fields.get(name).and_then(|node| of(faults, node))
}

/// A list of names, each read; or the word `all`, alone or as the only name, which is the inner `None`.
#[allow(clippy::option_option, reason = "`all` is one of the answers")]
fn some_or_all<T: std::str::FromStr<Err: std::fmt::Display>>(
    faults: &mut Faults<'_>,
    node: &Node,
    name: &str,
    noun: &str,
) -> Option<Option<Vec<T>>> {
    let is_all = |node: &Node| matches!(&node.value, Value::Scalar(of) if of.text == "all");
    if is_all(node) || matches!(node.items(), [only] if is_all(only)) {
        return Some(None);
    }
    faults.names(node, name, noun).map(Some)
}

/// The values of a mapping with any names, each read with its name.
fn named<T>(
    faults: &mut Faults<'_>,
    node: &Node,
    mut of: impl FnMut(&mut Faults<'_>, &Node, &Node) -> Option<T>,
) -> Option<BTreeMap<String, T>> {
    let Value::Map(pairs) = &node.value else {
        let message = format!("expected names with their values, not {}", node.what());
        return faults.wrong(node, message, "`name: value`, a line for each");
    };
    let mut all = BTreeMap::new();
    for (key, value) in pairs {
        let (name, value) = (text(faults, key), of(faults, key, value));
        let (Some(name), Some(value)) = (name, value) else {
            continue;
        };
        if all.insert(name.clone(), value).is_some() {
            faults.note(key, format!("a second `{name}`"), "a name stands once");
        }
    }
    Some(all)
}

fn environment(faults: &mut Faults<'_>, node: &Node) -> Option<BTreeMap<String, String>> {
    named(faults, node, |faults, _, value| {
        template(faults, value, FOLDERS)
    })
}

/// What is put in the place of its name in braces: folders, and for a reproducer also the id of the cause.
const FOLDERS: &[&str] = &["{env}", "{adapter}", "{kits}"];
const FOLDERS_AND_CAUSE: &[&str] = &["{env}", "{adapter}", "{kits}", "{cause}"];

/// A text in which each small word in braces is one of `names`.
fn template(
    faults: &mut Faults<'_>,
    node: &Node,
    names: &'static [&'static str],
) -> Option<String> {
    let text = text(faults, node)?;
    let words = text.split('{').skip(1);
    let words = words.filter_map(|rest| Some(rest.split_once('}')?.0));
    let is_word = |word: &&str| {
        let mut bytes = word.bytes();
        !word.is_empty() && bytes.all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    let mut words = words.filter(is_word).map(|word| format!("{{{word}}}"));
    match words.find(|word| !names.contains(&word.as_str())) {
        None => Some(text),
        Some(word) => {
            let why = UnknownName {
                noun: "placeholder",
                text: word,
                names: names.to_vec(),
            };
            faults.wrong(node, why.to_string(), "")
        }
    }
}

/// A program and its arguments.
fn program(
    faults: &mut Faults<'_>,
    node: &Node,
    noun: &str,
    names: &'static [&'static str],
) -> Option<Vec<String>> {
    let what = match &node.value {
        Value::List(items) if !items.is_empty() => {
            return faults.each(items, |faults, node| template(faults, node, names));
        }
        Value::List(_) => "an empty one",
        Value::Scalar(_) | Value::Map(_) | Value::Nothing => node.what(),
    };
    let hint = "the program, then each argument by itself, such as `[python3, main.py]`";
    faults.wrong(node, format!("{noun} is a list, not {what}"), hint)
}

/// The program that runs a reproducer: it is told which.
fn reproduce(faults: &mut Faults<'_>, node: &Node) -> Option<Vec<String>> {
    let words = program(faults, node, "`reproduce`", FOLDERS_AND_CAUSE)?;
    if words.iter().any(|word| word.contains("{cause}")) {
        return Some(words);
    }
    let hint = "write it where the id of the cause belongs, such as `reproducers/{cause}.py`";
    faults.wrong(node, "`reproduce` has no {cause}", hint)
}

/// A Python package with its version.
fn pinned(faults: &mut Faults<'_>, node: &Node) -> Option<String> {
    let text = text(faults, node)?;
    let is_version = |version: &str| {
        let mut bytes = version.bytes();
        !version.is_empty()
            && bytes.all(|byte| byte.is_ascii_alphanumeric() || b".+!-_".contains(&byte))
    };
    match text.split_once("==") {
        Some((name, version)) if !name.is_empty() && is_version(version) => Some(text),
        Some(_) | None => {
            let message = format!("'{text}' is not pinned to a version");
            faults.wrong(
                node,
                message,
                "write `name==version`, such as `numpy==2.4.6`",
            )
        }
    }
}

/// The values that an attribute may have.
fn attribute_values(faults: &mut Faults<'_>, key: &Node, node: &Node) -> Option<Vec<i64>> {
    let name = text(faults, key)?;
    let mut names: Vec<_> = OPERATORS
        .iter()
        .flat_map(|operator| operator.attributes())
        .collect();
    names.sort_unstable();
    names.dedup();
    if !names.contains(&name.as_str()) {
        let (noun, text) = ("attribute", name);
        let why = UnknownName { noun, text, names };
        return faults.wrong(key, why.to_string(), "");
    }
    numbers(faults, node, &name)
}

fn text(faults: &mut Faults<'_>, node: &Node) -> Option<String> {
    Some(faults.scalar(node, "the value")?.text.clone())
}

fn texts(faults: &mut Faults<'_>, node: &Node) -> Option<Vec<String>> {
    let Value::List(items) = &node.value else {
        let message = format!("expected a list, not {}", node.what());
        return faults.wrong(node, message, "`[a, b]`, or a line `- a` for each");
    };
    faults.each(items, text)
}

fn flag(faults: &mut Faults<'_>, node: &Node) -> Option<bool> {
    faults.flag(node, "the value")
}

fn number<T: TryFrom<i128>>(faults: &mut Faults<'_>, node: &Node) -> Option<T> {
    let scalar = faults.scalar(node, "a number")?;
    let number = match scalar.kind {
        Kind::Integer(value) => T::try_from(value).ok(),
        Kind::Text | Kind::Bool(_) | Kind::Float(_) => None,
    };
    let message = format!("'{}' is not a number that fits here", scalar.text);
    number.or_else(|| faults.wrong(node, message, "a whole number, without quotes"))
}

fn numbers<T: TryFrom<i128>>(faults: &mut Faults<'_>, node: &Node, name: &str) -> Option<Vec<T>> {
    let items = faults.list(node, name)?;
    faults.each(items, number)
}

fn model(faults: &mut Faults<'_>, node: &Node) -> Option<ModelFormat> {
    let text = &faults.scalar(node, "a model format")?.text;
    let mut all = [
        ModelFormat::None,
        ModelFormat::Onnx,
        ModelFormat::OpenvinoIr,
    ]
    .into_iter();
    let named = all.find(|format| format.name() == text);
    let message = format!("there is no model format '{text}'");
    named.or_else(|| faults.wrong(node, message, "one of none, onnx, openvino-ir"))
}

/// The JSON Schema of a manifest.
#[cfg(test)]
pub(crate) fn schema() -> serde_json::Value {
    use crate::yaml::schema::object;
    use serde_json::{Value as Json, json};
    let strings = || json!({ "type": "array", "items": { "type": "string" } });
    let texts = || json!({ "type": "object", "additionalProperties": { "type": "string" } });
    let names = || json!({ "anyOf": [{ "const": "all" }, strings()] });
    let limit = |name: &str| match name {
        "target_ranks" | "target_values" | "empty_data_ranks" => {
            json!({ "type": "array", "items": { "type": "integer" } })
        }
        "target_types" | "attributes" | "strings" | "surroundings" => strings(),
        _ => json!({ "type": "integer", "minimum": 0 }),
    };
    let supports_field = |name: &str| match name {
        "operators" => strings(),
        "attributes" => json!({
            "type": "object",
            "additionalProperties": { "type": "array", "items": { "type": "integer" } },
        }),
        "limits" => object(LIMITS, limit),
        _ => names(),
    };
    let common = |name: &str| -> Json {
        match name {
            "command" | "reproduce" => strings(),
            "environment" => texts(),
            "model" => json!({ "enum": ["none", "onnx", "openvino-ir"] }),
            "infer_only" | "infers" | "concurrent_runs" | "only_similar" => {
                json!({ "type": "boolean", "default": false })
            }
            "limits" => object(LIMITS, limit),
            "supports" => json!({ "type": "array", "items": object(SUPPORTS, supports_field) }),
            _ => json!({ "type": "string" }),
        }
    };
    let install = |name: &str| match name {
        "python" => strings(),
        _ => json!({ "type": "array", "items": strings() }),
    };
    let field = |name: &str| match name {
        "install" => object(INSTALL, install),
        "configurations" => json!({
            "type": "object",
            "additionalProperties": object(CONFIGURATION, common),
        }),
        _ => common(name),
    };
    let mut schema = object(MANIFEST, field);
    if let Json::Object(schema) = &mut schema {
        let id = "https://json-schema.org/draft/2020-12/schema";
        schema.insert("$schema".to_owned(), json!(id));
        schema.insert("title".to_owned(), json!("Manifest"));
    }
    schema
}
