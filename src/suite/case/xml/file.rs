//! XML case files: documented layers or a real IR, by the root element.

use super::tree::{parse, root_name};
use super::{documented, ir};
use crate::error::{Fault, Source};
use crate::suite::case::Case;
use std::path::Path;

/// Reads every case of a file. `sibling` reads a file beside it, by its name.
pub(in crate::suite::case) fn read(
    source: &Source,
    sibling: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<Vec<Case>, Vec<Fault>> {
    let stem = Path::new(&*source.file)
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    let cases = parse(&source.text).and_then(|root| {
        if root_name(&source.text) == Some("net") {
            ir::read(&root, stem, || sibling(&format!("{stem}.bin")))
        } else {
            documented::read(&root)
        }
    });
    let cases = cases.map_err(|fault| vec![fault.at(source)])?;
    let (mut read, mut faults) = (Vec::with_capacity(cases.len()), Vec::new());
    for case in cases {
        match case.looked_up(source) {
            Ok(case) => read.push(case),
            Err(fault) => faults.push(fault.at(source)),
        }
    }
    if faults.is_empty() {
        Ok(read)
    } else {
        Err(faults)
    }
}
