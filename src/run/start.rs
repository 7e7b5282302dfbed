//! The start of a run, as recorded in its stream.

use super::options::RunOptions;
use super::participant::Participant;
use crate::error::Error;
use crate::event::{FORMAT, RunStarted, Selected};
use crate::semantics::operator::Operator;
use crate::suite::Suite;
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use std::time::{SystemTime, UNIX_EPOCH};

/// The first event of a run.
pub(crate) fn run_started(
    suite: &Suite,
    selection: &Selection,
    plan: &Plan,
    participants: &[Participant],
    options: &RunOptions<'_>,
) -> RunStarted {
    let names = participants.iter().map(|of| of.label.name.to_string());
    let baseline = options.baseline.map(|of| of.path.display().to_string());
    RunStarted {
        format: FORMAT,
        suite_version: env!("CARGO_PKG_VERSION").to_owned(),
        cases_version: suite.version().map(str::to_owned),
        suite_hash: suite.hash(),
        plan_hash: plan.hash().to_owned(),
        cases: suite.cases().len(),
        trials: plan.total(),
        backends: names.collect(),
        selection: selection_record(selection),
        partition: options.partition.map(|partition| partition.to_string()),
        seed: selection.seed(),
        level: options.level,
        baseline,
        own_cases: options.own_cases,
        config: options.config.clone(),
        started: milliseconds_since_1970(),
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        processor: processor(),
        job: options.job.clone(),
    }
}

/// The processor's model, where the system says it as Linux does.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let model = text
        .lines()
        .find_map(|line| line.strip_prefix("model name"))?;
    Some(model.trim_start_matches([' ', '\t', ':']).trim().to_owned())
}

fn milliseconds_since_1970() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(0))
}

fn selection_record(selection: &Selection) -> Selected {
    let operators = selection.operators().unwrap_or_default().iter();
    Selected {
        patterns: selection.patterns().to_vec(),
        exact: selection.is_exact(),
        operators: operators.map(|of| of.name.to_owned()).collect(),
    }
}

/// The selection of a recorded run.
///
/// # Errors
/// When this program does not have one of its operators, or a pattern is not a valid glob.
pub(crate) fn recorded_selection(recorded: &Selected) -> Result<Selection, Error> {
    let operator = |name: &String| {
        Operator::named(name)
            .ok_or_else(|| Error::Usage(format!("this program has no operator '{name}'")))
    };
    let operators = recorded.operators.iter().map(operator);
    let operators = operators.collect::<Result<Vec<_>, _>>()?;
    let operators = (!operators.is_empty()).then_some(operators);
    Selection::new(&recorded.patterns, recorded.exact, operators).map_err(Error::Usage)
}
