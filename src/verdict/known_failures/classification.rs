//! Classifications: how a verdict compares with what was known before the run.

use crate::event::VerdictKind;
use crate::verdict::judge::Verdict;

/// How a verdict compares with the known failures, the baseline and the retries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Classification {
    /// No entry applies to it.
    Unknown,
    /// It fails as an entry expects, for this reason.
    Known(String),
    /// It fails, but an entry expects another failure, for this reason.
    Changed(String),
    /// It does not fail, but an entry expects that it does, for this reason.
    Fixed(String),
    /// It is not run because an entry quarantines it, for this reason.
    Quarantined(String),
    /// It passed when it was run again in the same circumstances.
    Flaky,
    /// It failed when it was run again in the same circumstances, and passed when it was run alone.
    Stateful,
    /// It fails as it did in the baseline.
    Unchanged,
    /// It violates only advice, and the run's level is must.
    Advisory,
    /// It is skipped now, but passed in the baseline.
    Lost,
}

impl Classification {
    /// The reason of the known failure that it rests on; `None` if it rests on another thing.
    #[must_use]
    pub(crate) fn reason(&self) -> Option<&str> {
        match self {
            Self::Known(reason)
            | Self::Changed(reason)
            | Self::Fixed(reason)
            | Self::Quarantined(reason) => Some(reason),
            Self::Unknown
            | Self::Flaky
            | Self::Stateful
            | Self::Unchanged
            | Self::Advisory
            | Self::Lost => None,
        }
    }

    /// The kind under which a trial of this verdict is counted.
    #[must_use]
    pub(crate) fn kind(&self, verdict: &Verdict) -> VerdictKind {
        match self {
            Self::Unknown | Self::Changed(_) => verdict.kind(),
            Self::Known(_) => VerdictKind::Known,
            Self::Fixed(_) => VerdictKind::Fixed,
            Self::Quarantined(_) => VerdictKind::Quarantined,
            Self::Flaky => VerdictKind::Flaky,
            Self::Stateful => VerdictKind::Stateful,
            Self::Unchanged => VerdictKind::Unchanged,
            Self::Advisory => VerdictKind::Advisory,
            Self::Lost => VerdictKind::Lost,
        }
    }
}
