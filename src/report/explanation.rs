//! Explanations: the oracle's steps with the clauses they rest on.

use super::style::{BAD, DIM, GOOD, NOTE, STRONG, paint};
use crate::oracle::{self, Allowed, Resolution};
use crate::outcome::show_pattern;
use crate::request::Request;

/// The trace of one request, as text.
pub(crate) fn render(request: &Request) -> String {
    let (resolution, steps) = oracle::explain(request);
    let target = request.target.as_ref().map_or_else(|| "no target".to_owned(), ToString::to_string);
    let attributes: Vec<_> = request.attributes.iter().map(|(name, value)| format!(", {name}={value}")).collect();
    let operator = request.operator;
    let mut lines = vec![format!(
        "{}: {}{:?} to {target}{}",
        paint(STRONG, operator),
        request.element_type,
        request.data_shape,
        attributes.concat()
    )];
    for (index, step) in steps.iter().enumerate() {
        let says = if step.fault { paint(BAD, &step.says) } else { step.says.clone() };
        lines.push(format!("  {}. {says}", index + 1));
        for of in operator.clauses_of(step.rule) {
            lines.push(paint(DIM, format!("       {}", super::diff::says(&of))));
        }
    }
    lines.push(format!("  = {}", conclusion(&resolution)));
    lines.join("\n")
}

fn conclusion(resolution: &Resolution) -> String {
    match resolution {
        Resolution::Reshaped(shape) => paint(GOOD, format!("reshaped to {shape:?}")),
        Resolution::Rejected(reasons) => {
            let reasons: Vec<_> = reasons.iter().map(|reason| reason.name()).collect();
            paint(BAD, format!("rejected: {}", reasons.join(", ")))
        }
        Resolution::Open { question, allowed, choice } => {
            let allowed: Vec<_> = allowed.iter().map(show).collect();
            let head = format!("open ({question}): {}", allowed.join(" or "));
            let why = format!("the reference gives {} ({})", show(choice), question.choice());
            format!("{}\n    {}\n    {why}\n    {}", paint(NOTE, head), question.asks(), question.debated())
        }
    }
}

fn show(allowed: &Allowed) -> String {
    match allowed {
        Allowed::Rejected => "rejected".to_owned(),
        Allowed::Reshaped(pattern) => show_pattern(pattern),
    }
}
