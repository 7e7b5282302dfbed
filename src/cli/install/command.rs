//! Commands of an installation: what they print goes into the progress bar, and is shown when they fail.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{self, Stdio};

/// The most lines shown of a command that failed.
const MAX_LINES: usize = 15;

pub(super) struct Command(process::Command);

impl Command {
    /// This program.
    pub(super) fn new(program: impl AsRef<std::ffi::OsStr>) -> Self {
        let mut command = process::Command::new(program);
        command.stdin(Stdio::null());
        Self(command)
    }

    /// A program and its arguments.
    pub(super) fn of(words: &[String]) -> Self {
        Self::new(words.first().map_or("", String::as_str)).args(words.iter().skip(1))
    }

    /// With these arguments after the others.
    pub(super) fn args(
        mut self,
        arguments: impl IntoIterator<Item: AsRef<std::ffi::OsStr>>,
    ) -> Self {
        self.0.args(arguments);
        self
    }

    /// With this variable in its environment.
    pub(super) fn env(mut self, name: &str, value: &str) -> Self {
        self.0.env(name, value);
        self
    }

    /// What it prints on standard output; `None` if it does not start or fails.
    pub(super) fn output(mut self) -> Option<String> {
        let output = self.0.stderr(Stdio::null()).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        output.status.success().then_some(text)
    }

    /// Runs it to its end, and hands over each line that it prints. If it fails, the error has what it printed last.
    pub(super) fn run(mut self, each: &mut dyn FnMut(&str)) -> Result<(), String> {
        let said = format!("{:?}", self.0).replace('"', "");
        let failed = |why| format!("cannot be installed: `{said}` did not start: {why}");
        let (reader, writer) = std::io::pipe().map_err(failed)?;
        let errors = writer.try_clone().map_err(failed)?;
        let child = self.0.stdout(writer).stderr(errors).spawn();
        let mut child = child.map_err(failed)?;
        // The pipe ends when nothing can write into it any more.
        drop(self);
        let mut last = VecDeque::new();
        for line in BufReader::new(reader).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line).trim_end().to_owned();
            each(&line);
            last.push_back(line);
            if last.len() > MAX_LINES {
                last.pop_front();
            }
        }
        let status = child.wait().map_err(failed)?;
        if status.success() {
            return Ok(());
        }
        let lines: String = last.iter().map(|line| format!("\n    {line}")).collect();
        Err(format!(
            "cannot be installed: `{said}` failed ({status}):{lines}"
        ))
    }
}

/// Whether a program is there to be started.
pub(super) fn is_in_path(program: &str) -> bool {
    if Path::new(program).components().count() > 1 {
        return true; // an earlier command may make it
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let ending = std::env::consts::EXE_EXTENSION;
    std::env::split_paths(&folders).any(|folder| {
        let at = folder.join(program);
        at.is_file() || !ending.is_empty() && at.with_extension(ending).is_file()
    })
}
