//! A case's id is for ever, and what it expects does not change unnoticed: `cases/RECORD.txt` has a line for each case, with
//! the version since which it is so, a line for each other part of a trial's name, and a line for each case that was removed.
//! `UPDATE_RECORD=1 cargo test --release --lib record` writes it, where the changelog allows it.

use super::{CHANGELOG, RECORD, Version, version};
use crate::model::surroundings::Surrounding;
use crate::names::{Grouped, Joined};
use crate::semantics::operator::{Binding, OPERATORS, Operator, in_short};
use crate::suite::Suite;
use crate::suite::case::Case;
use crate::tensor::ElementType;
use std::collections::BTreeMap;

const HEAD: &str = "# Every case of the suite, with the version since which it is so and what it asks and expects; every other part of a
# trial's name, with its version; and every id that must not be used again.
# `UPDATE_RECORD=1 cargo test --release --lib record` writes this file; CONTRIBUTING.md says when it may.\n";
/// What a line says of a case that was removed.
const REMOVED: &str = "removed";

/// What a case asks and expects of some operators, in a line.
fn line(case: &Case, is_asked: impl Fn(&Operator) -> bool) -> String {
    let target = case.target.as_ref();
    let target = target.map_or_else(|| "no target".to_owned(), ToString::to_string);
    let operators = case.operators.iter().filter(|of| is_asked(of));
    let stated = operators.map(|operator| {
        let types = case.element_types(operator);
        let first = types.first();
        let attributes = first.map(|first| case.request(operator, *first).attributes);
        let attributes = attributes.iter().flat_map(|of| of.iter());
        let attributes = attributes.map(|(name, value)| format!("{name}={value} "));
        let attributes: Vec<_> = attributes.collect();
        let text = format!("{}{}", attributes.concat(), case.expectation(operator));
        (text, *operator)
    });
    let stated = stated.grouped().into_iter();
    let stated = stated.map(|(text, operators)| format!("{}: {text}", in_short(&operators)));
    let (data, stated) = (&case.data_shape, stated.joined(" | "));
    format!("{data:?} to {target} | {stated}")
}

/// The lines of a record, by case: the version and the rest.
fn lines(record: &str) -> BTreeMap<&str, (&str, &str)> {
    let lines = record.lines().filter(|line| !line.starts_with('#'));
    let lines = lines.filter_map(|line| line.split_once(" | "));
    let of = lines.map(|(name, rest)| match rest {
        REMOVED => (name, ("", REMOVED)),
        _ => (name, rest.split_once(" | ").unwrap_or((rest, ""))),
    });
    of.collect()
}

/// The parts of trials' names that are no cases, as `Version::of_trial` looks them up.
fn other_parts() -> impl Iterator<Item = String> {
    let operators = OPERATORS.iter().map(|of| format!("/{}", of.name));
    let types = ElementType::ALL.iter().map(|of| format!("/{of}"));
    let bindings = Binding::ALL.iter().map(|of| format!("/{of}"));
    let surroundings = Surrounding::ALL.iter().map(|of| format!("+{of}"));
    operators.chain(types).chain(bindings).chain(surroundings)
}

/// Why the record may not become what the suite is now: a case that was removed, changed or has the name of a removed one,
/// which the changelog's newest version does not name.
fn unlogged(record: &str, now: &BTreeMap<String, String>, changelog: &str) -> Vec<String> {
    let newest = changelog.split("\n## ").nth(1).unwrap_or_default();
    let logged = |name: &str| newest.contains(&format!("`{name}`"));
    let mut faults = Vec::new();
    for (name, (_, before)) in lines(record) {
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

/// The record of the suite as it is now, with the ids of what was removed. What is new or changed is so since this version.
/// `asked_before` is the suite as far as the operators of the record go: a case that asks a new operator, too, is not new.
fn written(
    record: &str,
    asked_before: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
    version: &str,
) -> String {
    let before = lines(record);
    let removed = before.keys().map(|name| (*name, REMOVED.to_owned()));
    let mut all: BTreeMap<&str, String> = removed.collect();
    for (name, line) in now {
        let asked = asked_before.get(name).unwrap_or(line);
        let same = before.get(name.as_str()).filter(|(_, of)| of == asked);
        let since = same.map_or(version, |(since, _)| since);
        let line = format!("{since} | {line}");
        all.insert(name, line.trim_end_matches([' ', '|']).to_owned());
    }
    let lines = all.iter().map(|(name, line)| format!("{name} | {line}\n"));
    let lines: Vec<_> = lines.collect();
    format!("{HEAD}{}", lines.concat())
}

#[test]
fn ids_are_for_ever_and_a_changed_expectation_is_in_the_changelog() {
    let suite = Suite::built_in().expect("a good suite");
    let recorded = lines(RECORD);
    let is_recorded = |of: &Operator| recorded.contains_key(format!("/{of}").as_str());
    let all = |is_asked: &dyn Fn(&Operator) -> bool| -> BTreeMap<String, String> {
        let cases = suite.cases().iter();
        let cases = cases.map(|case| (case.name.clone(), line(case, is_asked)));
        let parts = other_parts().map(|part| (part, String::new()));
        cases.chain(parts).collect()
    };
    let (asked_before, now) = (all(&is_recorded), all(&|_| true));
    let nothing = Vec::<String>::new();
    assert_eq!(unlogged(RECORD, &asked_before, CHANGELOG), nothing);
    let text = written(RECORD, &asked_before, &now, version());
    if std::env::var_os("UPDATE_RECORD").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/cases/RECORD.txt");
        std::fs::write(path, text).expect("a file that can be written");
    } else {
        assert!(
            text == RECORD,
            "`UPDATE_RECORD=1 cargo test --release --lib record` brings cases/RECORD.txt up to date"
        );
    }
    assert_eq!(Version::newest().to_string(), version());
}

#[test]
fn a_case_that_is_removed_or_changed_or_comes_back_is_told_unless_it_is_logged() {
    let record = "kept | 1 | a\nchanged | 1 | a\ngone | 1 | a\nback | removed\n";
    let now = [("kept", "a"), ("changed", "b"), ("back", "a"), ("new", "c")];
    let now = now.map(|(name, line)| (name.to_owned(), line.to_owned()));
    let now = now.into();
    let told = unlogged(record, &now, "# Changes\n\n## 1\n");
    assert_eq!(told.len(), 3, "{told:?}");
    let logged = "# Changes\n\n## 2\n\n- `changed`: \n- `gone`: \n\n## 1\n";
    let told = unlogged(record, &now, logged);
    let is_told = told.len() == 1 && told[0].starts_with("back was removed");
    assert!(is_told, "{told:?}");
    let text = written(record, &now, &now, "2");
    assert!(
        text.ends_with(
            "back | 2 | a\nchanged | 2 | b\ngone | removed\nkept | 1 | a\nnew | 2 | c\n"
        ),
        "{text}"
    );
}

#[test]
fn a_trial_is_as_new_as_the_newest_part_of_its_name() {
    let (first, runtime) = ("copied-zero-first", "onnx.Reshape-14/f32/runtime-dynamic");
    let attribute = "onnx.Reshape-1/f32/attribute-static";
    for (case, rest, surrounding, since) in [
        (first, runtime, "", "1.0"),
        ("scalar-from-many-ones", attribute, "", "3.0"),
        ("a-cube-through-minus-one", attribute, "", "3.1"),
        (first, runtime, "+beside-other-runs", "2.1"),
        (first, runtime, "+between-other-models", "3.2"),
    ] {
        let trial = format!("{case}/{rest}{surrounding}");
        assert_eq!(Version::of_trial(&trial).to_string(), since, "{trial}");
    }
}
