//! JUnit XML, for the viewers of CI systems: a suite for each backend and operator, a test for each trial. Before them a
//! suite of the findings: viewers begin with a list of names, and the names of trials do not say why they failed.
//!
//! What the viewers know is success, failure, error and skipped. So a known failure, what a backend does not claim and what
//! is quarantined are skipped, each with its own words; an unexpected pass is a failure of a type of its own.

use super::cause::{again, as_mutants, sentence};
use super::diff;
use super::known_failure::{reason, red_fixed_entries};
use crate::event::stream::{BackendRecords, Stream};
use crate::event::{FailureKind, VerdictKind};
use crate::event::{Finding, TrialRecord};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// The whole run.
pub(crate) fn render(stream: &Stream) -> Result<String, String> {
    let baseline = stream.run.baseline.is_some();
    let mut suites = Vec::from_iter(missing(stream));
    for backend in &stream.backends {
        let causes = backend.causes();
        let mut operators: BTreeMap<&str, Suite> = BTreeMap::new();
        for trial in &backend.trials {
            let suite = operators
                .entry(&trial.operator)
                .or_insert_with(|| of_operator(stream, backend, &trial.operator));
            let cause = causes
                .get(trial.trial.as_str())
                .map(|finding| sentence(&finding.cause));
            let took = Duration::from_micros(trial.microseconds);
            suite.time = suite.time.map(|time| time.saturating_add(took));
            suite
                .tests
                .push(test(stream, backend, trial, cause.as_deref(), baseline));
        }
        suites.extend(findings(backend));
        suites.extend(operators.into_values());
        suites.extend(known_failures(stream, backend));
        suites.extend(unattributed(backend));
        suites.extend(growth(backend));
    }
    let sum = |count: fn(&Suite) -> usize| suites.iter().map(count).sum::<usize>().to_string();
    let time: Duration = suites.iter().filter_map(|suite| suite.time).sum();
    // Jenkins' xUnit plugin checks against a schema whose root counts no skipped tests.
    let root = Element::new("testsuites")
        .with("name", "reshape-conformance")
        .with("tests", &sum(|suite| suite.tests.len()))
        .with("failures", &sum(|suite| suite.count("failure")))
        .with("errors", &sum(|suite| suite.count("error")))
        .with("time", &seconds(time));
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{}>",
        root.start
    );
    for suite in suites {
        suite.into_element().write(&mut text, 1);
    }
    text.push_str("\n</testsuites>\n");
    Ok(text)
}

/// A `<testsuite>`.
struct Suite {
    name: String,
    /// Of all its tests together; `None` where they took no time.
    time: Option<Duration>,
    properties: Option<Element>,
    tests: Vec<Element>,
}

impl Suite {
    /// How many of its tests have such a child.
    fn count(&self, child: &str) -> usize {
        let has = |test: &&Element| test.children.iter().any(|element| element.name == child);
        self.tests.iter().filter(has).count()
    }

    fn into_element(self) -> Element {
        let mut element = Element::new("testsuite")
            .with("name", &self.name)
            .with("tests", &self.tests.len().to_string())
            .with("skipped", &self.count("skipped").to_string())
            .with("errors", &self.count("error").to_string())
            .with("failures", &self.count("failure").to_string());
        if let Some(time) = self.time {
            element = element.with("time", &seconds(time));
        }
        element.children.extend(self.properties);
        element.children.extend(self.tests);
        element
    }
}

/// An element with its children or its text.
struct Element {
    name: &'static str,
    /// The name and the attributes as they are written.
    start: String,
    text: String,
    children: Vec<Element>,
}

impl Element {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            start: name.to_owned(),
            text: String::new(),
            children: Vec::new(),
        }
    }

    fn with(mut self, attribute: &str, value: &str) -> Self {
        for part in [" ", attribute, "=\"", &escaped(value), "\""] {
            self.start.push_str(part);
        }
        self
    }

    fn text(mut self, text: &str) -> Self {
        self.text = escaped(text).into_owned();
        self
    }

    fn child(mut self, child: Element) -> Self {
        self.children.push(child);
        self
    }

    /// On a line of its own, indented.
    fn write(&self, out: &mut String, depth: usize) {
        let indent = depth * 4;
        let _ = write!(out, "\n{:indent$}<{}", "", self.start);
        if self.text.is_empty() && self.children.is_empty() {
            out.push_str("/>");
            return;
        }
        let _ = write!(out, ">{}", self.text);
        for child in &self.children {
            child.write(out, depth + 1);
        }
        if !self.children.is_empty() {
            let _ = write!(out, "\n{:indent$}", "");
        }
        let _ = write!(out, "</{}>", self.name);
    }
}

/// Text with its marks escaped, and without control characters, which XML cannot hold.
fn escaped(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && !b"<>&'\"".contains(&byte);
    if text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\'' => escaped.push_str("&apos;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push(c),
            c if c.is_control() => {}
            c => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

fn of_operator(stream: &Stream, backend: &BackendRecords, operator: &str) -> Suite {
    let started = &backend.started;
    let property = |name, value: String| {
        Element::new("property")
            .with("name", name)
            .with("value", &value)
    };
    let (run, properties) = (&stream.run, Element::new("properties"));
    Suite {
        name: match started.only_similar {
            true => format!("{} {operator} (a similar function)", started.backend),
            false => format!("{} {operator}", started.backend),
        },
        time: Some(Duration::ZERO),
        properties: Some(
            properties
                .child(property(
                    "backend",
                    format!("{} {}", started.name, started.version),
                ))
                .child(property(
                    "suite",
                    format!("{} {}", run.suite_version, run.suite_hash),
                )),
        ),
        tests: Vec::new(),
    }
}

fn test(
    stream: &Stream,
    backend: &BackendRecords,
    trial: &TrialRecord,
    cause: Option<&str>,
    baseline: bool,
) -> Element {
    let name = format!("{}/{}/{}", trial.case, trial.element_type, trial.binding);
    // Strict readers know no `file` and `line` of a test, so its place is in the text.
    let place = stream
        .case(trial)
        .map(|(case, _)| format!("{}:{}", case.file, case.line));
    let mut test = Element::new("testcase")
        .with("name", &name)
        .with(
            "classname",
            &format!("{}.{}", backend.started.backend, trial.operator),
        )
        .with("time", &seconds(Duration::from_micros(trial.microseconds)));
    test.children
        .extend(status(backend, trial, place.as_deref(), cause, baseline));
    test
}

/// What a test holds; `None` if it succeeded.
fn status(
    backend: &BackendRecords,
    trial: &TrialRecord,
    place: Option<&str>,
    cause: Option<&str>,
    baseline: bool,
) -> Option<Element> {
    let story = || {
        place
            .into_iter()
            .map(|place| format!("{place}\n"))
            .chain([story(backend, trial)])
            .collect::<String>()
    };
    let reason = reason(trial).unwrap_or_default();
    let skipped = |message: &str| Some(Element::new("skipped").with("message", message));
    match trial.verdict {
        VerdictKind::Passed | VerdictKind::Recorded => None,
        VerdictKind::Known => skipped(&format!("known failure: {reason}")),
        VerdictKind::Quarantined => skipped(&format!("quarantined: {reason}")),
        VerdictKind::Skipped if let Some(reason) = &trial.unavailable => {
            skipped(&format!("this machine cannot: {reason}"))
        }
        VerdictKind::Skipped if let Some(sample) = &trial.outside_sample => {
            skipped(&format!("outside the sample of {sample}"))
        }
        VerdictKind::Skipped => skipped("unsupported: the manifest does not claim it"),
        VerdictKind::Unchanged => skipped("fails as it did in the baseline"),
        VerdictKind::Advisory => skipped("fails against what the text only advises"),
        VerdictKind::Fixed if baseline => None,
        VerdictKind::Fixed => {
            let message = format!("it does not fail any more; known failure: {reason}");
            Some(not_passed("failure", &message, "unexpected-pass"))
        }
        VerdictKind::Flaky => {
            let attempts = trial.attempts.iter().map(|kind| kind.name());
            let message = attempts.collect::<Vec<_>>().join(", then ");
            Some(not_passed("flakyFailure", &message, "flaky").text(&story()))
        }
        VerdictKind::Stateful => {
            let name = if trial.failure.is_some() {
                "failure"
            } else {
                "error"
            };
            let message = format!("fails after other trials, passes alone: {}", brief(trial));
            Some(not_passed(name, &message, "stateful").text(&story()))
        }
        VerdictKind::Failed
        | VerdictKind::Lost
        | VerdictKind::Crashed
        | VerdictKind::TimedOut
        | VerdictKind::OutOfMemory
        | VerdictKind::ProtocolError => {
            let failed = matches!(trial.verdict, VerdictKind::Failed | VerdictKind::Lost);
            let name = if failed { "failure" } else { "error" };
            let message = cause.map_or_else(|| brief(trial), str::to_owned);
            let kind = trial
                .failure
                .map_or_else(|| trial.verdict.name(), FailureKind::name);
            Some(not_passed(name, &message, kind).text(&story()))
        }
    }
}

fn not_passed(name: &'static str, message: &str, kind: &str) -> Element {
    Element::new(name)
        .with("message", message)
        .with("type", kind)
}

/// A failure in a line.
pub(super) fn brief(trial: &TrialRecord) -> String {
    let Some(story) = &trial.detail else {
        return trial.verdict.name().to_owned();
    };
    let lines = diff::without_colour(&story.diff);
    lines
        .iter()
        .skip(1)
        .take(2)
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join("; ")
}

/// A failure whole.
pub(super) fn story(backend: &BackendRecords, trial: &TrialRecord) -> String {
    story_with(backend, trial, trial.again())
}

/// The same, with this command.
fn story_with(backend: &BackendRecords, trial: &TrialRecord, again: Option<&str>) -> String {
    let head = format!("{} on {}", trial.trial, backend.started.backend);
    let Some(story) = &trial.detail else {
        return head;
    };
    let steps = story
        .trace
        .iter()
        .enumerate()
        .map(|(index, step)| format!("  {}. {}", index + 1, step.says));
    let known = reason(trial).map(|reason| format!("known to fail in another way: {reason}"));
    let known = known.filter(|_| trial.verdict.is_red());
    let lines = std::iter::once(head)
        .chain(diff::without_colour(&story.diff))
        .chain(known)
        .chain(["what the text says:".to_owned()]);
    lines
        .chain(steps)
        .chain(again.map(|again| format!("again: {again}")))
        .collect::<Vec<_>>()
        .join("\n")
}

/// What went wrong and is no trial's outcome, as a test of its own. It is skipped where that does not make the run red.
fn unattributed(backend: &BackendRecords) -> Option<Suite> {
    let (unattributed, name) = (backend.unattributed()?, &backend.started.backend);
    let says = format!("{name} {unattributed}");
    let element = match backend.died() {
        true => not_passed("error", &says, "died").text(&says),
        false => Element::new("skipped").with("message", &says),
    };
    let test = failed(
        "its process ran without a failure",
        &format!("{name}.process"),
        element,
    );
    suite_of(format!("{name} process"), vec![test])
}

/// That memory grew with the number of trials, as a test of its own. It is skipped: it makes no run red.
fn growth(backend: &BackendRecords) -> Option<Suite> {
    let (growth, name) = (backend.growth()?, &backend.started.backend);
    let skipped = Element::new("skipped").with("message", &format!("{name} {growth}"));
    let class = format!("{name}.memory");
    let test = failed("its memory does not grow with the trials", &class, skipped);
    suite_of(format!("{name} memory"), vec![test])
}

/// What is missing from the run, as tests of their own: a run that is not complete must not look green.
fn missing(stream: &Stream) -> Option<Suite> {
    let tests = stream.missing().into_iter().map(|missing| {
        let error = not_passed("error", &missing, "incomplete").text(&missing);
        failed("the run is complete", "reshape-conformance.run", error)
    });
    suite_of("the run".to_owned(), tests.collect())
}

/// What the failures have in common, as tests of their own.
fn findings(backend: &BackendRecords) -> Option<Suite> {
    let tests = backend
        .findings
        .iter()
        .map(|Finding { cause: finding, .. }| {
            let mut failure = not_passed("failure", &as_mutants(finding), "finding");
            if let Some(smallest) = finding.trials.first().and_then(|name| backend.trial(name)) {
                let again = again(finding, smallest);
                failure = failure.text(&story_with(backend, smallest, again));
            }
            let name = format!("{}: {} failed", sentence(finding), finding.trials.len());
            failed(
                &name,
                &format!("{}.findings", backend.started.backend),
                failure,
            )
        });
    suite_of(
        format!("{} findings", backend.started.backend),
        tests.collect(),
    )
}

/// The known failures that are stale, as tests of their own: no trial could show them.
fn known_failures(stream: &Stream, backend: &BackendRecords) -> Option<Suite> {
    let stale = &backend.finished.as_ref()?.stale;
    let class = format!("{}.known-failures", backend.started.backend);
    let tests = stale.iter().map(|place| {
        let failure = not_passed("failure", &place.message, "stale-known-failure");
        failed(&format!("{}:{}", place.file, place.line), &class, failure)
    });
    let fixed = red_fixed_entries(stream, backend).into_iter().map(|fixed| {
        let failure = not_passed("failure", &fixed.says(), "stale-known-failure");
        let name = format!("{}fixed", fixed.place());
        failed(&name, &class, failure)
    });
    let tests = tests.chain(fixed);
    suite_of(
        format!("{} known failures", backend.started.backend),
        tests.collect(),
    )
}

fn failed(name: &str, class: &str, failure: Element) -> Element {
    Element::new("testcase")
        .with("name", name)
        .with("classname", class)
        .child(failure)
}

/// `None` if there are no tests.
fn suite_of(name: String, tests: Vec<Element>) -> Option<Suite> {
    (!tests.is_empty()).then_some(Suite {
        name,
        time: None,
        properties: None,
        tests,
    })
}
