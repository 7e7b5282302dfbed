//! Characters that would change what a reader sees of the text around them.

use std::borrow::Cow;

/// Whether a character has to be shown as an escape: a control character, or one that sets the direction of text.
pub(crate) fn is_unsafe(c: char) -> bool {
    c.is_control() || sets_direction(c)
}

/// Whether a character sets the direction of the text around it, so that the text reads in another order than it stands.
pub(crate) fn sets_direction(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text in its own order: what sets a direction is an escape, such as `\u{202e}`.
pub(crate) fn in_order(text: &str) -> Cow<'_, str> {
    if !text.contains(sets_direction) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len());
    for c in text.chars() {
        match sets_direction(c) {
            true => visible.extend(c.escape_default()),
            false => visible.push(c),
        }
    }
    Cow::Owned(visible)
}
