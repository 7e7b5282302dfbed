//! The adapter's replies, as the runner reads them.

use super::frame::Frame;
use super::hello::Hello;
use super::tensor::tensor;
use crate::semantics::outcome::ShapePattern;
use crate::tensor::{ElementType, Tensor};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

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
    /// `reshaped` with a shape whose elements the backend does not have.
    Claimed {
        element_type: ElementType,
        shape: Vec<u64>,
    },
    Rejected {
        /// The backend's message.
        message: String,
        /// Whether it ran into an error, rather than refused.
        internal: bool,
    },
    /// This reply to a run, which changed the output of the run before.
    ChangedEarlier(Box<Reply>),
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
            Self::Reshaped(_) | Self::Claimed { .. } => "reshaped",
            Self::Rejected { .. } => "rejected",
            Self::ChangedEarlier(own) => own.name(),
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
            let hello = serde_json::from_value(header.clone());
            Reply::Hello(hello.map_err(|error| format!("not a hello: {error}: {header}"))?)
        }
        Some("compiled") => compiled(&header)?,
        Some("reshaped") => {
            let output = header.get("output").ok_or("`reshaped` without an output")?;
            reshaped(output, &payload)?
        }
        Some("rejected") => Reply::Rejected {
            message: message(&header),
            internal: header.get("internal") == Some(&Value::Bool(true)),
        },
        Some("unsupported") => Reply::Unsupported(message(&header)),
        Some("released") => Reply::Released,
        Some("bye") => Reply::Bye,
        Some(other) => return Err(format!("a reply of the unknown type '{other}'")),
        None => return Err("a reply without a type".to_owned()),
    };
    let changed = header.get("earlier_output_changed") == Some(&Value::Bool(true));
    let is_answer = matches!(reply.name(), "reshaped" | "rejected");
    let reply = match changed && is_answer {
        true => Reply::ChangedEarlier(Box::new(reply)),
        false => reply,
    };
    Ok((id, reply))
}

/// The output of a `reshaped`: a tensor, or without `offset` and `length` only its element type and shape.
fn reshaped(output: &Value, payload: &Arc<Vec<u8>>) -> Result<Reply, String> {
    if output.get("offset").is_some() || output.get("length").is_some() {
        return Ok(Reply::Reshaped(tensor(output, payload)?));
    }
    #[derive(Deserialize)]
    struct Claim {
        element_type: ElementType,
        shape: Vec<u64>,
    }
    let Claim {
        element_type,
        shape,
    } = Claim::deserialize(output).map_err(|error| format!("not an output: {error}"))?;
    // A shape without elements says all there is to say.
    let empty = Tensor::from_bytes(element_type, shape.clone(), Vec::new());
    Ok(empty.map_or(
        Reply::Claimed {
            element_type,
            shape,
        },
        Reply::Reshaped,
    ))
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
