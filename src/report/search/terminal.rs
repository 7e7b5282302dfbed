//! What a search found, on a terminal.

use crate::event::stream::SearchRecords;
use crate::event::{Counts, CutShort, Found, SearchFinished, TrialRecord};
use crate::report::cause::{as_mutants, as_started, sentence};
use crate::report::diff;
use crate::report::style::{BAD, DIM, GOOD, NOTE, STRONG, out, paint, tame};
use crate::report::totals::{counts_line, print_unattributed};
use crate::suite::generated::trial_named;
use std::time::Duration;

/// Prints a search. `time` is how long it took, if it has just ended.
pub(crate) fn show(search: &SearchRecords, time: Option<Duration>) {
    let started = &search.started;
    out(format!(
        "{} ({} {})",
        paint(STRONG, &started.backend),
        tame(&started.name),
        tame(&started.version)
    ));
    // Without the operators, bindings and so on, which are a long list.
    let space = started.space.split(", in ").next().unwrap_or_default();
    out(paint(DIM, tame(space)));
    for found in &search.found {
        show_found(search, found);
    }
    out("");
    show_end(search, time);
    let count = search.found.len();
    let text = match count {
        1 => "1 finding".to_owned(),
        count => format!("{count} findings"),
    };
    let died = search.finished.as_ref().is_some_and(SearchFinished::died);
    out(paint(if count == 0 && !died { GOOD } else { BAD }, text));
}

fn show_found(search: &SearchRecords, found: &Found) {
    let cause = &found.cause;
    let (mark, says) = (paint(BAD, "✗"), paint(STRONG, sentence(cause)));
    out(format!("\n{mark} {says}: {} failed", cause.trials.len()));
    if !cause.mutants.is_empty() {
        out(format!("  {}", paint(DIM, as_mutants(cause))));
    }
    if found.passes_alone {
        let says = "its smallest trial passes when nothing else is asked: earlier trials matter, and the cause may be another";
        out(format!("  {}", paint(NOTE, says)));
    }
    if let Some(trial) = search.example_of(found) {
        show_trial(trial);
    }
}

fn show_trial(trial: &TrialRecord) {
    let verdict = paint(BAD, trial.judged().name());
    out(format!("  {verdict} {}", tame(&trial.trial)));
    let clauses = trial_named(&trial.trial)
        .map(|trial| trial.case.clauses_of(trial.operator))
        .unwrap_or_default();
    if let Some(detail) = &trial.detail {
        let lines = diff::with_clauses(&detail.diff, clauses.iter().map(diff::says));
        out(diff::indent(&lines));
        out(format!("    again: {}", as_started(&detail.again)));
    }
}

/// The counts, why the search ended early if it did, and what else is to be known about it.
fn show_end(search: &SearchRecords, time: Option<Duration>) {
    let (backend, finished) = (&search.started.backend, search.finished.as_ref());
    let counts = finished.map_or_else(Counts::default, |end| end.counts.clone());
    let took = time.map_or_else(String::new, |time| {
        format!(" in {:.1} s", time.as_secs_f64())
    });
    out(format!(
        "{}{took}",
        counts_line(backend, &counts, counts.total())
    ));
    match finished.map_or(Some(CutShort::Interrupt), |end| end.cut_short) {
        Some(CutShort::Interrupt) => out(paint(NOTE, "it was stopped before its end")),
        Some(CutShort::GivenUp) => out(paint(
            NOTE,
            "it was stopped before its end: the backend fails again and again in the same way (--give-up-after), or did not start again",
        )),
        Some(CutShort::Time) => out(paint(NOTE, "its time was over before its end")),
        None => {}
    }
    let died = finished.is_some_and(SearchFinished::died);
    if let Some(last) = finished.and_then(|end| end.unattributed.as_ref()) {
        print_unattributed(backend, &last.to_string(), last, died);
    }
    let (retained, red) = (search.failures.len(), counts.red());
    if retained >= SearchRecords::MAX_FAILURES && red > retained {
        let note = format!("the causes are those of the {retained} smallest of {red} failures");
        out(paint(NOTE, note));
    }
}
