//! The wire: the messages of `docs/protocol.md`, and how they are framed. The only room that knows the protocol.

use super::Supports;
use crate::model::{onnx, openvino_ir};
use crate::spec::operator::{Binding, Layout, Operator, Selector};
use crate::spec::outcome::ShapePattern;
use crate::spec::request::{Attributes, Call, Model, ModelTarget, Request, Target};
use crate::tensor::{ElementType, Tensor};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};

/// The protocol version this runner speaks.
pub(crate) const VERSION: u64 = 1;
/// The longest line.
const MOST_LINE: u64 = 1 << 20;
/// The largest payload.
const MOST_PAYLOAD: u64 = 256 << 20;

/// The model format that an adapter asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ModelFormat {
    None,
    Onnx,
    OpenvinoIr,
}

/// One message with its payload.
#[derive(Debug)]
pub(crate) struct Frame {
    pub header: Value,
    pub payload: Vec<u8>,
}

/// Why no message could be read.
#[derive(Debug)]
pub(crate) enum FrameFault {
    /// The stream ended, within a message or between two.
    End,
    /// What came is no message.
    Bad(String),
}

/// Reads one message; never more memory than what really arrives.
pub(crate) fn read_frame(input: &mut impl BufRead) -> Result<Frame, FrameFault> {
    let mut line = Vec::new();
    let bad = |what: String| FrameFault::Bad(what);
    input
        .take(MOST_LINE + 1)
        .read_until(b'\n', &mut line)
        .map_err(|_| FrameFault::End)?;
    if line.is_empty() {
        return Err(FrameFault::End);
    }
    if line.last() != Some(&b'\n') {
        let cut_off = (line.len() as u64) <= MOST_LINE;
        return Err(if cut_off {
            FrameFault::End
        } else {
            bad(format!("a line of more than {MOST_LINE} bytes"))
        });
    }
    let shown = || {
        String::from_utf8_lossy(&line[..line.len().min(80)])
            .trim_end()
            .escape_debug()
            .to_string()
    };
    let header: Value = serde_json::from_slice(&line)
        .map_err(|error| bad(format!("not a message ({error}): {}", shown())))?;
    if !header.is_object() {
        return Err(bad(format!("not a JSON object: {}", shown())));
    }
    let length = match header.get("payload") {
        None => 0,
        Some(length) => length
            .as_u64()
            .ok_or_else(|| bad(format!("a payload of {length} bytes")))?,
    };
    if length > MOST_PAYLOAD {
        return Err(bad(format!(
            "a payload of {length} bytes; at most {MOST_PAYLOAD}"
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

/// A message's bytes.
pub(crate) fn encode(mut header: Value, payload: &[u8]) -> Vec<u8> {
    if !payload.is_empty() {
        header["payload"] = payload.len().into();
    }
    let mut bytes = header.to_string().into_bytes();
    bytes.push(b'\n');
    bytes.extend_from_slice(payload);
    bytes
}

/// Writes a message.
pub(crate) fn write(output: &mut impl Write, header: Value, payload: &[u8]) -> io::Result<()> {
    output.write_all(&encode(header, payload))?;
    output.flush()
}

pub(crate) fn hello(id: u64) -> Vec<u8> {
    let runner = json!({"name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION")});
    encode(
        json!({"type": "hello", "id": id, "protocol": {"min": VERSION, "max": VERSION}, "runner": runner}),
        &[],
    )
}

/// The adapter's side of the handshake.
#[derive(Debug, Deserialize)]
pub(crate) struct Hello {
    pub protocol: u64,
    pub backend: HelloBackend,
    pub model: ModelFormat,
    #[serde(default = "one")]
    pub window: usize,
    #[serde(default)]
    pub infer_only: bool,
    pub supports: Vec<HelloSupports>,
}

fn one() -> usize {
    1
}

#[derive(Debug, Deserialize)]
pub(crate) struct HelloBackend {
    pub name: String,
    pub version: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct HelloSupports {
    pub operators: Vec<String>,
    pub element_types: Vec<String>,
    pub bindings: Vec<String>,
}

impl Hello {
    pub(crate) fn supports(&self) -> Result<Supports, String> {
        let mut supports = Supports::default();
        for entry in &self.supports {
            let bindings: Vec<Binding> = entry
                .bindings
                .iter()
                .map(|name| name.parse().map_err(|error| format!("{error}")))
                .collect::<Result<_, _>>()?;
            for selector in &entry.operators {
                let selector: Selector = selector.parse().map_err(|error| format!("{error}"))?;
                for operator in selector.operators() {
                    let types = element_types(&entry.element_types, operator)?;
                    supports.add(operator, &types, &bindings);
                }
            }
        }
        Ok(supports)
    }
}

/// Element types by name, with `all` for those the operator lists.
pub(crate) fn element_types(
    names: &[String],
    operator: &'static Operator,
) -> Result<Vec<ElementType>, String> {
    if names == ["all"] {
        return Ok(operator.element_types.to_vec());
    }
    names
        .iter()
        .map(|name| {
            name.parse()
                .map_err(|error: crate::names::UnknownName| error.to_string())
        })
        .collect()
}

/// The `compile` message for a request's model.
///
/// # Errors
/// When the model cannot be said in the format that the adapter asked for.
pub(crate) fn compile(
    id: u64,
    request: &Request,
    binding: Binding,
    format: ModelFormat,
) -> Result<Vec<u8>, String> {
    let model = Model::of(request, binding);
    let mut payload = Vec::new();
    let mut header = json!({
        "type": "compile", "id": id, "operator": model.operator.name, "attributes": model.attributes,
        "element_type": model.element_type, "data": {"dims": model.data}, "target": target_header(&model.target),
    });
    if model.layout != Layout::RowMajor {
        header["layout"] = model.layout.name().into();
    }
    match format {
        ModelFormat::None => {}
        ModelFormat::Onnx => {
            payload = onnx::model(request, binding);
            header["model"] = json!({"format": "onnx", "offset": 0, "length": payload.len()});
        }
        ModelFormat::OpenvinoIr => {
            let ir = openvino_ir::model(request, binding).ok_or_else(|| {
                format!(
                    "OpenVINO's IR cannot say this ({} data, {})",
                    model.element_type, binding
                )
            })?;
            let (xml, bin) = (ir.xml.len(), ir.bin.len());
            payload.extend_from_slice(ir.xml.as_ref());
            payload.extend_from_slice(&ir.bin);
            header["model"] = json!({"format": "openvino-ir",
                "xml": {"offset": 0, "length": xml}, "bin": {"offset": xml, "length": bin}});
        }
    }
    Ok(encode(header, &payload))
}

fn target_header(target: &ModelTarget) -> Value {
    match target {
        ModelTarget::Attribute(target) => {
            json!({"binding": "attribute", "element_type": target.element_type,
            "shape": target.dims, "values": values(target)})
        }
        ModelTarget::Constant(target) => {
            json!({"binding": "constant", "element_type": target.element_type,
            "shape": target.dims, "values": values(target)})
        }
        ModelTarget::Runtime { element_type, dims } => {
            json!({"binding": "runtime", "element_type": element_type, "dims": dims})
        }
        ModelTarget::Missing => json!({"binding": "absent"}),
    }
}

/// Values as JSON numbers; all are within 64 bits, signed or unsigned.
fn values(target: &Target) -> Vec<Value> {
    let number = |value: &i128| {
        i64::try_from(*value).map_or_else(
            |_| json!(u64::try_from(*value).unwrap_or(u64::MAX)),
            |v| json!(v),
        )
    };
    target.values.iter().map(number).collect()
}

/// The `run` message of a call.
pub(crate) fn run(id: u64, handle: u64, call: &Call<'_>) -> Vec<u8> {
    let mut payload = Vec::new();
    let mut header =
        json!({"type": "run", "id": id, "handle": handle, "data": append(call.data, &mut payload)});
    if let (ModelTarget::Runtime { .. }, Some(target)) = (
        Model::of(call.request, call.binding).target,
        &call.request.target,
    ) {
        header["target"] = append(&target.tensor(), &mut payload);
    }
    encode(header, &payload)
}

/// Appends a tensor to a payload, and describes it.
pub(crate) fn append(tensor: &Tensor, payload: &mut Vec<u8>) -> Value {
    let offset = payload.len();
    tensor.write_bytes(payload);
    json!({"element_type": tensor.element_type(), "shape": tensor.shape(), "offset": offset, "length": payload.len() - offset})
}

pub(crate) fn release(id: u64, handle: u64) -> Vec<u8> {
    encode(
        json!({"type": "release", "id": id, "handle": handle, "more": true}),
        &[],
    )
}

pub(crate) fn bye(id: u64) -> Vec<u8> {
    encode(json!({"type": "bye", "id": id}), &[])
}

/// A reply, read as far as its type says.
#[derive(Debug)]
pub(crate) enum Reply {
    Hello(Hello),
    Compiled {
        handle: u64,
        output_shape: Option<ShapePattern>,
    },
    Reshaped(Tensor),
    Rejected(String),
    Unsupported(String),
    Released,
    Bye,
}

/// The longest message of a backend that is kept.
const MOST_MESSAGE: usize = 4096;

/// Reads a reply with the id it answers.
pub(crate) fn reply(frame: Frame) -> Result<(u64, Reply), String> {
    let Frame { header, payload } = frame;
    let id = header
        .get("id")
        .and_then(Value::as_u64)
        .ok_or("a reply without an id")?;
    let message = || {
        let mut text = header
            .get("message")
            .and_then(Value::as_str)
            .unwrap_or("(no message)")
            .to_owned();
        if text.len() > MOST_MESSAGE {
            let end = (0..=MOST_MESSAGE)
                .rev()
                .find(|at| text.is_char_boundary(*at))
                .unwrap_or(0);
            text.truncate(end);
            text.push('…');
        }
        text
    };
    let reply = match header.get("type").and_then(Value::as_str) {
        Some("hello") => Reply::Hello(
            serde_json::from_value(header)
                .map_err(|error| format!("a hello that is none: {error}"))?,
        ),
        Some("compiled") => Reply::Compiled {
            handle: header
                .get("handle")
                .and_then(Value::as_u64)
                .ok_or("compiled without a handle")?,
            output_shape: match header.get("output_shape") {
                None | Some(Value::Null) => None,
                Some(shape) => Some(
                    serde_json::from_value(shape.clone())
                        .map_err(|error| format!("an output_shape that is none: {error}"))?,
                ),
            },
        },
        Some("reshaped") => {
            let output = header.get("output").ok_or("reshaped without an output")?;
            Reply::Reshaped(tensor(output, &payload)?)
        }
        Some("rejected") => Reply::Rejected(message()),
        Some("unsupported") => Reply::Unsupported(message()),
        Some("released") => Reply::Released,
        Some("bye") => Reply::Bye,
        Some(other) => return Err(format!("a reply of the unknown type '{other}'")),
        None => return Err("a reply without a type".to_owned()),
    };
    Ok((id, reply))
}

/// A tensor out of a payload.
pub(crate) fn tensor(header: &Value, payload: &[u8]) -> Result<Tensor, String> {
    #[derive(Deserialize)]
    struct Described {
        element_type: ElementType,
        shape: Vec<u64>,
        offset: u64,
        length: u64,
    }
    let described = Described::deserialize(header)
        .map_err(|error| format!("a tensor that is none: {error}"))?;
    let end = described.offset.checked_add(described.length);
    let range = usize::try_from(described.offset)
        .ok()
        .zip(end.and_then(|end| usize::try_from(end).ok()));
    let bytes = range
        .and_then(|(start, end)| payload.get(start..end))
        .ok_or_else(|| {
            let (offset, length) = (described.offset, described.length);
            format!(
                "a tensor of {length} bytes at {offset} in a payload of {}",
                payload.len()
            )
        })?;
    Tensor::from_bytes(described.element_type, described.shape, bytes.to_vec())
        .map_err(|error| error.to_string())
}

/// What `serve` is asked to compile.
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

#[derive(Debug, Deserialize)]
pub(crate) struct CompileData {
    pub dims: Vec<Option<u64>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CompileTarget {
    pub binding: String,
    pub element_type: Option<ElementType>,
    pub shape: Option<Vec<u64>>,
    pub values: Option<Vec<Value>>,
}

impl CompileTarget {
    /// The target, if the model already holds it.
    pub(crate) fn known(&self) -> Result<Option<Target>, String> {
        let (Some(shape), Some(values)) = (&self.shape, &self.values) else {
            return Ok(None);
        };
        let number = |value: &Value| {
            let number = value
                .as_i64()
                .map(i128::from)
                .or_else(|| value.as_u64().map(i128::from));
            number.ok_or_else(|| format!("the target value {value}"))
        };
        let values = values.iter().map(number).collect::<Result<Vec<_>, _>>()?;
        if crate::tensor::Count::of(shape).as_u64() != Some(values.len() as u64) {
            return Err(format!(
                "{} target values in the shape {shape:?}",
                values.len()
            ));
        }
        Ok(Some(Target {
            element_type: self.element_type.unwrap_or(ElementType::I64),
            dims: shape.clone(),
            values,
        }))
    }
}

/// A runtime target out of its tensor.
pub(crate) fn target_of(tensor: &Tensor) -> Target {
    let value = |index| {
        let integer = tensor.integer(index);
        integer.unwrap_or_else(|| tensor.bits(index).unwrap_or(0) as i128)
    };
    Target {
        element_type: tensor.element_type(),
        dims: tensor.shape().to_vec(),
        values: (0..tensor.len()).map(value).collect(),
    }
}
