//! Patterns for an entry: as few lines as match its trials, and no other trial that the entry can be about.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The most characters of the cases in one line.
const MAX_CASES: usize = 90;

/// Patterns that match every one of `trials` and none of `others`, in alphabetical order.
///
/// A greedy cover: of the globs over what stands behind the case, it repeatedly takes the one that matches most of the
/// trials that are left, in the cases where it matches nothing else.
pub(super) fn patterns(trials: &BTreeSet<&str>, others: &BTreeSet<&str>) -> Vec<String> {
    let mut wider_of: HashMap<&str, Vec<String>> = HashMap::new();
    for (_, rest) in trials.iter().chain(others).map(|name| parts(name)) {
        wider_of.entry(rest).or_insert_with(|| wider(rest));
    }
    let globs = |name| {
        let (case, rest) = parts(name);
        wider_of[rest].iter().map(move |glob| (case, glob.as_str()))
    };
    let taken: HashSet<(&str, &str)> = others.iter().flat_map(|name| globs(name)).collect();
    let cases: BTreeSet<&str> = taken.iter().map(|(case, _)| *case).collect();
    let mut matches: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for name in trials {
        for free in globs(name).filter(|glob| !taken.contains(glob)) {
            matches.entry(free.1).or_default().insert(name);
        }
    }
    let mut lines = Vec::new();
    let rank = |(glob, of): &(&&str, &BTreeSet<_>)| (of.len(), Reverse(glob.len()));
    while let Some((&glob, of)) = matches.iter().max_by_key(rank) {
        let done = of.clone();
        let mut left: BTreeSet<&str> = done.iter().map(|name| parts(name).0).collect();
        let taken = cases.iter().filter(|case| taken.contains(&(**case, glob)));
        let taken: Vec<_> = taken.collect();
        let mut line: Vec<String> = Vec::new();
        while let Some(first) = left.pop_first() {
            let next = in_common(first, &mut left, &taken);
            if line.iter().map(String::len).sum::<usize>() + next.len() > MAX_CASES {
                lines.extend(written(&std::mem::take(&mut line), glob));
            }
            line.push(next);
        }
        lines.extend(written(&line, glob));
        matches.retain(|_, of| {
            of.retain(|name| !done.contains(name));
            !of.is_empty()
        });
    }
    lines.sort();
    lines
}

/// The case of a trial's name, and the rest.
fn parts(name: &str) -> (&str, &str) {
    name.split_once('/').unwrap_or((name, ""))
}

/// The globs that match a rest of a name, with itself.
fn wider(rest: &str) -> Vec<String> {
    let (rest, surrounding) = rest.split_once('+').unwrap_or((rest, ""));
    let mut parts = rest.splitn(3, '/');
    let mut next = || parts.next().unwrap_or_default();
    let (operator, element_type, binding) = (next(), next(), next());
    let family = operator.split('.').next().unwrap_or_default();
    let (target, dims) = binding.split_once('-').unwrap_or((binding, ""));
    let [family, target, dims] = [
        format!("{family}.*"),
        format!("{target}-*"),
        format!("*-{dims}"),
    ];
    let named = format!("+{surrounding}");
    // The last of these is a node alone, and in a surrounding.
    let surroundings = match surrounding.is_empty() {
        true => &["", "{,+*}"][..],
        false => &[&named, "+*", "{,+*}"],
    };
    let mut all = vec![String::new()];
    for (before, part) in [
        ("", &[operator, &family, "*"][..]),
        ("/", &[element_type, "*"]),
        ("/", &[binding, &target, &dims, "*"]),
        ("", surroundings),
    ] {
        let longer = |of: &String| {
            part.iter()
                .map(|glob| format!("{of}{before}{glob}"))
                .collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// A glob for a case: the first words that it shares with most of those that are left, without them, if no case that is
/// taken has them, too; or else its name.
fn in_common(case: &str, left: &mut BTreeSet<&str>, taken: &[&&str]) -> String {
    let words = case.match_indices('-').map(|(at, _)| at);
    let ends = std::iter::once(0).chain(words).chain([case.len()]);
    let free = ends.filter(|at| !taken.iter().any(|of| of.starts_with(&case[..*at])));
    let shared = free.map(|at| {
        (
            left.iter().filter(|of| of.starts_with(&case[..at])).count(),
            at,
        )
    });
    let Some((1.., at)) = shared.max() else {
        return case.to_owned();
    };
    left.retain(|other| !other.starts_with(&case[..at]));
    format!("{}*", &case[..at])
}

/// The line for some cases; `None` without one.
fn written(cases: &[String], rest: &str) -> Option<String> {
    let rest = if rest == "*/*/*" { "**" } else { rest };
    match cases {
        [] => None,
        [case] => Some(format!("{case}/{rest}")),
        several => Some(format!("{{{}}}/{rest}", several.join(","))),
    }
}
