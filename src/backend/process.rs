//! A backend in a process of its own. The only room that spawns.
//!
//! Whatever the child does (it crashes, hangs, writes garbage, ends in mid-reply), every call ends with exactly one
//! outcome: what was under way when it went wrong is suspect, and each suspect is tried again alone.

use super::wire::{self, FrameFault, Hello, Reply};
use super::{About, Backend, Supports, UnattributedFailures};
use crate::error::Error;
use crate::spec::operator::Binding;
use crate::spec::outcome::{Outcome, Phase, ProcessFailure, ShapePattern};
use crate::spec::request::{Call, Model, Request};
use crossbeam_channel::{Receiver, Sender, bounded};
use process_wrap::std::{ChildWrapper, CommandWrap, ProcessGroup};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How to start an adapter.
#[derive(Debug, Clone)]
pub struct ProcessOptions {
    /// What to call it in messages.
    pub label: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Environment variables to add.
    pub environment: BTreeMap<String, String>,
    /// The folder to start it in; this process's own if `None`.
    pub folder: Option<PathBuf>,
    /// How long to wait for one reply.
    pub timeout: Duration,
    /// The most bytes of memory it may have resident (where the system tells); `None` for no limit.
    pub memory: Option<u64>,
    /// What the manifest says it can do, for the handshake to agree with.
    pub manifest: Option<Supports>,
}

impl ProcessOptions {
    /// A command without a manifest, started where this process is.
    #[must_use]
    pub fn new(label: &str, command: Vec<String>, timeout: Duration) -> Self {
        let (label, environment) = (label.to_owned(), BTreeMap::new());
        Self {
            label,
            command,
            environment,
            folder: None,
            timeout,
            memory: None,
            manifest: None,
        }
    }
}

/// The longest that anything is waited for: longer than that no clock can tell.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 3600);
/// How long to wait for the handshake: importing a large framework takes its time.
const HANDSHAKE: Duration = Duration::from_secs(120);
/// How long to wait for an orderly end.
const FAREWELL: Duration = Duration::from_secs(2);
/// The waits before each attempt to start it again.
const BACK_OFF: [Duration; 3] = [
    Duration::ZERO,
    Duration::from_millis(200),
    Duration::from_secs(1),
];
/// How often a child's memory is looked at.
const MEMORY_LOOK: Duration = Duration::from_millis(50);
/// Log lines kept, and how long each may be.
const LOG_LINES: usize = 20;
const LOG_LINE: usize = 400;

/// A child process that speaks the protocol.
#[derive(Debug)]
pub struct ProcessBackend {
    options: ProcessOptions,
    running: Option<Running>,
    hello: Hello,
    supports: Supports,
    next_id: u64,
    /// The request whose model is to be compiled as soon as the last run of the model before is on its way.
    announced: Option<(Request, Binding)>,
    /// What went wrong, and did not in a fresh child.
    unattributed: UnattributedFailures,
}

/// A child that has shaken hands.
#[derive(Debug)]
struct Running {
    child: Box<dyn ChildWrapper>,
    to_child: Option<Sender<Vec<u8>>>,
    from_child: Receiver<Result<wire::Frame, FrameFault>>,
    log: Arc<Mutex<VecDeque<String>>>,
    /// The ids of releases that have not been answered.
    releasing: BTreeSet<u64>,
    /// The compilation that was sent ahead: its id, its model, and its reply if that has come.
    ahead: Option<(u64, Model, Option<Reply>)>,
    /// Messages that go with the next one.
    held: Vec<u8>,
    /// Whether it has been asked anything since the handshake.
    used: bool,
    /// When its memory was last looked at.
    looked: Instant,
}

/// Why a child is of no use any more.
#[derive(Debug)]
enum Trouble {
    Ended,
    Silent(Duration),
    /// It has so many bytes resident.
    TooLarge(u64),
    Bad(String),
}

impl ProcessBackend {
    /// Starts the adapter and shakes hands.
    ///
    /// # Errors
    /// When it does not start, or does not say what the protocol and its manifest want.
    pub fn start(options: ProcessOptions) -> Result<Self, Error> {
        let (running, hello) = Running::start(&options)?;
        let protocol = |what| Error::Protocol {
            adapter: options.label.clone(),
            what,
        };
        if hello.protocol != wire::VERSION {
            return Err(protocol(format!(
                "it wants protocol {}, this runner speaks {}",
                hello.protocol,
                wire::VERSION
            )));
        }
        let supports = hello.supports().map_err(protocol)?;
        if let Some(manifest) = &options.manifest
            && let Some(difference) = manifest.difference(&supports)
        {
            let what =
                format!("says in its handshake something else than in its manifest: {difference}");
            return Err(Error::AdapterStart {
                adapter: options.label.clone(),
                what,
            });
        }
        // The manifest may be narrower in ways the handshake does not speak of.
        let supports = options.manifest.clone().unwrap_or(supports);
        Ok(Self {
            options,
            running: Some(running),
            hello,
            supports,
            next_id: 1,
            announced: None,
            unattributed: UnattributedFailures::default(),
        })
    }

    /// Whether it only infers shapes.
    #[must_use]
    pub fn infers_only(&self) -> bool {
        self.hello.infer_only
    }

    /// Says goodbye, and how it ended.
    ///
    /// # Errors
    /// When it was not running any more, or did not answer.
    pub fn farewell(mut self) -> Result<String, String> {
        let id = self.id();
        self.send(wire::bye(id));
        let reply = self.receive();
        let mut running = self.running.take().ok_or("it was not running any more")?;
        let (status, _) = running.stop(true);
        match reply {
            Ok((answered, Reply::Bye)) if answered == id => Ok(status),
            Ok((_, other)) => Err(format!("it answered bye with {}", name(&other))),
            Err(_) => Err(format!("no answer to bye ({status})")),
        }
    }

    fn id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    fn send(&mut self, mut bytes: Vec<u8>) {
        let Some(running) = &mut self.running else {
            return;
        };
        if !running.held.is_empty() {
            bytes.splice(..0, running.held.drain(..));
        }
        // A child that is gone shows when its reply is awaited.
        if let Some(to_child) = &running.to_child {
            let _ = to_child.send(bytes);
        }
    }

    /// The next reply that somebody waits for: nobody waits for a release.
    fn receive(&mut self) -> Result<(u64, Reply), Trouble> {
        let Some(running) = &mut self.running else {
            return Err(Trouble::Ended);
        };
        loop {
            match running.receive(self.options.timeout, self.options.memory)? {
                (id, Reply::Released) if running.releasing.remove(&id) => {}
                other => return Ok(other),
            }
        }
    }

    /// Starts the child again if it is gone; says why if it does not come back.
    fn revive(&mut self) -> Result<(), ProcessFailure> {
        if self.running.is_some() {
            return Ok(());
        }
        let mut last = String::new();
        for wait in BACK_OFF {
            std::thread::sleep(wait);
            match Running::start(&self.options) {
                Ok((running, _)) => {
                    self.running = Some(running);
                    return Ok(());
                }
                Err(error) => last = error.to_string(),
            }
        }
        Err(ProcessFailure {
            what: format!("did not start again: {last}"),
            log: String::new(),
        })
    }

    /// Ends the child and says what its trouble amounts to.
    fn end(&mut self, trouble: &Trouble) -> Outcome {
        let Some(mut running) = self.running.take() else {
            return Outcome::Crashed(ProcessFailure {
                what: "not running".to_owned(),
                log: String::new(),
            });
        };
        let (status, _) = running.stop(matches!(trouble, Trouble::Ended));
        let misfortune = |what| ProcessFailure {
            what,
            log: running.log_text(),
        };
        match trouble {
            Trouble::Ended => {
                Outcome::Crashed(misfortune(format!("ended without an answer ({status})")))
            }
            Trouble::Silent(limit) => {
                Outcome::TimedOut(misfortune(format!("no answer within {limit:?}; killed")))
            }
            Trouble::TooLarge(bytes) => Outcome::OutOfMemory(misfortune(format!(
                "has {} MiB resident; killed",
                bytes >> 20
            ))),
            Trouble::Bad(what) => Outcome::ProtocolError(misfortune(what.clone())),
        }
    }

    /// Sends the announced compilation, so that the child has work while its last reply is judged.
    fn compile_ahead(&mut self, under_way: usize) {
        if under_way >= self.hello.window {
            return;
        }
        let Some((request, binding)) = self.announced.take() else {
            return;
        };
        let id = self.id();
        // What cannot be said is found out again when its turn comes.
        if let (Ok(bytes), Some(running)) = (
            wire::compile(id, &request, binding, self.hello.model),
            &mut self.running,
        ) {
            running.ahead = Some((id, Model::of(&request, binding), None));
            self.send(bytes);
        }
    }

    /// The reply to the compilation sent ahead, if it is of this call's model; any other is released.
    fn compiled_ahead(&mut self, call: &Call<'_>) -> Result<Option<Reply>, Trouble> {
        let ahead = self
            .running
            .as_mut()
            .and_then(|running| running.ahead.take());
        let Some((id, model, reply)) = ahead else {
            return Ok(None);
        };
        let reply = match reply {
            Some(reply) => reply,
            None => self.reply_to(id)?,
        };
        if model == Model::of(call.request, call.binding) {
            return Ok(Some(reply));
        }
        if let Reply::Compiled { handle, .. } = reply {
            self.release(handle);
        }
        Ok(None)
    }

    fn reply_to(&mut self, id: u64) -> Result<Reply, Trouble> {
        let (replied, reply) = self.receive()?;
        let stray = || {
            Trouble::Bad(format!(
                "a reply to {replied}, which is not under way (only {id} is)"
            ))
        };
        if replied == id {
            Ok(reply)
        } else {
            Err(stray())
        }
    }

    /// Nobody waits for a release, so it goes with the next message: a wake-up less on either side.
    fn release(&mut self, handle: u64) {
        let id = self.id();
        if let Some(running) = &mut self.running {
            running.releasing.insert(id);
            running.held.extend(wire::release(id, handle));
        }
    }

    /// Compiles the calls' model.
    fn compile(&mut self, call: &Call<'_>) -> Result<Compiled, Trouble> {
        if let Some(running) = &mut self.running {
            running.used = true;
        }
        let reply = match self.compiled_ahead(call)? {
            Some(reply) => reply,
            None => {
                let id = self.id();
                match wire::compile(id, call.request, call.binding, self.hello.model) {
                    Ok(bytes) => self.send(bytes),
                    Err(why) => return Ok(Compiled::No(Outcome::Unsupported(why))),
                }
                self.reply_to(id)?
            }
        };
        match reply {
            Reply::Compiled {
                handle,
                output_shape,
            } => Ok(Compiled::Yes {
                handle,
                output_shape,
            }),
            Reply::Rejected(message) => Ok(Compiled::No(Outcome::Rejected {
                phase: Phase::Compile,
                message,
            })),
            Reply::Unsupported(message) => Ok(Compiled::No(Outcome::Unsupported(message))),
            other => Err(Trouble::Bad(format!(
                "an answer to compile that is none: {}",
                name(&other)
            ))),
        }
    }

    /// Runs the calls at these indices on one compiled model; on trouble, leaves in `open` what has no outcome, those
    /// under way first, and says who is suspect.
    fn run(
        &mut self,
        calls: &[Call<'_>],
        open: &mut VecDeque<usize>,
        done: &mut dyn FnMut(usize, Outcome),
    ) -> Result<(), (Trouble, Suspects)> {
        let Some(first) = open.front().copied() else {
            return Ok(());
        };
        let (handle, inferred) = match self
            .compile(&calls[first])
            .map_err(|trouble| (trouble, Suspects::Compilation))?
        {
            Compiled::Yes {
                handle,
                output_shape,
            } => (handle, output_shape),
            Compiled::No(outcome) => {
                open.drain(..)
                    .for_each(|index| done(index, outcome.clone()));
                return Ok(());
            }
        };
        if self.hello.infer_only {
            open.drain(..)
                .for_each(|index| done(index, Outcome::Inferred(inferred.clone())));
        }
        let mut under_way: BTreeMap<u64, usize> = BTreeMap::new();
        while !open.is_empty() || !under_way.is_empty() {
            while under_way.len() < self.hello.window.max(1)
                && let Some(index) = open.pop_front()
            {
                let id = self.id();
                under_way.insert(id, index);
                self.send(wire::run(id, handle, &calls[index]));
            }
            if open.is_empty() {
                self.compile_ahead(under_way.len());
            }
            match self.run_reply(&mut under_way, inferred.as_ref()) {
                Ok(Some((index, outcome))) => done(index, outcome),
                Ok(None) => {}
                Err(trouble) => {
                    let count = under_way.len();
                    let alone = count == 1
                        && self
                            .running
                            .as_ref()
                            .is_none_or(|running| running.ahead.is_none());
                    under_way
                        .into_values()
                        .rev()
                        .for_each(|index| open.push_front(index));
                    return Err((
                        trouble,
                        if alone {
                            Suspects::Run
                        } else {
                            Suspects::Runs(count)
                        },
                    ));
                }
            }
        }
        self.release(handle);
        Ok(())
    }

    /// One run's outcome; nothing if the reply was to the compilation sent ahead.
    fn run_reply(
        &mut self,
        under_way: &mut BTreeMap<u64, usize>,
        inferred: Option<&ShapePattern>,
    ) -> Result<Option<(usize, Outcome)>, Trouble> {
        let (id, reply) = self.receive()?;
        if let Some((ahead, _, kept @ None)) = self
            .running
            .as_mut()
            .and_then(|running| running.ahead.as_mut())
            && *ahead == id
        {
            *kept = Some(reply);
            return Ok(None);
        }
        let Some(index) = under_way.get(&id).copied() else {
            return Err(Trouble::Bad(format!(
                "a reply to {id}, which is not under way"
            )));
        };
        let outcome = match reply {
            Reply::Reshaped(output) => Outcome::Reshaped {
                output,
                inferred: inferred.cloned(),
            },
            Reply::Rejected(message) => Outcome::Rejected {
                phase: Phase::Run,
                message,
            },
            Reply::Unsupported(message) => Outcome::Unsupported(message),
            other => {
                return Err(Trouble::Bad(format!(
                    "an answer to run that is none: {}",
                    name(&other)
                )));
            }
        };
        under_way.remove(&id);
        Ok(Some((index, outcome)))
    }

    /// Notes what a fresh child did not do again.
    fn note_unattributed(&mut self, outcome: Option<Outcome>) {
        if let Some(misfortune) = outcome.as_ref().and_then(Outcome::process_failure) {
            self.unattributed.add(misfortune.clone());
        }
    }

    /// Runs one call alone; if it goes wrong, once more in a child that has done nothing else.
    fn alone(&mut self, call: &Call<'_>) -> Outcome {
        let mut before = None;
        loop {
            if let Err(misfortune) = self.revive() {
                return Outcome::Crashed(misfortune);
            }
            let used = self.running.as_ref().is_some_and(|running| running.used);
            let mut result = None;
            let mut open = VecDeque::from([0]);
            let ran = self.run(std::slice::from_ref(call), &mut open, &mut |_, outcome| {
                result = Some(outcome)
            });
            match (ran, result) {
                (_, Some(outcome)) => {
                    self.note_unattributed(before);
                    return outcome;
                }
                (Err((trouble, _)), None) => {
                    let outcome = self.end(&trouble);
                    if !used {
                        return outcome;
                    }
                    before = Some(outcome);
                }
                (Ok(()), None) => return self.end(&Trouble::Bad("no answer".to_owned())),
            }
        }
    }
}

/// Who may have done it.
enum Suspects {
    Compilation,
    /// The one run that was under way.
    Run,
    /// So many runs that were under way, or one beside a compilation sent ahead.
    Runs(usize),
}

/// The answer to a compilation.
enum Compiled {
    Yes {
        handle: u64,
        output_shape: Option<ShapePattern>,
    },
    No(Outcome),
}

impl Backend for ProcessBackend {
    fn about(&self) -> About {
        let wire::HelloBackend { name, version } = &self.hello.backend;
        About {
            name: name.clone(),
            version: version.clone(),
            supports: self.supports.clone(),
        }
    }

    fn reshape(&mut self, call: &Call<'_>) -> Outcome {
        self.alone(call)
    }

    fn announce(&mut self, next: &Request, binding: Binding) {
        self.announced = Some((next.clone(), binding));
    }

    fn reshape_all(&mut self, calls: &[Call<'_>], done: &mut dyn FnMut(usize, Outcome)) {
        let mut open: VecDeque<usize> = (0..calls.len()).collect();
        let mut before = None;
        while !open.is_empty() {
            if let Err(misfortune) = self.revive() {
                open.drain(..)
                    .for_each(|index| done(index, Outcome::Crashed(misfortune.clone())));
                return;
            }
            let used = self.running.as_ref().is_some_and(|running| running.used);
            let ran = self.run(calls, &mut open, done);
            if !matches!(ran, Err((_, Suspects::Compilation))) {
                self.note_unattributed(before.take());
            }
            let Err((trouble, suspects)) = ran else {
                continue;
            };
            let outcome = self.end(&trouble);
            match suspects {
                // What the child did before may show only now (a release that crashes it, a reply too many): the
                // compilation is tried again in a child that has done nothing else.
                Suspects::Compilation if used => before = Some(outcome),
                // It is the same compilation for all that are left.
                Suspects::Compilation => open
                    .drain(..)
                    .for_each(|index| done(index, outcome.clone())),
                Suspects::Run => open
                    .pop_front()
                    .into_iter()
                    .for_each(|index| done(index, outcome.clone())),
                Suspects::Runs(several) => {
                    let mut again = false;
                    for index in open.drain(..several).collect::<Vec<_>>() {
                        let alone = self.alone(&calls[index]);
                        again |= alone.process_failure().is_some();
                        done(index, alone);
                    }
                    self.note_unattributed(Some(outcome).filter(|_| !again));
                }
            }
        }
    }

    fn finish(&mut self) -> UnattributedFailures {
        let id = self.id();
        self.send(wire::bye(id));
        if let Some(mut running) = self.running.take() {
            let (status, badly) = running.stop(true);
            if badly {
                self.unattributed.add(ProcessFailure {
                    what: format!("ended after its last trial ({status})"),
                    log: running.log_text(),
                });
            }
        }
        std::mem::take(&mut self.unattributed)
    }
}

impl Drop for ProcessBackend {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Running {
    fn start(options: &ProcessOptions) -> Result<(Self, Hello), Error> {
        let failed = |what| Error::AdapterStart {
            adapter: options.label.clone(),
            what,
        };
        let (program, arguments) = options
            .command
            .split_first()
            .ok_or_else(|| failed("has an empty command".to_owned()))?;
        let mut command = Command::new(program);
        command.args(arguments).envs(&options.environment);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(folder) = &options.folder {
            command.current_dir(folder);
        }
        let mut command = CommandWrap::from(command);
        command.wrap(ProcessGroup::leader());
        let child = command
            .spawn()
            .map_err(|error| failed(format!("did not start: {program}: {error}")))?;
        let mut running = Self::connect(child);
        if let Some(to_child) = &running.to_child {
            let _ = to_child.send(wire::hello(0));
        }
        match running.receive(HANDSHAKE.max(options.timeout), options.memory) {
            Ok((0, Reply::Hello(hello))) => Ok((running, hello)),
            Ok((id, reply)) => {
                running.stop(false);
                let what = format!("answered hello with {} (id {id})", name(&reply));
                Err(Error::Protocol {
                    adapter: options.label.clone(),
                    what,
                })
            }
            Err(trouble) => {
                let (status, _) = running.stop(matches!(trouble, Trouble::Ended));
                let log = running.log_text();
                let log = if log.is_empty() {
                    String::new()
                } else {
                    format!("; its last words:\n{log}")
                };
                Err(match trouble {
                    Trouble::Ended => failed(format!("ended before the handshake ({status}){log}")),
                    Trouble::TooLarge(bytes) => failed(format!(
                        "has {} MiB resident before the handshake{log}",
                        bytes >> 20
                    )),
                    Trouble::Silent(limit) => failed(format!(
                        "did not answer the handshake within {limit:?}{log}"
                    )),
                    Trouble::Bad(what) => Error::Protocol {
                        adapter: options.label.clone(),
                        what: format!("{what}{log}"),
                    },
                })
            }
        }
    }

    /// Puts a thread on each of the child's streams, so that no pipe that is full can stop both sides.
    fn connect(mut child: Box<dyn ChildWrapper>) -> Self {
        let (to_child, messages) = bounded::<Vec<u8>>(4);
        if let Some(mut stdin) = child.stdin().take() {
            std::thread::spawn(move || {
                for message in messages {
                    if stdin
                        .write_all(&message)
                        .and_then(|()| stdin.flush())
                        .is_err()
                    {
                        return;
                    }
                }
            });
        }
        let (frames, from_child) = bounded(64);
        if let Some(stdout) = child.stdout().take() {
            std::thread::spawn(move || {
                let mut input = BufReader::with_capacity(1 << 16, stdout);
                loop {
                    let frame = wire::read_frame(&mut input);
                    let last = frame.is_err();
                    if frames.send(frame).is_err() || last {
                        return;
                    }
                }
            });
        }
        let log = Arc::new(Mutex::new(VecDeque::new()));
        if let Some(stderr) = child.stderr().take() {
            let log = Arc::clone(&log);
            std::thread::spawn(move || keep_log(BufReader::new(stderr), &log));
        }
        Self {
            child,
            to_child: Some(to_child),
            from_child,
            log,
            releasing: BTreeSet::new(),
            ahead: None,
            held: Vec::new(),
            used: false,
            looked: Instant::now(),
        }
    }

    /// Waits for a reply, and looks at the child's memory while it waits.
    fn receive(&mut self, timeout: Duration, memory: Option<u64>) -> Result<(u64, Reply), Trouble> {
        let timeout = timeout.min(LONGEST);
        let Some(most) = memory else {
            return self.wait(timeout);
        };
        let until = Instant::now() + timeout;
        loop {
            if self.looked.elapsed() >= MEMORY_LOOK {
                self.looked = Instant::now();
                if let Some(bytes) = resident(self.child.id()).filter(|bytes| *bytes > most) {
                    return Err(Trouble::TooLarge(bytes));
                }
            }
            let left = until.saturating_duration_since(Instant::now());
            match self.wait(left.min(MEMORY_LOOK)) {
                Err(Trouble::Silent(_)) if left > MEMORY_LOOK => {}
                Err(Trouble::Silent(_)) => return Err(Trouble::Silent(timeout)),
                other => return other,
            }
        }
    }

    fn wait(&self, timeout: Duration) -> Result<(u64, Reply), Trouble> {
        match self.from_child.recv_timeout(timeout) {
            Ok(Ok(frame)) => wire::reply(frame).map_err(Trouble::Bad),
            Ok(Err(FrameFault::Bad(what))) => Err(Trouble::Bad(what)),
            Ok(Err(FrameFault::End)) | Err(crossbeam_channel::RecvTimeoutError::Disconnected) => {
                Err(Trouble::Ended)
            }
            Err(crossbeam_channel::RecvTimeoutError::Timeout) => Err(Trouble::Silent(timeout)),
        }
    }

    /// Ends the child and its whole process group; waits a little first if it may be ending by itself. Says how it ended,
    /// and whether it did so by itself and badly.
    fn stop(&mut self, by_itself: bool) -> (String, bool) {
        self.to_child = None;
        let until = Instant::now() + if by_itself { FAREWELL } else { Duration::ZERO };
        let mut status = None;
        loop {
            if let Ok(Some(ended)) = self.child.try_wait() {
                status = Some(ended);
            }
            if status.is_some() || Instant::now() >= until {
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        // What it left behind in its group goes with it.
        let _ = self.child.start_kill();
        let badly = status.is_some_and(|status| !status.success());
        let status = status.or_else(|| self.child.wait().ok());
        (
            status.map_or_else(|| "status unknown".to_owned(), |status| status.to_string()),
            badly,
        )
    }

    fn log_text(&self) -> String {
        // Its last words may still be on their way.
        std::thread::sleep(Duration::from_millis(20));
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("\n")
    }
}

/// The bytes that a process has resident, where the system tells (Linux).
fn resident(process: u32) -> Option<u64> {
    const PAGE: u64 = 4096;
    let text = std::fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    text.split(' ')
        .nth(1)?
        .parse::<u64>()
        .ok()?
        .checked_mul(PAGE)
}

/// Keeps the last lines, each of bounded length, however long the stream and its lines are.
fn keep_log(mut stderr: impl BufRead, log: &Mutex<VecDeque<String>>) {
    let mut line: Vec<u8> = Vec::new();
    loop {
        let (used, ended) = match stderr.fill_buf() {
            Ok([]) | Err(_) => break,
            Ok(bytes) => {
                let end = bytes.iter().position(|byte| *byte == b'\n');
                let part = &bytes[..end.unwrap_or(bytes.len())];
                let room = LOG_LINE.saturating_sub(line.len());
                line.extend_from_slice(&part[..part.len().min(room)]);
                (end.map_or(bytes.len(), |at| at + 1), end.is_some())
            }
        };
        stderr.consume(used);
        if ended {
            push_line(&mut line, log);
        }
    }
    if !line.is_empty() {
        push_line(&mut line, log);
    }
}

fn push_line(line: &mut Vec<u8>, log: &Mutex<VecDeque<String>>) {
    let text = String::from_utf8_lossy(line).trim_end().to_owned();
    line.clear();
    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
    if log.len() == LOG_LINES {
        log.pop_front();
    }
    log.push_back(text);
}

fn name(reply: &Reply) -> &'static str {
    match reply {
        Reply::Hello(_) => "hello",
        Reply::Compiled { .. } => "compiled",
        Reply::Reshaped(_) => "reshaped",
        Reply::Rejected(_) => "rejected",
        Reply::Unsupported(_) => "unsupported",
        Reply::Released => "released",
        Reply::Bye => "bye",
    }
}
