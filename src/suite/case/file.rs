//! Case files: read as YAML or XML, by their file name's ending.

use super::definition::FileCases;
use super::yaml::format::not_a_case_file;
use super::{xml, yaml};
use crate::error::Source;
use std::path::Path;

/// The maximum size of a case file, in bytes.
pub(crate) const MAX_FILE_BYTES: u64 = 16 << 20;

/// Reads the cases of one file, in the format of its ending.
pub(crate) fn read_file(source: &Source) -> FileCases {
    let path = Path::new(&*source.file);
    let ending = path.extension().and_then(|ending| ending.to_str());
    match ending.map(str::to_ascii_lowercase).as_deref() {
        Some("yaml" | "yml") => yaml::read(source),
        Some("xml") => xml::read(source),
        _ => FileCases {
            faults: vec![not_a_case_file(source)],
            ..FileCases::default()
        },
    }
}
