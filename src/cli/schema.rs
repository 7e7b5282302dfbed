//! `schema`: the JSON Schema of the event stream or of the gate's configuration.

use super::config::Config;
use super::exit_code;
use crate::error::Error;
use crate::event::Event;
use crate::report::style::whole;
use clap::{Args, ValueEnum};

/// Print a JSON Schema: of a line of the event stream, or of the gate's configuration.
#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// The format
    #[arg(value_enum)]
    of: Of,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Of {
    /// A line of the event stream
    Events,
    /// The gate's configuration, reshape-conformance.toml
    Config,
}

pub(super) fn run(arguments: &SchemaArgs) -> Result<u8, Error> {
    let schema = match arguments.of {
        Of::Events => schemars::schema_for!(Event),
        Of::Config => schemars::schema_for!(Config),
    };
    let text = serde_json::to_string_pretty(&schema)
        .map_err(|error| Error::Internal(error.to_string()))?;
    whole(&text);
    Ok(exit_code::AS_EXPECTED)
}
