//! The backend in a child process.

use super::blame::Blame;
use super::options::ProcessOptions;
use super::supervisor::{Supervisor, start};
use crate::backend::interface::{About, Backend, UnattributedFailures};
use crate::backend::wire;
use crate::error::Error;
use crate::model::call::Call;
use crate::semantics::outcome::{Outcome, ProcessFailure};

/// A child process that speaks the adapter protocol.
#[derive(Debug)]
pub struct ProcessBackend {
    about: About,
    infer_only: bool,
    unread: Vec<String>,
    blame: Blame,
}

impl ProcessBackend {
    /// Starts the adapter, and checks its handshake.
    ///
    /// # Errors
    /// When it does not start, or its handshake breaks the protocol or differs from its manifest.
    pub fn start(options: ProcessOptions) -> Result<Self, Error> {
        let (child, hello, unread) = start(&options)?;
        if hello.protocol != wire::VERSION {
            return Err(options.protocol_error(format!(
                "it requires protocol {}, but this runner speaks {}",
                hello.protocol,
                wire::VERSION
            )));
        }
        let declared = hello.declaration();
        if let Some(manifest) = &options.manifest
            && let Some(difference) = manifest.difference(&declared)
        {
            return Err(options.start_error(format!(
                "does not agree with its manifest in its handshake: {difference}"
            )));
        }
        let mut supports = match &options.manifest {
            Some(manifest) => manifest.supports.clone(),
            None => declared.supports,
        };
        hello
            .narrow(&mut supports)
            .map_err(|what| options.protocol_error(what))?;
        let blame = Blame::new(Supervisor::new(options, child, &hello));
        Ok(Self {
            about: About {
                name: hello.backend.name,
                version: hello.backend.version,
                supports,
            },
            infer_only: hello.infer_only,
            unread,
            blame,
        })
    }

    /// Whether the backend only infers shapes.
    #[must_use]
    pub fn infers_only(&self) -> bool {
        self.infer_only
    }

    /// The fields of its `hello` that nothing reads, each with what it may be meant for.
    pub(crate) fn unread(&self) -> &[String] {
        &self.unread
    }

    /// Ends the child with a `bye` that it must answer. Returns its exit status in words.
    ///
    /// # Errors
    /// When the child was not running, or did not answer correctly.
    pub fn farewell(mut self) -> Result<String, String> {
        self.blame.supervisor.farewell()
    }
}

impl Backend for ProcessBackend {
    fn about(&self) -> About {
        self.about.clone()
    }

    fn reshape(&mut self, call: &Call<'_>) -> Outcome {
        let outcome = self.blame.run_alone(call);
        outcome.unwrap_or_else(|| {
            let gone = self.gone();
            Outcome::Crashed(ProcessFailure {
                what: gone.unwrap_or_else(|| "stopped by the user".to_owned()),
                log: String::new(),
            })
        })
    }

    fn reshape_all(&mut self, calls: &[Call<'_>], done: &mut dyn FnMut(usize, Outcome)) {
        self.blame.run_all(calls, done);
    }

    fn is_stopped(&self) -> bool {
        self.blame.supervisor.is_stopped()
    }

    fn gone(&self) -> Option<String> {
        self.blame.supervisor.gone()
    }

    fn take_unattributed(&mut self) -> UnattributedFailures {
        self.blame.take_unattributed()
    }

    fn finish(&mut self) -> UnattributedFailures {
        self.blame.finish()
    }
}

impl Drop for ProcessBackend {
    fn drop(&mut self) {
        self.finish();
    }
}
