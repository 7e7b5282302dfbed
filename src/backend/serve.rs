//! Serving: any [`Backend`] behind the protocol, on a pair of streams.

use super::claims::{Claim, Operators};
use super::interface::Backend;
use super::wire::{
    self, Compile, CompileTarget, Frame, FrameFault, Hello, Identity, Message, Payload, Reply, Run,
};
use crate::model::call::Call;
use crate::semantics::operator::{Binding, Layout, Operator, TargetSource};
use crate::semantics::request::Request;
use crate::tensor::Tensor;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::sync::Arc;

/// The most concurrent `run` requests to a served backend.
const WINDOW: u64 = 16;

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
        most_payload: wire::MAX_PAYLOAD,
    };
    let mut concurrent = Vec::new();
    let sent = wire::Sent::default();
    loop {
        let Frame { header, payload } = match wire::read_frame(input, server.most_payload, &sent) {
            Ok(frame) => frame,
            Err(FrameFault::End) => return Ok(()),
            Err(FrameFault::Malformed(what)) => return Err(invalid(what)),
        };
        let id = header.get("id").and_then(Value::as_u64);
        let id = id.ok_or_else(|| invalid("a message without an id".to_owned()))?;
        let request =
            wire::Request::deserialize(header).map_err(|error| invalid(error.to_string()))?;
        let (reply, more) = match request {
            wire::Request::Hello { limits, .. } => {
                server.most_payload = limits.payload.unwrap_or(server.most_payload);
                (hello(server.backend), false)
            }
            wire::Request::Compile(of) => (server.compile(of).map_err(invalid)?, false),
            wire::Request::Run(run) => {
                let (more, count) = (run.more, run.at_once.unwrap_or(1));
                concurrent.push((id, run, payload));
                if concurrent.len() >= count {
                    for message in server.run(&concurrent).map_err(invalid)? {
                        message.write(output)?;
                    }
                    concurrent.clear();
                    if !more {
                        output.flush()?;
                    }
                }
                continue;
            }
            wire::Request::Release { handle, more } => {
                server.models.remove(&handle);
                (Reply::Released, more)
            }
            wire::Request::Bye => (Reply::Bye, false),
        };
        Message::new(id, &reply, Payload::default()).write(output)?;
        if !more {
            output.flush()?;
        }
        if matches!(reply, Reply::Bye) {
            return Ok(());
        }
    }
}

/// A backend and the models that it holds.
struct Server<'a> {
    backend: &'a mut dyn Backend,
    models: HashMap<u64, Compiled>,
    last_handle: u64,
    /// The most bytes of a payload, as the runner states.
    most_payload: u64,
}

impl Server<'_> {
    fn compile(&mut self, message: Compile) -> Result<Reply, String> {
        let operator = Operator::named(&message.operator)
            .ok_or_else(|| format!("unknown operator '{}'", message.operator))?;
        let (source, target) = match &message.target {
            CompileTarget::Attribute(target) => (TargetSource::Attribute, Some(target.target()?)),
            CompileTarget::Constant(target) => (TargetSource::Constant, Some(target.target()?)),
            CompileTarget::Runtime { .. } => (TargetSource::Runtime, None),
            CompileTarget::Absent if operator.target_is_attribute() => {
                (TargetSource::Attribute, None)
            }
            CompileTarget::Absent => (TargetSource::Constant, None),
        };
        let (dims, layout) = (&message.data.dims, message.layout);
        let known = (source, layout.unwrap_or(Layout::RowMajor));
        // A scalar has no dim that could be dynamic.
        let is_it = |of: &&Binding| {
            (of.source(), of.layout()) == known
                && (dims.is_empty() || of.dynamic() == dims.iter().any(Option::is_none))
        };
        let binding = operator.bindings.iter().chain(Binding::ALL).find(is_it);
        let binding = *binding.ok_or("unknown binding")?;
        let request = Request {
            operator,
            element_type: message.element_type,
            data_shape: Vec::new(),
            target,
            attributes: message.attributes,
        };
        self.last_handle += 1;
        let compiled = Compiled { request, binding };
        self.models.insert(self.last_handle, compiled);
        Ok(Reply::Compiled {
            handle: self.last_handle,
            output_shape: None,
        })
    }

    /// The replies to a run, or to concurrent runs in their order. Each has its id and its payload.
    fn run(&mut self, runs: &[(u64, Run, Arc<Vec<u8>>)]) -> Result<Vec<Message>, String> {
        let asked = runs.iter().map(|(_, run, payload)| {
            let compiled = self.models.get(&run.handle);
            let compiled = compiled.ok_or_else(|| format!("unknown handle {}", run.handle))?;
            Ok((compiled, asked(compiled, run, payload)?))
        });
        let asked = asked.collect::<Result<Vec<_>, String>>()?;
        let calls = asked.iter().map(|(compiled, (request, data))| Call {
            request,
            binding: compiled.binding,
            surrounding: None,
            data,
        });
        let calls: Vec<_> = calls.collect();
        let outcomes = match *calls.as_slice() {
            [call] => vec![self.backend.reshape(&call)],
            _ => self.backend.reshape_concurrently(&calls),
        };
        let answers = runs.iter().zip(outcomes);
        answers
            .map(|((id, ..), outcome)| {
                let mut payload = Payload::default();
                let reply = Reply::of(outcome, &mut payload)?;
                Ok(Message::new(*id, &reply, payload))
            })
            .collect()
    }
}

fn hello(backend: &dyn Backend) -> Reply {
    let about = backend.about();
    let supports = about.supports;
    let claims = supports.entries.iter().map(|of| Claim {
        operators: Operators(vec![of.cells.operator]),
        element_types: Some(of.cells.element_types.clone()),
        bindings: Some(of.cells.bindings.clone()),
        attributes: of.attributes.clone(),
        limits: of.limits.clone(),
    });
    Reply::Hello(Box::new(Hello {
        protocol: wire::VERSION,
        backend: Identity {
            name: about.name,
            version: about.version,
        },
        window: Some(WINDOW),
        concurrent_runs: supports.surroundings.iter().any(|of| of.is_concurrent()),
        supports: claims.collect(),
        limits: supports.limits.clone(),
        ..Hello::default()
    }))
}

/// The request of a `run`, and its data.
fn asked(
    compiled: &Compiled,
    run: &Run,
    payload: &Arc<Vec<u8>>,
) -> Result<(Request, Tensor), String> {
    let data = run.data.tensor(payload)?;
    let mut request = Request {
        data_shape: data.shape().to_vec(),
        ..compiled.request.clone()
    };
    if compiled.binding.source() == TargetSource::Runtime {
        let target = run.target.as_ref().ok_or("a `run` without its target")?;
        request.target = Some(target.target(payload)?);
    }
    Ok((request, data))
}
