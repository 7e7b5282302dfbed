//! `trials.json`: trials with their inputs and expectations, for harnesses in any language.

use crate::suite::case::Expectation;
use crate::suite::trial::Trial;
use crate::tensor::{ElementType, Tensor};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write};

/// The value of the file's field `format`.
const FORMAT: &str = "reshape-conformance trials";
/// The version of the file's fields. Adding fields does not change it.
const VERSION: u32 = 1;

/// What the text allows, with the number of the trial's data among the tensors.
fn trial_record(trial: &Trial, data: usize, path: Option<String>) -> Value {
    let (case, request) = (&trial.case, trial.request());
    let clauses = case.clauses_of(trial.operator);
    let mut record = json!({
        "trial": trial.to_string(),
        "case": case.name,
        "operator": trial.operator,
        "element_type": trial.element_type,
        "binding": trial.binding,
        "surrounding": trial.surrounding,
        "attributes": request.attributes,
        "data": data,
        "target": request.target,
        "expectation": expectation_record(trial.expectation()),
        "clauses": clauses.iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    if let Some(path) = path {
        record["path"] = path.into();
    }
    record
}

/// What the text allows. Without `allowed`, an open question allows a rejection, or any shape with the data's count.
fn expectation_record(expectation: &Expectation) -> Value {
    match expectation {
        Expectation::Reshaped(shape) => json!({ "outcome": "reshaped", "shape": shape }),
        Expectation::Rejected(reasons) => json!({ "outcome": "rejected", "reasons": reasons }),
        Expectation::Open { question, allowed } => {
            json!({ "outcome": "open", "question": question, "allowed": allowed })
        }
    }
}

/// A tensor: its bytes as on the wire of an adapter (`docs/protocol.md`), in hexadecimal.
fn tensor_record(tensor: &Tensor) -> Value {
    let mut bytes = Vec::new();
    tensor.write_bytes(&mut bytes);
    let mut hex = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(hex, "{byte:02x}");
    }
    json!({ "element_type": tensor.element_type(), "shape": tensor.shape(), "bytes": hex })
}

/// The file while it is written, trial by trial. Trials of one case and element type share their data.
pub(crate) struct Records<W: Write> {
    out: W,
    count: usize,
    /// A trial for each tensor, in the tensors' order.
    tensors: Vec<Trial>,
    indices: HashMap<(String, ElementType), usize>,
}

impl<W: Write> Records<W> {
    /// Begins the file. `suite` is the hash of the trials' suite.
    pub(crate) fn new(mut out: W, suite: &str) -> io::Result<Self> {
        let version = env!("CARGO_PKG_VERSION");
        write!(
            out,
            "{{\"format\":\"{FORMAT}\",\"version\":{VERSION},\"program\":\"{version}\",\"suite\":\"{suite}\",\n\"trials\":["
        )?;
        Ok(Self {
            out,
            count: 0,
            tensors: Vec::new(),
            indices: HashMap::new(),
        })
    }

    /// Writes a trial, which `path` holds in another format.
    pub(crate) fn add(&mut self, trial: &Trial, path: Option<String>) -> io::Result<()> {
        let key = (trial.case.name.clone(), trial.element_type);
        let data = *self.indices.entry(key).or_insert_with(|| {
            self.tensors.push(trial.clone());
            self.tensors.len() - 1
        });
        self.out
            .write_all(if self.count == 0 { b"\n" } else { b",\n" })?;
        self.count += 1;
        serde_json::to_writer(&mut self.out, &trial_record(trial, data, path))?;
        Ok(())
    }

    /// Ends the file with the tensors.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.out.write_all(b"],\n\"tensors\":[")?;
        for (index, trial) in self.tensors.iter().enumerate() {
            let data = trial.case.data(trial.element_type);
            let data = data.map_err(io::Error::other)?;
            self.out
                .write_all(if index == 0 { b"\n" } else { b",\n" })?;
            serde_json::to_writer(&mut self.out, &tensor_record(&data))?;
        }
        self.out.write_all(b"]}\n")?;
        self.out.flush()
    }
}
