//! JUnit XML for CI systems: a suite for each backend and operator, a test for each trial. A suite of findings comes
//! first, because viewers begin with a list of names, and the names of trials do not explain their failures.
//!
//! Viewers know success, failure, error and skipped. So known failures, unclaimed trials and quarantined trials are
//! skipped, each with its own words. An unexpected pass is a failure with its own type.

use super::cause::{again, as_mutants, sentence};
use super::diff;
use super::digest::{Digest, Note, RunDigest, Weight};
use super::verdicts::{reason, why_declined};
use crate::event::stream::{BackendRecords, Stream};
use crate::event::{FailureKind, Finding, Line, LineKind, TrialRecord, VerdictKind};
use crate::names::Joined;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

/// Writes the whole run.
pub(crate) fn render(run: &RunDigest<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut suites = Vec::from_iter(missing(run));
    for backend in &run.backends {
        let causes = backend.records.causes();
        let mut operators: BTreeMap<&str, Suite<'_>> = BTreeMap::new();
        for trial in &backend.records.trials {
            let new = || of_operator(run.stream, backend.records, trial.operator());
            let suite = operators.entry(trial.operator()).or_insert_with(new);
            let cause = causes.get(trial.trial.as_str()).copied();
            let took = Duration::from_micros(trial.microseconds);
            suite.time = suite.time.map(|time| time.saturating_add(took));
            suite.count_test(status(run.stream, trial, cause).as_slice());
            suite.trials.push((trial, cause));
        }
        suites.extend(findings(run.stream, backend));
        suites.extend(operators.into_values());
        suites.extend(notes(backend));
    }
    let sum = |count: fn(&Suite<'_>) -> usize| suites.iter().map(count).sum::<usize>().to_string();
    let time: Duration = suites.iter().filter_map(|suite| suite.time).sum();
    // The schema of Jenkins' xUnit plugin does not allow a count of skipped tests in the root.
    let root = Element::new("testsuites")
        .with("name", "reshape-conformance")
        .with("tests", &sum(|suite| suite.tests))
        .with("failures", &sum(|suite| suite.count("failure")))
        .with("errors", &sum(|suite| suite.count("error")))
        .with("time", &seconds(time));
    let start = root.start;
    write!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{start}>")?;
    for suite in suites {
        suite.write(run.stream, out)?;
    }
    out.write_all(b"\n</testsuites>\n")
}

/// A `<testsuite>`.
#[derive(Default)]
struct Suite<'a> {
    name: String,
    /// The time of all its tests together; `None` if they took no time.
    time: Option<Duration>,
    properties: Option<Element>,
    /// The number of its tests.
    tests: usize,
    /// The number of its tests with each kind of child.
    children: BTreeMap<&'static str, usize>,
    /// Its tests that are no trials, as written.
    text: String,
    /// Its trials, with what explains their failures. The texts of a million would take more memory than the run.
    trials: Vec<(&'a TrialRecord, Option<&'a Finding>)>,
}

impl Suite<'_> {
    /// Counts a test with these children.
    fn count_test(&mut self, children: &[Element]) {
        self.tests += 1;
        for child in children {
            *self.children.entry(child.name).or_default() += 1;
        }
    }

    /// The number of its tests with this child.
    fn count(&self, child: &str) -> usize {
        self.children.get(child).copied().unwrap_or_default()
    }

    fn write(self, stream: &Stream, out: &mut dyn Write) -> io::Result<()> {
        let mut element = Element::new("testsuite")
            .with("name", &self.name)
            .with("tests", &self.tests.to_string())
            .with("skipped", &self.count("skipped").to_string())
            .with("errors", &self.count("error").to_string())
            .with("failures", &self.count("failure").to_string());
        if let Some(time) = self.time {
            element = element.with("time", &seconds(time));
        }
        let mut text = format!("\n    <{}>", element.start);
        if let Some(properties) = self.properties {
            properties.write(&mut text, 2);
        }
        text.push_str(&self.text);
        for (trial, cause) in self.trials {
            out.write_all(text.as_bytes())?;
            text.clear();
            test(stream, trial, cause).write(&mut text, 2);
        }
        write!(out, "{text}\n    </testsuite>")
    }
}

/// An element with its children or its text.
struct Element {
    name: &'static str,
    /// The name and the attributes, as written.
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

    /// Writes it on its own line, indented.
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

/// Text with its markup escaped, and without control characters, which XML cannot hold.
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

fn of_operator(stream: &Stream, backend: &BackendRecords, operator: &str) -> Suite<'static> {
    let started = &backend.started;
    let property = |name, value: String| {
        Element::new("property")
            .with("name", name)
            .with("value", &value)
    };
    let run = &stream.run;
    let name = match started.only_similar {
        true => format!("{} {operator} (a similar function)", started.backend),
        false => format!("{} {operator}", started.backend),
    };
    let backend = format!("{} {}", started.name, started.version);
    let judged = run.judged().unwrap_or_default();
    let suite = format!("{}{judged} {}", run.version(), run.suite_hash);
    let core = run.selection.core_in_words();
    let mut properties = Element::new("properties")
        .child(property("backend", backend))
        .child(property("suite", suite));
    let selection = core.map(|core| property("selection", core));
    properties.children.extend(selection);
    Suite {
        name,
        time: Some(Duration::ZERO),
        properties: Some(properties),
        ..Suite::default()
    }
}

fn test(stream: &Stream, trial: &TrialRecord, cause: Option<&Finding>) -> Element {
    let name = [trial.case(), trial.element_type(), trial.binding()].join("/");
    let class = format!("{}.{}", trial.backend, trial.operator());
    let time = seconds(Duration::from_micros(trial.microseconds));
    let mut test = test_case(&name, &class).with("time", &time);
    test.children.extend(status(stream, trial, cause));
    test
}

/// The content of a test; `None` if it succeeded.
fn status(stream: &Stream, trial: &TrialRecord, cause: Option<&Finding>) -> Option<Element> {
    // Strict readers do not know `file` and `line` of a test, so its place is in the text.
    let story = || {
        let place = stream.case(trial);
        let place = place.map(|(case, _)| format!("{}:{}\n", case.file, case.line));
        place.unwrap_or_default() + &story(trial, trial.again())
    };
    let reason = reason(trial).unwrap_or_default();
    let skipped = |message: &str| Some(Element::new("skipped").with("message", message));
    match trial.verdict {
        VerdictKind::Passed | VerdictKind::Recorded => None,
        VerdictKind::Known => skipped(&format!("known failure: {reason}")),
        VerdictKind::Quarantined => skipped(&format!("quarantined: {reason}")),
        VerdictKind::Skipped if let Some(reason) = &trial.unavailable => {
            skipped(&format!("not possible here: {reason}"))
        }
        VerdictKind::Skipped if let Some(sample) = &trial.outside_sample => {
            skipped(&format!("outside the core and the sample of {sample}"))
        }
        VerdictKind::Skipped => {
            let why = why_declined(trial);
            skipped(
                why.as_deref()
                    .unwrap_or("unsupported: the backend does not claim it"),
            )
        }
        VerdictKind::Unchanged => skipped("fails as in the baseline"),
        VerdictKind::Advisory => skipped("violates only a should clause"),
        VerdictKind::New => skipped(&format!("new, and not judged yet: {}", brief(trial))),
        VerdictKind::Fixed if stream.run.baseline.is_some() => None,
        VerdictKind::Fixed => {
            let message = format!("it no longer fails; known failure: {reason}");
            Some(not_passed("failure", &message, "unexpected-pass"))
        }
        VerdictKind::Flaky => {
            let message = trial.attempts.iter().joined(", then ");
            Some(not_passed("flakyFailure", &message, "flaky").text(&story()))
        }
        VerdictKind::Stateful => {
            let failed = trial.failure.is_some();
            let name = if failed { "failure" } else { "error" };
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
            let message = cause.map_or_else(|| brief(trial), |of| sentence(&of.cause));
            let failure = trial.failure.map(FailureKind::name);
            let kind = failure.unwrap_or_else(|| trial.verdict.name());
            Some(not_passed(name, &message, kind).text(&story()))
        }
    }
}

fn not_passed(name: &'static str, message: &str, kind: &str) -> Element {
    Element::new(name)
        .with("message", message)
        .with("type", kind)
}

/// A failure in one line.
pub(super) fn brief(trial: &TrialRecord) -> String {
    let Some(story) = &trial.detail else {
        return trial.verdict.name().to_owned();
    };
    // A sequence begins with what ran before.
    let is_answer = |line: &Line| matches!(line.kind, LineKind::Expected | LineKind::Got);
    let first = story.diff.iter().position(is_answer).unwrap_or(1);
    let lines = diff::without_colour(&story.diff);
    let lines = lines.iter().skip(first).take(2);
    let lines = lines.map(|line| line.split_whitespace().joined(" "));
    lines.joined("; ")
}

/// A whole failure, with the command that repeats it.
fn story(trial: &TrialRecord, again: Option<&str>) -> String {
    let head = format!("{} on {}", trial.trial, trial.backend);
    let Some(story) = &trial.detail else {
        return head;
    };
    let steps = story.trace.iter().zip(1..);
    let steps = steps.map(|(step, number)| format!("  {number}. {}", step.description));
    let known = reason(trial).map(|reason| format!("known to fail in another way: {reason}"));
    let lines = std::iter::once(head)
        .chain(diff::without_colour(&story.diff))
        .chain(known.filter(|_| trial.verdict.is_red()))
        .chain(["what the text says:".to_owned()]);
    let again = again.map(|again| format!("again: {again}"));
    lines.chain(steps).chain(again).joined("\n")
}

/// What the run lacks, as separate tests: an incomplete run must not look green.
fn missing(run: &RunDigest<'_>) -> Option<Suite<'static>> {
    let tests = run.missing.iter().map(|missing| {
        let error = not_passed("error", missing, "incomplete").text(missing);
        test_case("the run is complete", "reshape-conformance.run").child(error)
    });
    suite_of("the run".to_owned(), tests)
}

/// What the failures have in common, as separate tests.
fn findings(stream: &Stream, backend: &Digest<'_>) -> Option<Suite<'static>> {
    let class = format!("{}.findings", backend.name);
    let tests = backend.findings.iter().map(|(cause, first)| {
        let (description, count) = (sentence(cause), cause.trials.len());
        let message = format!("{description}: {count} failed; {}", as_mutants(cause));
        let mut failure = not_passed("failure", &message, "finding");
        if let Some(first) = first {
            failure = failure.text(&story(first, again(cause, first)));
        }
        // Viewers compare tests of two runs by name. Streams of older versions have no ids.
        let id = Some(&cause.id).filter(|id| !id.is_empty());
        test_case(id.unwrap_or(&description), &class).child(failure)
    });
    let groups = backend.unexplained_by_clause(stream).into_iter();
    let others = groups.filter_map(|group| {
        let first = group.trials.first()?;
        let failure = not_passed("failure", &group.heading(), "failures");
        let name = format!("{}: {}", group.covers, group.outcome);
        Some(test_case(&name, &class).child(failure.text(&story(first, first.again()))))
    });
    suite_of(format!("{} findings", backend.name), tests.chain(others))
}

/// The notes, as separate tests, because no trial could show them. A note that does not make the run red is skipped.
fn notes(backend: &Digest<'_>) -> Vec<Suite<'static>> {
    let notes: Vec<_> = backend.alerts().collect();
    let about = notes.chunk_by(|one, other| one.kind.about() == other.kind.about());
    let suites = about.filter_map(|notes| {
        let about = notes.first()?.kind.about();
        let class = format!("{}.{}", backend.name, about.replace(' ', "-"));
        let tests = notes.iter().map(|note| {
            let parts = [note.file_and_line(), note.kind.wanted().to_owned()];
            let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            test_case(&parts.join(": "), &class).child(note_element(note))
        });
        suite_of(format!("{} {about}", backend.name), tests)
    });
    suites.collect()
}

fn note_element(note: &Note) -> Element {
    let description = note.message();
    let id = note.kind.id();
    match note.weight {
        Weight::Error if note.kind.is_of_an_entry() => not_passed("failure", &description, id),
        Weight::Error => not_passed("error", &description, id).text(&description),
        Weight::Warning | Weight::Info => Element::new("skipped").with("message", &description),
    }
}

fn test_case(name: &str, class: &str) -> Element {
    Element::new("testcase")
        .with("name", name)
        .with("classname", class)
}

/// `None` if there are no tests.
fn suite_of(name: String, tests: impl Iterator<Item = Element>) -> Option<Suite<'static>> {
    let mut suite = Suite {
        name,
        ..Suite::default()
    };
    tests.for_each(|test| {
        suite.count_test(&test.children);
        test.write(&mut suite.text, 2);
    });
    (suite.tests > 0).then_some(suite)
}
