//! `docs` and `schema`: print the documents, and the JSON Schemas of the files that the program reads or writes, which an
//! installed program has nowhere else.

use super::exit_code;
use crate::error::{Error, as_started};
use crate::report::style::{out, whole};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

/// The texts of files in `docs/`, by their names.
macro_rules! documents {
    ($($name:literal)+) => {
        &[$(($name, include_str!(concat!("../../docs/", $name, ".md")))),+]
    };
}

const DOCUMENTS: &[(&str, &str)] = documents! {
    "adapters" "cases" "diagnosis" "events" "exchange" "gate" "known-failures" "oracle" "protocol" "reports" "search"
};

/// Print a document of this version, such as docs/gate.md, or list the documents
#[derive(Debug, Args)]
pub(super) struct DocsArgs {
    /// The document
    #[arg(value_parser = PossibleValuesParser::new(DOCUMENTS.iter().map(|(name, _)| *name)))]
    name: Option<String>,
}

pub(super) fn run(arguments: &DocsArgs) -> Result<u8, Error> {
    let program = as_started("reshape-conformance");
    for (name, text) in DOCUMENTS {
        if arguments.name.as_deref() == Some(*name) {
            // A document is written for a checkout.
            whole(&text.trim_end().replace("cargo run --release --", &program));
        } else if arguments.name.is_none() {
            let heading = text.lines().next().unwrap_or_default();
            out(format!("{name:15} {}", heading.trim_start_matches("# ")));
        }
    }
    Ok(exit_code::AS_EXPECTED)
}

/// Print the JSON Schema of what this program reads or writes.
#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// The kind of data
    #[arg(value_enum)]
    of: Of,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Of {
    /// A line of the event stream
    Events,
    /// The gate's configuration, reshape-conformance.toml
    Config,
    /// A YAML file of cases
    Cases,
    /// A file of known failures
    KnownFailures,
    /// An adapter's manifest, adapter.yaml
    Manifest,
    /// An adapter's reply to `hello`
    Hello,
}

impl Of {
    /// The checked-in file. A test compares it with the types.
    fn text(self) -> &'static str {
        match self {
            Self::Events => include_str!("../../docs/events.schema.json"),
            Self::Config => include_str!("../../docs/config.schema.json"),
            Self::Cases => include_str!("../../docs/cases.schema.json"),
            Self::KnownFailures => include_str!("../../docs/known-failures.schema.json"),
            Self::Manifest => include_str!("../../docs/manifest.schema.json"),
            Self::Hello => include_str!("../../docs/hello.schema.json"),
        }
    }
}

pub(super) fn schema(arguments: &SchemaArgs) -> Result<u8, Error> {
    whole(arguments.of.text().trim_end());
    Ok(exit_code::AS_EXPECTED)
}

#[cfg(test)]
mod tests {
    use super::Of;
    use crate::cli::run_args::RunArgs;
    use crate::event::Event;

    #[test]
    fn the_schemas_in_docs_are_those_of_the_types() {
        // A schema as it is serialized has its keys in order.
        let value = |schema: schemars::Schema| serde_json::to_value(schema).unwrap();
        for (of, name, schema) in [
            (Of::Events, "events", value(schemars::schema_for!(Event))),
            (Of::Config, "config", value(schemars::schema_for!(RunArgs))),
            (Of::Cases, "cases", crate::suite::case::schema()),
            (
                Of::KnownFailures,
                "known-failures",
                crate::verdict::known_failures::schema(),
            ),
            (Of::Manifest, "manifest", crate::backend::manifest_schema()),
            (Of::Hello, "hello", crate::backend::hello_schema()),
        ] {
            let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
            let path = format!("{}/docs/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
            if std::env::var_os("UPDATE_SCHEMAS").is_some() {
                std::fs::write(&path, text).unwrap();
            } else {
                assert!(
                    of.text() == text,
                    "`UPDATE_SCHEMAS=1 cargo test --release --lib schema` brings {path} up to date"
                );
            }
        }
    }
}
