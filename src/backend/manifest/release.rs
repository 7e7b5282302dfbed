//! The package of which an adapter can have other releases than the pinned one.

use crate::error::Error;
use std::path::Path;

/// The package that is an adapter's backend.
#[derive(Debug, Clone)]
pub struct Package {
    /// Its name in its registry.
    pub name: String,
    /// The release that is pinned.
    pub pinned: String,
    /// Whether it is a crate, with which cargo builds the adapter; otherwise it is a Python package.
    pub is_crate: bool,
}

impl Package {
    /// The first Python package of a manifest, unless it is only a tool; else the first crate that the Cargo.toml
    /// beside the manifest pins by `=`.
    pub(super) fn of(adapter: &str, python: &[String], folder: &Path) -> Option<Self> {
        let named = |name: &str, pinned: &str, is_crate| Self {
            name: name.to_owned(),
            pinned: pinned.to_owned(),
            is_crate,
        };
        let first = python.first().and_then(|package| package.split_once("=="));
        if let Some((name, pinned)) = first.filter(|(name, _)| adapter.starts_with(name)) {
            return Some(named(name, pinned, false));
        }
        let text = std::fs::read_to_string(folder.join("Cargo.toml")).ok()?;
        let (before, after) = text.split_once("\"=")?;
        let name = before.lines().last()?.split(' ').next()?;
        Some(named(name, after.split('"').next()?, true))
    }

    /// Checks that a text can be the name of a release.
    ///
    /// # Errors
    /// When it is empty, or has a letter in it that no release has.
    pub(super) fn check(&self, release: &str) -> Result<(), Error> {
        let is_release = |byte: u8| byte.is_ascii_alphanumeric() || b".+-_".contains(&byte);
        if release.is_empty() || !release.bytes().all(is_release) {
            let name = &self.name;
            return Err(Error::Usage(format!("'{release}' is no release of {name}")));
        }
        Ok(())
    }

    /// The Python packages of an adapter with this release of its backend: the others in the releases that suit it,
    /// or as they are, where they are tools that build a crate.
    pub(super) fn python(&self, release: &str, packages: &[String]) -> Vec<String> {
        if self.is_crate {
            return packages.to_vec();
        }
        let others = packages.iter().skip(1);
        let others = others.map(|package| package.split("==").next().unwrap_or(package).to_owned());
        [format!("{}=={release}", self.name)]
            .into_iter()
            .chain(others)
            .collect()
    }
}
