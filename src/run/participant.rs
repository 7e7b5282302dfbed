//! Participants: the backends of a run, as the command line names them.

use crate::backend::Backend;
use crate::error::Error;
use crate::event::MemoryRecord;
use crate::verdict::known_failures::KnownFailures;
use std::fmt;
use std::sync::{Arc, Mutex};

/// A backend that takes part in a run.
pub(crate) struct Participant {
    /// How the command line names it.
    pub(crate) label: Label,
    /// Its known failures; `None` if they are ignored or it has no file of them.
    pub(crate) known_failures: Option<KnownFailures>,
    /// What its processes have used so far.
    pub(crate) memory_used: Arc<Mutex<Option<MemoryRecord>>>,
    /// Starts an instance; each worker has its own.
    pub(crate) start: Box<Start>,
}

/// Starts an instance of a backend.
pub(crate) type Start = dyn Fn() -> Result<Box<dyn Backend + Send>, Error> + Send + Sync;

impl fmt::Debug for Participant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Participant")
            .field("label", &self.label)
            .finish_non_exhaustive()
    }
}

/// How the command line names a backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Label {
    /// The name in reports.
    pub(crate) name: Arc<str>,
    /// The arguments of `run` that select it, with a space before each.
    pub(crate) arguments: String,
    /// The line of the gate's configuration file that names it; `None` if no such file does.
    pub(crate) config_line: Option<usize>,
    /// What its manifest says that it is; `None` without a manifest.
    pub(crate) about: Option<String>,
    /// Where its faults are reported; `None` if no manifest names the place.
    pub(crate) tracker: Option<String>,
}
