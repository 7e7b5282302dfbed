//! The page: one self-contained HTML file for a browser.
//!
//! The counts and the findings are text; the page's script shows the remaining data. A backend's words enter the page
//! in two ways, both of which escape them: the template, and the data block, which contains no `<`. The content
//! security policy allows only the page's own script, and no requests.

mod data;
mod findings;
mod overview;
mod page;

pub(crate) use page::render;
