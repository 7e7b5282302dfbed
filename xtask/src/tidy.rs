//! `cargo xtask tidy`: the map of the rooms, read off the imports. A map that nobody checks lies.

use std::fs;
use std::path::{Path, PathBuf};

/// The floors, lowest first; a room uses rooms of lower floors and of its own.
const FLOORS: &[&[&str]] = &[
    &["error"],
    &["yaml"],
    &["tensor"],
    &["spec"],
    &["event"],
    &["model"],
    &["suite"],
    &["verdict"],
    &["backend"],
    &["run"],
    &["search"],
    &["report"],
    &["cli"],
    &["harness", "main", "lib"],
];

/// Dependencies that are touched in one room only.
const CONFINED: &[(&str, &str)] = &[
    ("serde_yaml", "yaml"),
    ("quick_xml", "suite/case/xml model/openvino_ir"),
    ("prost", "model/onnx"),
    ("num_bigint", "tensor"),
    ("libtest_mimic", "harness"),
    ("process_wrap", "backend/process"),
    ("indicatif", "report/progress"),
    ("annotate_snippets", "report/fault"),
    ("anstream", "report/style"),
    ("include_dir", "suite"),
    ("fast_glob", "suite/glob"),
    ("fastrand", "search suite/plan"),
    ("similar", "run/record cli/show"),
    ("ctrlc", "cli/run"),
    ("toml", "cli/config"),
    ("maud", "report/html"),
    ("sha2", "report/html"),
    ("base64", "report/html"),
];

pub(crate) fn run(root: &Path) -> Result<(), String> {
    let source = root.join("src");
    let mut files = Vec::new();
    collect(&source, &mut files)?;
    let mut faults = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file)
            .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        let name = file
            .strip_prefix(&source)
            .unwrap_or(file)
            .with_extension("")
            .to_string_lossy()
            .replace('\\', "/");
        faults.extend(
            check(&name, &text)
                .into_iter()
                .map(|fault| format!("src/{name}.rs: {fault}")),
        );
    }
    if faults.is_empty() {
        println!(
            "{} files: every room uses only what is below it",
            files.len()
        );
        Ok(())
    } else {
        Err(faults.join("\n       "))
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = fs::read_dir(folder)
        .map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(())
}

fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

/// The faults of one file.
fn check(name: &str, text: &str) -> Vec<String> {
    let room = name.split('/').next().unwrap_or(name);
    let Some(own) = floor(room) else {
        return vec![format!(
            "the room '{room}' is not on the map in xtask/src/tidy.rs"
        )];
    };
    let mut faults = Vec::new();
    // Tests stand at a file's end and may reach anywhere; comments are words.
    let code = text.split("#[cfg(test)]").next().unwrap_or(text);
    for (number, line) in code.lines().enumerate() {
        let line = line.split("//").next().unwrap_or(line);
        for used in line
            .match_indices("crate::")
            .map(|(at, word)| &line[at + word.len()..])
        {
            for used in first_segments(used) {
                if floor(used).is_some_and(|floor| floor > own) {
                    faults.push(format!(
                        "line {}: uses {used}, which is above {room}",
                        number + 1
                    ));
                }
            }
        }
        for (dependency, rooms) in CONFINED {
            let names_it = line.contains(&format!("{dependency}::"))
                || line.contains(&format!("derive({dependency}"));
            if names_it
                && !rooms
                    .split(' ')
                    .any(|room| name == room || name.starts_with(&format!("{room}/")))
            {
                faults.push(format!(
                    "line {}: {dependency} belongs in {rooms} alone",
                    number + 1
                ));
            }
        }
    }
    faults
}

/// `oracle::resolve` names `oracle`; `{oracle, tensor::Tensor}` names both.
fn first_segments(path: &str) -> Vec<&str> {
    let word = |text: &'_ str| {
        text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(text.len())
    };
    match path.strip_prefix('{') {
        None => vec![&path[..word(path)]],
        Some(list) => list
            .split(',')
            .map(str::trim_start)
            .map(|part| &part[..word(part)])
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn a_room_that_reaches_up_is_named() {
        assert_eq!(
            check("tensor/fill", "use crate::spec::oracle::resolve;"),
            ["line 1: uses oracle, which is above tensor"]
        );
        assert!(check("spec/oracle/mod", "use crate::tensor::Tensor;").is_empty());
    }

    #[test]
    fn a_dependency_outside_its_room_is_named() {
        assert_eq!(
            check("verdict/judge", "use num_bigint::BigUint;"),
            ["line 1: num_bigint belongs in tensor alone"]
        );
        assert!(check("tensor/float", "use num_bigint::BigUint;").is_empty());
    }
}
