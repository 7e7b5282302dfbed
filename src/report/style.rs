//! The few styles, and the one door to the terminal: colour only where there is one.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "reports print")]

use anstyle::{AnsiColor, Style};

pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const NOTE: Style = AnsiColor::Yellow.on_default();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const STRONG: Style = Style::new().bold();

/// Text in a style; the stream takes the codes out where nobody wants them.
pub(crate) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// The text without its styles.
pub(crate) fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// A line on standard output. A reader that has gone away is no error.
pub(crate) fn out(text: impl std::fmt::Display) {
    use std::io::Write;
    if writeln!(anstream::stdout(), "{text}").is_err() {
        std::process::exit(0);
    }
}

/// A line on standard error.
pub(crate) fn err(text: impl std::fmt::Display) {
    use std::io::Write;
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// A backend's words made harmless: control characters escaped, and not too many.
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
            c if c.is_control() => tamed.extend(c.escape_default()),
            c => tamed.push(c),
        }
    }
    tamed
}
