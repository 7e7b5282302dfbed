//! The page: one HTML file without any other file or request, to be opened in a browser.
//!
//! The counts and the findings are text; the rest is data that the page's script shows. A backend's words get into the page
//! in two ways, and both escape them: through the template, and through the data block, which contains no `<`. The content
//! security policy lets nothing run but the page's own script, and nothing be fetched.

mod data;
mod findings;
mod overview;
mod page;
#[cfg(test)]
mod tests;

pub(crate) use page::render;
