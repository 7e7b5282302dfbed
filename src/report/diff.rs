//! Diffs: what a failed trial expected and got, so that a person sees it at once.

use super::style::{BAD, DIM, GOOD, paint, plain, tame};
use crate::event::{Line, LineKind};
use crate::spec::operator::ClauseOf;

/// The lines of a failure in colour, and the clauses that it is about.
pub(crate) fn with_clauses(lines: &[Line], clauses: impl Iterator<Item = ClauseOf>) -> String {
    let clauses = clauses.map(|clause| paint(DIM, says(&clause)));
    lines
        .iter()
        .map(painted)
        .chain(clauses)
        .collect::<Vec<_>>()
        .join("\n")
}

/// The lines of a failure without colour.
pub(crate) fn without_colour(lines: &[Line]) -> Vec<String> {
    lines.iter().map(|line| plain(&painted(line))).collect()
}

/// A clause with its place, in our words.
pub(crate) fn says(of: &ClauseOf) -> String {
    format!("{} ({}): {}", of, of.clause.level, of.clause.says)
}

pub(super) fn indent(text: &str) -> String {
    text.lines()
        .map(|line| format!("    {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// A line in its colour; what a backend said made harmless.
fn painted(line: &Line) -> String {
    let text = tame(&line.text);
    match line.kind {
        LineKind::Text => text,
        LineKind::Expected => format!("{}  {text}", paint(GOOD, "expected")),
        LineKind::Got => format!("{}       {text}", paint(BAD, "got")),
        LineKind::Mark => {
            let (mark, what) = text
                .rsplit_once('^')
                .map_or((text.as_str(), ""), |(mark, what)| {
                    (&text[..mark.len() + 1], what)
                });
            let bare = mark.trim_start();
            format!(
                "          {}{}{what}",
                &mark[..mark.len() - bare.len()],
                paint(BAD, bare)
            )
        }
        LineKind::Same => format!("  {text}"),
        LineKind::Minus => paint(GOOD, format!("- {text}")),
        LineKind::Plus => paint(BAD, format!("+ {text}")),
        LineKind::Log => format!("    {text}"),
    }
}
