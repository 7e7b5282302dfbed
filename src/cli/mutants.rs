//! `mutants`: what the suite would catch.

use super::SuiteArgs;
use crate::cli::exit_code;
use crate::error::Error;
use crate::report::progress::Bar;
use crate::report::style::{BAD, DIM, GOOD, STRONG, out, paint};
use crate::run::mutation::{self, Kills};
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use crate::verdict::mutant::{CATALOGUE, Mutant};
use clap::Args;

#[derive(Debug, Args)]
pub(super) struct MutantsArgs {
    /// Only mutants whose name holds one of these
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// Name every case that kills a mutant
    #[arg(long, short)]
    verbose: bool,
    /// Workers [default: one a core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    #[command(flatten)]
    suite: SuiteArgs,
}

pub(super) fn run(arguments: &MutantsArgs) -> Result<u8, Error> {
    let suite = arguments.suite.load()?;
    let wanted = |mutant: &&Mutant| {
        arguments.patterns.is_empty() || arguments.patterns.iter().any(|p| mutant.name.contains(p))
    };
    let mutants: Vec<&'static Mutant> = CATALOGUE.iter().filter(wanted).collect();
    if mutants.is_empty() {
        return Err(Error::NothingSelected(
            "no mutant has such a name; `mutants` without a pattern shows all".to_owned(),
        ));
    }
    let jobs = arguments.jobs.map_or_else(super::run::cores, usize::from);
    let workers = mutants.len().min(jobs);
    let plan = Plan::new(&suite, &Selection::default(), None);
    let bar = Bar::new(plan.count() * workers, "mutants");
    let kills = mutation::run(&plan, &mutants, jobs, &|done| bar.set(done));
    bar.clear();
    let width = mutants
        .iter()
        .map(|mutant| mutant.name.len())
        .max()
        .unwrap_or(0);
    out(paint(
        STRONG,
        format!(
            "{:width$} {:>6} {:>5} {:>5}  smallest trial that kills it",
            "mutant", "trials", "cases", "files"
        ),
    ));
    for kills in &kills {
        show(kills, width, arguments.verbose);
    }
    let live: Vec<_> = kills
        .iter()
        .filter(|kills| kills.trials == 0)
        .map(|kills| kills.mutant.name)
        .collect();
    let fragile: Vec<_> = kills.iter().filter(|kills| kills.cases() == 1).collect();
    out("");
    for name in &live {
        out(format!(
            "{} {name} lives: no case tells it from the reference",
            paint(BAD, "✗")
        ));
    }
    for kills in &fragile {
        let only = kills
            .files
            .iter()
            .find_map(|(file, cases)| cases.keys().next().map(|case| format!("{case} in {file}")));
        let only = only.unwrap_or_default();
        out(format!(
            "{} {} has a single killer, {only}; write another case in another file",
            paint(BAD, "✗"),
            kills.mutant.name
        ));
    }
    let on_one_file = kills.iter().filter(|kills| kills.files.len() == 1).count();
    let (all, dead) = (kills.len(), kills.len() - live.len());
    let good = live.is_empty() && fragile.is_empty();
    let line = format!("{all} mutants = {dead} killed + {} live", live.len());
    out(paint(if good { GOOD } else { BAD }, line));
    out(format!(
        "{} have a single killer; {on_one_file} are killed by the cases of one file alone",
        fragile.len()
    ));
    Ok(if good {
        exit_code::AS_EXPECTED
    } else {
        exit_code::FAILURES
    })
}

fn show(kills: &Kills, width: usize, verbose: bool) {
    let smallest = kills
        .smallest
        .as_ref()
        .map_or_else(|| "-".to_owned(), ToString::to_string);
    let (trials, cases, files) = (kills.trials, kills.cases(), kills.files.len());
    out(format!(
        "{:width$} {trials:6} {cases:5} {files:5}  {}",
        kills.mutant.name,
        paint(DIM, smallest)
    ));
    if verbose {
        out(format!("  it {}", kills.mutant.says));
        for (file, cases) in &kills.files {
            for (case, trials) in cases {
                out(format!("  {trials:5} {case} ({file})"));
            }
        }
    }
}
