//! The appendix: the number of trials with each result, by backend and operator.

use crate::event::stream::Stream;
use crate::event::{Counts, Severity, VerdictKind};
use crate::names::{Distinct, Joined};
use crate::report::digest::{Digest, NoteKind, RunDigest, Weight};
use crate::report::markdown::{label, text};
use std::collections::BTreeMap;

/// Writes the table, and the failures outside the trials.
pub(super) fn write(page: &mut String, run: &RunDigest<'_>) {
    page.push_str("\n## Appendix: trials\n\n");
    page.push_str(
        "**passed**: as the text says. **recorded**: the text leaves it open. **deviates**: not as the text says, or \
         with a fault of the process. This includes known failures that are not run because they do harm. **apart**: \
         no text defines the behavior: accepted invalid input, inconsistent answers, limits, and faults beside \
         Reshape. **skipped**: the adapter does not claim it, or its sample leaves it out. The numbers add up to the \
         trials. Operators with equal numbers share a row.\n\n",
    );
    page.push_str(
        "| backend | operators | trials | passed | recorded | deviates | apart | skipped |\n\
        |---|---|--:|--:|--:|--:|--:|--:|\n",
    );
    let order = operators(run.stream);
    for backend in &run.backends {
        rows(page, &order, backend);
    }
    for backend in &run.backends {
        let died = backend.notes.iter().filter(|of| of.kind == NoteKind::Died);
        for died in died {
            let mut lines = died.description.lines().map(text);
            let first = lines.next().unwrap_or_default();
            // A known failure gives its reason; the details of other deaths belong to the machine.
            let why = match died.weight {
                Weight::Error => "Its cause is unknown, and may be the adapter.".to_owned(),
                Weight::Warning | Weight::Info => lines.joined(" "),
            };
            *page += &format!("\n{} {first}. {why}\n", label(backend));
        }
    }
}

/// The operators of the run: those of the clauses, in that order, then the others in the order of the cases.
pub(super) fn operators(stream: &Stream) -> Vec<&str> {
    let of_clauses = stream.clauses.iter().map(|clause| clause.operator());
    let cases = stream.cases.iter().flat_map(|case| &case.operators);
    let of_cases = cases.map(|operator| operator.operator.as_str());
    of_clauses.chain(of_cases).distinct()
}

/// A row for each operator of a backend, or for several operators in a row with equal numbers.
fn rows(page: &mut String, order: &[&str], backend: &Digest<'_>) {
    let mut by_operator: BTreeMap<usize, (&str, Counts, usize)> = BTreeMap::new();
    for trial in &backend.records.trials {
        let at = order.iter().position(|name| *name == trial.operator());
        let (_, counts, apart) = by_operator
            .entry(at.unwrap_or(order.len()))
            .or_insert_with(|| (trial.operator(), Counts::default(), 0));
        let is_fault = trial.severities().any(Severity::is_fault);
        *apart += usize::from(trial.deviates() && trial.severity().is_some() && !is_fault);
        counts.count(match trial.deviates() {
            true => VerdictKind::Failed,
            false => trial.judged(),
        });
    }
    let mut rows: Vec<(Vec<&str>, [usize; 6])> = Vec::new();
    for (operator, counts, apart) in by_operator.into_values() {
        let of = |kind| counts.of(kind);
        let (total, skipped) = (counts.total(), of(VerdictKind::Skipped));
        let (passed, recorded) = (of(VerdictKind::Passed), of(VerdictKind::Recorded));
        let deviates = of(VerdictKind::Failed) - apart;
        let numbers = [total, passed, recorded, deviates, apart, skipped];
        match rows.last_mut() {
            // Leave out an operator that the backend does not have at all.
            _ if total == skipped => {}
            Some((operators, last)) if *last == numbers => operators.push(operator),
            _ => rows.push((vec![operator], numbers)),
        }
    }
    for (operators, [trials, passed, recorded, deviates, apart, skipped]) in rows {
        let operators = operators.iter().map(|name| text(name)).joined(", ");
        let deviates = match deviates {
            0 => "0".to_owned(),
            count => format!("**{count}**"),
        };
        *page += &format!(
            "| {} | {operators} | {trials} | {passed} | {recorded} | {deviates} | {apart} | {skipped} |\n",
            label(backend)
        );
    }
}
