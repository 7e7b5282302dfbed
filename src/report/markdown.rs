//! Text from a stream as Markdown, without any of it becoming markup.

use super::digest::Digest;

/// The most characters of a text, such as the reason of a known failure.
const MAX_TEXT: usize = 1_000;

/// Text outside code, in one line.
pub(super) fn text(description: &str) -> String {
    let mut safe = String::new();
    for c in super::style::tame_to(description, MAX_TEXT).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '@' | '!' => {
                safe.extend(['\\', c])
            }
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

/// A backend's name and version.
pub(super) fn label(backend: &Digest<'_>) -> String {
    let version = &backend.records.started.version;
    format!("{} {}", text(backend.name), text(version))
}

/// Text between backticks, in one line.
pub(super) fn code(description: &str) -> String {
    let is_unsafe = |c: char| c == '`' || c.is_control();
    description.replace(is_unsafe, "'")
}

/// Text as a fenced block, with a fence longer than any in the text.
pub(super) fn fenced(description: &str) -> String {
    let longest = description.split(|c| c != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    let description = description.replace(|c: char| c.is_control() && c != '\n', " ");
    format!("{fence}text\n{description}\n{fence}")
}
