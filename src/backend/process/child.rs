//! One child process: bytes to it, frames from it, its resources, its log, and its end.

use super::log::{FirstBytes, Log, Watched};
use super::options::ProcessOptions;
use super::resources::Resources;
use crate::backend::wire::{Frame, FrameFault, Message, Sent, read_frame};
use crate::error::Error;
use crate::event::MemoryRecord;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
#[cfg(unix)]
use process_wrap::std::ProcessGroup;
use process_wrap::std::{ChildWrapper, CommandWrap};
use std::io::{BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// The longest wait. An `Instant` may be unable to represent a later deadline.
const MAX_TIMEOUT: Duration = Duration::from_secs(10 * 365 * 24 * 3600);
/// The time that a child which is ending by itself has before it is killed.
const GRACE: Duration = Duration::from_secs(2);
/// The time that a child has to end after `bye` before it is killed.
pub(super) const FAREWELL: Duration = Duration::from_secs(10);
/// The interval between two checks whether an ending child has ended.
const EXIT_INTERVAL: Duration = Duration::from_millis(2);
/// The interval between two checks of a child during a wait: whether it was stopped, and its memory.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
/// The size of a pipe, in bytes, if the system allows it. With 64 KiB both sides wait sixteen times as often.
#[cfg(target_os = "linux")]
const PIPE: i32 = 1 << 20;
/// The most messages from the child in the queue.
const INCOMING: usize = 64;

/// A child process with a thread for each of its streams, so that a full pipe never blocks both sides. Dropping it
/// always kills its process group.
#[derive(Debug)]
pub(super) struct Child {
    process: Box<dyn ChildWrapper>,
    /// `None` once standard input is closed.
    outgoing: Option<Sender<Message>>,
    sent: Sent,
    incoming: Receiver<Result<Frame, FrameFault>>,
    pub(super) first_bytes: FirstBytes,
    pub(super) log: Log,
    pub(super) resources: Resources,
    /// The memory that the processes of this backend used, updated when they end.
    memory_used: Arc<Mutex<Option<MemoryRecord>>>,
    /// Set from outside when it must end immediately.
    stop: Arc<AtomicBool>,
    /// Whether it has ended, and its process group has been killed.
    ended: bool,
}

/// Why a child can no longer be used.
#[derive(Debug)]
pub(super) enum ChildEnd {
    /// Its output ended.
    Ended,
    /// It did not answer within this time.
    TimedOut(Duration),
    /// It and the processes that it started have this many bytes resident, more than its limit.
    TooLarge(u64),
    /// It broke the protocol; the text describes how.
    Protocol(String),
    /// It is not at fault: the user stopped the run.
    Stopped,
}

/// How a child ended.
#[derive(Debug)]
pub(super) struct Exit {
    /// The exit status in words.
    pub status: String,
    /// Whether it ended unsuccessfully before it was killed.
    pub failed: bool,
    /// Whether it was killed because it did not end in time, and not because the run was stopped.
    pub hung: bool,
}

impl Child {
    /// Starts the program in its own process group. The error describes what failed.
    pub(super) fn start(options: &ProcessOptions) -> Result<Self, String> {
        let words = options.command.split_first();
        let (program, arguments) = words.ok_or("has an empty command")?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .envs(&options.environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(folder) = &options.folder {
            command.current_dir(folder);
        }
        let mut command = CommandWrap::from(command);
        // The processes that it starts end with it.
        #[cfg(unix)]
        command.wrap(ProcessGroup::leader());
        let process = command.spawn();
        let mut process = process.map_err(|error| format!("did not start: {program}: {error}"))?;
        let (stdin, stdout) = (process.stdin().take(), process.stdout().take());
        let stderr = process.stderr().take();
        let (outgoing, messages) = unbounded();
        let (frames, incoming) = bounded(INCOMING);
        let child = Self {
            resources: Resources::new(process.id(), options.memory),
            memory_used: Arc::clone(&options.memory_used),
            process,
            outgoing: Some(outgoing),
            sent: Sent::default(),
            incoming,
            first_bytes: FirstBytes::default(),
            log: Log::default(),
            stop: Arc::clone(&options.stop),
            ended: false,
        };
        // If the system refuses one of the threads, dropping these values ends the child.
        let no_thread = |why| format!("did not start: {}", Error::no_thread(&why));
        let start = |work: Box<dyn FnOnce() + Send>| Builder::new().spawn(work).map_err(no_thread);
        if let Some(stdin) = stdin {
            widen(&stdin);
            start(Box::new(move || write_all(stdin, &messages)))?;
        }
        if let Some(stream) = stdout {
            widen(&stream);
            let seen = child.first_bytes.clone();
            let stdout = Watched { stream, seen };
            let (most, sent) = (options.most_payload, child.sent.clone());
            start(Box::new(move || read_all(stdout, most, &sent, &frames)))?;
        }
        if let Some(stderr) = stderr {
            let log = child.log.clone();
            start(Box::new(move || log.read(BufReader::new(stderr))))?;
        }
        Ok(child)
    }

    /// Sends the request with this id. Never waits; [`Child::receive`] waits, with its deadline. Reports nothing if the
    /// child is gone, because [`Child::receive`] does.
    pub(super) fn send(&self, id: u64, message: Message) {
        if let Some(outgoing) = &self.outgoing {
            self.sent.note(id, &message);
            let _ = outgoing.send(message);
        }
    }

    /// The number of messages that wait because the child does not read.
    pub(super) fn unsent(&self) -> usize {
        self.outgoing.as_ref().map_or(0, Sender::len)
    }

    /// Waits for the next frame. Meanwhile it checks the child's memory, and whether it must end immediately.
    pub(super) fn receive(&mut self, timeout: Duration) -> Result<Frame, ChildEnd> {
        let timeout = timeout.min(MAX_TIMEOUT);
        let deadline = Instant::now() + timeout;
        loop {
            if self.is_stopped() {
                return Err(ChildEnd::Stopped);
            }
            if let Some(bytes) = self.resources.excess() {
                return Err(ChildEnd::TooLarge(bytes));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let wait = left.min(LOOK_INTERVAL);
            match self.incoming.recv_timeout(wait) {
                Ok(Ok(frame)) => return Ok(frame),
                Ok(Err(FrameFault::Malformed(what))) => return Err(ChildEnd::Protocol(what)),
                Ok(Err(FrameFault::End)) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(ChildEnd::Ended);
                }
                Err(RecvTimeoutError::Timeout) if wait < left => {}
                Err(RecvTimeoutError::Timeout) => return Err(ChildEnd::TimedOut(timeout)),
            }
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Ends the child: waits first if it is ending by itself, then kills its process group.
    pub(super) fn end(&mut self, end_reason: &ChildEnd) -> Exit {
        match end_reason {
            ChildEnd::Ended => self.finish(GRACE),
            ChildEnd::TimedOut(_)
            | ChildEnd::TooLarge(_)
            | ChildEnd::Protocol(_)
            | ChildEnd::Stopped => self.finish(Duration::ZERO),
        }
    }

    /// Closes the child's input, waits at most `grace` for it to end (not at all if it must end immediately), and kills
    /// the rest of its process group.
    pub(super) fn finish(&mut self, grace: Duration) -> Exit {
        self.ended = true;
        self.outgoing = None;
        if let Ok(mut used) = self.memory_used.lock() {
            *used = MemoryRecord::of_all(used.take().into_iter().chain(self.resources.used()));
        }
        let deadline = Instant::now() + grace;
        let mut status = None;
        loop {
            if let Ok(Some(ended)) = self.process.try_wait() {
                status = Some(ended);
            }
            if status.is_some() || Instant::now() >= deadline || self.is_stopped() {
                break;
            }
            std::thread::sleep(EXIT_INTERVAL);
        }
        // Processes that the child started may run on after its end.
        let _ = self.process.start_kill();
        let failed = status.is_some_and(|status| !status.success());
        let hung = status.is_none() && !self.is_stopped();
        let killed = format!("still running {grace:?} later; killed by the runner");
        let status = status.or_else(|| self.process.wait().ok());
        Exit {
            status: match status {
                _ if hung => killed,
                Some(status) => status.to_string(),
                None => "status unknown".to_owned(),
            },
            failed,
            hung,
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if !self.ended {
            self.finish(Duration::ZERO);
        }
    }
}

/// Enlarges a pipe, if the system allows it.
#[cfg(target_os = "linux")]
fn widen(pipe: &impl std::os::fd::AsFd) {
    let _ = nix::fcntl::fcntl(pipe, nix::fcntl::FcntlArg::F_SETPIPE_SZ(PIPE));
}

#[cfg(not(target_os = "linux"))]
fn widen<T>(_pipe: &T) {}

/// Writes messages until the queue is closed or the child is gone.
fn write_all(mut stdin: impl Write, messages: &Receiver<Message>) {
    for message in messages {
        if message.write(&mut stdin).is_err() {
            return;
        }
    }
}

/// Reads frames until the first fault, which it passes on, or until nobody receives them.
fn read_all(stdout: impl Read, most: u64, sent: &Sent, frames: &Sender<Result<Frame, FrameFault>>) {
    let mut stdout = BufReader::with_capacity(1 << 16, stdout);
    loop {
        let frame = read_frame(&mut stdout, most, sent);
        let last = frame.is_err();
        if frames.send(frame).is_err() || last {
            return;
        }
    }
}
