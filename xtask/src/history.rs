//! `cargo xtask history`: runs the suite on several releases of a backend, and writes the page of the causes in each.

use crate::python::command;
use clap::Args;
use reshape_conformance::backend::{Adapter, Package, Registry};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The exit codes of a run that reached its end, with any result.
const RUN_TO_ITS_END: [i32; 3] = [0, 100, 101];
/// The exit codes of a run whose request is wrong for every release: wrong arguments, a wrong file.
const WRONGLY_ASKED: [i32; 2] = [2, 103];

#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// The adapter, such as onnxruntime; its backend must be a Python, cargo or npm package
    name: String,
    /// These releases, such as 1.20.1,1.22.0; the pinned one is always the last
    #[arg(long, value_name = "RELEASES", value_delimiter = ',')]
    releases: Vec<String>,
    /// The last N releases up to the pinned one, from the list of the registry
    #[arg(long, value_name = "N", conflicts_with = "releases")]
    last: Option<NonZeroUsize>,
    /// Use only these operators, which the oldest release must have; repeatable
    #[arg(long, value_name = "OPERATOR")]
    operator: Vec<String>,
    /// Seconds to wait for one reply; lower it if an older release hangs in many trials
    #[arg(long, value_name = "SECONDS", default_value = "30")]
    timeout: String,
    /// Run only the releases that are needed to find where this cause comes or goes; leave the page unchanged
    #[arg(long, value_name = "CAUSE")]
    bisect: Option<String>,
}

pub(crate) fn run(arguments: &HistoryArgs) -> Result<(), String> {
    let root = crate::root();
    let adapter = Adapter::read(&root.join("adapters"), &arguments.name);
    let adapter = adapter.map_err(|error| error.to_string())?;
    let Some(package) = &adapter.package else {
        let name = &arguments.name;
        return Err(format!(
            "'{name}' has only one release: its backend is not a Python, cargo or npm package"
        ));
    };
    let releases = releases(arguments, package)?;
    println!("{} releases: {}", releases.len(), releases.join(", "));
    command("cargo", &["build", "--release", "--quiet"])?;
    let runs = Runs {
        name: &arguments.name,
        pinned: &package.pinned,
        operators: &arguments.operator,
        timeout: &arguments.timeout,
        program: root.join("target/release/reshape-conformance"),
        folder: root.join("target/history").join(&arguments.name),
    };
    fs::create_dir_all(&runs.folder).map_err(|error| format!("cannot make a folder: {error}"))?;
    match &arguments.bisect {
        Some(cause) => runs.bisect(&releases, cause),
        None => runs.page(&releases, &root.join("docs/history")),
    }
}

/// The releases to run, the oldest first.
fn releases(arguments: &HistoryArgs, package: &Package) -> Result<Vec<String>, String> {
    let pinned = &package.pinned;
    let mut releases = match arguments.releases.is_empty() {
        true => match package.registry {
            Registry::Python => published_by_pip(&package.name, pinned)?,
            Registry::Npm => published_by_npm(&package.name, pinned)?,
            Registry::Crates => published_on_crates_io(&package.name, pinned)?,
        },
        false => arguments.releases.clone(),
    };
    releases.retain(|release| release != pinned);
    releases.push(pinned.to_owned());
    match (
        arguments.last,
        arguments.releases.is_empty(),
        &arguments.bisect,
    ) {
        (Some(last), ..) => {
            releases.drain(..releases.len().saturating_sub(last.get()));
        }
        (None, true, None) => {
            return Err("name the releases: --releases A,B or --last N".to_owned());
        }
        (None, ..) => {}
    }
    Ok(releases)
}

/// The releases before the pinned one that pip can install here, the oldest first.
fn published_by_pip(package: &str, pinned: &str) -> Result<Vec<String>, String> {
    let listed = listed("python3", &["-m", "pip", "index", "versions", package])?;
    let text = String::from_utf8_lossy(&listed.stdout);
    let all = text
        .lines()
        .find_map(|line| line.strip_prefix("Available versions: "));
    let all = all.ok_or_else(|| unlisted("pip", package, &listed))?;
    let newest_first = all
        .split(", ")
        .skip_while(|release| *release != pinned)
        .skip(1);
    let mut releases: Vec<_> = newest_first.map(str::to_owned).collect();
    releases.reverse();
    Ok(releases)
}

/// Why there is no stream of a release.
enum Lacking {
    /// The release cannot be installed or run.
    NotAvailable(String),
    /// No release can run this request.
    WronglyAsked(String),
}

/// The releases on npm before the pinned one, without pre-releases, oldest first.
fn published_by_npm(package: &str, pinned: &str) -> Result<Vec<String>, String> {
    let listed = listed("npm", &["view", package, "versions", "--json"])?;
    let all: Vec<String> =
        serde_json::from_slice(&listed.stdout).map_err(|_| unlisted("npm", package, &listed))?;
    let before = all.into_iter().take_while(|release| release != pinned);
    Ok(before.filter(|release| !release.contains('-')).collect())
}

/// The releases in the index of crates.io before the pinned one, without yanked releases and pre-releases, oldest
/// first.
fn published_on_crates_io(package: &str, pinned: &str) -> Result<Vec<String>, String> {
    let package = package.to_ascii_lowercase();
    let part = |from, to| package.get(from..to).unwrap_or_default();
    let place = match package.len() {
        1 | 2 => package.len().to_string(),
        3 => format!("3/{}", part(0, 1)),
        _ => format!("{}/{}", part(0, 2), part(2, 4)),
    };
    let url = format!("https://index.crates.io/{place}/{package}");
    let listed = listed("curl", &["--silent", "--show-error", "--fail", &url])?;
    let text = String::from_utf8_lossy(&listed.stdout);
    let releases: Result<Vec<Value>, _> = text.lines().map(serde_json::from_str).collect();
    let releases = releases.ok().filter(|releases| !releases.is_empty());
    let releases = releases.ok_or_else(|| unlisted(&url, &package, &listed))?;
    let usable = releases.iter().filter(|release| release["yanked"] != true);
    let mut numbered: Vec<_> = usable
        .filter_map(|release| release["vers"].as_str())
        .filter_map(|release| Some((numbers(release)?, release)))
        .collect();
    numbered.sort();
    let before = numbered
        .into_iter()
        .take_while(|(numbers, _)| Some(numbers) < self::numbers(pinned).as_ref());
    Ok(before.map(|(_, release)| release.to_owned()).collect())
}

/// A release's three numbers; `None` for a pre-release.
fn numbers(release: &str) -> Option<[u64; 3]> {
    let (release, _) = release.split_once('+').unwrap_or((release, ""));
    let numbers: Result<Vec<u64>, _> = release.split('.').map(str::parse).collect();
    numbers.ok()?.try_into().ok()
}

/// The error that a registry does not list the releases of a package, with its client's message.
fn unlisted(registry: &str, package: &str, listed: &Output) -> String {
    let why = String::from_utf8_lossy(&listed.stderr);
    let why = why.trim();
    format!("{registry} does not list the releases of {package}: {why}")
}

/// The output of a registry's client.
fn listed(program: &str, arguments: &[&str]) -> Result<Output, String> {
    let listed = Command::new(program).args(arguments).output();
    listed.map_err(|error| format!("{program} did not start: {error}"))
}

/// The runs of one adapter's releases, each with its event stream.
struct Runs<'a> {
    name: &'a str,
    pinned: &'a str,
    operators: &'a [String],
    timeout: &'a str,
    program: PathBuf,
    folder: PathBuf,
}

impl Runs<'_> {
    /// The stream of a release. It runs what is left to do.
    fn stream(&self, release: &str) -> Result<PathBuf, Lacking> {
        let name = match release == self.pinned {
            true => self.name.to_owned(),
            false => format!("{}@{release}", self.name),
        };
        let program = self.program.to_string_lossy();
        command(&program, &["adapters", "install", &name]).map_err(Lacking::NotAvailable)?;
        let stream = self.folder.join(format!("{release}.jsonl"));
        let resumed = match stream.exists() {
            true => "--resume",
            false => "--events",
        };
        let mut run = Command::new(&self.program);
        run.args(["run", "--quiet", "--until-eof", "--adapter", &name, resumed]);
        run.arg(&stream).args(["--timeout", self.timeout]);
        for operator in self.operators {
            run.args(["--operator", operator]);
        }
        let (code, why) =
            ended(&mut run).map_err(|error| Lacking::NotAvailable(format!("its run: {error}")))?;
        match code {
            Some(code) if RUN_TO_ITS_END.contains(&code) => Ok(stream),
            Some(code) if WRONGLY_ASKED.contains(&code) => Err(Lacking::WronglyAsked(why)),
            Some(code) => {
                let what = format!("its run ended with exit code {code}: {why}");
                Err(Lacking::NotAvailable(what))
            }
            None => {
                let what = "its run was ended by a signal".to_owned();
                Err(Lacking::NotAvailable(what))
            }
        }
    }

    /// Runs every release, and writes the page of those that could run.
    fn page(&self, releases: &[String], folder: &Path) -> Result<(), String> {
        let (mut streams, mut not_available) = (Vec::new(), String::new());
        for release in releases {
            match self.stream(release) {
                Ok(stream) => streams.push(stream),
                Err(Lacking::WronglyAsked(why)) => return Err(why),
                Err(Lacking::NotAvailable(why)) => {
                    eprintln!("{}@{release}: not available: {why}", self.name);
                    not_available += &format!(
                        "- {release} is not available: `{}`\n",
                        why.replace('`', "'")
                    );
                }
            }
        }
        let page = folder.join(format!("{}.md", self.name));
        fs::create_dir_all(folder).map_err(|error| format!("cannot make a folder: {error}"))?;
        let mut render = Command::new(&self.program);
        render.args(["report", "render", "--quiet", "--history"]);
        render.arg(&page).args(&streams);
        let code = render.status().ok().and_then(|status| status.code());
        match code {
            Some(code) if RUN_TO_ITS_END.contains(&code) => {
                let rendered = fs::read_to_string(&page).unwrap_or_default();
                fs::write(&page, rendered + &not_available)
                    .map_err(|error| format!("cannot write {}: {error}", page.display()))?;
                println!(
                    "{}: {} of {} releases",
                    page.display(),
                    streams.len(),
                    releases.len()
                );
                Ok(())
            }
            _ => Err(format!("the page could not be written ({code:?})")),
        }
    }

    /// Finds by bisection two neighboring releases, only one of which has a cause.
    fn bisect(&self, releases: &[String], cause: &str) -> Result<(), String> {
        let has = |release: &String| match self.stream(release) {
            Ok(stream) => shows(&stream, cause),
            Err(Lacking::WronglyAsked(why)) => Err(why),
            Err(Lacking::NotAvailable(why)) => Err(format!(
                "{release} cannot be run: {why}; name others by --releases"
            )),
        };
        let (mut from, mut to) = (0, releases.len() - 1);
        let (at_first, at_last) = (has(&releases[from])?, has(&releases[to])?);
        let [first, last] = [&releases[from], &releases[to]];
        match (at_first, at_last) {
            (true, true) => return Err(format!("{cause} is in {first} and in {last}")),
            (false, false) => return Err(format!("{cause} is in neither {first} nor {last}")),
            _ => {}
        }
        while to - from > 1 {
            let middle = from.midpoint(to);
            match has(&releases[middle])? == at_first {
                true => from = middle,
                false => to = middle,
            }
        }
        let (before, after) = (&releases[from], &releases[to]);
        match at_first {
            true => println!("{cause}: until {before}, gone in {after}"),
            false => println!("{cause}: since {after}, not in {before}"),
        }
        Ok(())
    }
}

/// Runs a program that ends with this one, and shows its output. Returns its exit code, and the first error that it
/// names.
fn ended(program: &mut Command) -> std::io::Result<(Option<i32>, String)> {
    let mut child = program
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    // Open for as long as this process runs.
    let input = child.stdin.take();
    let mut why = None;
    for line in child
        .stderr
        .take()
        .into_iter()
        .flat_map(|of| BufReader::new(of).lines())
    {
        let line = line?;
        eprintln!("{line}");
        let error = line.strip_prefix("error: ").map(str::to_owned);
        why = why.or(error);
    }
    let status = child.wait()?;
    drop(input);
    let why = why.unwrap_or_else(|| "it does not say why".to_owned());
    Ok((status.code(), why))
}

/// Whether a trial of a stream fails for a cause.
fn shows(stream: &Path, cause: &str) -> Result<bool, String> {
    let text = fs::read_to_string(stream);
    let text = text.map_err(|error| format!("cannot read {}: {error}", stream.display()))?;
    let is_it = |line: &str| {
        let event: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
        event["known_failure_entry"]["cause"] == cause && event["verdict"] != "fixed"
    };
    Ok(text.lines().any(is_it))
}
