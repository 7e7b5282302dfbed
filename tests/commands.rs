//! The commands as a person sees them: snapshots of real runs.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::{BINARY, program};
use insta::assert_snapshot;
use reshape_conformance::semantics::operator::{Family, OPERATORS};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

/// The output of a command (errors after output), and its exit code.
fn run(arguments: &[&str]) -> String {
    let output = program()
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("CARGO")
        .env("COLUMNS", "100")
        .output()
        .unwrap();
    let text =
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    // The memory that was used differs from run to run.
    let text: String = text
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("peak memory of a process: "))
        .collect();
    let text = text
        .replace(BINARY, "reshape-conformance")
        .replace(env!("CARGO_MANIFEST_DIR"), "[project]");
    format!("{text}[exit {}]", output.status.code().unwrap())
}

#[test]
fn help_says_what_each_command_is_for() {
    assert_snapshot!("help", run(&["--help"]));
    assert_snapshot!("help-run", run(&["run", "--help"]));
}

#[test]
fn explain_traces_a_request_typed_by_hand() {
    assert_snapshot!(run(&[
        "explain",
        "--operator",
        "onnx.Reshape-14",
        "--data",
        "3,4,5",
        "--shape",
        "0,-1"
    ]));
    assert_snapshot!(
        "explain-open",
        run(&[
            "explain",
            "--operator",
            "onednn",
            "--data",
            "0,3",
            "--shape",
            "0,-1",
            "--attribute",
            "special_zero=true"
        ])
    );
    assert_snapshot!(
        "explain-rejected",
        run(&[
            "explain",
            "--operator",
            "openvino",
            "--data",
            "2,3",
            "--shape",
            "-1,0,-1,0"
        ])
    );
}

#[test]
fn explain_traces_versions_alike_once() {
    let explained = run(&["explain", "two-minus-ones", "--operator", "onnx"]);
    let heads = explained.lines().filter(|line| line.starts_with("onnx."));
    let heads: Vec<_> = heads.map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(heads, ["onnx.Reshape-13", "onnx.Reshape-25"]);
    assert!(explained.contains("the same steps in onnx.Reshape-1, onnx.Reshape-5\n"));
}

#[test]
fn a_hello_that_cannot_be_read_is_shown() {
    let said = run(&["adapter", "check", "cat"]);
    assert!(
        said.contains("a `hello` that is not as docs/protocol.md says"),
        "{said}"
    );
    assert!(
        said.contains(r#""runner":{"name":"reshape-conformance""#),
        "{said}"
    );
}

#[test]
fn explain_shows_where_an_answer_leaves_the_text() {
    let wrong = format!("{BINARY} serve --mutant zero-always-copies");
    let trial = "allowzero-one/onnx.Reshape-14/f32/constant-static";
    assert_snapshot!(
        "explain-adapter",
        run(&["explain", trial, "--adapter-command", &wrong])
    );
}

#[test]
fn show_and_explain_tell_all_about_a_case() {
    // Cases of fixed versions, so that adding a version changes no snapshot.
    assert_snapshot!(
        "show",
        run(&["show", "onednn-example-three-four-five-in-bf16"])
    );
    assert_snapshot!(
        "show-open",
        run(&["show", "openvino-layer-with-an-undetermined-dim"])
    );
    assert_snapshot!(
        "explain-case",
        run(&[
            "explain",
            "onednn-example-three-four-five",
            "--operator",
            "onednn-spec"
        ])
    );
}

#[test]
fn show_renders_a_case_as_each_field_writes_it() {
    let shown = run(&["show", "copied-zero-first"]);
    let from = shown.find("\nas onnx").unwrap();
    assert_snapshot!("show-renderings", &shown[from..]);
}

#[test]
fn show_says_what_it_does_not_write() {
    let cases = [
        "target-of-string",
        "bare-integer",
        "nans-of-f32",
        "special-zero-on-an-onnx-node",
    ];
    let shown = cases.map(|case| {
        let shown = run(&["show", case]);
        let from = shown.find("\nas ").unwrap();
        format!("{case}:\n{}", &shown[from..])
    });
    // The newest version stands for its family.
    let shown = shown
        .join("\n")
        .replace("onnx.Reshape-25", "onnx.Reshape-NN");
    assert_snapshot!("show-not-written", shown.replace("\" : 25]", "\" : NN]"));
}

#[test]
fn what_cannot_be_done_is_told_with_what_can() {
    for (command, description) in [
        (
            &["new", "a-case", "--data", "100000,100000", "--shape", "-1"][..],
            "--data: data of 10000000000 elements; a case's data can have at most 64 MiB",
        ),
        (
            &["explain", "allowzero-zero", "--operator", "openvino"],
            "the case has the operators onnx >= 14; `list 'allowzero-zero/**'` shows its trials",
        ),
        (
            &["coverage", "onnx.Reshape-15"],
            "onnx 15 runs onnx.Reshape-14",
        ),
        (
            &["coverage", "onnx >= 14/zero-copies"],
            "onnx.Reshape-19/zero-copies",
        ),
        (
            &["new", "--clause", "onnx >= 14/zero-copies"],
            "operators: [onnx.Reshape-14]",
        ),
        (
            &["run", "--exact", "two-minus-ones"],
            "without --exact a part of a name suffices",
        ),
        (
            &["lint-model", "no-such.onnx", "nor-this.onnx"],
            "nor-this.onnx",
        ),
        (
            &["lint-model", "no-such.onnx", "nor-this.onnx"],
            "no-such.onnx",
        ),
    ] {
        let told = run(command);
        assert!(told.contains(description), "{command:?}: {told}");
    }
}

#[test]
fn a_new_case_lacks_its_expectation_and_is_good_with_it() {
    let stub = ["new", "a-new-case", "--data", "3,4,5", "--shape", "0,-1"];
    let stub = [
        &stub[..],
        &["--zero", "copy", "--operator", "onnx.Reshape-14"],
    ]
    .concat();
    let said = run(&stub);
    assert_snapshot!("new", said);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.yaml");
    let path = path.to_str().unwrap();
    std::fs::write(path, said.replace("[exit 0]", "")).unwrap();
    let linted = run(&["lint", "--cases", path]);
    assert!(linted.contains("the case expects nothing"), "{linted}");
    let filled = said
        .replace("[exit 0]", "")
        .replace("expect:  #", "expect: {shape: [3, 20]}  #");
    std::fs::write(path, filled).unwrap();
    let linted = run(&["lint", "--cases", path]);
    assert!(linted.ends_with("[exit 0]"), "{linted}");
    assert!(run(&["new", "flattened", "--data", "2", "--shape", "2"]).contains("already"));
    assert!(run(&["new", "A_b", "--data", "2", "--shape", "2"]).contains("not a case name"));
    assert!(run(&["new", "a-b", "--data", "2", "--shape", "0"]).contains("--zero copy"));
    let literal = [
        "new", "a-b", "--data", "2", "--shape", "0", "--zero", "literal",
    ];
    let too_old = run(&[&literal[..], &["--operator", "onnx.Reshape-5"]].concat());
    assert!(too_old.contains("no operator has such zeros"));
    let cells = run(&["new", "--clause", "openvino.Reshape-1/shape/one-minus-one"]);
    assert_snapshot!("new-clause", cells);
    assert!(
        run(&["new", "--clause", "onnx.Reshape-14/zero-copied"])
            .contains("did you mean onnx.Reshape-14/zero-copies")
    );
}

#[test]
fn suite_diff_tells_which_verdicts_a_changed_suite_alters() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let case = |name: &str, expect: &str| {
        format!(
            "- {{name: {name}, operators: [onnx.Reshape-14], covers: [same-count], \
             data: {{shape: [2], element_types: [f32]}}, shape: [2, 1], expect: {{shape: {expect}}}}}\n"
        )
    };
    for (name, cases) in [
        (
            "before",
            case("stays", "[2, 1]") + &case("changes", "[2, 1]") + &case("goes", "[2, 1]"),
        ),
        (
            "after",
            case("stays", "[2, 1]") + &case("changes", "[1, 2]"),
        ),
    ] {
        std::fs::write(file(&format!("{name}.yaml")), cases).unwrap();
        let (cases, events) = (
            file(&format!("{name}.yaml")),
            file(&format!("{name}.jsonl")),
        );
        run(&["run", "--cases", &cases, "--events", &events, "--quiet"]);
    }
    let said = run(&["suite", "diff", &file("before.jsonl"), &file("after.jsonl")]);
    let (head, rest) = said.split_once('\n').unwrap();
    assert!(head.starts_with("suite "), "{head}");
    assert_snapshot!("suite-diff", rest);
    let same = run(&["suite", "diff", &file("after.jsonl"), &file("after.jsonl")]);
    assert!(same.ends_with("[exit 0]"), "{same}");
    let served = format!("{BINARY} serve reference");
    let (cases, other) = (file("after.yaml"), file("other.jsonl"));
    let run_other = ["run", "--cases", &cases, "--events", &other, "--quiet"];
    run(&[&run_other[..], &["--adapter-command", &served]].concat());
    let nothing = run(&["suite", "diff", &file("after.jsonl"), &other]);
    assert!(
        nothing.contains("the runs have no backend in common") && nothing.ends_with("[exit 5]"),
        "{nothing}"
    );
    // A run of the built-in suite records its version.
    run(&[
        "run",
        "flattened/onnx.Reshape-14/f32/*",
        "--events",
        &file("built-in.jsonl"),
        "--quiet",
    ]);
    let events = std::fs::read_to_string(file("built-in.jsonl")).unwrap();
    assert!(events.contains("\"cases_version\":\"3.4\""), "{events}");
}

#[test]
fn mutants_tells_who_kills_which_and_is_red_when_one_lives() {
    let mutants = run(&[
        "mutants",
        "dims-in-16",
        "zero-always",
        "view-forgets",
        "--jobs",
        "1",
    ]);
    assert_snapshot!("mutants", without_counts(&mutants));
    let cases = ["--cases", "cases/openvino-examples.xml"];
    assert_snapshot!(
        "mutants-live",
        run(&[
            &["mutants", "zero-mode-inverted", "nan-quieted"],
            &cases[..]
        ]
        .concat())
    );
    // Few cases kill few of all mutants.
    let all = run(&[&["mutants"], &cases[..]].concat());
    assert!(all.ends_with("[exit 100]"), "{all}");
}

/// The text without durations.
fn timeless(text: &str) -> String {
    let word = |word: &str| {
        if word.parse::<f64>().is_ok() && word.contains('.') {
            "[time]".to_owned()
        } else {
            word.to_owned()
        }
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn search_finds_the_smallest_trial_and_writes_it_as_a_case() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("found.yaml");
    let file = file.to_str().unwrap();
    let command = format!("{BINARY} serve --mutant copied-zero-from-the-right");
    let small = [
        "--max-rank",
        "2",
        "--operator",
        "onnx.Reshape-14",
        "--jobs",
        "1",
        "--save",
        file,
    ];
    let told = run(&[&["search", "--adapter-command", &command][..], &small].concat());
    assert_snapshot!("search", timeless(&told).replace(file, "found.yaml"));
    assert_snapshot!(
        "search-cases",
        std::fs::read_to_string(file)
            .unwrap()
            .replace(BINARY, "reshape-conformance")
    );
    assert!(run(&["lint", file]).ends_with("[exit 0]"));
}

#[test]
fn a_random_search_goes_to_high_ranks_and_makes_what_it_finds_small() {
    let command = format!("{BINARY} serve --mutant ranks-past-6-refused");
    let random = [
        "--random",
        "--count",
        "1000",
        "--operator",
        "openvino",
        "--binding",
        "constant-static",
    ];
    let told = run(&[&["search", "--adapter-command", &command][..], &random].concat());
    assert!(
        told.contains("rank 64\n") && told.contains("f32[] to [1, 1, 1, 1, 1, 1, 1],"),
        "{told}"
    );
    // What it told can be explained.
    let name = told
        .split_whitespace()
        .find(|word| word.starts_with("search-"))
        .unwrap();
    let explained = run(&["explain", name, "--adapter-command", &command]);
    assert!(
        explained.contains("f32[] to [1, 1, 1, 1, 1, 1, 1],")
            && explained.contains("ranks-past-6-refused"),
        "{explained}"
    );
}

#[test]
fn a_cause_that_holds_somewhere_and_elsewhere_does_not_hide_the_one_that_holds_where_it_should() {
    let command = format!(
        "{BINARY} serve --mutant runtime-target-in-i32 --mutant copied-zero-clamped --mutant any-negative-is-minus-one"
    );
    let told = run(&[
        "search",
        "--random",
        "--count",
        "600",
        "--adapter-command",
        &command,
    ]);
    // Negatives are refused by three texts, so that cause comes first.
    let mut findings = told.lines().filter(|line| line.starts_with('✗')).take(2);
    assert!(
        findings.any(|line| line.starts_with("✗ it keeps 32 bits of a runtime target's value: ")),
        "{told}"
    );
}

#[test]
fn a_search_makes_a_trial_again_from_its_name_alone() {
    let extremes = "0-minus-9223372036854775808-minus-1-9223372036854775807";
    for case in [
        "search-scalar-to-nothing",
        "search-2-3-to-minus-1-6",
        "search-7-to-minus-9-minus-8-0",
        "search-7-to-minus-9-minus-8-0-copied",
        &format!("search-0-9223372036854775807-to-{extremes}-literal"),
    ] {
        let name = format!("{case}/onnx.Reshape-14/f32/runtime-dynamic");
        let told = run(&["search", "--trial", &name]);
        assert!(told.contains(&format!("the trial {name}\n")), "{told}");
        assert!(told.contains(" 1 trials = 1 passed"), "{told}");
    }
    for name in [
        "",
        "search-2-to-2",
        "search-2-to-2/onnx.Reshape-14/f32",
        "search-2-to-2/onnx.Reshape-14/f32/constant-static/more",
        "search-02-to-2/onnx.Reshape-14/f32/constant-static",
        "search-2-to-_2/onnx.Reshape-14/f32/constant-static",
        "search--to-2/onnx.Reshape-14/f32/constant-static",
        "search-2-to-2-/onnx.Reshape-14/f32/constant-static",
        "search-2-to-0/openvino.Reshape-1/f32/constant-static",
        "search-2-to-0/onnx.Reshape-13/f32/constant-static",
        "search-2-to-2-literal/openvino.Reshape-1/f32/constant-static",
        "search-2-to-2-copied/onnx.Reshape-13/f32/constant-static",
        "search-2-to-0-literal/onnx.Reshape-13/f32/constant-static",
        "search-2-to-2/onnx.Reshape-14/f32/attribute-static",
        "search-99999999999-to-2/onnx.Reshape-14/f32/constant-static",
        "search-99999999999999999999-to-2/onnx.Reshape-14/f32/constant-static",
        "copied-zero/onnx.Reshape-14/f32/constant-static",
    ] {
        let refused = run(&["search", "--trial", name]);
        assert!(refused.contains("no search generates"), "{name}: {refused}");
    }
}

#[test]
fn a_backend_that_remembers_is_said_to() {
    let served = |mutant: &str| format!("{BINARY} serve --mutant {mutant}");
    for mutant in ["first-target-stays", "stale-elements"] {
        let small = [
            "--max-rank",
            "1",
            "--operator",
            "onnx.Reshape-14",
            "--jobs",
            "1",
        ];
        let told = run(&[
            &["search", "--adapter-command", &served(mutant)][..],
            &small,
        ]
        .concat());
        assert!(told.contains("passes alone"), "{told}");
    }
    let told = run(&[
        "search",
        "--adapter-command",
        &served("zero-never-copies"),
        "--max-rank",
        "1",
        "--operator",
        "onnx.Reshape-14",
    ]);
    assert!(
        !told.contains("passes alone") && told.contains("1 finding"),
        "{told}"
    );
}

#[test]
fn what_no_trial_is_called_is_not_explained() {
    for name in [
        "/onnx.Reshape-14/f32/nope",
        "/onnx.Reshape-14/f32/constant-static/more",
        "/onnx.Reshape-14/f33",
        "/onnx.Reshape-15",
    ] {
        let told = run(&["explain", &format!("allowzero-zero{name}")]);
        assert!(told.ends_with("[exit 4]"), "{name}: {told}");
    }
    assert!(run(&["explain", "allowzero-zero", "--operator", "onednn"]).ends_with("[exit 4]"));
    let twice = ["--attribute", "allowzero=1", "--attribute", "allowzero=0"];
    assert!(
        run(&[
            &[
                "explain",
                "--operator",
                "onnx.Reshape-14",
                "--data",
                "2",
                "--shape",
                "2"
            ][..],
            &twice
        ]
        .concat())
        .ends_with("[exit 2]")
    );
}

#[test]
fn search_finds_nothing_wrong_with_the_reference() {
    let small = run(&[
        "search",
        "--max-rank",
        "2",
        "--max-dim",
        "2",
        "--max-value",
        "2",
    ]);
    assert!(
        small.contains(" + 0 failed in") && small.ends_with("0 findings\n[exit 0]"),
        "{small}"
    );
    assert!(run(&["search", "--count", "1234"]).contains("reference: 1234 trials = "));
    let random = run(&[
        "search", "--random", "--count", "2000", "--seed", "4", "--from", "10",
    ]);
    assert!(
        random.contains("trials 10 to 2010; continue with --seed 4 --from 2010"),
        "{random}"
    );
    assert!(
        run(&[
            "search",
            "--operator",
            "openvino",
            "--binding",
            "attribute-static"
        ])
        .ends_with("[exit 4]")
    );
}

#[test]
fn a_mutant_is_served_as_a_backend() {
    let command = format!("{BINARY} serve --mutant last-element-lost");
    let told = run(&[
        "run",
        "onednn-example-three-four-five/{onnx.Reshape-14,onednn-spec.*}/f32/**",
        "--adapter-command",
        &command,
        "--jobs",
        "1",
    ]);
    assert_snapshot!("served-mutant", told);
}

#[test]
fn a_name_that_is_nearly_right_is_helped() {
    let told = run(&["show", "onednn-example-three-four-fife"]);
    // The suite grows.
    assert_snapshot!(told.replace(|c: char| c.is_ascii_digit(), "#"), @r"
    error: no case 'onednn-example-three-four-fife' in the built-in suite (### cases); did you mean onednn-example-three-four-five or onednn-example-three-four-five-in-bf##?
    [exit #]
    ");
}

#[test]
fn a_pattern_is_a_glob_over_the_whole_name_of_a_trial() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.yaml");
    let case = "- {name: zero-first, operators: [onnx.Reshape-14], covers: [copied-zero], shape: [0, 3], zero: copy, \
                data: {shape: [2, 3], element_types: [f32]}, expect: {shape: [2, 3]}}\n";
    std::fs::write(&path, case).unwrap();
    let list = |pattern| run(&["list", "--cases", path.to_str().unwrap(), pattern]);
    let alone = "zero-first/onnx.Reshape-14/f32/constant-static";
    for (pattern, of_alone, of_surrounded) in [
        // Only a pattern with a plus means a trial in a surrounding.
        ("**", true, false),
        ("*/*/*/constant-*", true, false),
        ("*/*/*/*+*", false, true),
        ("zero-first/*/*/constant-static+after-*", false, true),
        // A star stays within a part, and two stars do not.
        ("zero*/**", true, false),
        ("zero*", false, false),
        ("zero*/*", false, false),
        ("*/*/f32/*", true, false),
        ("**/f32/*", true, false),
        ("**/constant-*", true, false),
        ("*/onnx.Reshape-1?/**", true, false),
        ("*/onnx.Reshape-?/**", false, false),
        ("*/*/{f16,f32}/*", true, false),
        ("*/*/{f16,bf16}/*", false, false),
        ("*/*/f[1-3]2/*", true, false),
        ("*/*/f[!3]2/*", false, false),
        ("zero-first/**/constant-static", true, false),
        (
            "zero-first/onnx.Reshape-14/f32/constant-static/**",
            false,
            false,
        ),
        ("!*/**", false, false),
        ("[}]{a,[}]b}\\}", false, false),
    ] {
        let listed = list(pattern);
        let has = |name: &str| listed.lines().any(|line| line == name);
        let found = (has(alone), has(&format!("{alone}+after-reshape")));
        assert_eq!(found, (of_alone, of_surrounded), "{pattern}: {listed}");
        assert!(
            found != (false, false) || listed.ends_with("[exit 4]"),
            "{pattern}: {listed}"
        );
    }
    for pattern in ["[a", "{a", "a}*", "{a}}", "*[z-a]", "*\\"] {
        let refused = list(pattern);
        assert!(refused.ends_with("[exit 2]"), "{pattern}: {refused}");
    }
}

#[test]
fn list_names_trials_and_starts_nothing() {
    assert_snapshot!(
        "list",
        run(&[
            "list",
            "onednn-example-three-four-five/**",
            "--operator",
            "onnx < 13",
            "--operator",
            "openvino.Reshape-1",
            "--operator",
            "onednn.StaticReshape",
        ])
    );
}

/// Each number, or row of numbers, as `[n]`.
fn without_counts(text: &str) -> String {
    let mut shown = String::new();
    for line in text.split_inclusive('\n') {
        let mut in_row = false;
        for word in line.split_inclusive(' ') {
            let is_count = word.trim_end().parse::<u32>().is_ok();
            if is_count && !in_row {
                shown.truncate(shown.trim_end_matches(' ').len());
                shown.push_str(if shown.ends_with('\n') {
                    "[n] "
                } else {
                    " [n] "
                });
            }
            in_row = is_count || in_row && ["", "-"].contains(&word.trim_end());
            if !in_row {
                shown.push_str(word);
            }
        }
    }
    shown
}

#[test]
fn coverage_shows_the_clauses_of_an_operator_and_the_cases_of_a_clause() {
    // The counts change with every case that is added; that the page in docs/ is up to date is tested there.
    let coverage = run(&["coverage", "--operator", "onednn"]);
    assert_snapshot!("coverage", without_counts(&coverage));
    assert_snapshot!(
        "coverage-clause",
        run(&["coverage", "onnx.Reshape-1/attr/consumed-inputs"])
    );
    assert!(run(&["coverage", "no-such-clause"]).ends_with("[exit 4]"));
    assert!(
        run(&["coverage"]).ends_with("[exit 0]"),
        "the suite has no gap"
    );
}

#[test]
fn a_gap_in_the_coverage_is_red_and_says_what_to_add() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.yaml");
    let case = "{name: only, operators: [openvino], covers: [one-minus-one], shape: [-1, 3], expect: {shape: [2, 3]}, \
                data: {shape: [2, 3], element_types: [f32, f64, i4]}}";
    std::fs::write(&path, format!("- {case}\n")).unwrap();
    let arguments = [
        "coverage",
        "--cases",
        path.to_str().unwrap(),
        "openvino.Reshape-1/shape/one-minus-one",
    ];
    assert_snapshot!("coverage-gap", run(&arguments));
    let json = folder.path().join("coverage.json");
    let said = run(&[&arguments[..], &["--json", json.to_str().unwrap()]].concat());
    assert!(
        said.starts_with("gap openvino.Reshape-1/shape/one-minus-one: no rejecting case"),
        "{said}"
    );
    let value: Value = serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap();
    assert_eq!(value["gaps"][0]["way"], "rejecting");
    let cells = value["clauses"][0]["cells"].as_array().unwrap();
    assert_eq!(
        cells.len(),
        2 * 4,
        "two classes of element types, and four bindings"
    );
    assert!(cells.iter().all(|cell| cell["cases"][0] == "only"));
}

#[test]
fn a_clause_is_covered_by_cases_that_show_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cases.yaml");
    // What it covers, the data, the target, and the expectation.
    const COPIED: [&str; 4] = ["copied-zero", "[2, 3]", "[0, 3]", "shape: [2, 3]"];
    const PAST: [&str; 4] = ["copied-zero", "[6]", "[6, 0]", "rejected: copy-past-rank"];
    const WHOLE: &str = "openvino.Reshape-1/shape/zero-copy";
    let cited = |[_, data, shape, expect]: [&'static str; 4]| [WHOLE, data, shape, expect];
    let minus_ones = |reason| [["one-minus-one", "[6]", "[-2, -3]", reason]];
    let open = "open: indeterminate-dimension";
    let shown = [
        // This clause says what a copied zero is and what a literal one is: a rule that is cited covers it for that rule alone.
        ("shape/zero-copy", &[COPIED, PAST][..]),
        ("shape/zero-copy", &[cited(COPIED), cited(PAST)]),
        // An open case fills no gap.
        ("shape/minus-one", &[["inferred-minus-one", "[0, 3]", "[0, -1]", open]]),
        ("output/same-content", &[["same-content", "[2, 3]", "[3, 2]", "shape: [3, 2]"]]),
        // A rejection for another reason shows nothing about a rule that it does not break.
        ("shape/one-minus-one", &minus_ones("rejected: below-minus-one")),
        ("shape/one-minus-one", &minus_ones("rejected: two-minus-ones")),
    ]
    .map(|(clause, cases)| {
        let numbered = cases.iter().enumerate();
        let cases = numbered.map(|(number, [covers, data, shape, expect])| {
            format!(
                "- {{name: case-{number}, operators: [openvino], covers: [{covers}], data: {{shape: {data}}}, \
                 shape: {shape}, attributes: {{special_zero: true}}, expect: {{{expect}}}}}\n"
            )
        });
        std::fs::write(&path, cases.collect::<String>()).unwrap();
        let clause = format!("openvino.Reshape-1/{clause}");
        run(&["coverage", "--cases", path.to_str().unwrap(), &clause])
    });
    assert_snapshot!("coverage-of-cases", shown.join("\n"));
}

#[test]
fn what_cannot_be_run_ends_with_its_own_exit_code() {
    let exit = |arguments: &[&str]| run(arguments).rsplit("[exit ").next().unwrap().to_owned();
    assert_eq!(exit(&["run", "no-such-trial"]), "4]");
    assert_eq!(exit(&["run", "--operator", "tensorflow"]), "2]");
    assert_eq!(exit(&["run", "--adapter", "no-such-adapter"]), "2]");
    assert_eq!(exit(&["run", "--adapter", "../src"]), "2]");
    assert_eq!(exit(&["run", "["]), "2]");
    assert_eq!(
        exit(&[
            "run",
            "two-minus-ones",
            "--adapter-command",
            "/no/such/program"
        ]),
        "102]"
    );
    assert_eq!(exit(&["run", "--cases", "/no/such/file.yaml"]), "103]");
    assert_eq!(exit(&["frobnicate"]), "2]");
    assert_eq!(exit(&["lint"]), "0]");
}

#[test]
fn a_wrong_backend_is_shown_where_it_differs() {
    let command = format!(
        "python3 {}/tests/faults/adapter.py",
        env!("CARGO_MANIFEST_DIR")
    );
    let cases = format!("{}/tests/faults/cases.yaml", env!("CARGO_MANIFEST_DIR"));
    for (name, fault) in [
        ("diff-content", "changes a bit"),
        ("diff-shape", "gives another shape"),
        ("diff-crash", "aborts with last words"),
    ] {
        let adapter = format!("{command} '{fault}'");
        let arguments = [
            "run",
            "--jobs",
            "1",
            "--cases",
            &cases,
            "--adapter-command",
            &adapter,
            "*/*/f32/constant-static",
        ];
        assert_snapshot!(name, run(&arguments));
    }
}

/// The events of a run, by trial, without what differs from run to run.
fn events(arguments: &[&str]) -> (BTreeMap<String, Value>, Value) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.jsonl");
    let status = program()
        .args(["run", "--quiet", "--events"])
        .arg(&path)
        .args(arguments)
        .output()
        .unwrap();
    assert_eq!(
        status.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&status.stdout)
    );
    let (mut trials, mut finished) = (BTreeMap::new(), Value::Null);
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let mut event: Value = serde_json::from_str(line).unwrap();
        if event["event"] == "run-finished" {
            finished = event["counts"].clone();
        } else if event["event"] == "trial" {
            let fields = event.as_object_mut().unwrap();
            fields.remove("microseconds");
            fields.remove("backend");
            // In process there is no phase to tell apart.
            if let Some(outcome) = fields.get_mut("outcome") {
                outcome.as_object_mut().unwrap().remove("phase");
            }
            let old = trials.insert(event["trial"].as_str().unwrap().to_owned(), event);
            assert!(old.is_none(), "a trial with two verdicts");
        }
    }
    (trials, finished)
}

#[test]
fn the_reference_behind_the_protocol_gives_the_verdicts_of_the_reference_in_process() {
    // Of the versions of ONNX the first and the last: the protocol passes on no more of a version than its name.
    let last = OPERATORS.iter().rfind(|of| of.family == Family::Onnx);
    let operators = [
        "onnx.Reshape-1",
        last.unwrap().name,
        "openvino",
        "onednn-spec",
    ];
    let operators: Vec<_> = operators
        .iter()
        .flat_map(|name| ["--operator", name])
        .collect();
    // Of their models a third, which the names choose: there are some of each kind.
    let third = [&operators[..], &["--partition", "hash:1/3"]].concat();
    let (here, counts) = events(&third);
    let served = ["--adapter-command", &format!("{BINARY} serve reference")];
    let (there, _) = events(&[&third[..], &served].concat());
    assert_eq!(here.len(), there.len());
    let compiled_only = std::fs::read_to_string("cases/compiled-only.yaml").unwrap();
    for (trial, event) in &here {
        // Of the surroundings, a child process that takes no model is asked in sequences only.
        let (_, surrounding) = trial.split_once('+').unwrap_or_default();
        let is_sequence = surrounding.starts_with("after-other")
            || ["after-refusal", "between-other-models", "beside-other-runs"]
                .contains(&surrounding);
        // Nor does it infer anything.
        let (case, _) = trial.split_once('/').unwrap();
        let is_materialized = !compiled_only.contains(&format!("name: {case}\n"));
        match is_materialized && (surrounding.is_empty() || is_sequence) {
            true => assert_eq!(Some(event), there.get(trial), "{trial}"),
            false => assert_eq!(there[trial]["verdict"], "skipped", "{trial}"),
        }
    }
    let counts = counts.as_object().unwrap();
    let sum: u64 = counts
        .iter()
        .filter(|(kind, _)| *kind != "trials")
        .map(|(_, count)| count.as_u64().unwrap())
        .sum();
    assert_eq!(
        (sum, counts["trials"].as_u64()),
        (here.len() as u64, Some(here.len() as u64))
    );
    assert_eq!(counts["skipped"], 0);
}

#[test]
fn the_order_and_the_number_of_workers_change_no_verdict() {
    let served = format!("{BINARY} serve reference");
    let trials = [
        "--adapter-command",
        &served,
        "--operator",
        "onednn",
        "*/*/{f32,i8}/*",
    ];
    let run = |more: &[&str]| events(&[&trials[..], more].concat()).0;
    let one = run(&["--jobs", "1"]);
    assert!(one.len() > 500, "{}", one.len());
    assert_eq!(one, run(&["--jobs", "8"]));
    for seed in ["1", "2"] {
        assert_eq!(one, run(&["--shuffle", seed]));
    }
}

/// `fmt` orders the fields of a case, and keeps every comment where it belongs.
#[test]
fn cases_are_formatted_with_their_comments_or_left_as_they_are() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("cases.yaml");
    let fmt = |arguments: &[&str]| {
        let mut command = program();
        let output = command.arg("fmt").arg(&file).args(arguments).output();
        let output = output.unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().unwrap(), text)
    };
    let messy = include_str!("fixtures/messy.yaml");
    fs::write(&file, messy).unwrap();
    let (code, text) = fmt(&["--check"]);
    assert!(
        code == 100 && text.contains("cases.yaml:3: not formatted"),
        "{code} {text}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), messy);
    assert_eq!(fmt(&[]).0, 0);
    let formatted = fs::read_to_string(&file).unwrap();
    insta::assert_snapshot!("formatted", formatted);
    assert_eq!(fmt(&["--check"]).0, 0);
    fs::write(&file, formatted.replace('\n', "\r\n")).unwrap();
    assert_eq!(fmt(&[]).0, 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), formatted);
    for (text, description) in [
        ("- {name: a, shape: [6]}\n", "two fields on one line"),
        (
            "- name: a\n  about: >\n    text # no comment\n  shape: [6]\n",
            "cannot be formatted",
        ),
        ("- shape: *a\n  data: &a [6]\n", "no anchor"),
        ("- name: [\n", "unclosed bracket"),
        ("cases\n", "not a list of cases"),
        (
            "- name: a\n  shape: [6]\n  name: b\n  shape: [7]\n",
            "has the field twice",
        ),
    ] {
        fs::write(&file, text).unwrap();
        let (code, said) = fmt(&[]);
        assert!(code == 103 && said.contains(description), "{code} {said}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn the_suite_is_formatted() {
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/cases");
    let output = program().args(["fmt", "--check", cases]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn an_answer_that_no_reader_allows_fails_an_open_case_without_a_list() {
    let folder = tempfile::tempdir().unwrap();
    let cases = folder.path().join("open.yaml");
    let text = "\
- name: minus-three-before-one
  operators: [onnx.Reshape-14]
  covers: [like-numpy]
  data: {shape: [3], element_types: [f32]}
  shape: [-3, 1]
  bindings: [constant-static]
  expect: {open: below-minus-one}
";
    std::fs::write(&cases, text).unwrap();
    let reference = format!("{BINARY} serve reference");
    let adapter = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/adapter.py");
    // It answers the shape [3], of as many elements.
    let faulty = format!("python3 {adapter} 'gives another shape'");
    for (command, code, description) in [(reference, 0, "1 recorded"), (faulty, 100, "1 failed")] {
        let output = program()
            .arg("run")
            .arg("--cases")
            .arg(&cases)
            .args(["--adapter-command", &command])
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(description), "{said}");
    }
}

#[test]
fn coverage_takes_a_rule_and_asks_what_an_unknown_name_means() {
    let told = run(&[
        "coverage",
        "zero-mode-default",
        "--operator",
        "onnx.Reshape-14",
    ]);
    assert!(
        told.contains("onnx.Reshape-14/allowzero/default-copies") && told.ends_with("[exit 0]"),
        "{told}"
    );
    let told = run(&["coverage", "onnx.Reshape-14/zero-copy"]);
    assert!(told.contains("did you mean onnx.Reshape-14/"), "{told}");
}

#[test]
fn a_search_says_of_which_suite_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let output = program()
        .args(["search", "--max-rank", "0", "--events", "events.jsonl"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success());
    let text = std::fs::read_to_string(folder.path().join("events.jsonl")).unwrap();
    let first: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(first["event"], "search-started");
    let version = first["cases_version"].as_str().unwrap();
    let changelog = include_str!("../cases/CHANGELOG.md");
    assert!(
        changelog.contains(&format!("\n## {version}\n")),
        "{version}"
    );
}

#[test]
fn what_a_text_leaves_open_and_every_reader_rejects_is_told_with_what_decides_it() {
    let explained: Vec<_> = ["-2,3", "-2,-2"]
        .iter()
        .map(|shape| {
            let shape = format!("--shape={shape}");
            run(&[
                "explain",
                "--operator",
                "onnx.Reshape-14",
                "--data",
                "10",
                &shape,
            ])
        })
        .collect();
    assert_snapshot!("explain-not-open", explained.join("\n\n"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.yaml");
    let file = file.to_str().unwrap();
    // Of each reader, or of all of them together.
    for (shape, zero, reason, covers) in [
        ("[-2, 3]", "", "below-minus-one", "inferred-minus-one"),
        ("[-2, 3]", "", "not-divisible", "inferred-minus-one"),
        ("[-2, -2]", "", "two-minus-ones", "one-minus-one"),
        ("3", "", "volume-mismatch", "same-count"),
        (
            "[[3]]",
            "",
            "[target-not-1d, volume-mismatch]",
            "same-count",
        ),
        (
            "[0, 7]",
            "  attributes: {allowzero: 2}\n",
            "volume-mismatch",
            "same-count",
        ),
    ] {
        let case = format!(
            "- name: a-case\n  about: No reader accepts it.\n  operators: [onnx.Reshape-14]\n  covers: [{covers}]\n  \
             data: {{shape: [10], element_types: [f32]}}\n  shape: {shape}\n{zero}  expect: {{rejected: {reason}}}\n"
        );
        fs::write(file, case).unwrap();
        let told = run(&["lint", "--cases", file]);
        assert!(told.ends_with("[exit 0]"), "{shape} {reason}: {told}");
        let wrong = fs::read_to_string(file)
            .unwrap()
            .replace(reason, "missing-attribute");
        fs::write(file, wrong).unwrap();
        assert!(run(&["lint", "--cases", file]).ends_with("[exit 103]"));
    }
    let new = run(&["new", "a-case", "--data", "10", "--shape=-2,3"]);
    assert!(
        new.contains("inferred-minus-one") && new.contains("not-divisible"),
        "{new}"
    );
}

#[test]
fn the_type_of_the_target_is_told_unless_it_is_i64() {
    let place = tempfile::tempdir().unwrap();
    let cases = "
- {name: list, operators: [openvino], covers: [same-content], data: {shape: [6], element_types: [f32]}, shape: [2, 3], expect: {shape: [2, 3]}}
- {name: of-u8, operators: [openvino], covers: [same-content], data: {shape: [6], element_types: [f32]}, shape: [2, 3], shape_element_type: u8, expect: {shape: [2, 3]}}
- {name: bare, operators: [openvino], covers: [same-content], data: {shape: [6], element_types: [f32]}, shape: 6, shape_element_type: i32, expect: {shape: [6]}}
";
    let (file, stream) = (
        place.path().join("cases.yaml"),
        place.path().join("it.jsonl"),
    );
    fs::write(&file, cases).unwrap();
    let mut run = program();
    run.args(["run", "-q", "--cases"])
        .arg(&file)
        .arg("--events")
        .arg(&stream);
    run.output().unwrap();
    let events = fs::read_to_string(stream).unwrap();
    let asks = events
        .lines()
        .filter_map(|line| line.split(r#""asks":""#).nth(1)?.split('"').next());
    let asks: Vec<_> = asks.collect();
    let told = ["[6] to [2, 3]", "[6] to u8[2, 3]", "[6] to i32 6"];
    let told = told.map(|asks| format!("{asks}, special_zero=false"));
    assert_eq!(asks, told);
}

#[test]
fn documents_are_listed_and_name_the_program_as_it_was_started() {
    let place = tempfile::tempdir().unwrap();
    let (code, listed) = crate::reports::run(&place, &["docs"]);
    let line = "gate            The gate";
    assert!(code == 0 && listed.lines().any(|of| of == line), "{listed}");
    for name in listed.lines().map(|line| line.split(' ').next().unwrap()) {
        let (code, text) = crate::reports::run(&place, &["docs", name]);
        assert!(code == 0 && !text.contains("cargo run"), "{text}");
    }
}
