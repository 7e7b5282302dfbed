//! The memory and other resources that a backend's processes use.

use crate::names::named_enum;
use std::fmt;

records! {
    /// The resident memory and other resources of a backend's processes.
    pub(crate) struct MemoryRecord {
        /// The largest memory of one process together with the processes that it started, in bytes.
        pub peak_bytes: u64,
        /// The growth of the process that grew most; `None` if no process grew with the number of its trials.
        pub growth: Option<MemoryGrowth> = "Option::is_none",
        /// The other resources that grew with the number of a process's trials, with the largest growth of each.
        pub leaks: Vec<Leak> = "Vec::is_empty",
    }

    /// The growth of a process's resident memory with the number of its trials.
    #[derive(Copy, PartialOrd, Ord)]
    pub(crate) struct MemoryGrowth {
        /// The growth in bytes.
        pub bytes: u64,
        /// The number of trials during that growth.
        pub trials: u64,
    }

    /// The growth of another resource of a process with the number of its trials.
    #[derive(Copy, PartialOrd, Ord)]
    pub(crate) struct Leak {
        /// What was opened or started, and never closed.
        pub resource: Resource,
        /// The growth.
        pub count: u64,
        /// The number of trials during that growth.
        pub trials: u64,
    }
}

named_enum! {
    /// What a process has in use, other than memory.
    pub(crate) enum Resource, "resource" {
        /// Threads, without the first of each process.
        Threads = "threads",
        /// Open file descriptors.
        OpenFiles = "open-files",
        /// Processes that it started, whether they run or nobody waited for their end.
        ChildProcesses = "child-processes",
    }
}

impl MemoryRecord {
    /// A limit in MiB that the last `named` of `received` trials of a process exceed without those before; `None` if its
    /// memory does not grow by enough in so few.
    pub(crate) fn limit_for(&self, received: usize, named: usize) -> Option<u64> {
        /// By how many KiB less a process may differ from another.
        const LEAST: u64 = 64 << 10;
        let each = self.growth.as_ref()?.each();
        let grows = |trials: usize| each.saturating_mul(trials as u64);
        let start = (self.peak_bytes >> 10).saturating_sub(grows(received));
        let enough = (grows(named) >= LEAST).then(|| start + grows(named) * 3 / 4)?;
        Some(enough >> 10)
    }

    /// The largest peak, and the largest growth of each resource.
    pub(crate) fn of_all(all: impl Iterator<Item = Self>) -> Option<Self> {
        all.reduce(|one, other| {
            let mut leaks = [one.leaks, other.leaks].concat();
            leaks.sort_by(|one, two| two.cmp(one));
            leaks.dedup_by_key(|leak| leak.resource);
            Self {
                peak_bytes: one.peak_bytes.max(other.peak_bytes),
                growth: one.growth.max(other.growth),
                leaks,
            }
        })
    }
}

impl MemoryGrowth {
    /// The growth in a trial, in KiB.
    pub(crate) fn each(&self) -> u64 {
        (self.bytes >> 10) / self.trials.max(1)
    }
}

impl fmt::Display for MemoryGrowth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, trials } = self;
        write!(
            f,
            "seems to leak: the memory of a process grew by {} MiB in {trials} trials, {} KiB a trial",
            bytes >> 20,
            self.each()
        )
    }
}

impl fmt::Display for Leak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (trials, count) = (self.trials, self.count);
        let things = self.resource.name().replace('-', " ");
        write!(
            f,
            "after {trials} trials, a process had {count} more {things}"
        )
    }
}
