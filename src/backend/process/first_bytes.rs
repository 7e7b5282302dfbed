//! The first bytes that a child wrote, to describe them where they are no message.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// How many bytes are shown.
const SHOWN: usize = 40;

/// How much a child wrote, and how it begins.
#[derive(Debug, Clone, Default)]
pub(super) struct FirstBytes(Arc<Mutex<Seen>>);

#[derive(Debug, Default)]
struct Seen {
    count: u64,
    start: Vec<u8>,
}

impl FirstBytes {
    /// What arrived, in words, where it is no complete message; `None` if nothing did.
    pub(super) fn describe(&self) -> Option<String> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.count == 0 {
            return None;
        }
        let start = String::from_utf8_lossy(&seen.start);
        let more = match seen.count > seen.start.len() as u64 {
            true => "…",
            false => "",
        };
        Some(format!(
            "{} bytes arrived, which are no complete message: \"{}{more}\" (a reply is one line of JSON, with a line break at its end)",
            seen.count,
            start.escape_debug()
        ))
    }

    fn add(&self, bytes: &[u8]) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.count = seen.count.saturating_add(bytes.len() as u64);
        let room = SHOWN - seen.start.len();
        seen.start
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

/// A stream whose first bytes are noted.
pub(super) struct Watched<R> {
    stream: R,
    seen: FirstBytes,
}

impl<R> Watched<R> {
    pub(super) fn new(stream: R, seen: &FirstBytes) -> Self {
        let seen = seen.clone();
        Self { stream, seen }
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(buffer)?;
        self.seen.add(&buffer[..count]);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_arrived_is_counted_and_its_beginning_is_shown_escaped() {
        let seen = FirstBytes::default();
        assert_eq!(seen.describe(), None);
        let text = format!("\x1b[2J\n{}", "x".repeat(50));
        std::io::copy(&mut Watched::new(text.as_bytes(), &seen), &mut io::sink()).unwrap();
        let described = seen.describe().unwrap();
        let start = format!(
            "55 bytes arrived, which are no complete message: \"\\u{{1b}}[2J\\n{}…\"",
            "x".repeat(35)
        );
        assert!(described.starts_with(&start), "{described}");
    }
}
