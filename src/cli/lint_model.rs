//! `lint-model`: what the texts say of the Reshapes of a model, and which backends are known to answer them differently.

use super::exit_code;
use super::participants::{all_adapters, read_known_failures};
use crate::backend::{Adapter, find_adapters_folder};
use crate::error::Error;
use crate::model::found::{Found, FoundNode};
use crate::report::diff::says;
use crate::report::number::counted;
use crate::report::style::{BAD, DIM, GOOD, NOTE, out, paint, tame};
use crate::run::alike::{KnownBackend, alike, known_match};
use crate::spec::operator::{Binding, Operator};
use crate::spec::oracle::{Resolution, clauses, resolve};
use crate::spec::request::Request;
use crate::suite::Suite;
use crate::suite::case::Expectation;
use crate::suite::exchange::read_model;
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use crate::suite::trial::Trial;
use clap::Args;
use std::path::PathBuf;

/// Show which Reshapes of a model are invalid, left open by the text, or known to be answered differently by a backend.
///
/// The exit code is 100 if a Reshape is invalid, or if the model declares another output shape than the text gives.
#[derive(Debug, Args)]
pub(super) struct LintModelArgs {
    /// Models (.onnx, OpenVINO's .xml, oneDNN's graph .json)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The folder of the adapters, whose known failures are compared [default: the nearest folder `adapters`, here or in a folder above]
    #[arg(long, value_name = "FOLDER")]
    adapters: Option<PathBuf>,
    /// List the Reshapes too of which there is nothing to say
    #[arg(long, short)]
    verbose: bool,
}

/// What the text says of a Reshape, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Validity {
    Valid,
    Open,
    Invalid,
}

/// How many Reshapes are what.
#[derive(Debug, Default)]
struct Tally {
    valid: usize,
    invalid: usize,
    open: usize,
    unknown: usize,
    /// Of all of these, those that a backend is known to answer differently.
    differently: usize,
}

/// What Reshapes are compared with.
struct Known<'t> {
    trials: Vec<&'t Trial>,
    backends: Vec<KnownBackend>,
}

pub(super) fn run(arguments: &LintModelArgs) -> Result<u8, Error> {
    let suite = Suite::built_in()?;
    let plan = Plan::new(&suite, &Selection::default(), None);
    let known = Known {
        trials: plan.trials().collect(),
        backends: backends(arguments)?,
    };
    let mut code = exit_code::AS_EXPECTED;
    for file in &arguments.files {
        let found = read_model(file)?;
        let mut tally = Tally::default();
        for found in &found {
            print(&known, found, arguments.verbose, &mut tally);
        }
        out(tally.in_words(&file.display().to_string()));
        if tally.invalid > 0 {
            code = exit_code::FAILURES;
        }
    }
    if known.backends.is_empty() {
        out("there is no folder `adapters` here or above: no known failures were compared");
    }
    Ok(code)
}

/// The adapters that have known failures.
fn backends(arguments: &LintModelArgs) -> Result<Vec<KnownBackend>, Error> {
    let folder = arguments.adapters.clone();
    if let Some(folder) = folder.as_ref().filter(|folder| !folder.is_dir()) {
        let why = format!("there is no folder {}", folder.display());
        return Err(Error::Usage(why));
    }
    let folder = folder.unwrap_or_else(find_adapters_folder);
    let mut backends = Vec::new();
    if !folder.is_dir() {
        return Ok(backends);
    }
    for name in all_adapters(&folder)? {
        let adapter = Adapter::read(&folder, &name)?;
        let path = adapter.known_failures_path();
        // What a function does that is merely similar violates no clause.
        if path.is_file() && !adapter.supports.is_only_similar() {
            backends.push(KnownBackend {
                known: read_known_failures(&path)?,
                supports: adapter.supports,
                name,
            });
        }
    }
    Ok(backends)
}

impl Tally {
    fn in_words(&self, file: &str) -> String {
        let all = self.valid + self.invalid + self.open + self.unknown;
        let (valid, invalid, open) = (self.valid, self.invalid, self.open);
        let mut text = format!(
            "{file}: {}: {valid} valid, {invalid} invalid, {open} open",
            counted(all, "Reshape")
        );
        if self.unknown > 0 {
            text += &format!(", {} not known before the model runs", self.unknown);
        }
        if self.differently > 0 {
            let differently = self.differently;
            text += &format!("; {differently} known to be answered differently by a backend");
        }
        text
    }
}

/// Prints what there is to say of a Reshape, and counts it.
fn print(known: &Known<'_>, found: &Found, verbose: bool, tally: &mut Tally) {
    let name = tame(&found.name);
    let node = match &found.node {
        Ok(node) => node,
        Err(why) => {
            tally.unknown += 1;
            if verbose {
                out(format!("{} {name}: {}", paint(DIM, "unknown"), tame(why)));
            }
            return;
        }
    };
    // A node of several operators counts once, as the worst of what they say.
    let (mut worst, mut differs) = (Validity::Valid, false);
    for operator in &node.operators {
        let request = node.request(operator);
        let resolution = resolve(&request);
        let declared = declared_otherwise(node, &resolution);
        let (validity, word, style) = match &resolution {
            Resolution::Reshaped(_) if declared.is_none() => (Validity::Valid, "valid", GOOD),
            Resolution::Open { .. } => (Validity::Open, "open", NOTE),
            Resolution::Reshaped(_) | Resolution::Rejected(_) => {
                (Validity::Invalid, "invalid", BAD)
            }
        };
        worst = worst.max(validity);
        let differently = differently(known, node, operator, &request);
        differs |= !differently.is_empty();
        if validity == Validity::Valid && differently.is_empty() && !verbose {
            continue;
        }
        out(format!("{} {name}: {}", paint(style, word), asks(&request)));
        if validity != Validity::Valid {
            let expectation = Expectation::from(resolution.clone());
            out(format!("  the text: {}", expectation.in_full()));
            for clause in clauses(&request, &resolution) {
                out(format!("  {}", paint(DIM, says(&clause))));
            }
        }
        let lines = declared.iter().chain(&differently);
        lines.for_each(|line| out(format!("  {line}")));
    }
    *match worst {
        Validity::Valid => &mut tally.valid,
        Validity::Open => &mut tally.open,
        Validity::Invalid => &mut tally.invalid,
    } += 1;
    tally.differently += usize::from(differs);
}

/// The request in a line.
fn asks(request: &Request) -> String {
    let target = request.target.as_ref();
    let target = target.map_or_else(|| "no target".to_owned(), ToString::to_string);
    let attributes = request.attributes.iter();
    let attributes: Vec<_> = attributes
        .map(|(name, of)| format!(", {name}={of}"))
        .collect();
    let (operator, element_type) = (request.operator, request.element_type);
    tame(&format!(
        "{operator}, {element_type}{:?} to {target}{}",
        request.data_shape,
        attributes.concat()
    ))
}

/// That the model declares another output than the text gives.
fn declared_otherwise(node: &FoundNode, resolution: &Resolution) -> Option<String> {
    let (declared, Resolution::Reshaped(shape)) = (node.output.shape()?, resolution) else {
        return None;
    };
    (declared != shape)
        .then(|| format!("the model declares the output {declared:?}; the text gives {shape:?}"))
}

/// The backends that are known to answer otherwise than the text, a line each.
fn differently(
    known: &Known<'_>,
    node: &FoundNode,
    operator: &'static Operator,
    request: &Request,
) -> Vec<String> {
    let bindings = operator.bindings.iter().copied();
    let mut bindings =
        bindings.filter(|of| of.source() == node.source && of.dynamic() == node.dynamic);
    let Some(binding): Option<Binding> = bindings.next() else {
        return Vec::new();
    };
    let alike = alike(&known.trials, request, binding);
    let line = |backend: &KnownBackend| {
        let found = known_match(backend, &alike, request, binding)?;
        let cause = found.entry.cause.map(|cause| format!(" ({cause})"));
        Some(format!(
            "{}{}: {}\n    {} of the suite alike, such as {}; {}:{}",
            paint(NOTE, &backend.name),
            cause.unwrap_or_default(),
            tame(&found.reason),
            counted(found.alike, "known failure"),
            found.example,
            found.entry.file,
            found.entry.line
        ))
    };
    known.backends.iter().filter_map(line).collect()
}
