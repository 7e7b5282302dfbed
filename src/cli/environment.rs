//! Environment variables of a run: the number of its part, a test runner's files, and the CI job.

use crate::error::Error;
use crate::event::Job;
use crate::names::Joined;
use crate::suite::partition::Partition;
use std::path::PathBuf;

/// Variables with the number of a job's part, each with the variable that holds the first number if that is not 0.
const INDICES: &[(&str, Option<&str>)] = &[
    // A Kubernetes indexed Job.
    ("JOB_COMPLETION_INDEX", None),
    // A Slurm array.
    ("SLURM_ARRAY_TASK_ID", Some("SLURM_ARRAY_TASK_MIN")),
];

/// Variables with the commit under test: of GitHub, GitLab, Buildkite, Bitbucket and Jenkins.
const COMMITS: &[&str] = &[
    "GITHUB_SHA",
    "CI_COMMIT_SHA",
    "BUILDKITE_COMMIT",
    "BITBUCKET_COMMIT",
    "GIT_COMMIT",
];
/// Variables with the address of the job's page: of GitLab, Buildkite and Jenkins.
const JOB_LINKS: &[&str] = &["CI_JOB_URL", "BUILDKITE_BUILD_URL", "BUILD_URL"];

/// The value of `--partition`: `hash:1/3`, or `hash:/3` with the number of the part from the job's environment.
#[derive(Debug, Clone)]
pub(super) struct PartitionArg(String);

impl std::str::FromStr for PartitionArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // Checked with some number in place of the missing one.
        text.replacen(":/", ":1/", 1).parse::<Partition>()?;
        Ok(Self(text.to_owned()))
    }
}

impl PartitionArg {
    /// The partition, with its number.
    pub(super) fn partition(&self) -> Result<Partition, Error> {
        if !self.0.contains(":/") {
            return self.0.parse().map_err(Error::Usage);
        }
        let Some((index, name)) = index()? else {
            let names = INDICES.iter().map(|(name, _)| name).joined(" or ");
            return Err(Error::Usage(format!(
                "--partition {} takes its number from {names}, but neither is set",
                self.0
            )));
        };
        let number = format!(":{}/", index.saturating_add(1));
        let numbered = self.0.replacen(":/", &number, 1).parse();
        numbered.map_err(|why| Error::Usage(format!("{name}: {why}")))
    }
}

/// The number of this part, from 0, and its variable.
fn index() -> Result<Option<(u64, &'static str)>, Error> {
    for (name, first) in INDICES {
        if let Some(index) = number(name)? {
            let first = first.map(number).transpose()?.flatten().unwrap_or(0);
            return Ok(Some((index.saturating_sub(first), name)));
        }
    }
    Ok(None)
}

fn number(name: &str) -> Result<Option<u64>, Error> {
    let Ok(text) = std::env::var(name) else {
        return Ok(None);
    };
    let why = |_| Error::Usage(format!("{name} is '{text}', which is not a number"));
    text.parse().map(Some).map_err(why)
}

/// The shard that Bazel requests, if it does. Bazel expects that a program with support for shards touches a file.
pub(super) fn bazel_shard() -> Result<Option<Partition>, Error> {
    let Some(total) = number("TEST_TOTAL_SHARDS")?.filter(|total| *total > 0) else {
        return Ok(None);
    };
    let index = number("TEST_SHARD_INDEX")?.unwrap_or(0);
    if let Some(path) = std::env::var_os("TEST_SHARD_STATUS_FILE").map(PathBuf::from) {
        std::fs::write(&path, "").map_err(|why| Error::unwritable(&path, why))?;
    }
    let part = Partition::slice(index.saturating_add(1), total);
    let why = || Error::Usage(format!("TEST_SHARD_INDEX is {index}, of {total} shards"));
    part.map(Some).ok_or_else(why)
}

/// The file for Bazel's JUnit XML.
pub(super) fn bazel_junit() -> Option<PathBuf> {
    std::env::var_os("XML_OUTPUT_FILE").map(PathBuf::from)
}

/// The job of the CI service that runs this.
pub(super) fn job() -> Job {
    let set = |name: &&str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let github = ["GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID"];
    let link = match github.map(|name| set(&name)) {
        [Some(server), Some(repository), Some(run)] => {
            Some(format!("{server}/{repository}/actions/runs/{run}"))
        }
        _ => JOB_LINKS.iter().find_map(set),
    };
    Job {
        commit: COMMITS.iter().find_map(set),
        link,
    }
}
