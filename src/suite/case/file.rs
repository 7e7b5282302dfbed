//! Case files: read as YAML or XML, by their ending.

use super::{Case, xml, yaml};
use crate::error::{Fault, Source};
use std::ops::Range;
use std::path::Path;

/// The maximum size of a case file, in bytes.
pub(crate) const MAX_FILE_BYTES: u64 = 16 << 20;

/// What could be read of a file of cases.
#[derive(Default)]
pub(crate) struct FileCases {
    /// The cases without a fault.
    pub(crate) whole: Vec<Case>,
    /// Cases of which it is known what they ask and expect, and something else is a fault. They are reviewed, and never run.
    pub(crate) faulty: Vec<Case>,
    /// The names of all cases, with their places.
    pub(crate) names: Vec<(String, Range<usize>)>,
    /// Every fault.
    pub(crate) faults: Vec<Fault>,
}

/// Reads the cases of one file, in the format of its ending. `sibling` reads a file beside it (the `.bin` of a real IR).
pub(crate) fn read_file(
    source: &Source,
    sibling: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> FileCases {
    let path = Path::new(&*source.file);
    let ending = path.extension().and_then(|ending| ending.to_str());
    match ending.map(str::to_ascii_lowercase).as_deref() {
        Some("yaml" | "yml") => yaml::read(source),
        Some("xml") => xml::read(source, sibling),
        _ => FileCases {
            faults: vec![not_a_case_file(source)],
            ..FileCases::default()
        },
    }
}

/// That the name of a file is not one of a case file.
pub(in crate::suite::case) fn not_a_case_file(source: &Source) -> Fault {
    let fault = Fault::new(source, 0..0, "not a case file");
    fault.hint("a case file ends in .yaml, .yml or .xml")
}
