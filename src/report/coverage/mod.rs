//! The coverage table: on a terminal, as a Markdown page, as JSON.

mod details;
pub(crate) mod json;
pub(crate) mod page;
mod reasons;
mod table;

pub(crate) use details::details;
pub(crate) use table::{table, totals};
