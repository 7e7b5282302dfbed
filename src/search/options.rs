//! The options of a search: its space, method and limits, and the trials that follow from them.

use super::random::random;
use super::space::{Bounds, Space, enumerate};
use crate::backend::About;
use crate::model::surroundings::Surrounding;
use crate::names::Joined;
use crate::run::BrakeLimits;
use crate::semantics::operator::{Binding, Operator};
use crate::suite::partition::Partition;
use crate::suite::trial::{Group, Trial};
use crate::tensor::ElementType;
use std::collections::BTreeSet;
use std::time::Duration;

/// The space, the method and the limits of a search.
#[derive(Debug)]
pub(crate) struct SearchOptions {
    /// How trials are generated.
    pub(crate) method: Method,
    /// The operators to search; empty for all.
    pub(crate) operators: Vec<&'static Operator>,
    /// The bindings to search; empty for all.
    pub(crate) bindings: Vec<Binding>,
    /// The data's element types; empty for all that the backend supports, in turn.
    pub(crate) element_types: Vec<ElementType>,
    /// The surroundings to search; empty for the node alone.
    pub(crate) surroundings: Vec<Surrounding>,
    /// The part to search; `None` for the whole.
    pub(crate) partition: Option<Partition>,
    /// The time limit; `None` for no limit.
    pub(crate) time: Option<Duration>,
    /// The number of workers.
    pub(crate) jobs: usize,
    /// When to stop the backend.
    pub(crate) circuit_breaker: BrakeLimits,
}

/// How trials are generated.
#[derive(Debug)]
pub(crate) enum Method {
    /// All small trials.
    Small {
        /// The limits of small trials.
        bounds: Bounds,
        /// The number of trials, from the first on; `None` for all.
        count: Option<u64>,
    },
    /// The random trials with these numbers.
    Random {
        /// The seed; each has its own sequence of trials.
        seed: u64,
        /// The first number.
        from: u64,
        /// The number after the last; `None` for no end.
        end: Option<u64>,
        /// The highest rank; `None` for the backend's limit.
        rank: Option<u32>,
    },
    Single(Trial),
}

/// Groups of trials, generated as they are consumed.
pub(super) type Groups = Box<dyn Iterator<Item = Group> + Send>;

impl SearchOptions {
    /// Whether the number of trials is limited. Some random searches end only by time.
    pub(super) fn is_finite(&self) -> bool {
        !matches!(self.method, Method::Random { end: None, .. })
    }

    /// The number of the first trial.
    pub(super) fn first(&self) -> u64 {
        match self.method {
            Method::Random { from, .. } => from,
            Method::Small { .. } | Method::Single(_) => 0,
        }
    }

    /// The space to search on a backend.
    pub(super) fn space(&self, about: &About) -> Space {
        let supported = || {
            let (operators, types) = (&self.operators, &self.element_types);
            Space::of(about, operators, &self.bindings, types, &self.surroundings)
        };
        match &self.method {
            Method::Single(trial) => Space {
                cells: vec![(
                    trial.operator,
                    trial.element_type,
                    trial.binding,
                    trial.surrounding,
                )],
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

    /// The space of a search, in the same words for every part of it, and in different words for every other search.
    pub(super) fn describe(&self, space: &Space) -> String {
        let trials = match &self.method {
            Method::Single(trial) => format!("the trial {trial}"),
            Method::Random {
                seed, from, end, ..
            } => {
                let end = end.map_or_else(|| "on".to_owned(), |end| format!("to {end}"));
                let rank = space.rank;
                format!("random trials of seed {seed} from {from} {end}, rank {rank}")
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
        let cells = space.cells.iter();
        let cells = cells.map(|(operator, element_type, binding, surrounding)| {
            let within = surrounding.map_or_else(String::new, |of| format!("+{of}"));
            format!("{operator}/{element_type}/{binding}{within}")
        });
        let within = self.surroundings_in(space);
        format!("{trials}{within}, in {}", cells.joined(" "))
    }

    /// Which of its surroundings a space has, in words; empty for the node alone.
    fn surroundings_in(&self, space: &Space) -> String {
        let within = space.cells.iter().filter_map(|(.., of)| *of);
        let within: BTreeSet<_> = within.filter(|of| self.surroundings.contains(of)).collect();
        match within.len() {
            0 => String::new(),
            1..=3 => within.iter().map(|of| format!(" +{of}")).collect(),
            several => format!(" in {several} surroundings"),
        }
    }

    /// The trials of all parts together.
    pub(super) fn groups(&self, space: Space) -> Groups {
        match &self.method {
            Method::Single(trial) => Box::new(std::iter::once(Group::single(trial.clone()))),
            Method::Random {
                seed, from, end, ..
            } => Box::new(random(space, *seed, *from..end.unwrap_or(u64::MAX))),
            Method::Small { bounds, count } => first(enumerate(space, *bounds), *count),
        }
    }

    /// The number of trials, if it is known in advance.
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
    let count = count.and_then(|count| usize::try_from(count).ok());
    let mut left = count.unwrap_or(usize::MAX);
    Box::new(groups.map_while(move |mut group| {
        let is_open = left > 0;
        group.trials.truncate(left);
        left -= group.trials.len();
        is_open.then_some(group)
    }))
}
