//! The arguments of `run`.

use super::config::RedLevel;
use super::environment::PartitionArg;
use super::limits::seconds;
use super::participants::BackendArgs;
use super::reports::ReportArgs;
use super::suite_args::SuiteArgs;
use crate::semantics::operator::Selector;
use clap::Args;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug, Args, Default)]
pub(super) struct RunArgs {
    /// Only trials whose name contains one of these, or matches it as a glob (`*` stays within a part, `**` does not)
    ///
    /// A name is case/operator/element type/binding: 'copied*/onnx.Reshape-14/f32/*'.
    #[arg(value_name = "PATTERN")]
    pub(super) patterns: Vec<String>,
    /// Take each pattern as the full name of one trial
    #[arg(long)]
    pub(super) exact: bool,
    /// Only these operators: a family, one id, or "onnx >= 14"; repeatable
    #[arg(long, value_name = "OPERATOR")]
    pub(super) operator: Vec<Selector>,
    #[command(flatten)]
    pub(super) suite: SuiteArgs,
    #[command(flatten)]
    pub(super) backends: BackendArgs,
    /// Workers for each backend, each with its own instance [default: one for each core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) jobs: Option<u16>,
    /// Run the trials in another order, always the same for the same seed; no verdict may depend on the order
    #[arg(long, value_name = "SEED")]
    pub(super) shuffle: Option<u64>,
    /// Run only this part, such as hash:1/3 or slice:1/3; `merge` joins the events of the parts
    ///
    /// With hash:/3 the number comes from JOB_COMPLETION_INDEX or SLURM_ARRAY_TASK_ID. Bazel's shards need no option.
    #[arg(long, value_name = "PART")]
    pub(super) partition: Option<PartitionArg>,
    /// Run a failed trial again up to N times; one that then passes in the same circumstances is flaky, and not red [default: 0]
    #[arg(long, value_name = "N")]
    pub(super) retries: Option<u32>,
    /// Ask a backend no more after N crashes, hangs and the like in a row with the same message; 0 for never [default: 10]
    #[arg(long, value_name = "N")]
    pub(super) give_up_after: Option<usize>,
    /// Ask a backend no more after N failures
    #[arg(long, value_name = "N")]
    pub(super) max_failures: Option<NonZeroUsize>,
    /// End the run after this time, as Ctrl-C does: the reports say what is missing, and --resume runs it
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) time_limit: Option<Duration>,
    /// End the run, as Ctrl-C does, when standard input ends: with the process that started it
    #[arg(long)]
    pub(super) until_eof: bool,
    /// Which clauses make the run red [default: should]
    #[arg(long, value_name = "LEVEL", value_enum)]
    pub(super) level: Option<RedLevel>,
    /// Compare with the events of an earlier run: only what got worse since is red
    #[arg(long, value_name = "EVENTS")]
    pub(super) baseline: Option<PathBuf>,
    /// Resume the interrupted run that wrote these events: run the remaining trials, and append their events
    #[arg(long, value_name = "EVENTS", conflicts_with = "events")]
    pub(super) resume: Option<PathBuf>,
    /// Run what the project's reshape-conformance.toml says (docs/gate.md); other options override its keys
    ///
    /// The file is looked for in this folder and the folders above. --adapter then selects among its adapters.
    #[arg(long, conflicts_with_all = ["all_adapters", "adapter_command", "known_failures"])]
    pub(super) gate: bool,
    /// The file that --gate reads
    #[arg(long, value_name = "FILE", requires = "gate")]
    pub(super) config: Option<PathBuf>,
    #[command(flatten)]
    pub(super) reports: ReportArgs,
    /// Show every failure in full, and name the skipped and recorded trials
    #[arg(long, short, conflicts_with = "quiet")]
    pub(super) verbose: bool,
    /// Show only the counts
    #[arg(long, short)]
    pub(super) quiet: bool,
    /// The files that the gate reads.
    #[arg(skip)]
    pub(super) gate_files: Vec<PathBuf>,
}

impl RunArgs {
    /// The files that are read, which no report may overwrite.
    pub(super) fn inputs(&self) -> Vec<&Path> {
        let known_failures = &self.backends.known_failures;
        let single = [&self.baseline, &self.resume, known_failures];
        let several = self.suite.cases.iter().chain(&self.gate_files);
        let all = single.into_iter().flatten().chain(several);
        all.map(PathBuf::as_path).collect()
    }
}
