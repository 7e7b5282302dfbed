//! `init`: writes what a project needs for the gate in its CI.

use super::exit_code;
use super::output_file::write_new;
use super::run_args::RunArgs;
use crate::backend::{kit_files, read_adapter_file};
use crate::error::{Error, as_started};
use crate::report::style::out;
use crate::suite::record::Version;
use clap::{ArgGroup, Args};
use std::path::{Path, PathBuf};

/// Write the gate's file, an adapter if you need one, and a workflow of CI
///
/// Run it in the root of your repository. It replaces no file. Name what to test: a language in which to write an
/// adapter, a function or a backend of onnx in Python, or an adapter of this program.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("backend").required(true).args(["name", "python", "c", "node", "python_function", "onnx_backend"])))]
pub(super) struct InitArgs {
    /// An adapter of this program, such as onnxruntime (`adapters` lists them)
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Write an adapter in Python
    #[arg(long)]
    python: bool,
    /// Write an adapter in C
    #[arg(long)]
    c: bool,
    /// Write an adapter in JavaScript
    #[arg(long)]
    node: bool,
    /// Test a Python function f(data, target, **attributes) of numpy arrays, such as pkg.module:f
    #[arg(long, value_name = "MODULE:FUNCTION")]
    python_function: Option<String>,
    /// Test a Python module that implements onnx.backend.base.Backend, such as onnxruntime.backend
    #[arg(long, value_name = "MODULE")]
    onnx_backend: Option<String>,
    /// Write a workflow of GitHub
    #[arg(long)]
    github: bool,
    /// Write a job of GitLab
    #[arg(long)]
    gitlab: bool,
}

/// What to test, and how.
#[derive(Default)]
struct Backend {
    /// The name of the gate's adapter.
    name: String,
    /// The line of its entry that says what to start; empty for an adapter of this program.
    entry: String,
    /// The files of its kit, by path.
    files: Vec<(PathBuf, Vec<u8>)>,
    /// The file to edit; `None` if there is nothing to write.
    stub: Option<&'static str>,
    /// What it needs of pip, in words of a command, with a space before each.
    packages: String,
    /// The command that makes it ready, if there is one.
    prepare: Option<String>,
    /// The known failures to begin with; `None` for no known failure.
    known_failures: Option<Vec<u8>>,
}

/// A kit: its folder, the example's file in it and its name here, the command, and what builds it.
type Kit = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    Option<&'static str>,
);

const PYTHON: Kit = (
    "python",
    "example.py",
    "reshape/adapter.py",
    "python3 reshape/adapter.py",
    None,
);
const NODE: Kit = (
    "node",
    "example.mjs",
    "reshape/adapter.mjs",
    "node reshape/adapter.mjs",
    None,
);
const C: Kit = (
    "c",
    "example.c",
    "reshape/adapter.c",
    "reshape/adapter",
    Some("cc -std=c11 -O1 -o reshape/adapter reshape/adapter.c"),
);

pub(super) fn run(arguments: &InitArgs) -> Result<u8, Error> {
    let here = std::env::current_dir().unwrap_or_default();
    let backend = arguments.backend(&here)?;
    let known_failures = backend.known_failures.as_deref();
    let known_failures = known_failures.unwrap_or(include_bytes!("known-failures.yaml"));
    let mut files = vec![
        (
            "reshape-conformance.toml".into(),
            backend.gate().into_bytes(),
        ),
        (
            "reshape/known-failures.yaml".into(),
            known_failures.to_vec(),
        ),
        (
            "reshape/.gitignore".into(),
            b"/report/\n/adapter\n__pycache__/\n".to_vec(),
        ),
    ];
    files.extend(backend.files.iter().cloned());
    let mut by_hand = None;
    if arguments.github {
        let text = include_str!("github.yml").replace("{prepare}", &backend.steps("      - run: "));
        files.push((
            ".github/workflows/reshape-conformance.yml".into(),
            text.into_bytes(),
        ));
    }
    if arguments.gitlab {
        let text = include_str!("gitlab.yml").replace("{prepare}", &backend.steps("    - "));
        let include = "include:\n  - local: reshape/gitlab-ci.yml\n";
        files.push(("reshape/gitlab-ci.yml".into(), text.into_bytes()));
        match Path::new(".gitlab-ci.yml").exists() {
            true => by_hand = Some(include),
            false => files.push((".gitlab-ci.yml".into(), include.into())),
        }
    }
    write_all(&files)?;
    out("\nNext:");
    if let Some(include) = by_hand {
        out(format!("  Add this to .gitlab-ci.yml:\n{include}"));
    }
    backend.next();
    Ok(exit_code::AS_EXPECTED)
}

/// Writes files, or nothing if one of them exists.
fn write_all(files: &[(PathBuf, Vec<u8>)]) -> Result<(), Error> {
    if let Some((there, _)) = files.iter().find(|(path, _)| path.exists()) {
        let why = format!("{} exists already, so nothing was written", there.display());
        return Err(Error::Usage(why));
    }
    for (path, contents) in files {
        write_new(path, contents)?;
        out(path.display());
    }
    Ok(())
}

impl InitArgs {
    fn backend(&self, here: &Path) -> Result<Backend, Error> {
        if let Some(name) = &self.name {
            return of_adapter(name);
        }
        let project = project(here);
        // Which package has the module, only its author knows: a guess could install a stranger's.
        let modules = [
            ("onnx-backend", &self.onnx_backend, " numpy onnx"),
            ("python-function", &self.python_function, " numpy"),
        ];
        let mut modules = modules.into_iter().filter_map(|(key, value, needs)| {
            let entry = format!("{key} = {}\n", quoted(value.as_deref()?));
            Some((entry, format!("{needs}{project}")))
        });
        if let Some((entry, packages)) = modules.next() {
            return Ok(Backend {
                name: name_of(here),
                entry,
                packages,
                ..Backend::default()
            });
        }
        let (kit, example, stub, command, build) = match (self.python, self.c) {
            (true, _) => PYTHON,
            (_, true) => C,
            (false, false) => NODE,
        };
        let files = kit_files(kit).filter_map(|(file, contents)| {
            let is_library = file.to_string_lossy().starts_with("reshape_adapter");
            let to = match file == Path::new(example) {
                true => PathBuf::from(stub),
                false => Path::new("reshape").join(file),
            };
            (is_library || file == Path::new(example)).then(|| (to, contents.to_vec()))
        });
        Ok(Backend {
            name: name_of(here),
            entry: format!("command = {}\n", quoted(command)),
            files: files.collect(),
            stub: Some(stub),
            packages: if kit == "python" {
                format!(" numpy{project}")
            } else {
                String::new()
            },
            prepare: build.map(str::to_owned),
            known_failures: None,
        })
    }
}

/// An adapter of this program, with a copy of its known failures.
fn of_adapter(name: &str) -> Result<Backend, Error> {
    let adapter = RunArgs::default().read_adapter(name)?;
    let known = read_adapter_file(&adapter.known_failures_path())?;
    Ok(Backend {
        name: name.to_owned(),
        prepare: Some(format!(
            "reshape-conformance adapters install {}",
            adapter.installation()
        )),
        known_failures: known.map(|source| source.text.as_bytes().to_vec()),
        ..Backend::default()
    })
}

/// The name of the folder, if reports can show it as it is.
fn name_of(folder: &Path) -> String {
    let name = folder
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let is_plain = |name: &String| {
        let mut bytes = name.bytes();
        bytes.all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
            && !name.starts_with('.')
    };
    name.filter(is_plain).unwrap_or_else(|| "mine".to_owned())
}

/// What pip installs of the project in this folder, with a space before it; empty if it is no package.
fn project(here: &Path) -> String {
    let is_there = |file: &str| here.join(file).exists();
    if is_there("pyproject.toml") || is_there("setup.py") {
        " .".to_owned()
    } else if is_there("requirements.txt") {
        " -r requirements.txt".to_owned()
    } else {
        String::new()
    }
}

/// A string of TOML, which has the same form as in JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

impl Backend {
    /// The gate's file.
    fn gate(&self) -> String {
        include_str!("gate.toml")
            .replace("{suite}", &Version::newest().to_string())
            .replace("{name}", &quoted(&self.name))
            .replace("{backend}", &self.entry)
    }

    /// The commands before the gate, each with this before it.
    fn steps(&self, before: &str) -> String {
        let version = env!("CARGO_PKG_VERSION");
        let install = format!(
            "python3 -m pip install reshape-conformance=={version}{}",
            self.packages
        );
        let steps = std::iter::once(&install).chain(&self.prepare);
        steps.map(|step| format!("{before}{step}\n")).collect()
    }

    /// Says what to do next.
    fn next(&self) {
        let mut number = 0;
        let mut step = |what: &str, line: &str| {
            number += 1;
            out(format!("{number}. {what}"));
            if !line.is_empty() {
                out(format!("     {}", as_started(line)));
            }
        };
        if let Some(prepare) = &self.prepare {
            step("Make it ready:", prepare);
        }
        let check = format!("reshape-conformance adapter check {}", self.name);
        step("Check that it can be asked:", &check);
        if let Some(stub) = self.stub {
            step(
                &format!(
                    "Put your runtime in the place of the example in {stub}, and check it again."
                ),
                "",
            );
        }
        step(
            "Explain what fails today. The command asks once for each finding:",
            "reshape-conformance known-failures update --gate --core=false",
        );
        step(
            "Run the gate. It is green until something changes:",
            "reshape-conformance run --gate",
        );
        step("Commit the files above.", "");
    }
}
