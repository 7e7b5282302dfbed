//! What an adapter states in its `hello`: its limits, and what is said of one that states something else.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::python_is_there;
use crate::reports::run;
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
        let trials = ["run", "-j1", "**", "--adapter-command", COMMAND];
        run(&place, &[&trials[..], &events].concat());
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
