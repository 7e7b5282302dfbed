//! Events as reports show them: no text changes how the text around it reads, or is long enough to fill a disk.

use super::style::{plain, tame_to};
use crate::event::shorten::is_unsafe;
use crate::event::{Event, OutcomeRecord, ResultRecord, TrialRecord};
use serde_json::Value;
use std::borrow::Cow;
use xxhash_rust::xxh3::xxh3_64;

/// The most characters of a text. Recorded texts of a backend are shorter, and commands that run trials again are longest.
const MAX_LENGTH: usize = 20_000;

/// The event, with all of its texts made harmless.
pub(crate) fn shown(event: &Event) -> Cow<'_, Event> {
    let as_it_is = Cow::Borrowed(event);
    if matches!(event, Event::Trial(trial) if is_harmless(trial)) {
        return as_it_is;
    }
    let Ok(json) = serde_json::to_vec(event) else {
        return as_it_is;
    };
    // Most other texts are harmless, which a quick look shows.
    let is_escape = |pair: &[u8]| pair[0] == b'\\' && matches!(pair[1], b'u' | b'r' | b'b' | b'f');
    if is_plain(&json) && !json.windows(2).any(is_escape) {
        return as_it_is;
    }
    let value = serde_json::from_slice(&json).map(harmless);
    match value.and_then(serde_json::from_value) {
        Ok(event) => Cow::Owned(event),
        Err(_) => as_it_is,
    }
}

/// Whether a trial has only short, harmless texts, as nearly all passed trials do.
fn is_harmless(trial: &TrialRecord) -> bool {
    let TrialRecord {
        trial,
        result,
        detail: None,
        microseconds: _,
    } = trial
    else {
        return false;
    };
    let ResultRecord {
        backend,
        outcome,
        question,
        known_failure: None,
        known_failure_entry: None,
        unavailable: None,
        outside_sample: None,
        verdict: _,
        failure: _,
        attempts: _,
        before: _,
    } = &**result
    else {
        return false;
    };
    let message = match outcome {
        Some(OutcomeRecord::Rejected { message, .. }) => Some(message),
        None
        | Some(OutcomeRecord::Reshaped {
            element_type: None,
            content: None,
            ..
        }) => None,
        Some(_) => return false,
    };
    let answer = question.iter().flat_map(|of| [&of.id, &of.answer]);
    let texts = std::iter::once(trial).chain(message).chain(answer);
    let mut texts = texts.map(String::as_str).chain([&**backend]);
    texts.all(|text| is_plain(text.as_bytes()))
}

/// Whether a text is short and only of printable ASCII characters.
fn is_plain(text: &[u8]) -> bool {
    text.len() <= MAX_LENGTH && text.iter().all(|byte| matches!(byte, b' '..=b'~'))
}

/// The value with all of its texts made harmless. Equal texts stay equal: backends and trials are found by name.
fn harmless(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(harmless_text(text)),
        Value::Array(items) => items.into_iter().map(harmless).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(key, value)| (key, harmless(value)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// Cuts a long text in the middle, and adds its length and hash, so that different texts stay different.
fn harmless_text(text: String) -> String {
    if text.chars().nth(MAX_LENGTH).is_some() {
        let (cut, hash) = (tame_to(&plain(&text), MAX_LENGTH), xxh3_64(text.as_bytes()));
        return format!("{cut} ({} bytes, {hash:016x})", text.len());
    }
    match text.contains(|c| is_unsafe(c) && !matches!(c, '\n' | '\t')) {
        true => tame_to(&plain(&text), MAX_LENGTH),
        false => text,
    }
}
