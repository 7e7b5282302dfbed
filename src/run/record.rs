//! Stories: a trial's result told as an event, with what was asked, what was to come, what came, and why.

use crate::backend::UnattributedFailures;
use crate::error::Error;
use crate::event::{self, FORMAT, FailureDetail, Line, LineKind, RunStarted, Selected, TraceStep};
use crate::run::result::{Label, TrialResult};
use crate::spec::operator::{Level, Operator};
use crate::spec::oracle;
use crate::spec::outcome::{Outcome, ProcessFailure, ShapePattern, show_pattern};
use crate::suite::Suite;
use crate::suite::case::{Allowed, Case, Cover, Expectation};
use crate::suite::plan::{self, Selection, Trial};
use crate::tensor::{Tensor, literal};
use crate::verdict::judge::{Failure, Verdict};
use crate::verdict::known_failures::Classification;
use similar::{ChangeTag, TextDiff};
use std::collections::HashSet;
use std::hash::Hash;
use xxhash_rust::xxh3::Xxh3;

/// The most characters of a backend's message that are told, and of its log.
const MOST_SAID: usize = 4_000;
/// Elements shown on each side of the first that differs.
const WINDOW: usize = 6;

/// What the start of a run says of the suite and of what is selected.
pub(crate) fn started(suite: &Suite, selection: &Selection) -> RunStarted {
    let (mut names, mut trials) = (Xxh3::new(), 0);
    for trial in plan::in_order(suite, selection).flat_map(|group| group.trials) {
        trials += 1;
        trial.to_string().hash(&mut names);
    }
    RunStarted {
        format: FORMAT,
        suite_version: env!("CARGO_PKG_VERSION").to_owned(),
        suite_hash: suite.hash(),
        plan_hash: format!("{:032x}", names.digest128()),
        cases: suite.cases().len(),
        trials,
        selection: selected(selection),
        seed: selection.seed(),
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        ..RunStarted::default()
    }
}

/// The cases that trials are selected of, for the operators that they are selected for.
pub(crate) fn cases(suite: &Suite, selection: &Selection) -> Vec<event::CaseRecord> {
    let mut asked: HashSet<(&str, &str)> = HashSet::new();
    let mut told = Vec::new();
    let trials: Vec<_> = plan::in_order(suite, selection)
        .flat_map(|group| group.trials)
        .collect();
    for trial in &trials {
        asked.insert((&trial.case.name, trial.operator.name));
    }
    for case in suite.cases() {
        let operators = case
            .operators
            .iter()
            .filter(|operator| asked.contains(&(case.name.as_str(), operator.name)));
        let operators: Vec<_> = operators.copied().collect();
        if !operators.is_empty() {
            told.push(case_record(case, &operators));
        }
    }
    told
}

/// A selection for the stream.
fn selected(selection: &Selection) -> Selected {
    Selected {
        patterns: selection.patterns().to_vec(),
        exact: selection.is_exact(),
        operators: selection
            .operators()
            .iter()
            .copied()
            .flatten()
            .map(|operator| operator.name.to_owned())
            .collect(),
    }
}

/// The selection of a run in a stream.
///
/// # Errors
/// When this program does not have one of its operators, or a pattern is not a glob.
pub(crate) fn selection_of(selected: &Selected) -> Result<Selection, Error> {
    let named = |name: &String| {
        Operator::named(name)
            .ok_or_else(|| Error::Usage(format!("this program has no operator '{name}'")))
    };
    let operators = selected
        .operators
        .iter()
        .map(named)
        .collect::<Result<Vec<_>, _>>()?;
    Selection::new(
        &selected.patterns,
        selected.exact,
        (!operators.is_empty()).then_some(operators),
    )
    .map_err(Error::Usage)
}

/// A result as an event.
pub(crate) fn trial_record(label: &Label, result: &TrialResult) -> event::TrialRecord {
    let trial = &result.trial;
    let question = match &result.verdict {
        Verdict::Recorded { question, answer } => Some(event::Answer {
            id: question.name().to_owned(),
            answer: answer.clone(),
        }),
        Verdict::Passed
        | Verdict::Failed(_)
        | Verdict::Skipped
        | Verdict::Crashed
        | Verdict::TimedOut
        | Verdict::OutOfMemory
        | Verdict::ProtocolError => None,
    };
    let red = result.verdict.kind().is_red();
    event::TrialRecord {
        backend: label.name.clone(),
        trial: trial.to_string(),
        case: trial.case.name.clone(),
        operator: trial.operator.to_string(),
        element_type: trial.element_type.name().to_owned(),
        binding: trial.binding.to_string(),
        verdict: result.kind(),
        microseconds: u64::try_from(result.duration.as_micros()).unwrap_or(u64::MAX),
        outcome: result
            .outcome
            .as_ref()
            .map(|outcome| outcome_record(outcome, red)),
        failure: result.verdict.failure(),
        question,
        known_failure: match &result.standing {
            Classification::Known(reason)
            | Classification::Changed(reason)
            | Classification::Fixed(reason)
            | Classification::Quarantined(reason) => Some(reason.clone()),
            Classification::Unknown
            | Classification::Flaky
            | Classification::Unchanged
            | Classification::Advisory
            | Classification::Lost => None,
        },
        attempts: result.attempts.clone(),
        before: result.before,
        detail: (red || result.kind().is_red()).then(|| Box::new(failure_detail(label, result))),
    }
}

fn failure_detail(label: &Label, result: &TrialResult) -> FailureDetail {
    let trial = &result.trial;
    let (_, steps) = oracle::explain(&trial.request());
    let step = |step: oracle::Step| TraceStep {
        clauses: trial
            .operator
            .clauses_of(step.rule)
            .map(|of| of.to_string())
            .collect(),
        says: step.says,
        fault: step.fault,
    };
    FailureDetail {
        size: trial.size(),
        diff: lines(trial, &result.verdict, result.outcome.as_ref()),
        trace: steps.into_iter().map(step).collect(),
        again: format!(
            "reshape-conformance run{} --exact '{trial}'",
            label.arguments
        ),
    }
}

/// A case as an event.
pub(crate) fn case_record(case: &Case, operators: &[&'static Operator]) -> event::CaseRecord {
    let (line, _) = case.source.line_and_column(case.span.start);
    let one = |operator: &&'static Operator| {
        let clauses = case.clauses_of(operator);
        event::CaseOperator {
            operator: operator.to_string(),
            level: clauses
                .iter()
                .map(|of| of.clause.level)
                .min()
                .unwrap_or(Level::Open),
            clauses: clauses.iter().map(ToString::to_string).collect(),
            asks: case
                .element_types(operator)
                .first()
                .map_or_else(String::new, |t| asks(case, operator, *t)),
            expects: expects(case.expectation(operator)),
        }
    };
    event::CaseRecord {
        case: case.name.clone(),
        file: case.source.file.to_string(),
        line,
        covers: case.covers.iter().map(Cover::name).collect(),
        operators: operators.iter().map(one).collect(),
    }
}

fn asks(
    case: &Case,
    operator: &'static Operator,
    element_type: crate::tensor::ElementType,
) -> String {
    let request = case.request(operator, element_type);
    let target = request.target.as_ref().map_or_else(
        || "no target".to_owned(),
        |target| shorten(&target.to_string()),
    );
    let attributes: Vec<_> = request
        .attributes
        .iter()
        .map(|(name, value)| format!(", {name}={value}"))
        .collect();
    format!(
        "{} to {target}{}",
        shorten(&format!("{:?}", request.data_shape)),
        attributes.concat()
    )
}

fn expects(expectation: &Expectation) -> String {
    let show = |allowed: &Allowed| match allowed {
        Allowed::Rejected => "rejected".to_owned(),
        Allowed::Reshaped(pattern) => show_pattern(pattern),
    };
    match expectation {
        Expectation::Reshaped(shape) => format!("{shape:?}"),
        Expectation::Rejected(reasons) => {
            format!(
                "rejected: {}",
                reasons
                    .iter()
                    .map(|reason| reason.name())
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        }
        Expectation::Open {
            question,
            allowed: None,
        } => format!("open ({question})"),
        Expectation::Open {
            question,
            allowed: Some(allowed),
        } => {
            format!(
                "open ({question}): {}",
                allowed.iter().map(show).collect::<Vec<_>>().join(" or ")
            )
        }
    }
}

/// What went wrong with a backend beside its trials, for the stream.
pub(crate) fn unattributed_record(
    unattributed: &UnattributedFailures,
) -> Option<event::UnattributedRecord> {
    let last = unattributed.last.as_ref().map(process_failure_record)?;
    Some(event::UnattributedRecord {
        times: unattributed.times,
        last,
    })
}

fn process_failure_record(misfortune: &ProcessFailure) -> event::ProcessFailureRecord {
    event::ProcessFailureRecord {
        message: cut_to(&misfortune.what, MOST_SAID),
        log: cut_to(&misfortune.log, MOST_SAID),
    }
}

/// An outcome for the stream; of a failure with what diagnosis needs of its elements.
fn outcome_record(outcome: &Outcome, red: bool) -> event::OutcomeRecord {
    let said = |text: &String| cut_to(text, MOST_SAID);
    match outcome {
        Outcome::Reshaped { output, inferred } => event::OutcomeRecord::Reshaped {
            shape: output.shape().to_vec(),
            inferred: inferred.clone(),
            element_type: red.then(|| output.element_type().name().to_owned()),
            content: red.then(|| format!("{:016x}", output.content_hash())),
        },
        Outcome::Inferred(inferred) => event::OutcomeRecord::Inferred {
            inferred: inferred.clone(),
        },
        Outcome::Rejected { phase, message } => event::OutcomeRecord::Rejected {
            phase: *phase,
            message: said(message),
        },
        Outcome::Unsupported(message) => event::OutcomeRecord::Unsupported {
            message: said(message),
        },
        Outcome::Crashed(m) => event::OutcomeRecord::Crashed(process_failure_record(m)),
        Outcome::TimedOut(m) => event::OutcomeRecord::TimedOut(process_failure_record(m)),
        Outcome::OutOfMemory(m) => event::OutcomeRecord::OutOfMemory(process_failure_record(m)),
        Outcome::ProtocolError(m) => event::OutcomeRecord::ProtocolError(process_failure_record(m)),
    }
}

fn cut_to(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}… ({} bytes)", &text[..at], text.len()),
        None => text.to_owned(),
    }
}

/// What was asked, and what happened, line by line. A backend's words are as it said them, so reports make them harmless.
pub(crate) fn lines(trial: &Trial, verdict: &Verdict, outcome: Option<&Outcome>) -> Vec<Line> {
    let mut lines = vec![text(format!(
        "{}{}",
        trial.element_type,
        asks(&trial.case, trial.operator, trial.element_type)
    ))];
    match verdict {
        Verdict::Failed(failure) => lines.extend(failed(trial, failure)),
        Verdict::Crashed | Verdict::TimedOut | Verdict::OutOfMemory | Verdict::ProtocolError => {
            lines.extend(outcome.into_iter().flat_map(misfortune));
        }
        Verdict::Recorded { question, answer } => {
            lines.push(text(format!(
                "the text leaves it open ({question}); it answered {answer}"
            )));
        }
        Verdict::Passed | Verdict::Skipped => {}
    }
    lines
}

fn line(kind: LineKind, text: impl Into<String>) -> Line {
    Line {
        kind,
        text: text.into(),
    }
}

fn text(says: impl Into<String>) -> Line {
    line(LineKind::Text, says)
}

fn expected(text: impl Into<String>) -> Line {
    line(LineKind::Expected, text)
}

fn got(text: &str) -> Line {
    line(LineKind::Got, cut_to(text, MOST_SAID))
}

fn shorten(text: &str) -> String {
    const MOST: usize = 120;
    if text.chars().count() <= MOST {
        text.to_owned()
    } else {
        text.chars().take(MOST).chain(['…']).collect()
    }
}

fn misfortune(outcome: &Outcome) -> Vec<Line> {
    let (word, ProcessFailure { what, log }) = match outcome {
        Outcome::Crashed(misfortune) => ("crashed", misfortune),
        Outcome::TimedOut(misfortune) => ("timed out", misfortune),
        Outcome::OutOfMemory(misfortune) => ("out of memory", misfortune),
        Outcome::ProtocolError(misfortune) => ("broke the protocol", misfortune),
        Outcome::Reshaped { .. }
        | Outcome::Inferred(_)
        | Outcome::Rejected { .. }
        | Outcome::Unsupported(_) => {
            return Vec::new();
        }
    };
    let mut lines = vec![got(&format!("{word}: {what}"))];
    if !log.is_empty() {
        lines.push(text("its last words:"));
        lines.extend(
            cut_to(log, MOST_SAID)
                .lines()
                .map(|words| line(LineKind::Log, words)),
        );
    }
    lines
}

fn failed(trial: &Trial, failure: &Failure) -> Vec<Line> {
    match failure {
        Failure::WrongShape { expected, got } => {
            shapes(expected, &got.iter().copied().map(Some).collect())
        }
        Failure::WrongInference { expected, got } => {
            let mut lines = shapes(expected, got);
            lines.push(text("the shape it inferred before the run"));
            lines
        }
        Failure::NotRejected {
            reasons,
            got: shape,
        } => {
            let reasons: Vec<_> = reasons.iter().map(|reason| reason.says()).collect();
            vec![
                expected(format!("a rejection: {}", reasons.join("; "))),
                got(shape),
            ]
        }
        Failure::Rejected {
            expected: shape,
            phase,
            message,
        } => {
            vec![
                expected(show_pattern(shape)),
                got(&format!("rejected ({phase}): {message}")),
            ]
        }
        Failure::WrongElementType(element_type) => vec![
            expected(trial.element_type.name()),
            got(element_type.name()),
        ],
        Failure::Unsupported(message) => {
            vec![
                got(&format!("unsupported: {message}")),
                text("its manifest says that it can do this"),
            ]
        }
        Failure::WrongContent(output) => match trial.case.data(trial.element_type) {
            Ok(data) => contents(&data, output),
            Err(why) => vec![text(why)],
        },
    }
}

/// Shape against shape, with a mark under the first dim that differs.
fn shapes(allowed: &[ShapePattern], shape: &ShapePattern) -> Vec<Line> {
    let Some(first) = allowed.first() else {
        return vec![expected("no such shape"), got(&show_pattern(shape))];
    };
    let all: Vec<_> = allowed.iter().map(|shape| show_pattern(shape)).collect();
    let mut lines = vec![expected(all.join(" or ")), got(&show_pattern(shape))];
    if allowed.len() == 1 {
        let same = |(a, b): (&Option<u64>, &Option<u64>)| a == b || a.is_none() || b.is_none();
        let place = first
            .iter()
            .zip(shape)
            .position(|pair| !same(pair))
            .unwrap_or(first.len().min(shape.len()));
        let before: usize = shape[..place]
            .iter()
            .map(|dim| dim.map_or(1, |d| d.to_string().len()) + 2)
            .sum();
        let width = shape
            .get(place)
            .map_or(1, |dim| dim.map_or(1, |d| d.to_string().len()));
        let what = if first.len() == shape.len() {
            format!("dim {place}")
        } else {
            format!("rank {} instead of {}", shape.len(), first.len())
        };
        lines.push(line(
            LineKind::Mark,
            format!("{}{} {what}", " ".repeat(before + 1), "^".repeat(width)),
        ));
    }
    lines
}

/// Element against element: the first that differs, how many do, and a diff around it.
fn contents(data: &Tensor, output: &Tensor) -> Vec<Line> {
    let count = data.len().max(output.len());
    let differs = |index: &usize| !data.same_element(output, *index);
    let Some(first) = (0..count).find(differs) else {
        return Vec::new();
    };
    let differing = (first..count).filter(differs).count();
    let place = multi_index(first, output.shape());
    let mut lines = vec![
        text(format!(
            "{differing} of {count} elements differ; the first at {place} (element {first} in row-major order)"
        )),
        expected(cut(&format!(
            "{}  {}",
            literal::show(data, first),
            literal::show_bits(data, first)
        ))),
        got(&cut(&format!(
            "{}  {}",
            literal::show(output, first),
            literal::show_bits(output, first)
        ))),
    ];
    let window = |tensor: &Tensor| {
        let range = first.saturating_sub(WINDOW)..(first + WINDOW + 1).min(count);
        let line = |index: usize| {
            let place = multi_index(index, output.shape());
            cut(&format!(
                "{place} {} {}",
                literal::show(tensor, index),
                literal::show_bits(tensor, index)
            ))
        };
        range.map(|index| line(index) + "\n").collect::<String>()
    };
    let (ours, theirs) = (window(data), window(output));
    for change in TextDiff::from_lines(&ours, &theirs).iter_all_changes() {
        let kind = match change.tag() {
            ChangeTag::Equal => LineKind::Same,
            ChangeTag::Delete => LineKind::Minus,
            ChangeTag::Insert => LineKind::Plus,
        };
        lines.push(line(kind, change.value().trim_end()));
    }
    lines
}

fn cut(line: &str) -> String {
    const MOST: usize = 110;
    if line.chars().count() <= MOST {
        line.to_owned()
    } else {
        line.chars().take(MOST).chain(['…']).collect()
    }
}

/// A flat index as `[i, j, k]`.
fn multi_index(flat: usize, shape: &[u64]) -> String {
    let mut rest = flat as u64;
    let mut indices = vec![0; shape.len()];
    for (index, dim) in indices.iter_mut().zip(shape).rev() {
        *index = rest % (*dim).max(1);
        rest /= (*dim).max(1);
    }
    format!("{indices:?}")
}
