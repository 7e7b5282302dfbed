//! What to search: which trials, where, how long.

use super::{Bounds, Hypotheses, Random, Space, enumerate};
use crate::backend::About;
use crate::spec::operator::{Binding, Operator};
use crate::suite::plan::{Group, Partition, Trial};
use crate::tensor::ElementType;
use std::sync::Arc;
use std::time::Duration;

/// What is asked for.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// Which trials.
    pub what: What,
    /// Only of these operators; of all if there is none.
    pub operators: Vec<&'static Operator>,
    /// Only under these bindings; under all if there is none.
    pub bindings: Vec<Binding>,
    /// The data's element type, if not `f32` or what the backend has.
    pub element_type: Option<ElementType>,
    /// The part that is searched here, if not the whole.
    pub partition: Option<Partition>,
    /// After how long to stop.
    pub time: Option<Duration>,
    /// Workers.
    pub jobs: usize,
}

/// Which trials.
#[derive(Debug)]
pub(crate) enum What {
    /// All small ones, or the first so many of them.
    Small {
        /// What is small.
        bounds: Bounds,
        /// How many.
        count: Option<u64>,
    },
    /// Random ones, those of these numbers.
    Random {
        /// Which random ones.
        seed: u64,
        /// The first number.
        from: u64,
        /// The number after the last; `None` if only the time ends them.
        end: Option<u64>,
        /// The most dims, if not as many as the backend has.
        rank: Option<u32>,
        /// Whether each is chosen to tell apart what the backend has not refuted yet.
        guided: bool,
    },
    /// This one.
    One(Trial),
}

/// Groups of trials, made as they are asked for.
pub(super) type Groups = Box<dyn Iterator<Item = Group> + Send>;

impl Wanted {
    /// Where to search a backend.
    pub(super) fn space(&self, about: &About) -> Space {
        match &self.what {
            What::One(trial) => Space {
                cells: vec![(trial.operator, trial.element_type, trial.binding)],
                rank: 0,
            },
            What::Small { .. } => {
                Space::of(about, &self.operators, &self.bindings, self.element_type)
            }
            What::Random { rank, .. } => {
                let space = Space::of(about, &self.operators, &self.bindings, self.element_type);
                Space {
                    rank: rank.map_or(space.rank, |rank| rank as usize),
                    ..space
                }
            }
        }
    }

    /// What is searched, in words that are the same for every part, and for no other search.
    pub(super) fn describe(&self, space: &Space) -> String {
        let how = match &self.what {
            What::One(trial) => format!("the trial {trial}"),
            What::Random {
                seed,
                from,
                end,
                guided,
                ..
            } => {
                let how = if *guided { "guided" } else { "random" };
                let end = end.map_or_else(|| "on".to_owned(), |end| format!("to {end}"));
                format!(
                    "{how} trials of seed {seed} from {from} {end}, rank {}",
                    space.rank
                )
            }
            What::Small {
                bounds: Bounds { rank, dim, value },
                count,
            } => {
                let how_many =
                    count.map_or_else(|| "all".to_owned(), |count| format!("the first {count}"));
                format!("{how_many} trials of rank {rank}, dims to {dim}, values to {value}")
            }
        };
        let cells: Vec<_> = space
            .cells
            .iter()
            .map(|(operator, t, binding)| format!("{operator}/{t}/{binding}"))
            .collect();
        format!("{how}, in {}", cells.join(" "))
    }

    /// The trials of all parts.
    pub(super) fn groups(&self, space: Space, guide: Option<Arc<Hypotheses>>) -> Groups {
        match &self.what {
            What::One(trial) => Box::new(std::iter::once(Group {
                trials: vec![trial.clone()],
            })),
            What::Random {
                seed, from, end, ..
            } => Box::new(Random::new(
                space,
                *seed,
                *from,
                end.unwrap_or(u64::MAX),
                guide,
            )),
            What::Small { bounds, count } => {
                let mut left = count.map_or(usize::MAX, |count| {
                    usize::try_from(count).unwrap_or(usize::MAX)
                });
                Box::new(enumerate(space, *bounds).map_while(move |mut group| {
                    group.trials.truncate(left);
                    left -= group.trials.len();
                    (!group.trials.is_empty()).then_some(group)
                }))
            }
        }
    }

    /// How many trials there are, if that is known beforehand.
    pub(super) fn length(&self, space: &Space) -> Option<u64> {
        let all = match &self.what {
            What::One(_) => Some(1),
            What::Random { from, end, .. } => end.map(|end| end - from),
            What::Small { bounds, count } => bounds.count(space).into_iter().chain(*count).min(),
        };
        all.filter(|_| self.partition.is_none())
    }

    /// Whether the time that ends it ends it early. (Some random trials have no other end.)
    pub(super) fn has_an_end(&self) -> bool {
        !matches!(self.what, What::Random { end: None, .. })
    }

    /// The number of its first trial.
    pub(super) fn first(&self) -> u64 {
        match self.what {
            What::Random { from, .. } => from,
            What::Small { .. } | What::One(_) => 0,
        }
    }

    pub(super) fn is_guided(&self) -> bool {
        matches!(self.what, What::Random { guided: true, .. })
    }
}
