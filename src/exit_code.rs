//! Exit codes: what they mean is stable.

use crate::error::Error;
use crate::judge::VerdictKind;
use crate::runner::Tally;

/// Everything as it should be.
pub const AS_EXPECTED: u8 = 0;
/// The command line is wrong.
pub const USAGE: u8 = 2;
/// No trial is selected.
pub const NOTHING_SELECTED: u8 = 4;
/// Trials failed.
pub const FAILURES: u8 = 100;
/// Nothing failed, but known failures do not hold any more.
pub const STALE_KNOWN_FAILURES: u8 = 101;
/// An adapter is not available, or did not start.
pub const ADAPTER_DID_NOT_START: u8 = 102;
/// A case file, manifest or request is wrong.
pub const BAD_FILE: u8 = 103;
/// An adapter broke the protocol in its handshake.
pub const PROTOCOL: u8 = 104;
/// A bug of ours, or a file that cannot be read or written.
pub const INTERNAL: u8 = 105;

/// The exit code of a run.
#[must_use]
pub fn of_run(tally: &Tally) -> u8 {
    let stale = tally.stale > 0 || tally.counts.of(VerdictKind::Fixed) > 0;
    match (tally.counts.red() > 0, stale) {
        (true, _) => FAILURES,
        (false, true) => STALE_KNOWN_FAILURES,
        (false, false) => AS_EXPECTED,
    }
}

/// The exit code of an error.
#[must_use]
pub fn of_error(error: &Error) -> u8 {
    match error {
        Error::Faults(_) => BAD_FILE,
        Error::Usage(_) => USAGE,
        Error::NothingSelected(_) => NOTHING_SELECTED,
        Error::AdapterStart { .. } => ADAPTER_DID_NOT_START,
        Error::Protocol { .. } => PROTOCOL,
        Error::File { .. } | Error::Internal(_) => INTERNAL,
    }
}
