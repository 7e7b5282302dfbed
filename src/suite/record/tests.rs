//! A case's id is for ever, and what it expects does not change unnoticed: `cases/RECORD.txt` has a line for each case, and
//! a line for each that was removed. `UPDATE_RECORD=1 cargo test --lib record` writes it, where the changelog allows it.

use super::{CHANGELOG, version};
use crate::semantics::operator::in_short;
use crate::suite::Suite;
use crate::suite::case::Case;
use std::collections::BTreeMap;

const RECORD: &str = include_str!("../../../cases/RECORD.txt");
const HEAD: &str = "# Every case of the suite, with what it asks and expects, and every id that must not be used again.
# `UPDATE_RECORD=1 cargo test --release --lib record` writes this file; CONTRIBUTING.md says when it may.\n";
/// What a line says of a case that was removed.
const REMOVED: &str = "removed";

/// What a case asks and expects, in a line.
fn line(case: &Case) -> String {
    let target = case
        .target
        .as_ref()
        .map_or_else(|| "no target".to_owned(), ToString::to_string);
    let mut stated: Vec<(String, Vec<_>)> = Vec::new();
    for operator in &case.operators {
        let types = case.element_types(operator);
        let attributes = types
            .first()
            .map(|first| case.request(operator, *first).attributes);
        let attributes: Vec<_> = attributes
            .iter()
            .flatten()
            .map(|(name, value)| format!("{name}={value} "))
            .collect();
        let text = format!("{}{}", attributes.concat(), case.expectation(operator));
        match stated.iter_mut().find(|(other, _)| *other == text) {
            Some((_, operators)) => operators.push(*operator),
            None => stated.push((text, vec![*operator])),
        }
    }
    let stated: Vec<_> = stated
        .iter()
        .map(|(text, operators)| format!("{}: {text}", in_short(operators)))
        .collect();
    format!("{:?} to {target} | {}", case.data_shape, stated.join(" | "))
}

/// The lines of a record, by case.
fn lines(record: &str) -> BTreeMap<&str, &str> {
    let lines = record.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(" | ")).collect()
}

/// Why the record may not become what the suite is now: a case that was removed, changed or has the name of a removed one,
/// which the changelog's newest version does not name.
fn unlogged(record: &str, now: &BTreeMap<String, String>, changelog: &str) -> Vec<String> {
    let newest = changelog.split("\n## ").nth(1).unwrap_or_default();
    let logged = |name: &str| newest.contains(&format!("`{name}`"));
    let mut faults = Vec::new();
    for (name, before) in lines(record) {
        match (now.get(name), before == REMOVED) {
            (Some(_), true) => faults.push(format!("{name} was removed, and its id is not used again")),
            (Some(after), false) if after != before && !logged(name) => faults.push(format!(
                "{name} changed, from {before} to {after}: say why in cases/CHANGELOG.md, in a new version"
            )),
            (None, false) if !logged(name) => faults.push(format!(
                "{name} is gone: say why in cases/CHANGELOG.md, in a new version"
            )),
            _ => {}
        }
    }
    faults
}

/// The record of the suite as it is now, with the ids of what was removed.
fn written(record: &str, now: &BTreeMap<String, String>) -> String {
    let mut all: BTreeMap<&str, &str> = lines(record)
        .into_keys()
        .map(|name| (name, REMOVED))
        .collect();
    all.extend(
        now.iter()
            .map(|(name, line)| (name.as_str(), line.as_str())),
    );
    let lines: Vec<_> = all
        .iter()
        .map(|(name, line)| format!("{name} | {line}\n"))
        .collect();
    format!("{HEAD}{}", lines.concat())
}

#[test]
fn ids_are_for_ever_and_a_changed_expectation_is_in_the_changelog() {
    let suite = Suite::built_in().expect("a good suite");
    let now: BTreeMap<String, String> = suite
        .cases()
        .iter()
        .map(|case| (case.name.clone(), line(case)))
        .collect();
    assert_eq!(unlogged(RECORD, &now, CHANGELOG), Vec::<String>::new());
    let text = written(RECORD, &now);
    if std::env::var_os("UPDATE_RECORD").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/cases/RECORD.txt");
        std::fs::write(path, text).expect("a file that can be written");
    } else {
        assert!(
            text == RECORD,
            "`UPDATE_RECORD=1 cargo test --release --lib record` brings cases/RECORD.txt up to date"
        );
    }
    let digits = version().split('.').all(|part| part.parse::<u32>().is_ok());
    assert!(digits, "the version of the suite is {}", version());
}

#[test]
fn a_case_that_is_removed_or_changed_or_comes_back_is_told_unless_it_is_logged() {
    let record = "kept | a\nchanged | a\ngone | a\nback | removed\n";
    let now = [("kept", "a"), ("changed", "b"), ("back", "a"), ("new", "c")];
    let now = now
        .map(|(name, line)| (name.to_owned(), line.to_owned()))
        .into();
    let told = unlogged(record, &now, "# Changes\n\n## 1\n");
    assert_eq!(told.len(), 3, "{told:?}");
    let logged = "# Changes\n\n## 2\n\n- `changed`: \n- `gone`: \n\n## 1\n";
    let told = unlogged(record, &now, logged);
    assert!(
        told.len() == 1 && told[0].starts_with("back was removed"),
        "{told:?}"
    );
    let text = written(record, &now);
    assert!(
        text.ends_with("back | a\nchanged | b\ngone | removed\nkept | a\nnew | c\n"),
        "{text}"
    );
}
