//! Explanations: the oracle's steps, with the clauses behind them.

use super::style::{BAD, DIM, GOOD, NOTE, STRONG, paint, tame};
use crate::names::Joined;
use crate::semantics::operator::{Binding, Operator};
use crate::semantics::oracle::{self, Resolution, Step};
use crate::semantics::outcome::{Outcome, pattern_of, show_pattern, show_shape};
use crate::semantics::request::Request;
use crate::verdict::judge::{Failure, Verdict};

/// A backend's answer under some bindings.
pub(crate) struct Answered {
    /// The backend's name and version.
    pub backend: String,
    /// The bindings under which it gave this answer.
    pub bindings: Vec<Binding>,
    /// The answer.
    pub outcome: Outcome,
    /// The verdict on the answer.
    pub verdict: Verdict,
    /// Descriptions of the mutants that give the same answer.
    pub alike: Vec<&'static str>,
}

/// Whether the texts of two operators take the same steps to the same answer. Then one trace stands for both.
pub(crate) fn is_alike(one: &Request, other: &Request) -> bool {
    let situation = |of: &Request| (of.operator.family, of.element_type, of.data_shape.clone());
    let node = |of: &Request| (of.target.clone(), of.attributes.clone());
    let trace = |of: &Request| {
        let (resolution, steps) = oracle::explain(of);
        let name = of.operator.to_string();
        let description = steps.iter().map(|step| step.description.replace(&name, ""));
        (description.collect::<Vec<_>>(), conclusion(&resolution))
    };
    situation(one) == situation(other) && node(one) == node(other) && trace(one) == trace(other)
}

/// A request without its operator: `f32[2, 3] to [0, -1], allowzero=1`.
pub(crate) fn asks(request: &Request) -> String {
    let target = request.target.as_ref();
    let target = target.map_or_else(|| "no target".to_owned(), ToString::to_string);
    asks_for(request, [format!("{:?}", request.data_shape), target])
}

/// A request of the element type and the attributes of another, with its data's dims and its target in words.
pub(crate) fn asks_for(request: &Request, [dims, target]: [String; 2]) -> String {
    let attributes = request.attributes.iter();
    let attributes = attributes.map(|(name, value)| format!(", {name}={value}"));
    let attributes: String = attributes.collect();
    format!("{}{dims} to {target}{attributes}", request.element_type)
}

/// The trace of a request, and the answers of backends. `alike` are earlier versions with the same trace.
pub(crate) fn render(request: &Request, alike: &[&Operator], answers: &[Answered]) -> String {
    let (resolution, steps) = oracle::explain(request);
    let operator = request.operator;
    let mut lines = vec![format!("{}: {}", paint(STRONG, operator), asks(request))];
    if !alike.is_empty() {
        let alike = alike.iter().joined(", ");
        lines.push(paint(DIM, format!("  the same steps in {alike}")));
    }
    for (index, step) in steps.iter().enumerate() {
        let description = match step.fault {
            true => paint(BAD, &step.description),
            false => step.description.clone(),
        };
        lines.push(format!("  {}. {description}", index + 1));
        for of in operator.clauses_of(step.rule) {
            let clause = super::diff::description(&of);
            lines.push(paint(DIM, format!("       {clause}")));
        }
    }
    lines.push(format!("  = {}", conclusion(&resolution)));
    for answer in answers {
        lines.extend(answered(&steps, answer));
    }
    lines.join("\n")
}

/// An answer, and the steps that it agrees or disagrees with.
fn answered(steps: &[Step], answer: &Answered) -> Vec<String> {
    let bindings = answer.bindings.iter().joined(", ");
    let kind = answer.verdict.kind();
    let style = if kind.is_red() { BAD } else { GOOD };
    let what = match &answer.outcome {
        Outcome::Reshaped { output, .. } => show_shape(output.shape()),
        Outcome::Claimed { shape, .. } => format!("{}, without its elements", show_shape(shape)),
        Outcome::Inferred(Some(shape)) => format!("inferred {}", show_pattern(shape)),
        Outcome::Inferred(None) => "accepted, of unknown rank".to_owned(),
        Outcome::Rejected {
            phase,
            message,
            internal,
        } => {
            let how = if *internal { ", by accident" } else { "" };
            format!("rejected ({phase}{how}): {}", tame(message))
        }
        Outcome::ChangedEarlier(_) => "changed the output of an earlier run".to_owned(),
        Outcome::WrongConcurrentRun(_) => "answered a concurrent run wrong".to_owned(),
        Outcome::Unsupported(message) => format!("unsupported: {}", tame(message)),
        Outcome::Crashed(m)
        | Outcome::TimedOut(m)
        | Outcome::OutOfMemory(m)
        | Outcome::ProtocolError(m) => tame(&m.what),
    };
    let mut lines = vec![
        format!("\n{} ({bindings})", paint(STRONG, &answer.backend)),
        format!("  {}: {what}", paint(style, kind.name())),
    ];
    for (index, step) in steps.iter().enumerate() {
        let (mark, description) = match agrees(step, &answer.outcome) {
            Some(true) => (paint(GOOD, "✓"), String::new()),
            Some(false) if step.fault => (paint(BAD, "✗"), "  it did not reject this".to_owned()),
            Some(false) => (paint(BAD, "✗"), "  its answer differs".to_owned()),
            None => continue,
        };
        let (number, fault) = (index + 1, paint(BAD, description));
        lines.push(format!("  {mark} {number}. {}{fault}", step.description));
    }
    if let Verdict::Failed(Failure::WrongContent(_)) = &answer.verdict {
        lines.push(format!(
            "  {} the elements differ from the data's, in their order or their bits",
            paint(BAD, "✗")
        ));
    }
    if kind.is_red() {
        let alike = answer.alike.iter();
        lines.extend(alike.map(|does| paint(DIM, format!("  as if it {does}"))));
    }
    lines
}

/// Whether an answer agrees with a step; `None` if the answer does not show it.
fn agrees(step: &Step, outcome: &Outcome) -> Option<bool> {
    let dims = match (outcome, outcome.shape()) {
        (_, Some(shape)) => pattern_of(shape),
        (Outcome::Inferred(shape), None) => shape.clone()?,
        (Outcome::Rejected { .. }, None) => return step.fault.then_some(true),
        _ => return None,
    };
    match step.dim {
        _ if step.fault => Some(false),
        Some((index, length)) => {
            let dim = dims.get(index);
            Some(dim.is_some_and(|dim| dim.is_none_or(|dim| dim == length)))
        }
        None => None,
    }
}

fn conclusion(resolution: &Resolution) -> String {
    match resolution {
        Resolution::Reshaped(shape) => paint(GOOD, format!("reshaped to {shape:?}")),
        Resolution::Rejected(reasons) => {
            let reasons = reasons.iter().joined(", ");
            paint(BAD, format!("rejected: {reasons}"))
        }
        Resolution::Open {
            question,
            allowed,
            choice,
        } => {
            let allowed = allowed.iter().joined(" or ");
            let head = paint(NOTE, format!("open ({question}): {allowed}"));
            let why = format!("the reference gives {} ({})", choice, question.choice());
            let (asks, debated) = (question.asks(), question.debated());
            format!("{head}\n    {asks}\n    {why}\n    {debated}")
        }
    }
}
