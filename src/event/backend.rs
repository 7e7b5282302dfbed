//! The start and the end of one backend in a run.

use super::counts::Counts;
use super::outcome::ProcessFailureRecord;
use super::place::Place;
use crate::names::named_enum;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A backend has started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct BackendStarted {
    /// The backend as the command line names it: `onnxruntime`, `openvino:onnx-front-end`, a command, `reference`.
    pub backend: Arc<str>,
    /// What it calls itself in the handshake.
    pub name: String,
    /// The version it says it has.
    pub version: String,
    /// Trials to come.
    pub trials: usize,
    /// The sum of the XXH3-128 hashes of their names, modulo 2^128, as 32 hexadecimal digits; absent in streams of older
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trials_hash: Option<String>,
    /// The arguments of `run` that name it again, with a space before each.
    pub arguments: String,
    /// Whether it does not claim to implement the operators, but is a function that is only similar to them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_similar: bool,
    /// The line of the gate's configuration file that names it, if the run is of a gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_line: Option<usize>,
    /// The suite that it was run with, in a stream that was collected from streams of several suites.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite: Option<String>,
}

/// A backend is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct BackendFinished {
    /// The backend, as in `backend-started`.
    pub backend: Arc<str>,
    /// For every verdict how many.
    pub counts: Counts,
    /// Lines of its known failures that meet no trial.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<Place>,
    /// Lines of its known failures that met no trial of this partition; those that meet none in any are stale.
    #[serde(rename = "unmet", default, skip_serializing_if = "Vec::is_empty")]
    pub unmatched: Vec<Place>,
    /// The memory that its processes used, if the system reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryRecord>,
    /// What went wrong with it and is no trial's outcome, if anything did.
    #[serde(rename = "mishaps", default, skip_serializing_if = "Option::is_none")]
    pub unattributed: Option<UnattributedRecord>,
    /// What its known failures say of deaths for which no trial can be blamed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_deaths: Vec<AllowedDeaths>,
}

impl BackendFinished {
    /// Whether it died where no trial can be blamed, more often than its known failures allow. Of one part of a run, it is only
    /// known whether this part alone is too many.
    pub(crate) fn died(&self) -> bool {
        let allowed = self.allowed_deaths.iter();
        let mut allowed: Vec<_> = allowed.map(|of| (of, of.most)).collect();
        let deaths = self.unattributed.iter();
        let mut deaths = deaths.flat_map(UnattributedRecord::by_message);
        // The first entry takes as many as it allows, and leaves the others to the next.
        deaths.any(|(mut times, message)| {
            let entries = allowed.iter_mut();
            for (_, left) in entries.filter(|(entry, _)| entry.is_about(message)) {
                let taken = times.min(*left);
                (times, *left) = (times - taken, *left - taken);
            }
            times > 0
        })
    }

    /// What went wrong with it and is no trial's outcome, and what is known of that, to be read after its name; `None` if
    /// nothing did.
    pub(crate) fn outside_trials(&self) -> Option<String> {
        let went_wrong = self.unattributed.as_ref()?;
        let known = self.allowed_deaths.iter();
        let known = known.filter(|of| of.occurred(went_wrong)).map(|of| {
            let (most, file, line) = (of.most, &of.place.file, of.place.line);
            format!("\n{file}:{line} allows {most}: {}", of.reason)
        });
        let mut says = went_wrong.to_string();
        // Of what is known, the stream has the details.
        if went_wrong.times > 0 && !self.died() {
            says.truncate(says.find('\n').unwrap_or(says.len()));
        }
        Some(says + &known.collect::<String>())
    }
}

/// A known failure that allows deaths for which no trial can be blamed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct AllowedDeaths {
    /// The most of them.
    pub most: u64,
    /// A part of the message about them; all deaths are meant without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Why the backend dies.
    pub reason: String,
    /// Where the known failure stands, and what is wrong there if the backend does not die.
    pub place: Place,
    /// Whether nothing is wrong then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flaky: bool,
}

impl AllowedDeaths {
    /// Whether such a death went wrong.
    pub(crate) fn occurred(&self, unattributed: &UnattributedRecord) -> bool {
        let mut deaths = unattributed.by_message();
        deaths.any(|(_, message)| self.is_about(message))
    }

    fn is_about(&self, death: &str) -> bool {
        let part = self.message.as_ref();
        part.is_none_or(|part| death.contains(part))
    }
}

/// The resident memory of a backend's processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct MemoryRecord {
    /// The most bytes that one process had, with those that it started.
    pub peak_bytes: u64,
    /// The growth of the process that grew most; `None` if none grew with the number of its trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth: Option<MemoryGrowth>,
}

/// Resident memory of a process that grew with the number of its trials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct MemoryGrowth {
    /// The bytes by which it grew.
    pub bytes: u64,
    /// The number of trials meanwhile.
    pub trials: u64,
}

impl MemoryRecord {
    /// The largest peak and the largest growth.
    pub(crate) fn of_all(all: impl Iterator<Item = Self>) -> Option<Self> {
        all.reduce(|one, other| Self {
            peak_bytes: one.peak_bytes.max(other.peak_bytes),
            growth: one.growth.max(other.growth),
        })
    }
}

impl fmt::Display for MemoryGrowth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, trials } = self;
        write!(
            f,
            "seems to leak: the memory of a process grew by {} MiB in {trials} trials, {} KiB a trial",
            bytes >> 20,
            (bytes >> 10) / trials.max(&1)
        )
    }
}

/// A backend died where no trial can be blamed. Its `backend-finished` says so again, of all its deaths: this is for a run that
/// is stopped before, and resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct BackendDied {
    /// The backend, as in `backend-started`.
    pub backend: Arc<str>,
    /// What went wrong.
    #[serde(rename = "mishaps")]
    pub unattributed: UnattributedRecord,
}

/// A backend did not run, or not to its end: the other trials have no verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct BackendNotRun {
    /// The backend, as in `run-started`.
    pub backend: Arc<str>,
    /// Why, in a word.
    pub why: NotRun,
    /// Why, in full.
    pub message: String,
}

named_enum! {
    /// Why a backend did not run.
    #[derive()]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[cfg_attr(test, schemars(rename_all = "kebab-case"))]
    pub(crate) enum NotRun, "reason why a backend did not run" {
        /// It is not available, did not start, or did not start again.
        DidNotStart = "did-not-start",
        /// It broke the protocol in its handshake.
        ProtocolError = "protocol-error",
        /// It was asked no more, because it failed too often.
        GivenUp = "given-up",
    }
}

/// What went wrong with a backend and is no trial's outcome: a fresh child did not do it again, or it came after the last
/// trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct UnattributedRecord {
    /// How often a process died, hung or ended with an error.
    pub times: u64,
    /// The last that went wrong.
    pub last: ProcessFailureRecord,
    /// What went wrong, each message once; empty in streams of old versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deaths: Vec<DeathRecord>,
}

/// What went wrong with a backend's process, once or several times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct DeathRecord {
    /// How often.
    pub times: u64,
    /// What happened.
    pub message: String,
    /// Whether a further process did not start, which makes no run red.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub did_not_start: bool,
    /// What the process was doing the last time; empty if that is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doing: String,
    /// How many trials the process had received the last time.
    #[serde(default)]
    pub received: usize,
    /// The last of these trials, in order: what the process compiled, ran and released before it died.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trials: Vec<String>,
    /// The command that runs them again in one process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<String>,
}

/// Whether two messages differ at most in their digits, and not in an exit status.
pub(crate) fn is_alike(one: &str, other: &str) -> bool {
    let without_digits =
        |text: &'_ str| -> Vec<char> { text.chars().filter(|c| !c.is_ascii_digit()).collect() };
    let status = |text: &'_ str| -> Option<String> {
        let (_, status) = text.split_once("(exit ")?;
        Some(status.split(')').next()?.to_owned())
    };
    without_digits(one) == without_digits(other) && status(one) == status(other)
}

impl UnattributedRecord {
    /// How often its process died, hung or ended with an error, with the message.
    fn by_message(&self) -> impl Iterator<Item = (u64, &str)> {
        let deaths = self.deaths.iter().filter(|death| !death.did_not_start);
        let times = deaths.clone().map(|death| death.times);
        // Streams of old versions have only the last message.
        let rest = self
            .times
            .saturating_sub(times.fold(0, u64::saturating_add));
        let rest = (rest > 0).then_some((rest, self.last.message.as_str()));
        deaths
            .map(|death| (death.times, death.message.as_str()))
            .chain(rest)
    }

    /// Those of several parts.
    pub(crate) fn of_all<'a>(parts: impl Iterator<Item = &'a Self>) -> Option<Self> {
        parts.cloned().reduce(|before, next| {
            let mut deaths = before.deaths;
            for death in next.deaths {
                let is_same = |of: &&mut DeathRecord| is_alike(&of.message, &death.message);
                match deaths.iter_mut().find(is_same) {
                    Some(same) => same.times = same.times.saturating_add(death.times),
                    None => deaths.push(death),
                }
            }
            Self {
                times: before.times.saturating_add(next.times),
                last: next.last,
                deaths,
            }
        })
    }
}

/// To be read after the backend's name, on several lines.
impl fmt::Display for UnattributedRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = |times| match times {
            1 => "once".to_owned(),
            times => format!("{times} times"),
        };
        match self.times {
            0 => write!(f, "ran with fewer processes than it was to")?,
            of => write!(f, "died {}, and no single trial repeats it", times(of))?,
        }
        if self.deaths.is_empty() {
            write!(f, "; the last time: {}", self.last.message)?;
        }
        for death in &self.deaths {
            write!(f, "\n{}: {}", times(death.times), death.message)?;
            if !death.doing.is_empty() {
                write!(f, ", {}", death.doing)?;
            }
            let (received, named) = (death.received, death.trials.len());
            if let Some(last) = death.trials.last() {
                let trials = if received == 1 { "trial" } else { "trials" };
                write!(
                    f,
                    "\nthat process had run {received} {trials}, the last {last}"
                )?;
            }
            if let Some(again) = &death.again {
                if named < received {
                    write!(f, "; this repeats the last {named} and may not show it")?;
                }
                write!(f, "\nagain: {again}")?;
            }
        }
        Ok(())
    }
}
