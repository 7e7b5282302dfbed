//! Python: which one, and its packages by `uv` or `pip`.

use super::command::{Command, is_in_path};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A Python that runs here.
pub(super) struct Python {
    /// Its program.
    pub(super) path: PathBuf,
    /// Its version, such as 3.11.
    pub(super) version: (u32, u32),
}

/// The program that is stated, else of an active virtual environment, else the first in the PATH; or `None`.
pub(super) fn find_python(stated: Option<&Path>) -> Option<PathBuf> {
    let environment = std::env::var_os("VIRTUAL_ENV").filter(|value| !value.is_empty());
    let active = environment.map(|folder| program_in(Path::new(&folder)));
    let mut names = ["python3", "python"].into_iter();
    let in_path = names.find(|name| is_in_path(name));
    let path = stated.map(Path::to_path_buf);
    path.or(active.filter(|path| path.exists()))
        .or(in_path.map(PathBuf::from))
}

impl Python {
    /// That of [`find_python`], with its version. Fails when there is none, or it does not run.
    pub(super) fn choose(stated: Option<&Path>) -> Result<Self, String> {
        let path = find_python(stated).ok_or(
            "cannot be installed: there is no `python3` in the PATH; name a Python with --python",
        )?;
        let ask = "import sys; print(sys.version_info[0], sys.version_info[1])";
        let said = Command::new(&path).args(["-c", ask]).output();
        let numbers = said.as_deref().and_then(|text| text.trim().split_once(' '));
        let version = numbers.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        match version {
            Some(version) => Ok(Self { path, version }),
            None => Err(format!(
                "cannot be installed: {} is no Python that runs here; name another with --python",
                path.display()
            )),
        }
    }

    /// What installs packages: `uv` if it is there.
    pub(super) fn client(&self) -> &'static str {
        if is_in_path("uv") { "uv" } else { "pip" }
    }

    /// Makes an environment, and installs packages into it. Fails when a command fails.
    pub(super) fn install(
        &self,
        client: &str,
        environment: &Path,
        what: &[String],
        each: &mut dyn FnMut(&str),
    ) -> Result<(), String> {
        let has_pip = || Command::new(&self.path).args(["-c", "import pip"]);
        let is_uv = client == "uv";
        // To put a pip into the environment takes seconds.
        let is_bare = is_uv || has_pip().output().is_some();
        let bare = is_bare.then_some("--without-pip");
        let venv = Command::new(&self.path).args(["-m", "venv"]).args(bare);
        venv.args([environment]).run(each)?;
        let python = program_in(environment);
        let command = if is_uv {
            let uv = Command::new("uv").args(["pip", "install", "--python"]);
            let settings = uv_settings(&self.pip_settings());
            let with = |of: Command, (name, value): &(&str, String)| of.env(name, value);
            settings.iter().fold(uv.args([&python]), with)
        } else {
            let pip = match is_bare {
                true => Command::new(&self.path)
                    .args(["-m", "pip", "--python"])
                    .args([&python]),
                false => Command::new(&python).args(["-m", "pip"]),
            };
            // Python compiles what a shim imports when it imports it: to compile all takes half of the time.
            let install = [
                "install",
                "--no-input",
                "--disable-pip-version-check",
                "--no-compile",
            ];
            // Whoever installs into their home by default does not mean this.
            pip.args(install).env("PIP_USER", "0")
        };
        command.args(what).run(each)
    }

    /// pip's own settings, of its files and of the environment, by their names without a section.
    fn pip_settings(&self) -> BTreeMap<String, String> {
        let list = Command::new(&self.path).args(["-m", "pip", "config", "list"]);
        let mut settings = settings_in(&list.output().unwrap_or_default());
        // The environment is above the files, and there without pip, too.
        settings.extend(std::env::vars().filter_map(|(name, value)| {
            let name = name.strip_prefix("PIP_")?.to_lowercase();
            Some((name.replace('_', "-"), value))
        }));
        settings
    }
}

/// The Python of an environment.
fn program_in(environment: &Path) -> PathBuf {
    match cfg!(windows) {
        true => environment.join("Scripts").join("python.exe"),
        false => environment.join("bin").join("python"),
    }
}

/// The settings in the output of `pip config list`: lines such as `global.index-url='https://…'`. Those of the command
/// `install` are above the global ones.
fn settings_in(listed: &str) -> BTreeMap<String, String> {
    let mut settings = BTreeMap::new();
    for section in ["global", "install", ":env:"] {
        let lines = listed.lines().filter_map(|line| line.split_once('='));
        settings.extend(lines.filter_map(|(name, value)| {
            let name = name.strip_prefix(section)?.strip_prefix('.')?;
            let value = value.trim().trim_matches(['\'', '"']).replace("\\n", " ");
            Some((name.to_owned(), value))
        }));
    }
    settings
}

/// uv's variables for pip's settings, without those that are set already.
fn uv_settings(pip: &BTreeMap<String, String>) -> Vec<(&'static str, String)> {
    const NAMES: &[(&str, &str)] = &[
        ("index-url", "UV_DEFAULT_INDEX"),
        ("extra-index-url", "UV_INDEX"),
        ("find-links", "UV_FIND_LINKS"),
        ("no-index", "UV_NO_INDEX"),
        ("constraint", "UV_CONSTRAINT"),
        ("no-cache-dir", "UV_NO_CACHE"),
        ("cert", "SSL_CERT_FILE"),
        ("proxy", "ALL_PROXY"),
        ("trusted-host", "UV_INSECURE_HOST"),
        ("timeout", "UV_HTTP_TIMEOUT"),
        ("default-timeout", "UV_HTTP_TIMEOUT"),
    ];
    let named = NAMES.iter().filter_map(|(ours, theirs)| {
        let value = pip.get(*ours).filter(|value| !value.is_empty())?;
        // uv separates several folders by commas.
        let words: Vec<_> = value.split_whitespace().collect();
        let separator = if *ours == "find-links" { "," } else { " " };
        Some((*theirs, words.join(separator)))
    });
    // As pip does: the best of all indices, not the first that has the package.
    let several = pip.contains_key("extra-index-url");
    let strategy = several.then(|| ("UV_INDEX_STRATEGY", "unsafe-best-match".to_owned()));
    let all = named.chain(strategy);
    all.filter(|(name, _)| std::env::var_os(name).is_none())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_of_pip_are_those_of_uv() {
        let listed = "global.index-url='https://a/simple'\nglobal.find-links='/x\\n/y'\n\
                      install.index-url='https://b/simple'\n:env:.no-index='1'\nfreeze.timeout='10'\n";
        let settings = uv_settings(&settings_in(listed));
        let wanted = [
            ("UV_DEFAULT_INDEX", "https://b/simple"),
            ("UV_FIND_LINKS", "/x,/y"),
            ("UV_NO_INDEX", "1"),
        ];
        let wanted = wanted.map(|(name, value)| (name, value.to_owned()));
        assert_eq!(settings, wanted);
    }
}
