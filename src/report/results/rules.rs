//! Rules and backends: which rule each backend keeps.

use crate::event::stream::Stream;
use crate::report::markdown::{code, text};
use crate::report::rule_table::{LEGEND, RuleTable};
use std::fmt::Write;

/// Writes a row for each rule, and a column for each backend.
pub(super) fn write(page: &mut String, stream: &Stream) {
    let table = RuleTable::new(stream);
    if table.rows.is_empty() || table.backends.is_empty() {
        return;
    }
    page.push_str("## Rules and backends\n\n");
    let _ = writeln!(page, "{LEGEND}.\n");
    let names = table.backends.iter();
    let names: Vec<_> = names
        .map(|backend| text(&backend.started.backend))
        .collect();
    let _ = writeln!(page, "| rule | {} |", names.join(" | "));
    let _ = writeln!(page, "|---|{}", ":-:|".repeat(names.len()));
    for (rule, cells) in &table.rows {
        let cells: Vec<_> = cells.iter().map(|cell| cell.sign()).collect();
        let _ = writeln!(page, "| `{}` | {} |", code(rule), cells.join(" | "));
    }
    page.push('\n');
}
