//! The runner's messages, which the runner writes and [`crate::backend::serve`] reads.

use super::frame::{Described, Message, Payload};
use super::hello::{Identity, VERSION};
use crate::backend::declaration::ModelFormat;
use crate::model::call::Call;
use crate::model::{onnx, openvino_ir};
use crate::semantics::operator::{Layout, TargetSource};
use crate::semantics::request::{Attributes, Model, ModelTarget, Target};
use crate::tensor::{Count, ElementType};
use serde::{Deserialize, Serialize};
use serde_json::Number;
use std::ops::Not;

/// A message of the runner.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum Request {
    Hello {
        #[serde(default)]
        protocol: Versions,
        #[serde(default)]
        runner: Identity,
        #[serde(default)]
        limits: MessageLimits,
    },
    Compile(Compile),
    Run(Run),
    Release {
        handle: u64,
        /// Whether another message follows immediately.
        #[serde(default, skip_serializing_if = "Not::not")]
        more: bool,
    },
    Bye,
}

/// The versions of the protocol that the runner speaks.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Versions {
    min: u64,
    max: u64,
}

/// The size limits of messages.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct MessageLimits {
    /// The most bytes of a payload; `None` for the default.
    pub payload: Option<u64>,
}

/// A node to compile.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Compile {
    pub operator: String,
    #[serde(default)]
    pub attributes: Attributes,
    pub element_type: ElementType,
    pub data: CompileData,
    pub target: CompileTarget,
    /// Whether no run follows, because the data is too large to materialize.
    #[serde(default, skip_serializing_if = "Not::not")]
    infer_only: bool,
    /// `None` for row-major.
    pub layout: Option<Layout>,
    model: Option<CompileModel>,
}

/// The declaration of the data.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CompileData {
    /// `None` for a dim that is unknown before the run.
    pub dims: Vec<Option<u64>>,
}

/// The declaration of the target.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "binding", rename_all = "lowercase")]
pub(crate) enum CompileTarget {
    Attribute(KnownTarget),
    Constant(KnownTarget),
    /// Each run passes its values.
    Runtime {
        element_type: ElementType,
        dims: Vec<u64>,
    },
    Absent,
}

/// A target with known values.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct KnownTarget {
    element_type: ElementType,
    shape: Vec<u64>,
    /// Each within 64 bits, signed or unsigned.
    values: Vec<Number>,
}

/// The places of the model's files in the payload.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "format", rename_all = "kebab-case")]
enum CompileModel {
    Onnx(Place),
    OpenvinoIr { xml: Place, bin: Place },
}

/// Bytes of a payload.
#[derive(Debug, Serialize, Deserialize)]
struct Place {
    offset: usize,
    length: usize,
}

/// A run of a compiled model.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    pub handle: u64,
    pub data: Described,
    /// `None` unless the run passes it.
    pub target: Option<Described>,
    /// The number of concurrent runs, including this one; `None` for this one alone.
    pub at_once: Option<usize>,
    /// Whether another message follows immediately.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub more: bool,
}

/// The runner's `hello`, with the largest payload that it accepts.
pub(crate) fn hello(id: u64, most_payload: u64) -> Message {
    let request = Request::Hello {
        protocol: Versions {
            min: VERSION,
            max: VERSION,
        },
        runner: Identity {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
        limits: MessageLimits {
            payload: Some(most_payload),
        },
    };
    Message::new(id, &request, Payload::default())
}

/// The `compile` message of a call's model. Fails when the format cannot express the model.
pub(crate) fn compile(id: u64, call: &Call<'_>, format: ModelFormat) -> Result<Message, String> {
    let graph = call.graph().ok_or("unknown surrounding")?;
    let (request, binding) = (call.request, call.binding);
    let place = |offset, length| Place { offset, length };
    let (model, payload) = match format {
        ModelFormat::None => (None, Vec::new()),
        ModelFormat::Onnx => {
            let payload = onnx::write(&graph, request, binding);
            (Some(CompileModel::Onnx(place(0, payload.len()))), payload)
        }
        ModelFormat::OpenvinoIr => {
            let ir = openvino_ir::write(&graph, request, binding).ok_or_else(|| {
                let element_type = request.element_type;
                format!("OpenVINO's IR cannot express this ({element_type} data, {binding})")
            })?;
            let xml = place(0, ir.xml.len());
            let bin = place(ir.xml.len(), ir.bin.len());
            let payload = [ir.xml, ir.bin].concat();
            (Some(CompileModel::OpenvinoIr { xml, bin }), payload)
        }
    };
    let of = Model::of(request, binding);
    let compile = Compile {
        operator: of.operator.name.to_owned(),
        attributes: of.attributes,
        element_type: of.element_type,
        data: CompileData {
            dims: graph.data_dims(),
        },
        target: of.target.into(),
        infer_only: !call.data.is_materialized(),
        layout: Some(of.layout).filter(|of| *of != Layout::RowMajor),
        model,
    };
    Ok(Message::new(id, &Request::Compile(compile), payload))
}

impl From<ModelTarget> for CompileTarget {
    fn from(target: ModelTarget) -> Self {
        let number = |value: &i128| match i64::try_from(*value) {
            Ok(value) => value.into(),
            Err(_) => u64::try_from(*value).unwrap_or(u64::MAX).into(),
        };
        let known = |target: Target| KnownTarget {
            element_type: target.element_type,
            values: target.values.iter().map(number).collect(),
            shape: target.dims,
        };
        match target {
            ModelTarget::Attribute(target) => Self::Attribute(known(target)),
            ModelTarget::Constant(target) => Self::Constant(known(target)),
            ModelTarget::Runtime { element_type, dims } => Self::Runtime { element_type, dims },
            ModelTarget::Missing => Self::Absent,
        }
    }
}

impl KnownTarget {
    /// The target. Fails when a value is not an integer, or their number differs from the shape's.
    pub(crate) fn target(&self) -> Result<Target, String> {
        let values = self.values.iter().map(|value| {
            let signed = value.as_i64().map(i128::from);
            signed
                .or_else(|| value.as_u64().map(i128::from))
                .ok_or_else(|| format!("the target value {value} is not a 64-bit integer"))
        });
        let values = values.collect::<Result<Vec<_>, _>>()?;
        if Count::of(&self.shape).as_u64() != Some(values.len() as u64) {
            let (count, shape) = (values.len(), &self.shape);
            return Err(format!("{count} target values in the shape {shape:?}"));
        }
        Ok(Target {
            element_type: self.element_type,
            dims: self.shape.clone(),
            values,
        })
    }
}

/// How a `run` relates to other messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Concurrency {
    /// It waits for no other.
    Alone,
    /// Another follows immediately. A large payload is answered by itself.
    Followed,
    /// The number of concurrent runs, including this one.
    Runs(usize),
}

/// The `run` message of a call, which states how other messages relate to it.
pub(crate) fn run(id: u64, handle: u64, call: &Call<'_>, together: Concurrency) -> Message {
    let mut payload = Payload::default();
    let data = payload.append(&call.input());
    let is_passed = call.binding.source() == TargetSource::Runtime;
    let target = call.request.target.as_ref().filter(|_| is_passed);
    let run = Run {
        handle,
        data,
        target: target.map(|target| payload.append(&target.tensor())),
        at_once: match together {
            Concurrency::Runs(count) => Some(count),
            Concurrency::Alone | Concurrency::Followed => None,
        },
        more: together == Concurrency::Followed && payload.large.is_none(),
    };
    Message::new(id, &Request::Run(run), payload)
}

/// The `release` message of a handle. Another message follows immediately.
pub(crate) fn release(id: u64, handle: u64) -> Message {
    let request = Request::Release { handle, more: true };
    Message::new(id, &request, Payload::default())
}

pub(crate) fn bye(id: u64) -> Message {
    Message::new(id, &Request::Bye, Payload::default())
}
