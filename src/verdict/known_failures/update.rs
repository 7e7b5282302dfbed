//! Updating a file: adds new failures, removes fixed ones, and leaves every other byte unchanged.

use super::entry::{Entry, Pattern};
use super::patterns::patterns;
use super::{KnownFailures, OfVersion};
use crate::error::Source;
use crate::event::{FailureKind, VerdictKind};
use crate::json::quoted;
use crate::suite::case::Expectation;
use crate::verdict::judge::is_possible;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

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
    /// The expectation of each trial of the suite.
    pub expectations: HashMap<String, Arc<Expectation>>,
}

impl Comparison {
    /// Patterns for trials that fail in this way. They match no other trial of the suite that could.
    fn patterns(&self, trials: &BTreeSet<&str>, failure: Option<FailureKind>) -> Vec<String> {
        let sets = [&self.known, &self.fixed, &self.not_selected, &self.others];
        let could = |name: &&str| {
            failure
                .zip(self.expectations.get(*name))
                .is_none_or(|(kind, of)| is_possible(kind, of))
        };
        let all = sets.into_iter().flatten().map(String::as_str);
        let others = all.filter(|name| !trials.contains(name)).filter(could);
        patterns(trials, &others.collect())
    }
}

/// The file's new text. Patterns that match nothing or are fixed are removed, or narrowed to what still fails. The
/// explained failures get entries. Comments, reasons and order stay. `None` if entries share a line.
pub(crate) fn update(known: &OfVersion<'_>, run: &Comparison) -> Option<String> {
    let mut text = revised(known, run)?;
    for explanation in &run.explained {
        add(&mut text, explanation, run);
    }
    Some(text)
}

/// Adds an entry for each kind of failure. An entry that exists gets more patterns.
fn add(text: &mut String, of: &Explanation, run: &Comparison) {
    let mut kinds: BTreeMap<_, (Option<FailureKind>, BTreeSet<&str>)> = BTreeMap::new();
    for addition in &of.additions {
        let kind = (addition.outcome, addition.failure.map(FailureKind::name));
        let (failure, trials) = kinds.entry(kind).or_default();
        *failure = addition.failure;
        trials.insert(&addition.trial);
    }
    for ((outcome, failure), (kind, trials)) in kinds {
        let patterns = run.patterns(&trials, kind);
        let items: String = patterns.iter().map(|pattern| list_item(pattern)).collect();
        if let Some(at) = end_of_list(text, outcome, failure, &of.reason) {
            text.insert_str(at, &items);
            continue;
        }
        if !text.is_empty() && !text.ends_with("\n\n") {
            text.push('\n');
        }
        let outcome = outcome.name();
        text.push_str(&format!("- trials:\n{items}  outcome: {outcome}\n"));
        if let Some(failure) = failure {
            text.push_str(&format!("  failure: {failure}\n"));
        }
        text.push_str(&format!("  reason: {}\n", quoted(&of.reason)));
        if let Some(link) = &of.link {
            text.push_str(&format!("  link: {}\n", quoted(link)));
        }
    }
}

/// The end of the list of trials of an entry with this outcome, failure and reason; `None` without such a list.
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

/// The text without stale patterns, and partly fixed ones narrowed; `None` if a changed line has another entry.
fn revised(of: &OfVersion<'_>, run: &Comparison) -> Option<String> {
    let source = &of.known.source.text;
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for (entry, flags) in of.entries.iter().filter(|(entry, _)| !entry.flaky) {
        let changed = entry.patterns.iter().zip(flags);
        let changed =
            changed.map(|(pattern, flag)| narrowed(pattern, entry.failure, flag.get(), run));
        let of_entry = entry_edits(source, entry, changed.collect());
        let mut others = of.known.entries.iter().map(|other| other.span.start);
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
    failure: Option<FailureKind>,
    has_matched: bool,
    run: &Comparison,
) -> Option<Vec<String>> {
    let matches = |trial: &&String| pattern.matcher.matches_trial(trial);
    if has_matched && !run.fixed.iter().any(|trial| matches(&trial)) {
        return None;
    }
    let may_fail = run.known.iter().chain(&run.not_selected);
    let still_failing = may_fail.filter(matches).map(String::as_str).collect();
    Some(run.patterns(&still_failing, failure))
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
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
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
