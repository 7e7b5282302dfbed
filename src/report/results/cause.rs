//! Causes: the faults of a backend, each with its failed trials in all configurations of the adapter.

use crate::event::stream::Stream;
use crate::event::{
    BackendStarted, EntryRecord, Expected, FailureKind, Finding, Severity, TrialRecord, VerdictKind,
};
use crate::names::{Grouped, Joined};
use crate::report::digest::{Digest, RunDigest};
use crate::report::markdown::text;
use std::collections::{BTreeMap, BTreeSet};

/// An adapter with its configurations.
pub(super) struct Adapter<'a> {
    pub(super) name: &'a str,
    pub(super) configurations: Vec<&'a Digest<'a>>,
    /// The worst first; for equal severity, the one with the most trials first.
    pub(super) causes: Vec<Cause<'a>>,
    /// Whether it does not claim to implement the operators.
    pub(super) only_similar: bool,
    /// Whether it rewrites models, which another backend runs.
    pub(super) rewrites: bool,
    /// The failed trials for which the adapter, and not its backend, is at fault.
    pub(super) own_faults: Vec<&'a TrialRecord>,
}

/// Why trials fail.
pub(super) struct Cause<'a> {
    /// The id in its known failures; `None` if they have no id.
    pub(super) id: Option<&'a str>,
    /// The reason in the known failure of its example, or that there is no reason yet.
    pub(super) description: String,
    /// The kinds of deviation of its trials.
    pub(super) severities: BTreeSet<Severity>,
    /// With which nodes trials show its worst kind, or any harm to memory or the process: `valid`, `invalid`, `open`.
    pub(super) shown_with: BTreeSet<&'static str>,
    /// The newer release that no longer has it.
    pub(super) absent_in: Option<&'a str>,
    /// Its trials in all configurations.
    pub(super) trials: Vec<&'a TrialRecord>,
}

impl<'a> Cause<'a> {
    /// The worst of its kinds.
    pub(super) fn severity(&self) -> Option<Severity> {
        self.severities.first().copied()
    }

    /// Whether it harms memory or the process with a valid node.
    pub(super) fn harms(&self) -> bool {
        self.severity() <= Some(Severity::Crash) && self.shown_with.contains("valid")
    }

    /// Its kinds; with which nodes it shows a fault, if with no valid one; and the release that no longer has it.
    pub(super) fn title(&self) -> String {
        let entries = self.entries();
        let hangs = |of: &&EntryRecord| of.outcome == Some(VerdictKind::TimedOut);
        let hangs = !entries.is_empty() && entries.iter().all(hangs);
        let kinds = self.severities.iter().map(|of| match hangs {
            true if *of == Severity::Crash => "hang",
            _ => of.name(),
        });
        let mut title = kinds.joined(", ");
        let is_fault = self.severity().is_some_and(Severity::is_fault);
        if is_fault && !(self.shown_with.is_empty() || self.shown_with.contains("valid")) {
            let nodes = self.shown_with.iter().joined(" and ");
            title += &format!(", shown only with {nodes} nodes");
        }
        let absent = self.absent_in.map(|of| format!(", not in {}", text(of)));
        title + &absent.unwrap_or_default()
    }

    /// The entries of its trials, each once.
    pub(super) fn entries(&self) -> BTreeSet<&'a EntryRecord> {
        let entries = |trial: &&'a TrialRecord| trial.known_failure_entry.as_ref();
        self.trials.iter().filter_map(entries).collect()
    }

    /// Its trials of one configuration.
    pub(super) fn of(&self, backend: &Digest<'a>) -> impl Iterator<Item = &'a TrialRecord> {
        let (name, trials) = (backend.name, self.trials.iter().copied());
        trials.filter(move |trial| *trial.backend == *name)
    }

    /// The adapter whose project has it, if that is another one.
    pub(super) fn owner<'b>(&self, adapters: &'b [Adapter<'a>]) -> Option<&'b Adapter<'a>> {
        let (name, _) = self.id?.split_once('/')?;
        adapters.iter().find(|adapter| adapter.name == name)
    }

    /// The section that describes it, if that is another adapter's, whose cause shows through this backend.
    pub(super) fn told_by<'b>(
        &self,
        adapters: &'b [Adapter<'a>],
    ) -> Option<(&'b Adapter<'a>, usize)> {
        let adapter = self.owner(adapters)?;
        let (_, id) = self.id?.split_once('/')?;
        let mut causes = adapter.causes.iter();
        Some((adapter, causes.position(|cause| cause.id == Some(id))?))
    }

    /// The example that its known failures name. Otherwise the smallest of its worst trials, preferably one that the
    /// text decides and that is in no surrounding. Among equals one of f32 comes first, and then the name decides, so
    /// that the page is always the same. A trial that was not run has nothing to show.
    pub(super) fn smallest(&self) -> Option<&'a TrialRecord> {
        let size = |trial: &&TrialRecord| {
            let size = trial.detail.as_ref().map(|detail| detail.size);
            let (rank, elements) = size.unwrap_or((usize::MAX, u64::MAX));
            let milder = trial.severity() != self.severity();
            let entry = trial.known_failure_entry.as_ref();
            let example = entry.and_then(|entry| entry.example.as_deref());
            let is_example = example == Some(trial.trial.as_str());
            (
                !is_example,
                size.is_none(),
                milder,
                (trial.question.is_some(), trial.binding().contains('+')),
                elements,
                rank,
                !trial.trial.contains("/f32/"),
                trial.trial.clone(),
            )
        };
        self.trials.iter().copied().min_by_key(size)
    }
}

/// The adapters of a run, in the order of their first configurations.
pub(super) fn adapters<'a>(run: &'a RunDigest<'a>) -> Vec<Adapter<'a>> {
    let backends = run.backends.iter();
    let backends = backends.map(|backend| (adapter_of(backend.name), backend));
    let adapters = backends.grouped().into_iter();
    let adapters = adapters.map(|(name, of)| adapter(run.stream, name, of));
    adapters.collect()
}

/// What the text calls the node of a trial.
fn nodes(stream: &Stream, trial: &TrialRecord) -> &'static str {
    match stream.case(trial).map(|(_, case)| case.expected()) {
        Some(Expected::Shape) => "valid",
        Some(Expected::Rejected(_)) => "invalid",
        Some(Expected::Open) | None => "open",
    }
}

/// The adapter of a backend, which is `adapter`, `adapter:configuration` or a command.
pub(super) fn adapter_of(backend: &str) -> &str {
    match backend.split_once(':') {
        Some((adapter, _)) if !backend.contains(' ') => adapter,
        _ => backend,
    }
}

fn adapter<'a>(stream: &Stream, name: &'a str, configurations: Vec<&'a Digest<'a>>) -> Adapter<'a> {
    let (mut by_key, mut own_faults) = (BTreeMap::<_, Vec<&TrialRecord>>::new(), Vec::new());
    for backend in &configurations {
        let findings = backend.records.causes();
        let trials = backend.records.trials.iter();
        for trial in trials.filter(|trial| trial.deviates()) {
            let finding = findings.get(trial.trial.as_str()).copied();
            match trial.severity() {
                Some(_) => by_key.entry(key(trial, finding)).or_default().push(trial),
                None => own_faults.push(trial),
            }
        }
    }
    let cause = |((id, reason), trials): ((Option<&'a str>, _), Vec<&'a TrialRecord>)| {
        let severities = trials.iter().flat_map(|trial| trial.severities());
        let worst = trials.iter().filter_map(|of| of.severity()).min();
        // What an entry states beside the failure, only the cause's own script shows.
        let fails_so = |of: &TrialRecord| of.failure.and_then(FailureKind::severity) == worst;
        let shown = trials.iter();
        let shown = shown.filter(|of| of.severity() <= Some(Severity::Crash) || fails_so(of));
        let entries = trials.iter();
        let entries = entries.filter_map(|of| of.known_failure_entry.as_ref());
        let mut cause = Cause {
            id,
            description: reason,
            severities: severities.collect(),
            shown_with: shown.map(|trial| nodes(stream, trial)).collect(),
            absent_in: entries.clone().find_map(|of| of.absent_in.as_deref()),
            trials,
        };
        if id.is_some() {
            let example = cause.smallest().and_then(known_reason);
            cause.description = example.unwrap_or_default().to_owned();
        }
        cause
    };
    let mut causes: Vec<_> = by_key.into_iter().map(cause).collect();
    causes.sort_by_key(|cause| (cause.severity(), std::cmp::Reverse(cause.trials.len())));
    let all = |is: &dyn Fn(&BackendStarted) -> bool| {
        configurations.iter().all(|of| is(&of.records.started))
    };
    Adapter {
        name,
        only_similar: all(&|of| of.only_similar),
        rewrites: all(&|of| of.rewrites),
        configurations,
        causes,
        own_faults,
    }
}

/// Whether a backend ran to its end, was asked at least one trial, and never deviated.
pub(super) fn is_right(backend: &Digest<'_>) -> bool {
    !backend.records.trials.iter().any(TrialRecord::deviates) && is_judged(backend)
}

/// Whether a backend ran to its end, and its answers could be judged.
pub(super) fn is_judged(backend: &Digest<'_>) -> bool {
    unjudged(backend).is_empty() && !backend.has_died()
}

/// Reasons besides the causes why a backend may not do everything that the texts demand; empty without such a reason.
pub(super) fn unjudged(backend: &Digest<'_>) -> Vec<String> {
    let trials = &backend.records.trials;
    let was_asked = trials.iter().any(|trial| trial.verdict.is_asked());
    let own_fault = |trial: &&TrialRecord| trial.deviates() && trial.severity().is_none();
    let own_faults = trials.iter().filter(own_fault).count();
    let whys = [
        (backend.records.finished.is_none()).then(|| "did not run to its end".to_owned()),
        (!was_asked).then(|| "was asked nothing".to_owned()),
        (own_faults > 0).then(|| format!("gave no answer to judge in {own_faults} trials")),
    ];
    whys.into_iter().flatten().collect()
}

/// What the trials of a cause have in common: its id, the reason in known failures, or the result of diagnosis.
fn key<'a>(trial: &'a TrialRecord, finding: Option<&Finding>) -> (Option<&'a str>, String) {
    let reason = known_reason(trial);
    let entry = trial.known_failure_entry.as_ref();
    let id = entry.and_then(|entry| entry.cause.as_deref());
    match (id.filter(|_| reason.is_some()), reason) {
        (Some(id), _) => (Some(id), String::new()),
        (None, Some(reason)) => (None, reason.to_owned()),
        (None, None) => {
            let found = finding.map(|finding| format!("it {}", finding.cause.description));
            let none = || format!("not explained yet: {}", trial.case());
            (None, found.unwrap_or_else(none))
        }
    }
}

/// The reason of a trial's known failure.
fn known_reason(trial: &TrialRecord) -> Option<&str> {
    let rests = matches!(trial.verdict, VerdictKind::Known | VerdictKind::Quarantined);
    trial.known_failure.as_deref().filter(|_| rests)
}
