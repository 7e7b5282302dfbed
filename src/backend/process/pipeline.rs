//! The requests of one child: which are in flight, which models are compiled ahead, which runs come first, which releases are
//! unanswered.

use super::child::{Child, Trouble};
use super::upcoming::Upcoming;
use crate::backend::declaration::ModelFormat;
use crate::backend::wire::{self, Hello, Reply, Together};
use crate::model::sequences;
use crate::spec::outcome::{Outcome, Phase, ShapePattern};
use crate::spec::request::Call;
use crate::spec::surrounding::Surrounding;
use crate::verdict::judge::AtOnce;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

/// Messages that may wait because the child does not read; further runs are not sent then, which bounds the memory.
const MOST_UNSENT: usize = 16;

/// What the handshake and the options say about requests.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    /// The model format of `compile`.
    model: ModelFormat,
    /// The most `run` requests in flight.
    window: usize,
    /// Whether the backend only infers shapes.
    infer_only: bool,
    /// How long to wait for one reply.
    timeout: Duration,
}

impl Terms {
    pub(super) fn new(hello: &Hello, timeout: Duration) -> Self {
        Self {
            model: hello.model,
            window: hello.window,
            infer_only: hello.infer_only,
            timeout,
        }
    }
}

/// A child after its handshake, and the requests that it has not answered.
#[derive(Debug)]
pub(super) struct Pipeline {
    child: Child,
    terms: Terms,
    last_id: u64,
    /// The compilations that were sent before the runs of the models before were answered, in order.
    ahead: VecDeque<Ahead>,
    /// The model of the calls before, which is that of the next ones, too.
    held: Option<Held>,
    /// The ids of unanswered releases.
    releasing: BTreeSet<u64>,
    /// The last id that was sent when a release or a compilation ahead was last answered. The child may fail just after that
    /// answer, so a run with this id or an earlier one is not the only suspect.
    last_beside: u64,
    /// Messages to send together with the next one.
    delayed: Vec<u8>,
    /// Whether a compilation was requested since the handshake.
    used: bool,
}

/// A compilation that was sent ahead.
#[derive(Debug)]
struct Ahead {
    id: u64,
    upcoming: Upcoming,
    /// `None` until the reply arrives.
    reply: Option<Reply>,
}

impl Ahead {
    /// That this compilation, or one of so many runs that were sent before it, may have caused the trouble.
    fn suspect_after(&self, runs: usize) -> Suspects {
        Suspects::Ahead {
            model: Box::new(self.upcoming.clone()),
            runs,
        }
    }
}

/// A compiled model that the next calls run again.
#[derive(Debug)]
struct Held {
    /// The call that is to run next.
    first: Upcoming,
    handle: u64,
    /// As of [`Compiled::Model`].
    output_shape: Option<ShapePattern>,
}

/// A group of calls that was interrupted.
#[derive(Debug)]
pub(super) struct Interruption {
    pub trouble: Trouble,
    pub suspects: Suspects,
}

/// The requests that may have caused the trouble.
#[derive(Debug)]
pub(super) enum Suspects {
    /// The compilation.
    Compilation,
    /// A run of the sequence in which the next call stands.
    Sequence {
        /// Where in it.
        place: &'static str,
        /// Whether another request was in flight beside this run.
        beside: bool,
    },
    /// The only request in flight, a run.
    OneRun,
    /// This many runs in flight; perhaps one, beside a release or a compilation.
    Runs(usize),
    /// A compilation that was sent ahead, and runs in flight.
    Ahead {
        model: Box<Upcoming>,
        /// How many runs were sent before it. None of those that were sent after it may have begun.
        runs: usize,
    },
}

/// The result of a compilation.
enum Compiled {
    Model {
        handle: u64,
        /// The shape that the backend inferred; `None` if it did not give one.
        output_shape: Option<ShapePattern>,
    },
    /// The outcome of every call with this model.
    Refused(Outcome),
}

impl Pipeline {
    pub(super) fn new(child: Child, terms: Terms) -> Self {
        Self {
            child,
            terms,
            last_id: 0,
            ahead: VecDeque::new(),
            held: None,
            releasing: BTreeSet::new(),
            last_beside: 0,
            delayed: Vec::new(),
            used: false,
        }
    }

    /// Whether a compilation was requested since the handshake.
    pub(super) fn used(&self) -> bool {
        self.used
    }

    /// The child, when no more requests are to be sent.
    pub(super) fn into_child(self) -> Child {
        self.child
    }

    /// Compiles the calls' model and runs the calls at the indices in `waiting`, then sends the compilations of `next`.
    ///
    /// # Errors
    /// When the child can no longer be used. `waiting` then holds the calls without an outcome, those in flight first.
    pub(super) fn run(
        &mut self,
        calls: &[Call<'_>],
        waiting: &mut VecDeque<usize>,
        next: &mut VecDeque<Upcoming>,
        done: &mut dyn FnMut(usize, Outcome),
    ) -> Result<(), Interruption> {
        let Some(index) = waiting.front().copied() else {
            return Ok(());
        };
        let first = &calls[index];
        self.child.note_trials(waiting.len());
        let compiled = self.compile(first).map_err(|trouble| Interruption {
            trouble,
            suspects: Suspects::Compilation,
        })?;
        let (handle, inferred) = match compiled {
            Compiled::Model {
                handle,
                output_shape,
            } => (handle, output_shape),
            Compiled::Refused(outcome) => {
                finish_all(waiting, &outcome, done);
                return Ok(());
            }
        };
        if first.surrounding.is_some_and(Surrounding::is_at_once) {
            let outcome = self
                .run_at_once(handle, first, inferred.as_ref())
                .map_err(|trouble| self.in_sequence(trouble, "in one of several runs at once"))?;
            done(index, outcome);
            waiting.pop_front();
            self.compile_ahead(next, first, handle, inferred.as_ref(), 0);
            self.release(handle);
            return Ok(());
        }
        let changed = self
            .run_earlier(handle, first)
            .map_err(|trouble| self.in_sequence(trouble, "in an earlier run of the model"))?;
        // The calls share a model, and with it the dims of their data.
        if self.terms.infer_only || !first.data.is_made() {
            finish_all(waiting, &Outcome::Inferred(inferred.clone()), done);
        }
        let mut in_flight: BTreeMap<u64, usize> = BTreeMap::new();
        while !waiting.is_empty() || !in_flight.is_empty() {
            self.send_runs(handle, calls, waiting, &mut in_flight);
            if waiting.is_empty() {
                self.compile_ahead(next, first, handle, inferred.as_ref(), in_flight.len());
            }
            match self.run_reply(&mut in_flight, inferred.as_ref()) {
                Ok(Some((index, outcome))) if changed => {
                    done(index, Outcome::ChangedEarlier(Box::new(outcome)));
                }
                Ok(Some((index, outcome))) => done(index, outcome),
                Ok(None) => {}
                Err(trouble) => return Err(self.interruption(trouble, in_flight, waiting)),
            }
        }
        if self.held.is_none() {
            self.release(handle);
        }
        Ok(())
    }

    /// Sends `bye`. Returns its id.
    pub(super) fn bye(&mut self) -> u64 {
        self.child.note_peak();
        let id = self.next_id();
        self.send(id, wire::bye(id));
        id
    }

    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    fn send(&mut self, id: u64, mut message: wire::Message) {
        message.head.splice(..0, self.delayed.drain(..));
        self.child.send(id, message);
    }

    /// The next reply other than an expected `released`.
    pub(super) fn receive(&mut self) -> Result<(u64, Reply), Trouble> {
        loop {
            let frame = self.child.receive(self.terms.timeout)?;
            match wire::reply(frame).map_err(Trouble::Protocol)? {
                (id, Reply::Released) if self.releasing.remove(&id) => {
                    self.last_beside = self.last_id;
                }
                other => return Ok(other),
            }
        }
    }

    /// The next reply that is not to a compilation that was sent ahead; `None` if it was, and is noted.
    fn receive_now(&mut self) -> Result<Option<(u64, Reply)>, Trouble> {
        let (id, reply) = self.receive()?;
        let mut ahead = self.ahead.iter_mut();
        Ok(
            match ahead.find(|ahead| ahead.id == id && ahead.reply.is_none()) {
                Some(ahead) => {
                    ahead.reply = Some(reply);
                    self.last_beside = self.last_id;
                    None
                }
                None => Some((id, reply)),
            },
        )
    }

    /// The reply to the only request in flight, beside compilations that were sent ahead.
    fn reply_to(&mut self, id: u64) -> Result<Reply, Trouble> {
        loop {
            match self.receive_now()? {
                Some((replied, reply)) if replied == id => return Ok(reply),
                Some((replied, _)) => return Err(not_in_flight(replied)),
                None => {}
            }
        }
    }

    /// Compiles the model of a call, unless it is that of the calls before, or was compiled ahead.
    fn compile(&mut self, call: &Call<'_>) -> Result<Compiled, Trouble> {
        self.used = true;
        if let Some(held) = self.held.take() {
            if held.first.shares_model(call) {
                return Ok(Compiled::Model {
                    handle: held.handle,
                    output_shape: held.output_shape,
                });
            }
            self.release(held.handle);
        }
        let reply = match self.compiled_ahead(call)? {
            Some(reply) => reply,
            None => {
                let id = self.next_id();
                match wire::compile(id, call, self.terms.model) {
                    Ok(message) => self.send(id, message),
                    Err(why) => return Ok(Compiled::Refused(Outcome::Unsupported(why))),
                }
                self.reply_to(id)?
            }
        };
        match reply {
            Reply::Compiled {
                handle,
                output_shape,
            } => Ok(Compiled::Model {
                handle,
                output_shape,
            }),
            Reply::Rejected { message, internal } => Ok(Compiled::Refused(Outcome::Rejected {
                phase: Phase::Compile,
                message,
                internal,
            })),
            Reply::Unsupported(message) => Ok(Compiled::Refused(Outcome::Unsupported(message))),
            Reply::Hello(_)
            | Reply::Reshaped(_)
            | Reply::Claimed { .. }
            | Reply::ChangedEarlier(_)
            | Reply::Released
            | Reply::Bye => Err(unexpected("compile", &reply)),
        }
    }

    /// Sends the compilation of the next model that was not sent, if none is unanswered and the window takes it beside so many
    /// runs in flight, so that the child has work while its last replies are judged. If it is that of this call, holds what
    /// is compiled.
    fn compile_ahead(
        &mut self,
        next: &mut VecDeque<Upcoming>,
        call: &Call<'_>,
        handle: u64,
        output_shape: Option<&ShapePattern>,
        in_flight: usize,
    ) {
        while self.held.is_none()
            && self.unanswered_ahead().is_none()
            && in_flight < self.terms.window
        {
            let Some(upcoming) = next.pop_front() else {
                return;
            };
            let before = self.ahead.back().map(|ahead| ahead.upcoming.call());
            let is_repeated = upcoming.shares_model(&before.unwrap_or(*call));
            if is_repeated && self.ahead.is_empty() {
                self.held = Some(Held {
                    first: upcoming,
                    handle,
                    output_shape: output_shape.cloned(),
                });
            } else if is_repeated {
                // It is held when the turn of the one before has come.
                next.push_front(upcoming);
                return;
            } else {
                self.send_ahead(upcoming);
            }
        }
    }

    /// Puts the models that were compiled ahead back to the front of those that are to be compiled.
    pub(super) fn take_ahead(&mut self, next: &mut VecDeque<Upcoming>) {
        while let Some(ahead) = self.ahead.pop_back() {
            next.push_front(ahead.upcoming);
        }
    }

    /// The compilation that was sent ahead and is not answered: at most one.
    fn unanswered_ahead(&self) -> Option<&Ahead> {
        self.ahead.iter().find(|ahead| ahead.reply.is_none())
    }

    fn send_ahead(&mut self, upcoming: Upcoming) {
        let id = self.next_id();
        // What the format cannot express is reported when the model's turn comes.
        if let Ok(message) = wire::compile(id, &upcoming.call(), self.terms.model) {
            self.ahead.push_back(Ahead {
                id,
                upcoming,
                reply: None,
            });
            self.send(id, message);
        }
    }

    /// The reply to the compilation that was sent ahead, if it is of this call's model; releases the other models before it.
    fn compiled_ahead(&mut self, call: &Call<'_>) -> Result<Option<Reply>, Trouble> {
        while let Some(Ahead {
            id,
            upcoming,
            reply,
        }) = self.ahead.pop_front()
        {
            let reply = match reply {
                Some(reply) => reply,
                None => self.reply_to(id)?,
            };
            if upcoming.is_of(call) {
                return Ok(Some(reply));
            }
            if let Reply::Compiled { handle, .. } = reply {
                self.release(handle);
            }
        }
        Ok(None)
    }

    /// Runs what comes before a call in its sequence, one run after another. The answers are not judged; returns whether one
    /// of the runs changed the output of the run before.
    fn run_earlier(&mut self, handle: u64, call: &Call<'_>) -> Result<bool, Trouble> {
        let mut changed = false;
        for (request, data) in sequences::others(call) {
            let id = self.next_id();
            self.send(
                id,
                wire::run(id, handle, &call.among(&request, &data), Together::Alone),
            );
            let outcome = run_outcome(self.reply_to(id)?, None)?;
            changed |= matches!(outcome, Outcome::ChangedEarlier(_));
        }
        Ok(changed)
    }

    /// Makes a run and those beside it at the same time, in several rounds. All messages of a round are sent before any
    /// reply is waited for, whatever the window.
    fn run_at_once(
        &mut self,
        handle: u64,
        call: &Call<'_>,
        inferred: Option<&ShapePattern>,
    ) -> Result<Outcome, Trouble> {
        let others = sequences::others(call);
        let beside = others
            .iter()
            .map(|(request, data)| call.among(request, data));
        let runs: Vec<_> = std::iter::once(*call).chain(beside).collect();
        let mut answers = AtOnce::default();
        for order in sequences::rounds(runs.len()) {
            let mut in_flight = BTreeMap::new();
            for index in order {
                let id = self.next_id();
                in_flight.insert(id, index);
                self.send(
                    id,
                    wire::run(id, handle, &runs[index], Together::AtOnce(runs.len())),
                );
            }
            while !in_flight.is_empty() {
                let Some((id, reply)) = self.receive_now()? else {
                    continue;
                };
                let index = in_flight.remove(&id).ok_or_else(|| not_in_flight(id))?;
                let is_own = index == 0;
                let outcome = run_outcome(reply, inferred.filter(|_| is_own))?;
                answers.add(&runs[index], is_own, outcome);
            }
        }
        let no_answer = || Trouble::Protocol("no answer".to_owned());
        answers.outcome().ok_or_else(no_answer)
    }

    /// Fills the window with runs once half of it is answered, unless the child is behind in reading them: small ones go in
    /// one write, and are answered in one. A window of 0 counts as 1.
    fn send_runs(
        &mut self,
        handle: u64,
        calls: &[Call<'_>],
        waiting: &mut VecDeque<usize>,
        in_flight: &mut BTreeMap<u64, usize>,
    ) {
        let window = self
            .terms
            .window
            .saturating_sub(usize::from(self.unanswered_ahead().is_some()))
            .max(1);
        let is_behind = !in_flight.is_empty() && self.child.unsent() >= MOST_UNSENT;
        if in_flight.len() > window / 2 || is_behind {
            return;
        }
        let room = window.saturating_sub(in_flight.len()).min(MOST_UNSENT);
        let mut left = room.min(waiting.len());
        for index in waiting.drain(..left) {
            left -= 1;
            let (id, call) = (self.next_id(), &calls[index]);
            in_flight.insert(id, index);
            let together = match left {
                0 => Together::Alone,
                _ => Together::Followed,
            };
            let message = wire::run(id, handle, call, together);
            match left > 0 && message.large.is_none() {
                true => self.delayed.extend(message.head),
                false => self.send(id, message),
            }
        }
    }

    /// Whether another request was in flight beside the run of this id, which is not answered.
    fn is_beside(&self, id: u64) -> bool {
        !self.releasing.is_empty() || self.last_beside >= id
    }

    /// What interrupted a sequence.
    fn in_sequence(&self, trouble: Trouble, place: &'static str) -> Interruption {
        let suspects = match self.unanswered_ahead() {
            Some(ahead) => ahead.suspect_after(0),
            None => Suspects::Sequence {
                place,
                beside: self.is_beside(self.last_id),
            },
        };
        Interruption { trouble, suspects }
    }

    /// Returns the unanswered runs to the front of `waiting`, and says which requests are suspect.
    fn interruption(
        &self,
        trouble: Trouble,
        in_flight: BTreeMap<u64, usize>,
        waiting: &mut VecDeque<usize>,
    ) -> Interruption {
        let sent_before = |ahead: &Ahead| in_flight.range(..ahead.id).count();
        let suspects = match (self.unanswered_ahead(), in_flight.first_key_value()) {
            // Of runs beside a release, the release is more likely to be the cause than what was sent last.
            (Some(ahead), _) if self.releasing.is_empty() || sent_before(ahead) == 0 => {
                ahead.suspect_after(sent_before(ahead))
            }
            (None, Some((id, _))) if in_flight.len() == 1 && !self.is_beside(*id) => {
                Suspects::OneRun
            }
            (Some(_) | None, _) => Suspects::Runs(in_flight.len()),
        };
        for index in in_flight.into_values().rev() {
            waiting.push_front(index);
        }
        Interruption { trouble, suspects }
    }

    /// The outcome of one run; `None` if the reply was to a compilation that was sent ahead.
    fn run_reply(
        &mut self,
        in_flight: &mut BTreeMap<u64, usize>,
        inferred: Option<&ShapePattern>,
    ) -> Result<Option<(usize, Outcome)>, Trouble> {
        let Some((id, reply)) = self.receive_now()? else {
            return Ok(None);
        };
        let Some(index) = in_flight.get(&id).copied() else {
            return Err(not_in_flight(id));
        };
        let outcome = run_outcome(reply, inferred)?;
        in_flight.remove(&id);
        Ok(Some((index, outcome)))
    }

    /// Releases a handle. The message waits for the next one, and its reply is not waited for: that saves a wake-up of
    /// each process.
    fn release(&mut self, handle: u64) {
        let id = self.next_id();
        self.releasing.insert(id);
        self.delayed.extend(wire::release(id, handle).head);
    }
}

/// What the reply to a run says.
fn run_outcome(reply: Reply, inferred: Option<&ShapePattern>) -> Result<Outcome, Trouble> {
    Ok(match reply {
        Reply::Reshaped(output) => Outcome::Reshaped {
            output,
            inferred: inferred.cloned(),
        },
        Reply::Claimed {
            element_type,
            shape,
        } => Outcome::Claimed {
            element_type,
            shape,
        },
        Reply::Rejected { message, internal } => Outcome::Rejected {
            phase: Phase::Run,
            message,
            internal,
        },
        Reply::ChangedEarlier(own) => {
            Outcome::ChangedEarlier(Box::new(run_outcome(*own, inferred)?))
        }
        Reply::Unsupported(message) => Outcome::Unsupported(message),
        Reply::Hello(_) | Reply::Compiled { .. } | Reply::Released | Reply::Bye => {
            return Err(unexpected("run", &reply));
        }
    })
}

/// Gives all waiting calls the same outcome.
pub(super) fn finish_all(
    waiting: &mut VecDeque<usize>,
    outcome: &Outcome,
    done: &mut dyn FnMut(usize, Outcome),
) {
    for index in waiting.drain(..) {
        done(index, outcome.clone());
    }
}

fn not_in_flight(id: u64) -> Trouble {
    Trouble::Protocol(format!("a reply to request {id}, which is not in flight"))
}

fn unexpected(request: &str, reply: &Reply) -> Trouble {
    Trouble::Protocol(format!(
        "unexpected reply to `{request}`: `{}`",
        reply.name()
    ))
}
