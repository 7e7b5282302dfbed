//! Styles, and all output to the terminal, in color only if it is a terminal.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "reports print")]

use super::progress::beside_bar;
use crate::event::shorten::{is_unsafe, shorten, shorten_middle};
use crate::names::Joined;
use anstyle::{AnsiColor, Style};
use std::io::ErrorKind;
use std::sync::OnceLock;

pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const NOTE: Style = AnsiColor::Yellow.on_default();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const STRONG: Style = Style::new().bold();

/// The most characters of a line.
const MAX_LINE: usize = 20_000;

/// Text in a style; the output stream removes the codes if it does not support color.
pub(crate) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// The text without its styles.
pub(crate) fn plain(text: &str) -> String {
    // Most texts have no codes, and a search byte by byte is slow.
    match text.chars().any(|c| c.is_control() && c != '\n') {
        true => anstream::adapter::strip_str(text).to_string(),
        false => text.to_owned(),
    }
}

/// The first error of standard output. Only later output is lost: a command goes on and keeps its exit code.
static BROKEN: OnceLock<ErrorKind> = OnceLock::new();

/// Why standard output is no longer writable; `None` while it is.
pub(crate) fn broken() -> Option<ErrorKind> {
    BROKEN.get().copied()
}

/// Prints a line on standard output.
pub(crate) fn out(text: impl std::fmt::Display) {
    whole(&cut(&text.to_string()));
}

/// Prints a document on standard output, without cutting long lines.
pub(crate) fn whole(text: &str) {
    print(&harmless(text));
}

/// Prints a line, unless standard output is broken.
fn print(line: &str) {
    use std::io::Write;
    if broken().is_some() {
        return;
    }
    let mut stdout = anstream::stdout();
    if let Err(error) = beside_bar(|| writeln!(stdout, "{line}").and_then(|()| stdout.flush())) {
        note_broken(error.kind());
    }
}

/// Notes that standard output is no longer writable.
pub(crate) fn note_broken(kind: ErrorKind) {
    // The first error has the reason.
    let _ = BROKEN.set(kind);
}

/// Prints a line on standard error.
pub(crate) fn err(text: impl std::fmt::Display) {
    use std::io::Write;
    let text = harmless(&cut(&text.to_string()));
    let _ = beside_bar(|| writeln!(anstream::stderr(), "{text}"));
}

/// Prints a workflow command of GitHub.
pub(crate) fn command(line: &str) {
    let line: String = line.chars().filter(|c| !is_unsafe(*c)).collect();
    print(&line);
}

/// The text with every line cut to `MAX_LINE` characters.
fn cut(text: &str) -> String {
    let lines = text.split('\n').map(|line| shorten(line, MAX_LINE));
    lines.joined("\n")
}

/// Printed text made harmless: control characters except style codes, and direction marks, are escaped, and no line is
/// a workflow command of GitHub.
fn harmless(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    // Whether only blanks and styles precede this place in its line.
    let mut first = true;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c == '\x1b'
            && let Some(after) = after_style(rest)
        {
            safe.push_str(&rest[..rest.len() - after.len()]);
            rest = after;
            continue;
        }
        let is_command = match c {
            ':' => first && rest.starts_with("::"),
            '#' => rest.starts_with("##["),
            _ => false,
        };
        if is_command {
            let word = if c == ':' { ": :" } else { "## [" };
            safe.push_str(word);
            rest = &rest[word.len() - 1..];
            first = false;
            continue;
        }
        match c {
            '\n' | '\t' => safe.push(c),
            c if is_unsafe(c) => safe.extend(c.escape_default()),
            c => safe.push(c),
        }
        first = c == '\n' || (first && c.is_whitespace());
        rest = &rest[c.len_utf8()..];
    }
    safe
}

/// The rest after a style code; `None` if the text does not begin with one.
fn after_style(text: &str) -> Option<&str> {
    let code = text.strip_prefix("\x1b[")?;
    let end = code.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
    end.strip_prefix('m')
}

/// Text from a backend with control characters and direction marks escaped, cut in the middle to a few hundred
/// characters. Its beginning names the fault, and its end often the cause.
pub(crate) fn tame(text: &str) -> String {
    tame_to(text, 600)
}

/// As `tame`, on one line.
pub(crate) fn tame_line(text: &str) -> String {
    tame(text).replace('\n', "\\n")
}

/// As `tame`, cut to another number of characters.
pub(crate) fn tame_to(text: &str, most: usize) -> String {
    let mut tamed = String::new();
    for c in shorten_middle(text.trim_end(), most).chars() {
        match c {
            '\n' => tamed.push('\n'),
            '\t' => tamed.push(' '),
            c if is_unsafe(c) => tamed.extend(c.escape_default()),
            c => tamed.push(c),
        }
    }
    tamed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_text_is_harmless() {
        let red = paint(BAD, "x");
        let kept = format!("a {red}\n\tb é");
        assert_eq!(harmless(&format!("a {red}\n\tb é")), kept);
        for (text, expected) in [
            ("\x1b[2Ja", "\\u{1b}[2Ja"),
            ("\x1b]0;title\x07", "\\u{1b}]0;title\\u{7}"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("a\rb", "a\\rb"),
            ("a\u{202e}b\u{2069}", "a\\u{202e}b\\u{2069}"),
            ("\x1b", "\\u{1b}"),
            ("::error::x", ": :error::x"),
            ("a\n  ::stop-commands::x", "a\n  : :stop-commands::x"),
            ("a ::error::x", "a ::error::x"),
            ("a ##[error]", "a ## [error]"),
        ] {
            assert_eq!(harmless(text), expected, "{text:?}");
        }
        let long = cut(&format!("{}\né", "é".repeat(MAX_LINE + 1)));
        let cut = (long.chars().count(), long.ends_with("…\né"));
        assert_eq!(cut, (MAX_LINE + 3, true));
        let shown = harmless(&paint(BAD, "::error::x"));
        assert_eq!(shown, paint(BAD, ": :error::x"));
    }
}
