//! `oracle` and `serve`: the reference for programs in any language, as JSON lines or in the protocol.

use super::exit_code;
use crate::backend::{self, Backend, MutantBackend, Reference};
use crate::error::Error;
use crate::json;
use crate::names::Joined;
use crate::report::style;
use crate::semantics::operator::{OPERATORS, Operator};
use crate::semantics::oracle::{self, Resolution};
use crate::semantics::outcome::Allowed;
use crate::semantics::request::{Attributes, Request, check_attributes};
use crate::suite::case::Nested;
use crate::tensor::{ElementType, literal};
use crate::verdict::mutant::Mutant;
use clap::Args;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, BufWriter, Read, Write, stdin, stdout};

/// Answer requests with the reference, as JSON lines.
///
/// A request: {"operator":"onnx.Reshape-14","element_type":"f32","data_shape":[2,3,4],"shape":[2,-1],
/// "shape_element_type":"i64","attributes":{"allowzero":1}}. The default of `element_type` is f32, and that of
/// `shape_element_type` is i64. Without `shape` the node has no target. The answer to a line that is not a request is
/// {"error":…,"line":n}.
#[derive(Debug, Args)]
pub(super) struct OracleArgs {}

/// The most bytes in a line.
const MAX_LINE: u64 = 1 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestLine<'a> {
    #[serde(borrow)]
    operator: std::borrow::Cow<'a, str>,
    element_type: Option<ElementType>,
    data_shape: Nested,
    shape: Option<Nested>,
    shape_element_type: Option<ElementType>,
    #[serde(default)]
    attributes: Attributes,
}

pub(super) fn run(_: &OracleArgs) -> Result<u8, Error> {
    let mut input = BufReader::with_capacity(1 << 16, stdin().lock());
    let mut output = BufWriter::with_capacity(1 << 16, stdout().lock());
    let (mut bad, mut number, mut line) = (false, 0, Vec::new());
    loop {
        line.clear();
        match (&mut input).take(MAX_LINE + 1).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => number += 1,
        }
        let complete = line.last() == Some(&b'\n');
        let answered = if !complete && line.len() as u64 > MAX_LINE {
            skip_line(&mut input);
            Err(format!("a line of more than {MAX_LINE} bytes"))
        } else if line.trim_ascii().is_empty() {
            continue;
        } else {
            request(&line).map(|request| answer(&request))
        };
        let answer = answered.unwrap_or_else(|error| {
            bad = true;
            json!({"error": error, "line": number})
        });
        let written = serde_json::to_writer(&mut output, &answer);
        // Flushed when no more input is waiting, because a program that sends line by line waits for its answer.
        let flushed = if input.buffer().is_empty() {
            output.write_all(b"\n").and_then(|()| output.flush())
        } else {
            output.write_all(b"\n")
        };
        if let Err(error) = written.map_err(std::io::Error::from).and(flushed) {
            style::note_broken(error.kind());
            break;
        }
    }
    if let Err(error) = output.flush() {
        style::note_broken(error.kind());
    }
    Ok(match bad {
        true => exit_code::BAD_FILE,
        false => exit_code::AS_EXPECTED,
    })
}

fn skip_line(input: &mut impl BufRead) {
    loop {
        let (used, ended) = match input.fill_buf() {
            Ok([]) | Err(_) => return,
            Ok(bytes) => bytes
                .iter()
                .position(|byte| *byte == b'\n')
                .map_or((bytes.len(), false), |at| (at + 1, true)),
        };
        input.consume(used);
        if ended {
            return;
        }
    }
}

fn data_dims(written: Nested) -> Result<Vec<u64>, String> {
    let list = written.target()?;
    if !list.is_flat() {
        return Err("`data_shape` is one list of dims, such as [2,3,4]".to_owned());
    }
    let dim = |value: &i128| {
        let dim = i64::try_from(*value).ok();
        dim.and_then(|dim| u64::try_from(dim).ok())
            .ok_or_else(|| format!("the data dim {value} is not from 0 to 2^63-1"))
    };
    list.values.iter().map(dim).collect()
}

fn request(line: &[u8]) -> Result<Request, String> {
    if !line.trim_ascii_start().starts_with(b"{") {
        return Err("a request is a JSON object".to_owned());
    }
    // Each request is its own line, so "at line 1" would be wrong.
    let read = serde_json::from_slice::<RequestLine<'_>>(line);
    let read = read.and_then(|read| {
        // For the fields themselves, serde reports duplicates.
        if !read.attributes.is_empty() {
            json::check_keys(line)?;
        }
        Ok(read)
    });
    let line = read.map_err(|error| {
        let why = error.to_string();
        why.replace(" at line 1 column ", " at column ")
    })?;
    let operator = Operator::named(&line.operator).ok_or_else(|| {
        let names = OPERATORS.iter().joined(", ");
        let name = &line.operator;
        format!("unknown operator '{name}'; the operators are {names}")
    })?;
    let data_shape = data_dims(line.data_shape)?;
    check_attributes(operator, &line.attributes)?;
    let mut target = line.shape.map(Nested::target).transpose()?;
    if let Some(target) = &mut target {
        target.element_type = line.shape_element_type.unwrap_or(ElementType::I64);
        if target.element_type.is_integer() {
            for value in &target.values {
                literal::check_integer(*value, target.element_type)?;
            }
        }
    }
    let element_type = line.element_type.unwrap_or(ElementType::F32);
    Ok(Request {
        operator,
        element_type,
        data_shape,
        target,
        attributes: line.attributes,
    })
}

fn answer(request: &Request) -> Value {
    let resolution = oracle::resolve(request);
    let clauses = oracle::clauses(request, &resolution);
    let allowed = |allowed: &Allowed| match allowed {
        Allowed::Reshaped(shape) => json!({"outcome": "reshaped", "shape": shape}),
        Allowed::Rejected => json!({"outcome": "rejected"}),
    };
    match &resolution {
        Resolution::Reshaped(shape) => {
            json!({"outcome": "reshaped", "shape": **shape, "clauses": clauses})
        }
        Resolution::Rejected(reasons) => {
            json!({"outcome": "rejected", "reasons": reasons, "clauses": clauses})
        }
        Resolution::Open {
            question,
            allowed: all,
            choice,
        } => {
            let all: Vec<_> = all.iter().map(allowed).collect();
            json!({
                "outcome": "open",
                "question": question,
                "allowed": all,
                "choice": allowed(choice),
                "clauses": clauses,
            })
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// The backend to serve
    #[arg(value_parser = ["reference"], required_unless_present = "mutant")]
    backend: Option<String>,
    /// Serve this mutant: the reference with one decision broken (`mutants` lists them). Repeat the option to combine
    /// several
    #[arg(long, value_name = "NAME", conflicts_with = "backend")]
    mutant: Vec<String>,
}

pub(super) fn serve(arguments: &ServeArgs) -> Result<u8, Error> {
    let named = |name: &String| {
        let unknown = || Error::Usage(format!("unknown mutant '{name}'; `mutants` lists them"));
        Mutant::named(name).ok_or_else(unknown)
    };
    let mutants = arguments.mutant.iter().map(named);
    let mutants = mutants.collect::<Result<Vec<_>, _>>()?;
    let mut backend: Box<dyn Backend> = match mutants.is_empty() {
        true => Box::new(Reference),
        false => Box::new(MutantBackend::new(&mutants)),
    };
    let mut input = BufReader::with_capacity(1 << 16, stdin().lock());
    let mut output = BufWriter::with_capacity(1 << 16, stdout().lock());
    let served = backend::serve(backend.as_mut(), &mut input, &mut output);
    served.map_err(|error| Error::Protocol {
        adapter: "serve".to_owned(),
        what: error.to_string(),
    })?;
    Ok(exit_code::AS_EXPECTED)
}
