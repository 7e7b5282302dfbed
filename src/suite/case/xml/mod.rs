//! Cases in XML: documented OpenVINO layers in a `<cases>` file, and the Reshape layers of a real IR (`<net>`).
//!
//! `docs/cases.md` describes the format. A documented layer becomes the fields of a case in YAML, which are then read
//! and checked as in YAML. Reading neither panics nor recurses, whatever the text.

mod documented;
mod element;
mod ir;
mod layer;
#[cfg(test)]
mod tests;
mod tree;

use crate::error::Source;
use crate::suite::case::FileCases;
use crate::yaml::Faults;
use element::XmlFault;
#[cfg(feature = "cli")]
pub(crate) use ir::reshapes;

/// Reads every case of a file. `sibling` reads a file next to it, by its name.
pub(super) fn read(
    source: &Source,
    sibling: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> FileCases {
    let mut faults = Faults::new(source, "docs/cases.md");
    let mut cases = FileCases::default();
    let read = tree::parse(&source.text).and_then(|root| match root.name {
        "cases" => documented::read(&mut faults, &root, &mut cases),
        "net" => ir::read(source, &root, sibling, &mut cases),
        name => Err(
            XmlFault::new(root.span.clone(), format!("the root is <{name}>"))
                .hint("a file of cases has the root <cases>, a real IR the root <net>"),
        ),
    });
    cases.faults = faults.found;
    cases
        .faults
        .extend(read.err().map(|fault| fault.at(source)));
    cases.faults.sort_by_key(|fault| fault.span.start);
    cases
}
