//! Styles, and all output to the terminal: coloured only if it is a terminal.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "reports print")]

use crate::event::visible::is_unsafe;
use anstyle::{AnsiColor, Style};
use std::borrow::Cow;

pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const NOTE: Style = AnsiColor::Yellow.on_default();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const STRONG: Style = Style::new().bold();

/// The most characters of a line.
const LONGEST_LINE: usize = 20_000;

/// Text in a style; the output stream removes the codes where colour is not supported.
pub(crate) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// The text without its styles.
pub(crate) fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// Prints a line on standard output. A closed pipe is not an error.
pub(crate) fn out(text: impl std::fmt::Display) {
    whole(&cut(&text.to_string()));
}

/// Prints a document on standard output, without cutting long lines.
pub(crate) fn whole(text: &str) {
    use std::io::Write;
    if writeln!(anstream::stdout(), "{}", harmless(text)).is_err() {
        std::process::exit(0);
    }
}

/// Prints a line on standard error.
pub(crate) fn err(text: impl std::fmt::Display) {
    use std::io::Write;
    let _ = writeln!(anstream::stderr(), "{}", harmless(&cut(&text.to_string())));
}

/// Prints a workflow command of GitHub.
pub(crate) fn command(line: &str) {
    use std::io::Write;
    let line: String = line.chars().filter(|c| !is_unsafe(*c)).collect();
    if writeln!(anstream::stdout(), "{line}").is_err() {
        std::process::exit(0);
    }
}

/// The text with every line cut to `LONGEST_LINE` characters.
fn cut(text: &str) -> String {
    let long = |line: &str| {
        line.char_indices()
            .nth(LONGEST_LINE)
            .map(|(end, _)| format!("{}…", &line[..end]))
    };
    let lines: Vec<_> = text
        .split('\n')
        .map(|line| long(line).map_or(Cow::Borrowed(line), Cow::Owned))
        .collect();
    lines.join("\n")
}

/// Printed text made harmless: control characters except style codes, and what sets a direction, are escaped, and no line is a workflow command of GitHub.
fn harmless(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    // Whether only blanks and styles precede this place in its line.
    let mut first = true;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let style = rest
            .strip_prefix("\x1b[")
            .map(|code| code.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';'));
        if let Some(after) = style.and_then(|code| code.strip_prefix('m')) {
            safe.push_str(&rest[..rest.len() - after.len()]);
            rest = after;
            continue;
        }
        if (first && rest.starts_with("::")) || rest.starts_with("##[") {
            let word = if rest.starts_with("::") {
                ": :"
            } else {
                "## ["
            };
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

/// Text from a backend, with control characters and what sets a direction escaped, cut to a few hundred bytes.
pub(crate) fn tame(text: &str) -> String {
    const MOST: usize = 600;
    let mut tamed = String::new();
    for c in text.trim_end().chars() {
        if tamed.len() > MOST {
            tamed.push('…');
            break;
        }
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
        assert_eq!(
            harmless(&format!("a {red}\n\tb é")),
            format!("a {red}\n\tb é")
        );
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
        let long = cut(&format!("{}\né", "é".repeat(LONGEST_LINE + 1)));
        assert_eq!(
            (long.chars().count(), long.ends_with("…\né")),
            (LONGEST_LINE + 3, true)
        );
        assert_eq!(
            harmless(&paint(BAD, "::error::x")),
            paint(BAD, ": :error::x")
        );
    }
}
