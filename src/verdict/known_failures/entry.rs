//! The entries of a file of known failures, and the check of their fields.

use crate::event::{FailureKind, Severity, VerdictKind};
use crate::names::{Joined, suggestion};
use crate::semantics::operator::Rule;
use crate::suite::case::{Expectation, is_hyphenated};
use crate::suite::glob::Glob;
use crate::verdict::judge::is_possible;
use crate::yaml::read::{Read, flag, one, text, texts};
use crate::yaml::{Faults, Field, Mapping, Node, fields};
use std::num::NonZeroU64;
use std::ops::Range;

/// A reason, with the trials that it explains.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) span: Range<usize>,
    pub(super) patterns: Vec<Pattern>,
    pub(super) version: Option<Glob>,
    pub(super) os: Option<&'static str>,
    pub(super) outcome: VerdictKind,
    pub(super) failure: Option<FailureKind>,
    pub(super) reason: String,
    pub(super) link: Option<String>,
    /// The addresses of related threads, and related files, from the folder of the results page.
    pub(super) related: Vec<String>,
    /// The search of the tracker and its date, if the search found nothing.
    pub(super) searched: Option<String>,
    /// The address of the thread that disputes it.
    pub(super) disputed: Option<String>,
    /// The newer release that no longer has it.
    pub(super) absent_in: Option<String>,
    pub(super) cause: Option<String>,
    pub(super) severity: Option<Severity>,
    /// The name of the trial that shows the cause best.
    pub(super) example: Option<String>,
    /// The rules that the cause breaks; empty if the entry names no rule.
    pub(super) rules: Vec<Rule>,
    pub(super) flaky: bool,
    pub(super) quarantine: bool,
    /// The most deaths for which no trial can be blamed; `None` if it concerns trials.
    pub(super) deaths: Option<u64>,
    /// A part of the runner's message about these deaths; `None` if it concerns all of them.
    pub(super) message: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Pattern {
    pub(super) text: String,
    pub(super) span: Range<usize>,
    pub(super) matcher: Glob,
}

/// The operating systems that a program can be built for, as [`std::env::consts::OS`] names them.
const SYSTEMS: &str = "linux macos windows android ios freebsd dragonfly netbsd openbsd solaris";

/// The fields of an entry.
const ENTRY: &[Field] = fields! {
    required trials: "Patterns over names of trials; at least one.",
    optional when: "When the entry holds; by default, always.",
    required outcome: "The verdict of the trials, such as `failed` or `crashed`.",
    optional failure: "How the outcome of a failed trial differs from the text.",
    required reason: "Why they fail, in a sentence.",
    optional link: "The issue in the backend's tracker.",
    optional related: "Related threads, and files, from the folder of the results page.",
    optional searched: "The search of the tracker and its date, if the search found nothing.",
    optional disputed: "The thread that disputes it.",
    optional absent_in: "The newer release that no longer has it.",
    optional cause: "The id of the cause that the entries of one fault share.",
    optional severity: "The kind of deviation.",
    optional example: "The trial that shows the cause best.",
    optional rules: "The rules that the cause breaks.",
    optional flaky: "Whether they sometimes pass.",
    optional quarantine: "Whether to skip them, because running them does harm.",
};

/// The fields of an entry about deaths.
const DEATHS: &[Field] = fields! {
    required deaths: "The most deaths, hangs and error exits of the process for which no trial can be blamed.",
    optional message: "A part of the runner's message about them, such as `signal: 6`; by default, all deaths count.",
    optional when: "When the entry holds; by default, always.",
    required reason: "Why it dies, in a sentence.",
    optional link: "The issue in the backend's tracker.",
    optional cause: "The id of the cause that the entries of one fault share.",
    optional flaky: "Whether it sometimes runs without a death.",
};

/// The fields of `when`.
const WHEN: &[Field] = fields! {
    optional version: "A glob over the backend's version.",
    optional os: "The operating system.",
};

/// The JSON Schema of a file of known failures.
#[cfg(test)]
pub(crate) fn schema() -> serde_json::Value {
    use crate::yaml::schema::{object, one_of, some, string};
    use serde_json::json;
    let field = |name: &str| match name {
        "trials" | "related" => some(string()),
        "when" => object(WHEN, |_| string()),
        "outcome" => one_of(red().into_iter().map(VerdictKind::name)),
        "failure" => one_of(FailureKind::ALL.iter().map(|of| of.name())),
        "severity" => one_of(Severity::ALL.iter().map(|of| of.name())),
        "rules" => some(one_of(Rule::ALL.iter().map(|of| of.name()))),
        "deaths" => json!({ "type": "integer", "minimum": 1 }),
        "flaky" | "quarantine" => json!({ "type": "boolean", "default": false }),
        _ => string(),
    };
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Known failures",
        "description": "Trials that are expected to fail, and why; docs/known-failures.md is its manual.",
        "type": "array",
        "items": { "oneOf": [object(ENTRY, field), object(DEATHS, field)] },
    })
}

impl Entry {
    /// The entry in a mapping; `None` if any part of it is faulty. A required field that it lacks is a fault.
    pub(super) fn read(faults: &mut Faults<'_>, node: &Node) -> Option<Self> {
        let before = faults.found.len();
        let (known, title) = match node.get("deaths") {
            Some(_) => (DEATHS, "deaths"),
            None => (ENTRY, "trials"),
        };
        let fields = Mapping::read(faults, node, "an entry", known, title)?;
        let when = fields.get("when");
        let when = when.and_then(|node| Mapping::read(faults, node, "`when`", WHEN, ""));
        let when = when.as_ref();
        let outcome = named("outcome", red(), VerdictKind::name);
        let outcome = fields.value(faults, "outcome", outcome);
        let severity = named("severity", Severity::ALL.to_vec(), Severity::name);
        let systems: Vec<_> = SYSTEMS.split(' ').collect();
        let system = named("operating system", systems, |name| name);
        let reason = words("write why it fails, in a sentence");
        let message = words("write a part of the message, such as `signal: 6`, or omit `message`");
        let entry = Self {
            span: node.span(),
            patterns: fields.value(faults, "trials", patterns).unwrap_or_default(),
            version: when.and_then(|when| when.value(faults, "version", glob)),
            os: when.and_then(|when| when.value(faults, "os", system)),
            outcome: outcome.unwrap_or(VerdictKind::Crashed),
            failure: fields.value(faults, "failure", failure(outcome)),
            reason: fields.value(faults, "reason", reason).unwrap_or_default(),
            link: fields.value(faults, "link", text),
            related: fields.value(faults, "related", texts).unwrap_or_default(),
            searched: fields.value(faults, "searched", text),
            disputed: fields.value(faults, "disputed", text),
            absent_in: fields.value(faults, "absent_in", text),
            cause: fields.value(faults, "cause", cause),
            severity: fields.value(faults, "severity", severity),
            example: fields.value(faults, "example", text),
            rules: fields.value(faults, "rules", rules).unwrap_or_default(),
            flaky: fields.value(faults, "flaky", flag).unwrap_or_default(),
            quarantine: fields.value(faults, "quarantine", flag).unwrap_or_default(),
            deaths: fields
                .value(faults, "deaths", one("`deaths`"))
                .map(NonZeroU64::get),
            message: fields.value(faults, "message", message),
        };
        (faults.found.len() == before).then_some(entry)
    }

    /// Whether it applies to a trial, in the versions that it is about.
    pub(super) fn is_about(&self, trial: &str, expectation: &Expectation) -> bool {
        let mut patterns = self.patterns.iter();
        let possible = self.failure.is_none_or(|of| is_possible(of, expectation));
        possible && patterns.any(|pattern| pattern.matcher.matches_trial(trial))
    }

    /// Whether its condition holds for this version of the backend on this operating system.
    pub(super) fn applies(&self, version: &str) -> bool {
        self.version
            .as_ref()
            .is_none_or(|glob| glob.is_match(version))
            && self.os.is_none_or(|os| os == std::env::consts::OS)
    }
}

fn patterns(faults: &mut Faults<'_>, node: &Node, _: &str) -> Option<Vec<Pattern>> {
    let items = faults.list(node, "trials")?;
    if items.is_empty() {
        return faults.wrong(node, "an entry without trials", "name at least one pattern");
    }
    faults.each(items, |faults, item| {
        Some(Pattern {
            text: faults.scalar(item, "a pattern")?.text.clone(),
            span: item.span(),
            matcher: glob(faults, item, "")?,
        })
    })
}

fn rules(faults: &mut Faults<'_>, node: &Node, _: &str) -> Option<Vec<Rule>> {
    let items = faults.list(node, "rules")?;
    if items.is_empty() {
        return faults.wrong(node, "no rules", "name at least one, or omit `rules`");
    }
    let rule = named("rule", Rule::ALL.to_vec(), Rule::name);
    faults.each(items, |faults, item| rule(faults, item, ""))
}

fn glob(faults: &mut Faults<'_>, node: &Node, _: &str) -> Option<Glob> {
    match Glob::new(&faults.scalar(node, "a pattern")?.text) {
        Ok(glob) => Some(glob),
        Err(why) => faults.wrong(node, why, ""),
    }
}

/// A text that is not empty.
fn words(hint: &'static str) -> impl Read<String> {
    move |faults, node, name| {
        let text = text(faults, node, name)?;
        match text.trim().is_empty() {
            true => faults.wrong(node, format!("an empty {name}"), hint),
            false => Some(text),
        }
    }
}

/// The red verdicts that an entry can expect; not `lost` and `stateful`, because it concerns a single run.
fn red() -> Vec<VerdictKind> {
    let kinds = VerdictKind::ALL.iter().copied();
    let is_of_one_run = |kind| !matches!(kind, VerdictKind::Lost | VerdictKind::Stateful);
    kinds
        .filter(|kind| kind.is_red() && is_of_one_run(*kind))
        .collect()
}

/// The id of a cause: lowercase words and digits, joined by `-`, because it names a file. The cause of another adapter,
/// which shows through this backend, has that adapter's name and a `/` in front.
fn cause(faults: &mut Faults<'_>, node: &Node, _: &str) -> Option<String> {
    let text = &faults.scalar(node, "`cause`")?.text;
    let (adapter, id) = match text.split_once('/') {
        Some((adapter, id)) => (Some(adapter), id),
        None => (None, text.as_str()),
    };
    if is_hyphenated(id) && adapter.is_none_or(is_hyphenated) {
        return Some(text.clone());
    }
    let hint = "use lowercase letters and digits, joined by '-', such as `counts-wrap-in-64-bits`; or \
                `openvino/counts-wrap` for a cause of another adapter";
    faults.wrong(node, "not a valid id of a cause", hint)
}

/// The kind of failure of trials with this outcome. An `outcome` of `None` is a fault already.
fn failure(outcome: Option<VerdictKind>) -> impl Read<FailureKind> {
    let kind = named("failure", FailureKind::ALL.to_vec(), FailureKind::name);
    let other = outcome.filter(|outcome| *outcome != VerdictKind::Failed);
    move |faults, node, name| {
        let Some(other) = other else {
            return kind(faults, node, name);
        };
        let message = format!("an entry with `outcome: {other}` cannot have a `failure`");
        let hint = "remove `failure`, or write `outcome: failed`";
        faults.wrong(node, message, hint)
    }
}

/// One of these, by its name. `what` is what the value names.
fn named<T: Copy>(
    what: &'static str,
    all: Vec<T>,
    name: impl Fn(T) -> &'static str,
) -> impl Read<T> {
    move |faults, node, field| {
        let noun = match field {
            "" => format!("a {what}"),
            field => format!("`{field}`"),
        };
        let text = &faults.scalar(node, &noun)?.text;
        let named = all.iter().find(|of| name(**of) == text);
        named.copied().or_else(|| {
            let names = all.iter().map(|of| name(*of));
            let all = format!("write one of {}", names.clone().joined(", "));
            let hint = suggestion(text, names, all);
            faults.wrong(node, format!("unknown {what} '{text}'"), hint)
        })
    }
}
