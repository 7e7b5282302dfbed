//! Exit codes. Their meaning is stable.

use crate::error::Error;
use crate::event::stream::{SearchRecords, Stream};
use crate::event::{CutShort, NotRun, SearchFinished, VerdictKind};
use crate::report::number::counted;
use crate::report::{fault, style};
use crate::run::Tally;
use std::io::ErrorKind;

/// Everything is as expected.
pub(super) const AS_EXPECTED: u8 = 0;
/// The command line is wrong.
pub(super) const USAGE: u8 = 2;
/// No trial is selected.
pub(super) const NOTHING_SELECTED: u8 = 4;
/// The run was interrupted, or parts of it are missing.
pub(super) const INCOMPLETE: u8 = 5;
/// Trials failed, or a backend died where no trial can be blamed.
pub(super) const FAILURES: u8 = 100;
/// Nothing failed, but known failures are stale.
pub(super) const STALE_KNOWN_FAILURES: u8 = 101;
/// An adapter is not available, or did not start.
pub(super) const ADAPTER_DID_NOT_START: u8 = 102;
/// An input file (cases, manifest, configuration, requests, events) is wrong or unreadable.
pub(super) const BAD_FILE: u8 = 103;
/// An adapter broke the protocol in its handshake.
pub(super) const PROTOCOL: u8 = 104;
/// A bug in this program, or a file that it cannot write.
pub(super) const INTERNAL: u8 = 105;

/// The exit code of a command, by whether it found a fault.
pub(super) fn red_if(is_red: bool) -> u8 {
    if is_red { FAILURES } else { AS_EXPECTED }
}

/// The exit code of a run. With a baseline, stale known failures do not count.
pub(crate) fn of_run(tally: &Tally, baseline: bool) -> u8 {
    if tally.cut_short {
        return INCOMPLETE;
    }
    let stale = !baseline && (tally.stale > 0 || tally.counts.of(VerdictKind::Fixed) > 0);
    match (tally.counts.red() > 0 || tally.died, tally.not_run, stale) {
        (true, _, _) => FAILURES,
        (false, Some(NotRun::DidNotStart), _) => ADAPTER_DID_NOT_START,
        (false, Some(NotRun::ProtocolError), _) => PROTOCOL,
        // It failed again and again, in its trials or outside them.
        (false, Some(NotRun::GivenUp), _) => FAILURES,
        (false, None, true) => STALE_KNOWN_FAILURES,
        (false, None, false) => AS_EXPECTED,
    }
}

/// Prints why a run is red, if it is. With a baseline, stale known failures do not count.
pub(super) fn print_why(tally: &Tally, findings: usize, baseline: bool) {
    let listed = |count: usize| if baseline { 0 } else { count };
    let mut why = Vec::new();
    let mut add = |count: usize, what, how| {
        why.extend((count > 0).then(|| counted(count, what) + how));
    };
    add(tally.counts.red(), "new failure", "");
    add(findings, "finding", " in them");
    let (died, not_run) = (tally.died.into(), tally.not_run.is_some().into());
    add(died, "backend", " died outside its trials");
    add(not_run, "adapter", " did not run to its end");
    let fixed = tally.counts.of(VerdictKind::Fixed);
    add(listed(fixed), "fixed trial", " still listed");
    add(listed(tally.stale), "stale pattern", " still listed");
    if !why.is_empty() {
        style::out(format!("red: {}", why.join("; ")));
    }
}

/// The exit code of the run in a stream.
pub(super) fn of_stream(stream: &Stream) -> u8 {
    let breaks_off = stream.finished.is_none() && stream.not_run.is_empty();
    let mut tally = Tally {
        not_run: stream.not_run.first().map(|of| of.why),
        cut_short: breaks_off || stream.stopped.is_some(),
        ..Tally::default()
    };
    stream.backends.iter().for_each(|of| tally.add(of));
    of_run(&tally, stream.run.baseline.is_some())
}

/// The exit code of a search: incomplete if it was interrupted before it found a failure, but not at its time limit.
pub(super) fn of_search(search: &SearchRecords) -> u8 {
    let end = search.finished.as_ref();
    let cut_short = end.map_or(Some(CutShort::Interrupt), |end| end.cut_short);
    let is_red = !search.found.is_empty() || end.is_some_and(SearchFinished::died);
    match (!is_red, cut_short) {
        (false, _) | (true, Some(CutShort::GivenUp)) => FAILURES,
        (true, Some(CutShort::Interrupt)) => INCOMPLETE,
        (true, Some(CutShort::Time) | None) => AS_EXPECTED,
    }
}

/// The exit code of a command that ended with `code` and could not write some of its files. Prints the errors.
pub(super) fn after_writing(code: u8, unwritten: &[Error]) -> u8 {
    unwritten.iter().for_each(fault::print);
    let green = matches!(code, AS_EXPECTED | STALE_KNOWN_FAILURES);
    unwritten.first().filter(|_| green).map_or(code, of_error)
}

/// The exit code of a command that ended with `code`, after its printing. A reader of standard output that stops
/// reading (`| head`) is no error.
pub(super) fn after_printing(code: u8) -> u8 {
    let broken = style::broken().filter(|kind| *kind != ErrorKind::BrokenPipe);
    let Some(kind) = broken else { return code };
    fault::print_error(&format!("standard output cannot be written: {kind}"));
    if code == AS_EXPECTED { INTERNAL } else { code }
}

/// Prints the error of a command. Returns its exit code.
pub(super) fn after_error(error: &Error) -> u8 {
    fault::print(error);
    of_error(error)
}

/// The exit code of an error.
fn of_error(error: &Error) -> u8 {
    match error {
        Error::Faults(_) | Error::Unreadable { .. } => BAD_FILE,
        Error::Usage(_) => USAGE,
        Error::NothingSelected(_) => NOTHING_SELECTED,
        Error::AdapterStart { .. } => ADAPTER_DID_NOT_START,
        Error::Protocol { .. } => PROTOCOL,
        Error::Incomplete(_) => INCOMPLETE,
        Error::Unwritable { .. } | Error::System(_) | Error::Internal(_) => INTERNAL,
    }
}
