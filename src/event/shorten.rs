//! Shortened texts: what a backend writes can have any length.

use std::borrow::Cow;

/// The first `max` characters of a text, followed by `…` if there are more.
pub(crate) fn shorten(text: &str, max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The same, followed by the length of the whole text in bytes if there is more.
pub(crate) fn shorten_with_length(text: &str, max: usize) -> String {
    match shorten(text, max) {
        Cow::Owned(start) => format!("{start} ({} bytes)", text.len()),
        Cow::Borrowed(whole) => whole.to_owned(),
    }
}
