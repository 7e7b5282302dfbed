//! The handshake: starts a child and exchanges `hello`.

use super::child::{Child, Trouble};
use super::options::ProcessOptions;
use crate::backend::wire::{self, Hello, Reply};
use crate::error::Error;

/// The id of `hello`.
const HELLO_ID: u64 = 0;

/// Starts a child and exchanges `hello`. Does not judge what the reply declares.
pub(super) fn start(options: &ProcessOptions) -> Result<(Child, Hello), Error> {
    let mut child = Child::start(options).map_err(|what| options.start_error(what))?;
    child.send(HELLO_ID, wire::hello(HELLO_ID, options.most_payload));
    let reply = child
        .receive(options.handshake_timeout)
        .and_then(|frame| wire::reply(frame).map_err(Trouble::Protocol));
    let trouble = match reply {
        Ok((HELLO_ID, Reply::Hello(hello))) => return Ok((child, hello)),
        Ok((id, reply)) => Trouble::Protocol(format!(
            "unexpected reply to `hello`: `{}` (id {id})",
            reply.name()
        )),
        Err(trouble) => trouble,
    };
    let status = child.end(&trouble).status;
    let log = match child.log_text() {
        log if log.is_empty() => log,
        log => format!("; its log ends with:\n{log}"),
    };
    let arrived = child.arrived();
    Err(match trouble {
        Trouble::Ended => options.start_error(format!(
            "ended before the handshake ({status}){}{log}",
            arrived.map_or_else(String::new, |arrived| format!("; {arrived}"))
        )),
        Trouble::TooLarge(bytes) => {
            let mib = bytes >> 20;
            options.start_error(format!("has {mib} MiB resident before the handshake{log}"))
        }
        Trouble::TimedOut(limit) => options.start_error(format!(
            "did not answer `hello` within {limit:?}; {}{log}",
            arrived
                .as_deref()
                .unwrap_or("if it wrote a reply, it may not have flushed its standard output")
        )),
        Trouble::Stopped => options.stopped_error(),
        Trouble::Protocol(what) => options.protocol_error(format!("{what}{log}")),
    })
}
