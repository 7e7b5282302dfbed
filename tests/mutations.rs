//! Mutated inputs: what comes from outside may be anything, and must not panic, hang, or take the memory that it claims.
//!
//! `MUTATIONS_SECONDS=600 cargo test --release --lib mutated` tries for that long in each test; otherwise some thousand inputs
//! are tried, always the same.

use crate::model::found::Found;
use crate::semantics::oracle::resolve;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// The inputs tried where no time is given.
const INPUTS: u64 = 2_000;
/// What readers are known to stumble over, put in the place of other bytes.
const WORDS: [&[u8]; 34] = [
    b"0",
    b"-1",
    b"18446744073709551616",
    b"9223372036854775807",
    b"-9223372036854775808",
    b"1e400",
    b"nan",
    b"null",
    b"true",
    b"[]",
    b"{}",
    b"\"\"",
    b"\\u0000",
    b"\\ud800",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\r",
    b"\n",
    b"&#0;",
    b"<!--",
    b"[[[[[[[[[[[[[[[[",
    b": ",
    b"*a",
    b"\xe2\x80\xae",
    b"]]>",
    b"<![CDATA[",
    b"-->",
    b"&lt;",
    b"<?",
    b"?>",
    b"</port>",
    b"<port id=\"1\">",
    b"<dim>1</dim>",
    b"...",
];

/// Gives `check` mutations of the inputs in `corpus`.
///
/// # Panics
/// When `check` panics; the message has the input.
pub(crate) fn of(corpus: &[&[u8]], check: impl Fn(&[u8])) {
    let seconds = std::env::var("MUTATIONS_SECONDS").ok();
    let seconds = seconds.and_then(|seconds| seconds.parse().ok());
    let seconds = seconds.map(Duration::from_secs);
    let begun = Instant::now();
    let mut tried = 0;
    while seconds.map_or(tried < INPUTS, |seconds| begun.elapsed() < seconds) {
        let mut random = fastrand::Rng::with_seed(tried);
        let input = mutated(corpus, &mut random);
        let began = Instant::now();
        let done = catch_unwind(AssertUnwindSafe(|| check(&input)));
        let shown = || String::from_utf8_lossy(&input).into_owned();
        assert!(done.is_ok(), "input {tried} panics: {}", shown());
        let took = began.elapsed();
        assert!(
            took < Duration::from_secs(20),
            "input {tried} takes {took:?}: {}",
            shown()
        );
        tried += 1;
    }
    if seconds.is_some() {
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        std::fs::write(
            format!("target/{}.tried", name.replace("::", "-")),
            tried.to_string(),
        )
        .unwrap();
    }
}

/// Resolves the requests that a reader of models found, if it took the model.
pub(crate) fn resolve_all(found: Result<Vec<Found>, String>) {
    for node in found.into_iter().flatten().flat_map(|found| found.node) {
        drop(resolve(&node.request(node.operators[0])));
    }
}

/// An input of the corpus with a few changes.
fn mutated(corpus: &[&[u8]], random: &mut fastrand::Rng) -> Vec<u8> {
    let mut input = corpus[random.usize(..corpus.len())].to_vec();
    for _ in 0..=random.usize(..6) {
        let at = random.usize(..=input.len());
        let end = at + random.usize(..=(input.len() - at).min(40));
        match random.u8(..7) {
            0 if at < input.len() => input[at] ^= 1 << random.u8(..8),
            1 => drop(input.splice(at..end, [])),
            2 => drop(input.splice(at..end, WORDS[random.usize(..WORDS.len())].iter().copied())),
            3 => {
                let part = input[at..end].to_vec();
                let to = random.usize(..=input.len());
                drop(input.splice(to..to, part));
            }
            4 => input.truncate(at),
            5 => {
                let other = corpus[random.usize(..corpus.len())];
                let from = random.usize(..=other.len());
                let part = &other[from..(from + 60).min(other.len())];
                drop(input.splice(at..at, part.iter().copied()));
            }
            _ => replace_number(&mut input, at, random),
        }
    }
    input
}

/// Replaces the next number by another.
fn replace_number(input: &mut Vec<u8>, at: usize, random: &mut fastrand::Rng) {
    let Some(start) = input[at..].iter().position(u8::is_ascii_digit) else {
        return;
    };
    let start = at + start;
    let digits = input[start..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit());
    let end = start + digits.count();
    let number = match random.u8(..3) {
        0 => random.u64(..8),
        1 => 1 << random.u64(..64),
        _ => random.u64(..),
    };
    drop(input.splice(start..end, number.to_string().into_bytes()));
}
