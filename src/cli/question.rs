//! Questions on a terminal.

use crate::report::style::err;
use std::io::IsTerminal;

/// Whether somebody can answer a question.
pub(super) fn is_attended() -> bool {
    let is_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    is_terminal && std::env::var_os("CI").is_none()
}

/// The answer to a question, without the space around it; `None` at the end of the input.
pub(super) fn ask(question: &str) -> Option<String> {
    err(question);
    let mut answer = String::new();
    let _ = std::io::stdin().read_line(&mut answer);
    (!answer.is_empty()).then(|| answer.trim().to_owned())
}
