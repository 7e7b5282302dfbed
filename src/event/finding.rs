//! What several failures have in common.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

records! {
    /// What several failures have in common.
    #[derive(Default)]
    pub(crate) struct Cause {
        /// Its id, the same in every run that finds it: the mutants, or the words of `says` without counts and messages.
        pub id: String = "String::is_empty",
        /// What the backend seems to do, to be read after "it".
        #[serde(rename = "says")]
        pub description: String,
        /// The mutants that do this: one, or two combined; empty if it is only what the failures share.
        pub mutants: Vec<String>,
        /// Where it does this, if not everywhere: operators, element types or bindings, or what the requests share, after
        /// "where".
        pub only: Vec<String>,
        /// The number of trials in these places that it would fail but the backend passed; 0 if no trial contradicts it.
        pub against: usize,
        /// Whether the evidence is too weak to state it plainly: too many trials contradict it, or few show a pair of mutants.
        pub doubtful: bool = "std::ops::Not::not",
        /// Other mutants that the run cannot distinguish from it. Without `mutants`, each of these explains it.
        pub or: Vec<String>,
        /// The names of the trials that it explains, simplest first. The trial that `alone` describes comes before the
        /// others.
        pub trials: Vec<String>,
        /// How to claim less, if the backend is not meant to do what it refuses; `None` if a manifest cannot express it.
        pub claim_less: Option<String> = "Option::is_none",
        /// The command that compares the expectation with the reference's answer, if the reference answers like the
        /// backend.
        pub lint: Option<String> = "Option::is_none",
        /// The result of running these trials alone, if they passed there.
        pub alone: Option<Alone> = "Option::is_none",
    }

    /// What several failures of a backend have in common.
    pub(crate) struct Finding {
        /// The backend, as in `backend-started`.
        pub backend: Arc<str>,
        /// What they have in common.
        #[serde(flatten)]
        pub cause: Cause,
    }
}

/// Failures that pass alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Alone {
    /// They fail after other trials.
    Stateful {
        /// The fewest trials after which the first of them fails, in order; empty if none were found in time.
        after: Vec<String>,
        /// The command that runs these trials and then the first of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        again: Option<String>,
    },
    /// They also pass after the same trials.
    Unsteady,
}

impl Alone {
    /// Failures after unknown other trials.
    pub(crate) const fn after_unknown() -> Self {
        Self::Stateful {
            after: Vec::new(),
            again: None,
        }
    }
}

/// The most characters of an id.
const MAX_ID: usize = 80;

/// An id of these words: lower-case letters, digits and hyphens.
pub(crate) fn id_of(words: &str) -> String {
    let mut id = String::new();
    for c in words.chars().map(|c| c.to_ascii_lowercase()) {
        if c.is_ascii_alphanumeric() {
            id.push(c);
        } else if !id.is_empty() && !id.ends_with('-') {
            id.push('-');
        }
    }
    if id.len() > MAX_ID {
        let hash = xxhash_rust::xxh3::xxh3_64(id.as_bytes());
        id.truncate(MAX_ID - 9);
        id = format!("{}-{:08x}", id.trim_end_matches('-'), hash as u32);
    }
    id.trim_end_matches('-').to_owned()
}

impl Cause {
    /// Records the result of running `example`, one of its trials, alone.
    pub(crate) fn tell(&mut self, example: &str, alone: Alone) {
        if let Some(at) = self.trials.iter().position(|name| name == example) {
            self.trials[..=at].rotate_right(1);
        }
        self.alone = Some(alone);
    }

    /// What failures share that no mutant explains, with the number of trials that share it but pass.
    pub(crate) fn without_mutant(description: String, against: usize, trials: Vec<String>) -> Self {
        Self {
            id: id_of(&description),
            description,
            against,
            trials,
            ..Self::default()
        }
    }
}
