//! `mutants`: the suite on every mutant, and the cases that kill each.

use super::exit_code;
use super::run_args::workers;
use super::selection::SuiteArgs;
use crate::error::Error;
use crate::report::progress::Bar;
use crate::report::style::{BAD, DIM, GOOD, STRONG, out, paint};
use crate::run::core::core_of;
use crate::run::mutation::{self, Kills};
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use crate::verdict::mutant::{CATALOGUE, Mutant};
use clap::Args;

#[derive(Debug, Args)]
pub(super) struct MutantsArgs {
    /// Run only mutants whose name contains one of these texts
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// Only the core's trials
    #[arg(long)]
    core: bool,
    /// Name every case that kills a mutant
    #[arg(long, short)]
    verbose: bool,
    /// The number of workers [default: one for each core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    #[command(flatten)]
    suite: SuiteArgs,
}

pub(super) fn run(arguments: &MutantsArgs) -> Result<u8, Error> {
    let suite = arguments.suite.load()?;
    let mutants = arguments.mutants()?;
    let jobs = workers(arguments.jobs);
    let mut selection = Selection::default();
    selection.core = core_of(&suite, arguments.core)?;
    let plan = Plan::new(&suite, &selection, None);
    let bar = Bar::new(plan.count() * mutants.len().min(jobs), "mutants");
    let kills = mutation::run(&plan, &mutants, jobs, &|done| bar.set(done));
    bar.clear();
    let names = mutants.iter().map(|mutant| mutant.name.len());
    let width = names.max().unwrap_or(0);
    let head = format!(
        "{:width$} {:>6} {:>5} {:>5}  smallest trial that kills it",
        "mutant", "trials", "cases", "files"
    );
    out(paint(STRONG, head));
    for kills in &kills {
        show(kills, width, arguments.verbose);
    }
    Ok(exit_code::red_if(!conclude(&kills)))
}

impl MutantsArgs {
    /// The mutants whose names contain one of the patterns; all without a pattern.
    fn mutants(&self) -> Result<Vec<&'static Mutant>, Error> {
        let wanted = |mutant: &&Mutant| {
            let patterns = &self.patterns;
            patterns.is_empty() || patterns.iter().any(|pattern| mutant.name.contains(pattern))
        };
        let mutants: Vec<_> = CATALOGUE.iter().filter(wanted).collect();
        if mutants.is_empty() {
            return Err(Error::NothingSelected(
                "no mutant has such a name; `mutants` without a pattern shows all".to_owned(),
            ));
        }
        Ok(mutants)
    }
}

/// Prints what is left to do, and the totals. Returns whether at least two cases kill every mutant.
fn conclude(kills: &[Kills]) -> bool {
    let live: Vec<_> = kills.iter().filter(|kills| kills.trials == 0).collect();
    let fragile: Vec<_> = kills.iter().filter(|kills| kills.cases() == 1).collect();
    out("");
    let bad = paint(BAD, "✗");
    for kills in &live {
        let name = kills.mutant.name;
        out(format!(
            "{bad} {name} lives: no case distinguishes it from the reference"
        ));
    }
    for kills in &fragile {
        let only = kills.files.iter().find_map(|(file, cases)| {
            let case = cases.keys().next()?;
            Some(format!("{case} in {file}"))
        });
        let (name, only) = (kills.mutant.name, only.unwrap_or_default());
        let line =
            format!("{name} has a single killer, {only}; write another case in another file");
        out(format!("{bad} {line}"));
    }
    let one_file = kills.iter().filter(|kills| kills.files.len() == 1).count();
    let (all, live, fragile) = (kills.len(), live.len(), fragile.len());
    let good = live == 0 && fragile == 0;
    let line = format!("{all} mutants = {} killed + {live} live", all - live);
    out(paint(if good { GOOD } else { BAD }, line));
    out(format!(
        "{fragile} have a single killer; {one_file} are killed only by the cases of one file"
    ));
    good
}

/// A mutant, and the cases that kill it.
fn show(kills: &Kills, width: usize, verbose: bool) {
    let smallest = kills.smallest.as_ref().map(ToString::to_string);
    let smallest = paint(DIM, smallest.as_deref().unwrap_or("-"));
    let (trials, cases, files) = (kills.trials, kills.cases(), kills.files.len());
    let name = kills.mutant.name;
    out(format!(
        "{name:width$} {trials:6} {cases:5} {files:5}  {smallest}"
    ));
    if verbose {
        out(format!("  it {}", kills.mutant.description));
        for (file, cases) in &kills.files {
            for (case, trials) in cases {
                out(format!("  {trials:5} {case} ({file})"));
            }
        }
    }
}
