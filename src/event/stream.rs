//! Streams: the events of a run, read again from their file, to report them, to go on with it, to compare with it.
//!
//! A file that ends in the middle of a line is of a run that was killed: that line is left out.

use crate::error::{Error, Fault, Source};
use crate::event::{
    BackendFinished, BackendStarted, CaseOperator, CaseRecord, ClauseRecord, Counts, Event, FORMAT,
    Finding, Found, Passed, QuestionRecord, RunFinished, RunStarted, SearchFinished, SearchStarted,
    TrialRecord,
};
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The longest line that is read: what a backend says is cut long before it is written.
const MOST_LINE_BYTES: u64 = 16 << 20;
/// How many names stand in one line.
const NAMES_IN_A_LINE: usize = 500;

/// The events of a run.
#[derive(Debug, Default)]
pub struct Stream {
    /// Where it was read.
    pub path: PathBuf,
    /// How the run began.
    pub run: RunStarted,
    /// The clauses that its cases test; empty in a stream of a version that did not write them.
    pub clauses: Vec<ClauseRecord>,
    /// The questions that the texts leave open for its cases; empty in a stream of a version that did not write them.
    pub questions: Vec<QuestionRecord>,
    /// The cases it took trials of.
    pub cases: Vec<CaseRecord>,
    /// Its backends, as far as it came.
    pub backends: Vec<BackendRecords>,
    /// How it ended, if it did.
    pub finished: Option<RunFinished>,
    /// The search, if it is of one.
    pub search: Option<SearchRecords>,
    /// How many bytes of the file are whole lines.
    pub whole: u64,
    /// Where each trial is, once that is asked.
    places: OnceCell<HashMap<(String, String), (usize, usize)>>,
    by_name: OnceCell<HashMap<String, usize>>,
}

/// What a stream holds of a search.
#[derive(Debug, Clone)]
pub struct SearchRecords {
    /// What was searched.
    pub started: SearchStarted,
    /// What failed, the smallest first: as much as is kept.
    pub failures: Vec<TrialRecord>,
    /// The names of some that passed.
    pub passed: Vec<String>,
    /// What the failures have in common.
    pub found: Vec<Found>,
    /// How it ended, if it did.
    pub finished: Option<SearchFinished>,
}

/// What a stream holds of one backend.
#[derive(Debug, Clone)]
pub struct BackendRecords {
    /// Who it is.
    pub started: BackendStarted,
    /// What came of its trials, in the order in which they ended.
    pub trials: Vec<TrialRecord>,
    /// What its failures have in common.
    pub findings: Vec<Finding>,
    /// How it ended, if it did.
    pub finished: Option<BackendFinished>,
}

impl SearchRecords {
    /// The most failures that are kept: the smallest.
    pub(crate) const MOST_FAILURES: usize = 20_000;

    /// One of which nothing is known yet.
    pub(crate) fn begun(started: SearchStarted) -> Self {
        Self {
            started,
            failures: Vec::new(),
            passed: Vec::new(),
            found: Vec::new(),
            finished: None,
        }
    }

    /// Its events, in the stream's order.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        let failures = self
            .failures
            .iter()
            .map(|trial| Event::Trial(Box::new(trial.clone())));
        let passed = self.passed.chunks(NAMES_IN_A_LINE).map(|names| {
            Event::Passed(Passed {
                trials: names.to_vec(),
            })
        });
        let found = self
            .found
            .iter()
            .cloned()
            .map(|found| Event::Found(Box::new(found)));
        let finished = self.finished.iter().cloned().map(Event::SearchFinished);
        std::iter::once(Event::SearchStarted(self.started.clone()))
            .chain(failures)
            .chain(passed)
            .chain(found)
            .chain(finished)
    }

    /// The trial that stands for a finding: the smallest that was made of it, or else the smallest that was met.
    #[must_use]
    pub fn stands_for<'a>(&'a self, found: &'a Found) -> Option<&'a TrialRecord> {
        let met = || {
            self.failures
                .iter()
                .find(|failure| Some(&failure.trial) == found.cause.trials.first())
        };
        found.smallest.as_ref().or_else(met)
    }
}

impl BackendRecords {
    /// Its events, in the stream's order.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        let trials = self
            .trials
            .iter()
            .map(|trial| Event::Trial(Box::new(trial.clone())));
        let findings = self.findings.iter().cloned().map(Event::Finding);
        let finished = self.finished.iter().cloned().map(Event::BackendFinished);
        std::iter::once(Event::BackendStarted(self.started.clone()))
            .chain(trials)
            .chain(findings)
            .chain(finished)
    }

    /// The finding that explains each trial that one explains.
    pub(crate) fn causes(&self) -> HashMap<&str, &Finding> {
        let mut causes = HashMap::new();
        for finding in &self.findings {
            for trial in &finding.cause.trials {
                causes.entry(trial.as_str()).or_insert(finding);
            }
        }
        causes
    }

    /// The red trials that no finding explains, the smallest first.
    pub(crate) fn unexplained(&self) -> Vec<&TrialRecord> {
        let causes = self.causes();
        let mut red: Vec<_> = self
            .trials
            .iter()
            .filter(|trial| trial.verdict.is_red())
            .collect();
        red.retain(|trial| !causes.contains_key(trial.trial.as_str()));
        red.sort_by_key(|trial| (trial.detail.as_ref().map(|story| story.size), &trial.trial));
        red
    }

    /// The trial of that name.
    pub(crate) fn trial(&self, name: &str) -> Option<&TrialRecord> {
        self.trials.iter().find(|trial| trial.trial == name)
    }

    /// Its verdicts so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.trials
            .iter()
            .for_each(|trial| counts.count(trial.verdict));
        counts
    }
}

impl Stream {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or a line is no event.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let failed = |why| Error::unreadable(path, why);
        let file = std::fs::File::open(path).map_err(failed)?;
        let (mut reader, mut stream) = (
            BufReader::new(file),
            Self {
                path: path.to_owned(),
                ..Self::default()
            },
        );
        let (mut line, mut number, mut begun) = (Vec::new(), 0, false);
        loop {
            line.clear();
            number += 1;
            let read = (&mut reader)
                .take(MOST_LINE_BYTES)
                .read_until(b'\n', &mut line)
                .map_err(failed)?;
            if read == 0 || (!line.ends_with(b"\n") && (read as u64) < MOST_LINE_BYTES) {
                break;
            }
            let event = event(path, number, &line)?;
            if !begun && !matches!(event, Event::RunStarted(_) | Event::SearchStarted(_)) {
                let message =
                    "no event stream: it does not begin with 'run-started' or 'search-started'";
                return Err(fault(path, number, &line, 0, message).into());
            }
            begun = true;
            stream
                .take(event)
                .map_err(|why| fault(path, number, &line, 0, &why))?;
            stream.whole += read as u64;
        }
        if !begun {
            return Err(fault(
                path,
                1,
                &line,
                0,
                "no event stream: there is no whole line in it",
            )
            .into());
        }
        Ok(stream)
    }

    /// Takes one more event.
    ///
    /// # Errors
    /// When it cannot follow those before.
    pub fn take(&mut self, event: Event) -> Result<(), String> {
        let backend = |stream: &mut Self, name: &str| {
            let last = stream
                .backends
                .len()
                .checked_sub(1)
                .filter(|last| *stream.backends[*last].started.backend == *name);
            last.ok_or_else(|| format!("it speaks of '{name}', which has not started"))
        };
        match event {
            Event::RunStarted(_) if self.search.is_some() => {
                return Err("a run in the stream of a search".to_owned());
            }
            Event::RunStarted(_) if self.run.format != 0 => {
                return Err("a second 'run-started'".to_owned());
            }
            Event::RunStarted(run)
                if run.backends.iter().collect::<HashSet<_>>().len() < run.backends.len() =>
            {
                return Err("it names a backend twice".to_owned());
            }
            Event::RunStarted(run) if run.format != FORMAT => {
                return Err(format!(
                    "format {}; this program reads format {FORMAT}",
                    run.format
                ));
            }
            Event::RunStarted(run) => self.run = run,
            Event::Clause(clause) => self.clauses.push(clause),
            Event::Question(question) => self.questions.push(question),
            Event::Case(case) => self.cases.push(case),
            Event::BackendStarted(started) => {
                // A run that was taken up again says once more who it is.
                if self
                    .backends
                    .last()
                    .is_none_or(|last| last.started != started)
                {
                    if self
                        .backends
                        .iter()
                        .any(|backend| backend.started.backend == started.backend)
                    {
                        return Err(format!("'{}' starts a second time", started.backend));
                    }
                    self.backends.push(BackendRecords {
                        started,
                        trials: Vec::new(),
                        findings: Vec::new(),
                        finished: None,
                    });
                }
            }
            Event::Trial(trial) => match &mut self.search {
                Some(search) => search.failures.push(*trial),
                None => {
                    let at = backend(self, &trial.backend)?;
                    self.backends[at].trials.push(*trial);
                }
            },
            Event::Finding(finding) => {
                let at = backend(self, &finding.backend)?;
                self.backends[at].findings.push(finding);
            }
            Event::BackendFinished(finished) => {
                let at = backend(self, &finished.backend)?;
                self.backends[at].finished = Some(finished);
            }
            Event::RunFinished(finished) => self.finished = Some(finished),
            Event::SearchStarted(started) if started.format != FORMAT => {
                return Err(format!(
                    "format {}; this program reads format {FORMAT}",
                    started.format
                ));
            }
            Event::SearchStarted(_) if self.run.format != 0 => {
                return Err("a search in the stream of a run".to_owned());
            }
            Event::SearchStarted(_) if self.search.is_some() => {
                return Err("a second 'search-started'".to_owned());
            }
            Event::SearchStarted(started) => self.search = Some(SearchRecords::begun(started)),
            Event::Passed(passed) => self
                .search
                .as_mut()
                .ok_or("no search has begun")?
                .passed
                .extend(passed.trials),
            Event::Found(found) => self
                .search
                .as_mut()
                .ok_or("no search has begun")?
                .found
                .push(*found),
            Event::SearchFinished(end) => {
                self.search.as_mut().ok_or("no search has begun")?.finished = Some(end)
            }
            Event::Unknown => {}
        }
        Ok(())
    }

    /// The same with each backend's trials in the order of their names, in which reports show them.
    pub(crate) fn sort(&mut self) {
        for backend in &mut self.backends {
            backend.trials.sort_by(|a, b| a.trial.cmp(&b.trial));
        }
        self.places.take();
    }

    /// What a case asks of an operator, and what it tests.
    pub(crate) fn case(&self, trial: &TrialRecord) -> Option<(&CaseRecord, &CaseOperator)> {
        let cases = self.by_name.get_or_init(|| {
            self.cases
                .iter()
                .enumerate()
                .map(|(at, case)| (case.case.clone(), at))
                .collect()
        });
        let case = self.cases.get(*cases.get(&trial.case)?)?;
        Some((
            case,
            case.operators
                .iter()
                .find(|one| one.operator == trial.operator)?,
        ))
    }

    /// The clause of that id, if the stream describes it.
    pub(crate) fn clause(&self, id: &str) -> Option<&ClauseRecord> {
        self.clauses.iter().find(|clause| clause.id == id)
    }

    /// The events that describe clauses and questions.
    pub(crate) fn vocabulary(&self) -> impl Iterator<Item = Event> {
        let clauses = self.clauses.iter().cloned().map(Event::Clause);
        clauses.chain(self.questions.iter().cloned().map(Event::Question))
    }

    /// Whether a version wrote it that did not describe clauses and questions before the cases.
    pub(crate) fn lacks_vocabulary(&self) -> bool {
        !self.cases.is_empty() && self.clauses.is_empty() && self.questions.is_empty()
    }

    /// All events of a run, in order.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        let cases = self.cases.iter().cloned().map(Event::Case);
        let backends = self.backends.iter().flat_map(BackendRecords::events);
        let finished = self.finished.iter().cloned().map(Event::RunFinished);
        std::iter::once(Event::RunStarted(self.run.clone()))
            .chain(self.vocabulary())
            .chain(cases)
            .chain(backends)
            .chain(finished)
    }

    /// What came of a trial of a backend, if it was run.
    #[must_use]
    pub fn trial(&self, backend: &str, trial: &str) -> Option<&TrialRecord> {
        let places = self.places.get_or_init(|| {
            let backends = self.backends.iter().enumerate();
            let all = backends
                .flat_map(|(at, backend)| (0..backend.trials.len()).map(move |index| (at, index)));
            all.map(|(at, index)| {
                let trial = &self.backends[at].trials[index];
                (
                    (trial.backend.to_string(), trial.trial.clone()),
                    (at, index),
                )
            })
            .collect()
        });
        let (at, index) = places.get(&(backend.to_owned(), trial.to_owned()))?;
        Some(&self.backends[*at].trials[*index])
    }

    /// A backend that the run was done with.
    #[must_use]
    pub fn finished(&self, backend: &str) -> Option<&BackendRecords> {
        self.backends
            .iter()
            .find(|one| *one.started.backend == *backend && one.finished.is_some())
    }

    /// What came of a backend's trials so far.
    #[must_use]
    pub fn trials_of(&self, backend: &str) -> Vec<&TrialRecord> {
        let of = self
            .backends
            .iter()
            .filter(|one| *one.started.backend == *backend);
        of.flat_map(|one| &one.trials).collect()
    }

    /// Whether a run that would begin so is this one, and so can go on with it.
    ///
    /// # Errors
    /// What differs.
    pub fn can_go_on_as(&self, run: &RunStarted) -> Result<(), Error> {
        let partition = (self.run.partition != run.partition).then_some("partitions");
        match self.run.differs_from(run).or(partition) {
            Some(what) => {
                let path = self.path.display();
                let why = format!(
                    "{path} and this run are of different {what}; resume it with the arguments it was started with"
                );
                Err(Error::Usage(why))
            }
            None => Ok(()),
        }
    }

    /// Whether a run of these cases and trials could have told this so far. (A stream that was changed since would have
    /// events lost or told twice.)
    ///
    /// # Errors
    /// What it could not have told.
    pub(crate) fn is_a_beginning_of(
        &self,
        vocabulary: &[Event],
        cases: &[CaseRecord],
        planned: &HashSet<String>,
    ) -> Result<(), Error> {
        let wrong = |why: String| {
            Err(Fault::new(&Source::new(&self.path.to_string_lossy(), ""), 0..0, why).into())
        };
        let described: Vec<_> = self.vocabulary().collect();
        if !vocabulary.starts_with(&described)
            || (!self.cases.is_empty() && described.len() < vocabulary.len())
        {
            return wrong("its clauses and questions are not those of this run".to_owned());
        }
        if !cases.starts_with(&self.cases)
            || (!self.backends.is_empty() && self.cases.len() < cases.len())
        {
            return wrong("its cases are not those of this run".to_owned());
        }
        for backend in &self.backends {
            let mut seen = HashSet::new();
            for trial in &backend.trials {
                if !planned.contains(&trial.trial) {
                    return wrong(format!("this run has no trial {}", trial.trial));
                }
                if !seen.insert(&trial.trial) {
                    return wrong(format!("it tells twice of {}", trial.trial));
                }
            }
            if backend.finished.is_some() && seen.len() < planned.len() {
                return wrong(format!(
                    "'{}' has finished there without all of its trials",
                    backend.started.backend
                ));
            }
        }
        if self.finished.is_some()
            && self
                .backends
                .iter()
                .filter(|one| one.finished.is_some())
                .count()
                < self.run.backends.len()
        {
            return wrong("it has finished without all of its backends".to_owned());
        }
        Ok(())
    }

    /// Whether a backend is the one that this stream tells of.
    ///
    /// # Errors
    /// When it is another version of it.
    pub fn is_of(&self, backend: &str, name: &str, version: &str) -> Result<(), Error> {
        let Some(was) = self
            .backends
            .iter()
            .find(|one| *one.started.backend == *backend)
            .map(|one| &one.started)
        else {
            return Ok(());
        };
        if was.version == version && was.name == name {
            return Ok(());
        }
        let path = self.path.display();
        Err(Error::Usage(format!(
            "{path} is of {} {}, and '{backend}' is {name} {version} now",
            was.name, was.version
        )))
    }
}

fn event(path: &Path, number: usize, line: &[u8]) -> Result<Event, Error> {
    serde_json::from_slice(line).map_err(|why| {
        let text = why.to_string();
        let text = text.split(" at line ").next().unwrap_or_default();
        fault(
            path,
            number,
            line,
            why.column(),
            &format!("no event: {text}"),
        )
        .into()
    })
}

fn fault(path: &Path, number: usize, line: &[u8], column: usize, message: &str) -> Fault {
    let text = String::from_utf8_lossy(line);
    let text: String = text.trim_end().chars().take(240).collect();
    // The lines before are not kept; a source of as many empty ones has the right numbers.
    let source = Source::new(
        &path.to_string_lossy(),
        &format!("{}{text}", "\n".repeat(number.saturating_sub(1))),
    );
    let start = number.saturating_sub(1);
    let at = start + column.saturating_sub(1).min(text.len());
    Fault::new(
        &source,
        at..(at + 1).min(source.text.len().max(at)),
        message,
    )
    .hint("the streams that `run --events` writes are described in docs/events.md")
}
