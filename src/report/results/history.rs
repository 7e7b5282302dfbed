//! The history of each adapter with several releases: the causes in each release.

use super::cause::{self, Adapter};
use crate::names::{Grouped, Joined};
use crate::report::digest::RunDigest;
use crate::report::markdown::text;
use std::collections::BTreeMap;

/// The history of one adapter.
pub(crate) struct History {
    /// The adapter.
    pub(crate) name: String,
    /// Its releases, oldest first.
    pub(crate) versions: Vec<String>,
    /// The number of trials that each release was asked, without trials that it does not support.
    pub(crate) asked: Vec<usize>,
    /// The causes, in the order of their first release.
    pub(crate) rows: Vec<Row>,
}

/// A cause of a history.
pub(crate) struct Row {
    /// Its name in every release.
    pub(crate) cause: String,
    /// The number of trials that show it, for each release.
    pub(crate) trials: Vec<usize>,
    /// The releases that have it.
    pub(crate) seen: String,
}

/// The history of each adapter with several releases in the stream: adapters `name@release`, or the pinned one.
pub(crate) fn histories(run: &RunDigest<'_>) -> Vec<History> {
    let adapters = cause::adapters(run);
    let by_name = adapters.iter().map(|adapter| {
        let (name, _) = adapter.name.split_once('@').unwrap_or((adapter.name, ""));
        (name, adapter)
    });
    let by_name = by_name.sorted().into_iter();
    let several = by_name.filter(|(_, all)| all.len() > 1);
    several.map(|(name, all)| History::of(name, all)).collect()
}

fn version<'a>(adapter: &Adapter<'a>) -> &'a str {
    let first = adapter.configurations.first();
    first.map_or("", |backend| &backend.records.started.version)
}

/// The number of trials that a release was asked, without trials that it does not support.
fn asked(adapter: &Adapter<'_>) -> usize {
    let trials = adapter.configurations.iter();
    let trials = trials.flat_map(|of| &of.records.trials);
    trials.filter(|trial| trial.verdict.is_asked()).count()
}

/// The numbers in a version, which determine its order.
fn numbers(version: &str) -> Vec<u64> {
    let parts = version.split(|c: char| !c.is_ascii_digit());
    parts.filter_map(|part| part.parse().ok()).collect()
}

impl Row {
    /// The number of trials that show it, for each release, in the form of the table.
    pub(crate) fn cells(&self) -> impl Iterator<Item = String> {
        self.trials.iter().map(|trials| match trials {
            0 => "–".to_owned(),
            trials => trials.to_string(),
        })
    }
}

impl History {
    fn of(name: &str, mut releases: Vec<&Adapter<'_>>) -> Self {
        releases.sort_by_key(|release| numbers(version(release)));
        let versions: Vec<_> = releases.iter().map(|of| version(of).to_owned()).collect();
        let mut causes: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (column, release) in releases.iter().enumerate() {
            for cause in &release.causes {
                let row = causes.entry(cause.id.unwrap_or(&cause.description));
                row.or_insert_with(|| vec![0; releases.len()])[column] += cause.trials.len();
            }
        }
        let rows = causes.into_iter().map(|(cause, trials)| Row {
            cause: cause.to_owned(),
            seen: seen(&trials, &versions),
            trials,
        });
        let mut rows: Vec<_> = rows.collect();
        rows.sort_by_key(|row| row.trials.iter().position(|trials| *trials > 0));
        Self {
            name: name.to_owned(),
            asked: releases.iter().map(|of| asked(of)).collect(),
            rows,
            versions,
        }
    }

    /// Writes a table: a row for each cause, and a column for each release with its number of trials.
    pub(super) fn write(&self, page: &mut String) {
        let versions = self.versions.iter().map(|of| text(of)).joined(" | ");
        *page += &format!("## {}\n\n", text(&self.name));
        *page += &format!("| cause | {versions} | seen |\n");
        *page += &format!("|---|{}---|\n", "---|".repeat(self.versions.len()));
        let asked = self.asked.iter().joined(" | ");
        *page += &format!("| *trials asked* | {asked} | |\n");
        for row in &self.rows {
            let cells = row.cells().joined(" | ");
            let (cause, seen) = (text(&row.cause), text(&row.seen));
            *page += &format!("| {cause} | {cells} | {seen} |\n");
        }
        page.push('\n');
    }
}

/// The releases that have a cause, in words.
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
