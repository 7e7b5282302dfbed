//! The action's scripts, with the variables that GitHub sets, and with a `gh` that answers from files.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::BINARY;
use crate::reports::{ended, mutant, read, run};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use tempfile::{TempDir, tempdir};

/// It has the artifact of one run, and says what it is asked.
const GH: &str = r#"#!/bin/sh
echo "$*" >> gh.log
case "$1 $2" in
    "run list") echo 7 ;;
    "run download") mkdir -p reshape-baseline && cp before.jsonl reshape-baseline/events.jsonl ;;
    "api --paginate") cat comment-id ;;
esac
"#;

fn root(path: &str) -> String {
    format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))
}

/// A folder with a gate of a backend with this fault (none: the reference).
fn place(fault: &str) -> TempDir {
    let place = tempdir().unwrap();
    configure(&place, fault);
    let gh = place.path().join("gh");
    fs::write(&gh, GH).unwrap();
    fs::set_permissions(&gh, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(place.path().join("comment-id"), "").unwrap();
    place
}

fn configure(place: &TempDir, fault: &str) {
    let command = match fault {
        "" => format!("{BINARY} serve reference"),
        fault => mutant(fault),
    };
    let config = format!(
        "trials = ['copied-zero-*/onnx.Reshape-14/f32/**']\n[[adapter]]\nname = 'mine'\ncommand = \"{command}\"\n"
    );
    fs::write(place.path().join("mine.toml"), config).unwrap();
}

/// Runs a script of the action. Returns its exit code and its output.
fn script(place: &TempDir, name: &str, variables: &[(&str, &str)]) -> (i32, String) {
    let here = place.path();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(root(&format!(".github/action/{name}.sh")));
    command.current_dir(here).envs([
        ("RESHAPE_CONFORMANCE", BINARY),
        ("CONFIG", "mine.toml"),
        ("ARTIFACT", "reshape-conformance"),
        ("DEFAULT_BRANCH", "main"),
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_ACTION_PATH", env!("CARGO_MANIFEST_DIR")),
        ("GITHUB_EVENT_NAME", "pull_request"),
        ("GITHUB_REF", "refs/pull/12/merge"),
        ("GITHUB_BASE_REF", "trunk"),
        ("GITHUB_REPOSITORY", "owner/name"),
        ("GITHUB_RUN_ID", "8"),
        (
            "GITHUB_WORKFLOW_REF",
            "owner/name/.github/workflows/ci.yml@refs/pull/12/merge",
        ),
        ("RUNNER_TEMP", "temporary"),
    ]);
    command
        .env("PATH", format!("{}:{path}", here.display()))
        .env("GITHUB_OUTPUT", here.join("output"))
        .env("GITHUB_STEP_SUMMARY", here.join("page.md"));
    for name in ["output", "page.md", "gh.log"] {
        let _ = fs::remove_file(here.join(name));
    }
    ended(&command.envs(variables.iter().copied()).output().unwrap())
}

#[test]
fn the_action_runs_the_gate_and_keeps_its_exit_code() {
    let place = place("zero-never-copies");
    let variables = [
        ("MODE", "run"),
        ("ARGUMENTS", "--retries 1 -q"),
        ("SARIF", "it.sarif"),
    ];
    let (code, text) = script(&place, "run", &variables);
    assert!(
        code == 100 && text.contains("::error file=mine.toml,line=3,"),
        "{code} {text}"
    );
    assert_eq!(read(&place, "output"), "exit-code=100\n");
    assert!(read(&place, "page.md").contains("**failed**"));
    for file in [
        "reshape-report/events.jsonl",
        "reshape-report/junit.xml",
        "reshape-report/page.html",
        "it.sarif",
    ] {
        assert!(!read(&place, file).is_empty(), "{file}");
    }
    configure(&place, "");
    let (code, text) = script(&place, "run", &variables);
    assert!(code == 0 && !text.contains("::error"), "{code} {text}");
    // What is no part of the shell's words stays one.
    let hostile = [
        ("MODE", "run"),
        ("ADAPTER", "$(touch broken); `touch broken`"),
    ];
    assert_eq!(script(&place, "run", &hostile).0, 2);
    assert!(!place.path().join("broken").exists());
    assert_eq!(script(&place, "run", &[("MODE", "other")]).0, 2);
}

/// A run of the gate as the target branch makes it.
const RUN_BEFORE: &[&str] = &[
    "run",
    "--gate",
    "--config",
    "mine.toml",
    "-q",
    "--events",
    "before.jsonl",
];

#[test]
fn a_single_job_says_on_its_page_what_changed_and_nothing_more_twice() {
    let place = place("");
    assert_eq!(run(&place, RUN_BEFORE).0, 0);
    let before = read(&place, "before.jsonl");
    let answer = "\"answer\":\"rejected\"";
    assert!(before.contains(answer));
    let before = before.replacen(answer, "\"answer\":\"[7]\"", 1);
    fs::write(place.path().join("before.jsonl"), before).unwrap();
    let gate = [("MODE", "run"), ("ARGUMENTS", "-q")];
    let (code, text) = script(&place, "run", &gate);
    assert_eq!(code, 0, "{text}");
    let page = read(&place, "page.md");
    assert!(
        page.contains("0 worse, 0 better, 1 changed answers, 0 new failures\n"),
        "{page}"
    );
    assert!(
        page.contains("\n- changed answers: `copied-zero-"),
        "{page}"
    );
    for once in [
        "\nSuite ",
        "### Changes since the baseline\n",
        "## Reshape conformance\n",
    ] {
        assert_eq!(page.matches(once).count(), 1, "{page}");
    }
    // A part, an adapter of a matrix, a push, and a run with a baseline of its own have another place for it.
    for other in [
        ("ARGUMENTS", "-q --partition slice:1/2"),
        ("ADAPTER", "mine"),
        ("GITHUB_EVENT_NAME", "push"),
    ] {
        let (code, text) = script(&place, "run", &[&gate[..], &[other]].concat());
        assert_eq!(code, 0, "{text}");
        let page = fs::read_to_string(place.path().join("page.md")).unwrap_or_default();
        assert!(!page.contains("Changes since the baseline"), "{page}");
    }
    // Without a baseline it says nothing.
    fs::write(place.path().join("gh"), "#!/bin/sh\nexit 1\n").unwrap();
    assert_eq!(script(&place, "run", &gate).0, 0);
    assert!(!read(&place, "page.md").contains("Changes since"));
}

/// Runs the two parts of the gate, as two jobs do, and moves their reports to where the artifacts come.
fn parts(place: &TempDir) {
    for part in ["1", "2"] {
        let arguments = format!("-q --partition slice:{part}/2");
        let (code, text) = script(place, "run", &[("MODE", "run"), ("ARGUMENTS", &arguments)]);
        assert!(
            code == 0 && !text.contains("::error"),
            "a part annotates nothing: {text}"
        );
        let to = place
            .path()
            .join(format!("reshape-parts/reshape-conformance-{part}"));
        let _ = fs::remove_dir_all(&to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::rename(place.path().join("reshape-report"), to).unwrap();
    }
}

#[test]
fn the_action_joins_the_parts_of_a_matrix_and_keeps_one_comment() {
    let place = place("");
    let merge = [("MODE", "merge")];
    let (code, text) = script(&place, "run", &merge);
    assert!(
        code == 5 && text.contains("::error"),
        "no part: {code} {text}"
    );
    // Without a baseline the summary says so.
    fs::write(place.path().join("gh"), "#!/bin/sh\nexit 1\n").unwrap();
    parts(&place);
    let (code, text) = script(&place, "run", &merge);
    assert!(code == 0 && text.contains("::notice"), "{code} {text}");
    assert!(read(&place, "page.md").contains("no run of the branch `trunk`"));
    fs::write(place.path().join("gh"), GH).unwrap();
    // The branch fails in one way, and the pull request in another.
    configure(&place, "zero-never-copies");
    assert_eq!(run(&place, RUN_BEFORE).0, 100);
    configure(&place, "");
    parts(&place);
    let (code, text) = script(&place, "run", &merge);
    assert_eq!(code, 0, "{text}");
    let comment = read(&place, "reshape-report/comment.md");
    assert!(
        comment.starts_with("<!-- reshape-conformance -->\n"),
        "{comment}"
    );
    assert!(
        comment.contains("0 worse, ") && comment.contains("- better: `copied-zero-"),
        "{comment}"
    );
    let asked = read(&place, "gh.log");
    assert!(
        asked.contains("run list --workflow ci.yml --branch trunk "),
        "{asked}"
    );
    assert!(
        asked.contains("--method POST repos/owner/name/issues/12/comments "),
        "{asked}"
    );
    // The next run finds its comment.
    fs::write(place.path().join("comment-id"), "345\n").unwrap();
    assert_eq!(run(&place, RUN_BEFORE).0, 0);
    configure(&place, "zero-never-copies");
    parts(&place);
    let (code, text) = script(&place, "run", &merge);
    assert!(code == 100 && text.contains("::error"), "{code} {text}");
    assert_eq!(read(&place, "output"), "exit-code=100\n");
    let comment = read(&place, "reshape-report/comment.md");
    assert!(
        comment.contains(" 0 better, ") && comment.contains("- worse: `copied-zero-"),
        "{comment}"
    );
    let asked = read(&place, "gh.log");
    assert!(
        asked.contains("--method PATCH repos/owner/name/issues/comments/345 "),
        "{asked}"
    );
}

#[test]
fn the_action_installs_its_own_version_unless_another_is_named() {
    let place = place("");
    for (version, wanted) in [("", env!("CARGO_PKG_VERSION")), ("0.9.1", "0.9.1")] {
        assert_eq!(script(&place, "version", &[("VERSION", version)]).0, 0);
        let output = read(&place, "output");
        assert!(
            output.starts_with(&format!("version={wanted}\nwheels=")),
            "{output}"
        );
    }
    assert_eq!(
        script(&place, "version", &[("VERSION", "1; touch broken")]).0,
        2
    );
    assert!(Path::new(&root("action.yml")).exists());
}
