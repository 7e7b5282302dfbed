//! The first screen: a headline, and which rule each backend keeps.

use crate::event::VerdictKind;
use crate::event::stream::Stream;
use crate::report::rule_table::{Cell, RuleTable};
use crate::report::style::tame;
use maud::{Markup, html};

/// What came of the run, in a line.
pub(super) fn headline(stream: &Stream) -> Markup {
    let all = stream.backends.iter().map(|backend| backend.counts());
    let sum = |count: &dyn Fn(&crate::event::Counts) -> usize| -> usize {
        all.clone().map(|counts| count(&counts)).sum()
    };
    let (trials, red) = (sum(&|counts| counts.total()), sum(&|counts| counts.red()));
    let of = |kind| sum(&|counts| counts.of(kind));
    let skipped = of(VerdictKind::Skipped);
    let parts = [
        (of(VerdictKind::Passed), "passed"),
        (of(VerdictKind::Recorded), "left open by the texts"),
        (of(VerdictKind::Known), "known failures"),
        (skipped, "not claimed"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<_> = parts
        .map(|(count, what)| format!("{} {what}", grouped(*count)))
        .collect();
    let is_stale = stream.run.baseline.is_none()
        && (of(VerdictKind::Fixed) > 0
            || stream.backends.iter().any(|backend| {
                let finished = backend.finished.as_ref();
                finished.is_some_and(|finished| !finished.stale.is_empty())
            }));
    html! {
        p.headline {
            @if red > 0 {
                strong.bad { "✗ " (grouped(red)) " of " (grouped(trials)) " trials failed" }
            } @else if !stream.missing().is_empty() {
                strong.bad { "Incomplete" }
            } @else if is_stale {
                strong.bad { "✗ Nothing failed, but known failures are stale" }
            } @else {
                strong.good { "✓ " (grouped(trials - skipped)) " trials as expected" }
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
            p.dim { "✓ kept in every trial that tests it · ✗ broken in some, known or not · ~ some fail that test other rules too · open: the texts leave all of them open · – not asked" }
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

/// A count with its thousands apart, as the script writes it: `24,333`.
pub(super) fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let first = digits.len() % 3;
    let (first, rest) = digits.split_at(first);
    let groups = rest.as_bytes().chunks(3);
    let groups = groups.map(|group| String::from_utf8_lossy(group).into_owned());
    let first = Some(first.to_owned()).filter(|first| !first.is_empty());
    first
        .into_iter()
        .chain(groups)
        .collect::<Vec<_>>()
        .join(",")
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_apart() {
        let counts = [0, 7, 999, 1_000, 24_333, 1_234_567].map(grouped);
        assert_eq!(counts, ["0", "7", "999", "1,000", "24,333", "1,234,567"]);
    }
}
