//! Reading a stream from its file. A last line without a newline belongs to a run that was killed, and is ignored.

use super::contents::Stream;
use crate::error::{Error, Fault, Source};
use crate::event::Event;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// The longest line to read. The program shortens the texts of backends to far less before it writes them.
const MAX_LINE_BYTES: u64 = 16 << 20;
/// The most characters of a line that an error message quotes.
const MAX_QUOTED: usize = 240;

impl Stream {
    /// Reads a file. Fails when it cannot be read, or a line is not an event, or an event cannot follow those before
    /// it.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let unreadable = |why| Error::unreadable(path, why);
        let mut file = BufReader::new(std::fs::File::open(path).map_err(unreadable)?);
        let mut stream = Self::default();
        stream.path = path.to_owned();
        let (mut line, mut read) = (Vec::new(), 0);
        for number in 1.. {
            line.clear();
            let length = (&mut file)
                .take(MAX_LINE_BYTES)
                .read_until(b'\n', &mut line)
                .map_err(unreadable)? as u64;
            if length == 0 || (!line.ends_with(b"\n") && length < MAX_LINE_BYTES) {
                break;
            }
            let fault = |message: &str| fault(path, number, &line, 0, message);
            let event = parse(path, number, &line)?;
            let starts = matches!(event, Event::RunStarted(_) | Event::SearchStarted(_));
            if let (1, Event::RunStopped(stopped)) = (number, &event) {
                let why = format!("the run ended before it began: {}", stopped.message);
                return Err(fault(&why).into());
            }
            if number == 1 && !starts {
                let why =
                    "not an event stream: it does not begin with 'run-started' or 'search-started'";
                return Err(fault(why).into());
            }
            let is_of_an_end = event.is_of_an_end();
            stream.append(event).map_err(|why| fault(&why))?;
            read += length;
            if !is_of_an_end {
                stream.kept_bytes = read;
            }
        }
        if read == 0 {
            let message = "not an event stream: it contains no complete line";
            return Err(fault(path, 1, &line, 0, message).into());
        }
        Ok(stream)
    }
}

fn parse(path: &Path, number: usize, line: &[u8]) -> Result<Event, Error> {
    serde_json::from_slice(line).map_err(|why| {
        let text = why.to_string();
        let text = text.split(" at line ").next().unwrap_or_default();
        let message = format!("not an event: {text}");
        fault(path, number, line, why.column(), &message).into()
    })
}

/// A fault in line `number` of the file, at a column. Both count from 1; column 0 is the line's start.
fn fault(path: &Path, number: usize, line: &[u8], column: usize, message: &str) -> Fault {
    let text = String::from_utf8_lossy(line);
    let text: String = text.trim_end().chars().take(MAX_QUOTED).collect();
    // The earlier lines are not in memory; empty lines in their place give the right line number.
    let before = number.saturating_sub(1);
    let padded = format!("{}{text}", "\n".repeat(before));
    let source = Source::new(&path.to_string_lossy(), &padded);
    let at = before + column.saturating_sub(1).min(text.len());
    let end = (at + 1).min(source.text.len().max(at));
    Fault::new(&source, at..end, message)
        .hint("the streams that `run --events` writes are described in docs/events.md")
}
