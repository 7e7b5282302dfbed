//! Merging streams of different backends, which may have run on different machines.

use super::contents::Stream;
use crate::error::Error;
use crate::event::case::CaseRecord;
use crate::event::run::{Job, RunStarted};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

impl Stream {
    /// The streams as one, with all of their backends in this order. `several_suites` is whether the streams may be of
    /// several suites; then each backend names its own. Fails when there is no stream, when one is of a search or a
    /// part of a run, or when two differ in suite, selection or level, or share a backend name.
    pub(crate) fn collect(mut streams: Vec<Self>, several_suites: bool) -> Result<Self, Error> {
        let mut pairs = streams.windows(2);
        if pairs.any(|pair| !pair[0].run.is_same_suite(&pair[1].run)) && several_suites {
            for stream in &mut streams {
                let backends = stream.backends.iter_mut();
                backends.for_each(|of| of.started.suite = Some(stream.run.suite_in_full()));
            }
        }
        let mut streams = streams.into_iter();
        let none = || Error::NothingSelected("there are no event streams".to_owned());
        let mut all = streams.next().ok_or_else(none)?;
        for stream in streams {
            all.check_fits(&stream, several_suites)?;
            all.add(stream);
        }
        Ok(all)
    }

    /// Checks that both can be in one report.
    fn check_fits(&self, other: &Self, several_suites: bool) -> Result<(), Error> {
        let (path, other_path) = (self.path.display(), other.path.display());
        for stream in [self, other] {
            let path = stream.path.display();
            let what = match (&stream.search, &stream.run.partition) {
                (Some(_), _) => "a search, which has a report of its own",
                (None, Some(_)) => "a part of a run; `merge` joins the parts first",
                (None, None) => continue,
            };
            return Err(Error::Usage(format!("{path} is of {what}")));
        }
        let same_suite = self.run.is_same_suite(&other.run);
        if !same_suite && !several_suites {
            return Err(Error::Incomplete(format!(
                "{path} is of suite {}, but {other_path} is of suite {}: a report needs one suite, except a page by \
                `--results`; `suite diff` compares two suites",
                self.run.suite(),
                other.run.suite()
            )));
        }
        let mut named_alike = RunStarted {
            backends: self.run.backends.clone(),
            ..other.run.clone()
        };
        if !same_suite {
            // Two suites can only be compared by the words of the selection.
            let alike = self.run.selection == other.run.selection;
            named_alike.suite_hash.clone_from(&self.run.suite_hash);
            let version = &self.run.suite_version;
            named_alike.suite_version.clone_from(version);
            if alike {
                named_alike.plan_hash.clone_from(&self.run.plan_hash);
            }
        }
        if let Some(what) = self.run.differs_from(&named_alike) {
            return Err(Error::Incomplete(format!(
                "{path} and {other_path} are of different {what}"
            )));
        }
        let mut names = other.run.backends.iter();
        match names.find(|name| self.run.backends.contains(name)) {
            None => Ok(()),
            Some(name) => Err(Error::Incomplete(format!(
                "{path} and {other_path} both have the backend '{name}'"
            ))),
        }
    }

    /// Adds the cases of another suite, and further operators of the same cases.
    fn add_cases(&mut self, others: Vec<Arc<CaseRecord>>) {
        let places = self.cases.iter().enumerate();
        let places: HashMap<_, _> = places.map(|(at, of)| (of.case.clone(), at)).collect();
        for other in others {
            match places.get(&other.case) {
                Some(at) => {
                    let operators = &mut Arc::make_mut(&mut self.cases[*at]).operators;
                    add_new(operators, other.operators.clone(), |of| &of.operator);
                }
                None => self.cases.push(other),
            }
        }
    }

    fn add(&mut self, other: Self) {
        if self.lacks_vocabulary() {
            (self.clauses, self.questions) = (other.clauses, other.questions);
        } else if !self.run.is_same_suite(&other.run) {
            add_new(&mut self.clauses, other.clauses, |clause| &clause.id);
            add_new(&mut self.questions, other.questions, |of| &of.id);
        }
        if !self.run.is_same_suite(&other.run) {
            self.add_cases(other.cases);
        }
        self.backends.extend(other.backends);
        self.not_run.extend(other.not_run);
        self.stopped = self.stopped.take().or(other.stopped);
        self.finished = match (self.finished.take(), other.finished) {
            (Some(mut one), Some(two)) => {
                one.counts.add(&two.counts);
                let both = one.milliseconds.zip(two.milliseconds);
                one.milliseconds = both.map(|(one, two)| one + two);
                Some(one)
            }
            _ => None,
        };
        let run = &mut self.run;
        run.backends.extend(other.run.backends);
        run.started = run.started.min(other.run.started);
        if run.system != other.run.system {
            run.system = format!("{}, {}", run.system, other.run.system);
        }
        // Drop what holds for only one of them.
        if run.processor != other.run.processor {
            run.processor = None;
        }
        if run.job != other.run.job {
            run.job = Job::default();
        }
        if run.config != other.run.config {
            run.config = None;
        }
    }
}

/// Adds the items whose id is new.
fn add_new<T>(items: &mut Vec<T>, others: Vec<T>, id: impl Fn(&T) -> &String) {
    let known: HashSet<String> = items.iter().map(|item| id(item).clone()).collect();
    let others = others.into_iter();
    items.extend(others.filter(|other| !known.contains(id(other))));
}
