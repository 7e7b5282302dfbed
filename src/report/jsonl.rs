//! The event stream as JSON lines.

use crate::event::{Event, Reporter};
use std::io::Write;

/// Writes each event immediately, so that a killed run leaves every event up to that moment.
pub(crate) struct JsonLines<W> {
    output: W,
    /// The first write error. Nothing is written after it.
    fault: Option<std::io::Error>,
}

impl<W: Write> JsonLines<W> {
    pub(crate) fn new(output: W) -> Self {
        Self {
            output,
            fault: None,
        }
    }

    /// The output, or the first write error.
    pub(crate) fn finish(self) -> std::io::Result<W> {
        match self.fault {
            Some(fault) => Err(fault),
            None => Ok(self.output),
        }
    }
}

impl<W: Write> Reporter for JsonLines<W> {
    fn event(&mut self, event: &Event) {
        if self.fault.is_none() {
            self.fault = write(&mut self.output, event).err();
        }
    }
}

fn write(output: &mut impl Write, event: &Event) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(event)?;
    line.push(b'\n');
    output.write_all(&line)
}
