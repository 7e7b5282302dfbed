//! The trials of a search.

use super::enumerate::enumerate;
use super::hypotheses::Hypotheses;
use super::options::{Method, SearchOptions};
use super::random::Random;
use super::space::Bounds;
use super::space::Space;
use crate::backend::About;
use crate::suite::trial::Group;
use std::sync::Arc;

/// Groups of trials, generated as they are consumed.
pub(super) type Groups = Box<dyn Iterator<Item = Group> + Send>;

impl SearchOptions {
    /// The space to search on a backend.
    pub(super) fn space(&self, about: &About) -> Space {
        let supported = || Space::of(about, &self.operators, &self.bindings, &self.element_types);
        match &self.method {
            Method::Single(trial) => Space {
                cells: vec![(trial.operator, trial.element_type, trial.binding)],
                rank: 0,
            },
            Method::Small { .. } => supported(),
            Method::Random { rank, .. } => {
                let space = supported();
                Space {
                    rank: rank.map_or(space.rank, |rank| rank as usize),
                    ..space
                }
            }
        }
    }

    /// What is searched, in words that are the same for every part of a search, and different for every other search.
    pub(super) fn describe(&self, space: &Space) -> String {
        let trials = match &self.method {
            Method::Single(trial) => format!("the trial {trial}"),
            Method::Random {
                seed,
                from,
                end,
                guided,
                ..
            } => {
                let kind = if *guided { "guided" } else { "random" };
                let end = end.map_or_else(|| "on".to_owned(), |end| format!("to {end}"));
                let rank = space.rank;
                format!("{kind} trials of seed {seed} from {from} {end}, rank {rank}")
            }
            Method::Small {
                bounds: Bounds { rank, dim, value },
                count,
            } => {
                let which =
                    count.map_or_else(|| "all".to_owned(), |count| format!("the first {count}"));
                format!("{which} trials of rank {rank}, dims to {dim}, values to {value}")
            }
        };
        let cells: Vec<_> = space
            .cells
            .iter()
            .map(|(operator, element_type, binding)| format!("{operator}/{element_type}/{binding}"))
            .collect();
        format!("{trials}, in {}", cells.join(" "))
    }

    /// The trials of all parts together.
    pub(super) fn groups(&self, space: Space, guide: Option<Arc<Hypotheses>>) -> Groups {
        match &self.method {
            Method::Single(trial) => Box::new(std::iter::once(Group::single(trial.clone()))),
            Method::Random {
                seed, from, end, ..
            } => {
                let end = end.unwrap_or(u64::MAX);
                Box::new(Random::new(space, *seed, *from, end, guide))
            }
            Method::Small { bounds, count } => first(enumerate(space, *bounds), *count),
        }
    }

    /// The number of trials, if it is known beforehand.
    pub(super) fn count(&self, space: &Space) -> Option<u64> {
        let all = match &self.method {
            Method::Single(_) => Some(1),
            Method::Random { from, end, .. } => end.map(|end| end - from),
            Method::Small { bounds, count } => bounds.count(space).into_iter().chain(*count).min(),
        };
        all.filter(|_| self.partition.is_none())
    }
}

/// The first `count` trials.
fn first(groups: impl Iterator<Item = Group> + Send + 'static, count: Option<u64>) -> Groups {
    let mut left = count.map_or(usize::MAX, |count| {
        usize::try_from(count).unwrap_or(usize::MAX)
    });
    Box::new(groups.map_while(move |mut group| {
        group.trials.truncate(left);
        left -= group.trials.len();
        (!group.trials.is_empty()).then_some(group)
    }))
}
