//! The kinds of verdict, as they are counted.

use crate::names::named_enum;

named_enum! {
    /// The kinds of verdict, as they are counted.
    #[derive()]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[cfg_attr(test, schemars(rename_all = "kebab-case"))]
    pub enum VerdictKind, "verdict kind" {
        /// As the text says.
        Passed = "passed",
        /// The text leaves it open.
        Recorded = "recorded",
        /// Not as the text says.
        Failed = "failed",
        /// It ended before it answered.
        Crashed = "crashed",
        /// It did not answer in time.
        TimedOut = "timed-out",
        /// It took more memory than it may.
        OutOfMemory = "out-of-memory",
        /// It broke the protocol.
        ProtocolError = "protocol-error",
        /// Skipped, although it passed in the baseline.
        Lost = "lost",
        /// Failed again after the trials that ran before it, and passed when it was run alone.
        Stateful = "stateful",
        /// Failed as a known failure says.
        Known = "known",
        /// Did not fail, although a known failure says so.
        Fixed = "fixed",
        /// Not run, because a known failure says that it does harm.
        Quarantined = "quarantined",
        /// Failed, and then passed when it was run again in the same circumstances.
        Flaky = "flaky",
        /// Failed just as it did in the baseline.
        Unchanged = "unchanged",
        /// Failed against what the text only advises, where only a must is asked for.
        Advisory = "advisory",
        /// Not asked: the backend's manifest does not claim it, or its sample leaves it out.
        Skipped = "skipped",
    }
}

impl VerdictKind {
    /// Whether it is a failure, and makes a run red.
    #[must_use]
    pub const fn is_red(self) -> bool {
        match self {
            Self::Failed
            | Self::Crashed
            | Self::TimedOut
            | Self::OutOfMemory
            | Self::ProtocolError
            | Self::Lost
            | Self::Stateful => true,
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

    /// Whether the backend was asked.
    pub(crate) fn is_asked(self) -> bool {
        !matches!(self, Self::Skipped | Self::Quarantined)
    }
}
