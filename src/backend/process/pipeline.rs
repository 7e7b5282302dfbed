//! The requests of one child: those in flight, the loaded model, the earlier runs, and the unanswered releases.

use super::child::{Child, ChildEnd};
use crate::backend::declaration::Interface;
use crate::backend::wire::{self, Answer, Concurrency, Reply};
use crate::event::OR_THE_RELEASE;
use crate::model::call::{Call, rounds};
use crate::model::surroundings::{OtherRuns, Surrounding};
use crate::semantics::outcome::{Outcome, Phase, ShapePattern};
use crate::semantics::request::{Model, Request};
use crate::tensor::Tensor;
use crate::verdict::judge::ConcurrentAnswers;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

/// The most messages that wait for a child that does not read, before no further runs are sent. It limits the memory.
const MAX_UNSENT: usize = 16;

/// What the handshake and the options say about requests.
#[derive(Debug, Clone, Copy)]
pub(super) struct Negotiated {
    pub(super) interface: Interface,
    /// The most `run` requests in flight.
    pub(super) window: usize,
    /// How long to wait for one reply.
    pub(super) timeout: Duration,
}

/// A child after its handshake, and the requests that it has not answered.
#[derive(Debug)]
pub(super) struct Pipeline {
    pub(super) child: Child,
    terms: Negotiated,
    last_id: u64,
    /// The model of the previous calls, which may also be that of the next ones.
    held: Option<(Model, Held)>,
    /// The ids of unanswered releases.
    pub(super) releasing: BTreeSet<u64>,
    /// The last id that was sent before the last answer to a release. The child may fail just after that answer, so a
    /// run up to this id is not the only suspect.
    last_concurrent: u64,
    /// Messages to send together with the next one.
    delayed: Vec<u8>,
    /// Whether a compilation was requested since the handshake.
    pub(super) used: bool,
}

/// A compiled model that is not released yet.
#[derive(Debug)]
struct Held {
    handle: u64,
    /// The shape that the backend inferred; `None` if it did not give one.
    output_shape: Option<ShapePattern>,
}

/// A group of calls that was interrupted.
#[derive(Debug)]
pub(super) struct Interruption {
    pub end_reason: ChildEnd,
    pub suspects: Suspects,
    /// Whether the child had not answered a release.
    pub releasing: bool,
}

impl Interruption {
    /// The number of waiting calls that had been sent to the child, or needed its compilation: at least one.
    pub(super) fn sent(&self) -> usize {
        match self.suspects {
            Suspects::Runs(count) => count.max(1),
            Suspects::Compilation | Suspects::Sequence { .. } | Suspects::OneRun => 1,
        }
    }

    /// What the child was doing.
    pub(super) fn doing(&self) -> String {
        let doing = match self.suspects {
            Suspects::Compilation => "during the `compile` of its last trial".to_owned(),
            Suspects::Sequence { place, .. } => format!("{place} of the last trial"),
            Suspects::OneRun | Suspects::Runs(1) => "during the `run` of its last trial".to_owned(),
            Suspects::Runs(count) => format!("during the `run` of its last {count} trials"),
        };
        match self.releasing {
            true => doing + OR_THE_RELEASE,
            false => doing,
        }
    }
}

/// The requests that may have caused the failure.
#[derive(Debug)]
pub(super) enum Suspects {
    Compilation,
    /// A run of the next call's sequence.
    Sequence {
        /// Its place in the sequence.
        place: &'static str,
        /// Whether a release was in flight together with this run.
        concurrent: bool,
    },
    /// The only request in flight, a run.
    OneRun,
    /// This many runs in flight; perhaps one, together with a release.
    Runs(usize),
}

/// The result of a compilation.
enum Compiled {
    Model(Held),
    /// The outcome of every call with this model.
    Refused(Outcome),
}

impl Pipeline {
    pub(super) fn new(child: Child, terms: Negotiated) -> Self {
        Self {
            child,
            terms,
            last_id: 0,
            held: None,
            releasing: BTreeSet::new(),
            last_concurrent: 0,
            delayed: Vec::new(),
            used: false,
        }
    }

    /// Compiles the calls' model and runs the calls at the indices in `waiting`. Fails when the child can no longer be
    /// used. `waiting` then holds the calls without an outcome, those in flight first.
    pub(super) fn run(
        &mut self,
        calls: &[Call<'_>],
        waiting: &mut VecDeque<usize>,
        done: &mut dyn FnMut(usize, Outcome),
    ) -> Result<(), Interruption> {
        let Some(index) = waiting.front().copied() else {
            return Ok(());
        };
        let first = &calls[index];
        self.child.resources.trials += waiting.len() as u64;
        // A trial with its own model shares it with no other.
        let model =
            (calls.len() > 1 && first.surrounding.is_none() && first.data.is_materialized())
                .then(|| Model::of(first.request, first.binding));
        let of_other_models = |of: &Surrounding| of.has_other_models();
        let others = first.surrounding.filter(of_other_models);
        let others = others.map_or_else(Vec::new, |_| first.others());
        let alive = self.run_other_model(first, others.first())?;
        let compiled = self
            .compile(first, model.as_ref())
            .map_err(|end_reason| self.interrupted(end_reason, Suspects::Compilation))?;
        let held = match compiled {
            Compiled::Model(held) => held,
            Compiled::Refused(outcome) => {
                alive.into_iter().for_each(|other| self.release(other));
                finish_all(waiting, &outcome, done);
                return Ok(());
            }
        };
        let (handle, inferred) = (held.handle, held.output_shape.as_ref());
        if first.surrounding.is_some_and(Surrounding::is_concurrent) {
            let outcome = self
                .run_concurrently(handle, first, inferred)
                .map_err(|end_reason| self.in_sequence(end_reason, OtherRuns::Concurrent))?;
            done(index, outcome);
            waiting.pop_front();
            self.release(handle);
            return Ok(());
        }
        for other in others.iter().skip(1) {
            let released = self.run_other_model(first, Some(other))?;
            released.into_iter().for_each(|other| self.release(other));
        }
        let changed = others.is_empty()
            && self
                .run_earlier(handle, first)
                .map_err(|end_reason| self.in_sequence(end_reason, OtherRuns::Earlier))?;
        // The calls share a model, and so the dims of their data.
        if self.terms.interface.infer_only || !first.data.is_materialized() {
            finish_all(waiting, &Outcome::Inferred(inferred.cloned()), done);
        }
        let mut in_flight: BTreeMap<u64, usize> = BTreeMap::new();
        while !waiting.is_empty() || !in_flight.is_empty() {
            self.send_runs(handle, calls, waiting, &mut in_flight);
            match self.run_reply(&mut in_flight, inferred) {
                Ok((index, outcome)) if changed => {
                    done(index, Outcome::ChangedEarlier(Box::new(outcome)));
                }
                Ok((index, outcome)) => done(index, outcome),
                Err(end_reason) => return Err(self.interruption(end_reason, in_flight, waiting)),
            }
        }
        match model {
            Some(model) => self.held = Some((model, held)),
            None => self.release(handle),
        }
        alive.into_iter().for_each(|other| self.release(other));
        Ok(())
    }

    /// Sends `bye`. Returns its id.
    pub(super) fn bye(&mut self) -> u64 {
        // Before it is asked to end.
        self.child.resources.note_peak();
        self.release_held();
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
    pub(super) fn receive(&mut self) -> Result<Answer, ChildEnd> {
        loop {
            let frame = self.child.receive(self.terms.timeout)?;
            let answer = Answer::read(frame).map_err(ChildEnd::Protocol)?;
            if !matches!(answer.reply, Reply::Released) || !self.releasing.remove(&answer.id) {
                return Ok(answer);
            }
            self.last_concurrent = self.last_id;
        }
    }

    /// The reply to the only request in flight.
    fn answer_to(&mut self, id: u64) -> Result<Answer, ChildEnd> {
        let answer = self.receive()?;
        match answer.id == id {
            true => Ok(answer),
            false => Err(not_in_flight(answer.id)),
        }
    }

    /// Compiles the model of a call, unless `model`, which other trials may share, is that of the previous calls.
    fn compile(&mut self, call: &Call<'_>, model: Option<&Model>) -> Result<Compiled, ChildEnd> {
        self.used = true;
        if let Some((_, held)) = self.held.take_if(|(held, _)| model == Some(held)) {
            return Ok(Compiled::Model(held));
        }
        self.release_held();
        let id = self.next_id();
        match wire::compile(id, call, self.terms.interface.model) {
            Ok(message) => self.send(id, message),
            Err(why) => return Ok(Compiled::Refused(Outcome::Unsupported(why))),
        }
        let answer = self.answer_to(id)?;
        if let Reply::Compiled {
            handle,
            output_shape,
        } = answer.reply
        {
            return Ok(Compiled::Model(Held {
                handle,
                output_shape,
            }));
        }
        outcome(&answer, Phase::Compile, None).map(Compiled::Refused)
    }

    /// Compiles and runs another model of a call's sequence. Its answers are not judged. Returns its handle, which is not
    /// released; `None` without another model, or if the backend refuses it.
    fn run_other_model(
        &mut self,
        call: &Call<'_>,
        other: Option<&(Request, Tensor)>,
    ) -> Result<Option<u64>, Interruption> {
        let Some((request, data)) = other else {
            return Ok(None);
        };
        let other = call.among(request, data);
        let handle = self.compile(&other, None).and_then(|compiled| {
            let Compiled::Model(Held { handle, .. }) = compiled else {
                return Ok(None);
            };
            let id = self.next_id();
            self.send(id, wire::run(id, handle, &other, Concurrency::Alone));
            outcome(&self.answer_to(id)?, Phase::Run, None)?;
            Ok(Some(handle))
        });
        handle.map_err(|end_reason| self.in_sequence(end_reason, OtherRuns::OfOtherModels))
    }

    /// Runs the earlier runs of a call's sequence, one after another. Their answers are not judged. Returns whether one
    /// of them changed the output of an earlier run.
    fn run_earlier(&mut self, handle: u64, call: &Call<'_>) -> Result<bool, ChildEnd> {
        let mut changed = false;
        for (request, data) in call.others() {
            let (id, earlier) = (self.next_id(), call.among(&request, &data));
            self.send(id, wire::run(id, handle, &earlier, Concurrency::Alone));
            let outcome = outcome(&self.answer_to(id)?, Phase::Run, None)?;
            changed |= matches!(outcome, Outcome::ChangedEarlier(_));
        }
        Ok(changed)
    }

    /// Makes a run and its concurrent runs, in several rounds. All messages of a round are sent before any reply is
    /// awaited, whatever the window.
    fn run_concurrently(
        &mut self,
        handle: u64,
        call: &Call<'_>,
        inferred: Option<&ShapePattern>,
    ) -> Result<Outcome, ChildEnd> {
        let others = call.others();
        let concurrent = others.iter();
        let concurrent = concurrent.map(|(request, data)| call.among(request, data));
        let runs: Vec<_> = std::iter::once(*call).chain(concurrent).collect();
        let mut answers = ConcurrentAnswers::default();
        for order in rounds(runs.len()) {
            let mut in_flight = BTreeMap::new();
            for index in order {
                let id = self.next_id();
                in_flight.insert(id, index);
                let run = wire::run(id, handle, &runs[index], Concurrency::Runs(runs.len()));
                self.send(id, run);
            }
            while !in_flight.is_empty() {
                let answer = self.receive()?;
                let index = in_flight.remove(&answer.id);
                let index = index.ok_or_else(|| not_in_flight(answer.id))?;
                let is_own = index == 0;
                let outcome = outcome(&answer, Phase::Run, inferred.filter(|_| is_own))?;
                answers.add(&runs[index], is_own, outcome);
            }
        }
        let no_answer = || ChildEnd::Protocol("no answer".to_owned());
        answers.outcome().ok_or_else(no_answer)
    }

    /// Fills the window with runs once half of it is answered, unless the child reads too slowly. Small runs go in one
    /// write, and are answered in one. A window of 0 counts as 1.
    fn send_runs(
        &mut self,
        handle: u64,
        calls: &[Call<'_>],
        waiting: &mut VecDeque<usize>,
        in_flight: &mut BTreeMap<u64, usize>,
    ) {
        let window = self.terms.window.max(1);
        let is_behind = !in_flight.is_empty() && self.child.unsent() >= MAX_UNSENT;
        if in_flight.len() > window / 2 || is_behind {
            return;
        }
        let room = window.saturating_sub(in_flight.len()).min(MAX_UNSENT);
        let mut left = room.min(waiting.len());
        for index in waiting.drain(..left) {
            left -= 1;
            let (id, call) = (self.next_id(), &calls[index]);
            in_flight.insert(id, index);
            let together = match left {
                0 => Concurrency::Alone,
                _ => Concurrency::Followed,
            };
            let message = wire::run(id, handle, call, together);
            match left > 0 && message.large.is_none() {
                true => self.delayed.extend(message.head),
                false => self.send(id, message),
            }
        }
    }

    /// Whether a release was in flight together with the run with this id, which is not answered.
    fn is_concurrent(&self, id: u64) -> bool {
        !self.releasing.is_empty() || self.last_concurrent >= id
    }

    fn in_sequence(&self, end_reason: ChildEnd, runs: OtherRuns) -> Interruption {
        let place = runs.name();
        let concurrent = self.is_concurrent(self.last_id);
        self.interrupted(end_reason, Suspects::Sequence { place, concurrent })
    }

    fn interrupted(&self, end_reason: ChildEnd, suspects: Suspects) -> Interruption {
        Interruption {
            end_reason,
            suspects,
            releasing: !self.releasing.is_empty(),
        }
    }

    /// Returns the unanswered runs to the front of `waiting`, and determines the suspect requests.
    fn interruption(
        &self,
        end_reason: ChildEnd,
        in_flight: BTreeMap<u64, usize>,
        waiting: &mut VecDeque<usize>,
    ) -> Interruption {
        let suspects = match in_flight.first_key_value() {
            Some((id, _)) if in_flight.len() == 1 && !self.is_concurrent(*id) => Suspects::OneRun,
            Some(_) | None => Suspects::Runs(in_flight.len()),
        };
        for index in in_flight.into_values().rev() {
            waiting.push_front(index);
        }
        self.interrupted(end_reason, suspects)
    }

    /// The outcome of one run.
    fn run_reply(
        &mut self,
        in_flight: &mut BTreeMap<u64, usize>,
        inferred: Option<&ShapePattern>,
    ) -> Result<(usize, Outcome), ChildEnd> {
        let answer = self.receive()?;
        let index = in_flight.get(&answer.id).copied();
        let index = index.ok_or_else(|| not_in_flight(answer.id))?;
        let outcome = outcome(&answer, Phase::Run, inferred)?;
        in_flight.remove(&answer.id);
        Ok((index, outcome))
    }

    /// Releases the model of the previous calls.
    fn release_held(&mut self) {
        if let Some((_, held)) = self.held.take() {
            self.release(held.handle);
        }
    }

    /// Releases a handle. The message waits for the next one, and no one for its reply: that saves wake-ups.
    fn release(&mut self, handle: u64) {
        let id = self.next_id();
        self.releasing.insert(id);
        self.delayed.extend(wire::release(id, handle).head);
    }
}

/// The outcome in the answer to a request of this phase.
fn outcome(
    answer: &Answer,
    phase: Phase,
    inferred: Option<&ShapePattern>,
) -> Result<Outcome, ChildEnd> {
    let outcome = answer.outcome(phase, inferred);
    let unexpected = || ChildEnd::Protocol(answer.unexpected(phase.name()));
    outcome.map_err(ChildEnd::Protocol)?.ok_or_else(unexpected)
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

fn not_in_flight(id: u64) -> ChildEnd {
    ChildEnd::Protocol(format!(
        "a reply with the id {id}, which no unanswered request has; a reply has the `id` of its request, and each gets one"
    ))
}
