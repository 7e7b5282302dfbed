//! Keeping a child running: starting it with `hello`, restarting it, and turning its end into an outcome.

use super::child::{Child, ChildEnd, Exit, FAREWELL};
use super::options::ProcessOptions;
use super::pipeline::{Negotiated, Pipeline};
use crate::backend::interface::contradiction;
use crate::backend::wire::{self, Answer, Hello, Identity, Reply};
use crate::error::Error;
use crate::event::{AFTER_THE_LAST, TOO_MUCH};
use crate::semantics::outcome::{Outcome, ProcessFailure};
use std::time::{Duration, Instant};

/// The waits before each attempt to restart the child.
const BACK_OFF: [Duration; 3] = [
    Duration::ZERO,
    Duration::from_millis(200),
    Duration::from_secs(1),
];

/// The interval between two checks, during such a wait, whether the run was stopped.
const STOP_INTERVAL: Duration = Duration::from_millis(50);

/// An adapter's child process, across its restarts.
#[derive(Debug)]
pub(super) struct Supervisor {
    pub(super) options: ProcessOptions,
    /// From the first handshake; the handshakes of restarts do not change them.
    terms: Negotiated,
    /// What the first handshake states about the backend.
    first: Identity,
    /// `None` while no child is running.
    pipeline: Option<Pipeline>,
    /// Why no child can run any more; `None` as long as one can.
    pub(super) gone: Option<String>,
}

impl Supervisor {
    pub(super) fn new(options: ProcessOptions, child: Child, hello: &Hello) -> Self {
        let terms = Negotiated {
            interface: hello.interface(),
            window: usize::try_from(hello.window.unwrap_or(1)).unwrap_or(usize::MAX),
            timeout: options.timeout,
        };
        Self {
            options,
            terms,
            first: hello.backend.clone(),
            gone: None,
            pipeline: Some(Pipeline::new(child, terms)),
        }
    }

    /// The running child, restarted if necessary. `None` if the run was stopped, or if it does not restart.
    pub(super) fn running(&mut self) -> Option<&mut Pipeline> {
        if self.options.is_stopped() {
            self.pipeline = None;
        } else if self.pipeline.is_none() && self.gone.is_none() {
            self.restart();
        }
        self.pipeline.as_mut()
    }

    /// Restarts the child, or notes why it is gone.
    fn restart(&mut self) {
        let mut last = String::new();
        for wait in BACK_OFF {
            self.pause(wait);
            if self.options.is_stopped() {
                return;
            }
            match start(&self.options) {
                Ok((child, hello, _)) => {
                    let (first, now) = (&self.first, &hello.backend);
                    self.gone =
                        contradiction((&first.name, &first.version), (&now.name, &now.version));
                    let pipeline = Pipeline::new(child, self.terms);
                    self.pipeline = Some(pipeline).filter(|_| self.gone.is_none());
                    return;
                }
                Err(error) => last = error.to_string(),
            }
        }
        if !self.options.is_stopped() {
            self.gone = Some(format!("did not restart: {last}"));
        }
    }

    /// Waits for this time, or until the run is stopped.
    fn pause(&self, wait: Duration) {
        let end = Instant::now() + wait;
        while !self.options.is_stopped() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(STOP_INTERVAL));
        }
    }

    /// Ends the child, and turns its end into an outcome; `None` if the run was stopped.
    pub(super) fn end(&mut self, end_reason: &ChildEnd) -> Option<Outcome> {
        let Some(pipeline) = self.pipeline.take() else {
            return Some(Outcome::Crashed(ProcessFailure::without_log("not running")));
        };
        let mut child = pipeline.child;
        let Exit { status, hung, .. } = child.end(end_reason);
        let failure = |what| ProcessFailure {
            what,
            log: child.log.text(),
        };
        Some(match end_reason {
            ChildEnd::Ended => Outcome::Crashed(failure(match hung {
                true => format!("closed its standard output without an answer ({status})"),
                false => format!("ended without an answer ({status})"),
            })),
            ChildEnd::TimedOut(limit) => {
                Outcome::TimedOut(failure(format!("no answer within {limit:?}; killed")))
            }
            ChildEnd::TooLarge(bytes) => {
                let limit = self.options.memory.unwrap_or_default() >> 20;
                let mib = bytes >> 20;
                let what = format!("used {mib} MiB, {TOO_MUCH} of {limit} MiB; killed");
                Outcome::OutOfMemory(failure(what))
            }
            ChildEnd::Protocol(what) => Outcome::ProtocolError(failure(what.clone())),
            ChildEnd::Stopped => return None,
        })
    }

    /// Sends `bye` and ends the child. Returns its failure if it ended unsuccessfully, or not by itself.
    pub(super) fn finish(&mut self) -> Option<ProcessFailure> {
        let mut pipeline = self.pipeline.take()?;
        pipeline.bye();
        let mut child = pipeline.child;
        let exit = child.finish(FAREWELL);
        let what = match (exit.failed, exit.hung) {
            (true, _) => format!("ended {AFTER_THE_LAST} ({})", exit.status),
            (false, true) => format!("did not end within {FAREWELL:?} of `bye`; killed"),
            (false, false) => return None,
        };
        let log = child.log.text();
        Some(ProcessFailure { what, log })
    }

    /// Sends `bye`, waits for the reply and ends the child, which is started again if necessary. Returns its exit
    /// status in words. Fails when the child was not running, or did not answer correctly.
    pub(super) fn farewell(&mut self) -> Result<String, String> {
        self.running();
        let gone = || self.gone.clone().unwrap_or_default();
        let mut pipeline = self.pipeline.take().ok_or_else(gone)?;
        let id = pipeline.bye();
        let reply = pipeline.receive();
        let releases = pipeline.releasing.len();
        let status = pipeline.child.finish(FAREWELL).status;
        match reply {
            Ok(_) if releases > 0 => Err(format!(
                "no answer to {releases} `release` messages ({status})"
            )),
            Ok(answer) if answer.id == id && matches!(answer.reply, Reply::Bye) => Ok(status),
            Ok(answer) => Err(answer.unexpected("bye")),
            Err(_) => Err(format!("no answer to `bye` ({status})")),
        }
    }
}

/// The id of `hello`.
const HELLO_ID: u64 = 0;

/// Starts a child and exchanges `hello`. Does not judge what the reply declares. Also gives its fields that nothing reads.
pub(super) fn start(options: &ProcessOptions) -> Result<(Child, Hello, Vec<String>), Error> {
    let mut child = Child::start(options).map_err(|what| options.start_error(what))?;
    child.send(HELLO_ID, wire::hello(HELLO_ID, options.most_payload));
    let reply = child.receive(options.handshake_timeout);
    let reply = reply.and_then(|frame| Answer::read(frame).map_err(ChildEnd::Protocol));
    let end_reason = match reply {
        Ok(Answer {
            id: HELLO_ID,
            reply: Reply::Hello(hello),
            unread,
            ..
        }) => return Ok((child, *hello, unread)),
        Ok(answer) => ChildEnd::Protocol(answer.unexpected("hello")),
        Err(end_reason) => end_reason,
    };
    let status = child.end(&end_reason).status;
    let log = match child.log.text() {
        log if log.is_empty() => log,
        log => format!("; its log ends with:\n{log}"),
    };
    let arrived = child.first_bytes.describe();
    Err(match end_reason {
        ChildEnd::Ended => options.start_error(format!(
            "ended before the handshake ({status}){}{log}",
            arrived.map_or_else(String::new, |arrived| format!("; {arrived}"))
        )),
        ChildEnd::TooLarge(bytes) => {
            let mib = bytes >> 20;
            options.start_error(format!("has {mib} MiB resident before the handshake{log}"))
        }
        ChildEnd::TimedOut(limit) => options.start_error(format!(
            "did not answer `hello` within {limit:?}; {}{log}",
            arrived
                .as_deref()
                .unwrap_or("if it wrote a reply, it may not have flushed its standard output")
        )),
        ChildEnd::Stopped => {
            Error::Incomplete(format!("{}: stopped in its handshake", options.label))
        }
        ChildEnd::Protocol(what) => options.protocol_error(format!("{what}{log}")),
    })
}
