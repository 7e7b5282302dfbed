//! Wordings of one message, with different names, shapes or numbers.

use super::observations::{Observation, Observations};
use crate::event::exit_status;
use crate::event::shorten::{in_common, without_numbers};
use crate::names::Grouped;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The most words of a message to compare.
const MAX_WORDS: usize = 40;
/// The most messages to compare with each other, the most frequent first.
const MAX_MESSAGES: usize = 200;
/// The percentage of their words that two process failures share at least, if they are the same.
const SAME: usize = 75;

/// The fewest deaths with which a backend ends instead of refusing, whatever it says.
const FEWEST_DEATHS: usize = 20;

/// The failures with each message, by index. Only the words of the message count.
pub(super) type Wordings = BTreeMap<BTreeSet<String>, Vec<usize>>;

/// The failures of each message and of those that share this percentage of its words. The most frequent come first.
pub(super) fn joined(messages: &Wordings, percent: usize) -> Vec<Vec<&[usize]>> {
    let mut messages: Vec<_> = messages.iter().collect();
    messages.sort_by_key(|(_, failures)| Reverse(failures.len()));
    messages.truncate(MAX_MESSAGES);
    let mut found: Vec<(&BTreeSet<String>, Vec<&[usize]>)> = Vec::new();
    for (own, failures) in messages {
        let shares = |of: &BTreeSet<String>| {
            of.intersection(own).count() * 100 >= of.union(own).count() * percent
        };
        match found.iter_mut().find(|(of, _)| shares(of)) {
            Some((_, alike)) => alike.push(failures),
            None => found.push((own, vec![failures])),
        }
    }
    let mut found: Vec<_> = found.into_iter().map(|(_, alike)| alike).collect();
    found.sort_by_key(|alike| Reverse(alike.iter().map(|of| of.len()).sum::<usize>()));
    found
}

/// A message up to and with its exit status or signal, and the rest.
fn split(message: &str) -> (&str, &str) {
    let status = exit_status(message);
    let start = message.find(status).unwrap_or_default();
    message.split_at(start + status.len())
}

/// Element types without a digit, as runtimes write them. One fault may fail each in turn.
const TYPES: &[&str] = &["bool", "double", "float", "half", "string"];

/// The words of a message, without quoted names, paths, element types, and words with digits. All words up to an exit
/// status or signal count as one.
pub(super) fn words(message: &str) -> BTreeSet<String> {
    let (status, rest) = split(message);
    let unquoted: Vec<_> = rest.split(['\'', '"', '`']).step_by(2).collect();
    let unquoted = unquoted.join(" ");
    let words = unquoted.split_whitespace();
    let words = words.filter(|word| !word.contains(['/', '\\']));
    let words = words.flat_map(|word| word.split(|c: char| !c.is_alphanumeric()));
    let words = words.filter(|word| !word.contains(|c: char| c.is_ascii_digit()));
    let words = words.filter(|word| !TYPES.contains(&word.to_lowercase().as_str()));
    let words = words.take(MAX_WORDS).chain([status]);
    let words = words.filter(|word| !word.is_empty());
    words.map(ToOwned::to_owned).collect()
}

impl Observations {
    /// The failures that it refused with each message: those that it gives only where the text accepts, and the others.
    pub(super) fn refused_alike(&self) -> (Wordings, Wordings) {
        let refusals = self.failures.iter().enumerate();
        let refusals = refusals.filter(|(_, of)| of.is_refusal());
        let messages = refusals.map(|(index, of)| (words(&of.message), index));
        let mut messages = messages.sorted();
        messages.remove(&BTreeSet::new());
        let usual: BTreeSet<_> = self.refusals.iter().map(|of| words(of)).collect();
        let messages = messages.into_iter();
        messages.partition(|(message, _)| !usual.contains(message))
    }

    /// Takes process failures with nearly the same message as the same. Numbers remain if all have the same.
    pub(super) fn unify_process_failures(&mut self) {
        let messages = self.process_failures(|what| Some(words(what)));
        for alike in joined(&messages, SAME) {
            let alike = alike.concat();
            let all = alike.iter().map(|at| &self.failures[*at].observed);
            let all = all.filter_map(|of| {
                let Observation::Process(what) = of else {
                    return None;
                };
                Some(split(what))
            });
            let all: Vec<_> = all.collect();
            let what = match all[..] {
                [(status, rest)] => format!("{status}{}", without_numbers(rest)),
                [(status, _), ..] => {
                    let rests = all.iter().map(|(_, rest)| *rest);
                    format!("{status}{}", in_common(rests))
                }
                [] => continue,
            };
            self.unify(alike, &what);
        }
        self.unify_deaths_for_refusals();
    }

    /// Takes process failures with the same exit status as the same, whatever their message, if the text rejects all of
    /// their trials: the backend ends instead of refusing.
    fn unify_deaths_for_refusals(&mut self) {
        let statuses =
            self.process_failures(|what| what.contains("(exit ").then(|| split(what).0.to_owned()));
        for (status, alike) in statuses {
            let is_rejected = |at: &usize| self.failures[*at].trial.is_rejected();
            if alike.len() >= FEWEST_DEATHS && alike.iter().all(is_rejected) {
                self.unify(alike, &format!("{status}, where the text allows no output"));
            }
        }
    }

    /// The process failures, by index, by what `key` makes of each; without those for which that is `None`.
    fn process_failures<K: Ord>(&self, key: fn(&str) -> Option<K>) -> BTreeMap<K, Vec<usize>> {
        let failures = self.failures.iter().enumerate();
        let keys = failures.filter_map(|(index, failure)| {
            let Observation::Process(what) = &failure.observed else {
                return None;
            };
            Some((key(what)?, index))
        });
        keys.sorted()
    }

    /// Takes these failures as this process failure.
    fn unify(&mut self, failures: Vec<usize>, what: &str) {
        for at in failures {
            self.failures[at].observed = Observation::Process(what.to_owned());
        }
    }
}
