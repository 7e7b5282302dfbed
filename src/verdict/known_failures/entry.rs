//! The entries of a file, read and checked.

use crate::error::{Fault, Source};
use crate::event::{FailureKind, Severity, VerdictKind};
use crate::suite::glob::Glob;
use crate::yaml::{self, Spanned};
use serde::Deserialize;
use std::ops::Range;

/// A reason, with the trials that it explains.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) span: Range<usize>,
    pub(super) patterns: Vec<Pattern>,
    pub(super) version: Option<Glob>,
    pub(super) os: Option<String>,
    pub(super) outcome: VerdictKind,
    pub(super) failure: Option<FailureKind>,
    pub(super) reason: String,
    pub(super) link: Option<String>,
    pub(super) cause: Option<String>,
    pub(super) severity: Option<Severity>,
    pub(super) flaky: bool,
    pub(super) quarantine: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Pattern {
    pub(super) text: String,
    pub(super) span: Range<usize>,
    pub(super) matcher: Glob,
}

/// Trials that are expected to fail, and why.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct FileEntry {
    /// Patterns over names of trials; at least one.
    #[cfg_attr(test, schemars(with = "Vec<String>", length(min = 1)))]
    trials: Vec<Spanned<String>>,
    /// When the entry holds; always without it.
    #[serde(default)]
    when: FileWhen,
    /// What comes of the trials, such as `failed` or `crashed`.
    #[cfg_attr(test, schemars(with = "String"))]
    outcome: Spanned<String>,
    /// How the outcome of a failed trial differs from the text.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    failure: Option<Spanned<String>>,
    /// Why they fail, in a sentence.
    #[cfg_attr(test, schemars(with = "String"))]
    reason: Spanned<String>,
    /// The issue in the backend's tracker.
    link: Option<String>,
    /// The id of the cause that the entries of one fault share.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    cause: Option<Spanned<String>>,
    /// How bad it is.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    severity: Option<Spanned<String>>,
    /// Whether they also pass at times.
    #[serde(default)]
    flaky: bool,
    /// Whether they are not run, since that does harm.
    #[serde(default)]
    quarantine: bool,
}

/// When an entry holds.
#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct FileWhen {
    /// A glob over the backend's version.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    version: Option<Spanned<String>>,
    /// The operating system.
    os: Option<String>,
}

/// The JSON Schema of a file of known failures.
#[cfg(test)]
pub(crate) fn schema() -> schemars::Schema {
    schemars::schema_for!(Vec<FileEntry>)
}

impl Entry {
    pub(super) fn read(source: &Source, placed: Spanned<FileEntry>) -> Result<Self, Fault> {
        let span = yaml::span(source, &placed);
        let file = placed.value;
        let fault = |span, message: &str| Fault::new(source, span, message);
        if file.reason.value.trim().is_empty() {
            return Err(fault(yaml::span(source, &file.reason), "an empty reason")
                .hint("say why it fails, in a sentence"));
        }
        if file.trials.is_empty() {
            return Err(fault(span, "an entry without trials"));
        }
        let version = file.when.version.as_ref();
        let outcome = outcome(source, &file.outcome)?;
        let failure = file.failure.as_ref();
        let failure = failure
            .map(|text| failure_kind(source, text, outcome))
            .transpose()?;
        let cause = file.cause.as_ref().map(|text| cause(source, text));
        let severity = file.severity.as_ref().map(|text| severity(source, text));
        let patterns = file.trials.iter().map(|text| Pattern::read(source, text));
        Ok(Self {
            patterns: patterns.collect::<Result<_, _>>()?,
            version: version.map(|text| glob(source, text)).transpose()?,
            os: file.when.os,
            outcome,
            failure,
            reason: file.reason.value,
            link: file.link,
            cause: cause.transpose()?,
            severity: severity.transpose()?,
            flaky: file.flaky,
            quarantine: file.quarantine,
            span,
        })
    }

    /// Whether its condition holds for this version of the backend on this operating system.
    pub(super) fn applies(&self, version: &str) -> bool {
        self.version
            .as_ref()
            .is_none_or(|glob| glob.is_match(version))
            && self.os.as_ref().is_none_or(|os| os == std::env::consts::OS)
    }
}

impl Pattern {
    fn read(source: &Source, text: &Spanned<String>) -> Result<Self, Fault> {
        Ok(Self {
            text: text.value.clone(),
            span: yaml::span(source, text),
            matcher: glob(source, text)?,
        })
    }
}

fn glob(source: &Source, text: &Spanned<String>) -> Result<Glob, Fault> {
    Glob::new(&text.value).map_err(|error| Fault::new(source, yaml::span(source, text), error))
}

/// A red verdict. `lost` and `stateful` are none: an entry expects what a trial does when it is run once.
fn outcome(source: &Source, text: &Spanned<String>) -> Result<VerdictKind, Fault> {
    let kinds = VerdictKind::ALL.iter().copied();
    let red = kinds
        .filter(|kind| kind.is_red() && !matches!(kind, VerdictKind::Lost | VerdictKind::Stateful));
    red.clone()
        .find(|kind| kind.name() == text.value)
        .ok_or_else(|| unknown(source, text, "outcome", red.map(VerdictKind::name)))
}

/// The id of a cause: words of small letters and digits, joined by `-`, so that it can name a file.
fn cause(source: &Source, text: &Spanned<String>) -> Result<String, Fault> {
    let is_word = |word: &str| {
        let mut characters = word.chars();
        !word.is_empty() && characters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    if text.value.split('-').all(is_word) {
        return Ok(text.value.clone());
    }
    let fault = Fault::new(source, yaml::span(source, text), "not the id of a cause");
    Err(fault.hint("small letters and digits, joined by '-', such as `counts-wrap-in-64-bits`"))
}

fn severity(source: &Source, text: &Spanned<String>) -> Result<Severity, Fault> {
    let named = text.value.parse();
    named.map_err(|_| {
        unknown(
            source,
            text,
            "severity",
            Severity::ALL.iter().map(|of| of.name()),
        )
    })
}

/// The kind of failure that an entry expects of trials with this outcome.
fn failure_kind(
    source: &Source,
    text: &Spanned<String>,
    outcome: VerdictKind,
) -> Result<FailureKind, Fault> {
    if outcome != VerdictKind::Failed {
        let message = format!(
            "no entry with `outcome: {}` has a `failure`",
            outcome.name()
        );
        let fault = Fault::new(source, yaml::span(source, text), message);
        return Err(fault.hint("leave `failure` out, or write `outcome: failed`"));
    }
    FailureKind::named(&text.value).ok_or_else(|| {
        let names = FailureKind::ALL.iter().map(|kind| kind.name());
        unknown(source, text, "failure", names)
    })
}

fn unknown<'a>(
    source: &Source,
    text: &Spanned<String>,
    what: &str,
    names: impl Iterator<Item = &'a str>,
) -> Fault {
    let message = format!("there is no {what} '{}'", text.value);
    let names: Vec<_> = names.collect();
    Fault::new(source, yaml::span(source, text), message)
        .hint(format!("one of {}", names.join(", ")))
}
