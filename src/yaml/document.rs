//! The documents of a file, and the items of the list that it is, as trees.

use super::tree::Node;
use super::{usual, values};
use crate::error::{Fault, Source};
use std::ops::Range;

/// The only document of a file.
pub(crate) fn tree(source: &Source) -> Result<Node, Fault> {
    tree_of(source, 0..source.text.len())
}

/// The only document of a part of a file, which begins a line.
pub(crate) fn tree_of(source: &Source, part: Range<usize>) -> Result<Node, Fault> {
    usual::tree(source, part.clone()).map_or_else(|| values::tree(source, part), Ok)
}

/// The most items of a file that is read item by item: a whole one of so many is more than is read at once.
const MOST_ITEMS: usize = 20_000;

/// The items of the list that a file seems to be: each begins with a dash at the start of a line. None if there are too
/// many.
pub(crate) fn items(source: &Source) -> Vec<Range<usize>> {
    let mut starts = Vec::new();
    let mut at = 0;
    for line in source.text.split_inclusive('\n') {
        if line.starts_with("- ") || line.trim_end() == "-" {
            starts.push(at);
        }
        at += line.len();
    }
    if starts.len() > MOST_ITEMS {
        starts.clear();
    }
    let ends = starts.iter().skip(1).copied().chain([at]);
    starts
        .iter()
        .copied()
        .zip(ends)
        .map(|(from, to)| from..to)
        .collect()
}
