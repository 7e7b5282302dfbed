//! Updating a file: adds new failures, removes fixed ones, and leaves every other byte unchanged.

use super::entry::{Entry, Pattern};
use super::{KnownFailures, Matched};
use crate::error::Source;
use crate::event::{FailureKind, VerdictKind};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A failure that no entry explains.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Addition {
    /// The trial's name: `case/operator/element type/binding`.
    pub trial: String,
    /// Its verdict.
    pub outcome: VerdictKind,
    /// The kind of failure, if it failed.
    pub failure: Option<FailureKind>,
}

/// New failures with one reason.
#[derive(Debug)]
pub(crate) struct Explanation {
    /// The failures, which no entry explains yet.
    pub additions: Vec<Addition>,
    /// Why they fail.
    pub reason: String,
    /// The address of the report to the backend's authors.
    pub link: Option<String>,
}

/// The trials of the suite, by how a run compares them with the file.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    /// New failures that are explained now.
    pub explained: Vec<Explanation>,
    /// Trials that fail as an entry expects.
    pub known: BTreeSet<String>,
    /// Trials that an entry expects to fail, but that pass or fail differently.
    pub fixed: BTreeSet<String>,
    /// Trials that the run did not select. An entry about them stays.
    pub not_selected: BTreeSet<String>,
    /// All other trials that ran, with the new failures.
    pub others: BTreeSet<String>,
}

impl Comparison {
    fn all(&self) -> BTreeSet<String> {
        let sets = [&self.known, &self.fixed, &self.not_selected, &self.others];
        sets.into_iter().flatten().cloned().collect()
    }
}

/// The file's new text. Patterns that match nothing or are fixed are removed, or narrowed to what still fails. The
/// explained failures get entries. Comments, reasons and order stay. `None` if entries share a line.
#[must_use]
pub(crate) fn update(
    known: &KnownFailures,
    version: &str,
    matched: &Matched,
    run: &Comparison,
) -> Option<String> {
    let all = run.all();
    let mut text = revised(known, version, matched, run, &all)?;
    for explanation in &run.explained {
        add(&mut text, explanation, &all);
    }
    Some(text)
}

/// Adds an entry for each kind of failure. An entry that exists gets more patterns.
fn add(text: &mut String, of: &Explanation, all: &BTreeSet<String>) {
    let mut kinds: BTreeMap<(VerdictKind, Option<&str>), BTreeSet<String>> = BTreeMap::new();
    for addition in &of.additions {
        kinds
            .entry((addition.outcome, addition.failure.map(FailureKind::name)))
            .or_default()
            .insert(addition.trial.clone());
    }
    for ((outcome, failure), trials) in kinds {
        let items: String = patterns(&trials, all)
            .iter()
            .map(|pattern| list_item(pattern))
            .collect();
        if let Some(at) = end_of_list(text, outcome, failure, &of.reason) {
            text.insert_str(at, &items);
            continue;
        }
        if !text.is_empty() && !text.ends_with("\n\n") {
            text.push('\n');
        }
        text.push_str(&format!(
            "- trials:\n{items}  outcome: {}\n",
            outcome.name()
        ));
        if let Some(failure) = failure {
            text.push_str(&format!("  failure: {failure}\n"));
        }
        text.push_str(&format!("  reason: {}\n", quoted(&of.reason)));
        if let Some(link) = &of.link {
            text.push_str(&format!("  link: {}\n", quoted(link)));
        }
    }
}

/// The end of the list of trials of an entry with this outcome, failure and reason; `None` without such an entry, or if
/// its list is in brackets.
fn end_of_list(
    text: &str,
    outcome: VerdictKind,
    failure: Option<&str>,
    reason: &str,
) -> Option<usize> {
    let known = KnownFailures::read(&Source::new("", text)).ok()?;
    let same = |entry: &&Entry| {
        let always =
            entry.version.is_none() && entry.os.is_none() && !entry.flaky && !entry.quarantine;
        always
            && (
                entry.outcome,
                entry.failure.map(FailureKind::name),
                entry.reason.as_str(),
            ) == (outcome, failure, reason)
    };
    let last = known.entries.iter().find(same)?.patterns.last()?.span.start;
    let line = line_of(text, last);
    text[line.clone()]
        .trim_start()
        .starts_with("- \"")
        .then_some(line.end)
}

/// A YAML string in double quotes, which has the same form as in JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The text without stale patterns, and with partly fixed ones narrowed; `None` if a line that changes contains another
/// entry.
fn revised(
    known: &KnownFailures,
    version: &str,
    matched: &Matched,
    run: &Comparison,
    all: &BTreeSet<String>,
) -> Option<String> {
    let source = &known.source.text;
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for (entry, flags) in known
        .entries
        .iter()
        .zip(&matched.0)
        .filter(|(entry, _)| entry.applies(version) && !entry.flaky)
    {
        let changed = entry
            .patterns
            .iter()
            .zip(flags)
            .map(|(pattern, flag)| narrowed(pattern, flag.get(), run, all));
        let of_entry = entry_edits(source, entry, changed.collect());
        let mut others = known.entries.iter().map(|other| other.span.start);
        let own = entry.span.start;
        if others.any(|at| at != own && of_entry.iter().any(|(range, _)| range.contains(&at))) {
            return None;
        }
        edits.extend(of_entry);
    }
    let mut text = source.to_string();
    edits.sort_by_key(|(range, _)| range.start);
    for (range, replacement) in edits.into_iter().rev() {
        text.replace_range(range, &replacement);
    }
    Some(text)
}

/// The patterns that replace a pattern; `None` if it stays.
fn narrowed(
    pattern: &Pattern,
    has_matched: bool,
    run: &Comparison,
    all: &BTreeSet<String>,
) -> Option<Vec<String>> {
    let matches = |trial: &&String| pattern.matcher.matches_trial(trial);
    if has_matched && !run.fixed.iter().any(|trial| matches(&trial)) {
        return None;
    }
    let may_fail = run.known.iter().chain(&run.not_selected);
    let still_failing: BTreeSet<String> = may_fail.filter(matches).cloned().collect();
    Some(patterns(&still_failing, all))
}

/// A line of a list of trials.
fn list_item(pattern: &str) -> String {
    format!("    - {}\n", quoted(pattern))
}

/// The edits that replace the lines of an entry's patterns, where they change.
fn entry_edits(
    source: &str,
    entry: &Entry,
    changed: Vec<Option<Vec<String>>>,
) -> Vec<(Range<usize>, String)> {
    if changed.iter().all(Option::is_none) {
        return Vec::new();
    }
    let is_dropped = |change: &Option<Vec<String>>| change.as_ref().is_some_and(Vec::is_empty);
    if changed.iter().all(is_dropped) {
        return vec![(block_of(source, entry.span.start), String::new())];
    }
    let patterns = entry.patterns.iter().zip(changed);
    if let Some(list) = list_in_brackets(source, entry) {
        let left = patterns
            .flat_map(|(pattern, change)| change.unwrap_or_else(|| vec![pattern.text.clone()]));
        // In braces a list stays in brackets; otherwise each pattern gets a line.
        let text = if source[entry.span.start..].starts_with('{') {
            let left: Vec<_> = left.map(|pattern| quoted(&pattern)).collect();
            format!(" [{}]", left.join(", "))
        } else {
            let lines: String = left.map(|pattern| list_item(&pattern)).collect();
            format!("\n{}", lines.trim_end())
        };
        return vec![(list, text)];
    }
    patterns
        .filter_map(|(pattern, change)| {
            let lines = change?.iter().map(|pattern| list_item(pattern)).collect();
            Some((line_of(source, pattern.span.start), lines))
        })
        .collect()
}

/// The bytes from the opening to the closing bracket of the entry's list, with the space before them; `None` if each
/// pattern has its own line.
fn list_in_brackets(text: &str, entry: &Entry) -> Option<Range<usize>> {
    let (first, last) = (entry.patterns.first()?, entry.patterns.last()?);
    let before = text[..first.span.start].trim_end_matches(['"', '\'', ' ', '\n']);
    let start = before.strip_suffix('[')?.trim_end().len();
    let end = last.span.end + text[last.span.end..].find(']')? + 1;
    Some(start..end)
}

fn line_of(text: &str, at: usize) -> Range<usize> {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    start
        ..text[at..]
            .find('\n')
            .map_or(text.len(), |newline| at + newline + 1)
}

/// The lines of an entry: from its dash to the last line indented below.
fn block_of(text: &str, at: usize) -> Range<usize> {
    let first = line_of(text, at);
    let mut end = first.end;
    for line in text[first.end..].split_inclusive('\n') {
        if !line.starts_with(' ') || line.trim().is_empty() {
            break;
        }
        end += line.len();
    }
    first.start..end
}

/// Patterns that match every one of `trials` and no other of `all`, the widest first.
fn patterns(trials: &BTreeSet<String>, all: &BTreeSet<String>) -> Vec<String> {
    // A pattern without a `+` never means trials in surroundings.
    fn is_surrounded(parts: &[&str]) -> bool {
        parts[3].contains('+')
    }
    let widths: [fn(&[&str]) -> String; 4] = [
        |parts| match is_surrounded(parts) {
            true => format!("{}/*/*/*+*", parts[0]),
            false => format!("{}/**", parts[0]),
        },
        |parts| format!("{}/*/*/{}", parts[0], parts[3]),
        |parts| match is_surrounded(parts) {
            true => format!("{}/{}/*/*+*", parts[0], parts[1]),
            false => format!("{}/{}/**", parts[0], parts[1]),
        },
        |parts| format!("{}/{}/*/{}", parts[0], parts[1], parts[3]),
    ];
    let mut left = trials.clone();
    let mut patterns = Vec::new();
    for width in widths {
        let wide = |trial: &String| {
            let parts: Vec<&str> = trial.split('/').collect();
            if parts.len() == 4 {
                width(&parts)
            } else {
                trial.clone()
            }
        };
        let taken: BTreeSet<String> = all.difference(trials).map(wide).collect();
        let fitting: BTreeSet<String> = left
            .iter()
            .map(wide)
            .filter(|pattern| !taken.contains(pattern))
            .collect();
        left.retain(|trial| !fitting.contains(&wide(trial)));
        patterns.extend(fitting);
    }
    patterns.extend(left);
    patterns.sort();
    patterns
}
