//! Since when: in which releases of a backend each cause is, where the stream has several.

use crate::event::stream::Stream;
use crate::report::number::grouped;
use crate::report::results::{History, histories};
use crate::report::style::tame;
use maud::{Markup, html};

/// A table for each adapter of which there are several releases: a row for each cause, a column for each release.
pub(super) fn history(stream: &Stream) -> Markup {
    let histories = histories(stream);
    html! {
        @if !histories.is_empty() {
            section #history aria-labelledby="history-title" {
                h2 #history-title { "Since when" }
                p.note { "In how many trials each cause is seen, in each release." }
                @for of in &histories { (table(of)) }
            }
        }
    }
}

fn table(of: &History) -> Markup {
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
