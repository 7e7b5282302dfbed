//! The trials of a backend that are not red: open questions, skipped trials, known failures, and others.

use crate::event::VerdictKind;
use crate::event::shorten::shorten;
use crate::names::Joined;
use crate::report::digest::{Digest, NoteKind};
use crate::report::style::{NOTE, STRONG, out, paint, tame};
use crate::report::verdicts::Verdicts;
use crate::semantics::operator::Question;
use anstyle::Style;
use std::cmp::Reverse;

/// The most characters of a backend's message.
const MAX_WORDS: usize = 100;
/// The most reasons why the backend declined trials.
const MAX_REASONS: usize = 5;

/// The kinds whose trials are named: their heading, and the most names to list.
const NAMED: [(VerdictKind, &str, usize); 4] = [
    (
        VerdictKind::Flaky,
        "flaky: these failed, and passed when run again in the same circumstances",
        20,
    ),
    (
        VerdictKind::Unchanged,
        "unchanged: these fail just as in the baseline",
        3,
    ),
    (
        VerdictKind::Advisory,
        "advisory: these violate only should clauses; --level should makes them red",
        20,
    ),
    (
        VerdictKind::New,
        "new: these fail, and are newer than `suite` in the gate's file; raise it to judge them",
        20,
    ),
];

/// Prints the remarks about the trials; if `quiet`, only the fixed known failures.
pub(super) fn print(backend: &Digest<'_>, quiet: bool) {
    let verdicts = &backend.verdicts;
    if !quiet {
        let title = "where the texts leave it open (recorded, not judged)";
        // If all refusals say the same, that tells the limit.
        let limit = verdicts.limits.values().next();
        let limit = limit.filter(|_| verdicts.limits.len() == 1);
        let limit = limit.map(|of| format!(" ({})", tame(&shorten(of, MAX_WORDS))));
        let recorded = verdicts.recorded.iter().map(|(question, answers)| {
            let answers = answers.iter().map(|(answer, count)| {
                let told = limit
                    .as_ref()
                    .filter(|_| *question == Question::Capacity.name() && *answer == "rejected");
                format!("{answer} in {count}{}", told.map_or("", String::as_str))
            });
            format!("  {question}: {}", answers.joined(", "))
        });
        print_below(STRONG, title, recorded);
        let title =
            "rejected by accident: these passed, but an internal error refused them, not a check";
        let accidents = verdicts.accidents.iter().map(|(words, (count, trial))| {
            let words = shorten(words.lines().next().unwrap_or_default(), MAX_WORDS);
            format!("  {count:5}  {} (such as {trial})", tame(&words))
        });
        print_below(NOTE, title, accidents);
        print_skipped(verdicts);
        let known = verdicts.known.iter();
        let known = known.map(|(reason, count)| format!("  {count:5}  {reason}"));
        print_below(STRONG, "known failures", known);
    }
    print_fixed(backend);
    for (kind, description, most) in NAMED {
        if let Some(trials) = verdicts.named.get(&kind).filter(|_| !quiet) {
            print_names(kind, description, trials, most);
        }
    }
}

/// Prints a heading with these lines below it, if there are any.
fn print_below(style: Style, heading: &str, lines: impl Iterator<Item = String>) {
    let mut lines = lines.peekable();
    if lines.peek().is_some() {
        out(format!("\n{}", paint(style, heading)));
    }
    lines.for_each(out);
}

fn print_skipped(verdicts: &Verdicts) {
    let unavailable = verdicts.unavailable.iter();
    let unavailable = unavailable.map(|(why, count)| format!("  {count:5}  {}", tame(why)));
    let title = "skipped (the backend cannot do them here):";
    print_below(NOTE, title, unavailable);
    if let Some(sampled) = verdicts.sampled() {
        let title = paint(STRONG, "skipped (outside the sample):");
        let (count, sampled) = (sampled.left_out, sampled.to_string());
        out(format!("\n{title} {count}; {}", tame(&sampled)));
    }
    if verdicts.skipped.is_empty() {
        return;
    }
    let title = "skipped (the backend does not claim them, or declined them):";
    let title = paint(STRONG, title);
    let operators = verdicts.skipped.iter();
    let operators = operators.map(|(operator, count)| format!("{operator} {count}"));
    out(format!("\n{title} {}", operators.joined(", ")));
    let mut declined = Vec::from_iter(&verdicts.declined);
    declined.sort_by_key(|(_, count)| Reverse(**count));
    let more = declined.len().saturating_sub(MAX_REASONS);
    for (why, count) in declined.into_iter().take(MAX_REASONS) {
        out(format!("  {count:5}  {}", tame(&shorten(why, MAX_WORDS))));
    }
    if more > 0 {
        out(format!("  and {more} other reasons"));
    }
}

/// The entries whose trials no longer all fail, each once with its place.
fn print_fixed(backend: &Digest<'_>) {
    let fixed = backend.notes.iter();
    let mut fixed = fixed.filter(|of| of.kind == NoteKind::Fixed).peekable();
    if fixed.peek().is_none() {
        return;
    }
    let title = "fixed: these no longer fail; `known-failures update` removes them";
    let fixed = fixed.map(|of| match of.file_and_line() {
        place if place.is_empty() => format!("  {}", of.description),
        place => format!("  {place}: {}", of.description),
    });
    print_below(NOTE, title, fixed);
    if let Some(command) = backend.notes.iter().find_map(|of| of.update.as_ref()) {
        out(format!("    update: {command}"));
    }
}

fn print_names(
    kind: VerdictKind,
    description: &str,
    trials: &[(String, Vec<VerdictKind>)],
    most: usize,
) {
    let names = trials.iter();
    let names = names.map(|(name, attempts)| match kind == VerdictKind::Flaky {
        true => format!("{name} ({})", attempts.iter().joined(", then ")),
        false => name.clone(),
    });
    let mut names: Vec<_> = names.collect();
    names.sort();
    let more = names.len().checked_sub(most).filter(|more| *more > 0);
    let more = more.map(|more| format!("  and {more} more"));
    let names = names.iter().take(most).map(|name| format!("  {name}"));
    print_below(NOTE, description, names.chain(more));
}
