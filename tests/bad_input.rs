//! Bad files: each is named with its place, its fault and what to do. Nothing panics, hangs or allocates what a file
//! claims.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::program;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const GOOD: &str = "{operators: [onnx], covers: [same-count], data: {shape: [2]}, shape: [2, 1], expect: {shape: [2, 1]}}";

/// The output of `lint` for one file, and its exit code.
fn lint(name: &str, content: &[u8]) -> (String, i32) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), content).unwrap();
    lint_in(folder.path(), &[name])
}

fn lint_in(folder: &Path, names: &[&str]) -> (String, i32) {
    let output = program()
        .arg("lint")
        .args(names)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(!text.contains("panicked"), "{text}");
    (text, output.status.code().unwrap())
}

/// A case with another value in one field.
fn case_with(field: &str, value: &str) -> Vec<u8> {
    let mut fields = vec![
        ("name", "a-case"),
        ("operators", "[onnx]"),
        ("covers", "[same-count]"),
        ("data", "{shape: [2]}"),
        ("shape", "[2, 1]"),
        ("expect", "{shape: [2, 1]}"),
    ];
    fields.retain(|(name, _)| *name != field);
    fields.push((field, value));
    let lines: Vec<_> = fields
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(n, v)| format!("  {n}: {v}\n"))
        .collect();
    format!("-\n{}", lines.concat()).into_bytes()
}

#[test]
fn each_wrong_field_is_named_at_its_place() {
    for (field, value, place, words) in [
        (
            "data",
            "{shape: [2, 1180591620717411303424]}",
            "7:21",
            "'1180591620717411303424' is not a dim",
        ),
        ("data", "{shape: [-1]}", "7:18", "'-1' is not a dim"),
        ("data", "{shape: [99999999999]}", "7:17", "at most 64 MiB"),
        (
            "data",
            "{shape: [2], element_types: [f33]}",
            "7:38",
            "unknown element type 'f33'",
        ),
        (
            "data",
            "{shape: [2], element_types: []}",
            "7:37",
            "no element types",
        ),
        (
            "data",
            "{shape: [2], values: [1]}",
            "7:30",
            "1 values for 2 elements",
        ),
        (
            "data",
            "{shape: [1], element_types: [u8], values: [256]}",
            "7:52",
            "'256' is no u8",
        ),
        (
            "data",
            "{shape: [2], shade: 1}",
            "7:22",
            "`data` has no field `shade`",
        ),
        (
            "shape",
            "[1180591620717411303424]",
            "7:11",
            "1180591620717411303424 is beyond 64 bits",
        ),
        ("shape", "[1.5]", "7:11", "'1.5' is not an integer"),
        ("shape", "[[1, 2], [3]]", "7:10", "lists of one length"),
        (
            "shape",
            "[0]",
            "7:10",
            "the case does not state how it is read",
        ),
        (
            "shape_element_type",
            "i8\n  x: 1",
            "9:3",
            "a case has no field `x`",
        ),
        (
            "operators",
            "[onnx, tensorflow]",
            "7:21",
            "'tensorflow' is no operator",
        ),
        (
            "operators",
            "[\"onnx >= 99\"]",
            "7:15",
            "holds for no operator",
        ),
        ("operators", "[]", "7:14", "no operators"),
        ("operators", "[onnx, onnx.Reshape-5]", "7:21", "named twice"),
        (
            "covers",
            "[same-cuont]",
            "7:12",
            "did you mean same-count or same-content?",
        ),
        (
            "covers",
            "[onnx.Reshape-14/no-such]",
            "7:12",
            "has no clause",
        ),
        (
            "covers",
            "[example]",
            "7:12",
            "'example' would cover every example of every text",
        ),
        (
            "covers",
            "[openvino.Reshape-1/volume-equal]",
            "7:12",
            "does not run on openvino.Reshape-1",
        ),
        (
            "covers",
            "[same-count, \"onnx >= 14/no-such\"]",
            "7:24",
            "onnx.Reshape-14 has no clause 'no-such'",
        ),
        (
            "covers",
            "[onnx > 98/since]",
            "7:12",
            "holds for no operator",
        ),
        (
            "covers",
            "[tensorflow/since]",
            "7:12",
            "'tensorflow' is no operator",
        ),
        (
            "covers",
            "[left-to-right]",
            "7:12",
            "no operator of the case has a clause",
        ),
        (
            "expect",
            "{}",
            "7:11",
            "exactly one of shape, rejected, open",
        ),
        (
            "expect",
            "{shape: [2], rejected: volume-mismatch}",
            "7:11",
            "exactly one of shape, rejected, open",
        ),
        (
            "expect",
            "{rejected: bad-mood}",
            "7:22",
            "unknown reason 'bad-mood'",
        ),
        ("expect", "{open: why}", "7:18", "unknown question 'why'"),
        (
            "zero",
            "literal",
            "8:9",
            "onnx.Reshape-1 has no literal zeros",
        ),
        ("zero", "yes", "8:9", "unknown zero mode 'yes'"),
        (
            "bindings",
            "[attribute-dynamic]",
            "8:13",
            "no binding remains for onnx >= 5",
        ),
        (
            "bindings",
            "[sometimes]",
            "8:14",
            "unknown binding 'sometimes'",
        ),
        ("name", "Not_Kebab", "7:9", "is not a case name"),
        (
            "attributes",
            "{allowzero: 99999999999999999999}",
            "8:27",
            "beyond 64 bits",
        ),
    ] {
        let (text, exit) = lint("bad.yaml", &case_with(field, value));
        assert_eq!(exit, 103, "{field}: {value}\n{text}");
        assert!(
            text.contains(&format!("bad.yaml:{place}\n")),
            "{field}: {value} not at {place}\n{text}"
        );
        assert!(text.contains(words), "{field}: {value}\n{text}");
    }
}

#[test]
fn all_faults_of_a_case_and_of_a_file_are_shown() {
    let (text, exit) = lint(
        "many.yaml",
        b"- name: One\n  operators: [onx]\n  covers: [copied-zeros]\n  data: {shape: [2, x], element_types: [f23]}
  shape: [3, 010, 4.0]\n  expect: [3, 4]\n  abuot: this
- name: two
  operators: [onnx]\n  covers: [same-count]\n  data: {shape: [2]}\n  shape: [2]\n  expect: {rejected: [volume-mismach]}\n",
    );
    assert_eq!(exit, 103);
    for description in [
        "1:9\n",
        "'One' is not a case name",
        "did you mean onnx?",
        "did you mean copied-zero?",
        "4:21",
        "'x' is not a dim",
        "did you mean f32",
        "write 10",
        "write 4",
        "write `expect: {shape: [3, 4]}`",
        "7:3",
        "did you mean about?",
        "13:23",
        "did you mean volume-mismatch?",
        "10 faults in 1 file(s)",
    ] {
        assert!(text.contains(description), "{description}\n{text}");
    }
}

#[test]
fn a_case_is_not_credited_with_a_rule_that_its_request_does_not_exercise() {
    let content = case_with(
        "covers",
        "[same-count, copied-zero, onnx.Reshape-14/allowzero/literal]",
    );
    let (text, exit) = lint("cited.yaml", &content);
    assert_eq!(exit, 103);
    for description in [
        "cites copied-zero, which its request and its expectation do not exercise",
        "7:24",
        "cites onnx.Reshape-14/allowzero/literal, which",
        "the request exercises target-is-output-shape, same-count",
        "2 faults",
    ] {
        assert!(text.contains(description), "{description}\n{text}");
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("cited.yaml"), content).unwrap();
    let output = program()
        .args([
            "coverage",
            "onnx.Reshape-14/zero-copies",
            "--cases",
            "cited.yaml",
        ])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(!table.contains("a-case"), "{table}");
}

#[test]
fn copies_and_several_reasons_are_warnings_which_strict_makes_faults() {
    let copy = "- name: a-copy\n  operators: [openvino]\n  covers: [copied-zero]
  data: {shape: [3, 4, 5], element_types: [f32]}\n  shape: [0, -1]\n  zero: copy\n  expect: {shape: [3, 20]}\n";
    let two = "- name: two-reasons\n  operators: [onnx.Reshape-14]\n  covers: [one-minus-one]
  data: {shape: [3], element_types: [f32]}\n  shape: [-1, -1, 1, 0]\n  zero: copy
  expect: {rejected: [two-minus-ones, copy-past-rank]}\n";
    let twice = copy.replace("a-copy", "another-copy");
    let content = format!("{copy}{two}{twice}");
    let (text, exit) = lint("doubtful.yaml", content.as_bytes());
    assert_eq!(exit, 0, "{text}");
    for description in [
        "every trial of a-copy is also one of onednn-example-three-four-five",
        "every trial of another-copy is also one of",
        "2 reasons to reject together: two-minus-ones, copy-past-rank",
    ] {
        assert!(text.contains(description), "{description}\n{text}");
    }
    let (text, exit) = lint("mine.yaml", copy.replace("a-copy", "flattened").as_bytes());
    let taken = "a case 'flattened' already exists at cases/";
    assert!(exit == 0 && text.contains(taken), "{text}");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("doubtful.yaml"), content).unwrap();
    let (text, exit) = lint_in(folder.path(), &["--strict", "doubtful.yaml"]);
    assert!(
        exit == 103 && text.contains("faults in 1 file(s)"),
        "{text}"
    );
    let said = two.replace("operators:", "about: neither hides the other\n  operators:");
    let (text, _) = lint("said.yaml", said.as_bytes());
    assert!(!text.contains("warning"), "{text}");
}

#[test]
fn lint_says_what_a_case_adds() {
    let folder = tempfile::tempdir().unwrap();
    let like_another = |name| {
        format!(
            "- name: {name}\n  operators: [onnx.Reshape-14]\n  covers: [zero-mode-type]
  data: {{shape: [2], element_types: [f32]}}\n  shape: [0]\n  attributes: {{allowzero: 2}}
  expect: {{open: allowzero-not-0-or-1, allowed: [rejected, [2]]}}\n"
        )
    };
    let adds = "- name: adds\n  operators: [onnx.Reshape-14]\n  covers: [copied-zero]
  data: {shape: [3, 5], element_types: [f32]}\n  shape: [0, -1]\n  zero: copy\n  expect: {shape: [3, 5]}\n";
    let adds = ["one", "another"].map(like_another).concat() + adds;
    std::fs::write(folder.path().join("new.yaml"), adds).unwrap();
    let output = program()
        .args(["lint", "--cases", "new.yaml"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("adds: kills "), "{text}");
    assert!(
        text.contains(
            "2 cases, each of which kills no mutant, and covers nothing alone: one, another"
        ),
        "{text}"
    );
}

#[test]
fn what_a_case_with_much_data_adds_is_not_measured() {
    let content = "- {name: large-data, operators: [onnx, openvino], covers: [inferred-minus-one], \
                   data: {shape: [8192]}, shape: [2, -1], expect: {shape: [2, 4096]}}\n";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("large.yaml"), content).unwrap();
    let output = program()
        .args(["lint", "--cases", "large.yaml"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("large-data: has too much data"), "{text}");
}

#[cfg(unix)]
#[test]
fn what_a_folder_holds_beside_case_files_is_told_and_not_run() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let cases = folder.path().join("cases");
    std::fs::create_dir_all(cases.join("inner")).unwrap();
    let case = |name: &str| {
        format!(
            "- {}\n",
            GOOD.replacen('{', &format!("{{name: {name}, "), 1)
        )
    };
    std::fs::write(cases.join("good.YML"), case("good")).unwrap();
    std::fs::write(cases.join(".hidden.yaml"), case("hidden")).unwrap();
    std::fs::write(
        folder.path().join("mac.yaml"),
        case("Mac").replace("- {", "#\r#\r- {"),
    )
    .unwrap();
    // As Emacs locks a file.
    symlink("someone@somewhere.123", cases.join(".#good.yaml")).unwrap();
    symlink(cases.join("inner"), cases.join("linked")).unwrap();
    symlink("nowhere", cases.join("dangling.yaml")).unwrap();
    Command::new("mkfifo")
        .arg(cases.join("pipe.yaml"))
        .status()
        .unwrap();
    for name in ["c.ymal", "d.json", "e.yaml~", "NOTES.md", "n.txt"] {
        std::fs::write(cases.join(name), case("other")).unwrap();
    }
    let (text, exit) = lint_in(folder.path(), &["cases", "cases/good.YML"]);
    assert_eq!(exit, 0, "{text}");
    assert!(
        !text.contains("NOTES.md") && !text.contains("n.txt"),
        "{text}"
    );
    for description in [
        "cases/.hidden.yaml is not read: it is hidden",
        "cases/.#good.yaml is not read: it is hidden",
        "cases/linked is not read: it is a link to a folder",
        "cases/dangling.yaml is not read: it is not a file",
        "cases/pipe.yaml is not read: it is not a file",
        "cases/c.ymal is not read: it is not a case file",
        "cases/d.json is not read: it is not a case file",
        "cases/e.yaml~ is not read: it is not a case file",
    ] {
        assert!(text.contains(description), "{description}\n{text}");
    }
    let (text, exit) = lint_in(folder.path(), &["cases/pipe.yaml"]);
    assert!(
        exit == 103 && text.contains("neither a file nor a folder"),
        "{text}"
    );
    let known = [
        "run",
        "--known-failures",
        "cases/pipe.yaml",
        "--adapter-command",
        "true",
    ];
    let mut run = program();
    let output = run.args(known).current_dir(folder.path()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code();
    assert!(
        code == Some(103) && text.contains("it is not a regular file"),
        "{code:?} {text}"
    );
    let (text, exit) = lint_in(folder.path(), &["mac.yaml"]);
    assert!(exit == 103 && text.contains("mac.yaml:3:"), "{text}");
    std::fs::write(cases.join("empty.yaml"), "").unwrap();
    std::fs::write(cases.join("comments.yaml"), "# soon\n").unwrap();
    let (text, exit) = lint_in(folder.path(), &["cases"]);
    assert!(
        exit == 103 && text.contains("no case in this file"),
        "{text}"
    );
    assert!(text.contains("2 faults in 2 file(s)"), "{text}");
}

#[test]
fn a_wrong_expectation_for_all_operators_is_one_fault() {
    let (text, exit) = lint("wrong.yaml", &case_with("expect", "{shape: [1, 2]}"));
    assert_eq!(exit, 103);
    assert!(
        text.contains("a-case: onnx: the case says [1, 2]; the reference says [2, 1]"),
        "{text}"
    );
    assert!(
        text.contains("wrong.yaml:7:19\n") && text.contains("1 fault in"),
        "{text}"
    );
    assert!(
        text.contains("`explain a-case --operator onnx.Reshape-1 --cases wrong.yaml`"),
        "{text}"
    );
}

#[test]
fn broken_documents_are_faults_of_the_file() {
    let deep = format!("- shape: {}", "[".repeat(100_000));
    let mut bomb = String::from("- shape: &a [1,1,1,1,1,1,1,1,1,1]\n");
    for (to, from) in ('b'..='k').zip('a'..) {
        bomb += &format!(
            "- shape: &{to} [{}]\n",
            vec![format!("*{from}"); 10].join(",")
        );
    }
    let wide =
        format!("- shape: [{}]\n", vec!["*a"; 200_000].join(",")).replacen("[*a", "[&a [1]", 1);
    let long = format!(
        "- name: a\n  about: \"{}\"\n  covers: 7\n",
        "x".repeat(10_000_000)
    );
    let files: &[(&str, &[u8], &str)] = &[
        ("twice.yaml", b"- name: a\n  name: b\n", "twice.yaml:2:3"),
        ("unknown.yaml", b"- nmae: a\n", "unknown.yaml:1:3"),
        ("scalar.yaml", b"hello\n", "scalar.yaml:1:1"),
        ("mapping.yaml", b"a: 1\n", "mapping.yaml:1:1"),
        ("unclosed.yaml", b"- {name: a", "unclosed.yaml:1:"),
        (
            "latin.yaml",
            b"- name: a\n  about: caf\xe9\n",
            "latin.yaml:2:13",
        ),
        ("deep.yaml", deep.as_bytes(), "deep.yaml"),
        ("bomb.yaml", bomb.as_bytes(), "bomb.yaml:"),
        ("wide.yaml", wide.as_bytes(), "wide.yaml:"),
        ("long.yaml", long.as_bytes(), "long.yaml:3:11"),
        ("notes.txt", b"hello", "notes.txt"),
        (
            "entities.xml",
            b"<!DOCTYPE c [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><cases>&b;</cases>",
            "entities.xml:1:1",
        ),
        ("entity.xml", b"<cases>&nope;</cases>", "entity.xml:1:8"),
        (
            "open.xml",
            b"<cases><case name=\"a\" covers=\"same-count\">",
            "open.xml:1:",
        ),
        (
            "crossed.xml",
            b"<cases><case></cases></case>",
            "crossed.xml:1:14",
        ),
        (
            "roots.xml",
            b"<cases></cases><cases></cases>",
            "roots.xml:1:16",
        ),
        (
            "trailing.xml",
            b"<cases></cases> and so on",
            "trailing.xml:1:17",
        ),
        ("root.xml", b"<html/>", "root.xml:1:1"),
        ("nothing.xml", b"", "nothing.xml"),
    ];
    for (name, content, place) in files {
        let (text, exit) = lint(name, content);
        assert_eq!(exit, 103, "{name}: {text}");
        assert!(text.contains(place), "{name} not at {place}:\n{text}");
        assert!(text.len() < 4000, "{name}: {} bytes of message", text.len());
    }
}

#[test]
fn a_file_of_a_hundred_megabytes_is_refused_unread() {
    let folder = tempfile::tempdir().unwrap();
    let file = std::fs::File::create(folder.path().join("huge.yaml")).unwrap();
    file.set_len(100 << 20).unwrap();
    let (text, exit) = lint_in(folder.path(), &["huge.yaml"]);
    assert_eq!(exit, 103);
    assert!(text.contains("more than 16 MiB"), "{text}");
}

#[test]
fn a_name_that_two_files_share_is_named_with_both_places() {
    let folder = tempfile::tempdir().unwrap();
    let case = format!("- {}\n", GOOD.replacen('{', "{name: same, ", 1));
    std::fs::write(folder.path().join("one.yaml"), &case).unwrap();
    std::fs::write(folder.path().join("two.yaml"), format!("# a line\n{case}")).unwrap();
    let (text, exit) = lint_in(folder.path(), &["one.yaml", "two.yaml"]);
    assert_eq!(exit, 103);
    assert!(
        text.contains("a case 'same' already exists at one.yaml:1")
            && text.contains("two.yaml:2:10"),
        "{text}"
    );
}

#[test]
fn every_fault_is_reported_and_good_cases_beside_it_do_not_hide_it() {
    let good = GOOD.replacen('{', "{name: good, ", 1);
    let bad = |name: &str| {
        good.replace("good", name)
            .replace("[same-count]", "[nonsense]")
    };
    let (text, exit) = lint(
        "mixed.yaml",
        format!("- {good}\n- {}\n- {}\n", bad("bad-one"), bad("bad-two")).as_bytes(),
    );
    assert_eq!(exit, 103);
    assert!(
        text.contains("mixed.yaml:2:")
            && text.contains("mixed.yaml:3:")
            && text.contains("2 faults in 1 file(s)"),
        "{text}"
    );
}

/// The answers of `oracle`, line by line, and its exit code.
fn oracle(input: &[u8]) -> (Vec<serde_json::Value>, i32) {
    let mut child = program()
        .arg("oracle")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, input) = (child.stdin.take().unwrap(), input.to_owned());
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    (
        lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
        output.status.code().unwrap(),
    )
}

#[test]
fn the_oracle_answers_good_lines_among_bad_ones() {
    let good = r#"{"operator":"onnx.Reshape-14","data_shape":[6],"shape":[2,-1]}"#;
    let huge = format!("{{\"operator\":\"{}\"}}", "x".repeat(2 << 20));
    let deep = format!(
        r#"{{"operator":"onnx.Reshape-14","data_shape":[6],"shape":{}}}"#,
        "[".repeat(10_000)
    );
    let bad = [
        "nonsense".to_owned(),
        "[]".to_owned(),
        r#"{"operator":"onnx.Reshape-2","data_shape":[6]}"#.to_owned(),
        r#"{"operator":"onnx.Reshape-14","data_shape":[9223372036854775808],"shape":[1]}"#
            .to_owned(),
        r#"{"operator":"onnx.Reshape-14","data_shape":[-1],"shape":[1]}"#.to_owned(),
        r#"{"operator":"onnx.Reshape-14","data_shape":[6],"shape":[1180591620717411303424]}"#
            .to_owned(),
        r#"{"operator":"onnx.Reshape-14","data_shape":[6],"shape":[18446744073709551615]}"#
            .to_owned(),
        r#"{"operator":"onnx.Reshape-14","data_shape":[6],"shape":[1],"shpae":1}"#.to_owned(),
        r#"{"operator":"onnx.Reshape-14","data_shape":[6],"shape":[6],"attributes":{"allowzero":1,"allowzero":0}}"#
            .to_owned(),
        r#"{"operator":"onnx.Reshape-14","data_shape":[6],"shape":[[1],[1,2]]}"#.to_owned(),
        huge,
        deep,
    ];
    let input: String = bad.iter().map(|line| format!("{line}\n{good}\n")).collect();
    let (answers, exit) = oracle(input.as_bytes());
    assert_eq!((answers.len(), exit), (bad.len() * 2, 103));
    for (index, pair) in answers.chunks(2).enumerate() {
        assert_eq!(pair[0]["line"], index * 2 + 1, "{}", pair[0]);
        assert!(pair[0]["error"].is_string(), "{}", pair[0]);
        assert_eq!(pair[1]["shape"], serde_json::json!([2, 3]));
    }
}

#[test]
fn the_oracle_says_of_a_line_what_to_write() {
    for (data, shape, description) in [
        ("[6]", "[-0]", "write 0 at"),
        (
            "[6]",
            "\"missing\"",
            "expected a list of integers within 64 bits",
        ),
        ("[-3]", "[1]", "the data dim -3 is not from 0 to 2^63-1"),
        ("6", "[1]", "`data_shape` is one list of dims"),
        (
            "[1.5]",
            "[1]",
            "a number of about 1.5e0, which is not an integer",
        ),
        (
            "{\"a\":1}",
            "[1]",
            "expected a list of integers within 64 bits",
        ),
    ] {
        let line =
            format!("{{\"operator\":\"onnx.Reshape-14\",\"data_shape\":{data},\"shape\":{shape}}}");
        let (answers, exit) = oracle(line.as_bytes());
        let error = answers[0]["error"].as_str().unwrap();
        assert!(
            exit == 103 && error.contains(description),
            "{line}: {error}"
        );
        assert!(!error.contains("or `missing`"), "{error}");
    }
}

#[test]
fn the_oracle_is_exact_at_the_edges_of_sixty_four_bits() {
    for (request, outcome, shape) in [
        (
            r#"{"operator":"openvino.Reshape-1","data_shape":[0],"shape":[18446744073709551615,0],"shape_element_type":"u64","attributes":{"special_zero":false}}"#,
            "open",
            None,
        ),
        (
            r#"{"operator":"onnx.Reshape-14","data_shape":[9223372036854775807],"shape":[-1]}"#,
            "open",
            Some("[9223372036854775807]"),
        ),
        (
            r#"{"operator":"onnx.Reshape-14","data_shape":[9223372036854775807,9223372036854775807],"shape":[9223372036854775807,-1]}"#,
            "open",
            Some("[9223372036854775807,9223372036854775807]"),
        ),
        (
            r#"{"operator":"onnx.Reshape-14","data_shape":[0],"shape":[4294967296,4294967296]}"#,
            "rejected",
            None,
        ),
        (
            r#"{"operator":"onnx.Reshape-14","data_shape":[],"shape":[]}"#,
            "reshaped",
            Some("[]"),
        ),
        (
            r#"{"operator":"onnx.Reshape-14","data_shape":[2],"shape":2}"#,
            "open",
            None,
        ),
    ] {
        let (answers, exit) = oracle(request.as_bytes());
        assert_eq!((exit, answers.len()), (0, 1), "{request}");
        assert_eq!(answers[0]["outcome"], outcome, "{request}: {}", answers[0]);
        if let Some(shape) = shape {
            // What is past any promise is open, and the reference's choice is exact.
            let answer = match outcome {
                "open" => &answers[0]["choice"],
                _ => &answers[0],
            };
            assert_eq!(answer["shape"].to_string(), shape, "{request}");
        }
    }
}

#[test]
fn a_target_among_the_attributes_of_an_operator_that_has_it_there_is_an_error() {
    let content = br#"
- name: a-case
  operators: [onnx.Reshape-1]
  covers: [same-count]
  data: {shape: [2]}
  shape: missing
  attributes: {shape: [2, 1]}
  expect: {rejected: missing-target}
"#;
    let (text, code) = lint("cases.yaml", content);
    assert_eq!(code, 103);
    assert!(
        text.contains("in onnx.Reshape-1, the attribute shape is the target"),
        "{text}"
    );
    let explain = |operator: &str| {
        let arguments = ["explain", "--data=2", "--shape=2,1", "--attribute=shape=2"];
        let mut command = program();
        let output = command.args(arguments).args(["--operator", operator]);
        output.output().unwrap().status.code()
    };
    assert_eq!(explain("onnx.Reshape-1"), Some(2));
    assert_eq!(explain("onnx.Reshape-14"), Some(0));
    let mut child = program()
        .arg("oracle")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let line = r#"{"operator":"onnx.Reshape-1","data_shape":[2],"attributes":{"shape":[2,1]}}"#;
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{line}").unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(103));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with(r#"{"error":"in onnx.Reshape-1"#), "{text}");
}

#[test]
fn what_is_no_case_file_is_not_formatted_without_a_word() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    for name in ["d.txt", "t.ymal"] {
        std::fs::write(folder.path().join(name), "- name: a\n").unwrap();
    }
    for (arguments, code, description) in [
        (&["d.txt"][..], 103, "not a case file"),
        (&["--check", "t.ymal"], 103, "not a case file"),
        (&["empty"], 4, "no case files"),
    ] {
        let mut command = program();
        let output = command
            .arg("fmt")
            .args(arguments)
            .current_dir(folder.path());
        let output = output.output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{text}");
        assert!(text.contains(description), "{text}");
    }
}

#[test]
fn dims_on_the_command_line_are_read_exactly() {
    for (data, description) in [
        ("3,,", "'' is not a 64-bit integer"),
        ("3,,4", "'' is not a 64-bit integer"),
        ("[6", "'[6' is not a 64-bit integer"),
        ("6]", "'6]' is not a 64-bit integer"),
        ("2,-3", "'-3' is below 0"),
        ("[2, 3,]", ""),
        ("(6,)", ""),
    ] {
        let mut command = program();
        let typed = [
            "explain",
            "--operator",
            "onnx",
            "--shape",
            "6",
            "--data",
            data,
        ];
        let output = command.args(typed).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        let code = if description.is_empty() { 0 } else { 2 };
        assert_eq!(output.status.code(), Some(code), "{data}: {text}");
        assert!(text.contains(description), "{text}");
    }
}

#[test]
fn a_trial_that_a_case_does_not_have_is_told_by_what_it_lacks() {
    let explain = |name: &str| {
        let output = program().args(["explain", name]).output().unwrap();
        assert_eq!(output.status.code(), Some(4));
        String::from_utf8(output.stderr).unwrap()
    };
    let told = explain("two-minus-ones/onnx.Reshape-14/f32/constant-statc");
    assert!(told.contains("did you mean constant-static"), "{told}");
    let told = explain("two-minus-ones/onnx.Reshape-14/f32/attribute-static");
    assert!(
        told.contains("the case has other trials of onnx.Reshape-14"),
        "{told}"
    );
}
