//! Participants: the backends of a run, as the command line names them.

use crate::backend::Backend;
use crate::error::Error;
use crate::event::MemoryRecord;
use crate::verdict::known_failures::KnownFailures;
use std::sync::{Arc, Mutex};

/// A backend that takes part in a run.
pub(crate) struct Participant {
    /// Its name on the command line.
    pub(crate) label: Label,
    /// Its known failures; `None` if they are ignored or it has no such file.
    pub(crate) known_failures: Option<KnownFailures>,
    /// The memory that its processes have used so far.
    pub(crate) memory_used: Arc<Mutex<Option<MemoryRecord>>>,
    /// Starts an instance. Each worker has its own.
    pub(crate) start: Box<Start>,
}

/// Starts an instance of a backend.
pub(crate) type Start = dyn Fn() -> Result<Box<dyn Backend + Send>, Error> + Send + Sync;

/// The name of a backend on the command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Label {
    /// The name in reports.
    pub(crate) name: Arc<str>,
    /// The arguments that make `run` take it, with a space before each.
    pub(crate) arguments: String,
    /// The line of the gate's configuration file that names it; `None` if no such file does.
    pub(crate) config_line: Option<usize>,
    /// The description in its manifest; `None` without a manifest.
    pub(crate) about: Option<String>,
    /// The address for reports of its faults; `None` if no manifest names it.
    pub(crate) tracker: Option<String>,
}
