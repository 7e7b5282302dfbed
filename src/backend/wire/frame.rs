//! Framing: a JSON object on one line, followed by the bytes of its payload.

use serde_json::Value;
use std::io::{self, BufRead, Read, Write};

/// The longest line, in bytes.
const MAX_LINE: u64 = 1 << 20;
/// The largest payload, in bytes.
const MAX_PAYLOAD: u64 = 256 << 20;
/// How much of a malformed line an error message quotes, in bytes.
const QUOTED: usize = 80;

/// One message: a JSON object and its payload, which may be empty.
#[derive(Debug)]
pub(crate) struct Frame {
    pub header: Value,
    pub payload: Vec<u8>,
}

/// Why no frame could be read.
#[derive(Debug)]
pub(crate) enum FrameFault {
    /// The stream ended, between two messages or inside one.
    End,
    /// The bytes are not a frame; the text says why.
    Malformed(String),
}

/// Reads one frame. Allocates no more than the bytes that arrive.
pub(crate) fn read_frame(input: &mut impl BufRead) -> Result<Frame, FrameFault> {
    let header = read_header(input)?;
    let length = match header.get("payload") {
        None => 0,
        Some(length) => length
            .as_u64()
            .ok_or_else(|| FrameFault::Malformed(format!("a payload of {length} bytes")))?,
    };
    if length > MAX_PAYLOAD {
        return Err(FrameFault::Malformed(format!(
            "a payload of {length} bytes; at most {MAX_PAYLOAD} are allowed"
        )));
    }
    let mut payload = Vec::new();
    input
        .take(length)
        .read_to_end(&mut payload)
        .map_err(|_| FrameFault::End)?;
    if payload.len() as u64 == length {
        Ok(Frame { header, payload })
    } else {
        Err(FrameFault::End)
    }
}

/// Reads the line of a frame.
fn read_header(input: &mut impl BufRead) -> Result<Value, FrameFault> {
    let mut line = Vec::new();
    input
        .take(MAX_LINE + 1)
        .read_until(b'\n', &mut line)
        .map_err(|_| FrameFault::End)?;
    if line.last() != Some(&b'\n') {
        return Err(if line.len() as u64 <= MAX_LINE {
            FrameFault::End
        } else {
            FrameFault::Malformed(format!("a line of more than {MAX_LINE} bytes"))
        });
    }
    let quoted = || {
        String::from_utf8_lossy(&line[..line.len().min(QUOTED)])
            .trim_end()
            .escape_debug()
            .to_string()
    };
    let header: Value = serde_json::from_slice(&line)
        .map_err(|error| FrameFault::Malformed(format!("not JSON ({error}): {}", quoted())))?;
    if !header.is_object() {
        let what = format!("not a JSON object: {}", quoted());
        return Err(FrameFault::Malformed(what));
    }
    Ok(header)
}

/// The bytes of a frame.
pub(crate) fn encode(mut header: Value, payload: &[u8]) -> Vec<u8> {
    if !payload.is_empty() {
        header["payload"] = payload.len().into();
    }
    let mut bytes = header.to_string().into_bytes();
    bytes.push(b'\n');
    bytes.extend_from_slice(payload);
    bytes
}

/// Writes a frame and flushes.
pub(crate) fn write(output: &mut impl Write, header: Value, payload: &[u8]) -> io::Result<()> {
    output.write_all(&encode(header, payload))?;
    output.flush()
}
