//! `serve`: the protocol on standard input and output.

use crate::backend::{Reference, serve};
use crate::error::Error;
use clap::Args;
use std::io::{BufReader, BufWriter, stdin, stdout};

#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// What to serve
    #[arg(value_parser = ["reference"])]
    backend: String,
}

pub(super) fn run(_: &ServeArgs) -> Result<u8, Error> {
    let mut input = BufReader::with_capacity(1 << 16, stdin().lock());
    let mut output = BufWriter::with_capacity(1 << 16, stdout().lock());
    match serve(&mut Reference, &mut input, &mut output) {
        Ok(()) => Ok(crate::exit_code::AS_EXPECTED),
        Err(error) => Err(Error::Protocol { adapter: "serve".to_owned(), what: error.to_string() }),
    }
}
