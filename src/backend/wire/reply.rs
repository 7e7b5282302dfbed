//! The adapter's replies, which [`crate::backend::serve`] writes and the runner reads.

use super::frame::{Described, Frame, Payload, drop_absent};
use super::hello::Hello;
use crate::event::shorten::shorten;
use crate::semantics::outcome::{Outcome, Phase, ShapePattern, signed_pattern};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::Not;
use std::sync::Arc;

/// The longest backend message to retain, in bytes; the rest is cut off.
const MAX_MESSAGE: usize = 4096;

/// The longest part of a malformed reply that a message shows, in characters.
const MAX_SHOWN: usize = 300;

/// A reply of the adapter.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum Reply {
    Hello(Box<Hello>),
    Compiled {
        handle: u64,
        /// The shape that the backend inferred; `None` if it did not give one.
        #[serde(default, with = "signed_pattern")]
        output_shape: Option<ShapePattern>,
    },
    Reshaped {
        output: Described,
        /// Whether the output shares memory with the data; `None` if the backend cannot show it.
        shares: Option<bool>,
        /// Whether the output of an earlier run changed.
        #[serde(default, skip_serializing_if = "Not::not")]
        earlier_output_changed: bool,
    },
    Rejected {
        /// The backend's message.
        message: Option<String>,
        /// Whether it ran into an error, instead of refusing.
        #[serde(default, skip_serializing_if = "Not::not")]
        internal: bool,
        /// As in `Reshaped`.
        #[serde(default, skip_serializing_if = "Not::not")]
        earlier_output_changed: bool,
    },
    Unsupported {
        /// The adapter's message.
        message: Option<String>,
    },
    Released,
    Bye,
}

/// A reply, with the id of the request that it answers, and its payload.
#[derive(Debug)]
pub(crate) struct Answer {
    pub id: u64,
    pub reply: Reply,
    /// The fields of a `hello` that nothing reads.
    pub unread: Vec<String>,
    payload: Arc<Vec<u8>>,
}

impl Reply {
    /// The reply to a run with this outcome; its tensor goes into the payload. Fails when a backend cannot report it.
    pub(crate) fn of(outcome: Outcome, payload: &mut Payload) -> Result<Self, String> {
        let reshaped = |output, shares| Self::Reshaped {
            output,
            shares,
            earlier_output_changed: false,
        };
        Ok(match outcome {
            Outcome::ChangedEarlier(own) => {
                let mut reply = Self::of(*own, payload)?;
                if let Self::Reshaped {
                    earlier_output_changed: changed,
                    ..
                }
                | Self::Rejected {
                    earlier_output_changed: changed,
                    ..
                } = &mut reply
                {
                    *changed = true;
                }
                reply
            }
            Outcome::Reshaped { output, shares, .. } => reshaped(payload.append(&output), shares),
            Outcome::Claimed {
                element_type,
                shape,
            } => reshaped(Described::claim(element_type, shape), None),
            Outcome::Rejected {
                phase: Phase::Compile | Phase::Run,
                message,
                internal,
            } => Self::Rejected {
                message: Some(message),
                internal,
                earlier_output_changed: false,
            },
            Outcome::Unsupported(message) => Self::Unsupported {
                message: Some(message),
            },
            other @ (Outcome::Inferred(_)
            | Outcome::WrongConcurrentRun(_)
            | Outcome::Crashed(_)
            | Outcome::TimedOut(_)
            | Outcome::OutOfMemory(_)
            | Outcome::ProtocolError(_)) => {
                return Err(format!("a served backend cannot answer {}", other.kind()));
            }
        })
    }
}

impl Answer {
    /// Parses a reply. The error says what is wrong with it.
    pub(crate) fn read(frame: Frame) -> Result<Self, String> {
        let mut header = frame.header;
        drop_absent(&mut header);
        let id = header.get("id").and_then(Value::as_u64);
        let id =
            id.ok_or("a reply without `id`; it has the `id` of the request that it answers")?;
        let reply = Reply::deserialize(&header).map_err(|error| {
            let kind = header.get("type").and_then(Value::as_str);
            let kind = kind.unwrap_or("reply");
            let shown = shorten(&header.to_string(), MAX_SHOWN).into_owned();
            format!("a `{kind}` that is not as docs/protocol.md says: {error}: {shown}")
        })?;
        let unread = matches!(reply, Reply::Hello(_)).then(|| Hello::unread(&header));
        Ok(Self {
            id,
            reply,
            unread: unread.unwrap_or_default(),
            payload: frame.payload,
        })
    }

    /// The error for a reply of the wrong kind.
    pub(crate) fn unexpected(&self, request: &str) -> String {
        let reply = serde_json::to_value(&self.reply).unwrap_or_default();
        let name = reply["type"].as_str().unwrap_or_default();
        let replies = match request {
            "compile" => "`compiled`, `rejected` or `unsupported`",
            "run" => "`reshaped`, `rejected` or `unsupported`",
            _ => &format!("`{request}` with the `id` of the request"),
        };
        format!(
            "unexpected reply to `{request}`: `{name}` (id {}); it is answered by {replies}",
            self.id
        )
    }

    /// The outcome in a reply to a request of this phase; `None` for another kind of reply. `inferred` is the shape
    /// that the backend inferred before. Fails when its output is not a tensor.
    pub(crate) fn outcome(
        &self,
        phase: Phase,
        inferred: Option<&ShapePattern>,
    ) -> Result<Option<Outcome>, String> {
        let words = |message: &Option<String>| {
            shortened(message.clone().unwrap_or_else(|| "(no message)".to_owned()))
        };
        let (outcome, changed) = match &self.reply {
            Reply::Reshaped {
                output,
                shares,
                earlier_output_changed,
            } if phase == Phase::Run => (
                output.outcome(&self.payload, inferred, *shares)?,
                *earlier_output_changed,
            ),
            Reply::Rejected {
                message,
                internal,
                earlier_output_changed,
            } => {
                let (message, internal) = (words(message), *internal);
                let rejected = Outcome::Rejected {
                    phase,
                    message,
                    internal,
                };
                (rejected, *earlier_output_changed)
            }
            Reply::Unsupported { message } => (Outcome::Unsupported(words(message)), false),
            Reply::Hello(_)
            | Reply::Compiled { .. }
            | Reply::Reshaped { .. }
            | Reply::Released
            | Reply::Bye => return Ok(None),
        };
        Ok(Some(match changed {
            true => Outcome::ChangedEarlier(Box::new(outcome)),
            false => outcome,
        }))
    }
}

/// A text of at most `MAX_MESSAGE` bytes.
fn shortened(mut text: String) -> String {
    if text.len() > MAX_MESSAGE {
        text.truncate(text.floor_char_boundary(MAX_MESSAGE));
        text.push('…');
    }
    text
}
