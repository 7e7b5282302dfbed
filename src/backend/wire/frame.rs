//! Framing: a JSON object on one line, followed by the bytes of its payload.

use crate::json::check_keys;
use crate::semantics::outcome::{Outcome, ShapePattern, is_negative, signed};
use crate::semantics::request::Target;
use crate::tensor::{ElementType, Tensor};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, BufRead, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// The longest line, in bytes.
const MAX_LINE: u64 = 1 << 20;
/// The largest payload by default, in bytes.
pub(crate) const MAX_PAYLOAD: u64 = 256 << 20;
/// The size in bytes from which a tensor is not copied into its message.
const LARGE: usize = 64 << 10;
/// The size of a part of a payload that is compared with the sent bytes, in bytes.
const COMPARED: usize = 1 << 20;
/// The most bytes of a malformed line that an error message quotes.
const QUOTED: usize = 80;

/// One message: a JSON object and its payload, which may be empty.
#[derive(Debug)]
pub(crate) struct Frame {
    pub header: Value,
    pub payload: Arc<Vec<u8>>,
}

/// A message to send.
#[derive(Debug)]
pub(crate) struct Message {
    /// Its line and a small payload, after other messages.
    pub head: Vec<u8>,
    /// The large tensor at the beginning of a large payload.
    pub large: Option<Arc<Vec<u8>>>,
    /// The rest of the payload.
    tail: Vec<u8>,
}

/// A payload to send.
#[derive(Debug, Default)]
pub(crate) struct Payload {
    /// The elements of a large tensor, which come first. They are shared, because a copy would double the memory.
    pub large: Option<Arc<Vec<u8>>>,
    rest: Vec<u8>,
}

impl Payload {
    fn len(&self) -> usize {
        self.large.as_ref().map_or(0, |large| large.len()) + self.rest.len()
    }

    /// Appends the elements of a tensor. Returns its description.
    pub(super) fn append(&mut self, tensor: &Tensor) -> Described {
        let offset = self.len();
        match tensor.shared_bytes() {
            Some(bytes) if self.len() == 0 && bytes.len() >= LARGE => {
                self.large = Some(Arc::clone(bytes));
            }
            Some(_) | None => tensor.write_bytes(&mut self.rest),
        }
        Described {
            element_type: tensor.element_type(),
            shape: tensor.shape().to_vec(),
            offset: Some(offset as u64),
            length: Some((self.len() - offset) as u64),
        }
    }
}

/// A tensor in a payload. Without `offset` and `length`, it is a shape whose elements the backend does not have.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Described {
    element_type: ElementType,
    #[serde(with = "signed")]
    shape: Vec<u64>,
    offset: Option<u64>,
    length: Option<u64>,
}

impl Described {
    /// A shape without its elements.
    pub(super) fn claim(element_type: ElementType, shape: Vec<u64>) -> Self {
        Self {
            element_type,
            shape,
            offset: None,
            length: None,
        }
    }

    /// The tensor. Fails when the payload does not hold it.
    pub(crate) fn tensor(&self, payload: &Arc<Vec<u8>>) -> Result<Tensor, String> {
        let (Some(offset), Some(length)) = (self.offset, self.length) else {
            return Err("a tensor with only one of `offset` and `length`; state both, or neither of an output whose elements the backend does not have".to_owned());
        };
        let place = || {
            let start = usize::try_from(offset).ok()?;
            let end = usize::try_from(offset.checked_add(length)?).ok()?;
            payload.get(start..end)
        };
        let bytes = place().ok_or_else(|| {
            let total = payload.len();
            format!("a tensor of {length} bytes at offset {offset}, in a payload of {total} bytes; `payload` is the number of bytes after the line, and `offset` counts from the first of them")
        })?;
        let bytes = match bytes.len() == payload.len() {
            true => Arc::clone(payload),
            false => Arc::new(bytes.to_vec()),
        };
        Tensor::from_shared(self.element_type, self.shape.clone(), bytes).map_err(|error| {
            format!("{error}; `length` and the bytes are those of the elements that `shape` counts")
        })
    }

    /// The target in a tensor of integers. Fails when the payload does not hold it.
    pub(crate) fn target(&self, payload: &Arc<Vec<u8>>) -> Result<Target, String> {
        let tensor = self.tensor(payload)?;
        let value = |index| {
            let integer = tensor.integer(index);
            integer.unwrap_or_else(|| tensor.bits(index).unwrap_or(0) as i128)
        };
        Ok(Target {
            element_type: tensor.element_type(),
            dims: tensor.shape().to_vec(),
            values: (0..tensor.len()).map(value).collect(),
        })
    }

    /// The outcome of a backend with this output. Fails when the payload does not hold it.
    pub(super) fn outcome(
        &self,
        payload: &Arc<Vec<u8>>,
        inferred: Option<&ShapePattern>,
        shares: Option<bool>,
    ) -> Result<Outcome, String> {
        let (element_type, shape) = (self.element_type, self.shape.clone());
        let output = match (self.offset, self.length) {
            // No elements have such a shape, even if some come with it.
            _ if shape.iter().copied().any(is_negative) => None,
            // A shape of no elements needs no payload.
            (None, None) => Tensor::from_bytes(element_type, shape.clone(), Vec::new()).ok(),
            _ => Some(self.tensor(payload)?),
        };
        Ok(match output {
            Some(output) => Outcome::Reshaped {
                output,
                inferred: inferred.cloned(),
                shares,
            },
            None => Outcome::Claimed {
                element_type,
                shape,
            },
        })
    }
}

impl From<Vec<u8>> for Payload {
    fn from(rest: Vec<u8>) -> Self {
        Self { large: None, rest }
    }
}

impl Message {
    /// A message with its id, which includes the length of its payload. `of` is an object, with its type first.
    pub(crate) fn new(id: u64, of: &impl Serialize, payload: impl Into<Payload>) -> Self {
        let payload = payload.into();
        // A message contains only texts, lists and numbers.
        let mut header = serde_json::to_value(of).unwrap_or_default();
        drop_absent(&mut header);
        if let Value::Object(header) = &mut header {
            header.shift_insert(1, "id".to_owned(), id.into());
        }
        if payload.len() > 0 {
            header["payload"] = payload.len().into();
        }
        let mut head = header.to_string().into_bytes();
        head.push(b'\n');
        let (large, mut tail) = (payload.large, payload.rest);
        if large.is_none() {
            head.append(&mut tail);
        }
        Self { head, large, tail }
    }

    /// Writes it, in one write unless its payload is large.
    pub(crate) fn write(&self, output: &mut impl Write) -> io::Result<()> {
        output.write_all(&self.head)?;
        if let Some(large) = &self.large {
            output.write_all(large)?;
            output.write_all(&self.tail)?;
        }
        Ok(())
    }
}

/// Removes the fields that are null, which means that they are absent.
pub(super) fn drop_absent(of: &mut Value) {
    if let Value::Object(fields) = of {
        fields.retain(|_, value| !value.is_null());
        fields.values_mut().for_each(drop_absent);
    } else if let Value::Array(items) = of {
        items.iter_mut().for_each(drop_absent);
    }
}

/// The large tensors of the requests in flight, by the ids of the requests. The output of a reshape has the elements of
/// its data, so an equal payload is not stored again.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sent(Arc<Mutex<BTreeMap<u64, Arc<Vec<u8>>>>>);

impl Sent {
    /// Notes the tensor that a request sends.
    pub(crate) fn note(&self, id: u64, message: &Message) {
        if let Some(large) = &message.large {
            let mut sent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            sent.insert(id, Arc::clone(large));
        }
    }

    /// Takes the tensor that the request of a reply sent.
    fn take(&self, reply: &Value) -> Option<Arc<Vec<u8>>> {
        let id = reply.get("id")?.as_u64()?;
        let mut sent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sent.remove(&id)
    }
}

/// Why a frame could not be read.
#[derive(Debug)]
pub(crate) enum FrameFault {
    /// The stream ended, between two messages or inside one.
    End,
    /// The bytes are not a frame; the text describes why.
    Malformed(String),
}

/// Reads one frame, whose payload has at most `most` bytes. Allocates no more than the bytes that arrive, and nothing
/// for bytes that equal those that were sent.
pub(crate) fn read_frame(
    input: &mut impl BufRead,
    most: u64,
    sent: &Sent,
) -> Result<Frame, FrameFault> {
    let header = read_header(input)?;
    let length = match header.get("payload") {
        None => 0,
        Some(length) => length.as_u64().ok_or_else(|| {
            FrameFault::Malformed(format!(
                "`payload` is {length}; it is the number of bytes after the line"
            ))
        })?,
    };
    if length > most {
        return Err(FrameFault::Malformed(format!(
            "a payload of {length} bytes; at most {most} are allowed"
        )));
    }
    let input = input.take(length);
    let payload = match sent.take(&header) {
        Some(sent) if sent.len() as u64 == length => read_same(input, sent),
        Some(_) | None => read_rest(input, Vec::new()).map(Arc::new),
    };
    match payload {
        Ok(payload) if payload.len() as u64 == length => Ok(Frame { header, payload }),
        Ok(_) | Err(_) => Err(FrameFault::End),
    }
}

/// Reads the rest after these bytes.
fn read_rest(mut input: impl Read, mut before: Vec<u8>) -> io::Result<Vec<u8>> {
    input.read_to_end(&mut before)?;
    Ok(before)
}

/// Reads a payload, without a copy if it equals the sent bytes.
fn read_same(mut input: impl Read, sent: Arc<Vec<u8>>) -> io::Result<Arc<Vec<u8>>> {
    let mut part = vec![0; COMPARED];
    let mut same = 0;
    while same < sent.len() {
        let count = match input.read(&mut part) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        if count == 0 || sent.get(same..same + count) != Some(&part[..count]) {
            return read_rest(input, [&sent[..same], &part[..count]].concat()).map(Arc::new);
        }
        same += count;
    }
    Ok(sent)
}

/// Reads the line of a frame.
fn read_header(input: &mut impl BufRead) -> Result<Value, FrameFault> {
    let mut line = Vec::new();
    let read = input.take(MAX_LINE + 1).read_until(b'\n', &mut line);
    read.map_err(|_| FrameFault::End)?;
    if line.last() != Some(&b'\n') {
        return Err(if line.len() as u64 <= MAX_LINE {
            FrameFault::End
        } else {
            FrameFault::Malformed(format!(
                "a line of more than {MAX_LINE} bytes; a message is a line of JSON, and elements go into its payload"
            ))
        });
    }
    let quoted = || {
        String::from_utf8_lossy(&line[..line.len().min(QUOTED)])
            .trim_end()
            .escape_debug()
            .to_string()
    };
    let stray = "standard output carries messages alone, so print to standard error";
    let header: Value = serde_json::from_slice(&line).map_err(|error| {
        FrameFault::Malformed(match line.trim_ascii_start().first() {
            None => "an empty line; the bytes of a payload have no line break after them".to_owned(),
            Some(b'{') => format!("a message that is not JSON ({error}): {}", quoted()),
            Some(_) => format!(
                "a line that is no message: \"{}\"; {stray} (if these are elements, the `payload` before them is too small)",
                quoted()
            ),
        })
    })?;
    if !header.is_object() {
        let what = format!("a line that is no message: {}; {stray}", quoted());
        return Err(FrameFault::Malformed(what));
    }
    if header.get("type").is_some_and(|of| of == "hello") {
        // Later messages are written by the same program, and are many.
        check_keys(&line)
            .map_err(|error| FrameFault::Malformed(format!("in `hello`: {error}: {}", quoted())))?;
    }
    Ok(header)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::{ElementType, Fill};
    use serde_json::json;

    /// What is read of a reply with this payload, where data of two mebibytes was sent with the request 1. The data comes first.
    fn read_after_sending(id: u64, change: impl FnOnce(&mut Vec<u8>)) -> [Arc<Vec<u8>>; 2] {
        let data = Fill::Index.tensor(ElementType::U32, vec![1 << 19]);
        let mut payload = Payload::default();
        payload.append(&data);
        let message = Message::new(1, &json!({"type": "run"}), payload);
        let sent = Sent::default();
        sent.note(1, &message);
        let data = Arc::clone(message.large.as_ref().unwrap());
        let mut reply = data.to_vec();
        change(&mut reply);
        let mut bytes = Vec::new();
        let message = Message::new(id, &json!({"type": "reshaped"}), reply.clone());
        message.write(&mut bytes).unwrap();
        let frame = read_frame(&mut bytes.as_slice(), MAX_PAYLOAD, &sent).unwrap();
        assert_eq!(*frame.payload, reply);
        [data, frame.payload]
    }

    #[test]
    fn a_payload_is_stored_only_where_it_is_not_what_was_sent() {
        let shared = |[data, payload]: [Arc<Vec<u8>>; 2]| Arc::ptr_eq(&data, &payload);
        assert!(shared(read_after_sending(1, |_| {})));
        assert!(!shared(read_after_sending(2, |_| {})));
        for changed in [0, COMPARED - 1, COMPARED, 2 * COMPARED - 1] {
            assert!(!shared(read_after_sending(1, |reply| reply[changed] ^= 1)));
        }
        assert!(!shared(
            read_after_sending(1, |reply| reply.truncate(COMPARED))
        ));
        assert!(!shared(read_after_sending(1, |reply| reply.push(0))));
    }

    #[test]
    fn the_bits_behind_the_last_element_must_be_0() {
        let read = |element_type: &str, count: u64, bytes: &[u8]| {
            let length = bytes.len();
            let description = json!({"element_type": element_type, "shape": [count], "offset": 0, "length": length});
            let described: Described = serde_json::from_value(description).unwrap();
            described.tensor(&Arc::new(bytes.to_vec()))
        };
        let fault = |bits| {
            Err(format!(
                "the unused high bits of the last byte must be 0, they are {bits}; `length` and the bytes are those of the elements that `shape` counts"
            ))
        };
        assert_eq!(read("i4", 3, &[0x21, 0xa3]), fault("0b1010"));
        assert_eq!(read("u2", 3, &[0x5b]), fault("0b01"));
        assert!(read("i4", 3, &[0x21, 0x03]).is_ok());
        assert!(read("i4", 4, &[0x21, 0xa3]).is_ok());
        assert!(read("bool", 1, &[0xff]).is_ok());
    }
}
