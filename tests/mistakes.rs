//! Mistakes that authors make, each with what `lint` says of it: what is wrong, where, and what to do.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::program;
use insta::assert_snapshot;
use std::fmt::Write;

/// A good case, in which each mistake changes one thing.
const YAML: &str = "\
- name: a-case
  operators: [\"onnx >= 14\", openvino]
  covers: [copied-zero, inferred-minus-one]
  data: {shape: [3, 4, 5], element_types: [f32]}
  shape: [0, -1]
  zero: copy
  expect: {shape: [3, 20]}
";

const XML: &str = r#"<cases>
  <case name="a-layer" covers="copied-zero">
    <layer ... type="Reshape" ...>
      <data special_zero="true"/>
      <input>
        <port id="0"><dim>3</dim><dim>4</dim></port>
        <port id="1"><dim>2</dim><!--The tensor contains 2 elements: 0, 4--></port>
      </input>
      <output><port id="2"><dim>3</dim><dim>4</dim></port></output>
    </layer>
  </case>
</cases>
"#;

/// What is written instead of what.
const IN_YAML: &[(&str, &str)] = &[
    ("name: a-case", "name: A Case"),
    ("name: a-case", "nane: a-case"),
    ("operators: [\"onnx >= 14\", openvino]", "operators: onnx"),
    ("\"onnx >= 14\"", "onnx.Reshape-15"),
    ("\"onnx >= 14\"", "\"onnx == 22\""),
    ("\"onnx >= 14\"", "\"onnx => 14\""),
    ("openvino]", "openvinno]"),
    ("openvino]", "\"onnx >= 21\"]"),
    ("covers: [copied-zero, inferred-minus-one]", "covers: []"),
    ("covers: [copied-zero,", "covers: [copied_zero,"),
    (
        "covers: [copied-zero,",
        "covers: [openvino.Reshape-1/shape/zero-copies,",
    ),
    ("covers: [copied-zero,", "covers: [literal-zero,"),
    ("shape: [3, 4, 5], ", "shape: [3, 4, -5], "),
    ("shape: [3, 4, 5], ", "shape: 60, "),
    ("element_types: [f32]", "element_types: []"),
    ("element_types: [f32]", "element_types: [float32, f32, f32]"),
    ("element_types: [f32]", "values: [1, 2]"),
    ("  data: {shape: [3, 4, 5], element_types: [f32]}\n", ""),
    ("shape: [0, -1]", "shape: [0, 020]"),
    ("shape: [0, -1]", "shape: [0, 20.0]"),
    ("shape: [0, -1]", "shape: [0, \"20\"]"),
    ("shape: [0, -1]", "shape: (0, -1)"),
    ("zero: copy", "zero: copied"),
    ("  zero: copy\n", ""),
    ("zero: copy", "zero: copy\n  attributes: {allowzero: 0}"),
    ("zero: copy", "zero: copy\n  zero: literal"),
    ("zero: copy", "\tzero: copy"),
    ("expect: {shape: [3, 20]}", "expect: [3, 20]"),
    ("expect: {shape: [3, 20]}", "expect:"),
    ("expect: {shape: [3, 20]}", "expect: {shape: [3, 21]}"),
    ("expect: {shape: [3, 20]}", "expect: {rejected: []}"),
    (
        "expect: {shape: [3, 20]}",
        "expect: {rejected: volume-missmatch}",
    ),
    ("expect: {shape: [3, 20]}", "expect: {open: below-minus-1}"),
    (
        "expect: {shape: [3, 20]}",
        "expect: {shape: [3, 20]}\n---\n- name: b",
    ),
    (
        "expect: {shape: [3, 20]}",
        "expectations:\n    - {operators: [openvino], shape: [3, 20]}",
    ),
    ("- name", "name"),
    // Several at once: all are shown.
    (
        "[copied-zero, inferred-minus-one]\n  data: {shape: [3, 4, 5], element_types: [f32]}\n  shape: [0, -1]",
        "[copied-zeros]\n  data: {shape: [3, x], elements: [f32]}\n  shape: [0, 1.5]\n  zeros: copy",
    ),
];

const IN_XML: &[(&str, &str)] = &[
    ("<cases>", "<case>"),
    ("name=\"a-layer\" ", ""),
    (
        "covers=\"copied-zero\"",
        "covers=\"copyed-zero nothing-such\"",
    ),
    ("covers=\"copied-zero\"", "covers=\"literal-zero\""),
    ("covers=", "cover="),
    ("type=\"Reshape\"", "type=\"reshape\""),
    ("special_zero=\"true\"", "special_zero=true"),
    ("id=\"0\"", "id=\"7\""),
    (
        "<dim>3</dim><dim>4</dim></port>\n        <",
        "<dim>?</dim><dim>4</dim></port>\n        <",
    ),
    ("<!--The tensor contains 2 elements: 0, 4-->", ""),
    ("2 elements: 0, 4", "2 elements: 0, 4, 5"),
    (
        "      <output><port id=\"2\"><dim>3</dim><dim>4</dim></port></output>\n",
        "",
    ),
    ("</layer>", "</layer><expect rejected=\"volume\"/>"),
    ("</input>", "</inputs>"),
    (
        "<dim>4</dim></port></output>",
        "<dim>5</dim></port></output>",
    ),
];

fn lint(name: &str, text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), text).unwrap();
    let output = program()
        .args(["lint", "--cases", name])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    format!("{said}[exit {}]", output.status.code().unwrap())
}

/// What is said of each mistake, one after the other.
fn all(name: &str, good: &str, mistakes: &[(&str, &str)]) -> String {
    assert!(
        lint(name, good).ends_with("[exit 0]"),
        "{}",
        lint(name, good)
    );
    let (mut said, mut without) = (String::new(), String::new());
    for (from, to) in mistakes {
        assert!(good.contains(from), "{from}");
        let told = lint(name, &good.replacen(from, to, 1));
        assert!(told.ends_with("[exit 103]"), "{to}\n{told}");
        // Each fault says what to do: a hint, a question, or what there is.
        let faults = told.matches("error: ").count();
        let advice = [
            "help: ",
            "; did you mean",
            "; the ",
            " runs onnx",
            "; a range is",
        ];
        let advice: usize = advice.iter().map(|words| told.matches(words).count()).sum();
        if advice < faults {
            without.push_str(&told);
        }
        let _ = writeln!(said, "## {from:?} -> {to:?}\n{told}\n");
    }
    assert!(without.is_empty(), "without advice:\n{without}");
    said
}

#[test]
fn each_mistake_in_yaml_is_told_with_its_place_and_what_to_do() {
    assert_snapshot!("mistakes-yaml", all("a.yaml", YAML, IN_YAML));
}

#[test]
fn each_mistake_in_xml_is_told_with_its_place_and_what_to_do() {
    assert_snapshot!("mistakes-xml", all("a.xml", XML, IN_XML));
}
