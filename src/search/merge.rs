//! Merging the parts of a search into the whole.

use super::retained::Retained;
use crate::error::Error;
use crate::event::stream::{SearchRecords, Stream};
use crate::event::{Found, SearchStarted, UnattributedRecord};
use crate::suite::partition::Partition;
use std::collections::BTreeSet;

/// Merges all parts of a search. Causes are computed again, from the results that all parts retained. Fails when the
/// parts belong to different searches, or one is missing, given twice, or cut short.
pub(crate) fn merge(parts: &[Stream]) -> Result<SearchRecords, Error> {
    let searches = parts.iter();
    let searches = searches.filter_map(|part| Some((part, part.search.as_ref()?)));
    let searches: Vec<(&Stream, &SearchRecords)> = searches.collect();
    let Some((_, search)) = searches.first() else {
        return incomplete("nothing to merge".to_owned());
    };
    if searches.len() < parts.len() {
        return incomplete("some of these files are of searches, and some are of runs".to_owned());
    }
    let started = whole(&search.started);
    check_parts(&searches, &started)?;
    let mut retained = Retained::default();
    for (part, search) in &searches {
        retained.add_part(part, search)?;
    }
    let mut records = retained.records(started);
    let ends = searches.iter();
    let ends = ends.filter_map(|(_, search)| search.finished.as_ref());
    if let Some(finished) = &mut records.finished {
        let unattributed = ends.filter_map(|end| end.unattributed.as_ref());
        finished.unattributed = UnattributedRecord::of_all(unattributed);
    }
    for found in &mut records.found {
        take_smallest(found, &searches);
    }
    Ok(records)
}

fn incomplete<T>(why: String) -> Result<T, Error> {
    Err(Error::Incomplete(why))
}

/// The start of the whole search, from that of a part.
fn whole(started: &SearchStarted) -> SearchStarted {
    SearchStarted {
        partition: None,
        ..started.clone()
    }
}

/// Checks that these are all parts of one search by this version, each once.
fn check_parts(
    searches: &[(&Stream, &SearchRecords)],
    started: &SearchStarted,
) -> Result<(), Error> {
    let (version, here) = (&started.suite_version, env!("CARGO_PKG_VERSION"));
    let first = searches[0].0.path.display();
    if version != here {
        return incomplete(format!(
            "{first} is of version {version}, but this program is {here}"
        ));
    }
    let (mut whole_of, mut numbers) = (None, BTreeSet::new());
    for (part, search) in searches {
        let path = part.path.display();
        if whole(&search.started) != *started {
            return incomplete(format!("{first} and {path} are of different searches"));
        }
        let finished = search.finished.as_ref();
        if finished.is_none_or(|end| end.cut_short.is_some()) {
            return incomplete(format!("{path} ends early"));
        }
        let partition = search.started.partition.as_ref().map(|text| text.parse());
        let partition: Partition = partition
            .unwrap_or(Ok(Partition::WHOLE))
            .map_err(|why| Error::Incomplete(format!("{path}: its partition is invalid: {why}")))?;
        if !whole_of.get_or_insert(partition).is_sibling_of(partition) {
            return incomplete(format!("{first} and {path} are not parts of one search"));
        }
        let (number, of) = (partition.part, partition.of);
        if !numbers.insert(number) {
            return incomplete(format!(
                "part {number} of {of} occurs twice; once in {path}"
            ));
        }
    }
    let of = whole_of.map_or(1, |partition| partition.of);
    match (1..=of).find(|number| !numbers.contains(number)) {
        Some(missing) => incomplete(format!("part {missing} of {of} is missing")),
        None => Ok(()),
    }
}

/// Takes over the smallest trial of a finding from a part that has shrunk the same trial for the same cause.
fn take_smallest(found: &mut Found, searches: &[(&Stream, &SearchRecords)]) {
    let is_same = |other: &&Found| {
        other.smallest.is_some()
            && other.cause.description == found.cause.description
            && other.cause.trials.first() == found.cause.trials.first()
    };
    let all = searches.iter().flat_map(|(_, search)| &search.found);
    if let Some(shrunk) = all.clone().find(is_same) {
        found.smallest = shrunk.smallest.clone();
        found.passes_alone = shrunk.passes_alone;
    }
}
