//! `init`: writes what a project needs for the gate in its CI.

use super::exit_code;
use super::install::find_python;
use super::output_file::write_new;
use super::run_args::{AdapterConfig, RunArgs};
use crate::backend::{kit_files, python_program, read_adapter_file};
use crate::error::{Error, as_started};
use crate::json::quoted;
use crate::report::style::{err, out};
use crate::suite::record::Version;
use clap::{ArgGroup, Args};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Write the gate's file, an adapter if you need one, and a workflow of CI
///
/// Run it in the root of your repository. It replaces no file, so you can run it again with --github. Name what to test: a language in which to write an
/// adapter, a function or a backend of onnx in Python, or an adapter of this program.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("backend").required(true).args(["name", "python", "c", "node", "python_function", "onnx_backend", "array_api"])))]
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
    #[arg(long, value_name = "MODULE:FUNCTION", value_parser = function)]
    python_function: Option<String>,
    /// Test a Python module that implements onnx.backend.base.Backend, such as onnxruntime.backend
    #[arg(long, value_name = "MODULE")]
    onnx_backend: Option<String>,
    /// Test a Python module that implements the Array API standard, such as numpy
    #[arg(long, value_name = "MODULE")]
    array_api: Option<String>,
    /// Write a workflow of GitHub
    #[arg(long)]
    github: bool,
    /// Write a job of GitLab
    #[arg(long)]
    gitlab: bool,
}

/// The name of a function in Python.
fn function(name: &str) -> Result<String, &'static str> {
    let is_name = |of: &str| !of.is_empty() && !of.contains(['/', '\\', ' ', ':']);
    match name.split_once(':') {
        Some((module, function)) if is_name(module) && is_name(function) => Ok(name.to_owned()),
        Some(_) | None => Err("expected `pkg.module:function`"),
    }
}

/// A function in Python with those of its parameters that say what it can be asked, which the gate then insists on.
fn with_parameters(function: &str) -> String {
    let ask = || {
        let file = python_program("function.py", None).ok()?;
        let mut python = Command::new(find_python(None));
        let said = python.arg(file).args([function, "--parameters"]).output();
        String::from_utf8(said.ok().filter(|said| said.status.success())?.stdout).ok()
    };
    match ask() {
        Some(parameters) if parameters.trim().is_empty() => function.to_owned(),
        Some(parameters) => format!("{function}({})", parameters.trim()),
        None => {
            err(format!(
                "note: {function} cannot be loaded here, and `adapter check` says why: its parameters are not in the \
                gate's file, so write them there, such as {function}(allowzero)"
            ));
            function.to_owned()
        }
    }
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
    stub: Option<String>,
    /// What it needs of pip, in words of a command, with a space before each.
    packages: String,
    /// The command that makes it ready, if there is one.
    prepare: Option<String>,
    /// The known failures to begin with; `None` for no known failure.
    known_failures: Option<Vec<u8>>,
}

pub(super) fn run(arguments: &InitArgs) -> Result<u8, Error> {
    let backend = arguments.backend(&std::env::current_dir().unwrap_or_default())?;
    backend.check_gate()?;
    let known_failures = backend.known_failures.as_deref();
    let known_failures = known_failures.unwrap_or(include_bytes!("known-failures.yaml"));
    let (gate, ignored) = (backend.gate(), "/report/\n/adapter\n__pycache__/\n");
    let mut files = vec![
        ("reshape-conformance.toml".into(), gate.into()),
        ("reshape/known-failures.yaml".into(), known_failures.into()),
        ("reshape/.gitignore".into(), ignored.into()),
    ];
    files.extend(backend.files.iter().cloned());
    let mut by_hand = None;
    if arguments.github {
        let text = include_str!("github.yml").replace("{prepare}", &backend.steps("      - run: "));
        let file = ".github/workflows/reshape-conformance.yml";
        files.push((file.into(), text.into()));
    }
    if arguments.gitlab {
        let text = include_str!("gitlab.yml").replace("{prepare}", &backend.steps("    - "));
        let include = "include:\n  - local: reshape/gitlab-ci.yml\n";
        files.push(("reshape/gitlab-ci.yml".into(), text.into()));
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

/// Writes the files that do not exist.
fn write_all(files: &[(PathBuf, Vec<u8>)]) -> Result<(), Error> {
    for (path, contents) in files {
        let shown = path.display();
        if path.exists() {
            out(format!("{shown} exists already, and stays as it is"));
        } else {
            write_new(path, contents)?;
            out(shown);
        }
    }
    Ok(())
}

impl InitArgs {
    fn backend(&self, here: &Path) -> Result<Backend, Error> {
        if let Some(name) = &self.name {
            return of_adapter(name);
        }
        let project = project(here);
        let modules = [
            ("onnx-backend", &self.onnx_backend, " numpy onnx"),
            ("python-function", &self.python_function, " numpy"),
            ("array-api", &self.array_api, " numpy"),
        ];
        let mut modules = modules.into_iter().filter_map(|(key, value, needs)| {
            let value = match key {
                "python-function" => with_parameters(value.as_deref()?),
                _ => value.as_deref()?.to_owned(),
            };
            let entry = format!("{key} = {}\n", quoted(&value));
            Some((entry, format!("{needs}{project}")))
        });
        if let Some((entry, packages)) = modules.next() {
            return Ok(Backend {
                name: name_of(here),
                entry,
                packages,
                prepare: self.guess(here),
                ..Backend::default()
            });
        }
        let build = "cc -std=c11 -O1 -o reshape/adapter reshape/adapter.c";
        let (numpy, none) = (format!(" numpy{project}"), String::new());
        let (kit, ending, command, packages, prepare) = match (self.python, self.c) {
            (true, _) => ("python", "py", "python3 reshape/adapter.py", numpy, None),
            (_, true) => ("c", "c", "reshape/adapter", none, Some(build.to_owned())),
            (false, false) => ("node", "mjs", "node reshape/adapter.mjs", none, None),
        };
        let [example, stub] = ["example", "reshape/adapter"].map(|of| format!("{of}.{ending}"));
        let files = kit_files(kit).filter_map(|(file, contents)| {
            let is_library = file.to_string_lossy().starts_with("reshape_adapter");
            let is_example = file == Path::new(&example);
            let to = match is_example {
                true => stub.clone().into(),
                false => Path::new("reshape").join(file),
            };
            (is_library || is_example).then(|| (to, contents.to_vec()))
        });
        Ok(Backend {
            name: name_of(here),
            entry: format!("command = {}\n", quoted(command)),
            files: files.collect(),
            stub: Some(stub),
            packages,
            prepare,
            known_failures: None,
        })
    }

    /// What installs the backend of onnx; `None` without one, or if it is here. Only its author knows which package has the
    /// module, and a wrong guess could install a stranger's.
    fn guess(&self, here: &Path) -> Option<String> {
        let top = self.onnx_backend.as_deref()?.split(['.', ':']).next()?;
        let places = [top.to_owned(), format!("{top}.py"), format!("src/{top}")];
        let is_here = places.iter().any(|place| here.join(place).exists());
        let guess = "a guess by the module's name: correct it if the package has another";
        (!is_here).then(|| format!("python3 -m pip install {top}  # {guess}"))
    }
}

/// An adapter of this program, with a copy of its known failures.
fn of_adapter(name: &str) -> Result<Backend, Error> {
    let adapter = RunArgs::default().read_adapter(name)?;
    let known = read_adapter_file(&adapter.known_failures_path())?;
    let installation = adapter.installation();
    let prepare = format!("reshape-conformance adapters install {installation}");
    Ok(Backend {
        name: name.to_owned(),
        prepare: Some(prepare),
        known_failures: known.map(|source| source.text.as_bytes().to_vec()),
        ..Backend::default()
    })
}

/// The name of the folder, if reports can show it as it is.
fn name_of(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    match name.bytes().all(is_plain) && !name.is_empty() && !name.starts_with('.') {
        true => name.into_owned(),
        false => "mine".to_owned(),
    }
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

impl Backend {
    /// Fails if the gate's file exists and has no adapter of this backend, which it would then not test.
    fn check_gate(&self) -> Result<(), Error> {
        let path = Path::new("reshape-conformance.toml");
        if !path.exists() {
            return Ok(());
        }
        let entry = &self.entry;
        let key = entry.split(' ').next().unwrap_or_default();
        let named = entry.split('"').nth(1).unwrap_or(&self.name);
        let named = named.split('(').next().unwrap_or(named);
        let is_this = |of: &AdapterConfig| match of.program() {
            // What follows the bracket are the parameters of a function.
            Some((of, value)) => of.option.ends_with(key) && value.split('(').next() == Some(named),
            None => key.is_empty() && of.name() == named,
        };
        if RunArgs::of_file(path)?.gate_adapters.iter().any(is_this) {
            return Ok(());
        }
        let name = quoted(named);
        Err(Error::Usage(format!(
            "reshape-conformance.toml exists and does not test {named}; to test it, too, add:\n\n\
            [[adapter]]\nname = {name}\n{entry}"
        )))
    }

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
        if let Some(stub) = &self.stub {
            let put = "Put your runtime in the place of the example in";
            step(&format!("{put} {stub}, and check it again."), "");
        }
        let update = "reshape-conformance known-failures update --gate --core=false";
        let what = "Explain what fails today. The command asks once for each finding:";
        step(what, update);
        step(
            "Run the gate. It is green until something changes:",
            "reshape-conformance run --gate",
        );
        step("Commit the files above.", "");
    }
}
