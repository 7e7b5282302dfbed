//! What to search, where, and for how long.

use super::space::Bounds;
use crate::run::BrakeLimits;
use crate::semantics::operator::{Binding, Operator};
use crate::suite::partition::Partition;
use crate::suite::trial::Trial;
use crate::tensor::ElementType;
use std::time::Duration;

/// What to search, where, and for how long.
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
    /// The part to search; `None` for all of it.
    pub(crate) partition: Option<Partition>,
    /// After how long to stop; `None` for no limit.
    pub(crate) time: Option<Duration>,
    /// The number of workers.
    pub(crate) jobs: usize,
    /// When to stop asking the backend.
    pub(crate) brake: BrakeLimits,
}

/// How trials are generated.
#[derive(Debug)]
pub(crate) enum Method {
    /// All small trials.
    Small {
        /// The limits of what is small.
        bounds: Bounds,
        /// Only the first so many; `None` for all.
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
        /// Whether each trial is chosen to distinguish the mutants that the backend has not refuted.
        guided: bool,
    },
    /// A single trial.
    Single(Trial),
}

impl SearchOptions {
    /// Whether the number of trials is limited. Some random searches end by time alone.
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

    /// Whether the trials are random ones, which have numbers.
    pub(super) fn is_random(&self) -> bool {
        matches!(self.method, Method::Random { .. })
    }

    /// Whether random trials are guided.
    pub(super) fn is_guided(&self) -> bool {
        matches!(self.method, Method::Random { guided: true, .. })
    }
}
