//! `adapter check`: checks step by step whether an adapter speaks the protocol.

use super::exit_code;
use super::participants::{DEFAULT_TIMEOUT, command_options};
use super::run_args::WaitArgs;
use crate::backend::{
    Adapter, Backend, ProcessBackend, ProcessOptions, Supports, find_adapters_folder,
};
use crate::error::Error;
use crate::report::style::{BAD, DIM, GOOD, out, paint, tame};
use crate::semantics::operator::{Binding, Operator, Reason};
use crate::semantics::outcome::{Outcome, ProcessFailure};
use crate::semantics::request::{AttributeValue, Attributes, Call, Request, Target};
use crate::suite::case::Expectation;
use crate::tensor::{ElementType, Fill};
use crate::verdict::judge::{Failure, Verdict, judge};
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

/// A request, and the expected answer.
struct Step {
    /// The request, in words.
    says: &'static str,
    data_shape: &'static [u64],
    target: &'static [i64],
    /// The expected shape; `None` if the request has to be rejected.
    shape: Option<&'static [u64]>,
    /// How many times it is sent at once.
    times: usize,
    /// What to fix if it fails.
    hint: &'static str,
}

const STEPS: &[Step] = &[
    Step {
        says: "a plain reshape, [2, 3] to [3, 2]",
        data_shape: &[2, 3],
        target: &[3, 2],
        shape: Some(&[3, 2]),
        times: 1,
        hint: "send the elements back in row-major order, little-endian, bit by bit as they came",
    },
    Step {
        says: "a -1, [2, 3, 4] to [2, -1]",
        data_shape: &[2, 3, 4],
        target: &[2, -1],
        shape: Some(&[2, 12]),
        times: 1,
        hint: "hand the target to the backend as it is; the adapter itself resolves nothing",
    },
    Step {
        says: "a request to refuse, [2, 3] to [-1, -1]",
        data_shape: &[2, 3],
        target: &[-1, -1],
        shape: None,
        times: 1,
        hint: "catch the backend's error and answer `rejected`; do not end the process, and do not answer `unsupported`",
    },
    Step {
        says: "a good request after the refused one",
        data_shape: &[6],
        target: &[2, 3],
        shape: Some(&[2, 3]),
        times: 1,
        hint: "a rejection must leave nothing behind: free what the failed request took",
    },
    Step {
        says: "empty data, [0, 3] to [-1, 3]",
        data_shape: &[0, 3],
        target: &[-1, 3],
        shape: Some(&[0, 3]),
        times: 1,
        hint: "a tensor without elements has a shape all the same, and no payload: leave `payload` out or say 0",
    },
    Step {
        says: "a scalar, [] to [1]",
        data_shape: &[],
        target: &[1],
        shape: Some(&[1]),
        times: 1,
        hint: "the shape [] has one element",
    },
    Step {
        says: "a large tensor, [1024, 1024] to [-1]",
        data_shape: &[1024, 1024],
        target: &[-1],
        shape: Some(&[1_048_576]),
        times: 1,
        hint: "read exactly `payload` bytes after the line break, in as many reads as it takes",
    },
    Step {
        says: "one model run many times, several under way at once",
        data_shape: &[4, 5],
        target: &[5, 4],
        shape: Some(&[5, 4]),
        times: 40,
        hint: "answer every run with its own id, and keep the handle until `release`",
    },
];

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
        let wrong = ask(&mut backend, step, cell)
            .iter()
            .find_map(|(verdict, outcome)| complaint(verdict, outcome));
        good &= wrong.is_none();
        match wrong {
            None => report(step.says, Ok(())),
            Some(what) => report(&format!("{}: {what}", step.says), Err(step.hint)),
        }
    }
    for death in backend.take_unattributed().deaths() {
        let (what, doing) = (&death.last.what, &death.doing);
        let hint =
            "let what a request leaves behind end no process, such as a model that is released";
        let says = format!("it dies where no request can be blamed: {what}, {doing}");
        report(&says.replace("trial", "request"), Err(hint));
        good = false;
    }
    if infers_only {
        let note = "      it only infers shapes, so nothing was run";
        out(paint(DIM, note));
    }
    let ended = check_end(backend);
    Ok(if good && ended {
        exit_code::AS_EXPECTED
    } else {
        exit_code::FAILURES
    })
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
    let cells = supports.supported_operators().flat_map(|operator| {
        operator
            .bindings
            .iter()
            .map(move |binding| (operator, *binding))
    });
    let typed = cells.flat_map(|(operator, binding)| {
        operator
            .element_types
            .iter()
            .map(move |t| (operator, *t, binding))
    });
    let request = |operator, element_type| Request {
        operator,
        element_type,
        data_shape: vec![1],
        target: Some(Target::list([1])),
        attributes: attributes(operator),
    };
    let mut found: Vec<_> = typed
        .filter(|(operator, t, binding)| supports.covers(&request(operator, *t), *binding, None))
        .collect();
    found.sort_by_key(|(_, element_type, _)| *element_type != ElementType::F32);
    found.into_iter().next()
}

/// The attribute that makes zeros literal, if there is one: an adapter that supports only literal zeros can be asked too.
fn attributes(operator: &'static Operator) -> Attributes {
    let Some(zero) = operator.zero_attribute() else {
        return Attributes::new();
    };
    let value = match zero.copies_by_default {
        Some(_) => AttributeValue::Int(i64::from(!zero.copies_when_set)),
        None => AttributeValue::Bool(!zero.copies_when_set),
    };
    Attributes::from([(zero.name.to_owned(), value)])
}

fn ask(
    backend: &mut ProcessBackend,
    step: &Step,
    (operator, element_type, binding): Cell,
) -> Vec<(Verdict, Outcome)> {
    let target = Some(Target::list(step.target.iter().copied()));
    let request = Request {
        operator,
        element_type,
        data_shape: step.data_shape.to_vec(),
        target,
        attributes: attributes(operator),
    };
    let data = Fill::Index.tensor(element_type, step.data_shape.to_vec());
    let expectation = match step.shape {
        Some(shape) => Expectation::Reshaped(shape.to_vec()),
        None => Expectation::Rejected([Reason::TwoMinusOnes].into()),
    };
    let calls = vec![
        Call {
            request: &request,
            binding,
            surrounding: None,
            data: &data
        };
        step.times
    ];
    let mut verdicts = Vec::new();
    backend.reshape_all(&calls, &mut |_, outcome| {
        verdicts.push((judge(&expectation, &data, &outcome), outcome))
    });
    verdicts
}

fn complaint(verdict: &Verdict, outcome: &Outcome) -> Option<String> {
    let words = |failure: &ProcessFailure| match failure.log.is_empty() {
        true => failure.what.clone(),
        false => format!("{}\n{}", failure.what, failure.log),
    };
    Some(match (verdict, outcome) {
        (Verdict::Passed | Verdict::Recorded { .. } | Verdict::Skipped, _) => return None,
        (
            _,
            Outcome::Crashed(m)
            | Outcome::TimedOut(m)
            | Outcome::OutOfMemory(m)
            | Outcome::ProtocolError(m),
        ) => words(m),
        (Verdict::Failed(Failure::Rejected { message, .. }), _) => {
            format!("it was rejected: {message}")
        }
        (Verdict::Failed(Failure::Unsupported(message)), _) => {
            format!("it answered `unsupported`: {message}")
        }
        (Verdict::Failed(Failure::NotRejected { got, .. }), _) => {
            format!("it was taken, with {got}")
        }
        (Verdict::Failed(Failure::WrongShape { got, .. }), _) => {
            format!("it gave the shape {got:?}")
        }
        (Verdict::Failed(Failure::WrongInference { got, .. }), _) => {
            format!(
                "it inferred {}",
                crate::semantics::outcome::show_pattern(got)
            )
        }
        (Verdict::Failed(Failure::WrongElementType(got)), _) => {
            format!("it gave elements of {got}")
        }
        (Verdict::Failed(Failure::NoElements(_)), _) => {
            "it gave a shape without its elements".to_owned()
        }
        (Verdict::Failed(Failure::WrongContent(_)), _) => "it gave other elements".to_owned(),
        (Verdict::Failed(Failure::EarlierOutputChanged), _) => {
            "it changed the output of the run before".to_owned()
        }
        (Verdict::Failed(Failure::WrongBeside { .. }), _) => {
            "it answered a run beside it wrong".to_owned()
        }
        (
            Verdict::Crashed | Verdict::TimedOut | Verdict::OutOfMemory | Verdict::ProtocolError,
            other,
        ) => other.kind().to_owned(),
    })
}
