//! The runner's messages: as the runner writes them, and as [`crate::backend::serve`] reads them.

use super::frame::{Message, Payload};
use super::hello::VERSION;
use super::tensor::append;
use crate::backend::declaration::ModelFormat;
use crate::model::graph::Graph;
use crate::model::{onnx, openvino_ir, surroundings};
use crate::semantics::operator::{Binding, Layout};
use crate::semantics::request::{Attributes, Call, Model, ModelTarget, Request, Target};
use crate::tensor::{Count, ElementType};
use serde::Deserialize;
use serde_json::{Value, json};

/// The runner's `hello`, which tells the adapter how many bytes a payload may have.
pub(crate) fn hello(id: u64, most_payload: u64) -> Message {
    let runner = json!({"name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION")});
    let protocol = json!({"min": VERSION, "max": VERSION});
    let limits = json!({"payload": most_payload});
    Message::new(
        json!({"type": "hello", "id": id, "protocol": protocol, "runner": runner, "limits": limits}),
        Payload::default(),
    )
}

/// The `compile` message of a call's model.
///
/// # Errors
/// When the format cannot express the model.
pub(crate) fn compile(id: u64, call: &Call<'_>, format: ModelFormat) -> Result<Message, String> {
    let graph = surroundings::graph_of(call).ok_or("there is no such surrounding")?;
    let infer_only = !call.data.is_made();
    message(id, call.request, call.binding, (&graph, infer_only), format)
}

fn message(
    id: u64,
    request: &Request,
    binding: Binding,
    (graph, infer_only): (&Graph, bool),
    format: ModelFormat,
) -> Result<Message, String> {
    let model = Model::of(request, binding);
    let mut header = json!({
        "type": "compile", "id": id, "operator": model.operator.name, "attributes": model.attributes,
        "element_type": model.element_type, "data": {"dims": graph.data_dims()}, "target": target_header(&model.target),
    });
    if infer_only {
        header["infer_only"] = true.into();
    }
    if model.layout != Layout::RowMajor {
        header["layout"] = model.layout.name().into();
    }
    let payload = match format {
        ModelFormat::None => Vec::new(),
        ModelFormat::Onnx => {
            let payload = onnx::write(graph, request, binding);
            header["model"] = json!({"format": "onnx", "offset": 0, "length": payload.len()});
            payload
        }
        ModelFormat::OpenvinoIr => {
            let ir = openvino_ir::write(graph, request, binding).ok_or_else(|| {
                let element_type = model.element_type;
                format!("OpenVINO's IR cannot express this ({element_type} data, {binding})")
            })?;
            let (xml, bin) = (ir.xml.len(), ir.bin.len());
            header["model"] = json!({"format": "openvino-ir",
                "xml": {"offset": 0, "length": xml}, "bin": {"offset": xml, "length": bin}});
            [ir.xml.as_ref(), ir.bin.as_slice()].concat()
        }
    };
    Ok(Message::new(header, payload))
}

fn target_header(target: &ModelTarget) -> Value {
    let known = |binding: &str, target: &Target| {
        json!({"binding": binding, "element_type": target.element_type, "shape": target.dims,
            "values": target.values.iter().map(number).collect::<Vec<_>>()})
    };
    match target {
        ModelTarget::Attribute(target) => known("attribute", target),
        ModelTarget::Constant(target) => known("constant", target),
        ModelTarget::Runtime { element_type, dims } => {
            json!({"binding": "runtime", "element_type": element_type, "dims": dims})
        }
        ModelTarget::Missing => json!({"binding": "absent"}),
    }
}

/// A target value as a JSON number. Every value is within 64 bits, signed or unsigned.
fn number(value: &i128) -> Value {
    match i64::try_from(*value) {
        Ok(value) => json!(value),
        Err(_) => json!(u64::try_from(*value).unwrap_or(u64::MAX)),
    }
}

/// How other messages go with a `run`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Together {
    /// No other is waited for.
    Alone,
    /// Another follows at once; a large payload is answered by itself.
    Followed,
    /// So many runs, this one among them, are made at the same time.
    AtOnce(usize),
}

/// The `run` message of a call, which says how others go with it.
pub(crate) fn run(id: u64, handle: u64, call: &Call<'_>, together: Together) -> Message {
    let mut payload = Payload::default();
    let mut header = json!({"type": "run", "id": id, "handle": handle, "data": append(&surroundings::input(call), &mut payload)});
    if let (ModelTarget::Runtime { .. }, Some(target)) = (
        Model::of(call.request, call.binding).target,
        &call.request.target,
    ) {
        header["target"] = append(&target.tensor(), &mut payload);
    }
    if let Together::AtOnce(count) = together {
        header["at_once"] = count.into();
    }
    if together == Together::Followed && payload.large.is_none() {
        header["more"] = true.into();
    }
    Message::new(header, payload)
}

/// The `release` message of a handle. `more` says that another message follows at once.
pub(crate) fn release(id: u64, handle: u64) -> Message {
    Message::new(
        json!({"type": "release", "id": id, "handle": handle, "more": true}),
        Payload::default(),
    )
}

/// The `bye` message.
pub(crate) fn bye(id: u64) -> Message {
    Message::new(json!({"type": "bye", "id": id}), Payload::default())
}

/// A `compile` message, as a served backend reads it.
#[derive(Debug, Deserialize)]
pub(crate) struct CompileRequest {
    pub operator: String,
    #[serde(default)]
    pub attributes: Attributes,
    pub element_type: ElementType,
    pub data: CompileData,
    pub target: CompileTarget,
    pub layout: Option<String>,
}

/// The declaration of the data.
#[derive(Debug, Deserialize)]
pub(crate) struct CompileData {
    /// `None` for a dim that is not known before the run.
    pub dims: Vec<Option<u64>>,
}

/// The declaration of the target; `shape` and `values` are `None` unless the target is an attribute or a constant.
#[derive(Debug, Deserialize)]
pub(crate) struct CompileTarget {
    pub binding: String,
    pub element_type: Option<ElementType>,
    pub shape: Option<Vec<u64>>,
    pub values: Option<Vec<Value>>,
}

impl CompileTarget {
    /// The target; `None` if the message has no target values.
    pub(crate) fn known(&self) -> Result<Option<Target>, String> {
        let (Some(shape), Some(values)) = (&self.shape, &self.values) else {
            return Ok(None);
        };
        let number = |value: &Value| {
            let signed = value.as_i64().map(i128::from);
            signed
                .or_else(|| value.as_u64().map(i128::from))
                .ok_or_else(|| format!("the target value {value} is not a 64-bit integer"))
        };
        let values = values.iter().map(number).collect::<Result<Vec<_>, _>>()?;
        if Count::of(shape).as_u64() != Some(values.len() as u64) {
            let count = values.len();
            return Err(format!("{count} target values in the shape {shape:?}"));
        }
        Ok(Some(Target {
            element_type: self.element_type.unwrap_or(ElementType::I64),
            dims: shape.clone(),
            values,
        }))
    }
}
