//! The resident memory of a child and of the processes that it started, which share its process group. Known on Linux only.

use std::fs;
use std::time::{Duration, Instant};

/// The shortest interval between two looks.
const INTERVAL: Duration = Duration::from_millis(50);
/// How many times as long as a look the interval after it is at least: looking takes a fortieth of the time at most.
const PAUSE: u32 = 40;
/// The wait before what is too much is believed: a process that is just starting a program has its parent's memory for a
/// moment.
const SECOND_LOOK: Duration = Duration::from_millis(5);

/// Watches the memory of a process group.
#[derive(Debug)]
pub(super) struct Memory {
    leader: u32,
    /// In bytes; `None` for no limit.
    limit: Option<u64>,
    next_look: Instant,
}

impl Memory {
    /// Watches the group of this leader.
    pub(super) fn new(leader: u32, limit: Option<u64>) -> Self {
        Self {
            leader,
            limit,
            next_look: Instant::now() + INTERVAL,
        }
    }

    /// The group's resident bytes, if they are over the limit. Does nothing between two looks.
    pub(super) fn excess(&mut self) -> Option<u64> {
        let limit = self.limit?;
        let begun = Instant::now();
        if begun < self.next_look {
            return None;
        }
        let over = || resident(self.leader).filter(|bytes| *bytes > limit);
        let excess = over().and_then(|_| {
            std::thread::sleep(SECOND_LOOK);
            over()
        });
        self.next_look = Instant::now() + INTERVAL.max(begun.elapsed() * PAUSE);
        excess
    }
}

/// The resident memory of a process group in bytes; `None` where the system does not report it. What several processes
/// share is counted once.
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

/// The group of a process. Its name, which comes before, may hold anything.
fn group(process: &str) -> Option<u32> {
    let text = fs::read(format!("/proc/{process}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text);
    let (_, fields) = text.rsplit_once(')')?;
    fields.split_whitespace().nth(2)?.parse().ok()
}

/// What a process has resident, in bytes.
fn whole(process: &str) -> Option<u64> {
    field(&format!("/proc/{process}/status"), "VmRSS:")
}

/// The same, in which memory that several processes share is divided among them.
fn share(process: &str) -> Option<u64> {
    field(&format!("/proc/{process}/smaps_rollup"), "Pss:").or_else(|| whole(process))
}

/// A field of a file that gives it in kB, in bytes.
fn field(path: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    kilobytes.checked_mul(1024)
}
