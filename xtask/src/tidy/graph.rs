//! The graph of imports between files.

use super::source::File;
use std::collections::{BTreeMap, BTreeSet};

/// The imports of all files, as pairs of their indices.
pub(crate) struct Graph<'a> {
    files: &'a [File],
    by_module: BTreeMap<&'a [String], usize>,
    /// For each file, the files it imports.
    uses: Vec<BTreeSet<usize>>,
}

/// The most steps to follow a re-export.
const MAX_RE_EXPORTS: usize = 8;

impl<'a> Graph<'a> {
    /// The graph of these files.
    pub(crate) fn of(files: &'a [File]) -> Self {
        let by_module = files
            .iter()
            .enumerate()
            .map(|(at, file)| (file.module.as_slice(), at))
            .collect();
        let mut graph = Self {
            files,
            by_module,
            uses: Vec::new(),
        };
        graph.uses = (0..files.len()).map(|at| graph.used_by(at)).collect();
        graph
    }

    fn used_by(&self, at: usize) -> BTreeSet<usize> {
        let file = &self.files[at];
        let is_below = |other: usize| self.files[other].module.starts_with(&file.module);
        let mut used = BTreeSet::new();
        for import in &file.imports {
            // What a parent re-exports from its children is a declaration.
            let target = self.file_of(at, &import.path, 0);
            used.extend(target.filter(|target| !(import.public && is_below(*target))));
        }
        used.extend(
            file.paths
                .iter()
                .filter_map(|path| self.file_of(at, path, 0)),
        );
        used.remove(&at);
        used
    }

    /// The file that defines what a path names; `None` for another crate.
    fn file_of(&self, from: usize, path: &[String], depth: usize) -> Option<usize> {
        let own = &self.files[from].module;
        let (first, rest) = path.split_first()?;
        let (mut module, mut rest) = match first.as_str() {
            "crate" => (Vec::new(), rest),
            // `main` and `lib` are the root itself.
            "super" => (
                own.split_last()
                    .map_or(&[][..], |(_, parent)| parent)
                    .to_vec(),
                rest,
            ),
            "self" => (own.clone(), rest),
            child
                if self
                    .by_module
                    .contains_key([&own[..], &[child.to_owned()]].concat().as_slice()) =>
            {
                (own.clone(), path)
            }
            name => {
                // A name that this file imported: the rest of the path continues from there.
                let import = self.files[from]
                    .imports
                    .iter()
                    .find(|import| import.name == name && import.path != path)?;
                return self
                    .file_of(from, &import.path, depth + 1)
                    .filter(|_| depth < MAX_RE_EXPORTS);
            }
        };
        while let Some((next, after)) = rest.split_first() {
            if next == "super" {
                module.pop();
            } else {
                module.push(next.clone());
                if !self.by_module.contains_key(module.as_slice()) {
                    module.pop();
                    break;
                }
            }
            rest = after;
        }
        let at = *self.by_module.get(module.as_slice())?;
        self.definition(at, rest, depth)
    }

    /// The file that defines an item that this one names, perhaps through a re-export.
    fn definition(&self, at: usize, rest: &[String], depth: usize) -> Option<usize> {
        let Some(item) = rest.first() else {
            return Some(at);
        };
        let import = self.files[at]
            .imports
            .iter()
            .find(|import| import.name == *item);
        match import {
            Some(import) if depth < MAX_RE_EXPORTS => self.file_of(at, &import.path, depth + 1),
            Some(_) | None => Some(at),
        }
    }

    /// Imports of a layer above.
    pub(crate) fn upward(&self, order: &[&str]) -> Vec<String> {
        let place = |layer: &str| order.iter().position(|known| *known == layer);
        let mut faults = Vec::new();
        for (at, used) in self.uses.iter().enumerate() {
            let file = &self.files[at];
            for other in used.iter().map(|other| &self.files[*other]) {
                if place(other.layer()) < place(file.layer()) {
                    let (a, b) = (file.path(), other.path());
                    faults.push(format!(
                        "{a} uses {b}, but {} is above {}",
                        other.layer(),
                        file.layer()
                    ));
                }
            }
        }
        faults
    }

    /// The shortest circle through each file that is in a circle, each circle once.
    pub(crate) fn circles(&self) -> Vec<String> {
        let mut found: BTreeMap<BTreeSet<usize>, Vec<usize>> = BTreeMap::new();
        for start in 0..self.files.len() {
            if let Some(circle) = self.circle_through(start) {
                found
                    .entry(circle.iter().copied().collect())
                    .or_insert(circle);
            }
        }
        let path = |at: &usize| self.files[*at].path();
        let shown = |circle: &Vec<usize>| circle.iter().map(path).collect::<Vec<_>>().join(" -> ");
        found
            .values()
            .map(|circle| format!("a circle: {}", shown(circle)))
            .collect()
    }

    /// A breadth-first search from a file back to itself.
    fn circle_through(&self, start: usize) -> Option<Vec<usize>> {
        let mut reached: BTreeMap<usize, usize> = BTreeMap::new();
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            for next in &self.uses[at] {
                if *next == start {
                    let mut circle = vec![start, at];
                    while let Some(before) = circle.last().and_then(|last| reached.get(last)) {
                        circle.push(*before);
                    }
                    circle.dedup();
                    circle.reverse();
                    return Some(circle);
                }
                if !reached.contains_key(next) {
                    reached.insert(*next, at);
                    queue.push_back(*next);
                }
            }
        }
        None
    }
}
