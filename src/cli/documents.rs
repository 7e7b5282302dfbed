//! `docs`: prints the documents, which an installed program has nowhere else.

use super::exit_code;
use crate::error::{Error, as_started};
use crate::report::style::{out, whole};
use clap::Args;
use clap::builder::PossibleValuesParser;

/// The documents, by the names of their files in `docs/`.
const DOCUMENTS: [(&str, &str); 11] = [
    ("adapters", include_str!("../../docs/adapters.md")),
    ("cases", include_str!("../../docs/cases.md")),
    ("diagnosis", include_str!("../../docs/diagnosis.md")),
    ("events", include_str!("../../docs/events.md")),
    ("exchange", include_str!("../../docs/exchange.md")),
    ("gate", include_str!("../../docs/gate.md")),
    (
        "known-failures",
        include_str!("../../docs/known-failures.md"),
    ),
    ("oracle", include_str!("../../docs/oracle.md")),
    ("protocol", include_str!("../../docs/protocol.md")),
    ("reports", include_str!("../../docs/reports.md")),
    ("search", include_str!("../../docs/search.md")),
];

/// Print a document of this version, such as docs/gate.md, or list the documents
#[derive(Debug, Args)]
pub(super) struct DocsArgs {
    /// The document
    #[arg(value_parser = PossibleValuesParser::new(DOCUMENTS.map(|(name, _)| name)))]
    name: Option<String>,
}

pub(super) fn run(arguments: &DocsArgs) -> Result<u8, Error> {
    let program = as_started("reshape-conformance");
    for (name, text) in DOCUMENTS {
        if arguments.name.as_deref() == Some(name) {
            // A document is written for a checkout.
            whole(&text.trim_end().replace("cargo run --release --", &program));
        } else if arguments.name.is_none() {
            let heading = text.lines().next().unwrap_or_default();
            out(format!("{name:15} {}", heading.trim_start_matches("# ")));
        }
    }
    Ok(exit_code::AS_EXPECTED)
}
