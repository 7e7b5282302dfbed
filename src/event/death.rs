//! Deaths of a backend's processes for which no trial can be blamed, and the known failures that allow them.

use super::outcome::ProcessFailureRecord;
use super::place::Place;
use super::resources::MemoryRecord;
use std::fmt;
use std::sync::Arc;

/// When a process ended, in the message of a death that no trial can cause.
pub(crate) const AFTER_THE_LAST: &str = "after its last trial";
/// What a process may have been doing besides, at the end of what it did.
pub(crate) const OR_THE_RELEASE: &str = ", or the `release` before";
/// What a process used, in the message of its death.
pub(crate) const TOO_MUCH: &str = "more than its limit";

records! {
    /// A backend died, and no trial can be blamed. Its `backend-finished` repeats all of its deaths. This event serves a
    /// run that stops earlier and is resumed.
    pub(crate) struct BackendDied {
        /// The backend, as in `backend-started`.
        pub backend: Arc<str>,
        /// The deaths so far.
        #[serde(rename = "mishaps")]
        pub unattributed: UnattributedRecord,
    }

    /// A known failure that allows deaths for which no trial can be blamed.
    pub(crate) struct AllowedDeaths {
        /// The most deaths that it allows.
        pub most: u64,
        /// A part of their message; without it, the entry allows any death.
        pub message: Option<String> = "Option::is_none",
        /// Why the backend dies.
        pub reason: String,
        /// The place of the known failure, with the fault to report there if the backend does not die.
        pub place: Place,
        /// Whether a run without such a death is no fault.
        pub flaky: bool = "std::ops::Not::not",
    }

    /// Failures of a backend outside its trials: a fresh child did not repeat them, or they came after the last trial.
    pub(crate) struct UnattributedRecord {
        /// How often a process died, hung or ended with an error.
        pub times: u64,
        /// The last failure.
        pub last: ProcessFailureRecord,
        /// Each message once, with its count; empty in streams of old versions.
        pub deaths: Vec<DeathRecord> = "Vec::is_empty",
    }

    /// A failure of a backend's process that occurred once or several times.
    #[derive(Default)]
    pub(crate) struct DeathRecord {
        /// The number of times.
        pub times: u64,
        /// What happened.
        pub message: String,
        /// Whether a further process did not start. This does not make a run red.
        pub did_not_start: bool = "std::ops::Not::not",
        /// What the process did when it last failed; empty if unknown.
        pub doing: String = "String::is_empty",
        /// The number of trials that the process had received by then.
        #[serde(default)]
        pub received: usize,
        /// The last of these trials, in order: those that the process compiled, ran and released before it died.
        pub trials: Vec<String> = "Vec::is_empty",
        /// The command that runs them again in one process.
        pub again: Option<String> = "Option::is_none",
    }
}

impl AllowedDeaths {
    /// Whether such a death occurred.
    pub(crate) fn occurred(&self, unattributed: &UnattributedRecord) -> bool {
        let mut deaths = unattributed.by_message();
        deaths.any(|(_, message)| self.is_about(message))
    }

    pub(super) fn is_about(&self, death: &str) -> bool {
        let part = self.message.as_ref();
        part.is_none_or(|part| death.contains(part))
    }
}

/// The exit status or signal in a message, in brackets; empty without one.
pub(crate) fn exit_status(message: &str) -> &str {
    let mut all = [("(exit ", ")"), ("(signal: ", "))")].into_iter();
    let found = all.find_map(|(start, end)| {
        let rest = &message[message.find(start)?..];
        Some(&rest[..rest.find(end).map_or(rest.len(), |at| at + end.len())])
    });
    found.unwrap_or_default()
}

/// Whether two messages are equal except for their digits, and their exit status is the same.
pub(crate) fn is_alike(one: &str, other: &str) -> bool {
    let without_digits = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "");
    without_digits(one) == without_digits(other) && exit_status(one) == exit_status(other)
}

impl UnattributedRecord {
    /// How often its process failed, for each message.
    pub(super) fn by_message(&self) -> impl Iterator<Item = (u64, &str)> {
        let deaths = self.deaths.iter().filter(|death| !death.did_not_start);
        let times = deaths.clone().map(|death| death.times);
        // Streams of old versions have only the last message.
        let times = times.fold(0, u64::saturating_add);
        let rest = self.times.saturating_sub(times);
        let rest = (rest > 0).then_some((rest, self.last.message.as_str()));
        let deaths = deaths.map(|death| (death.times, death.message.as_str()));
        deaths.chain(rest)
    }

    /// It in words, on several lines, to be read after the backend's name. `memory` is what its processes took, if known.
    pub(crate) fn told(&self, memory: Option<&MemoryRecord>) -> impl fmt::Display {
        let grows = memory.and_then(|of| Some(of.growth.as_ref()?.each()));
        fmt::from_fn(move |f| {
            let times = |times| match times {
                1 => "once".to_owned(),
                times => format!("{times} times"),
            };
            match self.times {
                0 => write!(f, "ran with fewer processes than it was to")?,
                // Each process counts, so the number would depend on the number of workers.
                _ if self.all_say(AFTER_THE_LAST) => {
                    let status = exit_status(&self.last.message);
                    write!(f, "died {AFTER_THE_LAST} {status}")?
                }
                count => write!(f, "died {}{}", times(count), self.how(grows))?,
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
                    let memory = memory.filter(|_| death.message.contains(TOO_MUCH));
                    let less = memory.and_then(|of| of.limit_for(received, named));
                    let memory = less.map_or(String::new(), |mib| format!(" --memory {mib}"));
                    match less {
                        Some(_) => write!(f, "; this repeats the last {named} with less memory")?,
                        None if named < received => {
                            write!(f, "; this repeats the last {named} and may not show it")?;
                        }
                        None => {}
                    }
                    write!(f, "\nagain: {again}{memory}")?;
                }
            }
            Ok(())
        })
    }

    /// Whether each message contains this.
    fn all_say(&self, part: &str) -> bool {
        self.by_message().all(|(_, message)| message.contains(part))
    }

    /// How it died, to be read after how often.
    fn how(&self, grows: Option<u64>) -> String {
        let status = exit_status(&self.last.message);
        let status = (!status.is_empty() && self.all_say(status)).then(|| format!(" {status}"));
        let of = self.all_say(TOO_MUCH).then_some(", of too much memory");
        if let (Some(of), Some(grows)) = (of, grows) {
            return format!("{of}, which grows by {grows} KiB a trial, as of a leak");
        }
        let mut doing = self.deaths.iter().map(|death| &death.doing);
        let release = doing.any(|of| of.ends_with(OR_THE_RELEASE));
        let release = (release && of.is_none()).then_some(", perhaps at a `release`");
        let repeats = self.deaths.iter().any(|death| death.trials.len() == 1);
        let no_trial = (!repeats).then_some(", and no single trial repeats it");
        let parts = [status.as_deref(), of, release, no_trial];
        parts.into_iter().flatten().collect()
    }

    /// The failures of several parts together.
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
