//! `lint-model`: what the texts say about the Reshapes of a model, and which backends answer them differently.

use super::exit_code;
use super::participants::find_known_failures;
use crate::backend::{Adapter, all_adapters, find_adapters_folder};
use crate::error::Error;
use crate::model::found::{Found, FoundNode, NoNode, Stated};
use crate::model::surroundings::Surrounding;
use crate::report::diff::description;
use crate::report::explanation::{asks, asks_for};
use crate::report::number::{counted, grouped};
use crate::report::style::{BAD, DIM, GOOD, NOTE, out, paint, tame, tame_line};
use crate::run::alike::{Known, KnownBackend, KnownMatch};
use crate::semantics::operator::{OPERATORS, Operator, TargetSource};
use crate::semantics::oracle::{Resolution, clauses, resolve};
use crate::semantics::request::Request;
use crate::suite::Suite;
use crate::suite::case::Expectation;
use crate::suite::exchange::read_model;
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use clap::Args;
use std::collections::HashMap;
use std::path::PathBuf;

/// Show which Reshapes of a model are invalid, left open by the text, or known to be answered differently by a backend.
///
/// The exit code is 100 if a Reshape is invalid, or if the model declares another output shape than the text requires.
#[derive(Debug, Args)]
pub(super) struct LintModelArgs {
    /// Models (.onnx, OpenVINO's .xml, oneDNN's graph .json)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The folder of the adapters and their known failures [default: the nearest folder `adapters`, here or in a folder
    /// above, else the adapters built into this program]
    #[arg(long, value_name = "FOLDER")]
    adapters: Option<PathBuf>,
    /// Also list Reshapes that are valid and not known to be answered differently
    #[arg(long, short)]
    verbose: bool,
}

/// What the text says about a Reshape, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Validity {
    Valid,
    Open,
    Invalid,
}

/// The number of Reshapes of each kind.
#[derive(Debug, Default)]
struct Tally {
    valid: usize,
    invalid: usize,
    open: usize,
    /// Those that are valid for some dims but not for all.
    conditional: usize,
    /// Those about which nothing is decided, and the first of them with the reason.
    unknown: usize,
    first_unknown: String,
    /// Among all of these, those that a backend is known to answer differently.
    differently: usize,
}

/// Reshapes with the same remarks.
struct Kind {
    /// The remarks about the first.
    lines: Vec<String>,
    /// The names of some of the others.
    names: Vec<String>,
    others: usize,
}

/// The remarks about a file, each kind once.
#[derive(Default)]
struct Kinds {
    all: Vec<Kind>,
    places: HashMap<String, usize>,
}

/// The most names of Reshapes of one kind.
const MAX_NAMES: usize = 5;

pub(super) fn run(arguments: &LintModelArgs) -> Result<u8, Error> {
    let files = arguments.files.iter();
    let models: Vec<_> = files.map(|file| (file, read_model(file))).collect();
    let suite = Suite::built_in()?;
    let plan = Plan::new(&suite, &comparable(&models)?, None);
    let mut known = Known::new(backends(arguments)?, plan.trials());
    let mut code = exit_code::AS_EXPECTED;
    let mut unread = None;
    for (file, found) in models {
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                unread = Some(exit_code::after_error(&error));
                continue;
            }
        };
        let (mut tally, mut kinds) = (Tally::default(), Kinds::default());
        for found in &found {
            look(&mut known, found, arguments.verbose, &mut tally, &mut kinds);
        }
        kinds.print();
        out(tally.in_words(&file.display().to_string()));
        if tally.invalid > 0 {
            code = exit_code::FAILURES;
        }
    }
    Ok(unread.unwrap_or(code))
}

/// The trials to compare the nodes of models with: those of their operators, and of others with the same rules.
fn comparable(models: &[(&PathBuf, Result<Vec<Found>, Error>)]) -> Result<Selection, Error> {
    let found = models.iter().filter_map(|(_, found)| found.as_ref().ok());
    let own = found.flatten().flat_map(|found| match &found.node {
        Ok(node) => node.operators.clone(),
        Err(NoNode::Stated(stated)) => vec![stated.request.known.operator],
        Err(NoNode::Unknown(_) | NoNode::Malformed(_)) => Vec::new(),
    });
    let own: Vec<_> = own.collect();
    let is_alike = |of: &&Operator| own.iter().any(|own| of.has_rules_of(own));
    let operators = OPERATORS.iter().filter(is_alike);
    Selection::new(&[], false, Some(operators.collect())).map_err(Error::Usage)
}

/// The adapters with known failures: those of a folder, or those built into this program.
fn backends(arguments: &LintModelArgs) -> Result<Vec<KnownBackend>, Error> {
    let folder = match &arguments.adapters {
        Some(folder) if !folder.is_dir() => {
            let why = format!("no such folder: {}", folder.display());
            return Err(Error::Usage(why));
        }
        Some(folder) => folder.clone(),
        None => find_adapters_folder(),
    };
    let mut backends = Vec::new();
    for name in all_adapters(&folder)? {
        let adapter = Adapter::read(&folder, &name)?;
        let known = find_known_failures(&adapter.known_failures_path())?;
        // A function that is only similar violates no clause.
        let known = known.filter(|_| !adapter.supports.only_similar);
        backends.extend(known.map(|known| KnownBackend {
            name: adapter.name,
            supports: adapter.supports,
            known,
        }));
    }
    Ok(backends)
}

impl Kinds {
    /// Adds a Reshape with these remarks, unless an earlier one has the same.
    fn add(&mut self, key: String, name: &str, lines: Vec<String>) {
        let Some(kind) = self.places.get(&key).and_then(|at| self.all.get_mut(*at)) else {
            self.places.insert(key, self.all.len());
            self.all.push(Kind {
                lines,
                names: Vec::new(),
                others: 0,
            });
            return;
        };
        kind.others += 1;
        if kind.names.len() < MAX_NAMES {
            kind.names.push(name.to_owned());
        }
    }

    fn print(self) {
        for kind in self.all {
            kind.lines.into_iter().for_each(out);
            if kind.others > 0 {
                let has_more = kind.others > kind.names.len();
                let more = if has_more { ", …" } else { "" };
                let (others, names) = (grouped(kind.others), kind.names.join(", "));
                out(format!("  and {others} more like it: {names}{more}"));
            }
        }
    }
}

impl Tally {
    fn in_words(&self, file: &str) -> String {
        let all = self.valid + self.invalid + self.open + self.conditional + self.unknown;
        let (valid, invalid, open) = (self.valid, self.invalid, self.open);
        let mut text = format!(
            "{file}: {}: {valid} valid, {invalid} invalid, {open} open",
            counted(all, "Reshape")
        );
        if self.conditional > 0 {
            text += &format!(", {} valid under a condition", self.conditional);
        }
        if self.unknown > 0 {
            let (unknown, first) = (self.unknown, &self.first_unknown);
            text += &format!(", {unknown} unknown before the model runs, such as {first}");
        }
        if self.differently > 0 {
            let differently = self.differently;
            text += &format!("; {differently} known to be answered differently by a backend");
        }
        text
    }
}

/// Notes the remarks about a Reshape, and counts it.
fn look(known: &mut Known<'_>, found: &Found, verbose: bool, tally: &mut Tally, kinds: &mut Kinds) {
    let name = tame_line(&found.name);
    // A verbose list names every one.
    let own = verbose.then(|| format!("{name} {}", kinds.all.len()));
    let own = own.unwrap_or_default();
    let node = match &found.node {
        Ok(node) => node,
        Err(NoNode::Malformed(why)) => {
            tally.invalid += 1;
            let line = format!("{} {name}: {}", paint(BAD, "invalid"), tame(why));
            return kinds.add(format!("{own}malformed {why}"), &name, vec![line]);
        }
        Err(NoNode::Stated(stated)) => {
            let around = &found.around;
            return look_at_all_dims(known, stated, around, verbose, [&own, &name], tally, kinds);
        }
        Err(NoNode::Unknown(why)) => {
            tally.unknown += 1;
            let description = format!("{name}: {}", tame(why));
            if tally.unknown == 1 {
                tally.first_unknown.clone_from(&description);
            }
            if verbose {
                let line = format!("{} {description}", paint(DIM, "unknown"));
                kinds.add(own, &name, vec![line]);
            }
            return;
        }
    };
    // A node of several operators counts once, by the worst of their answers.
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
        let differently = differently(known, node.source, node.dynamic, &found.around, &request);
        differs |= !differently.is_empty();
        if validity == Validity::Valid && differently.is_empty() && !verbose {
            continue;
        }
        let why = match &resolution {
            Resolution::Reshaped(_) => String::new(),
            Resolution::Rejected(reasons) => format!("{reasons:?}"),
            Resolution::Open { question, .. } => question.to_string(),
        };
        let mut lines = Vec::new();
        if validity != Validity::Valid {
            lines.extend(clauses(&request, &resolution).iter().map(description));
        }
        let key = format!("{own}{operator} {word} {why} {lines:?} {differently:?}");
        let asks = tame(&format!("{operator}, {}", asks(&request)));
        let mut all = vec![format!("{} {name}: {asks}", paint(style, word))];
        if validity != Validity::Valid {
            let expectation = Expectation::from(resolution.clone());
            all.push(format!("  the text: {}", expectation.in_full()));
        }
        all.extend(lines.iter().map(|line| format!("  {}", paint(DIM, line))));
        let more = declared.iter().chain(&differently);
        all.extend(more.map(|line| format!("  {line}")));
        kinds.add(key, &name, all);
    }
    *match worst {
        Validity::Valid => &mut tally.valid,
        Validity::Open => &mut tally.open,
        Validity::Invalid => &mut tally.invalid,
    } += 1;
    tally.differently += usize::from(differs);
}

/// Notes what the text says about a Reshape with unknown dims, and counts it.
fn look_at_all_dims(
    known: &mut Known<'_>,
    stated: &Stated,
    around: &[Surrounding],
    verbose: bool,
    [own, name]: [&str; 2],
    tally: &mut Tally,
    kinds: &mut Kinds,
) {
    let statement = &stated.statement;
    let (_, example) = &statement.example;
    let (count, word, style) = match statement.can_be() {
        _ if statement.is_valid() => (&mut tally.valid, "valid", GOOD),
        [true, _] => (&mut tally.conditional, "conditional", NOTE),
        [false, true] => (&mut tally.open, "open", NOTE),
        [false, false] => (&mut tally.invalid, "invalid", BAD),
    };
    *count += 1;
    let differently = differently(known, stated.source, true, around, example);
    tally.differently += usize::from(!differently.is_empty());
    if statement.is_valid() && differently.is_empty() && !verbose {
        return;
    }
    let asks = asks_for(&stated.request.known, stated.request.shapes());
    let asks = tame_line(&format!("{}, {asks}", example.operator));
    let mut lines = vec![
        format!("{} {name}: {asks}", paint(style, word)),
        tame_line(&format!("  the text: {statement}")),
    ];
    if let [false, _] = statement.can_be() {
        let clauses = clauses(example, &resolve(example));
        let clauses = clauses.iter().map(description);
        lines.extend(clauses.map(|clause| format!("  {}", paint(DIM, clause))));
    }
    let with = || tame_line(&format!("  {}:", statement.with()));
    lines.extend((!differently.is_empty()).then(with));
    lines.extend(differently.iter().map(|line| format!("  {line}")));
    kinds.add(format!("{own}{}", lines[1..].join("\n")), name, lines);
}

/// The remark that the model declares another output than the text requires.
fn declared_otherwise(node: &FoundNode, resolution: &Resolution) -> Option<String> {
    let (declared, Resolution::Reshaped(shape)) = (node.output.shape()?, resolution) else {
        return None;
    };
    (declared[..] != **shape).then(|| {
        format!("the model declares the output {declared:?}, but the text requires {shape:?}")
    })
}

/// The backends that are known to deviate from the text, a line each.
fn differently(
    known: &mut Known<'_>,
    source: TargetSource,
    dynamic: bool,
    around: &[Surrounding],
    request: &Request,
) -> Vec<String> {
    let bindings = request.operator.bindings.iter().copied();
    let bindings = bindings.filter(|of| of.dynamic() == dynamic);
    let first = |source| bindings.clone().find(|of| of.source() == source);
    let around = around.iter().filter_map(|of| {
        let binding = first(of.source(dynamic)?)?;
        Some((binding, Some(*of)))
    });
    let around: Vec<_> = around.collect();
    let line = |(backend, found): (&KnownBackend, Option<KnownMatch>)| {
        let found = found?;
        let about = [
            found.entry.cause,
            found.versions.map(|of| format!("versions {of}")),
        ];
        let about: Vec<_> = about.into_iter().flatten().collect();
        let place = found.surrounding;
        let place = place.map(|of| format!(" where {}", of.description()));
        Some(format!(
            "{}{}: {}\n    {} of the suite alike{}, such as {}; {}:{}",
            paint(NOTE, &backend.name),
            match &about[..] {
                [] => String::new(),
                about => format!(" ({})", about.join(", ")),
            },
            tame(&found.reason),
            counted(found.alike, "known failure"),
            place.unwrap_or_default(),
            found.example,
            found.entry.file,
            found.entry.line
        ))
    };
    let matches = known.matches(request, first(source), &around);
    matches.into_iter().filter_map(line).collect()
}
