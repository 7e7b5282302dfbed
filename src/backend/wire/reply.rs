//! The adapter's replies, as the runner reads them.

use super::frame::Frame;
use super::hello::Hello;
use super::tensor::tensor;
use crate::spec::outcome::ShapePattern;
use crate::tensor::Tensor;
use serde_json::Value;

/// The longest backend message that is retained, in bytes; the rest is cut off.
const MAX_MESSAGE: usize = 4096;

/// A reply, parsed according to its type.
#[derive(Debug)]
pub(crate) enum Reply {
    Hello(Hello),
    Compiled {
        handle: u64,
        /// The shape that the backend inferred; `None` if it did not give one.
        output_shape: Option<ShapePattern>,
    },
    Reshaped(Tensor),
    /// The backend's message.
    Rejected(String),
    /// The adapter's message.
    Unsupported(String),
    Released,
    Bye,
}

impl Reply {
    /// The reply's type on the wire.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Hello(_) => "hello",
            Self::Compiled { .. } => "compiled",
            Self::Reshaped(_) => "reshaped",
            Self::Rejected(_) => "rejected",
            Self::Unsupported(_) => "unsupported",
            Self::Released => "released",
            Self::Bye => "bye",
        }
    }
}

/// Parses a reply. Returns it with the id of the request that it answers.
pub(crate) fn reply(frame: Frame) -> Result<(u64, Reply), String> {
    let Frame { header, payload } = frame;
    let id = header
        .get("id")
        .and_then(Value::as_u64)
        .ok_or("a reply without an id")?;
    let reply = match header.get("type").and_then(Value::as_str) {
        Some("hello") => {
            let hello = serde_json::from_value(header);
            Reply::Hello(hello.map_err(|error| format!("not a hello: {error}"))?)
        }
        Some("compiled") => compiled(&header)?,
        Some("reshaped") => {
            let output = header.get("output").ok_or("`reshaped` without an output")?;
            Reply::Reshaped(tensor(output, &payload)?)
        }
        Some("rejected") => Reply::Rejected(message(&header)),
        Some("unsupported") => Reply::Unsupported(message(&header)),
        Some("released") => Reply::Released,
        Some("bye") => Reply::Bye,
        Some(other) => return Err(format!("a reply of the unknown type '{other}'")),
        None => return Err("a reply without a type".to_owned()),
    };
    Ok((id, reply))
}

fn compiled(header: &Value) -> Result<Reply, String> {
    let handle = header
        .get("handle")
        .and_then(Value::as_u64)
        .ok_or("`compiled` without a handle")?;
    let output_shape = match header.get("output_shape") {
        None | Some(Value::Null) => None,
        Some(shape) => serde_json::from_value(shape.clone())
            .map(Some)
            .map_err(|error| format!("not an output_shape: {error}"))?,
    };
    Ok(Reply::Compiled {
        handle,
        output_shape,
    })
}

/// The message of a `rejected` or `unsupported`, shortened to `MAX_MESSAGE`.
fn message(header: &Value) -> String {
    let mut text = header
        .get("message")
        .and_then(Value::as_str)
        .unwrap_or("(no message)")
        .to_owned();
    if text.len() > MAX_MESSAGE {
        text.truncate(text.floor_char_boundary(MAX_MESSAGE));
        text.push('…');
    }
    text
}
