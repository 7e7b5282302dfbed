//! Updating a file: entries for what is new, lines out for what is gone, every other byte as it was.

use super::{Entry, KnownFailures, Matched};
use crate::error::Source;
use crate::event::{FailureKind, VerdictKind};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A failure that no entry explains.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Addition {
    /// The trial's name: `case/operator/element type/binding`.
    pub trial: String,
    /// How it ended.
    pub outcome: VerdictKind,
    /// The kind of failure, if it failed.
    pub failure: Option<FailureKind>,
}

/// What a whole run saw.
#[derive(Debug, Default)]
pub struct Seen {
    /// Failures that no entry explains.
    pub additions: Vec<Addition>,
    /// Trials that fail as an entry says.
    pub known: BTreeSet<String>,
    /// Trials that an entry speaks of, and that do not fail, or in another way.
    pub fixed: BTreeSet<String>,
    /// All other trials.
    pub others: BTreeSet<String>,
}

/// The file's new text: without the patterns that met nothing or are fixed (narrowed to what still fails), and with
/// entries for the additions under this reason. Comments, reasons and order stay.
#[must_use]
pub fn update(
    known: &KnownFailures,
    version: &str,
    met: &Matched,
    seen: &Seen,
    reason: Option<(&str, Option<&str>)>,
) -> String {
    let mut text = revised(known, version, met, seen);
    let Some((reason, link)) = reason.filter(|_| !seen.additions.is_empty()) else {
        return text;
    };
    let mut kinds: BTreeMap<(VerdictKind, Option<&str>), BTreeSet<String>> = BTreeMap::new();
    for addition in &seen.additions {
        kinds
            .entry((addition.outcome, addition.failure.map(FailureKind::name)))
            .or_default()
            .insert(addition.trial.clone());
    }
    let added: BTreeSet<_> = seen
        .additions
        .iter()
        .map(|addition| addition.trial.clone())
        .collect();
    let all: BTreeSet<_> = [&seen.known, &seen.fixed, &seen.others, &added]
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    for ((outcome, failure), trials) in kinds {
        if let Some(at) = end_of_list(&text, outcome, failure, reason) {
            let lines: String = patterns(&trials, &all)
                .iter()
                .map(|pattern| format!("    - {}\n", quoted(pattern)))
                .collect();
            text.insert_str(at, &lines);
            continue;
        }
        if !text.is_empty() && !text.ends_with("\n\n") {
            text.push('\n');
        }
        text.push_str("- trials:\n");
        for pattern in patterns(&trials, &all) {
            text.push_str(&format!("    - {}\n", quoted(&pattern)));
        }
        text.push_str(&format!("  outcome: {}\n", outcome.name()));
        if let Some(failure) = failure {
            text.push_str(&format!("  failure: {failure}\n"));
        }
        text.push_str(&format!("  reason: {}\n", quoted(reason)));
        if let Some(link) = link {
            text.push_str(&format!("  link: {}\n", quoted(link)));
        }
    }
    text
}

/// Where the list of trials ends of an entry that says this already, if it has one pattern a line.
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

/// A YAML string in double quotes: JSON's form is YAML's too.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The text with the lines of stale patterns taken out, and of half fixed ones narrowed.
fn revised(known: &KnownFailures, version: &str, met: &Matched, seen: &Seen) -> String {
    let source = &known.source.text;
    let all: BTreeSet<_> = [&seen.known, &seen.fixed, &seen.others]
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for (entry, met) in known
        .entries
        .iter()
        .zip(&met.0)
        .filter(|(entry, _)| entry.holds(version) && !entry.flaky)
    {
        let line = |pattern: &str| format!("    - {}\n", quoted(pattern));
        // What becomes of each pattern's line; nothing if it stays.
        let changed: Vec<Option<String>> = entry
            .patterns
            .iter()
            .zip(met)
            .map(|(pattern, met)| {
                let matches = |trial: &&String| pattern.matcher.is_match(trial);
                if met.get() && !seen.fixed.iter().any(|trial| matches(&trial)) {
                    return None;
                }
                let still: BTreeSet<String> = seen.known.iter().filter(matches).cloned().collect();
                Some(
                    patterns(&still, &all)
                        .iter()
                        .map(|pattern| line(pattern))
                        .collect(),
                )
            })
            .collect();
        if changed.iter().all(Option::is_none) {
            continue;
        }
        if changed
            .iter()
            .all(|change| change.as_ref().is_some_and(String::is_empty))
        {
            edits.push((block_of(source, entry.span.start), String::new()));
        } else if let Some(list) = list_in_brackets(source, entry) {
            // A pattern has no line of its own: the whole list is written anew, a line each.
            let lines = entry
                .patterns
                .iter()
                .zip(changed)
                .map(|(pattern, change)| change.unwrap_or_else(|| line(&pattern.text)));
            edits.push((list, format!("\n{}", lines.collect::<String>().trim_end())));
        } else {
            let lines = entry
                .patterns
                .iter()
                .zip(changed)
                .filter_map(|(pattern, change)| Some((pattern, change?)));
            edits.extend(
                lines.map(|(pattern, change)| (line_of(source, pattern.span.start), change)),
            );
        }
    }
    let mut text = source.to_string();
    edits.sort_by_key(|(range, _)| range.start);
    for (range, replacement) in edits.into_iter().rev() {
        text.replace_range(range, &replacement);
    }
    text
}

/// From the bracket before the entry's first pattern to the one after its last, and the space before it; nothing if
/// its patterns stand on lines of their own.
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

/// The lines of an entry: from its dash to the last line that is indented under it.
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
    let widths: [fn(&[&str]) -> String; 4] = [
        |parts| format!("{}/**", parts[0]),
        |parts| format!("{}/*/*/{}", parts[0], parts[3]),
        |parts| format!("{}/{}/**", parts[0], parts[1]),
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
