//! `oracle` and `serve`: the reference for programs in any language, as JSON lines or in the protocol.

use super::exit_code;
use crate::backend::{self, Backend, MutantBackend, Reference};
use crate::error::Error;
use crate::json::{self, by_syntax};
use crate::names::Joined;
use crate::report::style;
use crate::semantics::operator::{OPERATORS, Operator};
use crate::semantics::oracle::{self, Resolution};
use crate::semantics::request::{Attributes, Request, check_attributes};
use crate::suite::case::Nested;
use crate::tensor::{ElementType, literal};
use crate::threads::in_threads;
use crate::verdict::mutant::Mutant;
use clap::Args;
use serde::Deserialize;
use serde::de::MapAccess;
use serde::ser::{SerializeMap, Serializer};
use serde_json::json;
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
/// The bytes of lines of which a second thread answers half.
const MANY: usize = 1 << 13;

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
    attributes: Entries,
}

/// Attributes, of which none is given twice.
#[derive(Default)]
struct Entries(Attributes);

by_syntax! {
    Entries, "a map", {}

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Entries, A::Error> {
        json::entries(map).map(|of| Entries(Attributes::new(of)))
    }
}

pub(super) fn run(_: &OracleArgs) -> Result<u8, Error> {
    let mut input = BufReader::with_capacity(1 << 16, stdin().lock());
    let mut output = stdout().lock();
    let (mut bad, mut number, mut line) = (false, 0, Vec::new());
    'read: loop {
        let arrived = input.fill_buf().unwrap_or_default();
        if arrived.is_empty() {
            break;
        }
        let used = whole_lines(arrived);
        let lines = match used {
            0 => read_line(&mut input, &mut line),
            _ => &arrived[..used],
        };
        let (first, second) = lines.split_at(match lines.len() {
            MANY.. => whole_lines(&lines[..lines.len() / 2]),
            _ => 0,
        });
        let middle = number + first.iter().filter(|byte| **byte == b'\n').count();
        let parts = [(first, number), (second, middle)];
        let parts = &parts[usize::from(first.is_empty())..];
        for answered in in_threads(parts, |(lines, before)| Answers::to(lines, *before)) {
            bad |= answered.bad;
            number = answered.last;
            // Flushed because a program that sends line by line waits for its answer.
            let written = output.write_all(&answered.lines);
            if let Err(error) = written.and_then(|()| output.flush()) {
                style::note_broken(error.kind());
                break 'read;
            }
        }
        input.consume(used);
    }
    Ok(match bad {
        true => exit_code::BAD_FILE,
        false => exit_code::AS_EXPECTED,
    })
}

/// The number of bytes up to the end of the last line.
fn whole_lines(bytes: &[u8]) -> usize {
    let last = bytes.iter().rposition(|byte| *byte == b'\n');
    last.map_or(0, |last| last + 1)
}

/// Reads a line, without its rest if it is too long; empty if it is unreadable.
fn read_line<'a>(input: &mut impl BufRead, line: &'a mut Vec<u8>) -> &'a [u8] {
    line.clear();
    if input.take(MAX_LINE + 1).read_until(b'\n', line).is_err() {
        line.clear();
    } else if is_too_long(line) {
        // If this fails, the next read does.
        let _ = input.skip_until(b'\n');
    }
    line
}

fn is_too_long(line: &[u8]) -> bool {
    line.len() as u64 > MAX_LINE && !line.ends_with(b"\n")
}

/// The answers to some lines.
#[derive(Default)]
struct Answers {
    lines: Vec<u8>,
    /// The number of the last line.
    last: usize,
    /// Whether a line is not a request.
    bad: bool,
}

impl Answers {
    /// The answers to these lines, of which `before` others come before the first.
    fn to(lines: &[u8], before: usize) -> Self {
        let mut all = Self {
            last: before,
            ..Self::default()
        };
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            all.last += 1;
            if line.trim_ascii().is_empty() {
                continue;
            }
            // A `Vec` takes every answer.
            let _ = match request(line) {
                Ok(request) => write_answer(&request, &mut all.lines),
                Err(error) => {
                    all.bad = true;
                    let error = json!({"error": error, "line": all.last});
                    serde_json::to_writer(&mut all.lines, &error)
                }
            };
            all.lines.push(b'\n');
        }
        all
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
    if is_too_long(line) {
        return Err(format!("a line of more than {MAX_LINE} bytes"));
    }
    if !line.trim_ascii_start().starts_with(b"{") {
        return Err("a request is a JSON object".to_owned());
    }
    // Each request is its own line, so "at line 1" would be wrong.
    let line = serde_json::from_slice::<RequestLine<'_>>(line).map_err(|error| {
        let why = error.to_string();
        why.replace(" at line 1 column ", " at column ")
    })?;
    let operator = Operator::named(&line.operator).ok_or_else(|| {
        let names = OPERATORS.iter().joined(", ");
        let name = &line.operator;
        format!("unknown operator '{name}'; the operators are {names}")
    })?;
    let data_shape = data_dims(line.data_shape)?;
    let Entries(attributes) = line.attributes;
    check_attributes(operator, &attributes)?;
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
        attributes,
    })
}

fn write_answer(request: &Request, out: &mut Vec<u8>) -> serde_json::Result<()> {
    let resolution = oracle::resolve(request);
    let mut out = serde_json::Serializer::new(out);
    let mut fields = out.serialize_map(None)?;
    match &resolution {
        Resolution::Reshaped(shape) => {
            fields.serialize_entry("outcome", "reshaped")?;
            fields.serialize_entry("shape", &**shape)?;
        }
        Resolution::Rejected(reasons) => {
            fields.serialize_entry("outcome", "rejected")?;
            fields.serialize_entry("reasons", reasons)?;
        }
        Resolution::Open {
            question,
            allowed,
            choice,
        } => {
            fields.serialize_entry("outcome", "open")?;
            fields.serialize_entry("question", question)?;
            fields.serialize_entry("allowed", allowed)?;
            fields.serialize_entry("choice", choice)?;
        }
    }
    fields.serialize_entry("clauses", &oracle::clauses(request, &resolution))?;
    fields.end()
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
    let mutants = arguments.mutant.iter().map(|name| {
        let unknown = || Error::Usage(format!("unknown mutant '{name}'; `mutants` lists them"));
        Mutant::named(name).ok_or_else(unknown)
    });
    let mutants = mutants.collect::<Result<Vec<_>, _>>()?;
    let mut backend: Box<dyn Backend> = match mutants.is_empty() {
        true => Box::new(Reference),
        false => Box::new(MutantBackend::new(&mutants)),
    };
    let mut input = BufReader::with_capacity(1 << 16, stdin().lock());
    let mut output = BufWriter::with_capacity(1 << 16, stdout().lock());
    backend::serve(backend.as_mut(), &mut input, &mut output).map_err(|error| Error::Protocol {
        adapter: "serve".to_owned(),
        what: error.to_string(),
    })?;
    Ok(exit_code::AS_EXPECTED)
}
