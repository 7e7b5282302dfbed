//! Diffs: what a failed trial expected and got, so that a person sees it at once.

use super::style::{BAD, DIM, GOOD, paint, tame};
use crate::judge::{Failure, Verdict};
use crate::operator::ClauseOf;
use crate::outcome::{Misfortune, Outcome, ShapePattern, show_pattern};
use crate::plan::Trial;
use crate::tensor::{Tensor, literal};
use similar::TextDiff;

/// Elements shown on each side of the first that differs.
const WINDOW: usize = 6;

/// What was asked, what happened, and what the text says.
pub(crate) fn describe(trial: &Trial, verdict: &Verdict, outcome: Option<&Outcome>) -> String {
    let mut lines = vec![brief(trial, verdict, outcome)];
    for clause in trial.case.clauses_of(trial.operator) {
        lines.push(paint(DIM, says(&clause)));
    }
    indent(&lines.join("\n"))
}

/// What was asked, and what happened.
pub(crate) fn brief(trial: &Trial, verdict: &Verdict, outcome: Option<&Outcome>) -> String {
    let mut lines = vec![asked(trial)];
    match verdict {
        Verdict::Failed(failure) => lines.extend(failed(trial, failure)),
        Verdict::Crashed | Verdict::TimedOut | Verdict::OutOfMemory | Verdict::ProtocolError => {
            lines.extend(outcome.map(misfortune))
        }
        Verdict::Recorded { question, answer } => {
            lines.push(format!("the text leaves it open ({question}); it answered {answer}"))
        }
        Verdict::Passed | Verdict::Skipped => {}
    }
    lines.join("\n")
}

/// A clause with its place, in our words.
pub(crate) fn says(of: &ClauseOf) -> String {
    format!("{} ({}): {}", of, of.clause.level, of.clause.says)
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

/// The request in a line: `f32[2, 3, 4] to [2, -1], allowzero=1`.
pub(crate) fn asked(trial: &Trial) -> String {
    let request = trial.request();
    let target = request.target.as_ref().map_or_else(|| "no target".to_owned(), |target| shorten(&target.to_string()));
    let attributes: Vec<_> = request.attributes.iter().map(|(name, value)| format!(", {name}={value}")).collect();
    format!("{}{} to {target}{}", request.element_type, shorten(&format!("{:?}", request.data_shape)), attributes.concat())
}

fn shorten(text: &str) -> String {
    const MOST: usize = 120;
    if text.chars().count() <= MOST { text.to_owned() } else { text.chars().take(MOST).chain(['…']).collect() }
}

fn misfortune(outcome: &Outcome) -> String {
    let (word, Misfortune { what, log }) = match outcome {
        Outcome::Crashed(misfortune) => ("crashed", misfortune),
        Outcome::TimedOut(misfortune) => ("timed out", misfortune),
        Outcome::OutOfMemory(misfortune) => ("out of memory", misfortune),
        Outcome::ProtocolError(misfortune) => ("broke the protocol", misfortune),
        Outcome::Reshaped { .. } | Outcome::Inferred(_) | Outcome::Rejected { .. } | Outcome::Unsupported(_) => {
            return String::new();
        }
    };
    let log = if log.is_empty() { String::new() } else { format!("\nits last words:\n{}", indent(&tame(log))) };
    format!("{}: {}{log}", paint(BAD, word), tame(what))
}

fn failed(trial: &Trial, failure: &Failure) -> Vec<String> {
    match failure {
        Failure::WrongShape { expected, got } => shapes(expected, &got.iter().copied().map(Some).collect()),
        Failure::WrongInference { expected, got } => {
            let mut lines = shapes(expected, got);
            lines.push("the shape it inferred before the run".to_owned());
            lines
        }
        Failure::NotRejected { reasons, got } => {
            let reasons: Vec<_> = reasons.iter().map(|reason| reason.says()).collect();
            vec![expected(&format!("a rejection: {}", reasons.join("; "))), got_line(got)]
        }
        Failure::Rejected { expected: shape, phase, message } => {
            vec![expected(&show_pattern(shape)), got_line(&format!("rejected ({phase}): {}", tame(message)))]
        }
        Failure::WrongElementType(got) => vec![expected(trial.element_type.name()), got_line(got.name())],
        Failure::Unsupported(message) => {
            vec![got_line(&format!("unsupported: {}", tame(message))), "its manifest says that it can do this".to_owned()]
        }
        Failure::WrongContent(output) => match trial.case.data(trial.element_type) {
            Ok(data) => contents(&data, output),
            Err(why) => vec![why],
        },
    }
}

fn expected(text: &str) -> String {
    format!("{}  {text}", paint(GOOD, "expected"))
}

fn got_line(text: &str) -> String {
    format!("{}       {text}", paint(BAD, "got"))
}

/// Shape against shape, with a mark under the first dim that differs.
fn shapes(allowed: &[ShapePattern], got: &ShapePattern) -> Vec<String> {
    let Some(first) = allowed.first() else { return vec![expected("no such shape"), got_line(&show_pattern(got))] };
    let all: Vec<_> = allowed.iter().map(|shape| show_pattern(shape)).collect();
    let mut lines = vec![expected(&all.join(" or ")), got_line(&show_pattern(got))];
    if allowed.len() == 1 {
        let same = |(a, b): (&Option<u64>, &Option<u64>)| a == b || a.is_none() || b.is_none();
        let place = first.iter().zip(got).position(|pair| !same(pair)).unwrap_or(first.len().min(got.len()));
        let before: usize = got[..place].iter().map(|dim| dim.map_or(1, |d| d.to_string().len()) + 2).sum();
        let width = got.get(place).map_or(1, |dim| dim.map_or(1, |d| d.to_string().len()));
        let what = if first.len() == got.len() {
            format!("dim {place}")
        } else {
            format!("rank {} instead of {}", got.len(), first.len())
        };
        lines.push(format!("          {}{} {what}", " ".repeat(before + 1), paint(BAD, "^".repeat(width))));
    }
    lines
}

/// Element against element: the first that differs, how many do, and a diff around it.
fn contents(data: &Tensor, output: &Tensor) -> Vec<String> {
    let count = data.len().max(output.len());
    let differs = |index: &usize| !data.same_element(output, *index);
    let Some(first) = (0..count).find(differs) else { return Vec::new() };
    let differing = (first..count).filter(differs).count();
    let place = multi_index(first, output.shape());
    let mut lines = vec![
        format!("{differing} of {count} elements differ; the first at {place} (element {first} in row-major order)"),
        expected(&cut(&format!("{}  {}", literal::show(data, first), literal::show_bits(data, first)))),
        got_line(&cut(&format!("{}  {}", literal::show(output, first), literal::show_bits(output, first)))),
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
    let diff = TextDiff::from_lines(&ours, &theirs);
    for change in diff.iter_all_changes() {
        let text = format!("{} {}", change.tag(), change.value().trim_end());
        lines.push(match change.tag() {
            similar::ChangeTag::Equal => text,
            similar::ChangeTag::Delete => paint(GOOD, text),
            similar::ChangeTag::Insert => paint(BAD, text),
        });
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
