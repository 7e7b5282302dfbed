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
    ("expect: {shape: [3, 20]}", "expected: {shape: [3, 20]}"),
    ("\"onnx >= 14\", openvino", "\"onnx, openvino\""),
    ("covers: [copied-zero,", "covers: [legacy-attribute,"),
    ("zero: copy", "zero: copy\n  bindings: [attribute-static]"),
    (
        "expect: {shape: [3, 20]}",
        "expect: {shape: [3, 20]}\n  name: b-case\n  operators: [onnx]",
    ),
    (
        "[\"onnx >= 14\", openvino]",
        "[onnx.Reshape-1]\n  shape_element_type: i32",
    ),
    ("- name", "name"),
    ("  zero: copy", "\u{a0}\u{a0}zero: copy"),
    ("covers: [copied-zero,", "covers: [*copied-zero,"),
    (
        "covers: [copied-zero,",
        "covers: [copied-zero, copied-zero,",
    ),
    (
        "expect: {shape: [3, 20]}",
        "expectations:\n    - {operators: [onnx], shape: [3, 20]}\n    - {operators: [openvino], shape: [3, 20]}\n    \
         - {operators: [openvino], shape: [3, 20]}",
    ),
    ("expect: {shape: [3, 20]}", "expect: {shape: [3, any]}"),
    (
        "f32]}",
        "f32], fill: every-pattern}\n  bindings: [constant-static, constant-static]",
    ),
    (
        "expect: {shape: [3, 20]}",
        "expect: {rejected: [two-minus-ones, two-minus-ones]}",
    ),
    (
        "element_types: [f32]",
        "element_types: [string], fill: every-pattern",
    ),
    (
        "shape: [3, 4, 5], element_types: [f32]",
        "shape: [60, 1, 1], element_types: [f16], values: [1e9]",
    ),
    ("shape: [0, -1]", "shape: !!set [0, -1]"),
    ("name: a-case", "name: a-case\n  about: \"\""),
    ("name: a-case", "name: a-case\n  about: \"a\\0b\""),
    (
        "name: a-case",
        "name: a-name-that-goes-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on",
    ),
    (
        "shape: [0, -1]",
        "shape: missing\n  bindings: [runtime-static]",
    ),
    ("expect: {shape: [3, 20]}", "expect: {shapes: [3, 20]}"),
    (
        "expect: {shape: [3, 20]}",
        "expect: {shape: [3, 20], allowed: [rejected]}",
    ),
    ("shape: [0, -1]", "shape: [0, \u{2212}1]"),
    ("covers: [copied-zero,", "covers: [onnx.Reshape-14,"),
    (
        "zero: copy",
        "attributes: {alowzero: 0, special_zero: true}",
    ),
    // Several at once: all are shown.
    (
        "[copied-zero, inferred-minus-one]\n  data: {shape: [3, 4, 5], element_types: [f32]}\n  shape: [0, -1]",
        "[copied-zeros]\n  data: {shape: [3, x], elements: [f32]}\n  shape: [0, 1.5]\n  zeros: copy",
    ),
];

const IN_XML: &[(&str, &str)] = &[
    ("</layer>", "</layer>\n    hello\n"),
    ("covers=", "element-types=\"f32, f15\" covers="),
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
    (
        "covers=\"copied-zero\"",
        "covers=\"copied-zero copied-zero\"",
    ),
    ("covers=", "element-types=\"f32 f32\" covers="),
    (
        "</layer>",
        "</layer><expect rejected=\"volume-mismatch volume-mismatch\"/>",
    ),
    ("</layer>", "</layer><expect rejected=\"\"/>"),
    (
        "type=\"Reshape\" ...",
        "type=\"Reshape\" version=\"opset99\"",
    ),
    (
        "<cases>",
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<cases>",
    ),
    ("covers=", "about=\"a & b\" covers="),
];

/// Types of a layer that contradict each other.
const TYPES: &[(&str, &str)] = &[
    ("precision=\"FP32\"", "precision=\"FP16\""),
    ("\"f32 f16\"", "\"i8 f16\""),
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
            "; name each",
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
    let typed = XML
        .replacen("covers=", "element-types=\"f32 f16\" covers=", 1)
        .replace("id=\"0\"", "id=\"0\" precision=\"FP32\"")
        .replace("id=\"2\"", "id=\"2\" precision=\"FP32\"");
    let mut said = all("a.xml", XML, IN_XML);
    said.push_str(&all("a.xml", &typed, TYPES));
    assert_snapshot!("mistakes-xml", said);
}

#[test]
fn a_word_that_looks_like_a_tag_is_none_in_a_text() {
    for about in [
        "about: mind, !this\n  # note: !that\n  ",
        "about: \"!x\"\n  ",
    ] {
        let text = YAML.replacen("operators", &format!("{about}operators"), 1);
        let told = lint("a.yaml", &text);
        assert!(told.ends_with("[exit 0]"), "{about}{told}");
    }
    let list = "shape: !!seq\n    - 0\n    - -1";
    let told = lint("a.yaml", &YAML.replacen("shape: [0, -1]", list, 1));
    assert!(told.contains("a tag, which no field can have"), "{told}");
}

/// Cases in which a fault of each kind stands before one of another kind.
const MANY: &str = "\
- name: several-kinds
  operators: [openvino]
  covers: [copied-zero, literal-zero]
  data: {shape: [3, 4, 5], element_types: [u8], values: [1, x, 300]}
  shape: [0, -1]
  zero: copy
  bindings: [attribute-static, constants]
  expect: {shape: [3, 21]}
- name: several-kinds
  operators: [openvino]
  covers: [copied-zero, no-such-rule]
  data: {shape: [3, 4, 5], element_types: [u8]}
  shape: [0, -1]
  zero: copy
  bindings: [attribute-static]
  expect: {shape: [3, 22]}
- name: Upper Case
  operators: [onnx.Reshape-5, openvino]
  covers: [same-count]
  data: {shape: [3, 4], element_types: [f32]}
  shape: [300, -200]
  shape_element_type: i8
  expectations:
    - {operators: [onnx.Reshape-5], rejected: volume}
- name: another-count
  operators: [onnx.Reshape-5]
  covers: [inferred-minus-one]
  data: {shape: [0, 4], element_types: [f32]}
  shape: [0, -1]
  zero: copy
  expect: {open: indeterminate-dimension, allowed: [rejected, [0, any], [2, 2]]}
";

#[test]
fn a_fault_does_not_hide_one_of_another_kind() {
    assert_snapshot!("mistakes-many", lint("a.yaml", MANY));
}

#[test]
fn a_case_that_is_no_yaml_does_not_hide_the_faults_of_the_others() {
    let broken = MANY.replacen("[copied-zero, literal-zero]", "[copied-zero", 1);
    let told = lint("a.yaml", &broken);
    for part in [
        "invalid YAML: ",
        "a.yaml:4:",
        "no-such-rule",
        "[3, 22]",
        "Upper Case",
        "[2, 2]",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
    assert_eq!(told.matches("invalid YAML").count(), 1, "{told}");
}

#[test]
fn a_case_that_is_no_yaml_takes_no_anchor_away_from_the_others() {
    let good = |anchor: &str| YAML.replacen("[copied-zero, inferred-minus-one]", anchor, 1);
    let first = good("&c [copied-zero, inferred-minus-one]");
    let second = good("*c").replacen("a-case", "b-case", 1);
    assert!(lint("a.yaml", &format!("{first}{second}")).ends_with("[exit 0]"));
    let third = good("[copied-zero").replacen("a-case", "c-case", 1);
    let told = lint("a.yaml", &format!("{first}{second}{third}"));
    assert!(
        told.contains("invalid YAML") && told.contains("1 fault in"),
        "{told}"
    );
    let told = lint("a.yaml", &second);
    assert!(told.contains("no anchor before it has this name"), "{told}");
}

#[test]
fn a_file_of_more_cases_than_are_read_at_once_is_one_fault() {
    let told = lint("a.yaml", &"- name: a\n".repeat(200_000));
    assert!(told.contains("too many values in one file"), "{told}");
    assert!(told.contains("\n1 fault in 1 file(s)\n"), "{told}");
    let deep = format!("{}0{}", "[".repeat(70), "]".repeat(70));
    let told = lint("a.yaml", &YAML.replacen("[0, -1]", &deep, 1));
    assert!(told.contains("nested too deeply"), "{told}");
}

#[test]
fn a_layer_in_xml_does_not_hide_its_own_result() {
    let text = XML
        .replacen("copied-zero", "copied-zeros literal-zero", 1)
        .replacen(
            "<dim>4</dim></port></output>",
            "<dim>5</dim></port></output>",
            1,
        )
        .replacen("a-layer", "A Layer", 1);
    let told = lint("a.xml", &text);
    for part in ["copied-zeros", "cites literal-zero", "'A Layer'", "[3, 5]"] {
        assert!(told.contains(part), "{part}\n{told}");
    }
}

#[test]
fn the_rules_that_lint_suggests_are_accepted_by_it() {
    for (reason, shape, more, wrong) in [
        // The second is a mistake of its own: the target has one -1.
        ("rejected: two-minus-ones", "[-1, -1]", "", "literal-zero"),
        ("rejected: two-minus-ones", "[3, -1]", "", "literal-zero"),
        (
            "open: copy-at-rank",
            "[60, 0]",
            "zero: copy",
            "inferred-minus-one",
        ),
        (
            "open: copy-at-rank",
            "[0, 0]",
            "zero: copy",
            "target-is-output-shape",
        ),
        ("rejected: volume-mismatch", "[3, 7]", "", "copied-zero"),
        (
            "rejected: target-type",
            "[60]",
            "shape_element_type: f32",
            "copied-zero",
        ),
    ] {
        let case = |covers: &str| {
            format!(
                "- name: a-case\n  operators: [openvino]\n  covers: [{covers}]\n  data: {{shape: [60], element_types: [f32]}}\n  \
                 shape: {shape}\n  {more}\n  expect: {{{reason}}}\n"
            )
        };
        let told = lint("a.yaml", &case(wrong));
        let (_, suggested) = told.split_once("the request exercises ").unwrap();
        let suggested = suggested.lines().next().unwrap();
        assert!(!suggested.is_empty(), "{told}");
        let told = lint("a.yaml", &case(suggested));
        assert!(!told.contains("the case cites"), "{suggested}: {told}");
    }
}

const KNOWN_FAILURES: &str = "\
- trials: [\"one/**\", \"two/[\"]
  outcome: fialed
  failure: sideways
  reason: \" \"
  cuase: counts
- {outcome: crashed, failure: rejected, reason: It falls over., flaky: often}
- trials: one
  when: {version: \"[\", system: linux}
  outcome: failed
  severity: bad
  cause: No Id
  reason: It does not look.
- trials:
    - \"one/**\"
  when: {os: linus}
  outcome: failed
  quarantine: \"true\"
";

const MANIFEST: &str = "\
name: other
about: [A test]
comand: [true]
install: {python: [numpy, \"numpy>=2\", \"numpy==2.4.6\"], commands: [make]}
reproduce: [python3, \"{causes}\"]
environment: {PATH: \"{environ}/bin\"}
model: tensorflow
limits: {rank: many, memory: 3}
supports:
  - {operators: [onnx, tensorflow], element_types: f33, bindings: [constant], limits: {memory_mib: 5}}
  - {operators: onnx, bindings: all}
  - {operators: [onnx], element_types: all, bindings: all, attributes: {allowzeros: [1], allowzero: 1}, limits: {target_values: [5, 1]}}
configurations:
  fast: {model: onyx}
";

#[test]
fn every_fault_of_known_failures_and_of_a_manifest_is_shown_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let adapter = folder.path().join("adapters/mine");
    std::fs::create_dir_all(&adapter).unwrap();
    std::fs::write(adapter.join("adapter.yaml"), MANIFEST).unwrap();
    std::fs::write(folder.path().join("k.yaml"), KNOWN_FAILURES).unwrap();
    let told = |arguments: &[&str]| {
        let output = program()
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        format!("{said}[exit {}]", output.status.code().unwrap())
    };
    let command = [
        "run",
        "--adapter-command",
        "true",
        "--known-failures",
        "k.yaml",
    ];
    assert_snapshot!("mistakes-known-failures", told(&command));
    let run = ["run", "--adapter", "mine", "--adapters", "adapters"];
    assert_snapshot!("mistakes-manifest", told(&run));
    let few =
        "name: mine\nabout: A test\ncommand: []\nreproduce: [python3, cause.py]\nsupports: []\n";
    std::fs::write(adapter.join("adapter.yaml"), few).unwrap();
    assert_snapshot!("mistakes-few", told(&run));
    std::fs::remove_file(adapter.join("adapter.yaml")).unwrap();
    let told = told(&run);
    assert!(
        told.contains("the adapter 'mine' has no manifest"),
        "{told}"
    );
}
