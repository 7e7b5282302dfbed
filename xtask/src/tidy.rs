//! `cargo xtask tidy`: checks the layers of `src/` against the imports and the map in ARCHITECTURE.md.

mod graph;
mod map;
mod source;

use graph::Graph;
use source::File;
use std::fs;
use std::path::{Path, PathBuf};

/// The layers, top first. A layer uses only itself and the layers below it.
const LAYERS: &[&str] = &[
    "main",
    "harness",
    "playground",
    "lib",
    "cli",
    "report",
    "search",
    "run",
    "backend",
    "verdict",
    "suite",
    "model",
    "event",
    "semantics",
    "tensor",
    "yaml",
    "json",
    "threads",
    "error",
    "names",
];

/// Dependencies that only some files may name: each starts with one of these paths.
const CONFINED: &[(&str, &[&str])] = &[
    ("serde_yaml", &["yaml"]),
    ("quick_xml", &["suite/case/xml", "model/openvino_ir"]),
    ("prost", &["model/onnx"]),
    ("half", &["tensor"]),
    ("num_bigint", &["tensor"]),
    ("libtest_mimic", &["harness"]),
    ("process_wrap", &["backend/process"]),
    ("nix", &["backend/process"]),
    ("indicatif", &["report/progress"]),
    ("annotate_snippets", &["report/fault"]),
    ("anstream", &["report/style"]),
    (
        "include_dir",
        &["suite/collection", "backend/manifest/built_in"],
    ),
    ("fast_glob", &["suite/glob"]),
    (
        "fastrand",
        &["search/random", "search/generate", "suite/plan"],
    ),
    ("similar", &["run/failure_lines", "names"]),
    ("ctrlc", &["cli/interrupt"]),
    ("signal_hook", &["cli/interrupt"]),
    ("toml", &["cli/gate", "cli/run_args"]),
    ("maud", &["report/html"]),
    ("sha2", &["report/html"]),
    ("base64", &["report/html"]),
];

/// Checks the tree and prints its layers; with `write_map`, writes the map in ARCHITECTURE.md first.
///
/// # Errors
/// Every fault found, or a file that cannot be read or written.
pub(crate) fn run(root: &Path, write_map: bool) -> Result<(), String> {
    let files = read(root)?;
    let architecture = root.join("ARCHITECTURE.md");
    let text =
        fs::read_to_string(&architecture).map_err(|error| format!("ARCHITECTURE.md: {error}"))?;
    if write_map {
        let text = map::replaced(&text, &files, LAYERS)?;
        fs::write(&architecture, text).map_err(|error| format!("ARCHITECTURE.md: {error}"))?;
    }
    let graph = Graph::of(&files);
    let mut faults: Vec<String> = files.iter().flat_map(faults_of).collect();
    faults.extend(graph.upward(LAYERS));
    faults.extend(graph.circles());
    if !write_map && map::replaced(&text, &files, LAYERS)? != text {
        faults.push(
            "the map in ARCHITECTURE.md is out of date: `cargo xtask tidy --map` writes it"
                .to_owned(),
        );
    }
    faults.extend(
        missing_paths(&text, root)
            .map(|path| format!("ARCHITECTURE.md names {path}, which is not there")),
    );
    if !faults.is_empty() {
        return Err(faults.join("\n       "));
    }
    print(&files);
    Ok(())
}

/// The paths of source files in backticks that do not exist, from the root or from `src/`.
fn missing_paths<'a>(text: &'a str, root: &'a Path) -> impl Iterator<Item = &'a str> {
    let quoted = text.split('`').skip(1).step_by(2);
    let paths = quoted.filter(|of| of.contains('/') && of.ends_with(".rs") && !of.contains(' '));
    paths.filter(|path| !root.join(path).exists() && !root.join("src").join(path).exists())
}

/// The source files, in the order of their paths.
fn read(root: &Path) -> Result<Vec<File>, String> {
    let source = root.join("src");
    let mut paths = Vec::new();
    collect(&source, &mut paths)?;
    let read = |path: &PathBuf| {
        let text =
            fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path
            .strip_prefix(&source)
            .unwrap_or(path)
            .with_extension("");
        Ok(File::new(&name.to_string_lossy().replace('\\', "/"), &text))
    };
    paths.iter().map(read).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
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

/// The faults of a single file.
fn faults_of(file: &File) -> Vec<String> {
    let mut faults = Vec::new();
    if !LAYERS.contains(&file.layer()) {
        faults.push(format!(
            "{}: the layer '{}' has no place in the order",
            file.path(),
            file.layer()
        ));
    }
    for (dependency, places) in CONFINED {
        let allowed = places.iter().any(|place| file.is_in(place));
        if !allowed && file.names_crate(dependency) {
            faults.push(format!(
                "{}: {dependency} belongs only in {}",
                file.path(),
                places.join(", ")
            ));
        }
    }
    faults
}

fn print(files: &[File]) {
    println!("layer     files  lines  longest file");
    for layer in LAYERS {
        let own: Vec<_> = files.iter().filter(|file| file.layer() == *layer).collect();
        let lines: usize = own.iter().map(|file| file.lines).sum();
        let longest = own.iter().max_by_key(|file| file.lines);
        let longest = longest.map_or_else(String::new, |file| {
            format!("{} {}", file.lines, file.path())
        });
        println!("{layer:8} {:6} {lines:6}  {longest}", own.len());
    }
    let lines: usize = files.iter().map(|file| file.lines).sum();
    let function = files
        .iter()
        .filter_map(|file| Some((file.longest_function.clone()?, file)));
    let function = function.max_by_key(|((lines, _), _)| *lines);
    println!(
        "{} files, {lines} lines; every layer uses only the layers below it, and no files form a circle",
        files.len()
    );
    if let Some(((lines, name), file)) = function {
        println!(
            "longest function: {name}, {lines} lines, in {}",
            file.path()
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The faults of some files, in layers that have a face each.
    fn faults(files: &[(&str, &str)]) -> Vec<String> {
        let faces =
            ["tensor/mod", "semantics/mod", "run/mod", "verdict/mod"].map(|face| (face, ""));
        let missing = faces
            .iter()
            .filter(|(face, _)| files.iter().all(|(name, _)| name != face));
        let files: Vec<_> = files
            .iter()
            .chain(missing)
            .map(|(name, text)| File::new(name, text))
            .collect();
        let graph = Graph::of(&files);
        let own = files.iter().flat_map(faults_of);
        own.chain(graph.upward(LAYERS))
            .chain(graph.circles())
            .collect()
    }

    #[test]
    fn a_layer_that_uses_one_above_it_is_named() {
        let upward = [
            ("tensor/fill", "use crate::semantics::oracle;\n"),
            ("semantics/oracle", "use crate::tensor::fill::Fill;\n"),
        ];
        let found = faults(&upward);
        let expected =
            "src/tensor/fill.rs uses src/semantics/oracle.rs, but semantics is above tensor";
        assert_eq!(found[0], expected);
        assert_eq!(faults(&upward[1..]), Vec::<String>::new());
    }

    #[test]
    fn a_path_that_does_not_exist_is_named() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let text = "see `src/lib.rs`, `tensor/dense.rs`, `a/b` and `tensor/sparse.rs`";
        assert!(missing_paths(text, &root).eq(["tensor/sparse.rs"]));
    }

    #[test]
    fn a_dependency_outside_its_files_is_named() {
        assert_eq!(
            faults(&[("verdict/judge", "use half::f16;\n")]),
            ["src/verdict/judge.rs: half belongs only in tensor"]
        );
        assert_eq!(
            faults(&[("tensor/float", "use half::f16;\n")]),
            Vec::<String>::new()
        );
    }

    #[test]
    fn files_that_import_each_other_are_a_circle_however_they_are_named() {
        let b = (
            "run/b",
            "use super::a::first;\npub(crate) fn second() { first() }\n",
        );
        let direct = (
            "run/a",
            "pub(crate) fn first() { crate::run::b::second() }\n",
        );
        let found = faults(&[direct, b]);
        assert_eq!(
            found,
            ["a circle: src/run/a.rs -> src/run/b.rs -> src/run/a.rs"]
        );
        let face = ("run/mod", "mod a;\nmod b;\npub(crate) use b::second;\n");
        let through_the_face = (
            "run/a",
            "use super::second;\npub(crate) fn first() { second() }\n",
        );
        assert_eq!(faults(&[through_the_face, b, face]), found);
    }

    #[test]
    fn a_parent_that_only_declares_and_re_exports_is_in_no_circle() {
        let face = ("run/mod", "mod a;\npub(crate) use a::{self, first};\n");
        let child = (
            "run/a",
            "pub(crate) fn first() {}\n#[cfg(test)]\nmod tests {\n    use crate::run::first;\n}\n",
        );
        assert_eq!(faults(&[face, child]), Vec::<String>::new());
        let calling = (
            "run/mod",
            "mod a;\npub(crate) struct S;\nfn f() { a::first(S) }\n",
        );
        let child = ("run/a", "use super::S;\npub(crate) fn first(_: S) {}\n");
        assert_eq!(faults(&[calling, child]).len(), 1);
    }
}
