//! An adapter's section: what it does not claim, then its causes.

use super::appendix;
use super::cause::{Adapter, Cause, is_right};
use super::quote::quoted;
use crate::event::stream::Stream;
use crate::event::{CaseOperator, Expected, FailureKind, Severity, TrialRecord, VerdictKind};
use crate::model::surroundings::Surrounding;
use crate::names::{Grouped, Joined};
use crate::report::diff;
use crate::report::digest::Digest;
use crate::report::markdown::{code, fenced, label, text};
use crate::report::number::counted;
use crate::report::rule_table::{named, tested};
use crate::semantics::operator::{Binding, Reason};
use std::collections::{BTreeMap, BTreeSet};

/// The part of a section that names rejections by accident.
pub(super) const ACCIDENT: &str = "by-accident";
/// The most clauses of a cause with their statements.
const MAX_CLAUSES: usize = 3;

/// Writes the section.
pub(super) fn write<'a>(
    page: &mut String,
    stream: &'a Stream,
    adapters: &[Adapter<'a>],
    adapter: &Adapter<'a>,
) {
    let extent = Extent::of(stream, adapter);
    *page += &format!("## {}\n\n", text(adapter.name));
    let claims = adapter.configurations.iter();
    let claims = claims.map(|backend| (claim(&extent, backend), label(backend)));
    for (claim, labels) in claims.grouped() {
        *page += &format!("{}: {claim}.\n\n", labels.join(" and "));
    }
    if adapter.configurations.iter().all(|of| is_right(of)) {
        page.push_str("No failed trial.\n\n");
    }
    for (at, cause) in adapter.causes.iter().enumerate() {
        let (number, description) = (at + 1, text(&cause.description));
        let anchor = anchor(adapter.name, &number.to_string());
        *page += &format!("<a id=\"{anchor}\"></a>\n\n");
        *page += &format!("### {number}. {} · {description}\n\n", cause.title());
        if let Some(thread) = cause.entries().iter().find_map(|of| of.disputed.as_ref()) {
            *page += &format!("- **disputed**: {}\n", link(thread));
        }
        let (parts, count) = (affected(&extent, adapter, cause), cause.trials.len());
        *page += &format!("- in: {parts} · {}\n", counted(count, "trial"));
        let Some(smallest) = cause.smallest() else {
            continue;
        };
        match cause.told_by(adapters) {
            Some((other, number)) => {
                let (number, name) = (number + 1, text(other.name));
                let anchor = self::anchor(other.name, &number.to_string());
                let place = format!("a cause of {name}, [{number}. there](#{anchor})");
                *page += &format!("- {place}, which shows through this backend\n");
                commands(page, adapter, cause, smallest);
                page.push('\n');
            }
            None => {
                what_is_wrong(page, stream, smallest);
                commands(page, adapter, cause, smallest);
                reported(page, cause);
            }
        }
    }
    for backend in &adapter.configurations {
        notes(page, adapter, backend);
    }
    own_faults(page, adapter);
}

/// What is no failure: trials that the machine cannot run, and rejections by accident.
fn notes(page: &mut String, adapter: &Adapter<'_>, backend: &Digest<'_>) {
    for (reason, count) in &backend.verdicts.unavailable {
        let (label, reason) = (label(backend), text(reason));
        *page +=
            &format!("{label}: {count} trials are skipped because of the machine: {reason}.\n\n");
    }
    let accidents = accidents(backend);
    if accidents.is_empty() {
        return;
    }
    let anchor = anchor(adapter.name, ACCIDENT);
    *page += &format!("<a id=\"{anchor}\"></a>\n\n");
    let label = label(backend);
    *page +=
        &format!("{label}: rejected by accident, by an internal error instead of a check:\n\n");
    for (words, trials) in accidents {
        let example = trials.first().map(|of| code(&of.trial)).unwrap_or_default();
        let (words, count) = (text(&words), counted(trials.len(), "trial"));
        *page += &format!("- {words}: {count}, such as `{example}`\n");
    }
    page.push('\n');
}

/// The rejections by accident, by the backend's message without numbers.
pub(super) fn accidents<'a>(backend: &Digest<'a>) -> BTreeMap<String, Vec<&'a TrialRecord>> {
    let accidents = backend.records.trials.iter().filter_map(|trial| {
        let first = trial.accident()?.lines().next().unwrap_or_default();
        let words = quoted(std::iter::once(first)).concat();
        let words = words.split(|c: char| c.is_ascii_digit());
        Some((words.filter(|part| !part.is_empty()).joined("N"), trial))
    });
    accidents.sorted()
}

/// The target of a link to a part of an adapter's section.
pub(super) fn anchor(adapter: &str, part: &str) -> String {
    format!("{adapter}-{part}").replace(|c: char| !c.is_ascii_alphanumeric(), "-")
}

/// The operators with a trial that the backend was asked.
pub(super) fn operators<'a>(backend: &Digest<'a>) -> BTreeSet<&'a str> {
    asked(backend).map(|trial| trial.operator()).collect()
}

fn asked<'a>(backend: &Digest<'a>) -> impl Iterator<Item = &'a TrialRecord> {
    let trials = backend.records.trials.iter();
    trials.filter(|trial| trial.verdict != VerdictKind::Skipped)
}

/// The operators of a backend, and the parts that it does not claim.
fn claim(extent: &Extent<'_>, backend: &Digest<'_>) -> String {
    let operators = operators(backend);
    let of_operators = || {
        let trials = backend.records.trials.iter();
        trials.filter(|trial| operators.contains(trial.operator()))
    };
    let never = |part: fn(&TrialRecord) -> &str| {
        let asked: BTreeSet<&str> = asked(backend).map(part).collect();
        let all: BTreeSet<&str> = of_operators().map(part).collect();
        all.difference(&asked).map(|name| text(name)).joined(", ")
    };
    let parts = [
        ("element types", never(|trial| trial.element_type())),
        ("bindings", never(|trial| way(trial).0)),
    ];
    let parts = parts.iter().filter(|(_, names)| !names.is_empty());
    let parts = parts.map(|(what, names)| format!("; not asked with the {what} {names}"));
    let parts: String = parts.collect();
    let count = |is: fn(&TrialRecord) -> bool| {
        let skipped = of_operators().filter(|of| of.verdict == VerdictKind::Skipped);
        skipped.filter(|of| is(of)).count()
    };
    let not_claimed = count(|of| of.outcome.is_none() && of.outside_sample.is_none());
    let declined = match count(|of| of.outcome.is_some()) {
        0 => String::new(),
        declined => {
            format!("; {declined} that it was asked could not be judged, or it declined them")
        }
    };
    let sampled = backend.verdicts.sampled();
    let sampled = sampled.map_or_else(String::new, |of| format!(" ({})", text(&of.to_string())));
    let operators = in_order(&extent.operators, &operators);
    match not_claimed {
        0 => format!("asked {operators}{sampled}, all of them{declined}"),
        _ => format!(
            "asked {operators}{sampled}{parts}; its manifest leaves out {not_claimed} of their trials{declined}"
        ),
    }
}

/// What the text says, and what came instead.
fn what_is_wrong(page: &mut String, stream: &Stream, smallest: &TrialRecord) {
    let case = stream.case(smallest).map(|(_, operator)| operator);
    let expected = case.map(CaseOperator::expected);
    let open = case.filter(|_| expected == Some(Expected::Open));
    let demands_error = matches!(expected, Some(Expected::Rejected(_)));
    let is_named = !named(smallest).is_empty();
    // Where the text leaves the answer open, no clause applies to the inferred shape.
    let clauses = match (open, smallest.failure) {
        (Some(_), Some(FailureKind::WrongInference)) => Vec::new(),
        // No text allows this, and none needs to forbid it. If a text demands an error, say so.
        _ if smallest.ends_or_hangs() && !(demands_error && is_named) => Vec::new(),
        _ if smallest.severity() == Some(Severity::BesideReshape) => Vec::new(),
        _ => tested(stream, smallest),
    };
    for id in clauses.into_iter().take(MAX_CLAUSES) {
        let clause = stream.clause(id);
        let description = clause.map_or_else(String::new, |clause| {
            format!(" ({}): {}", clause.level, text(&clause.description))
        });
        *page += &format!("- text: `{}`{description}\n", code(id));
    }
    if let Some(case) = open {
        *page += &format!("- allowed: {}\n", text(&case.expects));
    }
    if let Some(model) = model(smallest) {
        *page += &format!("- model: {model}\n");
    }
    let lines = match (&smallest.detail, case) {
        (Some(detail), _) => diff::without_colour(&detail.diff),
        (None, Some(case)) => vec![
            format!("{}{}", smallest.element_type(), case.asks),
            format!("expected  {}", in_words(case)),
            format!("got       not run for this page{}", known(smallest)),
        ],
        (None, None) => Vec::new(),
    };
    if !lines.is_empty() {
        let lines = quoted(lines.iter().flat_map(|line| line.lines()));
        *page += &format!("\n{}\n\n", fenced(&lines.join("\n")));
    }
}

/// The known result of a trial that is not run; empty if the stream does not have it.
fn known(trial: &TrialRecord) -> &'static str {
    let entry = trial.known_failure_entry.as_ref();
    match entry.and_then(|entry| entry.outcome) {
        Some(VerdictKind::Crashed) => ": known to end the process",
        Some(VerdictKind::TimedOut) => ": known not to answer in time",
        Some(VerdictKind::OutOfMemory) => ": known to run out of memory",
        Some(VerdictKind::ProtocolError) => ": known to break the protocol",
        Some(_) | None => "",
    }
}

/// A case's expectation in the words of failures: with reasons in words, and not by their ids.
fn in_words(case: &CaseOperator) -> String {
    let Expected::Rejected(reasons) = case.expected() else {
        return case.expects.clone();
    };
    let reasons = reasons.into_iter().map(str::parse::<Reason>);
    let description = reasons.map(|reason| reason.map(Reason::description));
    match description.collect::<Result<Vec<_>, _>>() {
        Ok(description) => format!("a rejection: {}", description.join("; ")),
        Err(_) => case.expects.clone(),
    }
}

/// The model of a trial, in words; `None` for a binding or a surrounding that this program does not have.
fn model(trial: &TrialRecord) -> Option<String> {
    let (binding, surrounding) = way(trial);
    let binding = binding.parse::<Binding>().ok()?.description();
    match surrounding.is_empty() {
        true => Some(binding),
        false => {
            let surrounding = surrounding.parse::<Surrounding>().ok()?;
            let around = surrounding.description();
            let is_joined = Surrounding::JOINED.contains(&surrounding);
            // Then the binding says less about the target.
            Some(match binding.split_once("; ").filter(|_| is_joined) {
                Some((_, rest)) => format!("{around}; {rest}"),
                None => format!("{binding}; {around}"),
            })
        }
    }
}

/// The commands that show it.
fn commands(page: &mut String, adapter: &Adapter<'_>, cause: &Cause<'_>, smallest: &TrialRecord) {
    let name = code(adapter.name);
    if let Some(id) = cause.id {
        let id = code(id);
        *page +=
            &format!("- by a script of its own: `cargo xtask reproduce {name} --cause {id}`\n");
    }
    let again = smallest.again();
    let arguments = match again.and_then(|again| again.strip_prefix("reshape-conformance run")) {
        // Without the folders of adapters on the machine of the run.
        Some(arguments) => {
            let places = ["dir ", "adapters "];
            let options = arguments.split(" --");
            let options = options.filter(|of| !places.iter().any(|place| of.starts_with(place)));
            options.joined(" --")
        }
        // A trial that was not run has no command of its own.
        None => format!(
            " --adapter {} --exact '{}'",
            smallest.backend, smallest.trial
        ),
    };
    let arguments = code(&arguments);
    *page +=
        &format!("- by this suite: `cargo run --release -- run --no-known-failures{arguments}`\n");
}

/// Where it is reported, and related threads.
fn reported(page: &mut String, cause: &Cause<'_>) {
    let entries = cause.entries();
    let list = |addresses: BTreeSet<&String>| addresses.into_iter().map(|of| link(of)).joined(", ");
    let links: BTreeSet<_> = entries.iter().filter_map(|of| of.link.as_ref()).collect();
    let searched = entries.iter().find_map(|of| of.searched.as_ref());
    *page += &match (links.is_empty(), searched) {
        (false, _) => format!("- reported: {}\n", list(links)),
        (true, _) if let Some(absent) = cause.absent_in => {
            format!("- reported: no need, {} no longer has it\n", text(absent))
        }
        (true, Some(searched)) => format!("- reported: not yet; searched: {}\n", text(searched)),
        (true, None) => "- reported: nobody has searched the tracker\n".to_owned(),
    };
    let related: BTreeSet<_> = entries.iter().flat_map(|of| &of.related).collect();
    if !related.is_empty() {
        *page += &format!("- see also: {}\n", list(related));
    }
    page.push('\n');
}

/// A link to an address, or to a file, whose path has no colon.
fn link(to: &str) -> String {
    let name = text(to);
    let target = name.replace('\\', "");
    match to.contains(':') {
        true => format!("<{target}>"),
        false => format!("[{name}](<{target}>)"),
    }
}

/// Where a cause shows: configurations, operators, bindings and element types, each only if it is not everywhere.
fn affected(extent: &Extent<'_>, adapter: &Adapter<'_>, cause: &Cause<'_>) -> String {
    let is_said = |part: &str| match part {
        "configuration" => adapter.configurations.len() > 1,
        "surrounding" => cause.trials.iter().all(|trial| !way(trial).1.is_empty()),
        _ => true,
    };
    let parts = PARTS.iter().zip(&extent.asked);
    let parts = parts.filter(|((part, ..), _)| is_said(part));
    let parts = parts.map(|((_, of, everywhere), asked)| {
        let here: BTreeSet<&str> = cause.trials.iter().map(|trial| of(trial)).collect();
        match here.len() {
            count if count == asked.len() && count > 1 => (*everywhere).to_owned(),
            _ => in_order(&extent.operators, &here),
        }
    });
    parts.joined(" · ")
}

/// A part of a trial: its name, its value, and the words for all values.
type Part = (&'static str, fn(&TrialRecord) -> &str, &'static str);

const PARTS: [Part; 5] = [
    ("configuration", |of| &of.backend, "every configuration"),
    ("operator", |of| of.operator(), "every operator"),
    ("binding", |of| way(of).0, "every binding"),
    ("surrounding", |of| way(of).1, "every surrounding"),
    ("element type", |of| of.element_type(), "any element type"),
];

/// What an adapter was asked, in all configurations together.
struct Extent<'a> {
    /// The operators of the run, in their order.
    operators: Vec<&'a str>,
    /// For each part of a trial, the values that were asked.
    asked: [BTreeSet<&'a str>; PARTS.len()],
}

impl<'a> Extent<'a> {
    fn of(stream: &'a Stream, adapter: &Adapter<'a>) -> Self {
        let configurations = adapter.configurations.iter().copied();
        let trials: Vec<&'a TrialRecord> = configurations.flat_map(asked).collect();
        Self {
            operators: appendix::operators(stream),
            asked: PARTS.map(|(_, of, _)| trials.iter().copied().map(of).collect()),
        }
    }
}

/// The binding, and the surrounding; empty for a node alone.
pub(super) fn way(trial: &TrialRecord) -> (&str, &str) {
    let way = trial.binding();
    way.split_once('+').unwrap_or((way, ""))
}

/// Names by operator, then by name. Within a family only the first is named in full: `onnx.Reshape-13, -14`.
fn in_order(order: &[&str], names: &BTreeSet<&str>) -> String {
    let mut names: Vec<_> = names.iter().copied().collect();
    names.sort_by_key(|name| order.iter().position(|other| other == name));
    let mut family = None;
    let short = names.into_iter().map(|name| match name.rsplit_once('-') {
        Some((before, version)) if name.contains('.') => {
            match family.replace(before) == Some(before) {
                true => format!("-{version}"),
                false => text(name),
            }
        }
        _ => text(name),
    });
    short.joined(", ")
}

/// What does not concern the backend.
fn own_faults(page: &mut String, adapter: &Adapter<'_>) {
    let Some(first) = adapter.own_faults.first() else {
        return;
    };
    *page += &format!(
        "Not the backend's: in {} trials the adapter is at fault, such as `{}`.\n\n",
        adapter.own_faults.len(),
        code(&first.trial)
    );
}
