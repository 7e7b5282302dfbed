//! The history: for each adapter of which there are several releases, which causes are in which of them.

use super::cause::{Adapter, Cause};
use crate::report::markdown::text;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The releases of one adapter.
struct Releases<'a> {
    name: &'a str,
    /// From the oldest on.
    adapters: Vec<&'a Adapter<'a>>,
}

/// Writes a table for each adapter: a row for each cause, and a column for each release with its number of trials.
pub(super) fn write(page: &mut String, adapters: &[Adapter<'_>]) {
    for releases in releases(adapters) {
        releases.write(page);
    }
}

/// Of the adapters with several releases, each of which is an adapter `name@release` or the pinned one.
fn releases<'a>(adapters: &'a [Adapter<'a>]) -> Vec<Releases<'a>> {
    let mut by_name: BTreeMap<&str, Vec<&Adapter<'_>>> = BTreeMap::new();
    for adapter in adapters {
        let (name, _) = adapter.name.split_once('@').unwrap_or((adapter.name, ""));
        by_name.entry(name).or_default().push(adapter);
    }
    let several = by_name.into_iter().filter(|(_, all)| all.len() > 1);
    several
        .map(|(name, mut adapters)| {
            adapters.sort_by_key(|adapter| numbers(version(adapter)));
            Releases { name, adapters }
        })
        .collect()
}

fn version<'a>(adapter: &Adapter<'a>) -> &'a str {
    let first = adapter.configurations.first();
    first.map_or("", |backend| &backend.started.version)
}

/// How many trials a release was asked. It is not asked what it does not have.
fn asked(adapter: &Adapter<'_>) -> usize {
    let trials = adapter.configurations.iter().flat_map(|of| &of.trials);
    trials.filter(|trial| trial.verdict.is_asked()).count()
}

/// The numbers in a version, which give its order.
fn numbers(version: &str) -> Vec<u64> {
    let parts = version.split(|c: char| !c.is_ascii_digit());
    parts.filter_map(|part| part.parse().ok()).collect()
}

/// What a cause is called in every release.
fn name<'a>(cause: &'a Cause<'_>) -> &'a str {
    cause.id.unwrap_or(&cause.says)
}

impl Releases<'_> {
    fn write(&self, page: &mut String) {
        let versions: Vec<_> = self.adapters.iter().map(|of| text(version(of))).collect();
        let _ = writeln!(page, "## {}\n", text(self.name));
        let _ = writeln!(page, "| cause | {} | seen |", versions.join(" | "));
        let _ = writeln!(page, "|---|{}---|", "---|".repeat(versions.len()));
        let asked = self.adapters.iter().map(|of| asked(of).to_string());
        let asked = asked.collect::<Vec<_>>().join(" | ");
        let _ = writeln!(page, "| *trials asked* | {asked} | |");
        for (name, trials) in self.rows() {
            let cells = trials.iter().map(|trials| match trials {
                0 => "–".to_owned(),
                trials => trials.to_string(),
            });
            let cells = cells.collect::<Vec<_>>().join(" | ");
            let _ = writeln!(
                page,
                "| {} | {cells} | {} |",
                text(name),
                seen(&trials, &versions)
            );
        }
        let _ = writeln!(page);
    }

    /// Each cause with its number of trials in each release; those that are there first, first.
    fn rows(&self) -> Vec<(&str, Vec<usize>)> {
        let mut rows: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (column, release) in self.adapters.iter().enumerate() {
            for cause in &release.causes {
                let row = rows.entry(name(cause));
                row.or_insert_with(|| vec![0; self.adapters.len()])[column] += cause.trials.len();
            }
        }
        let mut rows: Vec<_> = rows.into_iter().collect();
        rows.sort_by_key(|(_, trials)| trials.iter().position(|trials| *trials > 0));
        rows
    }
}

/// Between which releases a cause is there.
fn seen(trials: &[usize], versions: &[String]) -> String {
    let is_there = |trials: &usize| *trials > 0;
    let (Some(first), Some(last)) = (
        trials.iter().position(is_there),
        trials.iter().rposition(is_there),
    ) else {
        return String::new();
    };
    match (first, last + 1 == trials.len()) {
        (0, true) => "in all".to_owned(),
        (_, true) => format!("since {}", versions[first]),
        (0, false) => format!("until {}", versions[last]),
        (_, false) => format!("from {} to {}", versions[first], versions[last]),
    }
}
