//! The page escapes what a backend says, and does not depend on the order of trials.

use super::render;
use crate::event::stream::Stream;
use crate::event::{
    BackendFinished, BackendStarted, Counts, Event, FailureDetail, Line, LineKind, OutcomeRecord,
    RunFinished, RunStarted, TrialRecord, VerdictKind,
};
use crate::report::digest::RunDigest;

fn stream(words: &str, reversed: bool) -> Stream {
    let trial = |name: &str| {
        let line = |kind, text: &str| Line {
            kind,
            text: text.to_owned(),
        };
        let diff = vec![
            line(LineKind::Text, "f32[1] to [1]"),
            line(LineKind::Got, words),
        ];
        let detail = FailureDetail {
            size: (1, 1),
            diff,
            trace: Vec::new(),
            again: format!("run --exact '{name}'"),
        };
        let outcome = OutcomeRecord::Rejected {
            internal: false,
            phase: crate::semantics::outcome::Phase::Run,
            message: words.to_owned(),
        };
        Event::Trial(Box::new(TrialRecord {
            unavailable: None,
            outside_sample: None,
            backend: words.into(),
            trial: name.to_owned(),
            verdict: VerdictKind::Failed,
            microseconds: 0,
            outcome: Some(outcome.into()),
            failure: Some(crate::event::FailureKind::Rejected),
            question: None,
            known_failure: Some(words.into()),
            known_failure_entry: None,
            attempts: Box::default(),
            before: None,
            detail: Some(Box::new(detail)),
        }))
    };
    let mut names = [
        "a-case/onnx.Reshape-14/f32/constant-static",
        "a-case/onnx.Reshape-14/f32/constant-dynamic",
    ];
    if reversed {
        names.reverse();
    }
    let started = BackendStarted {
        trials_hash: None,
        only_similar: false,
        config_line: None,
        about: None,
        tracker: None,
        suite: None,
        backend: words.into(),
        name: words.to_owned(),
        version: words.to_owned(),
        trials: 2,
        arguments: String::new(),
    };
    let run = RunStarted {
        format: 1,
        suite_hash: "0".repeat(32),
        backends: vec![words.to_owned()],
        ..RunStarted::default()
    };
    let mut counts = Counts::default();
    names.iter().for_each(|_| counts.count(VerdictKind::Failed));
    let finished = BackendFinished {
        backend: words.into(),
        counts: counts.clone(),
        stale: Vec::new(),
        unmatched: Vec::new(),
        memory: None,
        unattributed: None,
        allowed_deaths: Vec::new(),
    };
    let events = [
        Event::RunStarted(run),
        Event::BackendStarted(started),
        trial(names[0]),
        trial(names[1]),
    ];
    let mut stream = Stream::default();
    for event in events.into_iter().chain([
        Event::BackendFinished(finished),
        Event::RunFinished(RunFinished {
            counts,
            milliseconds: Some(61_500),
        }),
    ]) {
        stream.append(event).expect("in order");
    }
    stream.sort();
    stream
}

fn page_of(stream: &Stream) -> String {
    render(&RunDigest::of(stream), None).expect("a page")
}

#[test]
fn a_backends_words_are_never_markup() {
    let hostile = "</script><script>alert(1)</script><!--\u{1b}[31m\u{202e}&amp;\"'<img src=x onerror=alert(2)>";
    let page = page_of(&stream(hostile, false));
    assert_eq!(
        page.matches("<script").count(),
        2,
        "the data and the script"
    );
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains("<img") && !page.contains("<!--") && !page.contains('\u{1b}'));
    let harmless = page_of(&stream("harmless", false));
    assert_eq!(page.matches("<a ").count(), harmless.matches("<a ").count());
}

#[test]
fn the_order_in_which_trials_ended_changes_nothing() {
    assert_eq!(
        page_of(&stream("mine", false)),
        page_of(&stream("mine", true))
    );
}
