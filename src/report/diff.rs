//! Diffs: what a failed trial expected and what it got.

use super::style::{BAD, DIM, GOOD, paint, plain, tame};
use crate::event::{ClauseRecord, Line, LineKind};
use crate::names::Joined;
use crate::semantics::operator::ClauseOf;

/// The lines of a failure in color, then the clauses that its case tests.
pub(crate) fn with_clauses(lines: &[Line], clauses: impl Iterator<Item = String>) -> String {
    let clauses = clauses.map(|clause| paint(DIM, tame(&clause)));
    lines.iter().map(painted).chain(clauses).joined("\n")
}

/// The lines of a failure without color.
pub(crate) fn without_colour(lines: &[Line]) -> Vec<String> {
    lines.iter().map(|line| plain(&painted(line))).collect()
}

/// A clause of an operator's table: its id, its level, and its statement.
pub(crate) fn description(of: &ClauseOf) -> String {
    ClauseRecord::from(of).to_string()
}

pub(super) fn indent(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).joined("\n")
}

/// A line in its color, with control characters escaped.
fn painted(line: &Line) -> String {
    let text = tame(&line.text);
    match line.kind {
        LineKind::Text => text,
        LineKind::Expected => format!("{}  {text}", paint(GOOD, "expected")),
        LineKind::Got => format!("{}       {text}", paint(BAD, "got")),
        LineKind::Mark => {
            let (mark, what) = text.split_at(text.rfind('^').map_or(text.len(), |at| at + 1));
            let (indent, mark) = mark.split_at(mark.len() - mark.trim_start().len());
            format!("          {indent}{}{what}", paint(BAD, mark))
        }
        LineKind::Same => format!("  {text}"),
        LineKind::Minus => paint(GOOD, format!("- {text}")),
        LineKind::Plus => paint(BAD, format!("+ {text}")),
        LineKind::Log => format!("    {text}"),
    }
}
