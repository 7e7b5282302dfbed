//! The coverage table on a terminal, as a Markdown page, and as JSON.

pub(crate) mod json;
pub(crate) mod page;
mod reasons;
mod table;

pub(crate) use table::{details, table, totals};
