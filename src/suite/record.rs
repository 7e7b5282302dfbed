//! The record of the built-in suite: its version and, in tests, the history of every case.

#[cfg(test)]
mod tests;

/// The changes of the suite, newest first, each under its version.
const CHANGELOG: &str = include_str!("../../cases/CHANGELOG.md");

/// The version of the built-in suite: the newest in its changelog.
pub(crate) fn version() -> &'static str {
    let mut titles = CHANGELOG
        .lines()
        .filter_map(|line| line.strip_prefix("## "));
    titles.next().unwrap_or("0").trim()
}
