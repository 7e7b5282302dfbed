//! Shortening of texts of any length, such as a backend's, and unsafe characters.

use crate::names::Joined;
use std::borrow::Cow;

/// The first `max` characters of a text, followed by `…` if there are more.
pub(crate) fn shorten(text: &str, max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The last `max` characters of a log, which show the cause, after `…` if there are more.
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
    let (start, end) = (shorten(text, max / 3), shorten_log(text, max - max / 3));
    Cow::Owned(format!("{start}{}", end.trim_start_matches('…')))
}

/// The most characters of a backend's message, and of its log.
pub(crate) const MAX_MESSAGE: usize = 4_000;

/// A message of at most so many characters, followed by its whole length in bytes if it was cut.
pub(crate) fn shorten_message(text: &str) -> String {
    match shorten(text, MAX_MESSAGE) {
        Cow::Owned(start) => format!("{start} ({} bytes)", text.len()),
        Cow::Borrowed(whole) => whole.to_owned(),
    }
}

/// Whether a character must be escaped: a control character, or one that sets the direction of the text around it and
/// so changes the reading order.
pub(crate) fn is_unsafe(c: char) -> bool {
    let sets_direction = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || sets_direction
}

/// The most characters of an exception.
const MAX_EXCEPTION: usize = 200;

/// The words that distinguish a process failure from others. They are the first line of what happened. If the process
/// ended with an exit status, the last line of its log follows, the exception of a Python traceback, as `shown` gives it.
pub(crate) fn process_failure_in_short(what: &str, log: &str, shown: fn(&str) -> String) -> String {
    let first = what.lines().next().unwrap_or_default();
    let words = first.split(' ').map(|word| {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        if digits > 3 { "…" } else { word }
    });
    let first = words.joined(" ");
    let has_exited = first.contains("(exit status: ") || first.contains("(exit code: ");
    // After the message of a panic, Rust explains how to get a backtrace.
    let is_said = |line: &&str| !line.trim().is_empty() && !line.starts_with("note: ");
    match log.lines().rfind(is_said).filter(|_| has_exited) {
        Some(last) => {
            format!("{first}: {}", shorten(&shown(last.trim()), MAX_EXCEPTION))
        }
        None => first,
    }
}

/// What these texts have in common: the first, with `…` for each word that they do not share. If they have different
/// numbers of words, the first one without numbers.
pub(crate) fn in_common<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<Vec<&str>> = texts.map(|text| text.split(' ').collect()).collect();
    let Some((first, others)) = words.split_first() else {
        return String::new();
    };
    if others.iter().any(|of| of.len() != first.len()) {
        return without_numbers(&first.join(" "));
    }
    let mut common: Vec<String> = Vec::new();
    for (at, word) in first.iter().enumerate() {
        let shape = without_numbers(word);
        let word = match () {
            () if others.iter().all(|of| of[at] == *word) => (*word).to_owned(),
            () if others.iter().all(|of| without_numbers(of[at]) == shape) => shape,
            () => "…".to_owned(),
        };
        if word != "…" || common.last() != Some(&word) {
            common.push(word);
        }
    }
    common.join(" ")
}

/// A text with `…` for each number, address or list of numbers, which vary between trials.
pub(crate) fn without_numbers(text: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut short, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_word(c) != is_word(first));
        let (token, after) = rest.split_at(end.unwrap_or(rest.len()));
        let digits = token.bytes().filter(u8::is_ascii_digit).count();
        if digits == token.len() || digits > 3 {
            let before = short.trim_end_matches([' ', ',', '.', ':', '-']);
            if before.ends_with('…') {
                short.truncate(before.len());
            } else {
                short.truncate(short.trim_end_matches('-').len());
                short.push('…');
            }
        } else {
            short.push_str(token);
        }
        rest = after;
    }
    // Python writes a tuple of one element in this form.
    short.replace("…,)", "…)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_several_messages_have_in_common_is_the_words_that_they_share() {
        let cases: &[(&[&str], &str)] = &[
            (&["limit 8: got 9"], "limit 8: got 9"),
            (&["limit 8: got 9", "limit 8: got 12"], "limit 8: got …"),
            (&["no kernel <i2", "no kernel <u2"], "no kernel …"),
            (&["of a 3 here", "of b 4 here"], "of … here"),
            (&["at 12 of 3", "at 7"], "at … of …"),
            (&[], ""),
        ];
        for (texts, wanted) in cases {
            assert_eq!(in_common(texts.iter().copied()), *wanted);
        }
    }

    #[test]
    fn an_exception_tells_a_crash_from_others_and_its_numbers_do_not() {
        let python = |last: &str| {
            process_failure_in_short(
                "ended without an answer (exit status: 1)",
                &format!("Traceback (most recent call last):\n  File \"a.py\"\n{last}\n \n"),
                without_numbers,
            )
        };
        let wanted = "ended without an answer (exit status: 1): ValueError: float16 of size … into shape (…)";
        for numbers in ["24 into shape (2, -1)", "1024 into shape (-6,)"] {
            let said = python(&format!("ValueError: float16 of size {numbers}"));
            assert_eq!(said, wanted);
        }
        assert!(python("<object at 0x7f3a1b2c>").ends_with(": <object at …>"));
        assert!(python(&"é".repeat(300)).ends_with("éé…"));
        let panic = "thread 'main' panicked at src/main.rs:3:5:\nno rank\nnote: run with more";
        let said = process_failure_in_short("ended (exit status: 101)", panic, without_numbers);
        assert_eq!(said, "ended (exit status: 101): no rank");
        // What a signal ends has no last word.
        let killed = "ended without an answer (signal: 6 (SIGABRT))";
        let said = process_failure_in_short(killed, "line 17", without_numbers);
        assert_eq!(said, killed);
        assert_eq!(
            process_failure_in_short("has 12345 MiB resident; killed\nmore", "", without_numbers),
            "has … MiB resident; killed"
        );
    }
}
