//! The kits and the protocol's page name the same element types, with the same widths and numbers, as the library.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::program;
use reshape_conformance::semantics::operator::{OPERATORS, Operator};
use reshape_conformance::tensor::ElementType;
use std::collections::{BTreeMap, BTreeSet};

const PYTHON: &str = include_str!("../adapters/kit/python/reshape_adapter.py");
const NODE: &str = include_str!("../adapters/kit/node/reshape_adapter.mjs");
const C: &str = include_str!("../adapters/kit/c/reshape_adapter.h");
const PROTOCOL: &str = include_str!("../docs/protocol.md");

/// What stands between `start` and the next `end`.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).expect(start);
    rest.split_once(end).expect(end).0
}

/// The entries `key: value` of a literal in Python or JavaScript, without quotes.
fn entries(literal: &str) -> BTreeMap<&str, &str> {
    let entries = literal
        .split([',', '\n'])
        .filter(|entry| !entry.trim().is_empty());
    entries
        .map(|entry| entry.split_once(':').expect(entry))
        .map(|(key, value)| (unquoted(key), unquoted(value)))
        .collect()
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches('"')
}

fn names(types: impl Fn(&ElementType) -> bool) -> BTreeSet<&'static str> {
    let chosen = ElementType::ALL
        .iter()
        .filter(|element_type| types(element_type));
    chosen.map(|element_type| element_type.name()).collect()
}

fn is_sub_byte(element_type: &ElementType) -> bool {
    element_type.bits().is_some_and(|bits| bits < 8)
}

fn sub_byte_bits() -> BTreeMap<&'static str, String> {
    let types = ElementType::ALL
        .iter()
        .filter(|element_type| is_sub_byte(element_type));
    types
        .map(|element_type| (element_type.name(), bits(*element_type).to_string()))
        .collect()
}

/// The bits of one element; 0 for strings, whose elements have a length each.
fn bits(element_type: ElementType) -> u32 {
    element_type.bits().unwrap_or(0)
}

fn assert_same(ours: &BTreeMap<&str, String>, theirs: &BTreeMap<&str, &str>) {
    let ours: BTreeMap<_, _> = ours.iter().map(|(name, value)| (*name, &**value)).collect();
    assert_eq!(&ours, theirs);
}

#[test]
fn the_python_kit_has_the_same_element_types() {
    let numpy = entries(between(PYTHON, "\nNUMPY = {", "}"));
    let whole_bytes = names(|t| *t != ElementType::String && !is_sub_byte(t));
    assert_eq!(numpy.keys().copied().collect::<BTreeSet<_>>(), whole_bytes);
    for (name, code) in numpy {
        let element_type: ElementType = name.parse().expect("an element type");
        let bytes = match code.trim_start_matches(['<', '?']) {
            "" => 1,
            code => code[1..].parse().expect("a width"),
        };
        assert_eq!(element_type.bits(), Some(bytes * 8), "{name}");
    }
    assert_same(
        &sub_byte_bits(),
        &entries(between(PYTHON, "\nSUB_BYTE = {", "}")),
    );
}

#[test]
fn the_python_kit_has_the_same_onnx_numbers() {
    let all = ElementType::ALL.iter();
    let numbers = all
        .map(|t| (t.name(), t.onnx_number().to_string()))
        .collect();
    assert_same(&numbers, &entries(between(PYTHON, "\nONNX = {", "}")));
}

#[test]
fn the_python_kit_finds_element_types_by_the_same_numpy_names() {
    // The kit takes the names of numpy's own types from numpy, and lists the others.
    let listed = entries(between(PYTHON, "not t.startswith(\"f8\")} | {", "}"));
    let listed: BTreeMap<_, _> = listed.iter().map(|(name, of)| (*of, *name)).collect();
    for element_type in ElementType::ALL {
        let is_tiny_float = |prefix| element_type.name().starts_with(prefix);
        let is_listed =
            ["bf", "f8", "f4"].into_iter().any(is_tiny_float) || is_sub_byte(element_type);
        let name = element_type.numpy_name().filter(|_| is_listed);
        assert_eq!(
            listed.get(element_type.name()).copied(),
            name,
            "{element_type}"
        );
    }
}

#[test]
fn the_node_kit_has_the_same_element_types() {
    let arrays = entries(between(NODE, "\nconst ARRAYS = {", "}"));
    assert_eq!(
        arrays.keys().copied().collect::<BTreeSet<_>>(),
        names(|t| *t != ElementType::String)
    );
    for (name, array) in arrays {
        let element_type: ElementType = name.parse().expect("an element type");
        let digits: String = array.chars().filter(char::is_ascii_digit).collect();
        let width: u32 = digits.parse().expect("a width");
        // Two numbers for each complex element.
        let numbers = if name.starts_with("complex") { 2 } else { 1 };
        assert_eq!(width, (bits(element_type) / numbers).max(8), "{name}");
    }
    assert_same(
        &sub_byte_bits(),
        &entries(between(NODE, "\nconst SUB_BYTE = {", "}")),
    );
}

#[test]
fn the_c_kit_has_the_same_element_types() {
    let types = between(C, "} types[] = {", "};");
    let mut found = BTreeSet::new();
    for group in types.split('{').filter(|group| !group.trim().is_empty()) {
        let (width, names) = group.split_once(',').expect("bits and names");
        for name in between(names, "\"", "\"").split_whitespace() {
            let element_type: ElementType = name.parse().expect("an element type");
            assert_eq!(width.trim().parse(), Ok(bits(element_type)), "{name}");
            assert!(found.insert(element_type.name()), "{name} twice");
        }
    }
    assert_eq!(found, names(|_| true));
}

#[test]
fn the_protocol_page_says_how_many_bytes_each_element_type_takes() {
    let table = between(PROTOCOL, "| element types | bytes |\n|---|---|\n", "\n\n");
    let types = table.lines().map(|row| between(row, "| ", " |"));
    let listed: BTreeSet<_> = types
        .flat_map(|names| names.split([' ', ',', '`']))
        .filter(|name| !name.is_empty())
        .collect();
    assert_eq!(listed, names(|_| true));
}

#[test]
fn the_protocol_page_lists_the_element_types() {
    let table = between(PROTOCOL, "| element type | bits | ONNX |", "\n\n");
    let rows: Vec<Vec<_>> = table
        .lines()
        .skip(2)
        .map(|row| row.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let or_none = |name: Option<&str>| name.map_or("".to_owned(), |name| format!("`{name}`"));
    for (element_type, row) in ElementType::ALL.iter().zip(&rows) {
        let openvino = element_type.openvino_names().map(|(name, _)| name);
        let has = |of: &&Operator| of.element_types.contains(element_type);
        let mut onnx = OPERATORS.iter().filter(|of| of.name.starts_with("onnx."));
        let since = onnx.find(has).expect("a version with this type").name;
        let expected = [
            format!("`{element_type}`"),
            element_type
                .bits()
                .map_or("".to_owned(), |bits| bits.to_string()),
            format!(
                "{} `{}`",
                element_type.onnx_number(),
                element_type.onnx_name()
            ),
            since.trim_start_matches("onnx.Reshape-").to_owned(),
            or_none(openvino),
            or_none(element_type.numpy_name()),
        ];
        assert_eq!(row, &expected, "write it as {}", expected.join(" | "));
    }
    assert_eq!(rows.len(), ElementType::ALL.len());
}

#[test]
fn numbers_and_names_are_distinct() {
    let distinct = |names: Vec<&str>| {
        let set: BTreeSet<_> = names.iter().collect();
        assert_eq!(set.len(), names.len(), "{names:?}");
    };
    let all = || ElementType::ALL.iter();
    distinct(all().map(|t| t.onnx_name()).collect());
    distinct(all().filter_map(|t| t.numpy_name()).collect());
    distinct(
        all()
            .filter_map(|t| t.openvino_names())
            .map(|(name, _)| name)
            .collect(),
    );
    distinct(
        all()
            .filter_map(|t| t.openvino_names())
            .map(|(_, precision)| precision)
            .collect(),
    );
    let mut numbers: Vec<_> = all().map(|t| t.onnx_number()).collect();
    numbers.sort_unstable();
    let counted: Vec<_> = (1..).take(numbers.len()).collect();
    assert_eq!(numbers, counted, "ONNX counts them up; 0 is UNDEFINED");
}

#[test]
fn the_suite_tries_every_element_type_on_every_operator() {
    let output = program().arg("list").output().unwrap();
    let names = String::from_utf8(output.stdout).unwrap();
    let tried: BTreeSet<_> = names
        .lines()
        .filter_map(|name| {
            let mut parts = name.split('/').skip(1);
            Some((parts.next()?, parts.next()?))
        })
        .collect();
    for operator in OPERATORS {
        for element_type in ElementType::ALL {
            let pair = (operator.name, element_type.name());
            assert!(tried.contains(&pair), "{pair:?}");
        }
    }
}

#[test]
fn a_name_is_read_back_and_an_unknown_one_is_answered_with_names() {
    for of in ElementType::ALL {
        assert_eq!(of.to_string().parse(), Ok(*of));
        let json = serde_json::to_string(of).unwrap();
        assert_eq!(serde_json::from_str::<ElementType>(&json).unwrap(), *of);
    }
    let all = ElementType::ALL.iter().map(ToString::to_string);
    let all = all.collect::<Vec<_>>().join(", ");
    for (text, description) in [
        ("kiwi", format!("the element types are {all}")),
        ("omplex64", "did you mean complex64?".to_owned()),
        ("Bool", "did you mean bool?".to_owned()),
    ] {
        let error = text.parse::<ElementType>().unwrap_err();
        let description = format!("unknown element type '{text}'; {description}");
        assert_eq!(error.to_string(), description);
    }
}
