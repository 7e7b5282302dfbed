//! Collecting streams of different backends, which different machines may have run, into one.

use super::contents::Stream;
use crate::error::Error;
use crate::event::counts::Counts;
use crate::event::run::{Job, RunFinished, RunStarted};

impl Stream {
    /// The streams as one, with the backends of all of them in this order.
    ///
    /// # Errors
    /// When there is none, one is of a search or a part of a run, two are of different suites, selections or levels, or two
    /// have a backend of the same name.
    pub(crate) fn collect(streams: Vec<Self>) -> Result<Self, Error> {
        let mut streams = streams.into_iter();
        let none = || Error::NothingSelected("there are no event streams".to_owned());
        let mut all = streams.next().ok_or_else(none)?;
        for stream in streams {
            all.check_fits(&stream)?;
            all.add(stream);
        }
        Ok(all)
    }

    /// Checks that both can be in one report.
    fn check_fits(&self, other: &Self) -> Result<(), Error> {
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
        if !self.run.is_same_suite(&other.run) {
            return Err(Error::Incomplete(format!(
                "{path} is of suite {}, and {other_path} of suite {}: one report needs one suite; `suite diff` compares two",
                self.run.suite(),
                other.run.suite()
            )));
        }
        let named_alike = RunStarted {
            backends: self.run.backends.clone(),
            ..other.run.clone()
        };
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

    fn add(&mut self, other: Self) {
        if self.lacks_vocabulary() {
            (self.clauses, self.questions) = (other.clauses, other.questions);
        }
        self.backends.extend(other.backends);
        self.not_run.extend(other.not_run);
        self.stopped = self.stopped.take().or(other.stopped);
        self.finished = match (self.finished.take(), other.finished) {
            (Some(one), Some(two)) => Some(both(&one, &two)),
            _ => None,
        };
        let run = &mut self.run;
        run.backends.extend(other.run.backends);
        run.started = run.started.min(other.run.started);
        if run.system != other.run.system {
            run.system = format!("{}, {}", run.system, other.run.system);
        }
        // What is of one of them alone is not said of both.
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

/// The end of two runs.
fn both(one: &RunFinished, two: &RunFinished) -> RunFinished {
    let mut counts = Counts::default();
    counts.add(&one.counts);
    counts.add(&two.counts);
    let milliseconds = one.milliseconds.zip(two.milliseconds);
    RunFinished {
        counts,
        milliseconds: milliseconds.map(|(one, two)| one + two),
    }
}
