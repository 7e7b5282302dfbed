//! What a file says of failures of memory and of deaths, and that it is read or refused. `tests/known_failures.rs` has the rest.

use super::Classification::{Changed, Known};
use super::KnownFailures;
use crate::error::Source;
use crate::event::{
    BackendFinished, DeathRecord, ProcessFailureRecord, UnattributedRecord, is_alike,
};
use crate::semantics::operator::Reason;
use crate::suite::case::Expectation;
use crate::verdict::judge::Verdict;

fn read(text: &str) -> KnownFailures {
    KnownFailures::read(&Source::new("known-failures.yaml", text)).expect("a good file")
}

#[test]
fn a_fault_of_memory_may_end_the_process_instead() {
    let crashed = |severity: &str| {
        let known = read(&format!(
            "- {{trials: [\"**\"], outcome: failed, severity: {severity}, reason: It reads too far.}}\n"
        ));
        known.of_version("1").classify(
            "one/o/f16/b",
            &Expectation::Rejected([Reason::TwoMinusOnes].into()),
            &Verdict::Crashed,
        )
    };
    let reason = || "It reads too far.".to_owned();
    assert_eq!(crashed("memory"), Known(reason()));
    assert_eq!(crashed("wrong-result"), Changed(reason()));
}

/// Whether a backend is red that ended in these ways so often, with what a file says of its deaths.
fn died(entries: &str, deaths: &[(u64, &str)]) -> bool {
    let deaths = deaths.iter().map(|(times, message)| DeathRecord {
        times: *times,
        message: (*message).to_owned(),
        ..DeathRecord::default()
    });
    let deaths: Vec<_> = deaths.collect();
    let finished = BackendFinished {
        unattributed: Some(UnattributedRecord {
            times: deaths.iter().map(|of| of.times).sum(),
            last: ProcessFailureRecord {
                message: deaths.last().expect("a death").message.clone(),
                log: String::new(),
            },
            deaths,
        }),
        allowed_deaths: read(entries).of_version("1").allowed_deaths(),
        ..BackendFinished::default()
    };
    let mut of_an_old_version = finished.clone();
    if let Some(of) = &mut of_an_old_version.unattributed
        && of.deaths.len() == 1
    {
        of.deaths.clear();
        assert_eq!(of_an_old_version.died(), finished.died());
    }
    finished.died()
}

#[test]
fn an_entry_about_deaths_excuses_those_with_its_message() {
    let aborts = "- {deaths: 2, message: 'signal: 6', reason: 'It is torn down twice.'}\n";
    let any = "- {deaths: 1, reason: 'It ends somehow.'}\n";
    let (abort, exit) = ("ended (signal: 6 (SIGABRT))", "ended (exit status: 3)");
    let both = format!("{aborts}{any}");
    for (entries, deaths, expected) in [
        (aborts, &[(2, abort)][..], false),
        (aborts, &[(3, abort)], true),
        (aborts, &[(1, exit)], true),
        (aborts, &[(1, abort), (1, exit)], true),
        (any, &[(1, exit)], false),
        (any, &[(1, exit), (1, abort)], true),
        (&both, &[(1, exit), (2, abort)], false),
        // What is too many for one entry is left to the next.
        (&both, &[(3, abort)], false),
        (&both, &[(3, abort), (1, exit)], true),
        (&both, &[(2, exit)], true),
    ] {
        assert_eq!(died(entries, deaths), expected, "{entries}{deaths:?}");
    }
    let both = "- {deaths: 1, message: 'exit status: 3', reason: 'It exits.'}\n\
                - {deaths: 1, message: 'exit status: 4', reason: 'It exits otherwise.'}\n";
    let otherwise = "ended (exit status: 4)";
    assert!(!died(both, &[(1, exit), (1, otherwise)]));
    assert!(!is_alike(exit, otherwise), "counted apart");
}

#[test]
fn mutated_known_failures_are_read_or_refused() {
    let files: [&[u8]; 2] = [
        include_bytes!("../../../adapters/onnxruntime/known-failures.yaml"),
        include_bytes!("../../../adapters/onednn/known-failures.yaml"),
    ];
    crate::mutations::of(&files, |bytes| {
        let _ = KnownFailures::read(&Source::new("known.yaml", &String::from_utf8_lossy(bytes)));
    });
}
