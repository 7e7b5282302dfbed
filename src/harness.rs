//! The suite as a test of a Rust author's own backend, without the standard test harness.
//!
//! Each case × operator is one `libtest-mimic` trial, named `file::case::operator`; its element types and bindings run
//! inside. What the backend does not support is shown as ignored. It works under `cargo test` and `cargo nextest`.
//!
//! Only the core of the built-in suite runs, unless the environment has `RESHAPE_CONFORMANCE_WHOLE`, or a part of a name is
//! given. Nodes run alone: a surrounding is a model, and a sequence several runs of one, which only the program asks for
//! (`run --adapter-command`, with [`crate::backend::serve`]).

use crate::backend::{About, Backend};
use crate::event::shorten::is_unsafe;
use crate::event::{Line, LineKind};
use crate::run::failure_lines::failure_lines;
use crate::run::run_calls;
use crate::semantics::operator::Operator;
use crate::semantics::outcome::Outcome;
use crate::suite::case::Case;
use crate::suite::core::Core;
use crate::suite::trial::Trial;
use crate::verdict::judge::{Verdict, judge_trial};
use libtest_mimic::{Arguments, Failed};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

pub use crate::error::Error;
pub use crate::suite::Suite;

/// The environment variable that asks for the whole suite.
const WHOLE: &str = "RESHAPE_CONFORMANCE_WHOLE";

/// Runs the built-in suite on a backend, with the arguments of the test binary. Each trial gets its own backend.
#[allow(clippy::print_stderr, reason = "a test binary")]
pub fn run<B: Backend>(backend: impl Fn() -> B + Clone + Send + Sync + 'static) -> ExitCode {
    match Suite::built_in() {
        Ok(suite) => run_suite(&suite, backend),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a suite on a backend, with the arguments of the test binary: all trials, if it is not the built-in one.
#[allow(clippy::print_stderr, reason = "a test binary")]
pub fn run_suite<B: Backend>(
    suite: &Suite,
    backend: impl Fn() -> B + Clone + Send + Sync + 'static,
) -> ExitCode {
    let arguments = Arguments::from_args();
    let about = Arc::new(backend().about());
    let is_named = arguments.filter.is_some() && !arguments.exact;
    let is_whole = suite.version().is_none() || std::env::var_os(WHOLE).is_some() || is_named;
    if !is_whole && !arguments.exact {
        eprintln!("the core of the suite, each node alone; {WHOLE}=1 runs the whole suite");
    }
    let tests = asked(suite, is_whole).map(|(case, operator, mut trials)| {
        trials.retain(|of| about.supports.takes(of));
        let file = Path::new(&*case.source.file).with_extension("");
        let name = format!("{}::{}::{operator}", file.display(), case.name);
        let ignored = trials.is_empty();
        let (backend, about) = (backend.clone(), Arc::clone(&about));
        let test = move || run_trials(&mut backend(), &about, trials);
        libtest_mimic::Trial::test(name, test).with_ignored_flag(ignored)
    });
    libtest_mimic::run(&arguments, tests.collect()).exit_code()
}

/// Each case and operator with its trials of the node alone, or those of them in the core, where there are any.
fn asked(
    suite: &Suite,
    is_whole: bool,
) -> impl Iterator<Item = (&Arc<Case>, &'static Operator, Vec<Trial>)> {
    let asks =
        move |trial: &Trial| is_whole || Core::built_in().place(&trial.to_string()).is_some();
    let pairs = suite.cases().iter();
    let pairs = pairs.flat_map(|case| case.operators.iter().map(move |operator| (case, *operator)));
    pairs.filter_map(move |(case, operator)| {
        let types = case.element_types(operator).iter();
        let trials = types.flat_map(|element_type| {
            let trial = |binding| Trial::new(Arc::clone(case), operator, *element_type, binding);
            case.bindings(operator).map(trial)
        });
        let trials: Vec<_> = trials.filter(asks).collect();
        (!trials.is_empty()).then_some((case, operator, trials))
    })
}

fn run_trials(backend: &mut dyn Backend, about: &About, trials: Vec<Trial>) -> Result<(), Failed> {
    let mut failures = Vec::new();
    for trial in trials {
        let data = trial.case.data(trial.element_type)?;
        run_calls(backend, &[trial.call(&data)], &mut |_, outcome| {
            let verdict = judge_trial(&trial, &data, &outcome);
            if verdict.kind().is_red() {
                failures.push(describe(&trial, &verdict, &outcome));
            }
        });
        if let Some(why) = backend.gone() {
            return Err(format!("{} {}: {why}", about.name, about.version).into());
        }
    }
    // One failure in full, and the names of the others.
    let Some((first, rest)) = failures.split_first() else {
        return Ok(());
    };
    let names = rest.iter().filter_map(|failure| failure.lines().next());
    let names: Vec<_> = names.collect();
    let more = || format!("\nand {} more:\n  {}", names.len(), names.join("\n  "));
    let more = (!names.is_empty()).then(more).unwrap_or_default();
    Err(format!("{} {}: {first}{more}", about.name, about.version).into())
}

/// The name of a trial, the expectation and the result, and the clauses behind it.
fn describe(trial: &Trial, verdict: &Verdict, outcome: &Outcome) -> String {
    let lines = failure_lines(trial, verdict, Some(outcome));
    let clauses = trial.case.clauses_of(trial.operator).into_iter();
    let clauses =
        clauses.map(|of| format!("{of} ({}): {}", of.clause.level, of.clause.description));
    let lines = lines.iter().map(plain).chain(clauses);
    let indented = lines.flat_map(|line| {
        let lines: Vec<_> = line.lines().map(|line| format!("\n    {line}")).collect();
        lines
    });
    std::iter::once(trial.to_string()).chain(indented).collect()
}

/// A line without color. Control characters and direction marks of a message must not reach the terminal.
fn plain(line: &Line) -> String {
    let text = line.text.replace(is_unsafe, "\u{fffd}");
    match line.kind {
        LineKind::Text | LineKind::Log => text,
        LineKind::Expected => format!("expected  {text}"),
        LineKind::Got => format!("got       {text}"),
        LineKind::Mark => format!("          {text}"),
        LineKind::Same => format!("  {text}"),
        LineKind::Minus => format!("- {text}"),
        LineKind::Plus => format!("+ {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Suite, asked};
    use crate::suite::core::Core;

    #[test]
    fn the_core_is_asked_unless_the_whole_suite_is() {
        let suite = Suite::built_in().unwrap();
        let names = |is_whole| -> Vec<String> {
            let trials = asked(&suite, is_whole).flat_map(|(.., trials)| trials);
            trials.map(|trial| trial.to_string()).collect()
        };
        let (core, whole) = (names(false), names(true));
        assert!(core.len() > 500 && core.len() * 10 < whole.len());
        for name in whole {
            let is_listed = Core::built_in().place(&name).is_some();
            assert_eq!(core.contains(&name), is_listed, "{name}");
        }
    }
}
