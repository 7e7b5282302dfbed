//! The results page: what every backend does, in Markdown.

mod appendix;
mod backend;
mod cause;
mod history;
mod overview;
mod questions;
mod quote;

pub(super) use history::{History, histories};

use super::digest::{ONLY_SIMILAR, RunDigest};
use super::markdown::{code, text};
use super::number::counted;
use super::rule_table::{LEGEND, RuleTable};
use crate::event::TrialRecord;
use crate::event::stream::Stream;
use crate::model::surroundings::Surrounding;
use crate::names::Joined;
use std::collections::{BTreeMap, BTreeSet};

/// The page that shows which causes are in which releases of a backend.
pub(crate) fn render_history(run: &RunDigest<'_>) -> String {
    let mut page = "# History\n\n<!-- Written by `report render --history`; not by hand. -->\n\nThe number of trials \
        that show each cause, in each release of a backend.\n\n"
        .to_owned();
    let trials = counted(run.stream.run.trials, "trial");
    page += &format!(
        "{trials} for each release, without those whose operator or element type it lacks.\n\n"
    );
    for missing in &run.missing {
        page += &format!("**Incomplete**: {}\n\n", text(missing));
    }
    histories(run).iter().for_each(|of| of.write(&mut page));
    page
}

/// The heading of the rewriters' sections.
const REWRITERS: &str = "## Rewriters of models\n\nEach cause has a reproducer, which shows the graph before and after.\n\n";

/// The page. `not_available` names the adapters that could not take part.
pub(crate) fn render(run: &RunDigest<'_>, not_available: &[String]) -> String {
    let stream = run.stream;
    let adapters = cause::adapters(run);
    let mut page = "# Results\n\n<!-- Written by `run --results`; not by hand. -->\n\n".to_owned();
    for missing in &run.missing {
        page += &format!("**Incomplete**: {}\n\n", text(missing));
    }
    overview::write(&mut page, stream, &adapters, not_available);
    rules(&mut page, stream);
    surroundings(&mut page, &adapters);
    let (similar, implementing): (Vec<_>, Vec<_>) =
        adapters.iter().partition(|adapter| adapter.only_similar);
    let implementing = implementing.into_iter();
    let (rewriters, running): (Vec<_>, Vec<_>) = implementing.partition(|of| of.rewrites);
    let similar_heading = format!("## Similar functions\n\nEach is {ONLY_SIMILAR}.\n\n");
    for (heading, adapters_of) in [
        ("", running),
        (REWRITERS, rewriters),
        (&similar_heading, similar),
    ] {
        if !adapters_of.is_empty() {
            page.push_str(heading);
        }
        for adapter in adapters_of {
            backend::write(&mut page, stream, &adapters, adapter);
        }
    }
    questions::write(&mut page, run);
    appendix::write(&mut page, run);
    page
}

/// Writes a row for each rule, and a column for each backend.
fn rules(page: &mut String, stream: &Stream) {
    let table = RuleTable::new(stream);
    if table.rows.is_empty() || table.backends.is_empty() {
        return;
    }
    page.push_str("## Rules and backends\n\n");
    *page += &format!("{LEGEND}.\n\n");
    let names = table.backends.iter();
    let names = names.map(|of| text(&of.started.backend)).joined(" | ");
    *page += &format!("| rule | {names} |\n");
    *page += &format!("|---|{}\n", ":-:|".repeat(table.backends.len()));
    for (rule, cells) in &table.rows {
        let cells = cells.iter().map(|cell| cell.sign()).joined(" | ");
        *page += &format!("| `{}` | {cells} |\n", code(rule));
    }
    page.push('\n');
}

/// Writes a row for each surrounding, and a column for each backend with the number of its causes that show there.
fn surroundings<'a>(page: &mut String, adapters: &[cause::Adapter<'a>]) {
    let backends = adapters.iter();
    let backends = backends.flat_map(|of| of.configurations.iter().map(move |at| (of, at)));
    let backends: Vec<_> = backends.collect();
    page.push_str(
        "## Surroundings and backends\n\nThe number of causes that show in each surrounding of the node ([what they \
         are](cases.md#surroundings)). –: the backend was not asked there.\n\n",
    );
    let names = backends.iter().map(|(_, of)| text(of.name)).joined(" | ");
    *page += &format!("| surrounding | {names} |\n");
    *page += &format!("|---|{}\n", "--:|".repeat(backends.len()));
    let asked = |trial: &'a TrialRecord| trial.verdict.is_asked().then(|| backend::way(trial).1);
    let cells = backends.iter().map(|(of, backend)| {
        let everywhere = backend.records.trials.iter().filter_map(asked);
        let mut counts: BTreeMap<_, usize> = everywhere.map(|of| (of, 0)).collect();
        for cause in &of.causes {
            for shown in BTreeSet::from_iter(cause.of(backend).filter_map(asked)) {
                *counts.entry(shown).or_default() += 1;
            }
        }
        counts
    });
    let cells: Vec<_> = cells.collect();
    for name in std::iter::once("").chain(Surrounding::ALL.iter().map(|of| of.name())) {
        let cell = |of: &BTreeMap<_, usize>| of.get(name).map_or("–".to_owned(), usize::to_string);
        let row = if name.is_empty() { "alone" } else { name };
        *page += &format!("| {row} | {} |\n", cells.iter().map(cell).joined(" | "));
    }
    page.push('\n');
}
