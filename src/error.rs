//! Errors of the harness and of its input files. What a backend does is an outcome, never an error.

use crate::names::Joined;
use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A command of this program, as it is started here: by cargo, by `uvx`, by Python, by its path, or by its name.
pub(crate) fn as_started(command: &str) -> String {
    // What uv installs is never run in its cache.
    let is_cached = |path: PathBuf| {
        let folders = path.components();
        let mut folders = folders.map(|part| part.as_os_str().to_string_lossy());
        folders.any(|folder| folder.starts_with("archive-v"))
    };
    let by_python = std::env::var("RESHAPE_CONFORMANCE_STARTED");
    let typed = std::env::args().next().unwrap_or_default();
    let program = if let Ok(command) = &by_python {
        command
    } else if std::env::var_os("CARGO").is_some() {
        "cargo run --release --"
    } else if std::env::var_os("UV").is_some() && std::env::current_exe().is_ok_and(is_cached) {
        "uvx reshape-conformance"
    } else if typed.contains('/') && !typed.contains(' ') {
        &typed
    } else {
        "reshape-conformance"
    };
    command.replacen("reshape-conformance", program, 1)
}

/// A text, and the name that faults show for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The path as the user gave it, or the path in the built-in suite.
    pub file: Arc<str>,
    /// The whole text.
    pub text: Arc<str>,
}

impl Source {
    /// A source with this name and text.
    #[must_use]
    pub fn new(file: &str, text: &str) -> Self {
        Self {
            file: file.into(),
            text: text.into(),
        }
    }

    /// A source with this name, whose text is these bytes. Fails when they are not UTF-8.
    pub(crate) fn of_bytes(file: &str, bytes: &[u8]) -> Result<Self, Fault> {
        let source = Self::new(file, &String::from_utf8_lossy(bytes));
        let Err(error) = std::str::from_utf8(bytes) else {
            return Ok(source);
        };
        let at = error.valid_up_to();
        Err(Fault::new(&source, at..at, "not UTF-8 from here on").hint("save the file as UTF-8"))
    }

    /// The text of a file, as a source with this name. Fails when it is unreadable, not a regular file (a pipe might
    /// never end), or not UTF-8.
    pub(crate) fn of_file(file: &str, path: &Path) -> Result<Self, Error> {
        let unreadable = |why| Error::unreadable(path, why);
        if !path.metadata().map_err(unreadable)?.is_file() {
            let why = "it is not a regular file; write its text to a file first";
            let why = std::io::Error::new(std::io::ErrorKind::InvalidInput, why);
            return Err(unreadable(why));
        }
        let bytes = std::fs::read(path).map_err(unreadable)?;
        Ok(Self::of_bytes(file, &bytes)?)
    }

    /// The source of faults that are in no file.
    pub(crate) fn nowhere() -> Self {
        static NOWHERE: std::sync::LazyLock<Source> =
            std::sync::LazyLock::new(|| Source::new("", ""));
        NOWHERE.clone()
    }

    /// Line and column of a byte offset, both from 1, the column in characters. A line ends with LF, CR or both.
    #[must_use]
    pub fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let offset = self.text.floor_char_boundary(offset);
        let bytes = self.text.as_bytes();
        let (mut line, mut start) = (1, 0);
        for (at, byte) in bytes[..offset].iter().enumerate() {
            // A CR before a LF does not end a line.
            if *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')) {
                (line, start) = (line + 1, at + 1);
            }
        }
        (line, self.text[start..offset].chars().count() + 1)
    }

    /// The bytes of the line that holds an offset, without its end.
    pub(crate) fn line(&self, offset: usize) -> Range<usize> {
        let offset = self.text.floor_char_boundary(offset);
        let start = self.text[..offset].rfind(['\n', '\r']);
        let start = start.map_or(0, |at| at + 1);
        let end = self.text[start..].find(['\n', '\r']);
        start..end.map_or(self.text.len(), |at| start + at)
    }

    /// The byte offset of a line and column, both from 1, the column in characters.
    pub(crate) fn offset(&self, line: usize, column: usize) -> usize {
        let before = self.text.split_inclusive('\n').take(line.saturating_sub(1));
        let start: usize = before.map(str::len).sum();
        let rest = &self.text[start.min(self.text.len())..];
        start
            + rest
                .char_indices()
                .nth(column.saturating_sub(1))
                .map_or(rest.len(), |(at, _)| at)
    }
}

/// A mistake in a file: where, what, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The file.
    pub source: Source,
    /// The bytes that are wrong.
    pub span: Range<usize>,
    /// What is wrong, in a sentence without a full stop.
    pub message: String,
    /// What to do; `None` if the message suffices.
    pub hint: Option<String>,
}

impl Fault {
    /// A fault at these bytes.
    #[must_use]
    pub fn new(source: &Source, span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            source: source.clone(),
            span,
            message: message.into(),
            hint: None,
        }
    }

    /// The same fault with a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.source.line_and_column(self.span.start);
        write!(f, "{}:{line}:{column}: {}", self.source.file, self.message)
    }
}

impl std::error::Error for Fault {}

/// A failure of the harness.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Every mistake that was found in case files or manifests.
    #[error("{}", .0.iter().joined("\n"))]
    Faults(Vec<Fault>),
    /// The command line names something that does not exist, or contradicts itself.
    #[error("{0}")]
    Usage(String),
    /// No trial is selected.
    #[error("{0}")]
    NothingSelected(String),
    /// An adapter is not installed, did not start, or its handshake failed.
    #[error("adapter '{adapter}' {what}")]
    AdapterStart {
        /// The adapter's name or command.
        adapter: String,
        /// What happened, and what to do.
        what: String,
    },
    /// An adapter violated the protocol in the handshake.
    #[error("adapter '{adapter}' broke the protocol: {what}")]
    Protocol {
        /// The adapter's name or command.
        adapter: String,
        /// What it did.
        what: String,
    },
    /// A file named by the user could not be read.
    #[error("cannot read {}: {why}", path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The system's message.
        why: std::io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {}: {why}", path.display())]
    Unwritable {
        /// The path.
        path: PathBuf,
        /// The system's message.
        why: std::io::Error,
    },
    /// A run that ended early, or a run with missing parts.
    #[error("{0}")]
    Incomplete(String),
    /// The system refused a resource that the program needs, such as a thread.
    #[error("{0}")]
    System(String),
    /// A bug of this program.
    #[error("internal error: {0}; please report it")]
    Internal(String),
}

/// The message of a caught panic; `None` if the panic has no text.
pub(crate) fn panic_words(panic: &(dyn Any + Send)) -> Option<&str> {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
}

impl Error {
    /// Fails with these faults, unless there are none.
    pub(crate) fn if_any(faults: Vec<Fault>) -> Result<(), Self> {
        match faults.is_empty() {
            true => Ok(()),
            false => Err(Self::Faults(faults)),
        }
    }

    pub(crate) fn unreadable(path: &std::path::Path, why: std::io::Error) -> Self {
        Self::Unreadable {
            path: path.to_owned(),
            why,
        }
    }

    pub(crate) fn unwritable(path: &std::path::Path, why: std::io::Error) -> Self {
        Self::Unwritable {
            path: path.to_owned(),
            why,
        }
    }

    /// The error for a thread that the system did not start.
    pub(crate) fn no_thread(why: &std::io::Error) -> Self {
        Self::System(format!("the system did not start a thread: {why}"))
    }

    /// The error of a panic in a part of this program.
    pub(crate) fn of_panic(part: &str, panic: &(dyn Any + Send)) -> Self {
        let words = panic_words(panic).unwrap_or("(no message)");
        Self::Internal(format!("{part} panicked: {words}"))
    }

    /// Runs a part of this program. The error is that of the work, or of its panic.
    pub(crate) fn catch<T>(part: &str, work: impl FnOnce() -> Result<T, Self>) -> Result<T, Self> {
        let done = catch_unwind(AssertUnwindSafe(work));
        done.unwrap_or_else(|panic| Err(Self::of_panic(part, panic.as_ref())))
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::Faults(vec![fault])
    }
}
