//! XML case files: documented layers or a real IR, by the root element.

use super::case::XmlCase;
use super::fault::XmlFault;
use super::tree::{parse, root_name};
use super::{documented, ir};
use crate::error::{Fault, Source};
use crate::suite::case::Case;
use std::path::Path;

/// Reads every case of a file. `sibling` reads a file beside it, by its name.
pub(in crate::suite::case) fn read(
    source: &Source,
    sibling: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> (Vec<Case>, Vec<Fault>) {
    let (mut cases, mut faults) = (Vec::new(), Vec::new());
    let stated = stated(source, sibling).unwrap_or_else(|fault| vec![Err(vec![fault])]);
    for case in stated {
        match case.and_then(|case| case.looked_up(source)) {
            Ok(case) => cases.push(case),
            Err(found) => faults.extend(found.into_iter().map(|fault| fault.at(source))),
        }
    }
    (cases, faults)
}

/// The cases as the file states them, each with all its faults.
fn stated(
    source: &Source,
    sibling: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<Vec<Result<XmlCase, Vec<XmlFault>>>, XmlFault> {
    let stem = Path::new(&*source.file)
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    let root = parse(&source.text)?;
    if root_name(&source.text) == Some("net") {
        let cases = ir::read(&root, stem, || sibling(&format!("{stem}.bin")))?;
        Ok(cases.into_iter().map(Ok).collect())
    } else {
        documented::read(&root)
    }
}
