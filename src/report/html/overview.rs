//! The first screen: a headline, the rules that each backend keeps, and the history.

use crate::event::VerdictKind;
use crate::event::stream::Stream;
use crate::names::Joined;
use crate::report::digest::{Conclusion, RunDigest};
use crate::report::number::grouped;
use crate::report::results::{History, histories};
use crate::report::rule_table::{Cell, LEGEND, RuleTable};
use crate::report::style::tame;
use maud::{Markup, html};

/// The conclusion about the run, in a line.
pub(super) fn headline(run: &RunDigest<'_>) -> Markup {
    let counts = run.counts();
    let of = |kind| counts.of(kind);
    let (trials, red, skipped) = (counts.total(), counts.red(), of(VerdictKind::Skipped));
    let sampled = run.backends.iter();
    let sampled = sampled.filter_map(|backend| backend.verdicts.sampled());
    let left_out: usize = sampled.map(|of| of.left_out).sum();
    let parts = [
        (of(VerdictKind::Passed), "passed"),
        (of(VerdictKind::Recorded), "left open by the texts"),
        (of(VerdictKind::Known), "known failures"),
        (skipped.saturating_sub(left_out), "not claimed"),
        (left_out, "outside a sample"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let parts = parts.map(|(count, what)| format!("{} {what}", grouped(*count)));
    html! {
        p.headline {
            @match run.conclusion() {
                Conclusion::Failed => strong.bad { "✗ " (grouped(red)) " of " (grouped(trials)) " trials failed" },
                Conclusion::Died => strong.bad { "✗ No trial failed, but the process of a backend died" },
                Conclusion::Incomplete => strong.bad { "Incomplete" },
                Conclusion::Stale => strong.bad { "✗ Nothing failed, but known failures are stale" },
                Conclusion::AsExpected => strong.good { "✓ " (grouped(trials - skipped)) " trials as expected" },
            }
            " " span.dim { (parts.joined(" · ")) }
        }
        @if let Some(core) = run.stream.run.selection.core_in_words() { p.dim { "This is " (tame(&core)) "." } }
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
                            @for cell in cells { td.(class(cell.cell)) { (cell.sign()) } }
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
        Cell::Unclear | Cell::Unchecked => "unclear",
        Cell::Broken => "broken",
        Cell::Open => "open",
        Cell::NotAsked => "none",
    }
}

/// A table for each adapter with several releases: a row for each cause, a column for each release.
pub(super) fn history(run: &RunDigest<'_>) -> Markup {
    let histories = histories(run);
    html! {
        @if !histories.is_empty() {
            section #history aria-labelledby="history-title" {
                h2 #history-title { "Since when" }
                p.note { "The number of trials that show each cause, in each release." }
                @for of in &histories { (releases(of)) }
            }
        }
    }
}

fn releases(of: &History) -> Markup {
    html! {
        h3 { (tame(&of.name)) }
        div.scroll tabindex="0" role="region" aria-label={ "History of " (tame(&of.name)) } { table {
            thead { tr {
                th scope="col" { "cause" }
                @for version in &of.versions { th scope="col" { (tame(version)) } }
                th scope="col" { "seen" }
            } }
            tbody {
                tr {
                    th scope="row" { "trials asked" }
                    @for asked in &of.asked { td { (grouped(*asked)) } }
                    td {}
                }
                @for row in &of.rows {
                    tr {
                        th scope="row" { (tame(&row.cause)) }
                        @for cell in row.cells() { td { (cell) } }
                        td { (tame(&row.seen)) }
                    }
                }
            }
        } }
    }
}
