//! Rules and backends: which rule each backend keeps.

use super::cause::deviates;
use crate::event::stream::{BackendRecords, Stream};
use crate::event::{FailureKind, Severity, TrialRecord, VerdictKind};
use crate::report::markdown::{code, text};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

/// What a backend does with a rule; of several trials, the last of these holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    NotAsked,
    Open,
    Kept,
    Broken,
}

impl Cell {
    fn sign(self) -> &'static str {
        match self {
            Self::NotAsked => "–",
            Self::Open => "open",
            Self::Kept => "✓",
            Self::Broken => "✗",
        }
    }
}

/// Writes a row for each rule, and a column for each backend.
pub(super) fn write(page: &mut String, stream: &Stream) {
    let rules = rules(stream);
    let (implementing, _) = stream.by_claim();
    if rules.is_empty() || implementing.is_empty() {
        return;
    }
    page.push_str("## Rules and backends\n\n");
    page.push_str("✓ kept in every trial that tests it · ✗ broken in some · open: the texts leave all of them open · – not asked.\n\n");
    let clauses = stream.clauses.iter();
    let rules_of: HashMap<_, _> = clauses
        .map(|clause| (clause.id.as_str(), clause.rules.as_slice()))
        .collect();
    let columns: Vec<_> = implementing
        .into_iter()
        .map(|backend| {
            let cells = cells(stream, &rules_of, backend);
            (text(&backend.started.backend), cells)
        })
        .collect();
    let names: Vec<_> = columns.iter().map(|(name, _)| name.as_str()).collect();
    let _ = writeln!(page, "| rule | {} |", names.join(" | "));
    let _ = writeln!(page, "|---|{}", ":-:|".repeat(names.len()));
    for rule in rules {
        let cells = columns
            .iter()
            .map(|(_, cells)| cells.get(rule).copied().unwrap_or(Cell::NotAsked).sign());
        let cells: Vec<_> = cells.collect();
        let _ = writeln!(page, "| `{}` | {} |", code(rule), cells.join(" | "));
    }
    page.push('\n');
}

/// The rules of the run's clauses, in the order of the clauses.
fn rules(stream: &Stream) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let all = stream.clauses.iter().flat_map(|clause| &clause.rules);
    all.map(String::as_str)
        .filter(|rule| seen.insert(*rule))
        .collect()
}

/// For each clause, by its id, the rules that it states.
type RulesOf<'a> = HashMap<&'a str, &'a [String]>;

fn cells<'a>(
    stream: &'a Stream,
    rules_of: &RulesOf<'a>,
    backend: &BackendRecords,
) -> BTreeMap<&'a str, Cell> {
    let mut cells = BTreeMap::new();
    for trial in &backend.trials {
        let judged = trial.judged();
        let cell = if deviates(trial) {
            // The adapter's fault says nothing of the backend.
            match trial.severity() {
                None => Cell::NotAsked,
                // It has a column of its own on the first screen.
                Some(Severity::WrongInference) => Cell::Open,
                Some(_) => Cell::Broken,
            }
        } else if judged == VerdictKind::Recorded {
            Cell::Open
        } else if judged == VerdictKind::Skipped {
            Cell::NotAsked
        } else {
            Cell::Kept
        };
        for clause in tested(stream, trial) {
            let rules = rules_of.get(clause.as_str()).copied();
            for rule in rules.unwrap_or_default() {
                let of_rule = cells.entry(rule.as_str()).or_insert(cell);
                *of_rule = cell.max(*of_rule);
            }
        }
    }
    cells
}

/// The ids of the clauses that a trial tests. Where a request is accepted that breaks some, those are the broken ones.
pub(super) fn tested<'a>(stream: &'a Stream, trial: &'a TrialRecord) -> Vec<&'a String> {
    let broken = trial.detail.iter().flat_map(|detail| &detail.trace);
    let broken =
        broken.filter(|step| step.fault && trial.failure == Some(FailureKind::NotRejected));
    let broken: Vec<_> = broken.flat_map(|step| &step.clauses).collect();
    match (stream.clauses_of(trial), broken.is_empty()) {
        // Of a similar function, none.
        ([], _) => Vec::new(),
        (of_case, true) => of_case.iter().collect(),
        (_, false) => broken,
    }
}
