//! The start and the end of one backend in a run.

use super::death::{AllowedDeaths, UnattributedRecord};
use super::place::Place;
use super::resources::MemoryRecord;
use super::verdict::Counts;
use crate::names::named_enum;
use std::sync::Arc;

records! {
    /// A backend has started.
    #[derive(Default)]
    pub(crate) struct BackendStarted {
        /// The backend as the command line names it: `onnxruntime`, `openvino:onnx-front-end`, a command, `reference`.
        pub backend: Arc<str>,
        /// What it calls itself in the handshake.
        pub name: String,
        /// The version it says it has.
        pub version: String,
        /// Trials to come.
        pub trials: usize,
        /// The sum of the XXH3-128 hashes of their names, modulo 2^128, as 32 hexadecimal digits; absent in streams of
        /// older versions.
        pub trials_hash: Option<String> = "Option::is_none",
        /// The arguments that make `run` take this backend, with a space before each.
        pub arguments: String,
        /// Whether it is only similar to the operators and does not claim to implement them.
        pub only_similar: bool = "std::ops::Not::not",
        /// Whether it rewrites models, which another backend runs.
        pub rewrites: bool = "std::ops::Not::not",
        /// The line of the gate's configuration file that names it, if a gate ran.
        pub config_line: Option<usize> = "Option::is_none",
        /// The description in its manifest, if it has one.
        pub about: Option<String> = "Option::is_none",
        /// The address for reports of its faults. Backends with the same address are one project.
        pub tracker: Option<String> = "Option::is_none",
        /// The suite that it ran with, in a stream collected from streams of several suites.
        pub suite: Option<String> = "Option::is_none",
    }

    /// A backend has finished.
    #[derive(Default)]
    pub(crate) struct BackendFinished {
        /// The backend, as in `backend-started`.
        pub backend: Arc<str>,
        /// The number of each verdict.
        pub counts: Counts,
        /// Lines of its known failures that match no trial.
        pub stale: Vec<Place> = "Vec::is_empty",
        /// Lines of its known failures that matched no trial of this partition. Lines that match no trial of any partition
        /// are stale.
        #[serde(rename = "unmet")]
        pub unmatched: Vec<Place> = "Vec::is_empty",
        /// The memory and other resources that its processes used, if the system reports them.
        pub memory: Option<MemoryRecord> = "Option::is_none",
        /// Failures outside its trials, if there were any.
        #[serde(rename = "mishaps")]
        pub unattributed: Option<UnattributedRecord> = "Option::is_none",
        /// The deaths that its known failures allow where no trial can be blamed.
        pub allowed_deaths: Vec<AllowedDeaths> = "Vec::is_empty",
    }

    /// A backend did not run, or not to its end. The remaining trials have no verdict.
    pub(crate) struct BackendNotRun {
        /// The backend, as in `run-started`.
        pub backend: Arc<str>,
        /// The reason, in a word.
        pub why: NotRun,
        /// The reason, in full.
        pub message: String,
    }
}

impl BackendFinished {
    /// Whether it died more often than its known failures allow, where no trial can be blamed. For a part of a run,
    /// only the deaths of that part count.
    pub(crate) fn died(&self) -> bool {
        let mut allowed: Vec<_> = self.allowed_deaths.iter().map(|of| (of, of.most)).collect();
        let deaths = self.unattributed.iter();
        let mut deaths = deaths.flat_map(UnattributedRecord::by_message);
        // The first entry takes as many as it allows, and leaves the rest to the next.
        deaths.any(|(mut times, message)| {
            let entries = allowed.iter_mut();
            for (_, left) in entries.filter(|(entry, _)| entry.is_about(message)) {
                let taken = times.min(*left);
                (times, *left) = (times - taken, *left - taken);
            }
            times > 0
        })
    }

    /// Failures outside its trials, with the known failures about them, to be read after its name; `None` if there were
    /// none.
    pub(crate) fn outside_trials(&self) -> Option<String> {
        let went_wrong = self.unattributed.as_ref()?;
        let known = self.allowed_deaths.iter();
        let known = known.filter(|of| of.occurred(went_wrong)).map(|of| {
            let (most, file, line) = (of.most, &of.place.file, of.place.line);
            format!("\n{file}:{line} allows {most}: {}", of.reason)
        });
        let mut description = went_wrong.told(self.memory.as_ref()).to_string();
        // The stream has the details of the known ones.
        if went_wrong.times > 0 && !self.died() {
            description.truncate(description.find('\n').unwrap_or(description.len()));
        }
        Some(description + &known.collect::<String>())
    }
}

named_enum! {
    /// Why a backend did not run.
    pub(crate) enum NotRun, "reason why a backend did not run" {
        /// It is not available, did not start, or did not start again.
        DidNotStart = "did-not-start",
        /// It broke the protocol in its handshake.
        ProtocolError = "protocol-error",
        /// The run stopped it, because it failed too often.
        GivenUp = "given-up",
    }
}
