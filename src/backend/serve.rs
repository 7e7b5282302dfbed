//! Serving: any [`Backend`] behind the protocol, on a pair of streams.

use super::interface::Backend;
use super::supports::Supports;
use super::wire::{self, CompileRequest, Frame, FrameFault, HelloSupports};
use crate::semantics::operator::{Binding, Layout, Operator, TargetSource};
use crate::semantics::outcome::{Outcome, Phase};
use crate::semantics::request::{Call, Request};
use crate::tensor::{ElementType, Tensor};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead, Write};

/// The `run` requests that a served backend accepts at once.
const WINDOW: usize = 16;

/// A compiled model.
struct Compiled {
    /// The request without data dims, and without the target if `run` carries it.
    request: Request,
    binding: Binding,
}

/// Answers the protocol's messages until `bye` or the end of the input.
///
/// # Errors
/// When a stream fails, or the input is not the protocol.
pub fn serve(
    backend: &mut dyn Backend,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> io::Result<()> {
    let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    let mut server = Server {
        backend,
        models: HashMap::new(),
        last_handle: 0,
        most_payload: wire::MOST_PAYLOAD,
    };
    let mut at_once = Vec::new();
    let sent = wire::Sent::default();
    loop {
        let frame = match wire::read_frame(input, server.most_payload, &sent) {
            Ok(frame) => frame,
            Err(FrameFault::End) => return Ok(()),
            Err(FrameFault::Malformed(what)) => return Err(invalid(what)),
        };
        if let Some(count) = frame.header.get("at_once").and_then(Value::as_u64) {
            at_once.push(frame);
            if at_once.len() as u64 >= count {
                for (header, payload) in server.replies_at_once(&at_once).map_err(invalid)? {
                    wire::Message::new(header, payload).write(output)?;
                }
                output.flush()?;
                at_once.clear();
            }
            continue;
        }
        let more = frame.header.get("more") == Some(&Value::Bool(true));
        let is_bye = frame.header.get("type").and_then(Value::as_str) == Some("bye");
        let (header, payload) = server.reply(frame).map_err(invalid)?;
        wire::Message::new(header, payload).write(output)?;
        if !more {
            output.flush()?;
        }
        if is_bye {
            return Ok(());
        }
    }
}

/// A backend and the models that it holds.
struct Server<'a> {
    backend: &'a mut dyn Backend,
    models: HashMap<u64, Compiled>,
    last_handle: u64,
    /// The most bytes of a payload, as the runner says.
    most_payload: u64,
}

impl Server<'_> {
    /// The reply to one message, with its payload.
    fn reply(&mut self, frame: Frame) -> Result<(Value, wire::Payload), String> {
        let (id, handle) = (id_of(&frame), handle_of(&frame));
        let header = match frame.header.get("type").and_then(Value::as_str) {
            Some("hello") => {
                let limit = frame.header.pointer("/limits/payload");
                self.most_payload = limit.and_then(Value::as_u64).unwrap_or(self.most_payload);
                hello(self.backend, &id)
            }
            Some("compile") => {
                let compiled = compile(frame.header)?;
                self.last_handle += 1;
                self.models.insert(self.last_handle, compiled);
                json!({"type": "compiled", "id": id, "handle": self.last_handle})
            }
            Some("run") => {
                let compiled = model(&self.models, handle)?;
                let (request, data) = run(compiled, &frame)?;
                return answer(self.backend.reshape(&compiled.call(&request, &data)), &id);
            }
            Some("release") => {
                self.models.remove(&handle);
                json!({"type": "released", "id": id})
            }
            Some("bye") => json!({"type": "bye", "id": id}),
            Some(other) => return Err(format!("a message of the unknown type '{other}'")),
            None => return Err("a message without a type".to_owned()),
        };
        Ok((header, wire::Payload::default()))
    }

    /// The replies to runs at the same time, in their order.
    fn replies_at_once(&mut self, frames: &[Frame]) -> Result<Vec<(Value, wire::Payload)>, String> {
        let runs = frames.iter().map(|frame| {
            let compiled = model(&self.models, handle_of(frame))?;
            Ok((compiled, run(compiled, frame)?))
        });
        let runs = runs.collect::<Result<Vec<_>, String>>()?;
        let calls = runs
            .iter()
            .map(|(compiled, (request, data))| compiled.call(request, data));
        let calls: Vec<_> = calls.collect();
        let outcomes = self.backend.reshape_at_once(&calls);
        let answers = frames.iter().zip(outcomes);
        answers
            .map(|(frame, outcome)| answer(outcome, &id_of(frame)))
            .collect()
    }
}

fn model(models: &HashMap<u64, Compiled>, handle: u64) -> Result<&Compiled, String> {
    let model = models.get(&handle);
    model.ok_or_else(|| format!("there is no handle {handle}"))
}

fn id_of(frame: &Frame) -> Value {
    frame.header.get("id").cloned().unwrap_or(Value::Null)
}

fn handle_of(frame: &Frame) -> u64 {
    let handle = frame.header.get("handle").and_then(Value::as_u64);
    handle.unwrap_or(0)
}

impl Compiled {
    /// A run of it.
    fn call<'a>(&self, request: &'a Request, data: &'a Tensor) -> Call<'a> {
        Call {
            request,
            binding: self.binding,
            surrounding: None,
            data,
        }
    }
}

fn hello(backend: &dyn Backend, id: &Value) -> Value {
    let about = backend.about();
    let concurrent_runs = about.supports.has_concurrent_runs();
    json!({"type": "hello", "id": id, "protocol": wire::VERSION,
        "backend": {"name": about.name, "version": about.version}, "model": "none", "window": WINDOW,
        "infer_only": false, "concurrent_runs": concurrent_runs, "supports": supports(&about.supports)})
}

/// The entries of `supports`: one for the bindings of an operator that have the same element types.
fn supports(supports: &Supports) -> Vec<HelloSupports> {
    let mut entries: BTreeMap<(&str, Vec<ElementType>), Vec<Binding>> = BTreeMap::new();
    for ((operator, binding), types) in supports.cells() {
        entries
            .entry((operator, types.iter().copied().collect()))
            .or_default()
            .push(*binding);
    }
    entries
        .into_iter()
        .map(|((operator, types), bindings)| HelloSupports {
            operators: vec![operator.to_owned()],
            element_types: types.iter().map(|t| t.name().to_owned()).collect(),
            bindings: bindings.iter().map(|b| b.name().to_owned()).collect(),
        })
        .collect()
}

fn compile(header: Value) -> Result<Compiled, String> {
    let message: CompileRequest =
        serde_json::from_value(header).map_err(|error| error.to_string())?;
    let operator = Operator::named(&message.operator)
        .ok_or_else(|| format!("there is no operator '{}'", message.operator))?;
    let target = message.target.known()?;
    let source = match message.target.binding.as_str() {
        "attribute" => TargetSource::Attribute,
        "absent" if operator.target_is_attribute() => TargetSource::Attribute,
        "constant" | "absent" => TargetSource::Constant,
        "runtime" => TargetSource::Runtime,
        other => return Err(format!("there is no target binding '{other}'")),
    };
    let dynamic = message.data.dims.iter().any(Option::is_none);
    let layout = message.layout.as_deref().unwrap_or(Layout::RowMajor.name());
    let binding = *Binding::ALL
        .iter()
        .find(|binding| {
            binding.source() == source
                && binding.dynamic() == dynamic
                && binding.layout().name() == layout
        })
        .ok_or("there is no such binding")?;
    let request = Request {
        operator,
        element_type: message.element_type,
        data_shape: Vec::new(),
        target,
        attributes: message.attributes,
    };
    Ok(Compiled { request, binding })
}

/// What a `run` asks for, and its data.
fn run(compiled: &Compiled, frame: &Frame) -> Result<(Request, Tensor), String> {
    let data = frame.header.get("data").ok_or("a `run` without data")?;
    let data = wire::tensor(data, &frame.payload)?;
    let mut request = Request {
        data_shape: data.shape().to_vec(),
        ..compiled.request.clone()
    };
    if compiled.binding.source() == TargetSource::Runtime {
        let target = frame
            .header
            .get("target")
            .ok_or("a `run` without its target")?;
        request.target = Some(wire::target(&wire::tensor(target, &frame.payload)?));
    }
    Ok((request, data))
}

/// The reply to a `run`, with its payload.
fn answer(outcome: Outcome, id: &Value) -> Result<(Value, wire::Payload), String> {
    let mut payload = wire::Payload::default();
    let header = match outcome {
        Outcome::ChangedEarlier(own) => {
            let (mut header, payload) = answer(*own, id)?;
            header["earlier_output_changed"] = true.into();
            return Ok((header, payload));
        }
        Outcome::Reshaped { output, .. } => {
            let described = wire::append(&output, &mut payload);
            json!({"type": "reshaped", "id": id, "output": described})
        }
        Outcome::Claimed {
            element_type,
            shape,
        } => {
            let described = json!({"element_type": element_type, "shape": shape});
            json!({"type": "reshaped", "id": id, "output": described})
        }
        Outcome::Rejected {
            phase: Phase::Compile | Phase::Run,
            message,
            internal,
        } => {
            let mut reply = json!({"type": "rejected", "id": id, "message": message});
            if internal {
                reply["internal"] = true.into();
            }
            reply
        }
        Outcome::Unsupported(message) => {
            json!({"type": "unsupported", "id": id, "message": message})
        }
        other @ (Outcome::Inferred(_)
        | Outcome::WrongBeside(_)
        | Outcome::Crashed(_)
        | Outcome::TimedOut(_)
        | Outcome::OutOfMemory(_)
        | Outcome::ProtocolError(_)) => {
            return Err(format!("a served backend cannot answer {}", other.kind()));
        }
    };
    Ok((header, payload))
}
