//! The options of a run.

use super::circuit_breaker::BrakeLimits;
use crate::event::Job;
use crate::event::stream::Stream;
use crate::semantics::operator::Level;
use crate::suite::partition::Partition;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The options of a run of the selected trials.
#[derive(Debug, Default)]
pub(crate) struct RunOptions<'a> {
    /// Workers per participant.
    pub(crate) jobs: usize,
    /// The part of the plan to run; `None` for the whole.
    pub(crate) partition: Option<Partition>,
    /// The number of times that a failed trial is rerun.
    pub(crate) retries: u32,
    /// The largest data to materialize, in bytes; `None` for the default.
    pub(crate) most_data: Option<u64>,
    /// When to stop a backend.
    pub(crate) circuit_breaker: BrakeLimits,
    /// The lowest level that makes the run red.
    pub(crate) level: Level,
    /// An earlier run. A failure that it already had is not red.
    pub(crate) baseline: Option<&'a Stream>,
    /// An interrupted run to resume. Its trials do not run again.
    pub(crate) resume: Option<&'a Stream>,
    /// Whether the suite comes from files of the user.
    pub(crate) own_cases: bool,
    /// The gate's configuration file.
    pub(crate) config: Option<String>,
    /// The commit under test and the address of the job; `None` if unknown.
    pub(crate) job: Job,
    /// Set when the run must end early.
    pub(crate) stop: Arc<AtomicBool>,
}

impl RunOptions<'_> {
    /// Whether the run must end early.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
