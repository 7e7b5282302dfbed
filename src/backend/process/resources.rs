//! The resources of a child and of the processes that it started, which share its process group: resident memory,
//! threads, open files and processes. Only on Linux.

use crate::event::{Leak, MemoryGrowth, MemoryRecord, Resource};
use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

/// The shortest interval between two samples.
const INTERVAL: Duration = Duration::from_millis(50);
/// Minimum ratio of the pause to the time that a sample takes. So sampling takes at most a fortieth of the time.
const PAUSE: u32 = 40;
/// The wait before a second sample confirms excess. A process that starts a program briefly has its parent's memory.
const SECOND_LOOK: Duration = Duration::from_millis(5);

/// The most spans. When there are more, adjacent spans are merged.
const MAX_SPANS: usize = 512;

/// The number of parts of a process's trials whose lowest amount is compared: a single trial's need does not show.
const PARTS: u8 = 8;
/// The fewest samples while the number of trials doubles: two in each part.
const LOOKS: u64 = 16;

/// The least that counts as growth with the number of trials.
#[derive(Debug)]
struct Least {
    /// The number of trials of the process.
    trials: u64,
    growth: u64,
    growth_per_100_trials: u64,
}

/// Of memory, in bytes. A runtime that loads its libraries late, or keeps a table of compiled models, grows by less.
const LEAST_MEMORY: Least = Least {
    trials: 128,
    growth: 64 << 20,
    growth_per_100_trials: 100 * (16 << 10),
};
/// Of every other resource. A pool of threads grows by less, or not steadily.
const LEAST_COUNT: Least = Least {
    trials: 256,
    growth: 64,
    growth_per_100_trials: 1,
};

/// Watches the resources of a process group.
#[derive(Debug)]
pub(super) struct Resources {
    leader: u32,
    /// Of the memory, in bytes; `None` for no limit.
    limit: Option<u64>,
    next_look: Instant,
    /// The number of trials at which the next sample is due, however little time has passed.
    next_trials: u64,
    /// The number of trials that the process received.
    pub(super) trials: u64,
    /// In bytes; 0 without a sample.
    peak: u64,
    memory: Series,
    counts: BTreeMap<Resource, Series>,
}

/// The amounts of one resource in use, by the number of trials.
#[derive(Debug)]
struct Series {
    least: Least,
    /// The number of trials in a span, and the lowest amount in each span.
    span: u64,
    lowest: BTreeMap<u64, u64>,
}

/// Whether the system reports the memory of processes.
pub(crate) fn is_reported() -> bool {
    whole("self").is_some()
}

impl Resources {
    /// Watches the group of this leader.
    pub(super) fn new(leader: u32, limit: Option<u64>) -> Self {
        let series = |of: &Resource| (*of, Series::new(LEAST_COUNT));
        Self {
            leader,
            limit,
            next_look: Instant::now() + INTERVAL,
            next_trials: LEAST_MEMORY.trials / LOOKS,
            trials: 0,
            peak: 0,
            memory: Series::new(LEAST_MEMORY),
            counts: Resource::ALL.iter().map(series).collect(),
        }
    }

    /// The group's resident bytes, if they exceed the limit. Does nothing between two samples.
    pub(super) fn excess(&mut self) -> Option<u64> {
        let begun = Instant::now();
        if begun < self.next_look && self.trials < self.next_trials {
            return None;
        }
        let is_over = |bytes: &u64| self.limit.is_some_and(|limit| *bytes > limit);
        let mut processes = members(self.leader);
        let mut seen = resident(&processes);
        if seen.is_some_and(|bytes| is_over(&bytes)) {
            std::thread::sleep(SECOND_LOOK);
            processes = members(self.leader);
            seen = resident(&processes);
        }
        let excess = seen.filter(is_over);
        if let Some(bytes) = seen {
            self.peak = self.peak.max(bytes);
            self.memory.note(self.trials, bytes);
            for (resource, series) in &mut self.counts {
                series.note(self.trials, count(*resource, &processes));
            }
        }
        self.next_look = Instant::now() + INTERVAL.max(begun.elapsed() * PAUSE);
        self.next_trials = self.trials + (self.trials.max(LEAST_MEMORY.trials) / LOOKS);
        excess
    }

    /// Notes the peak of the leader's memory, which may have been between two samples. The leader must not have ended.
    pub(super) fn note_peak(&mut self) {
        let peak = kilobytes(&format!("/proc/{}/status", self.leader), "VmHWM:");
        self.peak = self.peak.max(peak.unwrap_or_default());
    }

    /// What the group has used so far; `None` without a sample.
    pub(super) fn used(&self) -> Option<MemoryRecord> {
        let growth = self.memory.growth(self.trials);
        let leaks = self.counts.iter().filter_map(|(resource, series)| {
            let (count, trials) = series.growth(self.trials)?;
            Some(Leak {
                resource: *resource,
                count,
                trials,
            })
        });
        (self.peak > 0).then(|| MemoryRecord {
            peak_bytes: self.peak,
            growth: growth.map(|(bytes, trials)| MemoryGrowth { bytes, trials }),
            leaks: leaks.collect(),
        })
    }
}

impl Series {
    fn new(least: Least) -> Self {
        Self {
            least,
            span: 1,
            lowest: BTreeMap::new(),
        }
    }

    fn note(&mut self, trials: u64, amount: u64) {
        note_lowest(&mut self.lowest, trials / self.span, amount);
        if self.lowest.len() >= MAX_SPANS {
            self.span *= 2;
            let halves = std::mem::take(&mut self.lowest).into_iter();
            halves.for_each(|(span, amount)| note_lowest(&mut self.lowest, span / 2, amount));
        }
    }

    /// The growth from the first part of so many trials to the last, and the number of trials in between, if the amount
    /// still grows with their number. In the last half, the lowest amount must grow by at least two thirds of the average
    /// in the mean, and from each part to the next by at least a quarter of it: a trial in a sequence makes several runs,
    /// and an allocator takes memory in large steps.
    fn growth(&self, trials: u64) -> Option<(u64, u64)> {
        let mut parts = BTreeMap::new();
        for (span, amount) in &self.lowest {
            let part = span * self.span * u64::from(PARTS) / (trials + 1);
            note_lowest(&mut parts, part, *amount);
        }
        let parts: Vec<u64> = parts.into_values().collect();
        let growth = parts.last()?.checked_sub(*parts.first()?)?;
        let average = growth / u64::from(PARTS - 1);
        let half = usize::from(PARTS / 2 - 1);
        let mean = parts.last()?.saturating_sub(*parts.get(half)?) / u64::from(PARTS / 2);
        let mut steps = parts.windows(2).skip(half);
        let is_steady = parts.len() == usize::from(PARTS)
            && mean >= average * 2 / 3
            && steps.all(|two| two[1] >= two[0] + average / 4);
        let between = trials - trials / u64::from(PARTS);
        // So much shows earlier, before a process reaches its limit.
        let is_fast = growth >= 16 * self.least.growth && trials >= self.least.trials / 4;
        let is_enough = (is_fast || trials >= self.least.trials)
            && growth >= self.least.growth
            && growth * 100 / between >= self.least.growth_per_100_trials;
        (is_steady && is_enough).then_some((growth, between))
    }
}

fn note_lowest(lowest: &mut BTreeMap<u64, u64>, at: u64, amount: u64) {
    let lowest = lowest.entry(at).or_insert(amount);
    *lowest = amount.min(*lowest);
}

/// The amount of a resource in use by these processes, without the first process and the first thread of each.
fn count(resource: Resource, processes: &[String]) -> u64 {
    let threads = |process: &String| field(&format!("/proc/{process}/status"), "Threads:");
    let files = |process: &String| fs::read_dir(format!("/proc/{process}/fd"));
    let processes = processes.iter();
    let count = match resource {
        Resource::Threads => {
            let further = processes.filter_map(threads);
            return further.map(|all| all.saturating_sub(1)).sum();
        }
        Resource::OpenFiles => processes.flat_map(files).flatten().count(),
        Resource::ChildProcesses => processes.count().saturating_sub(1),
    };
    count as u64
}

/// The resident memory of processes in bytes; `None` if the system does not report it. Shared memory counts once.
fn resident(processes: &[String]) -> Option<u64> {
    match processes {
        [] => None,
        [one] => whole(one),
        several => Some(several.iter().filter_map(|process| share(process)).sum()),
    }
}

/// The processes of a group.
fn members(leader: u32) -> Vec<String> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let names = processes.filter_map(|entry| entry.file_name().into_string().ok());
    let ids = names.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
    ids.filter(|id| group(id) == Some(leader)).collect()
}

/// The group of a process. Its name comes before, and may contain anything.
fn group(process: &str) -> Option<u32> {
    let text = fs::read(format!("/proc/{process}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text);
    let (_, fields) = text.rsplit_once(')')?;
    fields.split_whitespace().nth(2)?.parse().ok()
}

/// The resident memory of a process, in bytes.
fn whole(process: &str) -> Option<u64> {
    kilobytes(&format!("/proc/{process}/status"), "VmRSS:")
}

/// As `whole`, but memory that several processes share is divided among them.
fn share(process: &str) -> Option<u64> {
    kilobytes(&format!("/proc/{process}/smaps_rollup"), "Pss:").or_else(|| whole(process))
}

/// A field of a file with a value in kB, in bytes.
fn kilobytes(path: &str, name: &str) -> Option<u64> {
    field(path, name)?.checked_mul(1024)
}

/// The integer in a field of a file.
fn field(path: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    /// The growth of a process with a sample after every ten of so many trials.
    fn growth_of(least: Least, trials: u64, amount: impl Fn(u64) -> u64) -> Option<(u64, u64)> {
        let mut series = Series::new(least);
        for trial in (0..=trials).step_by(10) {
            // What a large trial needs, it gives back.
            let large = if trial % 100 == 50 { 300 * MIB } else { 0 };
            series.note(trial, amount(trial) + large);
        }
        assert!(series.lowest.len() < MAX_SPANS);
        series.growth(trials)
    }

    #[test]
    fn memory_that_grows_with_every_trial_is_growth_and_no_other() {
        let growth_of = |trials, bytes: fn(u64) -> u64| growth_of(LEAST_MEMORY, trials, bytes);
        for trials in [5_000, 50_000] {
            let leak = |trial| 100 * MIB + trial * (20 << 10);
            let (bytes, trials) = growth_of(trials, leak).expect("growth");
            let per_trial = bytes / trials;
            assert!(per_trial.abs_diff(20 << 10) < 2 << 10, "{bytes} {trials}");
        }
        // Sequences, at the end, make several runs for each trial.
        let by_run = |trial: u64| (trial + 5 * trial.saturating_sub(3_000)) * (64 << 10);
        assert!(growth_of(4_000, by_run).is_some());
        // An allocator takes 20 MiB at once.
        let in_steps = |trial: u64| (trial * (64 << 10)).next_multiple_of(20 * MIB);
        assert!(growth_of(4_000, in_steps).is_some());
        assert!(growth_of(300, |trial| trial * MIB).is_some());
        assert_eq!(growth_of(120, |trial| trial * MIB), None, "too few trials");
        let growth = growth_of(900, |trial| trial * (64 << 10));
        assert_eq!(growth, None, "too little in all");
        assert_eq!(growth_of(50_000, |trial| trial << 10), None, "too little");
        let loads_late = |trial| if trial < 40_000 { 50 * MIB } else { 900 * MIB };
        assert_eq!(growth_of(50_000, loads_late), None, "one step");
        let caches = |trial: u64| trial.min(30_000) * (64 << 10);
        assert_eq!(growth_of(50_000, caches), None, "a cache that is full");
        let growth = growth_of(50_000, |trial| trial.isqrt() * 4 * MIB);
        assert_eq!(growth, None, "ever more slowly");
    }

    #[test]
    fn a_pool_of_threads_is_no_growth() {
        let growth_of = |trials, count: fn(u64) -> u64| growth_of(LEAST_COUNT, trials, count);
        assert!(growth_of(600, |trial| 9 + trial / 8).is_some());
        assert!(growth_of(20_000, |trial| 9 + trial / 90).is_some());
        assert_eq!(growth_of(250, |trial| trial), None, "too few trials");
        assert_eq!(growth_of(2_000, |trial| trial / 40), None, "too few");
        assert_eq!(growth_of(50_000, |trial| trial / 200), None, "too slowly");
        assert_eq!(growth_of(2_000, |trial| trial.min(256)), None, "a pool");
    }
}
