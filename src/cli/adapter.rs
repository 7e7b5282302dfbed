//! `adapter check`: asks an adapter for everything that it claims, and says of each fault whose it is and what to do.

use super::adapter_fault::Fault;
use super::participants::{DEFAULT_TIMEOUT, command_options};
use super::run_args::{RunArgs, WaitArgs};
use super::{exit_code, gate};
use crate::backend::{
    Adapter, Backend, ProcessBackend, ProcessOptions, Supports, find_adapters_folder,
};
use crate::error::Error;
use crate::report::style::{BAD, DIM, GOOD, NOTE, out, paint, tame};
use crate::semantics::operator::{Binding, Operator};
use crate::suite::case::ZeroMode;
use crate::suite::generated::GeneratedCase;
use crate::suite::trial::Trial;
use crate::tensor::ElementType;
use clap::{Args, Subcommand};
use std::collections::HashSet;

#[derive(Debug, Subcommand)]
pub(super) enum AdapterCommand {
    /// Check whether an adapter speaks the protocol, and can be asked for all that it claims
    Check(CheckArgs),
}

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// The command that starts the adapter, or its name: of a folder under adapters/, with or without `:CONFIGURATION`, or
    /// of an adapter of this project's reshape-conformance.toml
    command: String,
    #[command(flatten)]
    wait: WaitArgs,
}

/// A request, which the reference answers by the text.
struct Step {
    /// The request, in words.
    description: &'static str,
    data: &'static [u64],
    target: &'static [i64],
    /// The number of times to send it concurrently.
    times: usize,
}

const PLAIN: Step = step("a plain reshape, [2, 3] to [3, 2]", &[2, 3], &[3, 2]);

const STEPS: &[Step] = &[
    PLAIN,
    step("a -1, [2, 3, 4] to [2, -1]", &[2, 3, 4], &[2, -1]),
    step("an invalid request, [2, 3] to [-1, -1]", &[2, 3], &[-1, -1]),
    step("a good request after the refused one", &[6], &[2, 3]),
    step("empty data, [0, 3] to [-1, 3]", &[0, 3], &[-1, 3]),
    step("a scalar, [] to [1]", &[], &[1]),
    step("a large tensor, [1024, 1024] to [-1]", &[1024, 1024], &[-1]),
    Step {
        description: "many runs of one model, several of them concurrent",
        data: &[4, 5],
        target: &[5, 4],
        times: 40,
    },
];

const fn step(description: &'static str, data: &'static [u64], target: &'static [i64]) -> Step {
    Step {
        description,
        data,
        target,
        times: 1,
    }
}

type Cell = (&'static Operator, ElementType, Binding);

/// What was found so far.
struct Check {
    backend: ProcessBackend,
    supports: Supports,
    /// Whether the adapter has no fault.
    good: bool,
    /// Whether an answer of the backend differs from the text.
    differs: bool,
    /// The faults that were explained.
    explained: HashSet<String>,
    /// How often the adapter did not answer in time.
    hangs: usize,
}

/// After so many requests without an answer, no more are sent.
const MAX_HANGS: usize = 3;

pub(super) fn run(arguments: &AdapterCommand) -> Result<u8, Error> {
    let AdapterCommand::Check(arguments) = arguments;
    let backend = ProcessBackend::start(options(arguments)?)?;
    let about = backend.about();
    let (name, version) = (tame(&about.name), tame(&about.version));
    ok(&format!("it starts and shakes hands: {name} {version}"));
    for reason in about.supports.reasons_unavailable() {
        aside(&format!("unavailable on this machine: {}", tame(reason)));
    }
    for field in &backend.unread {
        let (note, field) = (paint(NOTE, "note "), tame(field));
        out(format!(
            "{note} `hello` has a field that nothing reads: {field}"
        ));
    }
    let mut check = Check {
        backend,
        supports: about.supports,
        good: true,
        differs: false,
        explained: HashSet::new(),
        hangs: 0,
    };
    check.all();
    Ok(exit_code::red_if(!check.end()))
}

/// How to start the adapter: as the manifest of a folder says, as the gate's file does, or by its command.
fn options(arguments: &CheckArgs) -> Result<ProcessOptions, Error> {
    let timeout = arguments.wait.timeout.map_or(DEFAULT_TIMEOUT, |of| of.0);
    let (folder, command) = (find_adapters_folder(), &arguments.command);
    let found = Adapter::find(&folder, command)?;
    let of_gate = match &found {
        Some(adapter) if !adapter.is_built_in() => None,
        Some(_) | None => gate_options(arguments)?,
    };
    let mut options = match (of_gate, found) {
        (Some(options), _) => options,
        (None, Some(adapter)) => adapter.options(timeout)?,
        (None, None) => command_options(command, command, timeout)?,
    };
    if let Some(handshake) = arguments.wait.handshake_timeout {
        options.handshake_timeout = handshake.0;
    }
    Ok(options)
}

/// How the gate's file starts its adapter of this name; `None` if there is no such file, or it has no such adapter.
fn gate_options(arguments: &CheckArgs) -> Result<Option<ProcessOptions>, Error> {
    let mut run = RunArgs {
        gate: true,
        timeout: arguments.wait.timeout,
        ..RunArgs::default()
    };
    if !gate::has_adapter(&arguments.command)? {
        return Ok(None);
    }
    run.adapter = vec![arguments.command.clone()];
    let timeout = arguments.wait.timeout;
    let gate = gate::Gate::read(&mut run, |all| all.timeout = timeout.or(all.timeout))?;
    gate.first_options(&run).map(Some)
}

fn ok(what: &str) {
    out(format!("{} {what}", paint(GOOD, "ok   ")));
}

fn wrong(what: &str) {
    out(format!("{} {what}", paint(BAD, "wrong")));
}

fn to_fix(advice: &str) {
    out(format!("      to fix: {advice}"));
}

/// Prints what is neither right nor wrong.
fn aside(what: &str) {
    out(paint(DIM, format!("      {what}")));
}

impl Check {
    /// Asks for everything.
    fn all(&mut self) {
        let cells = self.cells();
        let first = cells.iter().min_by_key(|cell| cell.1 != ElementType::F32);
        let Some(first) = first.copied() else {
            self.good = false;
            wrong("it claims nothing that a plain reshape needs");
            to_fix(
                "list operators, element types and bindings in `supports`; `limits` may leave out all \
                requests",
            );
            return;
        };
        let (operator, element_type, binding) = first;
        aside(&format!("asking for {operator}, {element_type}, {binding}"));
        let mut plain = false;
        for step in STEPS {
            match self.ask(step, first) {
                None if self.hangs < MAX_HANGS => {
                    aside(&format!("its limits leave out {}", step.description));
                }
                None => {}
                Some(Ok(())) => {
                    plain |= step.target == PLAIN.target;
                    ok(step.description);
                }
                Some(Err(fault)) => {
                    // After a plain reshape that was right, a well-formed answer is the backend's.
                    let (fix, is_backends) = (fault.advice(plain), plain && fault.is_an_answer());
                    self.say(step.description, &fault, fix.as_deref(), is_backends);
                }
            }
        }
        self.sweep(&cells);
    }

    /// Cells in which each operator has each of its bindings, and each element type is there, as every entry claims them.
    /// A type that no claimed operator lists comes last: a backend should refuse it.
    fn cells(&self) -> Vec<Cell> {
        let (mut pairs, mut types) = (HashSet::new(), HashSet::new());
        let mut claimed = Vec::new();
        for (place, entry) in self.supports.entries.iter().enumerate() {
            let of = &entry.cells;
            for at in 0..of.element_types.len().max(of.bindings.len()) {
                let element_type = of.element_types.iter().cycle().nth(at + place);
                let binding = of.bindings.iter().cycle().nth(at);
                if let (Some(element_type), Some(binding)) = (element_type, binding) {
                    claimed.push((of.operator, *element_type, *binding));
                }
            }
        }
        let lists = |cell: &Cell| cell.0.element_types.contains(&cell.1);
        let (listed, foreign): (Vec<_>, Vec<_>) = claimed.into_iter().partition(lists);
        let cells = listed.into_iter().chain(foreign);
        let cells = cells.filter(|cell| self.trial(&PLAIN, *cell).is_some());
        let cells = cells.filter(|(operator, element_type, binding)| {
            let is_new = pairs.insert((operator.name, *binding));
            types.insert(*element_type) || is_new
        });
        cells.collect()
    }

    /// The trial of a step, with the zero mode in which the adapter can be asked; `None` if it can in none.
    fn trial(&self, step: &Step, (operator, element_type, binding): Cell) -> Option<Trial> {
        let modes = [None, Some(ZeroMode::Copy), Some(ZeroMode::Literal)];
        let trials = modes.map(|zero| {
            let case = GeneratedCase {
                data: step.data.to_vec(),
                target: step.target.to_vec(),
                zero,
            };
            let case = case.expressible(operator);
            case.trial(operator, element_type, binding)
        });
        trials.into_iter().find(|trial| self.supports.takes(trial))
    }

    /// Sends the request of a step; `None` if the limits leave it out, or too many had no answer.
    fn ask(&mut self, step: &Step, cell: Cell) -> Option<Result<(), Box<Fault>>> {
        let trial = self.trial(step, cell).filter(|_| self.hangs < MAX_HANGS)?;
        let data = trial.case.data(trial.element_type).ok()?;
        let mut first = None;
        self.backend
            .reshape_all(&vec![trial.call(&data); step.times], &mut |_, outcome| {
                if !matches!(first, Some(Err(_))) {
                    first = Some(Fault::check(&trial, &data, &outcome));
                }
            });
        if let Some(Err(fault)) = &first {
            self.hangs += usize::from(fault.hangs());
        }
        first
    }

    /// Asks a plain reshape of every cell. What fails alike is reported once, with what it shares.
    fn sweep(&mut self, cells: &[Cell]) {
        let mut faults: Vec<(Box<Fault>, Vec<Cell>)> = Vec::new();
        let mut right = Vec::new();
        for cell in cells {
            match self.ask(&PLAIN, *cell) {
                None => {}
                Some(Ok(())) => right.push(*cell),
                Some(Err(fault)) if self.supports.claims_nothing && fault.is_unsupported() => {}
                Some(Err(fault)) => {
                    let is_alike =
                        |(of, _): &&mut (Box<Fault>, _)| of.signature() == fault.signature();
                    match faults.iter_mut().find(is_alike) {
                        Some((_, alike)) => alike.push(*cell),
                        None => faults.push((fault, vec![*cell])),
                    }
                }
            }
        }
        let of =
            |one: fn(&Cell) -> &'static str| cells.iter().map(one).collect::<HashSet<_>>().len();
        let all = format!(
            "all that it claims: {} operators, {} element types, {} bindings, in {} plain reshapes",
            of(|cell| cell.0.name),
            of(|cell| cell.1.name()),
            of(|cell| cell.2.name()),
            cells.len()
        );
        if self.hangs >= MAX_HANGS {
            aside(&format!(
                "{MAX_HANGS} requests had no answer, so no more were sent"
            ));
        } else if faults.is_empty() {
            ok(&all);
        }
        for (fault, failed) in faults {
            let shared = shared(&failed, &right);
            let place = match (shared.is_empty(), failed.first()) {
                (true, Some((operator, of, binding))) => {
                    format!("such as {operator}, {of}, {binding}")
                }
                _ => format!("all of {}", shared.join(", ")),
            };
            let (count, all) = (failed.len(), cells.len());
            let what = format!("{count} of {all} plain reshapes, {place}");
            let more = match fault.is_unsupported() || fault.is_of_a_foreign_type() {
                true => String::new(),
                false => advice_on(&shared),
            };
            let fix = fault.advice(false).map(|advice| advice + &more);
            self.say(&what, &fault, fix.as_deref(), fault.is_of_a_foreign_type());
        }
    }

    /// Reports a wrong answer, with what to do.
    fn say(&mut self, what: &str, fault: &Fault, fix: Option<&str>, is_backends: bool) {
        self.differs |= is_backends;
        self.good &= is_backends;
        let word = match is_backends {
            true => paint(NOTE, "differs"),
            false => paint(BAD, "wrong"),
        };
        if !self.explained.insert(fault.signature()) {
            out(format!("{word} {what}: the same as above"));
            return;
        }
        out(format!("{word} {what}"));
        for line in &fault.lines {
            out(format!("      {}", tame(line)));
        }
        if let Some(fix) = fix {
            to_fix(fix);
        }
    }

    /// Ends the adapter, and says what is to be said at the end. Whether it has no fault.
    fn end(mut self) -> bool {
        let deaths = self.backend.take_unattributed();
        for death in deaths.deaths() {
            let (what, doing) = (&death.last.what, death.doing.replace("trial", "request"));
            let what = format!("no single request can be blamed for this: {what}, {doing}");
            wrong(&tame(&what));
            if death.last.what.starts_with("ended") {
                to_fix(
                    "let what a request leaves behind end no process, such as a model that is released",
                );
            }
            self.good = false;
        }
        if self.backend.infer_only {
            aside("it only infers shapes, so nothing was run");
        }
        if self.hangs < MAX_HANGS && deaths.all().is_empty() {
            self.good &= ends_well(self.backend);
        }
        if self.differs {
            out(
                "\nWhat differs is the backend's answer, as long as the shim hands over data and target unchanged. `run` reports it.",
            );
        }
        self.good
    }
}

/// Ends the adapter by `bye`. Whether it ends as it should.
fn ends_well(backend: ProcessBackend) -> bool {
    let ended = backend.farewell();
    let fix = match &ended {
        Ok(status) if status == "exit status: 0" => None,
        Ok(status) if status.contains("killed by the runner") => {
            Some("end the process after the reply to `bye`; a thread that runs on may keep it")
        }
        Ok(_) => Some("end with exit code 0 after the reply to `bye`"),
        Err(what) if what.contains("`release`") => Some(
            "answer each `release` with `released` and its `id`: until then, a failure may be the release's",
        ),
        Err(_) => Some("answer `bye` with `bye` and its `id`, then end with exit code 0"),
    };
    let status = ended.unwrap_or_else(|why| why);
    let what = format!("it ends after `bye`: {}", tame(&status));
    match fix {
        None => ok(&what),
        Some(fix) => {
            wrong(&what);
            to_fix(fix);
        }
    }
    fix.is_none()
}

/// What all failed cells have, and no right one, from the operator to the binding; empty if there is nothing.
fn shared(failed: &[Cell], right: &[Cell]) -> Vec<String> {
    let traits = |(operator, element_type, binding): &Cell| {
        let is_dynamic = binding.dynamic();
        let dynamic = if is_dynamic { "dynamic" } else { "static" };
        let source = format!("{:?}", binding.source()).to_lowercase();
        let bindings = [source, dynamic.to_owned()].map(|of| format!("the {of} bindings"));
        let single = [operator.name, element_type.name(), binding.name()];
        [&single.map(str::to_owned)[..], &bindings].concat()
    };
    let all = |cells: &[Cell]| cells.iter().map(traits).collect::<Vec<_>>();
    let (failed, right) = (all(failed), all(right));
    let is_shared = |of: &String| {
        failed.iter().all(|cell| cell.contains(of)) && !right.iter().any(|cell| cell.contains(of))
    };
    let first = failed.first().into_iter().flatten();
    let mut shared: Vec<_> = first.filter(|of| is_shared(of)).cloned().collect();
    // One binding says more than several.
    let is_one = |of: &String| of.contains("-static") || of.contains("-dynamic");
    if shared.iter().any(is_one) {
        shared.retain(|of| !of.ends_with("bindings"));
    }
    shared
}

/// What to look at where what failed shares this.
fn advice_on(shared: &[String]) -> String {
    let has = |word| shared.iter().any(|of: &String| of.contains(word));
    let mut advice = String::new();
    if has("runtime") {
        advice += "; a runtime target is a tensor of the `run`'s payload: little-endian integers of its `element_type`";
    }
    if has("dynamic") {
        advice += "; a `null` in `data.dims` is a dim that only the `run` states";
    }
    if !shared.is_empty() {
        let shared = shared.join(", ");
        advice += &format!("; if the backend cannot do {shared}, take it out of `supports`");
    }
    advice
}
