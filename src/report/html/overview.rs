//! The first screen: a headline, and which rule each backend keeps.

use crate::event::stream::Stream;
use crate::event::{Counts, VerdictKind};
use crate::report::conclusion::Conclusion;
use crate::report::number::grouped;
use crate::report::rule_table::{Cell, LEGEND, RuleTable};
use crate::report::sample::Sampled;
use crate::report::style::tame;
use maud::{Markup, html};

/// What came of the run, in a line.
pub(super) fn headline(stream: &Stream) -> Markup {
    let mut counts = Counts::default();
    for backend in &stream.backends {
        counts.add(&backend.counts());
    }
    let of = |kind| counts.of(kind);
    let (trials, red, skipped) = (counts.total(), counts.red(), of(VerdictKind::Skipped));
    let sampled = stream.backends.iter();
    let sampled = sampled.filter_map(|backend| Sampled::of(&backend.trials));
    let left_out: usize = sampled.map(|of| of.left_out()).sum();
    let parts = [
        (of(VerdictKind::Passed), "passed"),
        (of(VerdictKind::Recorded), "left open by the texts"),
        (of(VerdictKind::Known), "known failures"),
        (skipped.saturating_sub(left_out), "not claimed"),
        (left_out, "outside a sample"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<_> = parts
        .map(|(count, what)| format!("{} {what}", grouped(*count)))
        .collect();
    html! {
        p.headline {
            @match Conclusion::of_run(stream) {
                Conclusion::Failed => strong.bad { "✗ " (grouped(red)) " of " (grouped(trials)) " trials failed" },
                Conclusion::Died => strong.bad { "✗ No trial failed, but the process of a backend died" },
                Conclusion::Incomplete => strong.bad { "Incomplete" },
                Conclusion::Stale => strong.bad { "✗ Nothing failed, but known failures are stale" },
                Conclusion::AsExpected => strong.good { "✓ " (grouped(trials - skipped)) " trials as expected" },
            }
            " " span.dim { (parts.join(" · ")) }
        }
    }
}

/// A row for each rule, and a column for each backend.
pub(super) fn rules(stream: &Stream) -> Markup {
    let table = RuleTable::new(stream);
    if table.rows.is_empty() || table.backends.is_empty() {
        return html! {};
    }
    html! {
        section #rules aria-labelledby="rules-title" {
            h2 #rules-title { "Rules" }
            p.dim { (LEGEND) }
            div.scroll tabindex="0" role="group" aria-labelledby="rules-title" {
                table.rules {
                    thead { tr {
                        th scope="col" { "rule" }
                        @for backend in &table.backends { th scope="col" { (tame(&backend.started.backend)) } }
                    } }
                    tbody { @for (rule, cells) in &table.rows {
                        tr {
                            th scope="row" { code { (tame(rule)) } }
                            @for cell in cells { td.(class(*cell)) { (cell.sign()) } }
                        }
                    } }
                }
            }
        }
    }
}

fn class(cell: Cell) -> &'static str {
    match cell {
        Cell::Kept => "kept",
        Cell::Unclear => "unclear",
        Cell::Broken => "broken",
        Cell::Open => "open",
        Cell::NotAsked => "none",
    }
}
