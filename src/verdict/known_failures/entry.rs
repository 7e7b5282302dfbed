//! The entries of a file of known failures, and the check of their fields.

use crate::event::{FailureKind, Severity, VerdictKind};
use crate::names::suggestion;
use crate::semantics::operator::Rule;
use crate::suite::case::Expectation;
use crate::suite::glob::Glob;
use crate::verdict::judge::is_possible;
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
    /// The addresses of related threads.
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
const SYSTEMS: &[&str] = &[
    "linux",
    "macos",
    "windows",
    "android",
    "ios",
    "freebsd",
    "dragonfly",
    "netbsd",
    "openbsd",
    "solaris",
];

/// The fields of an entry.
const ENTRY: &[Field] = fields! {
    required trials: "Patterns over names of trials; at least one.",
    optional when: "When the entry holds; by default, always.",
    required outcome: "The verdict of the trials, such as `failed` or `crashed`.",
    optional failure: "How the outcome of a failed trial differs from the text.",
    required reason: "Why they fail, in a sentence.",
    optional link: "The issue in the backend's tracker.",
    optional related: "Related threads.",
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
        "outcome" => one_of(red().map(VerdictKind::name)),
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
    /// The entry in a mapping; `None` if any part of it is faulty.
    pub(super) fn read(faults: &mut Faults<'_>, node: &Node) -> Option<Self> {
        let before = faults.found.len();
        let (known, title) = match node.get("deaths") {
            Some(_) => (DEATHS, "deaths"),
            None => (ENTRY, "trials"),
        };
        let fields = Mapping::read(faults, node, "an entry", known, title)?;
        let deaths = fields.get("deaths");
        let deaths = deaths.and_then(|node| faults.named::<NonZeroU64>(node, "`deaths`"));
        let deaths = deaths.map(NonZeroU64::get);
        let message = fields.get("message").and_then(|node| {
            let hint = "write a part of the message, such as `signal: 6`, or omit `message`";
            words(faults, node, "message", hint)
        });
        let patterns = fields.get("trials").and_then(|node| patterns(faults, node));
        let when = fields.get("when");
        let when = when.and_then(|node| Mapping::read(faults, node, "`when`", WHEN, ""));
        let version = when.as_ref().and_then(|when| when.get("version"));
        let version = version.and_then(|node| glob(faults, node));
        let os = when.as_ref().and_then(|when| when.get("os"));
        let os = os.and_then(|node| {
            let text = &faults.scalar(node, "`os`")?.text;
            let known = SYSTEMS.iter().copied().find(|name| name == text);
            known.or_else(|| unknown(faults, node, "operating system", SYSTEMS.iter().copied()))
        });
        let outcome = fields.get("outcome").and_then(|node| {
            let name = &faults.scalar(node, "`outcome`")?.text;
            let named = red().find(|kind| kind.name() == name);
            named.or_else(|| unknown(faults, node, "outcome", red().map(VerdictKind::name)))
        });
        let failure = fields.get("failure");
        let failure = failure.and_then(|node| failure_kind(faults, node, outcome));
        let reason = fields.get("reason");
        let reason = reason
            .and_then(|node| words(faults, node, "reason", "write why it fails, in a sentence"));
        let text = |faults: &mut Faults<'_>, name: &str| {
            let node = fields.get(name)?;
            Some(faults.scalar(node, &format!("`{name}`"))?.text.clone())
        };
        let [link, searched, disputed, absent_in] =
            ["link", "searched", "disputed", "absent_in"].map(|name| text(faults, name));
        let related = fields.get("related").and_then(|node| {
            let items = faults.list(node, "related")?;
            faults.each(items, |faults, of| {
                Some(faults.scalar(of, "an address")?.text.clone())
            })
        });
        let cause = fields.get("cause").and_then(|node| cause(faults, node));
        let severity = fields.get("severity").and_then(|node| {
            let named = faults.scalar(node, "`severity`")?.text.parse().ok();
            let names = Severity::ALL.iter().map(|of| of.name());
            named.or_else(|| unknown(faults, node, "severity", names))
        });
        let example = text(faults, "example");
        let rules = fields.get("rules").and_then(|node| rules(faults, node));
        let mut flag = |name: &str| {
            let node = fields.get(name);
            node.and_then(|node| faults.flag(node, &format!("`{name}`")))
        };
        let (flaky, quarantine) = (flag("flaky"), flag("quarantine"));
        if faults.found.len() > before {
            return None;
        }
        Some(Self {
            span: node.span(faults.source),
            patterns: patterns.or_else(|| deaths.map(|_| Vec::new()))?,
            version,
            os,
            outcome: outcome.or(deaths.map(|_| VerdictKind::Crashed))?,
            failure,
            reason: reason?,
            link,
            related: related.unwrap_or_default(),
            searched,
            disputed,
            absent_in,
            cause,
            severity,
            example,
            rules: rules.unwrap_or_default(),
            flaky: flaky.unwrap_or_default(),
            quarantine: quarantine.unwrap_or_default(),
            deaths,
            message,
        })
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

fn patterns(faults: &mut Faults<'_>, node: &Node) -> Option<Vec<Pattern>> {
    let items = faults.list(node, "trials")?;
    if items.is_empty() {
        return faults.wrong(node, "an entry without trials", "name at least one pattern");
    }
    faults.each(items, |faults, item| {
        Some(Pattern {
            text: faults.scalar(item, "a pattern")?.text.clone(),
            span: item.span(faults.source),
            matcher: glob(faults, item)?,
        })
    })
}

fn rules(faults: &mut Faults<'_>, node: &Node) -> Option<Vec<Rule>> {
    let items = faults.list(node, "rules")?;
    if items.is_empty() {
        return faults.wrong(node, "no rules", "name at least one, or omit `rules`");
    }
    faults.each(items, |faults, item| {
        let named = faults.scalar(item, "a rule")?.text.parse().ok();
        named.or_else(|| unknown(faults, item, "rule", Rule::ALL.iter().map(|of| of.name())))
    })
}

fn glob(faults: &mut Faults<'_>, node: &Node) -> Option<Glob> {
    match Glob::new(&faults.scalar(node, "a pattern")?.text) {
        Ok(glob) => Some(glob),
        Err(why) => faults.wrong(node, why, ""),
    }
}

/// A text that is not empty.
fn words(faults: &mut Faults<'_>, node: &Node, name: &str, hint: &str) -> Option<String> {
    let text = &faults.scalar(node, &format!("`{name}`"))?.text;
    if text.trim().is_empty() {
        return faults.wrong(node, format!("an empty {name}"), hint);
    }
    Some(text.clone())
}

/// The red verdicts that an entry can expect. `lost` and `stateful` are not among them, because an entry concerns a
/// single run of a trial.
fn red() -> impl Iterator<Item = VerdictKind> {
    let kinds = VerdictKind::ALL.iter().copied();
    kinds.filter(|kind| kind.is_red() && !matches!(kind, VerdictKind::Lost | VerdictKind::Stateful))
}

/// The id of a cause: lowercase words and digits, joined by `-`, because it names a file. The cause of another adapter,
/// which shows through this backend, has that adapter's name and a `/` in front.
fn cause(faults: &mut Faults<'_>, node: &Node) -> Option<String> {
    let is_word = |word: &str| {
        let mut characters = word.chars();
        !word.is_empty() && characters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    let is_id = |id: &str| id.split('-').all(is_word);
    let text = &faults.scalar(node, "`cause`")?.text;
    let (adapter, id) = match text.split_once('/') {
        Some((adapter, id)) => (Some(adapter), id),
        None => (None, text.as_str()),
    };
    if is_id(id) && adapter.is_none_or(is_id) {
        return Some(text.clone());
    }
    let hint = "use lowercase letters and digits, joined by '-', such as `counts-wrap-in-64-bits`; or \
                `openvino/counts-wrap` for a cause of another adapter";
    faults.wrong(node, "not a valid id of a cause", hint)
}

/// The kind of failure of trials with this outcome. An `outcome` of `None` is a fault already.
fn failure_kind(
    faults: &mut Faults<'_>,
    node: &Node,
    outcome: Option<VerdictKind>,
) -> Option<FailureKind> {
    if let Some(outcome) = outcome.filter(|outcome| *outcome != VerdictKind::Failed) {
        let message = format!(
            "an entry with `outcome: {}` cannot have a `failure`",
            outcome.name()
        );
        let hint = "remove `failure`, or write `outcome: failed`";
        return faults.wrong(node, message, hint);
    }
    let named = faults.scalar(node, "`failure`")?.text.parse().ok();
    let names = FailureKind::ALL.iter().map(|kind| kind.name());
    named.or_else(|| unknown(faults, node, "failure", names))
}

fn unknown<'a, T>(
    faults: &mut Faults<'_>,
    node: &Node,
    what: &str,
    names: impl Iterator<Item = &'a str>,
) -> Option<T> {
    let text = &faults.scalar(node, what)?.text;
    let names: Vec<_> = names.collect();
    let all = format!("write one of {}", names.join(", "));
    let hint = suggestion(text, names.iter().copied(), all);
    faults.wrong(node, format!("unknown {what} '{text}'"), hint)
}
