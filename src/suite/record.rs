//! The record of the built-in suite: its version, since when each trial is as it is now, and the history of cases.

#[cfg(test)]
mod tests;

use crate::names::deserialize_from_str;
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

/// The changes of the suite, newest first, each under its version.
const CHANGELOG: &str = include_str!("../../cases/CHANGELOG.md");

/// A line for each case, and for each other part of a trial's name: since which version it is as it is now.
const RECORD: &str = include_str!("../../cases/RECORD.txt");

/// A version of the suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(u32, u32);

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('.');
        let parts = parts.and_then(|(one, two)| Some(Self(one.parse().ok()?, two.parse().ok()?)));
        parts.ok_or_else(|| {
            format!(
                "'{text}' is no version of the suite, such as \"{}\"",
                version()
            )
        })
    }
}

deserialize_from_str!(Version);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

impl Version {
    /// The newest version, which this program holds.
    pub(crate) fn newest() -> Self {
        version().parse().unwrap_or(Self(0, 0))
    }

    /// Whether the suite has had this version.
    pub(crate) fn exists(self) -> bool {
        titles().any(|title| title.parse() == Ok(self))
    }

    /// The version since which a trial of the built-in suite is as it is now: the newest version of the parts of its name.
    pub(crate) fn of_trial(name: &str) -> Self {
        static PARTS: LazyLock<HashMap<&str, Version>> = LazyLock::new(|| {
            let lines = RECORD.lines().filter_map(|line| line.split_once(" | "));
            let parts = lines.filter_map(|(name, rest)| {
                let since = rest.split(" | ").next()?;
                Some((name, since.parse().ok()?))
            });
            parts.collect()
        });
        let mut rest = name;
        let mut since = Self(0, 0);
        // A part begins with the sign in front of it: `case`, `/operator`, …, `+surrounding`.
        while !rest.is_empty() {
            let mut signs = rest.char_indices().skip(1);
            let end = signs.find(|(_, sign)| matches!(sign, '/' | '+'));
            let (part, others) = rest.split_at(end.map_or(rest.len(), |(at, _)| at));
            since = since.max(PARTS.get(part).copied().unwrap_or_else(Self::newest));
            rest = others;
        }
        since
    }
}

/// The version of the program, with that of its suite: `0.1.0 (suite 3.2)`.
pub(crate) fn in_full() -> String {
    format!("{} (suite {})", env!("CARGO_PKG_VERSION"), version())
}

/// The version of the built-in suite: the newest in its changelog.
pub(crate) fn version() -> &'static str {
    titles().next().unwrap_or("0")
}

/// The versions of the built-in suite, newest first.
fn titles() -> impl Iterator<Item = &'static str> {
    let titles = CHANGELOG.lines();
    let titles = titles.filter_map(|line| line.strip_prefix("## "));
    titles.map(str::trim)
}
