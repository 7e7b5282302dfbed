//! `adapter check`: checks step by step whether an adapter speaks the protocol.

use super::exit_code;
use super::participants::{DEFAULT_TIMEOUT, command_options};
use super::run_args::WaitArgs;
use crate::backend::{
    Adapter, Backend, ProcessBackend, ProcessOptions, Supports, find_adapters_folder,
};
use crate::error::Error;
use crate::report::diff::without_colour;
use crate::report::style::{BAD, DIM, GOOD, out, paint, tame};
use crate::run::failure_lines::failure_lines;
use crate::semantics::operator::{Binding, Operator};
use crate::suite::case::ZeroMode;
use crate::suite::generated::GeneratedCase;
use crate::suite::trial::Trial;
use crate::tensor::ElementType;
use crate::verdict::judge::judge;
use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(super) enum AdapterCommand {
    /// Check step by step whether an adapter speaks the protocol
    Check(CheckArgs),
}

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// The command that starts the adapter, or the name of a folder under adapters/, with or without `:CONFIGURATION`
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
    /// How many times it is sent at once.
    times: usize,
    /// What to fix if it fails.
    hint: &'static str,
}

const STEPS: &[Step] = &[
    step(
        "a plain reshape, [2, 3] to [3, 2]",
        &[2, 3],
        &[3, 2],
        "send the elements back in row-major order, little-endian, bit by bit as they came",
    ),
    step(
        "a -1, [2, 3, 4] to [2, -1]",
        &[2, 3, 4],
        &[2, -1],
        "hand the target to the backend as it is; the adapter itself resolves nothing",
    ),
    step(
        "a request to refuse, [2, 3] to [-1, -1]",
        &[2, 3],
        &[-1, -1],
        "catch the backend's error and answer `rejected`; do not end the process, and do not answer `unsupported`",
    ),
    step(
        "a good request after the refused one",
        &[6],
        &[2, 3],
        "a rejection must leave nothing behind: free what the failed request took",
    ),
    step(
        "empty data, [0, 3] to [-1, 3]",
        &[0, 3],
        &[-1, 3],
        "a tensor without elements has a shape all the same, and no payload: leave `payload` out or say 0",
    ),
    step(
        "a scalar, [] to [1]",
        &[],
        &[1],
        "the shape [] has one element",
    ),
    step(
        "a large tensor, [1024, 1024] to [-1]",
        &[1024, 1024],
        &[-1],
        "read exactly `payload` bytes after the line break, in as many reads as it takes",
    ),
    Step {
        times: 40,
        ..step(
            "one model run many times, several under way at once",
            &[4, 5],
            &[5, 4],
            "answer every run with its own id, and keep the handle until `release`",
        )
    },
];

const fn step(
    description: &'static str,
    data: &'static [u64],
    target: &'static [i64],
    hint: &'static str,
) -> Step {
    Step {
        description,
        data,
        target,
        times: 1,
        hint,
    }
}

pub(super) fn run(arguments: &AdapterCommand) -> Result<u8, Error> {
    let AdapterCommand::Check(arguments) = arguments;
    let mut backend = ProcessBackend::start(options(arguments)?)?;
    let about = backend.about();
    let what = format!(
        "it starts and shakes hands: {} {}",
        about.name, about.version
    );
    report(&what, Ok(()));
    for reason in about.supports.reasons_unavailable() {
        out(paint(
            DIM,
            format!("      this machine cannot: {}", tame(reason)),
        ));
    }
    for field in backend.unread() {
        let note = format!(
            "note  `hello` has a field that is not read: {}",
            tame(field)
        );
        out(note);
    }
    let Some(cell) = first_cell(&about.supports) else {
        let hint = "list operators, element types and bindings in `hello`";
        report("it supports nothing", Err(hint));
        return Ok(exit_code::FAILURES);
    };
    let (operator, element_type, binding) = cell;
    let asking = format!("      asking for {operator}, {element_type}, {binding}");
    out(paint(DIM, asking));
    let infers_only = backend.infers_only();
    let mut good = true;
    for step in STEPS {
        let wrong = ask(&mut backend, step, cell);
        good &= wrong.is_none();
        match wrong {
            None => report(step.description, Ok(())),
            Some(what) => report(&format!("{}{what}", step.description), Err(step.hint)),
        }
    }
    for death in backend.take_unattributed().deaths() {
        let (what, doing) = (&death.last.what, &death.doing);
        let hint =
            "let what a request leaves behind end no process, such as a model that is released";
        let description = format!("it dies where no request can be blamed: {what}, {doing}");
        report(&description.replace("trial", "request"), Err(hint));
        good = false;
    }
    if infers_only {
        let note = "      it only infers shapes, so nothing was run";
        out(paint(DIM, note));
    }
    let ended = check_end(backend);
    Ok(exit_code::red_if(!(good && ended)))
}

/// How to start the adapter: as the manifest of a folder says, or by its command.
fn options(arguments: &CheckArgs) -> Result<ProcessOptions, Error> {
    let timeout = arguments.wait.timeout.map_or(DEFAULT_TIMEOUT, |of| of.0);
    let (folder, command) = (find_adapters_folder(), &arguments.command);
    let name = command.split(':').next().unwrap_or_default();
    let mut options = if folder.join(name).join("adapter.yaml").is_file() {
        Adapter::read(&folder, command)?.options(timeout)?
    } else {
        command_options(command, command, timeout)?
    };
    if let Some(handshake) = arguments.wait.handshake_timeout {
        options.handshake_timeout = handshake.0;
    }
    Ok(options)
}

/// Whether the adapter ends after `bye`, with exit code 0.
fn check_end(backend: ProcessBackend) -> bool {
    let ended = backend.farewell();
    let good = ended
        .as_ref()
        .is_ok_and(|status| status == "exit status: 0");
    let what = ended.unwrap_or_else(|why| why);
    let hint = "answer `bye` with `bye`, and end with exit code 0";
    let result = if good { Ok(()) } else { Err(hint) };
    report(&format!("it ends after bye: {what}"), result);
    good
}

/// Prints the result of a step, and what to fix if it failed.
fn report(what: &str, result: Result<(), &str>) {
    let mark = match result {
        Ok(()) => paint(GOOD, "ok   "),
        Err(_) => paint(BAD, "wrong"),
    };
    out(format!("{mark} {}", tame(what)));
    if let Err(hint) = result {
        out(format!("      to fix: {hint}"));
    }
}

/// An operator, an element type and a binding.
type Cell = (&'static Operator, ElementType, Binding);

/// The first operator, element type and binding that it supports: f32 if it can.
fn first_cell(supports: &Supports) -> Option<Cell> {
    let pairs = supports.supported_operators().flat_map(|operator| {
        let bindings = operator.bindings.iter();
        bindings.map(move |binding| (operator, *binding))
    });
    let cells = pairs.flat_map(|(operator, binding)| {
        let types = operator.element_types.iter();
        types.map(move |of| (operator, *of, binding))
    });
    let supported = cells.filter(|cell| {
        let trial = trial(&STEPS[0], *cell);
        supports.covers(trial.request(), trial.binding, None)
    });
    supported.min_by_key(|(_, element_type, _)| *element_type != ElementType::F32)
}

/// The trial of a step. Zeros are literal where the node can say so: an adapter that supports only these can be asked too.
fn trial(step: &Step, (operator, element_type, binding): Cell) -> Trial {
    let case = GeneratedCase {
        data: step.data.to_vec(),
        target: step.target.to_vec(),
        zero: Some(ZeroMode::Literal),
    };
    let case = case.expressible(operator);
    case.trial(operator, element_type, binding)
}

/// Sends the request of a step. What is wrong with the first wrong answer, on lines of its own; `None` if all are right.
fn ask(backend: &mut ProcessBackend, step: &Step, cell: Cell) -> Option<String> {
    let trial = trial(step, cell);
    let data = trial.case.data(trial.element_type).ok()?;
    let mut wrong = None;
    backend.reshape_all(&vec![trial.call(&data); step.times], &mut |_, outcome| {
        let verdict = judge(trial.expectation(), &data, &outcome);
        if wrong.is_none() && verdict.kind().is_red() {
            // The first is the request.
            let lines = failure_lines(&trial, &verdict, Some(&outcome));
            let lines = without_colour(&lines[1..]).into_iter();
            wrong = Some(
                lines
                    .map(|line| format!("\n      {line}"))
                    .collect::<String>(),
            );
        }
    });
    wrong
}
