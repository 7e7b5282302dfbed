//! `adapters`: lists the adapters, and installs or removes what they need.

use super::interrupt::waiting;
use super::question::{ask, is_attended};
use super::{exit_code, install};
use crate::backend::{Adapter, find_adapters_folder, known_adapters};
use crate::error::Error;
use crate::report::style::{DIM, err, out, paint};
use crate::suite::entries;
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = false)]
pub(super) struct AdaptersArgs {
    #[command(subcommand)]
    command: Option<AdaptersCommand>,
    /// The folder that holds the adapters [default: the nearest folder `adapters`, here or in a folder above; without one,
    /// the adapters of this program]
    #[arg(long, value_name = "FOLDER", global = true)]
    adapters: Option<PathBuf>,
    /// The folder into which adapters are installed [default: RESHAPE_CONFORMANCE_DIR, else target/adapters next to a folder
    /// `adapters`, else the user's cache folder]
    #[arg(long, value_name = "FOLDER", global = true)]
    dir: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum AdaptersCommand {
    /// List the adapters, and what is installed, as without a command
    List,
    /// Install what adapters need, pinned
    Install(InstallArgs),
    /// Remove installations
    Remove {
        /// The adapters, each with `@VERSION` if it is of another release
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
    /// Print the folder of an installation, or of all
    Path {
        /// The adapter
        name: Option<String>,
    },
    /// Remove every installation, and what was built for them
    Clean,
}

#[derive(Debug, Args)]
struct InstallArgs {
    /// The adapters; NAME@VERSION is one with another release of its backend, installed in addition
    #[arg(required = true, value_name = "NAME[@VERSION]")]
    names: Vec<String>,
    /// The Python for the adapters' environments [default: that of an active virtual environment, else `python3` in the PATH]
    #[arg(long, value_name = "PATH")]
    python: Option<PathBuf>,
}

pub(super) fn run(arguments: &AdaptersArgs) -> Result<u8, Error> {
    match &arguments.command {
        None | Some(AdaptersCommand::List) => arguments.list()?,
        Some(AdaptersCommand::Install(install)) => {
            let read = |name: &String| arguments.read(name);
            let adapters: Vec<_> = install.names.iter().map(read).collect::<Result<_, _>>()?;
            for adapter in adapters {
                install::install(&adapter, install.python.as_deref())?;
            }
        }
        Some(AdaptersCommand::Remove { names }) => {
            for name in names {
                match install::remove(arguments.read(name)?.installed())? {
                    true => out(format!("{name}: removed")),
                    false => out(format!("{name}: is not installed")),
                }
            }
        }
        Some(AdaptersCommand::Path { name: Some(name) }) => {
            out(arguments.read(name)?.installed().display());
        }
        Some(AdaptersCommand::Path { name: None }) => out(arguments.installations()?.display()),
        Some(AdaptersCommand::Clean) => {
            for path in entries(&arguments.installations()?).unwrap_or_default() {
                if install::remove(&path)? {
                    out(format!("removed {}", path.display()));
                }
            }
        }
    }
    Ok(exit_code::AS_EXPECTED)
}

impl AdaptersArgs {
    fn folder(&self) -> PathBuf {
        self.adapters.clone().unwrap_or_else(find_adapters_folder)
    }

    fn read(&self, name: &str) -> Result<Adapter, Error> {
        install::read(&self.folder(), self.dir.as_deref(), name)
    }

    /// The folder of all installations.
    fn installations(&self) -> Result<PathBuf, Error> {
        let names = known_adapters(&self.folder());
        let adapter = self.read(names.first().map_or("", String::as_str))?;
        let folder = adapter.installed().parent();
        Ok(folder.map(Path::to_path_buf).unwrap_or_default())
    }

    /// Prints every adapter, with what is installed of it.
    fn list(&self) -> Result<(), Error> {
        let installations = self.installations()?;
        let mut names = known_adapters(&self.folder());
        let known = names.clone();
        let installed = entries(&installations).unwrap_or_default();
        names.extend(installed.iter().filter_map(|path| {
            let name = path.file_name()?.to_str()?;
            let (adapter, _) = name.split_once('@')?;
            let is_known = known.iter().any(|of| of == adapter);
            is_known.then(|| name.to_owned())
        }));
        names.sort();
        for name in names {
            let adapter = self.read(&name)?;
            let state = format!("{name:24} {:24}", install::state(&adapter).to_string());
            out(format!("{state} {}", paint(DIM, &adapter.about)));
        }
        err(format!(
            "`adapters install NAME` installs one into {}",
            installations.display()
        ));
        Ok(())
    }
}

/// Asks on a terminal whether to install an adapter that is not available, and installs it.
pub(super) fn offer(adapter: &Adapter) -> Result<(), Error> {
    if adapter.is_available() || !is_attended() {
        return Ok(());
    }
    let (name, folder) = (adapter.installation(), adapter.installed().display());
    let needs = match &adapter.python[..] {
        [] => String::new(),
        packages => format!(" ({} and what they depend on)", packages.join(", ")),
    };
    // No flag ends this wait, nor what an installation runs. Who sees the question may press Ctrl-C.
    waiting(|| {
        let question = format!(
            "the adapter '{name}' is not installed. Install it{needs} into {folder}? [Y/n] "
        );
        let answer = ask(&question).map(|answer| answer.to_lowercase());
        match answer.as_deref() {
            Some("" | "y" | "yes") => install::install(adapter, None),
            Some(_) | None => Ok(()),
        }
    })
}
