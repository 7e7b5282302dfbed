//! XML case files: documented layers or a real IR, by the root element.

use super::element::XmlFault;
use super::tree::{parse, root_name};
use super::{documented, ir};
use crate::error::Source;
use crate::suite::case::lookup::is_case_name;
use crate::suite::case::{Case, FileCases};
use std::path::Path;

/// Reads every case of a file. `sibling` reads a file beside it, by its name.
pub(in crate::suite::case) fn read(
    source: &Source,
    sibling: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> FileCases {
    let mut cases = FileCases::default();
    let stated = stated(source, sibling).unwrap_or_else(|fault| vec![(None, vec![fault])]);
    for (stated, mut faults) in stated {
        if let Some(stated) = stated {
            if is_case_name(&stated.name) {
                let name = (stated.name.clone(), stated.name_span.clone());
                cases.names.push(name);
            }
            let case = stated.looked_up(source, &mut faults);
            match faults.is_empty() {
                true => cases.whole.extend(case),
                false => cases.faulty.extend(case.and_then(Case::reviewable)),
            }
        }
        let faults = faults.into_iter().map(|fault| fault.at(source));
        cases.faults.extend(faults);
    }
    cases
}

/// The cases as the file states them, as far as they could be read, each with all its faults.
fn stated(
    source: &Source,
    sibling: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<Vec<documented::Stated>, XmlFault> {
    let stem = Path::new(&*source.file)
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    let root = parse(&source.text)?;
    if root_name(&source.text) == Some("net") {
        let cases = ir::read(&root, stem, || sibling(&format!("{stem}.bin")))?;
        Ok(cases
            .into_iter()
            .map(|case| (Some(case), Vec::new()))
            .collect())
    } else {
        documented::read(&root)
    }
}
