//! Warnings of a baseline that is of another suite or of other backends than the run.

use super::reports::Reports;
use crate::event::stream::Stream;
use crate::event::{BackendStarted, Event, Reporter, RunStarted};
use crate::report::style::err;

/// The reports of a run. Before an event goes to them, a line on standard error says how the baseline differs.
pub(super) struct Compared<'a> {
    pub(super) baseline: Option<&'a Stream>,
    pub(super) reports: &'a mut Reports,
}

impl Reporter for Compared<'_> {
    fn event(&mut self, event: &Event) {
        if let Some(baseline) = self.baseline {
            let warning = if let Event::RunStarted(run) = event {
                other_suite(baseline, run)
            } else if let Event::BackendStarted(started) = event {
                other_backend(baseline, started)
            } else {
                None
            };
            if let Some(warning) = warning {
                err(format!("warning: {warning}"));
            }
        }
        self.reports.event(event);
    }

    fn doing(&mut self, what: &'static str) {
        self.reports.doing(what);
    }
}

fn other_suite(baseline: &Stream, run: &RunStarted) -> Option<String> {
    if baseline.run.is_same_suite(run) {
        return None;
    }
    Some(format!(
        "the baseline {} is of suite {}, and this run is of suite {}",
        baseline.path.display(),
        baseline.run.suite(),
        run.suite()
    ))
}

fn other_backend(baseline: &Stream, now: &BackendStarted) -> Option<String> {
    let (path, backend) = (baseline.path.display(), &now.backend);
    let Some(records) = baseline.backend(backend) else {
        let names = baseline.run.backends.join(", ");
        return Some(format!(
            "the baseline {path} is of {names}, and has no '{backend}': it is judged as without a baseline"
        ));
    };
    let before = &records.started;
    if (&before.name, &before.version) == (&now.name, &now.version) {
        return None;
    }
    Some(format!(
        "the baseline {path} is of {} {}, and '{backend}' is {} {} now",
        before.name, before.version, now.name, now.version
    ))
}
