//! Outcomes: what a text allows, and what a backend did. Whatever a backend does is an outcome, never an error.

use super::request::Request;
use crate::error::panic_words;
use crate::names::{Joined, named_enum};
use crate::tensor::{ElementType, Tensor};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Number;

/// The dims of a shape; `None` for a dim that is unknown or may have any length.
pub type ShapePattern = Vec<Option<u64>>;

/// A dim of a backend, in JSON: 64 bits with a sign, as in every format of the field. A negative dim is a fault of the
/// backend, and its highest bit marks it.
pub(crate) struct Dim(i64);

impl<'de> Deserialize<'de> for Dim {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = Number::deserialize(deserializer)?;
        let bits = number.as_u64().map(u64::cast_signed).or(number.as_i64());
        bits.map(Self).ok_or_else(|| {
            D::Error::custom(format!(
                "the dim {number}: a dim is a whole number of 64 bits, without a point"
            ))
        })
    }
}

/// A shape as signed dims.
pub(crate) mod signed {
    use super::{Deserialize, Deserializer, Dim, Serializer};

    pub(crate) fn serialize<S: Serializer>(dims: &[u64], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(dims.iter().map(|dim| dim.cast_signed()))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u64>, D::Error> {
        let dims = Vec::<Dim>::deserialize(from)?.into_iter();
        Ok(dims.map(|Dim(dim)| dim.cast_unsigned()).collect())
    }
}

/// An inferred shape as signed dims; `None` without one.
pub(crate) mod signed_pattern {
    use super::{Deserialize, Deserializer, Dim, Serialize, Serializer, ShapePattern};

    pub(crate) fn serialize<S: Serializer>(
        shape: &Option<ShapePattern>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let signed = |dim: &Option<u64>| dim.map(u64::cast_signed);
        let dims = shape.as_ref().map(|dims| dims.iter().map(signed));
        dims.map(Iterator::collect::<Vec<_>>).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<ShapePattern>, D::Error> {
        let dims = Option::<Vec<Option<Dim>>>::deserialize(from)?;
        let unsigned = |dim: Option<Dim>| dim.map(|Dim(dim)| dim.cast_unsigned());
        Ok(dims.map(|dims| dims.into_iter().map(unsigned).collect()))
    }
}

/// The pattern of this shape alone.
pub(crate) fn pattern_of(shape: &[u64]) -> ShapePattern {
    shape.iter().copied().map(Some).collect()
}

/// Whether a dim of a backend's shape is negative.
pub(crate) fn is_negative(dim: u64) -> bool {
    dim.cast_signed() < 0
}

/// An outcome that a text allows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", content = "shape", rename_all = "lowercase")]
pub enum Allowed {
    /// A rejection.
    Rejected,
    /// The data's elements in a shape of this pattern.
    Reshaped(ShapePattern),
}

/// What a backend did with one trial.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It returned a tensor, possibly after it inferred the shape.
    Reshaped {
        /// The output.
        output: Tensor,
        /// The shape that it inferred before the run; `None` if it did not report one.
        inferred: Option<ShapePattern>,
        /// Whether the output shares memory with the data; `None` if the backend did not show it.
        shares: Option<bool>,
    },
    /// It returned a shape without the elements, for example because it counts elements in a type that is too narrow.
    Claimed {
        /// The output's element type.
        element_type: ElementType,
        /// The output's shape.
        shape: Vec<u64>,
    },
    /// It only infers shapes, and inferred this one; `None` if it accepted the model but does not know the rank.
    Inferred(Option<ShapePattern>),
    /// It refused.
    Rejected {
        /// The phase in which it refused.
        phase: Phase,
        /// Its own words, which are never compared.
        message: String,
        /// Whether it ran into an error that it did not foresee, instead of checking the request: an index out of
        /// range, an assertion, a caught panic.
        internal: bool,
    },
    /// It answered as the inner outcome says, but changed the output of an earlier run of the same model.
    ChangedEarlier(Box<Outcome>),
    /// It answered this run right, but gave this wrong answer to a concurrent run of the same model.
    WrongConcurrentRun(Box<ConcurrentRun>),
    /// It reported that it cannot do this.
    Unsupported(String),
    /// Its process ended before it answered.
    Crashed(ProcessFailure),
    /// It did not answer in time.
    TimedOut(ProcessFailure),
    /// It exceeded the memory limit, and was killed.
    OutOfMemory(ProcessFailure),
    /// Its answer does not follow the protocol.
    ProtocolError(ProcessFailure),
}

/// A run that the model made concurrently with another one.
#[derive(Debug, Clone, PartialEq)]
pub struct ConcurrentRun {
    /// Its request.
    pub request: Request,
    /// Its data.
    pub data: Tensor,
    /// What the backend did.
    pub outcome: Outcome,
}

named_enum! {
    /// When a backend refused.
    pub enum Phase, "phase" {
        /// While it compiled the model.
        Compile = "compile",
        /// While it ran.
        Run = "run",
    }
}

/// How a backend's process failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessFailure {
    /// What happened: the exit status, the limit, the fault in the reply.
    pub what: String,
    /// The last lines it logged.
    pub log: String,
}

impl ProcessFailure {
    /// A failure without a log.
    pub(crate) fn without_log(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            log: String::new(),
        }
    }
}

impl Outcome {
    /// A rejection that the backend intended.
    #[must_use]
    pub fn rejected(phase: Phase, message: impl Into<String>) -> Self {
        Self::Rejected {
            phase,
            message: message.into(),
            internal: false,
        }
    }

    /// Calls a backend that may panic. A panic that unwinds is a rejection by accident. Call only the backend in it: a
    /// panic of the shim is not a rejection.
    ///
    /// # Errors
    /// The rejection, when the call panics.
    pub fn of_panic<T>(phase: Phase, call: impl FnOnce() -> T) -> Result<T, Self> {
        let call = std::panic::AssertUnwindSafe(call);
        std::panic::catch_unwind(call).map_err(|panic| {
            let words = panic_words(panic.as_ref());
            let message =
                words.map_or_else(|| "panic".to_owned(), |words| format!("panic: {words}"));
            Self::Rejected {
                phase,
                message,
                internal: true,
            }
        })
    }

    /// The outcome's kind, spelled the same in all files.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Reshaped { .. } | Self::Claimed { .. } => "reshaped",
            Self::Inferred(_) => "inferred",
            Self::Rejected { .. } => "rejected",
            Self::ChangedEarlier(own) => own.kind(),
            Self::WrongConcurrentRun(run) => run.outcome.kind(),
            Self::Unsupported(_) => "unsupported",
            Self::Crashed(_) => "crashed",
            Self::TimedOut(_) => "timed-out",
            Self::OutOfMemory(_) => "out-of-memory",
            Self::ProtocolError(_) => "protocol-error",
        }
    }

    /// The same outcome, with the place where its process failed, if it did.
    pub(crate) fn failed_at(mut self, place: &str) -> Self {
        if let Self::Crashed(failure)
        | Self::TimedOut(failure)
        | Self::OutOfMemory(failure)
        | Self::ProtocolError(failure) = &mut self
        {
            failure.what = format!("{place}: {}", failure.what);
        }
        self
    }

    /// The shape of the output that it gave, with or without the elements; `None` if it gave none.
    pub(crate) fn shape(&self) -> Option<&[u64]> {
        if let Self::Reshaped { output, .. } = self {
            Some(output.shape())
        } else if let Self::Claimed { shape, .. } = self {
            Some(shape)
        } else {
            None
        }
    }

    /// How its process failed; `None` if it did not.
    pub(crate) fn process_failure(&self) -> Option<&ProcessFailure> {
        if let Self::Crashed(failure)
        | Self::TimedOut(failure)
        | Self::OutOfMemory(failure)
        | Self::ProtocolError(failure) = self
        {
            Some(failure)
        } else {
            None
        }
    }
}

impl From<Tensor> for Outcome {
    /// It returned this tensor, and said nothing else about it.
    fn from(output: Tensor) -> Self {
        Self::Reshaped {
            output,
            inferred: None,
            shares: None,
        }
    }
}

/// A shape as people write it, with `?` for a dim of any length.
#[must_use]
pub fn show_pattern(shape: &[Option<u64>]) -> String {
    let dims = shape.iter();
    let dims = dims.map(|dim| dim.map_or_else(|| "?".to_owned(), |d| d.cast_signed().to_string()));
    format!("[{}]", dims.joined(", "))
}

/// A backend's shape as people write it.
pub(crate) fn show_shape(shape: &[u64]) -> String {
    let dims = shape.iter().map(|dim| dim.cast_signed());
    format!("[{}]", dims.joined(", "))
}

/// Whether a known shape fits a pattern.
#[must_use]
pub fn fits(shape: &[u64], pattern: &[Option<u64>]) -> bool {
    let mut both = shape.iter().zip(pattern);
    shape.len() == pattern.len() && both.all(|(dim, want)| want.is_none_or(|want| want == *dim))
}
