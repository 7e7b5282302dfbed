//! What a run takes from its environment: which shard it is, and where a test runner wants its files.

use crate::error::Error;
use crate::suite::partition::Partition;
use std::path::PathBuf;

/// Variables that number the parts of a job, each with the number of its first.
const INDICES: &[(&str, Option<&str>)] = &[
    // A Kubernetes indexed Job.
    ("JOB_COMPLETION_INDEX", None),
    // A Slurm array.
    ("SLURM_ARRAY_TASK_ID", Some("SLURM_ARRAY_TASK_MIN")),
];

/// What `--partition` says: `hash:1/3`, or `hash:/3` with the part's number from the job's environment.
#[derive(Debug, Clone)]
pub(super) struct PartitionArg(String);

impl std::str::FromStr for PartitionArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // With some number in its place, it has to be right.
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
            let names: Vec<_> = INDICES.iter().map(|(name, _)| *name).collect();
            return Err(Error::Usage(format!(
                "--partition {} takes its number from {}, and none is set",
                self.0,
                names.join(" or ")
            )));
        };
        let numbered = self
            .0
            .replacen(":/", &format!(":{}/", index.saturating_add(1)), 1);
        numbered
            .parse()
            .map_err(|why| Error::Usage(format!("{name}: {why}")))
    }
}

/// The number of this part, from 0, and the variable that says so.
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
    text.parse()
        .map(Some)
        .map_err(|_| Error::Usage(format!("{name} is '{text}', which is no number")))
}

/// The shard that Bazel asks for; it is told that we honour it.
pub(super) fn bazel_shard() -> Result<Option<Partition>, Error> {
    let Some(total) = number("TEST_TOTAL_SHARDS")?.filter(|total| *total > 0) else {
        return Ok(None);
    };
    let index = number("TEST_SHARD_INDEX")?.unwrap_or(0);
    if let Some(path) = std::env::var_os("TEST_SHARD_STATUS_FILE").map(PathBuf::from) {
        std::fs::write(&path, "").map_err(|why| Error::unwritable(&path, why))?;
    }
    let part = Partition::slice(index.saturating_add(1), total);
    part.map(Some)
        .ok_or_else(|| Error::Usage(format!("TEST_SHARD_INDEX is {index}, of {total} shards")))
}

/// Where Bazel wants JUnit XML.
pub(super) fn bazel_junit() -> Option<PathBuf> {
    std::env::var_os("XML_OUTPUT_FILE").map(PathBuf::from)
}
