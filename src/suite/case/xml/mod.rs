//! Cases in XML: documented OpenVINO layers in a `<cases>` file; and the Reshape layers of a real IR (`<net>`).
//!
//! `docs/cases.md` describes the format. A documented layer becomes the fields of a case in YAML, which are then read
//! and checked as in YAML. Reading neither panics nor recurses, whatever the text.

mod documented;
mod element;
#[cfg(feature = "cli")]
mod ir;
mod layer;
mod tree;

use crate::error::Source;
use crate::suite::case::FileCases;
use crate::yaml::Faults;
#[cfg(feature = "cli")]
pub(crate) use ir::reshapes;

/// Reads every case of a file.
pub(super) fn read(source: &Source) -> FileCases {
    let mut faults = Faults::new(source, "docs/cases.md");
    let mut cases = FileCases::default();
    let read = tree::parse(&source.text).and_then(|root| match root.name {
        "cases" => documented::read(&mut faults, &root, &mut cases),
        "net" => Err(root
            .fault("a model, and not a file of cases")
            .hint("`reshape-conformance import` reads its Reshapes as cases")),
        name => Err(root
            .fault(format!("the root is <{name}>"))
            .hint("a file of cases has the root <cases>")),
    });
    cases.faults = faults.found;
    let fault = read.err().map(|fault| element::in_file(fault, source));
    cases.faults.extend(fault);
    cases.faults.sort_by_key(|fault| fault.span.start);
    cases
}

#[cfg(test)]
mod tests {
    use super::{Source, ir, read, tree};

    /// Any text and weights are read, or refused at a place, and another parser agrees on what is well-formed.
    #[test]
    fn mutated_irs_and_their_weights_are_read_or_refused() {
        let files: [&[u8]; 3] = [
            include_bytes!("../../../../tests/fixtures/reshape-ir.xml"),
            include_bytes!("../../../../cases/openvino-examples.xml"),
            include_bytes!("../../../../cases/openvino-errors.xml"),
        ];
        crate::mutations::of(&files, |bytes| {
            let text = String::from_utf8_lossy(bytes);
            // Weights that are too short, too long, and absent.
            let length = bytes.len() % 40;
            let source = Source::new("model.xml", &text);
            let weights = || match length {
                0 => Err("absent".to_owned()),
                length => Ok(bytes[..length].to_vec()),
            };
            let of_ir = ir::reshapes(&source, &weights).err();
            let mut found = read(&source);
            found.faults.extend(of_ir);
            let cases = found.whole.iter().map(|case| &case.span);
            let faults = found.faults.iter();
            let faults = faults.inspect(|of| assert!(!of.message.is_empty()));
            let mut spans = cases.chain(faults.map(|fault| &fault.span));
            assert!(spans.all(|span| text.get(span.clone()).is_some()));
            // `...` is taken on purpose, a DOCTYPE never. roxmltree takes processing instructions of any name.
            let ours = tree::parse(&text);
            let theirs = roxmltree::Document::parse(&text);
            let begins = text.starts_with("<?xml version=\"1.0\"?>");
            let is_stricter =
                text.contains("<!D") || text.matches("<?").count() != usize::from(begins);
            let agrees = match (&ours, &theirs) {
                (Ok(_), Err(_)) => text.contains("..."),
                (Err(_), Ok(_)) => is_stricter,
                (Ok(_), Ok(_)) | (Err(_), Err(_)) => true,
            };
            assert!(agrees, "{ours:?} {theirs:?}");
        });
    }
}
