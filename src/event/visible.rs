//! Characters that would change what a reader sees of the text around them.

/// Whether a character has to be shown as an escape: a control character, or one that sets the direction of the text around it,
/// so that the text reads in another order than it stands.
pub(crate) fn is_unsafe(c: char) -> bool {
    let sets_direction = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || sets_direction
}
