//! What several failures have in common.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What several failures have in common.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Cause {
    /// What the backend seems to do, to be read after "it".
    pub says: String,
    /// The mutants that do so: one, or two at once; none if it is only what the failures share.
    pub mutants: Vec<String>,
    /// Where it does so, if not everywhere: operators, element types, bindings.
    pub only: Vec<String>,
    /// How many trials of these places it would fail although the backend passed them: 0 if nothing speaks against it.
    pub against: usize,
    /// Whether too much speaks against it to say it plainly.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub doubtful: bool,
    /// Other mutants that nothing in the run tells from it.
    pub or: Vec<String>,
    /// The names of the trials that it explains: first the one of which `alone` says after what it fails, then smallest first.
    pub trials: Vec<String>,
    /// The command that compares the expectation with the reference's answer, if the reference answers as the backend does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lint: Option<String>,
    /// What came of these trials when they were run alone, if they passed there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone: Option<Alone>,
}

/// Failures that pass alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Alone {
    /// They fail after other trials.
    Stateful {
        /// The fewest trials found after which the first of them fails, in order; empty if none were found in time.
        after: Vec<String>,
        /// The command that runs these and then the first of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        again: Option<String>,
    },
    /// They pass after the same trials, too.
    Unsteady,
}

impl Alone {
    /// Failures after other trials, of which it is not known which.
    pub(crate) const fn after_unknown() -> Self {
        Self::Stateful {
            after: Vec::new(),
            again: None,
        }
    }
}

impl Cause {
    /// The same, and what came of this one of its trials.
    pub(crate) fn tell(&mut self, example: &str, alone: Alone) {
        if let Some(at) = self.trials.iter().position(|name| name == example) {
            self.trials[..=at].rotate_right(1);
        }
        self.alone = Some(alone);
    }

    /// What failures share that no mutant explains, and how many trials pass that share it too.
    pub(crate) fn without_mutant(says: String, against: usize, trials: Vec<String>) -> Self {
        Self {
            says,
            against,
            trials,
            ..Self::default()
        }
    }
}

/// What several failures of a backend have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Finding {
    /// The backend, as in `backend-started`.
    pub backend: Arc<str>,
    /// What they have in common.
    #[serde(flatten)]
    pub cause: Cause,
}
