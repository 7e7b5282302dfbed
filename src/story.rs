//! Stories: a trial's result told as an event, with what was asked, what was to come, what came, and why.

use crate::backend::Mishaps;
use crate::case::{Allowed, Case, Cover, Expectation};
use crate::event::{self, Line, LineKind, Story, TraceStep};
use crate::judge::{Failure, Verdict};
use crate::known_failures::Standing;
use crate::operator::{Level, Operator};
use crate::oracle;
use crate::outcome::{Misfortune, Outcome, ShapePattern, show_pattern};
use crate::plan::Trial;
use crate::result::{Label, TrialResult};
use crate::tensor::{Tensor, literal};
use similar::{ChangeTag, TextDiff};

/// The most characters of a backend's message that are told, and of its log.
const MOST_SAID: usize = 4_000;
/// Elements shown on each side of the first that differs.
const WINDOW: usize = 6;

/// A result as an event.
pub(crate) fn tell(label: &Label, result: &TrialResult) -> event::Trial {
    let trial = &result.trial;
    let (failure, question) = match &result.verdict {
        Verdict::Failed(failure) => (Some(failure.name().to_owned()), None),
        Verdict::Recorded { question, answer } => {
            (None, Some(event::Answer { id: question.name().to_owned(), answer: answer.clone() }))
        }
        Verdict::Passed
        | Verdict::Skipped
        | Verdict::Crashed
        | Verdict::TimedOut
        | Verdict::OutOfMemory
        | Verdict::ProtocolError => (None, None),
    };
    let red = result.verdict.kind().is_red();
    event::Trial {
        backend: label.name.clone(),
        trial: trial.to_string(),
        case: trial.case.name.clone(),
        operator: trial.operator.to_string(),
        element_type: trial.element_type.name().to_owned(),
        binding: trial.binding.to_string(),
        verdict: result.kind(),
        microseconds: u64::try_from(result.duration.as_micros()).unwrap_or(u64::MAX),
        outcome: result.outcome.as_ref().map(|outcome| told(outcome, red)),
        failure,
        question,
        known_failure: match &result.standing {
            Standing::Known(reason) | Standing::Changed(reason) | Standing::Fixed(reason) | Standing::Quarantined(reason) => {
                Some(reason.clone())
            }
            Standing::Unknown | Standing::Flaky | Standing::Unchanged | Standing::Advisory | Standing::Lost => None,
        },
        attempts: result.attempts.clone(),
        before: result.before,
        story: (red || result.kind().is_red()).then(|| Box::new(story(label, result))),
    }
}

fn story(label: &Label, result: &TrialResult) -> Story {
    let trial = &result.trial;
    let (_, steps) = oracle::explain(&trial.request());
    let step = |step: oracle::Step| TraceStep {
        clauses: trial.operator.clauses_of(step.rule).map(|of| of.to_string()).collect(),
        says: step.says,
        fault: step.fault,
    };
    Story {
        size: trial.size(),
        diff: lines(trial, &result.verdict, result.outcome.as_ref()),
        trace: steps.into_iter().map(step).collect(),
        again: format!("reshape-conformance run{} --exact '{trial}'", label.arguments),
    }
}

/// A case as an event.
pub(crate) fn tell_case(case: &Case, operators: &[&'static Operator]) -> event::Case {
    let (line, _) = case.source.line_and_column(case.span.start);
    let one = |operator: &&'static Operator| {
        let clauses = case.clauses_of(operator);
        event::CaseOperator {
            operator: operator.to_string(),
            level: clauses.iter().map(|of| of.clause.level).min().unwrap_or(Level::Open),
            clauses: clauses.iter().map(ToString::to_string).collect(),
            asks: case.element_types(operator).first().map_or_else(String::new, |t| asks(case, operator, *t)),
            expects: expects(case.expectation(operator)),
        }
    };
    event::Case {
        case: case.name.clone(),
        file: case.source.file.to_string(),
        line,
        covers: case.covers.iter().map(Cover::name).collect(),
        operators: operators.iter().map(one).collect(),
    }
}

fn asks(case: &Case, operator: &'static Operator, element_type: crate::tensor::ElementType) -> String {
    let request = case.request(operator, element_type);
    let target = request.target.as_ref().map_or_else(|| "no target".to_owned(), |target| shorten(&target.to_string()));
    let attributes: Vec<_> = request.attributes.iter().map(|(name, value)| format!(", {name}={value}")).collect();
    format!("{} to {target}{}", shorten(&format!("{:?}", request.data_shape)), attributes.concat())
}

fn expects(expectation: &Expectation) -> String {
    let show = |allowed: &Allowed| match allowed {
        Allowed::Rejected => "rejected".to_owned(),
        Allowed::Reshaped(pattern) => show_pattern(pattern),
    };
    match expectation {
        Expectation::Reshaped(shape) => format!("{shape:?}"),
        Expectation::Rejected(reasons) => {
            format!("rejected: {}", reasons.iter().map(|reason| reason.name()).collect::<Vec<_>>().join(", "))
        }
        Expectation::Open { question, allowed: None } => format!("open ({question})"),
        Expectation::Open { question, allowed: Some(allowed) } => {
            format!("open ({question}): {}", allowed.iter().map(show).collect::<Vec<_>>().join(" or "))
        }
    }
}

/// What went wrong with a backend beside its trials, for the stream.
pub(crate) fn tell_mishaps(mishaps: &Mishaps) -> Option<event::Mishaps> {
    let last = mishaps.last.as_ref().map(told_misfortune)?;
    Some(event::Mishaps { times: mishaps.times, last })
}

fn told_misfortune(misfortune: &Misfortune) -> event::Misfortune {
    event::Misfortune { message: cut_to(&misfortune.what, MOST_SAID), log: cut_to(&misfortune.log, MOST_SAID) }
}

/// An outcome for the stream; of a failure with what diagnosis needs of its elements.
fn told(outcome: &Outcome, red: bool) -> event::Outcome {
    let said = |text: &String| cut_to(text, MOST_SAID);
    match outcome {
        Outcome::Reshaped { output, inferred } => event::Outcome::Reshaped {
            shape: output.shape().to_vec(),
            inferred: inferred.clone(),
            element_type: red.then(|| output.element_type().name().to_owned()),
            content: red.then(|| format!("{:016x}", output.content_hash())),
        },
        Outcome::Inferred(inferred) => event::Outcome::Inferred { inferred: inferred.clone() },
        Outcome::Rejected { phase, message } => event::Outcome::Rejected { phase: *phase, message: said(message) },
        Outcome::Unsupported(message) => event::Outcome::Unsupported { message: said(message) },
        Outcome::Crashed(m) => event::Outcome::Crashed(told_misfortune(m)),
        Outcome::TimedOut(m) => event::Outcome::TimedOut(told_misfortune(m)),
        Outcome::OutOfMemory(m) => event::Outcome::OutOfMemory(told_misfortune(m)),
        Outcome::ProtocolError(m) => event::Outcome::ProtocolError(told_misfortune(m)),
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
    let mut lines = vec![text(format!("{}{}", trial.element_type, asks(&trial.case, trial.operator, trial.element_type)))];
    match verdict {
        Verdict::Failed(failure) => lines.extend(failed(trial, failure)),
        Verdict::Crashed | Verdict::TimedOut | Verdict::OutOfMemory | Verdict::ProtocolError => {
            lines.extend(outcome.into_iter().flat_map(misfortune));
        }
        Verdict::Recorded { question, answer } => {
            lines.push(text(format!("the text leaves it open ({question}); it answered {answer}")));
        }
        Verdict::Passed | Verdict::Skipped => {}
    }
    lines
}

fn line(kind: LineKind, text: impl Into<String>) -> Line {
    Line { kind, text: text.into() }
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
    if text.chars().count() <= MOST { text.to_owned() } else { text.chars().take(MOST).chain(['…']).collect() }
}

fn misfortune(outcome: &Outcome) -> Vec<Line> {
    let (word, Misfortune { what, log }) = match outcome {
        Outcome::Crashed(misfortune) => ("crashed", misfortune),
        Outcome::TimedOut(misfortune) => ("timed out", misfortune),
        Outcome::OutOfMemory(misfortune) => ("out of memory", misfortune),
        Outcome::ProtocolError(misfortune) => ("broke the protocol", misfortune),
        Outcome::Reshaped { .. } | Outcome::Inferred(_) | Outcome::Rejected { .. } | Outcome::Unsupported(_) => {
            return Vec::new();
        }
    };
    let mut lines = vec![got(&format!("{word}: {what}"))];
    if !log.is_empty() {
        lines.push(text("its last words:"));
        lines.extend(cut_to(log, MOST_SAID).lines().map(|words| line(LineKind::Log, words)));
    }
    lines
}

fn failed(trial: &Trial, failure: &Failure) -> Vec<Line> {
    match failure {
        Failure::WrongShape { expected, got } => shapes(expected, &got.iter().copied().map(Some).collect()),
        Failure::WrongInference { expected, got } => {
            let mut lines = shapes(expected, got);
            lines.push(text("the shape it inferred before the run"));
            lines
        }
        Failure::NotRejected { reasons, got: shape } => {
            let reasons: Vec<_> = reasons.iter().map(|reason| reason.says()).collect();
            vec![expected(format!("a rejection: {}", reasons.join("; "))), got(shape)]
        }
        Failure::Rejected { expected: shape, phase, message } => {
            vec![expected(show_pattern(shape)), got(&format!("rejected ({phase}): {message}"))]
        }
        Failure::WrongElementType(element_type) => vec![expected(trial.element_type.name()), got(element_type.name())],
        Failure::Unsupported(message) => {
            vec![got(&format!("unsupported: {message}")), text("its manifest says that it can do this")]
        }
        Failure::WrongContent(output) => match trial.case.data(trial.element_type) {
            Ok(data) => contents(&data, output),
            Err(why) => vec![text(why)],
        },
    }
}

/// Shape against shape, with a mark under the first dim that differs.
fn shapes(allowed: &[ShapePattern], shape: &ShapePattern) -> Vec<Line> {
    let Some(first) = allowed.first() else { return vec![expected("no such shape"), got(&show_pattern(shape))] };
    let all: Vec<_> = allowed.iter().map(|shape| show_pattern(shape)).collect();
    let mut lines = vec![expected(all.join(" or ")), got(&show_pattern(shape))];
    if allowed.len() == 1 {
        let same = |(a, b): (&Option<u64>, &Option<u64>)| a == b || a.is_none() || b.is_none();
        let place = first.iter().zip(shape).position(|pair| !same(pair)).unwrap_or(first.len().min(shape.len()));
        let before: usize = shape[..place].iter().map(|dim| dim.map_or(1, |d| d.to_string().len()) + 2).sum();
        let width = shape.get(place).map_or(1, |dim| dim.map_or(1, |d| d.to_string().len()));
        let what = if first.len() == shape.len() {
            format!("dim {place}")
        } else {
            format!("rank {} instead of {}", shape.len(), first.len())
        };
        lines.push(line(LineKind::Mark, format!("{}{} {what}", " ".repeat(before + 1), "^".repeat(width))));
    }
    lines
}

/// Element against element: the first that differs, how many do, and a diff around it.
fn contents(data: &Tensor, output: &Tensor) -> Vec<Line> {
    let count = data.len().max(output.len());
    let differs = |index: &usize| !data.same_element(output, *index);
    let Some(first) = (0..count).find(differs) else { return Vec::new() };
    let differing = (first..count).filter(differs).count();
    let place = multi_index(first, output.shape());
    let mut lines = vec![
        text(format!("{differing} of {count} elements differ; the first at {place} (element {first} in row-major order)")),
        expected(cut(&format!("{}  {}", literal::show(data, first), literal::show_bits(data, first)))),
        got(&cut(&format!("{}  {}", literal::show(output, first), literal::show_bits(output, first)))),
    ];
    let window = |tensor: &Tensor| {
        let range = first.saturating_sub(WINDOW)..(first + WINDOW + 1).min(count);
        let line = |index: usize| {
            let place = multi_index(index, output.shape());
            cut(&format!("{place} {} {}", literal::show(tensor, index), literal::show_bits(tensor, index)))
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
    if line.chars().count() <= MOST { line.to_owned() } else { line.chars().take(MOST).chain(['…']).collect() }
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
