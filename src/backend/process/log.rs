//! The log of a child: the last lines of its standard error, in bounded memory.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The number of lines retained.
const MAX_LINES: usize = 20;
/// The bytes retained of each line.
const MAX_LINE: usize = 400;
/// How long to wait for lines that the child wrote just before it ended.
const LAST_LINES: Duration = Duration::from_millis(20);

/// The last lines that a child logged.
#[derive(Debug, Clone, Default)]
pub(super) struct Log(Arc<Mutex<VecDeque<String>>>);

impl Log {
    /// Starts a thread that reads the stream to its end.
    pub(super) fn read(stderr: impl Read + Send + 'static) -> Self {
        let log = Self::default();
        let writer = log.clone();
        std::thread::spawn(move || writer.append_all(BufReader::new(stderr)));
        log
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
        let mut line: Vec<u8> = Vec::new();
        loop {
            let (used, ended) = match stderr.fill_buf() {
                Ok([]) | Err(_) => break,
                Ok(bytes) => {
                    let end = bytes.iter().position(|byte| *byte == b'\n');
                    let part = &bytes[..end.unwrap_or(bytes.len())];
                    let room = MAX_LINE.saturating_sub(line.len());
                    line.extend_from_slice(&part[..part.len().min(room)]);
                    (end.map_or(bytes.len(), |at| at + 1), end.is_some())
                }
            };
            stderr.consume(used);
            if ended {
                self.append(&line);
                line.clear();
            }
        }
        if !line.is_empty() {
            self.append(&line);
        }
    }

    fn append(&self, line: &[u8]) {
        let mut lines = self.lines();
        if lines.len() == MAX_LINES {
            lines.pop_front();
        }
        lines.push_back(String::from_utf8_lossy(line).trim_end().to_owned());
    }
}
