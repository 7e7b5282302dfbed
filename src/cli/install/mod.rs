//! Installing adapters. Only this folder and `backend/process` start processes.

mod command;
mod python;

use crate::backend::{Adapter, UNFINISHED};
use crate::error::Error;
use crate::report::number::counted;
use crate::report::progress::Bar;
use crate::report::style::err;
use command::{Command, is_in_path};
use python::Python;
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{fmt, fs};

/// The file in an installation that says what is installed: written last.
const INSTALLED: &str = "installed.txt";

/// How far an adapter is installed.
pub(super) enum State {
    /// As its manifest says, with this release of its backend where it is a package.
    Installed(Option<String>),
    /// By a manifest that pinned other packages.
    Outdated,
    /// An installation began and did not end.
    Unfinished,
    NotInstalled,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Installed(Some(release)) => write!(f, "installed: {release}"),
            Self::Installed(None) => f.write_str("installed"),
            Self::Outdated => f.write_str("installed, out of date"),
            Self::Unfinished => f.write_str("not complete"),
            Self::NotInstalled => f.write_str("not installed"),
        }
    }
}

/// The adapter of this name in a folder, installed in `dir`; `None` for the usual folder of installations.
pub(super) fn read(adapters: &Path, dir: Option<&Path>, name: &str) -> Result<Adapter, Error> {
    let adapter = Adapter::read(adapters, name)?;
    Ok(match dir {
        Some(dir) => adapter.installed_under(dir),
        None => adapter,
    })
}

/// The Python that is stated, else that of an active virtual environment, else the first in the PATH.
pub(super) fn find_python(stated: Option<&Path>) -> PathBuf {
    python::find_python(stated).unwrap_or_else(|| "python3".into())
}

/// How far it is installed.
pub(super) fn state(adapter: &Adapter) -> State {
    let folder = adapter.installed();
    match fs::read_to_string(folder.join(INSTALLED)) {
        _ if folder.join(UNFINISHED).exists() => State::Unfinished,
        Ok(recipe) if recipe == adapter.recipe() => {
            let pinned = adapter.package.as_ref().map(|of| of.pinned.clone());
            State::Installed(adapter.release.clone().or(pinned))
        }
        Ok(_) => State::Outdated,
        Err(_) => State::NotInstalled,
    }
}

/// Removes an installation, what is built for several, or the files of an earlier program. Whether there was one: any other
/// folder is left alone.
pub(super) fn remove(folder: &Path) -> Result<bool, Error> {
    let has = |file: &str| folder.join(file).exists();
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let is_ours = has(INSTALLED)
        || has(UNFINISHED)
        || name == "rust" && has("CACHEDIR.TAG")
        || name.starts_with(".built-in-");
    if is_ours {
        fs::remove_dir_all(folder).map_err(|why| Error::unwritable(folder, why))?;
    }
    Ok(is_ours)
}

/// Installs an adapter, unless it is installed already. What cargo and the like build is brought up to date in any case.
pub(super) fn install(adapter: &Adapter, python: Option<&Path>) -> Result<(), Error> {
    let folder = adapter.installed();
    let unwritable = |why| Error::unwritable(folder, why);
    adapter.unpack()?;
    fs::create_dir_all(folder).map_err(unwritable)?;
    // Two programs do not install the same adapter at the same time.
    let lock = folder.with_file_name(format!(".{}.lock", adapter.installation()));
    let lock = fs::File::create(&lock).map_err(|why| Error::unwritable(&lock, why))?;
    lock.lock().map_err(unwritable)?;
    let begun = Instant::now();
    let is_installed = matches!(state(adapter), State::Installed(_));
    let failed = |what: String| Error::AdapterStart {
        adapter: adapter.installation().to_owned(),
        what,
    };
    let done = run(adapter, python, is_installed);
    done.map_err(failed)?;
    let name = adapter.installation();
    err(match is_installed {
        true => format!("{name}: installed"),
        false => {
            let (folder, took) = (folder.display(), begun.elapsed().as_secs_f64());
            format!("{name}: installed into {folder} in {took:.1} s")
        }
    });
    Ok(())
}

/// Installs what is not installed, by the stated Python.
fn run(adapter: &Adapter, python: Option<&Path>, is_installed: bool) -> Result<(), String> {
    let folder = adapter.installed();
    let commands = adapter.install_commands();
    for command in &commands {
        let words = command.iter();
        let mut words = words.skip_while(|word| *word == "env" || word.contains('='));
        let program = words.next().ok_or("has an empty install command")?;
        if !is_in_path(program) {
            return Err(format!(
                "cannot be installed: it needs `{program}`, which is not in the PATH"
            ));
        }
    }
    let unfinished = folder.join(UNFINISHED);
    let path = folder.display();
    let cannot = |what, why| format!("cannot be installed: cannot {what} {path}: {why}");
    if !is_installed {
        // Too old a Python is found before anything is downloaded or cleared.
        let python = chosen_python(adapter, python)?;
        let entries = folder.read_dir();
        let is_empty = entries.is_ok_and(|mut entries| entries.next().is_none());
        if !is_empty && !remove(folder).map_err(|why| why.to_string())? {
            return Err(format!(
                "cannot be installed: {} is no installation of this program; remove it, or name another --dir",
                folder.display()
            ));
        }
        fs::create_dir_all(folder).map_err(|why| cannot("make", why))?;
        fs::write(&unfinished, "").map_err(|why| cannot("write into", why))?;
        if let Some(python) = python {
            install_packages(adapter, &python)?;
        }
    }
    if !commands.is_empty() {
        let bar = Bar::new(commands.len(), adapter.installation());
        let copied = copy_sources(adapter);
        copied.map_err(|why| cannot("copy the sources into", why))?;
        for (done, words) in commands.iter().enumerate() {
            bar.set(done);
            Command::of(words).run(&mut |line| bar.say(line))?;
        }
    }
    fs::write(folder.join(INSTALLED), adapter.recipe()).map_err(|why| cannot("write into", why))?;
    // It is the last file that goes.
    match unfinished.exists() {
        true => fs::remove_file(&unfinished).map_err(|why| cannot("write into", why)),
        false => Ok(()),
    }
}

/// The Python for the environment of an adapter; `None` if it needs none.
fn chosen_python(adapter: &Adapter, stated: Option<&Path>) -> Result<Option<Python>, String> {
    if adapter.python.is_empty() {
        return Ok(None);
    }
    let python = Python::choose(stated)?;
    match adapter.oldest_python {
        Some(oldest) if python.version < oldest => Err(format!(
            "cannot be installed: {} is Python {}.{}, and its packages need {}.{} or newer; name another with --python",
            python.path.display(),
            python.version.0,
            python.version.1,
            oldest.0,
            oldest.1
        )),
        Some(_) | None => Ok(Some(python)),
    }
}

/// Makes the environment of an adapter, with its packages: those of `requirements.txt`, by their checksums, if it has one.
fn install_packages(adapter: &Adapter, python: &Python) -> Result<(), String> {
    let name = adapter.installation();
    let locked = adapter.locked();
    let locked = locked.map_err(|why| format!("cannot be installed: {why}"))?;
    let (file, is_locked) = (adapter.requirements(), locked.is_some());
    let packages = locked.unwrap_or_else(|| adapter.python.clone());
    let what = match is_locked {
        true => vec![
            "--require-hashes".to_owned(),
            "--requirement".to_owned(),
            file.to_string_lossy().into_owned(),
        ],
        false => packages.clone(),
    };
    let bar = Bar::new(packages.len(), name);
    let client = python.client();
    let count = counted(packages.len(), "package");
    err(format!("{name}: installing {count} by {client}"));
    let mut done = 0;
    let installed = python.install(client, adapter.installed(), &what, &mut |line| {
        let words = ["Collecting ", "Downloaded ", "+ "];
        done += usize::from(words.iter().any(|word| line.trim_start().starts_with(word)));
        bar.set(done.min(packages.len()));
        bar.say(line);
    });
    installed.map_err(|why| {
        let elsewhere = match is_locked {
            true => format!("--require-hashes --requirement {}", file.display()),
            false => packages.join(" "),
        };
        format!(
            "{why}\nit needs {}. Without a network, download them elsewhere by `python3 -m pip download {elsewhere} --dest \
             FOLDER`, and set PIP_NO_INDEX=1 and PIP_FIND_LINKS=FOLDER here",
            packages.join(", ")
        )
    })
}

/// Copies an adapter that cargo builds, with its workspace. Manifests are renamed: a package holds no other package.
fn copy_sources(adapter: &Adapter) -> std::io::Result<()> {
    let Some(copy) = adapter.copy() else {
        return Ok(());
    };
    let (from, into) = (adapter.adapters(), copy.parent().unwrap_or(&copy));
    let name = copy.file_name().unwrap_or_default().to_string_lossy();
    fs::create_dir_all(into)?;
    for file in ["workspace.toml", "Cargo.lock", "shared-features", &name] {
        copy_changed(&from.join(file), &into.join(file), &|path, text| {
            changed(adapter, path, &text, &name)
        })?;
    }
    Ok(())
}

/// A source as it is built: its release, only this adapter in the workspace, and the path of the library.
fn changed(adapter: &Adapter, path: &Path, text: &str, name: &str) -> String {
    let tree = adapter.adapters().parent().unwrap_or(Path::new(""));
    let library = match adapter.is_built_in() {
        true => format!("version = \"={}\"", env!("CARGO_PKG_VERSION")),
        false => format!("path = {:?}", tree.display().to_string()),
    };
    let text = text.replace("path = \"../..\"", &library);
    let is_in = |folder: &str| path.components().any(|part| part.as_os_str() == folder);
    match (&adapter.package, &adapter.release) {
        _ if path.ends_with("workspace.toml") => {
            let (before, rest) = text.split_once("members = [").unwrap_or((&text, ""));
            let after = rest.split_once(']').map_or("", |(_, after)| after);
            format!("{before}members = [\"{name}\", \"shared-features\"]{after}")
        }
        (Some(package), Some(release)) if is_in(name) => text.replace(&package.pinned, release),
        _ => text,
    }
}

/// Copies a file or a folder; of each text, what `changed` makes of it. `package.toml` and `workspace.toml` become `Cargo.toml`.
fn copy_changed(
    from: &Path,
    into: &Path,
    changed: &dyn Fn(&Path, String) -> String,
) -> std::io::Result<()> {
    if from.is_dir() {
        fs::create_dir_all(into)?;
        for entry in from.read_dir()? {
            let name = entry?.file_name();
            if name != "target" {
                copy_changed(&from.join(&name), &into.join(&name), changed)?;
            }
        }
        return Ok(());
    }
    let into = match from.file_name().and_then(|name| name.to_str()) {
        Some("package.toml" | "workspace.toml") => into.with_file_name("Cargo.toml"),
        Some(_) | None => into.to_owned(),
    };
    match fs::read_to_string(from) {
        Ok(text) => {
            let text = changed(from, text);
            // What is as it was is not built anew.
            match fs::read_to_string(&into).is_ok_and(|there| there == text) {
                true => Ok(()),
                false => fs::write(into, text),
            }
        }
        Err(_) => Ok(()), // what is no text is nothing to build
    }
}
