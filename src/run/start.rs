//! The options of a run, and its start, as its stream records it: its subject, its cases, and their clauses and open questions.

use super::circuit_breaker::BrakeLimits;
use super::participant::Participant;
use super::request_line::request_line;
use crate::error::Error;
use crate::event::stream::Stream;
use crate::event::{
    CaseOperator, CaseRecord, ClauseRecord, Event, FORMAT, Job, QuestionRecord, RunStarted,
    Selected,
};
use crate::semantics::operator::{Level, OPERATORS, Operator};
use crate::suite::Suite;
use crate::suite::case::{Cover, Expectation};
use crate::suite::partition::Partition;
use crate::suite::plan::{Plan, PlannedCase};
use crate::suite::selection::Selection;
use crate::suite::trial::Trial;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The options of a run of the selected trials.
#[derive(Debug, Default)]
pub(crate) struct RunOptions<'a> {
    /// Workers per participant.
    pub(crate) jobs: usize,
    /// The part of the plan to run; `None` for the whole.
    pub(crate) partition: Option<Partition>,
    /// The number of times that a failed trial is rerun.
    pub(crate) retries: u32,
    /// The largest data to materialize, in bytes; `None` for the default.
    pub(crate) most_data: Option<u64>,
    /// When to stop a backend.
    pub(crate) circuit_breaker: BrakeLimits,
    /// The lowest level that makes the run red.
    pub(crate) level: Level,
    /// An earlier run. A failure that it already had is not red.
    pub(crate) baseline: Option<&'a Stream>,
    /// An interrupted run to resume. Its trials do not run again.
    pub(crate) resume: Option<&'a Stream>,
    /// Whether the suite comes from files of the user.
    pub(crate) own_cases: bool,
    /// The gate's configuration file.
    pub(crate) config: Option<String>,
    /// The commit under test and the address of the job; `None` if unknown.
    pub(crate) job: Job,
    /// Set when the run must end early.
    pub(crate) stop: Arc<AtomicBool>,
}

impl RunOptions<'_> {
    /// Whether the run must end early.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

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
    let operators = selection.operators.iter().flatten();
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
    let since_1970 = since_1970.map_or(0, |since| since.as_millis());
    RunStarted {
        format: FORMAT,
        suite_version: env!("CARGO_PKG_VERSION").to_owned(),
        cases_version: suite.version().map(str::to_owned),
        judged_as: selection.judged.map(|suite| suite.to_string()),
        suite_hash: suite.hash(),
        plan_hash: plan.hash.clone(),
        cases: suite.cases().len(),
        trials: plan.total,
        backends: names.collect(),
        selection: Selected {
            patterns: selection.patterns.clone(),
            exact: selection.exact,
            operators: operators.map(|of| of.name.to_owned()).collect(),
            core: selection.core.as_ref().map(|core| core.strength.clone()),
        },
        partition: options.partition.map(|partition| partition.to_string()),
        seed: selection.seed,
        level: options.level,
        baseline,
        own_cases: options.own_cases,
        config: options.config.clone(),
        started: u64::try_from(since_1970).unwrap_or(0),
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        processor: processor(),
        job: options.job.clone(),
    }
}

/// The processor's model, if the system reports it as Linux does.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let mut lines = text.lines();
    let model = lines.find_map(|line| line.strip_prefix("model name"))?;
    Some(model.trim_start_matches([' ', '\t', ':']).trim().to_owned())
}

/// The selection of a recorded run, without its core. Fails when this program lacks an operator, or a glob is wrong.
pub(crate) fn recorded_selection(recorded: &Selected) -> Result<Selection, Error> {
    let operators = recorded.operators.iter().map(|name| {
        Operator::named(name)
            .ok_or_else(|| Error::Usage(format!("this program has no operator '{name}'")))
    });
    let operators = operators.collect::<Result<Vec<_>, _>>()?;
    let operators = (!operators.is_empty()).then_some(operators);
    Selection::new(&recorded.patterns, recorded.exact, operators).map_err(Error::Usage)
}

/// The cases of a plan, of all parts together.
pub(crate) fn case_records(plan: &Plan) -> Vec<Arc<CaseRecord>> {
    let records = plan.cases.iter().map(|PlannedCase { case, trials }| {
        let (line, _) = case.source.line_and_column(case.span.start);
        Arc::new(CaseRecord {
            case: case.name.clone(),
            file: case.source.file.to_string(),
            line,
            covers: case.covers.iter().map(Cover::name).collect(),
            operators: trials.iter().map(case_operator).collect(),
        })
    });
    records.collect()
}

/// A case as the operator of one of its trials has it.
fn case_operator(trial: &Trial) -> CaseOperator {
    let clauses = trial.case.clauses_of(trial.operator);
    let levels = clauses.iter().map(|of| of.clause.level);
    CaseOperator {
        operator: trial.operator.to_string(),
        level: levels.min().unwrap_or(Level::Open),
        clauses: clauses.iter().map(ToString::to_string).collect(),
        asks: request_line(trial.request()),
        expects: trial.expectation().to_string(),
    }
}

/// The clauses that the plan's cases test, then their open questions, both in the order of their tables.
pub(super) fn vocabulary(plan: &Plan) -> Vec<Event> {
    let trials = || plan.cases.iter().flat_map(|planned| &planned.trials);
    let cited = trials().flat_map(|trial| trial.case.clauses_of(trial.operator));
    let cited: BTreeSet<_> = cited.map(|of| (of.operator.name, of.clause.id)).collect();
    let open = trials().filter_map(|trial| match **trial.expectation() {
        Expectation::Open { question, .. } => Some(question),
        Expectation::Reshaped(_) | Expectation::Rejected(_) => None,
    });
    let open: BTreeSet<_> = open.collect();
    let clauses = OPERATORS.iter().flat_map(Operator::clauses);
    let clauses = clauses.filter(|of| cited.contains(&(of.operator.name, of.clause.id)));
    let clauses = clauses.map(|of| Event::Clause(ClauseRecord::from(&of)));
    let questions = open.into_iter().map(QuestionRecord::from);
    clauses.chain(questions.map(Event::Question)).collect()
}
