//! `serve`: the protocol on standard input and output.

use super::exit_code;
use crate::backend::MutantBackend;
use crate::backend::{Backend, Reference, serve};
use crate::error::Error;
use crate::verdict::mutant::Mutant;
use clap::Args;
use std::io::{BufReader, BufWriter, stdin, stdout};

#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// The backend to serve
    #[arg(value_parser = ["reference"], required_unless_present = "mutant")]
    backend: Option<String>,
    /// Serve this mutant: the reference with one decision broken (`mutants` lists them); repeatable, to combine several
    #[arg(long, value_name = "NAME", conflicts_with = "backend")]
    mutant: Vec<String>,
}

pub(super) fn run(arguments: &ServeArgs) -> Result<u8, Error> {
    let named = |name: &String| {
        let unknown = || Error::Usage(format!("there is no mutant '{name}'; `mutants` lists them"));
        Mutant::named(name).ok_or_else(unknown)
    };
    let mutants: Vec<_> = arguments
        .mutant
        .iter()
        .map(named)
        .collect::<Result<_, _>>()?;
    let mut backend: Box<dyn Backend> = if mutants.is_empty() {
        Box::new(Reference)
    } else {
        Box::new(MutantBackend::new(&mutants))
    };
    let mut input = BufReader::with_capacity(1 << 16, stdin().lock());
    let mut output = BufWriter::with_capacity(1 << 16, stdout().lock());
    match serve(backend.as_mut(), &mut input, &mut output) {
        Ok(()) => Ok(exit_code::AS_EXPECTED),
        Err(error) => Err(Error::Protocol {
            adapter: "serve".to_owned(),
            what: error.to_string(),
        }),
    }
}
