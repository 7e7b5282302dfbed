//! JUnit XML, for the viewers of CI systems: a suite for each backend and operator, a test for each trial. Before them a
//! suite of the findings: viewers begin with a list of names, and the names of trials do not say why they failed.
//!
//! What the viewers know is success, failure, error and skipped. So a known failure, what a backend does not claim and what
//! is quarantined are skipped, each with its own words; an unexpected pass is a failure of a type of its own.

use super::cause::{as_mutants, sentence};
use super::diff;
use crate::event::stream::{BackendRecords, Stream};
use crate::event::{FailureKind, VerdictKind};
use crate::event::{Finding, TrialRecord};
use quick_junit::{
    NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestRerun, TestSuite,
};
use std::collections::BTreeMap;
use std::time::Duration;

/// The whole run.
pub(crate) fn render(stream: &Stream) -> Result<String, String> {
    let mut report = Report::new("reshape-conformance");
    let (mut total, baseline) = (Duration::ZERO, stream.run.baseline.is_some());
    for backend in &stream.backends {
        let started = &backend.started;
        let causes = backend.causes();
        let mut suites: BTreeMap<&str, (TestSuite, Duration)> = BTreeMap::new();
        for trial in &backend.trials {
            let new = || {
                let mut suite = TestSuite::new(format!("{} {}", started.backend, trial.operator));
                suite.add_property(Property::new(
                    "backend",
                    format!("{} {}", started.name, started.version),
                ));
                suite.add_property(Property::new(
                    "suite",
                    format!("{} {}", stream.run.suite_version, stream.run.suite_hash),
                ));
                (suite, Duration::ZERO)
            };
            let (suite, time) = suites.entry(&trial.operator).or_insert_with(new);
            let cause = causes
                .get(trial.trial.as_str())
                .map(|finding| sentence(&finding.cause));
            let took = Duration::from_micros(trial.microseconds);
            *time = time.saturating_add(took);
            total = total.saturating_add(took);
            suite.add_test_case(test(stream, backend, trial, cause.as_deref(), baseline));
        }
        report.add_test_suites(findings(backend));
        report.add_test_suites(suites.into_values().map(|(mut suite, time)| {
            suite.set_time(time);
            suite
        }));
        if let Some(stale) = known_failures(backend) {
            report.add_test_suite(stale);
        }
    }
    report.set_time(total);
    let text = report.to_string().map_err(|error| error.to_string())?;
    // Jenkins' xUnit plugin checks against a schema whose root counts no skipped tests.
    let (root, suites) = text
        .split_once("<testsuite ")
        .map_or((text.as_str(), None), |(root, rest)| (root, Some(rest)));
    let root: String = root
        .split(' ')
        .filter(|attribute| !attribute.starts_with("skipped="))
        .collect::<Vec<_>>()
        .join(" ");
    Ok(suites.map_or_else(
        || root.clone(),
        |suites| format!("{root}<testsuite {suites}"),
    ))
}

fn test(
    stream: &Stream,
    backend: &BackendRecords,
    trial: &TrialRecord,
    cause: Option<&str>,
    baseline: bool,
) -> TestCase {
    let name = format!("{}/{}/{}", trial.case, trial.element_type, trial.binding);
    // Strict readers know no `file` and `line` of a test, so its place is in the text.
    let place = stream
        .case(trial)
        .map(|(case, _)| format!("{}:{}", case.file, case.line));
    let mut test = TestCase::new(
        name,
        status(backend, trial, place.as_deref(), cause, baseline),
    );
    test.set_classname(format!("{}.{}", backend.started.backend, trial.operator));
    test.set_time(Duration::from_micros(trial.microseconds));
    test
}

fn status(
    backend: &BackendRecords,
    trial: &TrialRecord,
    place: Option<&str>,
    cause: Option<&str>,
    baseline: bool,
) -> TestCaseStatus {
    let story = || {
        place
            .into_iter()
            .map(|place| format!("{place}\n"))
            .chain([story(backend, trial)])
            .collect::<String>()
    };
    let reason = trial.known_failure.as_deref().unwrap_or_default();
    let skipped = |message: String| {
        let mut status = TestCaseStatus::skipped();
        status.set_message(message);
        status
    };
    match trial.verdict {
        VerdictKind::Passed | VerdictKind::Recorded => TestCaseStatus::success(),
        VerdictKind::Known => skipped(format!("known failure: {reason}")),
        VerdictKind::Quarantined => skipped(format!("quarantined: {reason}")),
        VerdictKind::Skipped => skipped("unsupported: the manifest does not claim it".to_owned()),
        VerdictKind::Unchanged => skipped("fails as it did in the baseline".to_owned()),
        VerdictKind::Advisory => skipped("fails against what the text only advises".to_owned()),
        VerdictKind::Fixed if baseline => TestCaseStatus::success(),
        VerdictKind::Fixed => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type("unexpected-pass");
            status.set_message(format!(
                "it does not fail any more; known failure: {reason}"
            ));
            status
        }
        VerdictKind::Flaky => {
            let mut status = TestCaseStatus::success();
            let mut rerun = TestRerun::new(NonSuccessKind::Failure);
            rerun.set_type("flaky");
            rerun.set_message(
                trial
                    .attempts
                    .iter()
                    .map(|kind| kind.name())
                    .collect::<Vec<_>>()
                    .join(", then "),
            );
            rerun.set_description(story());
            status.add_rerun(rerun);
            status
        }
        VerdictKind::Failed
        | VerdictKind::Lost
        | VerdictKind::Crashed
        | VerdictKind::TimedOut
        | VerdictKind::OutOfMemory
        | VerdictKind::ProtocolError => {
            let failed = matches!(trial.verdict, VerdictKind::Failed | VerdictKind::Lost);
            let kind = if failed {
                NonSuccessKind::Failure
            } else {
                NonSuccessKind::Error
            };
            let mut status = TestCaseStatus::non_success(kind);
            status.set_type(
                trial
                    .failure
                    .map_or(trial.verdict.name(), FailureKind::name),
            );
            status.set_message(match cause {
                Some(cause) => cause.to_owned(),
                None => brief(trial),
            });
            status.set_description(story());
            status
        }
    }
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
    let head = format!("{} on {}", trial.trial, backend.started.backend);
    let Some(story) = &trial.detail else {
        return head;
    };
    let steps = story
        .trace
        .iter()
        .enumerate()
        .map(|(index, step)| format!("  {}. {}", index + 1, step.says));
    let lines = std::iter::once(head)
        .chain(diff::without_colour(&story.diff))
        .chain(["what the text says:".to_owned()]);
    lines
        .chain(steps)
        .chain([format!("again: {}", story.again)])
        .collect::<Vec<_>>()
        .join("\n")
}

/// What the failures have in common, as tests of their own.
fn findings(backend: &BackendRecords) -> Option<TestSuite> {
    if backend.findings.is_empty() {
        return None;
    }
    let mut suite = TestSuite::new(format!("{} findings", backend.started.backend));
    for Finding { cause: finding, .. } in &backend.findings {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_type("finding");
        status.set_message(as_mutants(finding));
        if let Some(smallest) = finding.trials.first().and_then(|name| backend.trial(name)) {
            status.set_description(story(backend, smallest));
        }
        let mut test = TestCase::new(
            format!("{}: {} failed", sentence(finding), finding.trials.len()),
            status,
        );
        test.set_classname(format!("{}.findings", backend.started.backend));
        suite.add_test_case(test);
    }
    Some(suite)
}

/// The known failures that are stale, as tests of their own: no trial could show them.
fn known_failures(backend: &BackendRecords) -> Option<TestSuite> {
    let stale = &backend.finished.as_ref()?.stale;
    if stale.is_empty() {
        return None;
    }
    let mut suite = TestSuite::new(format!("{} known failures", backend.started.backend));
    for place in stale {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_type("stale-known-failure");
        status.set_message(place.message.clone());
        let mut test = TestCase::new(format!("{}:{}", place.file, place.line), status);
        test.set_classname(format!("{}.known-failures", backend.started.backend));
        suite.add_test_case(test);
    }
    Some(suite)
}
