//! What an adapter states in its `hello`: its limits, and what is said of one that states something else.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::python_is_there;
use crate::reports::run;
use std::collections::BTreeSet;
use std::fs;
use tempfile::{TempDir, tempdir};

/// An adapter in which `RUN` answers, and `HELLO` has what is special about its `hello`.
const ADAPTER: &str = r#"
import json, os, struct, sys
read, write = sys.stdin.buffer, sys.stdout.buffer
HELLO = {}
def send(of, payload=b""):
    write.write(json.dumps(of | ({"payload": len(payload)} if payload else {})).encode() + b"\n" + payload)
    write.flush()
while line := read.readline():
    of = json.loads(line)
    payload = read.read(of.get("payload", 0))
    reply = {"id": of["id"], "type": {"release": "released", "compile": "compiled"}.get(of["type"], of["type"])}
    if of["type"] == "hello":
        reply |= {"protocol": 1, "backend": {"name": "mine", "version": "1"}, "model": "none", "supports": [
            {"operators": ["onnx.Reshape-14"], "element_types": ["f32"], "bindings": ["constant-static"]}]} | HELLO
    if of["type"] == "compile":
        reply["handle"], shape = 1, of["target"]["values"]
    if of["type"] == "run":
        reply = {"id": of["id"], "type": "rejected", "message": f"rank {len(of['data']['shape'])}"}
    send(reply)
    if of["type"] == "bye":
        break
"#;

/// A folder with this adapter as `mine.py`, whose `hello` has these fields, too.
fn adapter(hello: &str) -> TempDir {
    let place = tempdir().unwrap();
    let text = ADAPTER.replace("HELLO = {}", &format!("HELLO = {hello}"));
    fs::write(place.path().join("mine.py"), text).unwrap();
    place
}

const COMMAND: &str = "python3 -S mine.py";

#[test]
fn what_hello_limits_is_skipped_as_if_a_manifest_did() {
    if !python_is_there() {
        return;
    }
    let asked = |hello: &str| {
        let place = adapter(hello);
        let events = ["--events", "it.jsonl"];
        let trials = ["run", "-j1", "**", "--operator", "onnx.Reshape-14"];
        let backend = ["--adapter-command", COMMAND];
        run(&place, &[&trials[..], &backend, &events].concat());
        let events = fs::read_to_string(place.path().join("it.jsonl")).unwrap();
        let is_asked = |line: &&str| {
            line.contains("\"event\":\"trial\"") && !line.contains("\"verdict\":\"skipped\"")
        };
        events
            .lines()
            .filter(is_asked)
            .map(ToOwned::to_owned)
            .collect::<Vec<_>>()
    };
    let ranks = |trials: &[String]| {
        let rank = |trial: &String| Some(trial.split_once("\"message\":\"rank ")?.1.as_bytes()[0]);
        trials.iter().filter_map(rank).max()
    };
    let all = asked("{}");
    assert!(ranks(&all) > Some(b'2'), "{all:?}");
    let limited = asked(r#"{"limits": {"data_rank": 2, "surroundings": []}}"#);
    assert_eq!(ranks(&limited), Some(b'2'));
    assert!(limited.len() < all.len() && !limited.is_empty());
    let entry = r#"{"supports": [{"operators": ["onnx.Reshape-14"], "element_types": "all", "bindings": "all",
        "attributes": {"allowzero": [1]}, "limits": {"data_bytes": 4}}]}"#;
    let limited = asked(entry);
    let is_one = |trial: &String| trial.contains("\"element_type\":\"f32\"");
    assert!(limited.iter().any(is_one) && limited.len() < all.len());
}

#[test]
fn a_wrong_hello_is_refused_with_the_place_and_what_to_do() {
    if !python_is_there() {
        return;
    }
    let entry = |fields: &str| {
        format!(
            r#"{{"supports": [{{"operators": ["onnx.Reshape-14"], "element_types": ["f32"], "bindings": ["constant-static"], {fields}}}]}}"#
        )
    };
    let said: String = [
        r#"{"limits": {"rnk": 2}}"#.to_owned(),
        r#"{"limits": {"rank": "2"}}"#.to_owned(),
        r#"{"limits": {"rank": 1.5}}"#.to_owned(),
        r#"{"limits": {"rank": -1}}"#.to_owned(),
        r#"{"limits": {"target_values": [5, 1]}}"#.to_owned(),
        r#"{"limits": {"surroundings": ["after-reshap"]}}"#.to_owned(),
        r#"{"limits": {"memory_mib": 100}}"#.to_owned(),
        r#"{"limits": [1]}"#.to_owned(),
        r#"{"limits": {"strings": ["utf-8", "utf-8"]}}"#.to_owned(),
        r#"{"window": -1}"#.to_owned(),
        r#"{"window": "4"}"#.to_owned(),
        r#"{"infer_only": 1}"#.to_owned(),
        r#"{"backend": "mine"}"#.to_owned(),
        r#"{"model": "ONNX"}"#.to_owned(),
        r#"{"supports": {}}"#.to_owned(),
        r#"{"supports": [{"operators": "onnx"}]}"#.to_owned(),
        entry(r#""limit": {}"#),
        entry(r#""attributes": {"allowzeros": [1]}"#),
        entry(r#""limits": {"target_types": ["int64"]}"#),
        r#"{"unavailable": [{"operators": ["onnx"], "element_types": ["f32"], "bindings": ["constant-static"]}]}"#.to_owned(),
    ]
    .iter()
    .map(|hello| {
        let (code, said) = run(&adapter(hello), &["adapter", "check", COMMAND]);
        assert_eq!(code, 104, "{hello}: {said}");
        let (said, _) = said.split_once(": {\"").expect(&said);
        format!("{hello}\n  {}\n", said.split_once("as docs/protocol.md says: ").expect(said).1)
    })
    .collect();
    insta::assert_snapshot!("wrong-hello", said);
}

#[test]
fn a_hello_that_has_a_field_twice_is_refused() {
    if !python_is_there() {
        return;
    }
    let place = adapter("{}");
    let twice = r#"print('{"type":"hello","id":0,"limits":{"rank":1},"limits":{}}', flush=True)"#;
    fs::write(place.path().join("mine.py"), twice).unwrap();
    let (code, said) = run(&place, &["adapter", "check", COMMAND]);
    assert!(
        code == 104 && said.contains("a second key `limits`"),
        "{said}"
    );
}

#[test]
fn a_field_of_hello_that_nothing_reads_is_noted_by_a_check_and_ends_no_run() {
    if !python_is_there() {
        return;
    }
    let place = adapter(r#"{"limit": {"rank": 2}, "later": 1}"#);
    let (_, said) = run(&place, &["adapter", "check", COMMAND]);
    assert!(
        said.contains("that nothing reads: `limit`: did you mean limits?"),
        "{said}"
    );
    assert!(said.contains("that nothing reads: `later`\n"), "{said}");
}

#[test]
fn limits_in_hello_must_be_those_of_the_manifest() {
    if !python_is_there() {
        return;
    }
    for (hello, manifest, code) in [
        ("{}", "limits: {rank: 2, memory_mib: 500}", 0),
        (
            r#"{"limits": {"rank": 2}}"#,
            "limits: {rank: 2, memory_mib: 500}",
            0,
        ),
        (r#"{"limits": {"rank": 2}}"#, "limits: {rank: 3}", 102),
        (r#"{"limits": {"rank": 2}}"#, "", 102),
    ] {
        let place = adapter(hello);
        let folder = place.path().join("adapters/mine");
        fs::create_dir_all(&folder).unwrap();
        fs::copy(place.path().join("mine.py"), folder.join("mine.py")).unwrap();
        let text = format!(
            "name: mine\nabout: It refuses all\nmodel: none\n{manifest}\ncommand: [python3, -S, mine.py]\n\
             supports:\n  - {{operators: [onnx.Reshape-14], element_types: [f32], bindings: [constant-static]}}\n"
        );
        fs::write(folder.join("adapter.yaml"), text).unwrap();
        let trial = "two-minus-ones/onnx.Reshape-14/f32/constant-static";
        let (ended, said) = run(&place, &["run", "--adapter", "mine", "--exact", trial]);
        assert_eq!(ended, code, "{hello} {manifest}: {said}");
        assert!(
            code == 0 || said.contains("in the handshake are not those"),
            "{said}"
        );
    }
}

/// Cases at the edges of limits. `list` judges no expectation.
const EDGES: &str = "
- {name: six, operators: [onnx.Reshape-21], covers: [same-content], data: {shape: [6], element_types: [f32]}, shape: [6], expect: {shape: [6]}}
- {name: longest, operators: [onnx.Reshape-21], covers: [same-content], data: {shape: [6], element_types: [f32]}, shape: [-1, 2147483647], expect: {rejected: volume-mismatch}}
- {name: too-long, operators: [onnx.Reshape-21], covers: [same-content], data: {shape: [6], element_types: [f32]}, shape: [-1, 2147483648], expect: {rejected: volume-mismatch}}
- {name: of-i32, operators: [onnx.Reshape-21], covers: [target-type], data: {shape: [5], element_types: [f32]}, shape: [5], shape_element_type: i32, expect: {rejected: target-type}}
- {name: no-elements, operators: [onnx.Reshape-21], covers: [same-content], data: {shape: [0], element_types: [f32]}, zero: literal, shape: [0], expect: {shape: [0]}}
- {name: zero-six, operators: [onnx.Reshape-21], covers: [same-content], data: {shape: [0, 6], element_types: [f32]}, zero: literal, shape: [0], expect: {shape: [0]}}
- {name: zero-seven, operators: [onnx.Reshape-21], covers: [same-content], data: {shape: [0, 7], element_types: [f32]}, zero: literal, shape: [0], expect: {shape: [0]}}
- {name: narrow, operators: [onnx.Reshape-21], covers: [same-content], data: {shape: [24], element_types: [u4]}, shape: [24], expect: {shape: [24]}}
- {name: vast, operators: [onnx.Reshape-21], covers: [same-content], data: {shape: [9223372036854775807, 2, 0], element_types: [f32]}, zero: literal, shape: [0], expect: {shape: [0]}}
";

/// The trials that `list` names for an adapter with this end of its manifest.
fn claimed(manifest: &str, arguments: &[&str]) -> Vec<String> {
    let place = tempdir().unwrap();
    let folder = place.path().join("adapters").join("mine");
    fs::create_dir_all(&folder).unwrap();
    let manifest = format!("name: mine\nabout: It.\ncommand: [none]\nmodel: none\n{manifest}");
    fs::write(folder.join("adapter.yaml"), manifest).unwrap();
    fs::write(place.path().join("edges.yaml"), EDGES).unwrap();
    let list = ["list", "--adapter", "mine", "--adapters", "adapters"];
    let (code, text) = run(&place, &[&list[..], arguments].concat());
    assert_eq!(code, 0, "{text}");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn limits_and_attributes_hold_for_the_cells_of_their_own_entry_alone() {
    let of = |more: &str| {
        let manifest = format!(
            "supports:\n\
             - {{operators: [onnx.Reshape-21], element_types: all, bindings: [runtime-static], {more}}}\n\
             - {{operators: [onnx.Reshape-21], element_types: all, bindings: [constant-static]}}\n"
        );
        let trials = claimed(
            &manifest,
            &["*/*/*/{runtime,constant}-static", "--cases", "edges.yaml"],
        )
        .into_iter();
        let (runtime, constant): (Vec<_>, Vec<_>) =
            trials.partition(|trial| trial.ends_with("runtime-static"));
        let case = |trial: &String| trial.split('/').next().unwrap().to_owned();
        let runtime: Vec<_> = runtime.iter().map(case).collect();
        let constant = constant.iter().map(case);
        constant
            .filter(|case| !runtime.contains(case))
            .collect::<Vec<_>>()
    };
    assert_eq!(of("limits: {}"), [""; 0]);
    for (more, left_out) in [
        ("limits: {target_types: [i64]}", &["of-i32"][..]),
        (
            "limits: {target_values: [-2147483648, 2147483647]}",
            &["too-long"],
        ),
        ("limits: {data_dim: 6}", &["zero-seven", "vast", "narrow"]),
        ("limits: {empty_data_ranks: [2, 3]}", &["no-elements"]),
        ("limits: {data_bytes: 24}", &["zero-seven", "vast"]),
        (
            "attributes: {allowzero: [1]}",
            &["six", "longest", "too-long", "of-i32", "narrow"],
        ),
    ] {
        assert_eq!(of(more), left_out, "{more}");
    }
}

#[test]
fn an_entry_is_asked_in_the_surroundings_that_it_all_entries_and_the_model_have() {
    let manifest = "limits: {surroundings: [after-other-data, after-other-target, constant-data]}\n\
        supports:\n\
        - {operators: [onnx.Reshape-5], element_types: all, bindings: all, limits: {surroundings: [after-other-data]}}\n\
        - {operators: [onnx.Reshape-14], element_types: all, bindings: all}\n";
    let trials = claimed(manifest, &["*/*/f32/*+*"]);
    let of = |operator: &str| {
        let trials = trials.iter().filter(|trial| trial.contains(operator));
        let surroundings = trials.filter_map(|trial| trial.split_once('+'));
        surroundings.map(|(_, name)| name).collect::<BTreeSet<_>>()
    };
    let both = ["after-other-data", "after-other-target"];
    assert_eq!(of("/onnx.Reshape-5/"), BTreeSet::from(["after-other-data"]));
    assert_eq!(of("/onnx.Reshape-14/"), BTreeSet::from(both));
}

#[test]
fn a_limit_of_strings_looks_at_the_data() {
    if !python_is_there() {
        return;
    }
    let case = |(name, value): (&str, &str)| {
        format!(
            "- {{name: {name}, operators: [onnx.Reshape-14], covers: [same-content], data: {{shape: [1], \
             element_types: [string], values: ['{value}']}}, shape: [1, 1], expect: {{shape: [1, 1]}}}}\n"
        )
    };
    let values = [
        ("inside", "a\\x00b"),
        ("at-the-end", "a\\x00"),
        ("of-bytes", "\\xff"),
    ];
    let cases: String = values.map(case).concat();
    let skipped = |limits: &str| {
        let supports = r#"[{"operators": ["onnx.Reshape-14"], "element_types": ["string"], "bindings": ["constant-static"]}]"#;
        let place = adapter(&format!(
            r#"{{"supports": {supports}, "limits": {limits}}}"#
        ));
        fs::write(place.path().join("cases.yaml"), &cases).unwrap();
        let trials = [
            "run",
            "-j1",
            "*/*/string/constant-static",
            "--cases",
            "cases.yaml",
        ];
        let more = ["--adapter-command", COMMAND, "--events", "it.jsonl"];
        let (_, text) = run(&place, &[&trials[..], &more].concat());
        let events = fs::read_to_string(place.path().join("it.jsonl"));
        let events = events.unwrap_or_else(|_| panic!("{text}"));
        let lines = events.lines();
        let skipped = lines.filter(|line| line.contains(r#""verdict":"skipped""#));
        let is_of = |line: &str, name: &str| line.contains(&format!(r#""case":"{name}""#));
        let name = |line: &str| values.iter().find(|(name, _)| is_of(line, name)).unwrap().0;
        skipped.map(name).collect::<Vec<_>>()
    };
    assert_eq!(skipped("{}"), [""; 0]);
    assert_eq!(
        skipped(r#"{"strings": ["no-nul-at-the-end"]}"#),
        ["at-the-end"]
    );
    assert_eq!(skipped(r#"{"strings": ["utf-8"]}"#), ["of-bytes"]);
}
