//! Errors on a terminal: the message, the line with a caret, and a hint.

use super::number::counted;
use super::style::{BAD, NOTE, err, paint};
use crate::error::{Error, Fault, Source};
use crate::event::Place;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::ops::Range;

/// The most characters of an error's message, which may hold the log of an adapter.
const MAX_MESSAGE: usize = 4_000;

/// The largest line number to show, because a stream can contain any number.
const MAX_LINES: usize = 1 << 40;
/// The most faults, or files that are skipped, to show.
const MAX: usize = 20;

/// Prints an error on standard error.
pub(crate) fn print(error: &Error) {
    let Error::Faults(faults) = error else {
        print_error(&error.to_string());
        return;
    };
    print_first(faults.iter().map(|fault| render_as(fault, 1, "error")));
    let files: BTreeSet<_> = faults.iter().map(|fault| &fault.source.file).collect();
    let (faults, files) = (counted(faults.len(), "fault"), files.len());
    err(format!("{faults} in {files} file(s)"));
}

/// Prints the first of these texts on standard error, and the number of further ones.
pub(crate) fn print_first(texts: impl ExactSizeIterator<Item: Display>) {
    let more = texts.len().saturating_sub(MAX);
    texts.take(MAX).for_each(err);
    if more > 0 {
        err(format!("… and {more} more"));
    }
}

/// Prints warnings about files, on standard error.
pub(crate) fn print_warnings(warnings: &[Fault]) {
    print_first(warnings.iter().map(|fault| render_as(fault, 1, "warning")));
    if !warnings.is_empty() {
        err(counted(warnings.len(), "warning"));
    }
}

/// Prints an error that is in no file.
pub(crate) fn print_error(message: &str) {
    let message = super::style::tame_to(message, MAX_MESSAGE);
    err(format!("{} {message}", paint(BAD, "error:")));
}

/// A fault, labeled `error` or `warning`, in a source that begins at line `first` of its file.
fn render_as(fault: &Fault, first: usize, kind: &str) -> String {
    let (style, level) = match kind {
        "error" => (BAD, Level::ERROR),
        _ => (NOTE, Level::WARNING),
    };
    let message = super::style::tame(&fault.message);
    let source = &fault.source;
    if source.text.is_empty() {
        let hint = fault.hint.iter().map(|hint| format!("\n  help: {hint}"));
        let hint: String = hint.collect();
        let kind = paint(style, format!("{kind}:"));
        return format!("{kind} {}: {message}{hint}", source.file);
    }
    // Show only the line of the fault, cut around the place, because a file can be one line of many megabytes.
    let (line, column) = source.line_and_column(fault.span.start);
    let line = first - 1 + line;
    let Range { start, end } = source.line(fault.span.start);
    let floor = |at: usize| source.text.floor_char_boundary(at);
    let from = floor(start.max(fault.span.start.saturating_sub(120)));
    let to = floor(end.min(fault.span.start.saturating_add(240)));
    let window = source.text[from..to.max(from)].replace(char::is_control, " ");
    let place = [fault.span.start, fault.span.start.max(fault.span.end)];
    let [at, stop] = place.map(|at| window.floor_char_boundary(at.saturating_sub(from)));

    let title = Group::with_title(level.primary_title(message.as_str()));
    let snippet = Snippet::source(window.as_str()).line_start(line);
    let snippet = snippet.annotation(AnnotationKind::Primary.span(at..stop));
    let mut group = if from == start {
        title.element(snippet.path(&*source.file))
    } else {
        // The snippet is a part of the line, so its own column would be wrong.
        title
            .element(Origin::path(&*source.file).line(line).char_column(column))
            .element(snippet)
    };
    if let Some(hint) = &fault.hint {
        group = group.element(Level::HELP.message(hint.as_str()));
    }
    Renderer::styled().render(&[group])
}

/// A place from a stream, with its line and a caret.
pub(crate) fn render_place(place: &Place) -> String {
    let source = Source::new(&place.file, &place.text);
    let start = source.offset(1, place.column);
    let end = source.offset(1, place.column.saturating_add(place.length));
    let fault = Fault {
        source,
        span: start..end,
        message: place.message.clone(),
        hint: place.hint.clone(),
    };
    render_as(&fault, place.line.clamp(1, MAX_LINES), "error")
}
