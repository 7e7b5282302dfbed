//! The log of a child: the last lines of its standard error, in bounded memory.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The number of lines retained.
const MAX_LINES: usize = 20;
/// The bytes retained of the beginning and of the end of each line.
const LINE_START: usize = 160;
const LINE_END: usize = 240;
/// How long to wait for lines that the child wrote just before it ended.
const LAST_LINES: Duration = Duration::from_millis(20);

/// The last lines that a child logged.
#[derive(Debug, Clone, Default)]
pub(super) struct Log(Arc<Mutex<VecDeque<String>>>);

impl Log {
    /// Reads the stream to its end.
    pub(super) fn read(&self, stderr: impl Read) {
        self.append_all(BufReader::new(stderr));
    }

    /// The retained lines.
    pub(super) fn text(&self) -> String {
        std::thread::sleep(LAST_LINES);
        self.lines().make_contiguous().join("\n")
    }

    fn lines(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn append_all(&self, mut stderr: impl BufRead) {
        let mut line = Line::default();
        loop {
            let (used, ended) = match stderr.fill_buf() {
                Ok([]) | Err(_) => break,
                Ok(bytes) => {
                    let end = bytes.iter().position(|byte| *byte == b'\n');
                    let part = &bytes[..end.unwrap_or(bytes.len())];
                    line.add(part);
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
    }

    fn append(&self, line: Line) {
        let mut lines = self.lines();
        if lines.len() == MAX_LINES {
            lines.pop_front();
        }
        lines.push_back(line.text());
    }
}

/// A line of which the beginning and the end are retained.
#[derive(Debug, Default)]
struct Line {
    start: Vec<u8>,
    end: VecDeque<u8>,
    /// Whether bytes between the two were left out.
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
        // A character that was cut in two is left out.
        let (start, end) = (
            String::from_utf8_lossy(&start),
            String::from_utf8_lossy(&end),
        );
        format!(
            "{}…{}",
            start.trim_end_matches(char::REPLACEMENT_CHARACTER),
            end.trim_start_matches(char::REPLACEMENT_CHARACTER)
                .trim_end()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(written: &str) -> String {
        let log = Log::default();
        log.append_all(BufReader::with_capacity(7, written.as_bytes()));
        log.text()
    }

    #[test]
    fn the_last_lines_are_retained_and_of_a_long_line_both_ends() {
        assert_eq!(text("a\n\nb \r\nc"), "a\n\nb\nc");
        let whole = "x".repeat(LINE_START + LINE_END);
        assert_eq!(text(&whole), whole);
        let long = format!("é{}ValueError: é\n", "x".repeat(5000));
        let cut = text(&long);
        assert!(
            cut.starts_with("éxx") && cut.ends_with("xxValueError: é"),
            "{cut}"
        );
        assert_eq!(cut.matches('…').count(), 1, "{cut}");
        let accents = text(&"é".repeat(1000));
        assert!(accents.chars().all(|c| c == 'é' || c == '…'), "{accents}");
        let lines: String = (0..100).map(|line| format!("{line}\n")).collect();
        assert!(text(&lines).starts_with("80\n81\n"));
    }
}
