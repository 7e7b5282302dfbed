//! Merging: what the parts of a search kept as what the whole would have.

use super::Retained;
use crate::error::Error;
use crate::event::stream::{SearchRecords, Stream};
use crate::event::{Found, SearchStarted, UnattributedRecord};
use crate::suite::plan::Partition;
use std::collections::BTreeSet;

/// The searches of all parts as one. Causes are told anew, from what all parts kept.
///
/// # Errors
/// Parts of different searches; a part that is there twice, not at all, or not to its end.
pub(crate) fn merge(parts: &[Stream]) -> Result<SearchRecords, Error> {
    let incomplete = |why: String| Err(Error::Incomplete(why));
    let searches: Vec<(&Stream, &SearchRecords)> = parts
        .iter()
        .filter_map(|part| part.search.as_ref().map(|search| (part, search)))
        .collect();
    let Some((first, search)) = searches.first() else {
        return incomplete("nothing to merge".to_owned());
    };
    if searches.len() < parts.len() {
        return incomplete("some of these are of searches, and some of runs".to_owned());
    }
    let started = SearchStarted {
        partition: None,
        ..search.started.clone()
    };
    if started.suite_version != env!("CARGO_PKG_VERSION") {
        let (path, version) = (first.path.display(), &started.suite_version);
        return incomplete(format!(
            "{path} is of version {version}, and this is {}",
            env!("CARGO_PKG_VERSION")
        ));
    }
    let (mut seen, mut beside, mut kept) = (BTreeSet::new(), None, Retained::default());
    for (part, search) in &searches {
        let path = part.path.display();
        if (SearchStarted {
            partition: None,
            ..search.started.clone()
        }) != started
        {
            return incomplete(format!(
                "{} and {path} are of different searches",
                first.path.display()
            ));
        }
        if search
            .finished
            .as_ref()
            .is_none_or(|end| end.cut_short.is_some())
        {
            return incomplete(format!("{path} ends early"));
        }
        let partition = search
            .started
            .partition
            .as_deref()
            .map_or_else(|| Ok(Partition::WHOLE), str::parse);
        let partition: Partition = partition
            .map_err(|why| Error::Incomplete(format!("{path}: its partition is none: {why}")))?;
        if !beside.get_or_insert(partition).is_beside(partition) {
            return incomplete(format!(
                "{} and {path} are not parts of one whole",
                first.path.display()
            ));
        }
        let (number, of) = partition.numbers();
        if !seen.insert(number) {
            return incomplete(format!(
                "part {number} of {of} is there twice; once in {path}"
            ));
        }
        kept.take_part(part)?;
    }
    let of = beside.map_or(1, |partition| partition.numbers().1);
    if let Some(hole) = (1..=of).find(|number| !seen.contains(number)) {
        return incomplete(format!("part {hole} of {of} is missing"));
    }
    let mut whole = kept.search(started);
    let ends = searches
        .iter()
        .filter_map(|(_, search)| search.finished.as_ref());
    let unattributed = UnattributedRecord::of_all(ends.filter_map(|end| end.unattributed.as_ref()));
    whole
        .finished
        .iter_mut()
        .for_each(|end| end.unattributed.clone_from(&unattributed));
    // What a part made of a trial is what the whole would have, if it was for the same cause.
    for found in &mut whole.found {
        let same = |other: &&Found| {
            (&other.cause.says, other.cause.trials.first())
                == (&found.cause.says, found.cause.trials.first())
        };
        let looked = searches
            .iter()
            .flat_map(|(_, search)| &search.found)
            .filter(|other| other.smallest.is_some())
            .find(same);
        found.smallest = looked.and_then(|other| other.smallest.clone());
        found.passes_alone = looked.is_some_and(|other| other.passes_alone);
    }
    Ok(whole)
}
