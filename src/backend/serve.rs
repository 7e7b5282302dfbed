//! Serving: any [`Backend`] behind the protocol, on a pair of streams.

use super::wire::{self, CompileRequest, FrameFault};
use super::{Backend, Supports};
use crate::spec::operator::{Binding, Layout, Operator, TargetSource};
use crate::spec::outcome::{Outcome, Phase};
use crate::spec::request::{Call, Request};
use crate::tensor::ElementType;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead, Write};

/// A compiled model: all of the request but the elements, and the target if it comes at the run.
struct Compiled {
    request: Request,
    binding: Binding,
}

/// Answers the protocol's messages until `bye` or the end of the input.
///
/// # Errors
/// When a stream fails, or what arrives is not the protocol (an adapter that is spoken to wrongly ends).
pub fn serve(
    backend: &mut dyn Backend,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> io::Result<()> {
    let mut models: HashMap<u64, Compiled> = HashMap::new();
    let mut next_handle = 0;
    loop {
        let frame = match wire::read_frame(input) {
            Ok(frame) => frame,
            Err(FrameFault::End) => return Ok(()),
            Err(FrameFault::Bad(what)) => {
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
        };
        let id = frame.header.get("id").cloned().unwrap_or(Value::Null);
        let bad = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
        match frame.header.get("type").and_then(Value::as_str) {
            Some("hello") => wire::write(output, hello(backend, &id), &[])?,
            Some("compile") => {
                let compiled = compile(frame.header).map_err(bad)?;
                next_handle += 1;
                models.insert(next_handle, compiled);
                wire::write(
                    output,
                    json!({"type": "compiled", "id": id, "handle": next_handle}),
                    &[],
                )?;
            }
            Some("run") => {
                let handle = frame
                    .header
                    .get("handle")
                    .and_then(Value::as_u64)
                    .unwrap_or(0);
                let compiled = models
                    .get(&handle)
                    .ok_or_else(|| bad(format!("there is no handle {handle}")))?;
                let outcome = run(backend, compiled, &frame).map_err(bad)?;
                let (header, payload) = answer(outcome, &id).map_err(bad)?;
                wire::write(output, header, &payload)?;
            }
            Some("release") => {
                models.remove(
                    &frame
                        .header
                        .get("handle")
                        .and_then(Value::as_u64)
                        .unwrap_or(0),
                );
                wire::write(output, json!({"type": "released", "id": id}), &[])?;
            }
            Some("bye") => return wire::write(output, json!({"type": "bye", "id": id}), &[]),
            other => return Err(bad(format!("a message of the type {other:?}"))),
        }
    }
}

fn hello(backend: &dyn Backend, id: &Value) -> Value {
    let about = backend.about();
    json!({"type": "hello", "id": id, "protocol": wire::VERSION, "backend": {"name": about.name, "version": about.version},
        "model": "none", "window": 16, "infer_only": false, "supports": supports(&about.supports)})
}

/// What is supported, as few entries: operators and bindings with the same element types stand together.
pub(crate) fn supports(supports: &Supports) -> Vec<wire::HelloSupports> {
    let mut entries: BTreeMap<(&str, Vec<ElementType>), Vec<Binding>> = BTreeMap::new();
    for ((operator, binding), types) in supports.cells() {
        entries
            .entry((operator, types.iter().copied().collect()))
            .or_default()
            .push(*binding);
    }
    let entry = |((operator, types), bindings): ((&str, Vec<ElementType>), Vec<Binding>)| {
        wire::HelloSupports {
            operators: vec![operator.to_owned()],
            element_types: types.iter().map(|t| t.name().to_owned()).collect(),
            bindings: bindings.iter().map(|b| b.name().to_owned()).collect(),
        }
    };
    entries.into_iter().map(entry).collect()
}

fn compile(header: Value) -> Result<Compiled, String> {
    let asked: CompileRequest =
        serde_json::from_value(header).map_err(|error| error.to_string())?;
    let operator = Operator::named(&asked.operator)
        .ok_or_else(|| format!("there is no operator '{}'", asked.operator))?;
    let target = asked.target.known()?;
    let source = match asked.target.binding.as_str() {
        "attribute" => TargetSource::Attribute,
        "absent" if operator.target_is_attribute() => TargetSource::Attribute,
        "constant" | "absent" => TargetSource::Constant,
        "runtime" => TargetSource::Runtime,
        other => return Err(format!("there is no target binding '{other}'")),
    };
    let dynamic = asked.data.dims.iter().any(Option::is_none);
    let layout = asked.layout.as_deref().unwrap_or(Layout::RowMajor.name());
    let fits = |binding: &&Binding| {
        binding.source() == source
            && binding.dynamic() == dynamic
            && binding.layout().name() == layout
    };
    let binding = *Binding::ALL
        .iter()
        .find(fits)
        .ok_or("there is no such binding")?;
    let request = Request {
        operator,
        element_type: asked.element_type,
        data_shape: Vec::new(),
        target,
        attributes: asked.attributes,
    };
    Ok(Compiled { request, binding })
}

fn run(
    backend: &mut dyn Backend,
    compiled: &Compiled,
    frame: &wire::Frame,
) -> Result<Outcome, String> {
    let data = frame.header.get("data").ok_or("a run without data")?;
    let data = wire::tensor(data, &frame.payload)?;
    let mut request = Request {
        data_shape: data.shape().to_vec(),
        ..compiled.request.clone()
    };
    if compiled.binding.source() == TargetSource::Runtime {
        let target = frame
            .header
            .get("target")
            .ok_or("a run without its target")?;
        request.target = Some(wire::target_of(&wire::tensor(target, &frame.payload)?));
    }
    Ok(backend.reshape(&Call {
        request: &request,
        binding: compiled.binding,
        data: &data,
    }))
}

fn answer(outcome: Outcome, id: &Value) -> Result<(Value, Vec<u8>), String> {
    let mut payload = Vec::new();
    let header = match outcome {
        Outcome::Reshaped { output, .. } => {
            let described = wire::append(&output, &mut payload);
            json!({"type": "reshaped", "id": id, "output": described})
        }
        Outcome::Rejected {
            phase: Phase::Compile | Phase::Run,
            message,
        } => {
            json!({"type": "rejected", "id": id, "message": message})
        }
        Outcome::Unsupported(message) => {
            json!({"type": "unsupported", "id": id, "message": message})
        }
        other @ (Outcome::Inferred(_)
        | Outcome::Crashed(_)
        | Outcome::TimedOut(_)
        | Outcome::OutOfMemory(_)
        | Outcome::ProtocolError(_)) => {
            return Err(format!(
                "a backend that is served answered {}",
                other.kind()
            ));
        }
    };
    Ok((header, payload))
}
