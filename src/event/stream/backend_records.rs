//! The records of one backend in the stream of a run.

use crate::event::Event;
use crate::event::backend::{BackendFinished, BackendStarted};
use crate::event::death::{BackendDied, UnattributedRecord};
use crate::event::finding::Finding;
use crate::event::resources::MemoryRecord;
use crate::event::trial::{ResultRecord, TrialRecord, TrialSet};
use crate::event::verdict::Counts;
use std::cell::OnceCell;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

/// The records of one backend.
#[derive(Debug, Clone, Default)]
pub(crate) struct BackendRecords {
    /// The start of the backend.
    pub started: BackendStarted,
    /// Its trials, in the order in which they ended.
    pub trials: Vec<TrialRecord>,
    /// Its deaths for which no trial can be blamed, in order.
    pub died: Vec<BackendDied>,
    /// The causes of its failures.
    pub findings: Vec<Finding>,
    /// Its end; `None` if the run stopped before.
    pub finished: Option<BackendFinished>,
    /// The failures that have details: their sizes, names, and indices among the trials.
    detailed: BinaryHeap<((usize, u64), String, usize)>,
    /// Results of its trials: equal ones are held once.
    results: HashSet<Arc<ResultRecord>>,
    /// The indices of its trials, sorted by their names. Computed on first use.
    by_name: OnceCell<Vec<usize>>,
}

impl BackendRecords {
    /// How many failures keep their details.
    const MAX_DETAILED: usize = 20_000;

    /// A backend without results yet.
    pub(crate) fn new(started: BackendStarted) -> Self {
        Self {
            started,
            ..Self::default()
        }
    }

    /// Adds a trial. Keeps the details of only the smallest [`Self::MAX_DETAILED`] failures.
    pub(crate) fn add(&mut self, mut trial: TrialRecord) {
        self.by_name.take();
        self.hold_once(&mut trial);
        if let Some(detail) = &trial.detail {
            let key = (detail.size, trial.trial.clone(), self.trials.len());
            self.detailed.push(key);
        }
        self.trials.push(trial);
        if self.detailed.len() > Self::MAX_DETAILED
            && let Some((_, _, largest)) = self.detailed.pop()
        {
            let mut trial = self.trials[largest].clone();
            trial.drop_details();
            self.hold_once(&mut trial);
            self.trials[largest] = trial;
        }
    }

    /// Shares the result of a trial with others that have an equal one.
    fn hold_once(&mut self, trial: &mut TrialRecord) {
        // A backend's message may differ in each trial.
        if self.results.len() > Self::MAX_DETAILED {
            self.results.clear();
        }
        match self.results.get(&trial.result) {
            Some(equal) => trial.result = Arc::clone(equal),
            None => drop(self.results.insert(Arc::clone(&trial.result))),
        }
    }

    /// Sorts its trials by name. No more trials may follow.
    pub(super) fn sort(&mut self) {
        self.detailed = BinaryHeap::new();
        self.results = HashSet::new();
        self.by_name.take();
        self.trials
            .sort_unstable_by(|one, two| one.trial.cmp(&two.trial));
    }

    /// The number of failures without details, because there are too many failures.
    pub(crate) fn without_details(&self) -> usize {
        let lacks = |trial: &&TrialRecord| trial.detail.is_none() && trial.failure.is_some();
        self.trials.iter().filter(lacks).count()
    }

    /// Checks that this can be its end: each of its trials has one verdict, and the counts are those of its verdicts.
    pub(crate) fn check_finished(&self, finished: &BackendFinished) -> Result<(), String> {
        let (name, there) = (&self.started.backend, self.trials.len());
        let names = || self.trials.iter().map(|trial| &trial.trial);
        let planned = self.started.trials;
        let wrong = |why: &str| Err(format!("'{name}' {why}"));
        let hash = self.started.trials_hash.as_ref();
        let is_planned = hash.is_some_and(|hash| {
            let set: TrialSet = names().collect();
            set.count == planned && set.hash() == *hash
        });
        // A set of a million names is large, and no two of the planned trials have one name.
        let mut seen = HashSet::new();
        if !is_planned && let Some(twice) = names().find(|name| !seen.insert(*name)) {
            return wrong(&format!("has two verdicts for {twice}"));
        }
        if planned != there {
            return wrong(&format!("ends with {there} of its {planned} trials"));
        }
        if hash.is_some() && !is_planned {
            return wrong("ends with other trials than its start announced");
        }
        let died = self.died.iter().map(|died| died.unattributed.times);
        if died.sum::<u64>() > finished.unattributed.as_ref().map_or(0, |of| of.times) {
            return wrong("ends with fewer deaths than its events report");
        }
        match finished.counts == self.counts() {
            true => Ok(()),
            false => wrong("ends with counts that differ from those of its trials"),
        }
    }

    /// Its events, in the stream's order.
    pub(crate) fn events(&self) -> impl Iterator<Item = Event> {
        let trials = self.trials.iter().cloned();
        let died = self.died.iter().cloned().map(Event::BackendDied);
        std::iter::once(Event::BackendStarted(self.started.clone()))
            .chain(trials.map(|trial| Event::Trial(Box::new(trial))))
            .chain(died)
            .chain(self.findings.iter().cloned().map(Event::Finding))
            .chain(self.finished.iter().cloned().map(Event::BackendFinished))
    }

    /// The first finding that explains each explained trial, by name.
    pub(crate) fn causes(&self) -> HashMap<&str, &Finding> {
        let mut causes = HashMap::new();
        for finding in &self.findings {
            for trial in &finding.cause.trials {
                causes.entry(trial.as_str()).or_insert(finding);
            }
        }
        causes
    }

    /// The red trials that no finding explains, smallest first.
    pub(crate) fn unexplained(&self) -> Vec<&TrialRecord> {
        let causes = self.causes();
        let red = self.trials.iter();
        let red = red
            .filter(|trial| trial.verdict.is_red() && !causes.contains_key(trial.trial.as_str()));
        let mut red: Vec<_> = red.collect();
        red.sort_by_key(|trial| trial.by_size());
        red
    }

    /// Failures outside its trials, to be read after its name; `None` if there were none.
    pub(crate) fn unattributed(&self) -> Option<String> {
        match &self.finished {
            Some(finished) => finished.outside_trials(),
            None => {
                let died = self.died.iter().map(|died| &died.unattributed);
                UnattributedRecord::of_all(died).map(|of| of.told(None).to_string())
            }
        }
    }

    /// Whether it died, no trial can be blamed, and no known failure allows it.
    pub(crate) fn died(&self) -> bool {
        self.finished.as_ref().is_some_and(BackendFinished::died)
    }

    /// The resources that its processes used; `None` if they are not known.
    pub(crate) fn memory(&self) -> Option<&MemoryRecord> {
        self.finished.as_ref()?.memory.as_ref()
    }

    /// The trial with this name; `None` if it has not run.
    pub(crate) fn trial(&self, name: &str) -> Option<&TrialRecord> {
        self.position(name).map(|at| &self.trials[at])
    }

    /// The index of the trial with this name; `None` if it has not run.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        let name_at = |at: &usize| self.trials[*at].trial.as_str();
        let by_name = self.by_name.get_or_init(|| {
            let mut indices = Vec::from_iter(0..self.trials.len());
            indices.sort_by(|one, other| name_at(one).cmp(name_at(other)));
            indices
        });
        let found = by_name.binary_search_by(|at| name_at(at).cmp(name));
        Some(by_name[found.ok()?])
    }

    /// The number of its trials with a verdict, in words.
    pub(crate) fn so_far(&self) -> String {
        format!("{} of {} trials", self.trials.len(), self.started.trials)
    }

    /// The verdicts of its trials.
    pub(crate) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for trial in &self.trials {
            counts.count(trial.verdict);
        }
        counts
    }
}
