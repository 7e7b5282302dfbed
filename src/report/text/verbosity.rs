//! How much the terminal report shows.

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// Counts only.
    Quiet,
    /// One failure in full for each cause or clause, and the names of a few others.
    Normal,
    /// Every failure in full, and every skipped or recorded trial by name.
    Verbose,
}
