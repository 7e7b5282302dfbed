//! The kinds of verdict, as they are counted.

use serde::{Deserialize, Serialize};

/// The kinds of verdict, as they are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum VerdictKind {
    /// As the text says.
    Passed,
    /// The text leaves it open.
    Recorded,
    /// Not as the text says.
    Failed,
    /// It ended before it answered.
    Crashed,
    /// It did not answer in time.
    TimedOut,
    /// It took more memory than it may.
    OutOfMemory,
    /// It broke the protocol.
    ProtocolError,
    /// Skipped, although it passed in the baseline.
    Lost,
    /// Failed as a known failure says.
    Known,
    /// Did not fail, although a known failure says so.
    Fixed,
    /// Not run, because a known failure says that it does harm.
    Quarantined,
    /// Failed, and then did something else when it was run again.
    Flaky,
    /// Failed just as it did in the baseline.
    Unchanged,
    /// Failed against what the text only advises, where only a must is asked for.
    Advisory,
    /// Not asked: the backend's manifest says that it cannot do this.
    Skipped,
}

impl VerdictKind {
    /// Every kind, in the order they are shown.
    pub const ALL: &'static [Self] = &[
        Self::Passed,
        Self::Recorded,
        Self::Failed,
        Self::Crashed,
        Self::TimedOut,
        Self::OutOfMemory,
        Self::ProtocolError,
        Self::Lost,
        Self::Known,
        Self::Fixed,
        Self::Quarantined,
        Self::Flaky,
        Self::Unchanged,
        Self::Advisory,
        Self::Skipped,
    ];

    /// The name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Recorded => "recorded",
            Self::Failed => "failed",
            Self::Crashed => "crashed",
            Self::TimedOut => "timed-out",
            Self::OutOfMemory => "out-of-memory",
            Self::ProtocolError => "protocol-error",
            Self::Lost => "lost",
            Self::Known => "known",
            Self::Fixed => "fixed",
            Self::Quarantined => "quarantined",
            Self::Flaky => "flaky",
            Self::Unchanged => "unchanged",
            Self::Advisory => "advisory",
            Self::Skipped => "skipped",
        }
    }

    /// Whether it is a failure, and makes a run red.
    #[must_use]
    pub const fn is_red(self) -> bool {
        match self {
            Self::Failed
            | Self::Crashed
            | Self::TimedOut
            | Self::OutOfMemory
            | Self::ProtocolError
            | Self::Lost => true,
            Self::Passed
            | Self::Recorded
            | Self::Known
            | Self::Fixed
            | Self::Quarantined
            | Self::Flaky
            | Self::Unchanged
            | Self::Advisory
            | Self::Skipped => false,
        }
    }
}
