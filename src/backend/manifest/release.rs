//! The package of an adapter that can have other releases than the pinned one.

use super::built_in;
use crate::error::Error;
use std::path::Path;

/// The package that is an adapter's backend.
#[derive(Debug, Clone)]
pub struct Package {
    /// Its name in its registry.
    pub name: String,
    /// The release that is pinned.
    pub pinned: String,
    /// Where it comes from.
    pub registry: Registry,
}

/// The registry of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registry {
    /// A Python package.
    Python,
    /// A crate, with which cargo builds the adapter.
    Crates,
    /// An npm package.
    Npm,
}

impl Package {
    /// The package of a manifest: its first Python package, unless that is only a tool. Otherwise what its commands
    /// install with npm as `NAME@RELEASE`; otherwise the first crate that the package.toml next to the manifest pins by
    /// `=`.
    pub(super) fn of(
        adapter: &str,
        python: &[String],
        commands: &[Vec<String>],
        folder: &Path,
    ) -> Option<Self> {
        let named = |name: &str, pinned: &str, registry| Self {
            name: name.to_owned(),
            pinned: pinned.to_owned(),
            registry,
        };
        let first = python.first().and_then(|package| package.split_once("=="));
        if let Some((name, pinned)) = first.filter(|(name, _)| adapter.starts_with(name)) {
            return Some(named(name, pinned, Registry::Python));
        }
        let by_npm = commands.iter();
        let by_npm =
            by_npm.filter(|command| command.first().is_some_and(|program| program == "npm"));
        let mut by_npm = by_npm.flatten().filter_map(|word| word.rsplit_once('@'));
        if let Some((name, pinned)) = by_npm.find(|(name, _)| !name.is_empty()) {
            return Some(named(name, pinned, Registry::Npm));
        }
        let source = built_in::read(&folder.join("package.toml")).ok()??;
        let (before, after) = source.text.split_once("\"=")?;
        let name = before.lines().last()?.split(' ').next()?;
        Some(named(name, after.split('"').next()?, Registry::Crates))
    }

    /// Checks that a text can be the name of a release. Fails when it is empty, or has a character that none has.
    pub(super) fn check(&self, release: &str) -> Result<(), Error> {
        let is_release = |byte: u8| byte.is_ascii_alphanumeric() || b".+-_".contains(&byte);
        if release.is_empty() || !release.bytes().all(is_release) {
            let why = format!("'{release}' cannot be a release of {}", self.name);
            return Err(Error::Usage(why));
        }
        Ok(())
    }

    /// The Python packages of an adapter with this release of its backend. The others have matching releases; tools
    /// that build a crate stay unchanged.
    pub(super) fn python(&self, release: &str, packages: &[String]) -> Vec<String> {
        if self.registry != Registry::Python {
            return packages.to_vec();
        }
        let others = packages.iter().skip(1);
        let others = others.map(|package| package.split("==").next().unwrap_or(package).to_owned());
        let own = std::iter::once(format!("{}=={release}", self.name));
        own.chain(others).collect()
    }

    /// The commands that install an adapter, with this release of its backend if that is an npm package.
    pub(super) fn commands(&self, release: &str, commands: &mut [Vec<String>]) {
        let pinned = format!("{}@{}", self.name, self.pinned);
        let words = commands.iter_mut().flatten();
        for word in words.filter(|word| **word == pinned) {
            *word = format!("{}@{release}", self.name);
        }
    }
}
