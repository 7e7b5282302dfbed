//! Exit codes: what they mean is stable.

use crate::error::Error;
use crate::event::Counts;

/// Everything as it should be.
pub const AS_EXPECTED: u8 = 0;
/// The command line is wrong.
pub const USAGE: u8 = 2;
/// No trial is selected.
pub const NOTHING_SELECTED: u8 = 4;
/// Trials failed.
pub const FAILURES: u8 = 100;
/// An adapter is not available, or did not start.
pub const ADAPTER_DID_NOT_START: u8 = 102;
/// A case file, manifest or request is wrong.
pub const BAD_FILE: u8 = 103;
/// An adapter broke the protocol in its handshake.
pub const PROTOCOL: u8 = 104;
/// A bug of ours, or a file that cannot be read or written.
pub const INTERNAL: u8 = 105;

/// The exit code of a run with these verdicts.
#[must_use]
pub fn of_counts(counts: &Counts) -> u8 {
    if counts.red() == 0 { AS_EXPECTED } else { FAILURES }
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
