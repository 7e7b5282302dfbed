//! The start and the end of a run.

use super::verdict::Counts;
use crate::semantics::operator::Level;

records! {
    /// The run begins.
    #[derive(Default)]
    pub(crate) struct RunStarted {
        /// The version of this format, 1.
        pub format: u32,
        /// The version of the program, which contains the built-in suite.
        pub suite_version: String,
        /// The version of the built-in suite, as `cases/CHANGELOG.md` counts it; absent if other cases ran.
        pub cases_version: Option<String> = "Option::is_none",
        /// The version of the built-in suite that the gate's file names: a failure of a newer trial is `new`. Absent if every
        /// trial is judged.
        pub judged_as: Option<String> = "Option::is_none",
        /// A hash of all case files: equal only if every byte of the suite is.
        pub suite_hash: String,
        /// A hash of the names of all selected trials, of every partition: equal if the same trials were selected.
        pub plan_hash: String,
        /// Cases in the suite, selected or not.
        pub cases: usize,
        /// Selected trials for each backend, of all partitions together.
        pub trials: usize,
        /// The backends in their order, as the command line names them.
        pub backends: Vec<String>,
        /// The selection.
        #[serde(default)]
        pub selection: Selected,
        /// Which part this is, such as `hash:1/3`, if it is not the whole.
        pub partition: Option<String> = "Option::is_none",
        /// The seed of a shuffled order, if the order was not the suite's.
        pub seed: Option<u64> = "Option::is_none",
        /// The lowest level that makes the run red: `must` or `should`.
        pub level: Level,
        /// The file of the earlier run that this run is compared with, if there is one.
        pub baseline: Option<String> = "Option::is_none",
        /// Whether the cases come from files that the command line or the configuration names.
        pub own_cases: bool = "std::ops::Not::not",
        /// The gate's configuration file, if a gate ran.
        pub config: Option<String> = "Option::is_none",
        /// The time of its start, in milliseconds since 1970 (UTC).
        pub started: u64,
        /// The operating system and the processor, as Rust names them: `linux x86_64`.
        pub system: String,
        /// The model of the processor, if the system reports it.
        pub processor: Option<String> = "Option::is_none",
        /// The job that ran it.
        #[serde(flatten)]
        pub job: Job,
    }

    /// The job of a CI service.
    #[derive(Default)]
    pub(crate) struct Job {
        /// The commit under test, if the environment names it.
        pub commit: Option<String> = "Option::is_none",
        /// The address of the job's page, if the environment names it.
        pub link: Option<String> = "Option::is_none",
    }

    /// The selection of trials.
    #[derive(Default)]
    pub(crate) struct Selected {
        /// Patterns over the names of trials; empty for all trials.
        #[serde(default)]
        pub patterns: Vec<String>,
        /// Whether each pattern is the full name of a trial.
        #[serde(default)]
        pub exact: bool,
        /// The operators; empty for all operators.
        #[serde(default)]
        pub operators: Vec<String>,
        /// What the core shows as the whole suite does, if only its trials were selected.
        pub core: Option<String> = "Option::is_none",
    }

    /// All backends have finished.
    pub(crate) struct RunFinished {
        /// The verdicts of all backends together.
        pub counts: Counts,
        /// Its duration in milliseconds; `None` for a run that was resumed, or merged from parts.
        pub milliseconds: Option<u64> = "Option::is_none",
    }

    /// The run ended before all of its backends had finished.
    pub(crate) struct RunStopped {
        /// The reason: `interrupted`, a time limit, or an error.
        pub message: String,
    }
}

impl RunStarted {
    /// The suite that ran: its version and the start of its hash.
    pub(crate) fn suite(&self) -> String {
        format!("{} ({})", self.suite_version, self.short_hash())
    }

    /// The start of the suite's hash.
    pub(crate) fn short_hash(&self) -> &str {
        self.suite_hash.get(..8).unwrap_or(&self.suite_hash)
    }

    /// The version of the built-in suite that ran, or else of the program, if its stream is older than the suite's
    /// versions.
    pub(crate) fn version(&self) -> &str {
        self.cases_version.as_ref().unwrap_or(&self.suite_version)
    }

    /// What it is judged as, if it is not judged as the suite that ran: `, judged as 3.1`.
    pub(crate) fn judged(&self) -> Option<String> {
        let suite = self.judged_as.as_ref();
        suite.map(|suite| format!(", judged as {suite}"))
    }

    /// The suite that ran, and what it is judged as: ` of suite 3.2, judged as 3.1`; empty for own cases.
    pub(crate) fn of_suite(&self) -> String {
        let version = self.cases_version.as_ref();
        let judged = self.judged().unwrap_or_default();
        let of_suite = version.map(|version| format!(" of suite {version}{judged}"));
        of_suite.unwrap_or_default()
    }

    /// The suite that ran, with its size: `2.0 (84693771; 454 cases, 45022 trials for each backend)`.
    pub(crate) fn suite_in_full(&self) -> String {
        let hash = self.short_hash();
        let version = match self.own_cases {
            true => "of own cases",
            false => self.version(),
        };
        let (cases, trials) = (self.cases, self.trials);
        format!("{version} ({hash}; {cases} cases, {trials} trials for each backend)")
    }

    /// Whether two runs are of the same suite.
    pub(crate) fn is_same_suite(&self, other: &Self) -> bool {
        (&self.suite_hash, &self.suite_version) == (&other.suite_hash, &other.suite_version)
    }

    /// The difference that prevents two runs from being parts of one, or one from resuming the other; `None` without
    /// such a difference.
    pub(crate) fn differs_from(&self, other: &Self) -> Option<&'static str> {
        let differs = [
            ("suites", !self.is_same_suite(other)),
            ("selections", self.plan_hash != other.plan_hash),
            ("backends", self.backends != other.backends),
            ("levels", self.level != other.level),
            ("keys `suite`", self.judged_as != other.judged_as),
        ];
        let first = differs.iter().find(|(_, differs)| *differs);
        first.map(|(what, _)| *what)
    }
}

impl Selected {
    /// That only the core was selected, and what that means; `None` if the whole suite was.
    pub(crate) fn core_in_words(&self) -> Option<String> {
        let strength = self.core.as_ref()?;
        Some(format!(
            "the core alone: on a backend that is asked all of it, it shows {strength}; the whole suite asks more"
        ))
    }
}
