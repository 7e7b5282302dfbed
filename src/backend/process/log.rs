//! The output of a child, in bounded memory: the last lines of its log, and the first bytes of its replies.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The number of lines retained.
const MAX_LINES: usize = 20;
/// The bytes retained of the beginning and of the end of each line.
const LINE_START: usize = 160;
const LINE_END: usize = 240;
/// How long to wait for the end of an ended child's log. A process that left its group can hold the log open.
const LAST_LINES: Duration = Duration::from_secs(1);

/// The last lines that a child logged.
#[derive(Debug, Clone, Default)]
pub(super) struct Log(Arc<(Mutex<Lines>, Condvar)>);

#[derive(Debug, Default)]
struct Lines {
    retained: VecDeque<String>,
    /// Whether the log was read to its end.
    ended: bool,
}

impl Log {
    /// The retained lines of a child that has ended. Waits for those that it wrote just before its end.
    pub(super) fn text(&self) -> String {
        let (_, end) = &*self.0;
        let waited = end.wait_timeout_while(self.lines(), LAST_LINES, |lines| !lines.ended);
        let (mut lines, _) = waited.unwrap_or_else(PoisonError::into_inner);
        lines.retained.make_contiguous().join("\n")
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the stream to its end.
    pub(super) fn read(&self, mut stderr: impl BufRead) {
        let mut line = Line::default();
        loop {
            let (used, ended) = match stderr.fill_buf() {
                Ok([]) | Err(_) => break,
                Ok(bytes) => {
                    let end = bytes.iter().position(|byte| *byte == b'\n');
                    line.add(&bytes[..end.unwrap_or(bytes.len())]);
                    (end.map_or(bytes.len(), |at| at + 1), end.is_some())
                }
            };
            stderr.consume(used);
            if ended {
                self.append(std::mem::take(&mut line));
            }
        }
        if !line.start.is_empty() {
            self.append(line);
        }
        self.lines().ended = true;
        self.0.1.notify_all();
    }

    fn append(&self, line: Line) {
        let lines = &mut self.lines().retained;
        if lines.len() == MAX_LINES {
            lines.pop_front();
        }
        lines.push_back(line.text());
    }
}

/// A line, with only its beginning and its end retained.
#[derive(Debug, Default)]
struct Line {
    start: Vec<u8>,
    end: VecDeque<u8>,
    /// Whether bytes between the two were dropped.
    is_cut: bool,
}

impl Line {
    fn add(&mut self, bytes: &[u8]) {
        let room = LINE_START - self.start.len();
        let (start, rest) = bytes.split_at(bytes.len().min(room));
        self.start.extend_from_slice(start);
        let last = &rest[rest.len().saturating_sub(LINE_END)..];
        self.end.extend(last);
        let over = self.end.len().saturating_sub(LINE_END);
        self.end.drain(..over);
        self.is_cut |= over > 0 || last.len() < rest.len();
    }

    fn text(self) -> String {
        let (mut start, end) = (self.start, Vec::from(self.end));
        if !self.is_cut {
            start.extend(end);
            return String::from_utf8_lossy(&start).trim_end().to_owned();
        }
        // A character that was cut in two is dropped.
        let [start, end] = [&start, &end].map(|bytes| String::from_utf8_lossy(bytes));
        let start = start.trim_end_matches(char::REPLACEMENT_CHARACTER);
        let end = end.trim_start_matches(char::REPLACEMENT_CHARACTER);
        format!("{start}…{}", end.trim_end())
    }
}

/// The number of bytes to show.
const SHOWN: usize = 40;

/// The number of bytes from a child, and the first of them.
#[derive(Debug, Clone, Default)]
pub(super) struct FirstBytes(Arc<Mutex<Seen>>);

#[derive(Debug, Default)]
struct Seen {
    count: u64,
    start: Vec<u8>,
}

impl FirstBytes {
    /// The bytes that arrived, in words, if they are not a complete message; `None` if none arrived.
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
            "{} bytes arrived, which are not a complete message: \"{}{more}\" (a reply is one line of JSON, with a \
            line break at its end)",
            seen.count,
            start.escape_debug()
        ))
    }

    fn add(&self, bytes: &[u8]) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.count = seen.count.saturating_add(bytes.len() as u64);
        let room = SHOWN - seen.start.len();
        seen.start.extend(&bytes[..bytes.len().min(room)]);
    }
}

/// A stream whose first bytes are recorded.
pub(super) struct Watched<R> {
    pub(super) stream: R,
    pub(super) seen: FirstBytes,
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
    use std::io::BufReader;

    fn text(written: &str) -> String {
        let log = Log::default();
        log.read(BufReader::with_capacity(7, written.as_bytes()));
        log.text()
    }

    #[test]
    fn the_last_lines_are_retained_and_of_a_long_line_both_ends() {
        assert_eq!(text("a\n\nb \r\nc"), "a\n\nb\nc");
        let whole = "x".repeat(LINE_START + LINE_END);
        assert_eq!(text(&whole), whole);
        let cut = text(&format!("é{}ValueError: é\n", "x".repeat(5000)));
        let has_both_ends = cut.starts_with("éxx") && cut.ends_with("xxValueError: é");
        assert!(has_both_ends, "{cut}");
        assert_eq!(cut.matches('…').count(), 1, "{cut}");
        let accents = text(&"é".repeat(1000));
        assert!(accents.chars().all(|c| c == 'é' || c == '…'), "{accents}");
        let lines: String = (0..100).map(|line| format!("{line}\n")).collect();
        assert!(text(&lines).starts_with("80\n81\n"));
    }

    #[test]
    fn the_log_of_an_ended_child_is_read_to_its_end_however_late_it_arrives() {
        let log = Log::default();
        let reader = log.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            reader.read("ValueError: the last line".as_bytes());
        });
        assert_eq!(log.text(), "ValueError: the last line");
    }
}
