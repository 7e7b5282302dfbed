//! The core: the few trials that show most of what the whole suite shows. `cases/CORE.txt` lists the built-in one.

use crate::suite::record::Version;
use crate::suite::trial::{Group, Trial};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The built-in list: in each line the name of a trial, what only it shows, and since which version of the suite it is there
/// if not since the first list. The trials are in the order in which they are best run.
pub(crate) const LIST: &str = include_str!("../../cases/CORE.txt");

/// The core of the built-in suite.
static BUILT_IN: LazyLock<Core> = LazyLock::new(|| Core::read(LIST));

/// What the line about the strength of a list begins with.
pub(crate) const STRENGTH: &str = "# As the whole suite, it shows ";

/// What stands before the version since which a trial is in the list.
pub(crate) const SINCE: &str = " | since ";

/// Some trials, each with its place in the order in which they are best run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Core {
    /// By name: the place, and the version of the suite since which the trial is in the core; `None` for the first list.
    places: HashMap<String, (usize, Option<Version>)>,
    /// What they show as the whole suite does: `161 mutants by family and binding, …`.
    pub(crate) strength: String,
}

impl Core {
    /// The trials of a list.
    pub(crate) fn read(list: &str) -> Self {
        let strength = list.lines().find_map(|line| line.strip_prefix(STRENGTH));
        let lines = list.lines().filter(|line| !line.starts_with('#'));
        let places = lines.enumerate().map(|(place, line)| {
            let (line, since) = line.split_once(SINCE).unwrap_or((line, ""));
            let name = line.split_once(" | ").map_or(line, |(name, _)| name);
            (name.to_owned(), (place, since.parse().ok()))
        });
        Self {
            places: places.collect(),
            strength: strength.unwrap_or_default().to_owned(),
        }
    }

    /// The core of the built-in suite.
    pub(crate) fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// The place of a trial; `None` if it is not in the core.
    pub(crate) fn place(&self, trial: &str) -> Option<usize> {
        self.places.get(trial).map(|(place, _)| *place)
    }

    /// Since which version of the suite a trial is in the core; `None` if it is not, or since the first list.
    pub(crate) fn since(&self, trial: &str) -> Option<Version> {
        self.places.get(trial)?.1
    }

    /// Brings the groups that hold trials of it to the front, in its order, and these trials to the front of their groups.
    pub(crate) fn bring_to_front(&self, groups: &mut [Group]) {
        let mut name = String::new();
        // Behind all others if it is not in the core.
        let mut rank = |trial: &Trial| {
            name.clear();
            trial.write_name(&mut name);
            self.place(&name).unwrap_or(usize::MAX)
        };
        for group in groups.iter_mut() {
            group.trials.sort_by_cached_key(&mut rank);
        }
        groups.sort_by_cached_key(|group| group.trials.first().map(&mut rank));
    }
}
