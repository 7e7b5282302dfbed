//! The resident memory of a child and of the processes that it started, which share its process group. Only on Linux.

use crate::event::{MemoryGrowth, MemoryRecord};
use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

/// The shortest interval between two samples.
const INTERVAL: Duration = Duration::from_millis(50);
/// Minimum ratio of the pause to the time that a sample takes. So sampling takes at most a fortieth of the time.
const PAUSE: u32 = 40;
/// The wait before a second sample confirms excess. A process that is just starting a program briefly has its parent's
/// memory.
const SECOND_LOOK: Duration = Duration::from_millis(5);

/// The most spans. When there are more, adjacent spans are merged.
const MAX_SPANS: usize = 512;

/// The number of parts of a process's trials whose lowest memory is compared, so that the need of a single trial does
/// not show.
const PARTS: u8 = 8;
/// The fewest trials after which memory can count as growing with their number.
const MIN_TRIALS: u64 = 2_000;
/// The fewest samples while the number of trials doubles: two in each part.
const LOOKS: u64 = 16;
/// The least growth in bytes, in total and for each trial. A runtime that loads its libraries late, or keeps a table of
/// compiled models, grows by less.
const MIN_GROWTH: u64 = 64 << 20;
const MIN_GROWTH_PER_TRIAL: u64 = 16 << 10;

/// Watches the memory of a process group.
#[derive(Debug)]
pub(super) struct Memory {
    leader: u32,
    /// In bytes; `None` for no limit.
    limit: Option<u64>,
    next_look: Instant,
    /// The number of trials at which the next sample is due, however little time has passed.
    next_trials: u64,
    /// The number of trials that the process received.
    pub(super) trials: u64,
    /// In bytes; 0 without a sample.
    peak: u64,
    /// The number of trials in a span, and the lowest memory in each span.
    span: u64,
    lowest: BTreeMap<u64, u64>,
}

/// Whether the system reports the memory of processes.
pub(crate) fn is_reported() -> bool {
    whole("self").is_some()
}

impl Memory {
    /// Watches the group of this leader.
    pub(super) fn new(leader: u32, limit: Option<u64>) -> Self {
        Self {
            leader,
            limit,
            next_look: Instant::now() + INTERVAL,
            next_trials: MIN_TRIALS / LOOKS,
            trials: 0,
            peak: 0,
            span: 1,
            lowest: BTreeMap::new(),
        }
    }

    /// The group's resident bytes, if they exceed the limit. Does nothing between two samples.
    pub(super) fn excess(&mut self) -> Option<u64> {
        let begun = Instant::now();
        if begun < self.next_look && self.trials < self.next_trials {
            return None;
        }
        let is_over = |bytes: &u64| self.limit.is_some_and(|limit| *bytes > limit);
        let mut seen = resident(self.leader);
        if seen.is_some_and(|bytes| is_over(&bytes)) {
            std::thread::sleep(SECOND_LOOK);
            seen = resident(self.leader);
        }
        let excess = seen.filter(is_over);
        if let Some(bytes) = seen {
            self.note(bytes);
        }
        self.next_look = Instant::now() + INTERVAL.max(begun.elapsed() * PAUSE);
        self.next_trials = self.trials + (self.trials.max(MIN_TRIALS) / LOOKS);
        excess
    }

    fn note(&mut self, bytes: u64) {
        self.peak = self.peak.max(bytes);
        note_lowest(&mut self.lowest, self.trials / self.span, bytes);
        if self.lowest.len() >= MAX_SPANS {
            self.span *= 2;
            let halves = std::mem::take(&mut self.lowest).into_iter();
            halves.for_each(|(span, bytes)| note_lowest(&mut self.lowest, span / 2, bytes));
        }
    }

    /// Notes the peak of the leader, which may have been between two samples. The leader must not have ended.
    pub(super) fn note_peak(&mut self) {
        let peak = field(&format!("/proc/{}/status", self.leader), "VmHWM:");
        self.peak = self.peak.max(peak.unwrap_or_default());
    }

    /// The memory that the group has used so far; `None` without a sample.
    pub(super) fn used(&self) -> Option<MemoryRecord> {
        (self.peak > 0).then(|| MemoryRecord {
            peak_bytes: self.peak,
            growth: self.growth(),
        })
    }

    /// The growth from the first part of the trials to the last, if memory still grows with their number. In the last
    /// half, the lowest memory must grow from each part to the next by at least two thirds of the average.
    fn growth(&self) -> Option<MemoryGrowth> {
        let mut parts = BTreeMap::new();
        for (span, bytes) in &self.lowest {
            let part = span * self.span * u64::from(PARTS) / (self.trials + 1);
            note_lowest(&mut parts, part, *bytes);
        }
        let parts: Vec<u64> = parts.into_values().collect();
        let bytes = parts.last()?.checked_sub(*parts.first()?)?;
        let least = bytes / u64::from(PARTS - 1) * 2 / 3;
        let mut last_half = parts.windows(2).skip(usize::from(PARTS / 2 - 1));
        let is_steady =
            parts.len() == usize::from(PARTS) && last_half.all(|two| two[1] >= two[0] + least);
        let trials = self.trials - self.trials / u64::from(PARTS);
        let is_enough = self.trials >= MIN_TRIALS
            && bytes >= MIN_GROWTH
            && bytes / trials >= MIN_GROWTH_PER_TRIAL;
        (is_steady && is_enough).then_some(MemoryGrowth { bytes, trials })
    }
}

fn note_lowest(lowest: &mut BTreeMap<u64, u64>, at: u64, bytes: u64) {
    let lowest = lowest.entry(at).or_insert(bytes);
    *lowest = bytes.min(*lowest);
}

/// The resident memory of a process group in bytes; `None` if the system does not report it. Shared memory counts once.
fn resident(leader: u32) -> Option<u64> {
    match members(leader).as_slice() {
        [] => None,
        [one] => whole(one),
        several => Some(several.iter().filter_map(|process| share(process)).sum()),
    }
}

/// The processes of a group.
fn members(leader: u32) -> Vec<String> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
        .filter(|process| group(process) == Some(leader))
        .collect()
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
    field(&format!("/proc/{process}/status"), "VmRSS:")
}

/// As `whole`, but memory that several processes share is divided among them.
fn share(process: &str) -> Option<u64> {
    field(&format!("/proc/{process}/smaps_rollup"), "Pss:").or_else(|| whole(process))
}

/// A field of a file with a value in kB, in bytes.
fn field(path: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    /// The growth of a process with a sample after every ten of so many trials.
    fn growth_of(trials: u64, bytes: impl Fn(u64) -> u64) -> Option<MemoryGrowth> {
        let mut memory = Memory::new(0, None);
        for trial in (0..=trials).step_by(10) {
            memory.trials = trial;
            // What a large trial needs, it gives back.
            memory.note(bytes(trial) + if trial % 100 == 50 { 300 * MIB } else { 0 });
        }
        assert!(memory.lowest.len() < MAX_SPANS);
        memory.used().unwrap().growth
    }

    #[test]
    fn memory_that_grows_with_every_trial_is_growth_and_no_other() {
        let leak = |trial| 100 * MIB + trial * (20 << 10);
        for trials in [5_000, 50_000] {
            let growth = growth_of(trials, leak).expect("growth");
            let per_trial = growth.bytes / growth.trials;
            assert!(per_trial.abs_diff(20 << 10) < 2 << 10, "{growth:?}");
        }
        assert_eq!(
            growth_of(1_000, |trial| trial * MIB),
            None,
            "too few trials"
        );
        assert_eq!(growth_of(50_000, |trial| trial << 10), None, "too little");
        let loads_late = |trial| if trial < 40_000 { 50 * MIB } else { 900 * MIB };
        assert_eq!(growth_of(50_000, loads_late), None, "one step");
        let caches = |trial: u64| trial.min(30_000) * (64 << 10);
        assert_eq!(growth_of(50_000, caches), None, "a cache that is full");
        assert_eq!(
            growth_of(50_000, |trial| trial.isqrt() * 4 * MIB),
            None,
            "ever more slowly"
        );
    }
}
