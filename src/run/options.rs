//! How to run the selected trials.

use super::circuit_breaker::BrakeLimits;
use crate::event::Job;
use crate::event::stream::Stream;
use crate::semantics::operator::Level;
use crate::suite::partition::Partition;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How to run the selected trials.
#[derive(Debug, Default)]
pub(crate) struct RunOptions<'a> {
    /// Workers per participant.
    pub(crate) jobs: usize,
    /// The part of the plan to run; `None` for all of it.
    pub(crate) partition: Option<Partition>,
    /// How often a failed trial is run again.
    pub(crate) retries: u32,
    /// The most bytes of data that is made; `None` for what is usual.
    pub(crate) most_data: Option<u64>,
    /// When to stop asking a backend.
    pub(crate) circuit_breaker: BrakeLimits,
    /// The least strict level that makes the run red.
    pub(crate) level: Level,
    /// An earlier run: a failure that was there already is not red.
    pub(crate) baseline: Option<&'a Stream>,
    /// An interrupted run to resume: its trials are not run again.
    pub(crate) resume: Option<&'a Stream>,
    /// Whether the suite is read from files of the user.
    pub(crate) own_cases: bool,
    /// The gate's configuration file.
    pub(crate) config: Option<String>,
    /// The commit that is tested, and the address of the job; what is not known is `None`.
    pub(crate) job: Job,
    /// Set when the run is to end early.
    pub(crate) stop: Arc<AtomicBool>,
}

impl RunOptions<'_> {
    /// Whether the run is to end early.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
