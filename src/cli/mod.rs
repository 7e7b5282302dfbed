//! The command line: a thin function for each command.

mod adapter;
mod adapter_fault;
mod adapters;
mod core;
mod coverage;
mod documents;
mod environment;
mod exchange;
mod exit_code;
mod explain;
mod gate;
mod init;
mod install;
mod interrupt;
mod kit;
mod known_failures;
mod lint;
mod lint_model;
mod list;
mod mutants;
mod new;
mod new_failures;
mod oracle;
mod output_file;
mod participants;
mod question;
mod recorded;
mod reports;
mod run;
mod run_args;
mod search;
mod selection;
mod streams;

use crate::error::Error;
use crate::report::style;
use crate::semantics::operator::Family;
use crate::suite::record;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::process::ExitCode;
use std::sync::LazyLock;

#[derive(Debug, Parser)]
#[command(version = VERSION.as_str(), about = about(), long_about = long_about(), after_help = AFTER_HELP, max_term_width = 100, args_override_self = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

fn about() -> String {
    let titles = Family::titles();
    format!("The conformance suite and reference oracle for the Reshape operators of {titles}")
}

fn long_about() -> String {
    let about = about();
    format!("{about}.\n\nWithout a command it runs the whole suite on the built-in reference.")
}

static VERSION: LazyLock<String> = LazyLock::new(record::in_full);

/// Examples of `run`.
const AFTER_RUN: &str = "\
Examples:
  reshape-conformance run --adapter-command './mine' --core     a first look, in seconds
  reshape-conformance run --adapter onnxruntime 'copied*/**'    the cases whose names begin so
  reshape-conformance run --adapter onnxruntime +after-reshape  one surrounding
  reshape-conformance run --adapter onnxruntime --junit a.xml --html a.html";

const AFTER_HELP: &str = "\
First steps:
  reshape-conformance run --adapter onnxruntime       test ONNX Runtime, after it is installed
  reshape-conformance adapters                        list the backends that can be installed
  reshape-conformance kit python FOLDER               write an example of an adapter
  reshape-conformance run --adapter-command './mine'  test any program that speaks the protocol
  reshape-conformance init --python --github          set up a gate in your CI
  reshape-conformance docs gate                       print a document, such as docs/gate.md

What a fault looks like:
  reshape-conformance run --adapter-command 'reshape-conformance serve --mutant zero-never-copies'

Exit codes: 0 as expected · 2 usage · 4 nothing selected, or no trial run · 5 incomplete: \
interrupted, or parts are missing · 100 failures · 101 only stale known failures · 102 an adapter is not available or \
did not start · 103 an input file is wrong or unreadable · 104 an adapter broke the protocol in its handshake · 105 a \
bug in this program, an output file that cannot be written, or a thread that cannot be started";

/// Declares the commands: each with its arguments and the function that runs it.
macro_rules! commands {
    ($($(#[$meta:meta])* $Command:ident($Arguments:ty) => $run:path,)+) => {
        #[derive(Debug, Subcommand)]
        enum Command {
            /// Run the suite on backends
            #[command(after_help = AFTER_RUN)]
            Run(Box<run_args::RunArgs>),
            $($(#[$meta])* $Command($Arguments),)+
        }

        /// Runs a command. `matches` are the parsed arguments of `run`.
        fn run_command(command: Option<Command>, matches: Option<&ArgMatches>) -> Result<u8, Error> {
            match command.unwrap_or_else(|| Command::Run(Box::default())) {
                Command::Run(arguments) => run::run(*arguments, matches),
                $(Command::$Command(arguments) => $run(&arguments),)+
            }
        }
    };
}

commands! {
    /// Write the reports of a finished run from its event stream
    #[command(subcommand)]
    Report(recorded::ReportCommand) => recorded::render,
    /// Merge the event streams of the parts of a run
    Merge(recorded::MergeArgs) => recorded::merge,
    /// List the trials (or cases) that would run
    List(list::ListArgs) => list::run,
    /// Show a case: its file, its request, its expectation, and the clauses that it covers
    Show(list::ShowArgs) => list::show,
    /// Ask the reference: requests in, answers out, as JSON lines
    Oracle(oracle::OracleArgs) => oracle::run,
    /// Trace what the specifications say about a case, or about a request given as options
    Explain(explain::ExplainArgs) => explain::run,
    /// Check case files, and compare their expectations with the reference
    Lint(lint::LintArgs) => lint::run,
    /// Format case files in YAML
    Fmt(lint::FmtArgs) => lint::fmt,
    Core(core::CoreArgs) => core::run,
    /// Show which clauses the cases cover
    Coverage(coverage::CoverageArgs) => coverage::run,
    /// List the adapters, and install what they need
    Adapters(adapters::AdaptersArgs) => adapters::run,
    /// Check whether an adapter speaks the protocol
    #[command(subcommand)]
    Adapter(adapter::AdapterCommand) => adapter::run,
    /// Run the suite on every mutant, to measure what it detects
    Mutants(mutants::MutantsArgs) => mutants::run,
    /// Search generated trials, beyond the suite, for failures of a backend
    Search(search::SearchArgs) => search::run,
    /// Update an adapter's known failures
    #[command(subcommand)]
    KnownFailures(known_failures::KnownFailuresCommand) => known_failures::run,
    /// Write a new case without its expectation
    New(new::NewArgs) => new::run,
    /// Compare the results of two versions of the suite on the same backends
    #[command(subcommand)]
    Suite(recorded::SuiteCommand) => recorded::diff,
    /// Print the JSON Schema of what this program reads or writes
    Schema(documents::SchemaArgs) => documents::schema,
    /// Show the Reshapes of a model that are invalid, open, or known to be answered differently by a backend
    LintModel(lint_model::LintModelArgs) => lint_model::run,
    /// Read models and node tests as cases
    Import(exchange::ImportArgs) => exchange::import,
    /// Write trials as files of ONNX, OpenVINO or oneDNN, or as JSON, for others to run
    Export(exchange::ExportArgs) => exchange::export,
    /// Speak the adapter protocol on standard input and output
    Serve(oracle::ServeArgs) => oracle::serve,
    /// Write a kit: what an adapter in one language needs to speak the protocol, with an example
    Kit(kit::KitArgs) => kit::run,
    Init(init::InitArgs) => init::run,
    Docs(documents::DocsArgs) => documents::run,
    /// Print the completions of a shell
    Completions(CompletionsArgs) => completions,
}

#[derive(Debug, Args)]
struct CompletionsArgs {
    /// The shell
    shell: clap_complete::Shell,
}

/// Runs the command of this process, and prints its errors.
#[must_use]
pub fn main() -> ExitCode {
    interrupt::survive_file_size_limit();
    // A panic would exit with 101, the code of stale known failures.
    let done = Error::catch("this program", || {
        let matches = Cli::command().get_matches();
        let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        run_command(cli.command, matches.subcommand_matches("run"))
    });
    let code = done.unwrap_or_else(|error| exit_code::after_error(&error));
    ExitCode::from(exit_code::after_printing(code))
}

/// Prints what a shell needs to complete command lines of this program.
fn completions(arguments: &CompletionsArgs) -> Result<u8, Error> {
    let mut text = Vec::new();
    let name = env!("CARGO_PKG_NAME");
    clap_complete::generate(arguments.shell, &mut Cli::command(), name, &mut text);
    style::whole(String::from_utf8_lossy(&text).trim_end());
    Ok(exit_code::AS_EXPECTED)
}
