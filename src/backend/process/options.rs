//! How to start an adapter, and its limits.

use crate::backend::declaration::Declaration;
use crate::backend::supports::Stated;
use crate::backend::wire;
use crate::error::Error;
use crate::event::MemoryRecord;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The default time limit of the handshake. Large frameworks take long to load.
const HANDSHAKE: Duration = Duration::from_secs(120);

/// How to start an adapter, and its limits.
#[derive(Debug, Clone)]
pub struct ProcessOptions {
    /// The adapter's name in messages.
    pub label: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Environment variables to add.
    pub environment: BTreeMap<String, String>,
    /// The working directory; `None` for this process's own.
    pub folder: Option<PathBuf>,
    /// How long to wait for one reply.
    pub timeout: Duration,
    /// The time to wait for the reply to `hello`, which includes loading the backend: two minutes by default.
    pub handshake_timeout: Duration,
    /// The most resident memory of the process and those it started, in bytes, if reported; `None` for no limit.
    pub memory: Option<u64>,
    /// The most bytes of a message's payload: 256 MiB by default.
    pub most_payload: u64,
    /// Set to end the process immediately and start no other, perhaps from another thread. Every wait for it returns
    /// within a tenth of a second, and the remaining calls get no outcome. Never set by default.
    pub stop: Arc<AtomicBool>,
    /// The memory that the processes used, updated when they end.
    pub(crate) memory_used: Arc<Mutex<Option<MemoryRecord>>>,
    /// What the manifest declares, which the handshake must match; `None` without a manifest.
    pub(crate) manifest: Option<Declaration>,
    /// What the gate's file states of a program without a manifest.
    pub(crate) stated: Stated,
}

impl ProcessOptions {
    /// A command without a manifest or a memory limit, started in this process's working directory.
    #[must_use]
    pub fn new(label: &str, command: Vec<String>, timeout: Duration) -> Self {
        Self {
            label: label.to_owned(),
            command,
            environment: BTreeMap::new(),
            folder: None,
            timeout,
            handshake_timeout: HANDSHAKE,
            memory: None,
            most_payload: wire::MAX_PAYLOAD,
            stop: Arc::default(),
            memory_used: Arc::default(),
            manifest: None,
            stated: Stated::default(),
        }
    }

    /// Whether the process must end immediately.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The error of an adapter that is unusable.
    pub(super) fn start_error(&self, what: String) -> Error {
        Error::AdapterStart {
            adapter: self.label.clone(),
            what,
        }
    }

    /// The error of an adapter that breaks the protocol in its handshake.
    pub(super) fn protocol_error(&self, what: String) -> Error {
        Error::Protocol {
            adapter: self.label.clone(),
            what,
        }
    }
}
