//! `cargo xtask reproduce`: runs the reproducers of an adapter's causes, each in the backend's own API without the
//! suite.
//!
//! The last line of a reproducer is its result: it begins with `reproduced` or with `not reproduced`. A reproducer that
//! ends its own process prints `reproduced if the process ends here` before that. Any other last line means that it
//! could not run.

use reshape_conformance::backend::{Adapter, known_adapters};
use std::fs::File;
use std::io::Read;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The time limit of a reproducer, including its compilation.
const LIMIT: Duration = Duration::from_secs(900);

/// Runs the reproducers of these adapters, or of all installed ones; with a cause, only the reproducer of that cause.
pub(crate) fn run(names: &[String], wanted: Option<&str>) -> Result<(), String> {
    let folder = crate::root().join("adapters");
    let all = known_adapters(&folder);
    let names = if names.is_empty() { &all } else { names };
    let (mut reproduced, mut others) = (0, Vec::new());
    for name in names {
        let adapter = Adapter::read(&folder, name).map_err(|error| error.to_string())?;
        let causes = adapter.causes().map_err(|error| error.to_string())?;
        for cause in causes {
            if wanted.is_some_and(|wanted| wanted != cause) {
                continue;
            }
            let result = match adapter.reproducer(&cause) {
                _ if !adapter.installed().join("installed.txt").exists() => {
                    format!(
                        "cannot run: run `cargo run --release -- adapters install {name}` first"
                    )
                }
                Some(command) => result(command)?,
                None => "cannot run: the manifest has no `reproduce`".to_owned(),
            };
            println!("{name} {cause}\n    {result}");
            match result.starts_with("reproduced") {
                true => reproduced += 1,
                false => others.push(format!("{name} {cause}")),
            }
        }
    }
    if reproduced == 0 && others.is_empty() {
        return Err("no known failure has this cause".to_owned());
    }
    println!(
        "{reproduced} of {} causes reproduced",
        reproduced + others.len()
    );
    match others.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "not reproduced, or cannot run: {}",
            others.join(", ")
        )),
    }
}

/// The result of a reproducer, in a line.
fn result(mut command: Command) -> Result<String, String> {
    let file = std::env::temp_dir().join(format!("reproduce-{}.txt", std::process::id()));
    let place = |error: std::io::Error| format!("{}: {error}", file.display());
    let output = File::create(&file).map_err(place)?;
    let errors = output.try_clone().map_err(place)?;
    let child = command
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors)
        .spawn();
    let ended = child
        .map_err(|error| format!("{command:?} did not start: {error}"))
        .and_then(wait);
    let mut text = Vec::new();
    File::open(&file)
        .and_then(|mut file| file.read_to_end(&mut text))
        .map_err(place)?;
    std::fs::remove_file(&file).map_err(place)?;
    let text = String::from_utf8_lossy(&text);
    Ok(match ended {
        Ok(status) => in_words(&text, status),
        Err(why) => format!("cannot run: {why}"),
    })
}

/// The last line of its result.
fn in_words(text: &str, status: ExitStatus) -> String {
    let description =
        |line: &&str| line.starts_with("reproduced") || line.starts_with("not reproduced");
    let last = text.lines().map(str::trim_end).rfind(description);
    match last {
        Some(line) if line.starts_with("reproduced if ") && status.success() => {
            "not reproduced: the process went on".to_owned()
        }
        Some(line) if line.starts_with("reproduced if ") => format!("reproduced: {status}"),
        Some(line) => line.to_owned(),
        None => {
            let last = text.lines().rfind(|line| !line.trim().is_empty());
            format!(
                "cannot run ({status}): {}",
                last.unwrap_or("it printed nothing")
            )
        }
    }
}

fn wait(mut child: std::process::Child) -> Result<ExitStatus, String> {
    let begun = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if begun.elapsed() < LIMIT => std::thread::sleep(Duration::from_millis(20)),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("no end after {} s", LIMIT.as_secs()));
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}
