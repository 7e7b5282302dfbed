//! `list`: the trials or cases that would run. `show`: everything about one case. Neither runs a backend.

use super::exit_code;
use super::selection::{SuiteArgs, selection};
use crate::backend::{Adapter, find_adapters_folder};
use crate::error::Error;
use crate::model::text;
use crate::names::{Joined, suggestion};
use crate::report::diff::description;
use crate::report::number::counted;
use crate::report::style::{STRONG, err, out, paint};
use crate::run::core::core_of;
use crate::semantics::operator::{Family, Selector};
use crate::suite::Suite;
use crate::suite::case::Case;
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use crate::suite::trial::Trial;
use crate::tensor::ElementType;
use clap::Args;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// List only trials whose name contains one of these texts, or matches one as a glob
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// Use only these operators; repeatable
    #[arg(long, value_name = "OPERATOR")]
    operator: Vec<Selector>,
    /// Only the core, in the order in which it runs
    #[arg(long)]
    core: bool,
    /// List cases, each with its number of trials
    #[arg(long = "by-case")]
    by_case: bool,
    /// List only trials that this adapter would be asked: those that its manifest claims, within its sample
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// The folder of the adapters [default: the nearest folder `adapters`, here or in a folder above]
    #[arg(long, value_name = "FOLDER", requires = "adapter")]
    adapters: Option<PathBuf>,
    #[command(flatten)]
    suite: SuiteArgs,
}

pub(super) fn run(arguments: &ListArgs) -> Result<u8, Error> {
    let mut selection = selection(&arguments.patterns, false, &arguments.operator)?;
    let suite = arguments.suite.load()?;
    selection.core = core_of(&suite, arguments.core)?;
    let mut cases: BTreeMap<String, usize> = BTreeMap::new();
    let mut plan = Plan::new(&suite, &selection, None).not_empty(&suite, &selection)?;
    if arguments.core {
        plan = plan.in_running_order(&selection);
    }
    for trial in arguments.asked(plan.trials().collect())? {
        if arguments.by_case {
            *cases.entry(trial.case.name.clone()).or_default() += 1;
        } else {
            out(trial);
        }
    }
    for case in suite.cases() {
        if let Some(count) = cases.get(&case.name) {
            let (line, _) = case.source.line_and_column(case.span.start);
            let (name, file) = (&case.name, &case.source.file);
            out(format!("{count:6}  {name}  ({file}:{line})"));
        }
    }
    Ok(exit_code::AS_EXPECTED)
}

impl ListArgs {
    /// The trials that the adapter is asked; all without an adapter. Prints how many its sample leaves out.
    fn asked<'a>(&self, trials: Vec<&'a Trial>) -> Result<Vec<&'a Trial>, Error> {
        let Some(name) = &self.adapter else {
            return Ok(trials);
        };
        let folder = self.adapters.clone();
        let adapter = Adapter::read(&folder.unwrap_or_else(find_adapters_folder), name)?;
        let claimed = trials.into_iter();
        let claimed: Vec<_> = claimed.filter(|of| adapter.supports.takes(of)).collect();
        // A trial that a pattern names is asked even outside the sample, as in `run`.
        let sample = adapter.supports.sample;
        let Some(sample) = sample.filter(|_| self.patterns.is_empty()) else {
            return Ok(claimed);
        };
        let all = counted(claimed.len(), "trial");
        let mut asked = claimed;
        asked.retain(|trial| sample.takes(&trial.to_string()));
        err(format!(
            "{name} is asked {} of the {all} that it claims, the core and a sample of {sample}",
            asked.len()
        ));
        Ok(asked)
    }
}

#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// The case's name
    case: String,
    #[command(flatten)]
    suite: SuiteArgs,
}

pub(super) fn show(arguments: &ShowArgs) -> Result<u8, Error> {
    let suite = arguments.suite.load()?;
    let case = find(&suite, &arguments.case)?;
    let (line, column) = case.source.line_and_column(case.span.start);
    let (name, file) = (paint(STRONG, &case.name), &case.source.file);
    out(format!("{name} ({file}:{line}:{column})"));
    if let Some(about) = &case.about {
        out(about);
    }
    let target = case.target.as_ref().map(ToString::to_string);
    let target = target.as_deref().unwrap_or("no target");
    out(format!("data {:?} to {target}", case.data_shape));
    let surrounded = format!("{}/*/*/*+*", case.name);
    let surrounded = Selection::new(&[surrounded], false, None).map_err(Error::Usage)?;
    let surrounded = Plan::new(&suite, &surrounded, None);
    for operator in &case.operators {
        let types = case.element_types(operator);
        let bindings: Vec<_> = case.bindings(operator).collect();
        let allowed = case.allows(operator, types.first().copied().unwrap_or(ElementType::F32));
        let (head, allowed) = (paint(STRONG, operator), allowed.in_full());
        out(format!("\n{head}: {allowed}"));
        let trials = counted(types.len() * bindings.len(), "trial");
        let (types, bindings) = (types.iter().joined(" "), bindings.iter().joined(" "));
        out(format!(
            "  {trials} of the node alone: {types} through {bindings}"
        ));
        let more = surrounded.trials().filter(|of| of.operator == *operator);
        match more.count() {
            0 => {}
            more => out(format!("  {} in surroundings", counted(more, "trial"))),
        }
        for (name, value) in &*case.request(operator, ElementType::F32).attributes {
            out(format!("  {name}={value}"));
        }
        for clause in case.clauses_of(operator) {
            out(format!("  {}", description(&clause)));
        }
    }
    renderings(case);
    Ok(exit_code::AS_EXPECTED)
}

/// The case in the syntax of each field, once for operators with the same syntax, with the first of the element types.
fn renderings(case: &Case) {
    let mut numpy = None;
    let mut seen: Vec<(Family, String)> = Vec::new();
    for operator in case.operators.iter().rev() {
        let types = case.element_types(operator);
        let request = case.request(operator, types.first().copied().unwrap_or(ElementType::F32));
        numpy = numpy.or_else(|| text::numpy(&request, case.content.is_by_index()));
        let expected = case.expectation(operator).shape();
        // The newest version of a family represents the older ones.
        if seen.iter().any(|(family, _)| *family == operator.family) {
            continue;
        }
        let head = paint(STRONG, format!("as {operator}"));
        let rendered = match text::rendered(&request, expected) {
            Ok(rendered) => format!("{head}\n{rendered}"),
            Err(why) => format!("{head}: not written; {why}"),
        };
        seen.push((operator.family, rendered));
    }
    for (_, rendered) in seen.iter().rev() {
        out(format!("\n{rendered}"));
    }
    if let Some(call) = numpy {
        out(format!("\n{}\n{call}", paint(STRONG, "as numpy")));
    }
}

/// The case with this name. The error names the nearest ones.
pub(super) fn find<'a>(suite: &'a Suite, name: &str) -> Result<&'a Arc<Case>, Error> {
    // A trial's name begins with its case's.
    let name = name.split('/').next().unwrap_or(name);
    suite.case(name).ok_or_else(|| {
        let names = suite.cases().iter().map(|case| case.name.as_str());
        let otherwise = "`list --by-case` shows them; `--cases FILE` takes others";
        let hint = suggestion(name, names, otherwise);
        let (place, count) = (suite.place(), counted(suite.cases().len(), "case"));
        Error::Usage(format!("no case '{name}' in {place} ({count}); {hint}"))
    })
}
