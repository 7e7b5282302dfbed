//! Limits that several commands take: seconds to wait, and workers.

use crate::run::BrakeLimits;
use std::num::NonZeroUsize;
use std::time::Duration;

/// Time to wait for one reply of an adapter where nothing else is said.
pub(super) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// The most resident memory of an adapter without a manifest where nothing else is said, in bytes: as much as the largest limit
/// of a manifest in this repository.
pub(super) const DEFAULT_MEMORY: u64 = 4096 << 20;

/// Process failures in a row after which a backend is asked no more where nothing else is said.
const GIVE_UP_AFTER: usize = 10;

/// When to stop asking a backend.
pub(super) fn brake(
    give_up_after: Option<usize>,
    max_failures: Option<NonZeroUsize>,
) -> BrakeLimits {
    BrakeLimits {
        process_failures: give_up_after.unwrap_or(GIVE_UP_AFTER),
        failures: max_failures.map(NonZeroUsize::get),
    }
}

/// Reads a number of seconds, more than 0.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "not a number of seconds".to_owned())?;
    let duration = Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
    if duration.is_zero() {
        Err("must be more than 0".to_owned())
    } else {
        Ok(duration)
    }
}

/// The number of workers: as given, or one for each core.
pub(super) fn workers(jobs: Option<u16>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    jobs.map_or_else(cores, usize::from)
}
