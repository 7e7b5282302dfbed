//! Shortened texts: what a backend writes can have any length.

use std::borrow::Cow;

/// The first `max` characters of a text, followed by `…` if there are more.
pub(crate) fn shorten(text: &str, max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The last `max` characters of a log, where the cause is, after `…` if there are more.
pub(crate) fn shorten_log(text: &str, max: usize) -> Cow<'_, str> {
    match text.char_indices().nth_back(max) {
        Some((before, c)) => Cow::Owned(format!("…{}", &text[before + c.len_utf8()..])),
        None => Cow::Borrowed(text),
    }
}

/// The first third and the last two thirds of a text of more than `max` characters, with `…` between them.
pub(crate) fn shorten_middle(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max || text.chars().nth(max).is_none() {
        return Cow::Borrowed(text);
    }
    let start = shorten(text, max / 3);
    Cow::Owned(format!(
        "{}{}",
        start,
        shorten_log(text, max - max / 3).trim_start_matches('…')
    ))
}

/// The same as [`shorten`], followed by the length of the whole text in bytes if there is more.
pub(crate) fn shorten_with_length(text: &str, max: usize) -> String {
    match shorten(text, max) {
        Cow::Owned(start) => format!("{start} ({} bytes)", text.len()),
        Cow::Borrowed(whole) => whole.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_its_end_and_a_log_at_its_beginning_or_in_the_middle() {
        assert_eq!(shorten("éabcd", 2), "éa…");
        assert_eq!(shorten_log("abcdé", 2), "…dé");
        assert_eq!(shorten_middle("éabcdefé", 6), "éa…defé");
        for whole in ["", "é", "ééé"] {
            assert_eq!(shorten(whole, 3), whole);
            assert_eq!(shorten_log(whole, 3), whole);
            assert_eq!(shorten_middle(whole, 3), whole);
        }
    }
}
