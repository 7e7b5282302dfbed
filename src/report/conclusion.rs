//! Conclusions: what came of a backend, in a word, the same in every report.

use crate::event::VerdictKind;
use crate::event::stream::{BackendRecords, Stream};

/// What came of a backend, or of a run: of several, the first in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Conclusion {
    /// Trials failed.
    Failed,
    /// Its process died where no trial can be blamed, more often than known failures allow.
    Died,
    /// It did not run to its end.
    Incomplete,
    /// Nothing failed, but known failures are stale.
    Stale,
    /// Everything is as expected.
    AsExpected,
}

impl Conclusion {
    /// What came of a backend.
    pub(super) fn of(stream: &Stream, backend: &BackendRecords) -> Self {
        let counts = backend.counts();
        let unmatched = backend.finished.iter().flat_map(|end| &end.stale);
        // Beside a baseline, stale known failures are not red.
        let is_stale = stream.run.baseline.is_none()
            && (counts.of(VerdictKind::Fixed) > 0 || unmatched.count() > 0);
        match backend.finished {
            _ if counts.red() > 0 => Self::Failed,
            _ if backend.died() => Self::Died,
            None => Self::Incomplete,
            Some(_) if is_stale => Self::Stale,
            Some(_) => Self::AsExpected,
        }
    }

    /// What came of the run.
    pub(super) fn of_run(stream: &Stream) -> Self {
        let backends = stream.backends.iter().map(|of| Self::of(stream, of));
        let missing = (!stream.missing().is_empty()).then_some(Self::Incomplete);
        backends.chain(missing).min().unwrap_or(Self::AsExpected)
    }
}
