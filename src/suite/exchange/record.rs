//! `trials.json`: trials with their inputs and expectations, for harnesses in any language.

use crate::semantics::operator::{Question, Reason};
use crate::semantics::outcome::{Allowed, ShapePattern};
use crate::semantics::request::{Attributes, Target};
use crate::suite::case::Expectation;
use crate::suite::trial::Trial;
use crate::tensor::{ElementType, Tensor};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::io::{self, Write};

/// The value of the file's field `format`.
const FORMAT: &str = "reshape-conformance trials";
/// The version of the file's fields. Adding fields does not change it.
const VERSION: u32 = 1;

/// The whole file, as read.
#[derive(Debug, Deserialize)]
pub(crate) struct TrialsFile {
    format: String,
    version: u32,
    /// The version of the program that wrote it.
    #[serde(default)]
    program: String,
    pub(super) trials: Vec<TrialRecord>,
    #[serde(default)]
    pub(super) tensors: Vec<TensorRecord>,
}

/// A trial: its name and the parts of it, its inputs, and what the text allows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct TrialRecord {
    pub(super) trial: String,
    pub(super) case: String,
    pub(super) operator: String,
    pub(super) element_type: ElementType,
    pub(super) binding: String,
    /// The surrounding; `None` for the node alone.
    pub(super) surrounding: Option<String>,
    pub(super) attributes: Attributes,
    /// The index of the data in `tensors`.
    pub(super) data: usize,
    /// `None` if the node has no target.
    pub(super) target: Option<Target>,
    pub(super) expectation: ExpectationRecord,
    /// The clauses that the trial tests.
    #[serde(default)]
    pub(super) clauses: Vec<String>,
    /// The file or folder that holds it in another format; `None` if there is no such format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
}

/// What the text allows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub(crate) enum ExpectationRecord {
    /// The data's elements in this shape.
    Reshaped { shape: Vec<u64> },
    /// A rejection, with any message.
    Rejected { reasons: BTreeSet<Reason> },
    /// One of these; without `allowed` a rejection, or any shape with the data's element count.
    Open {
        question: Question,
        allowed: Option<Vec<AllowedRecord>>,
    },
}

/// An outcome that an open question allows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub(crate) enum AllowedRecord {
    Reshaped { shape: ShapePattern },
    Rejected,
}

/// A tensor: its bytes as on the wire of an adapter (`docs/protocol.md`), in hexadecimal.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct TensorRecord {
    element_type: ElementType,
    shape: Vec<u64>,
    bytes: String,
}

impl TrialsFile {
    /// Reads a file's text.
    ///
    /// # Errors
    /// Why it is not such a file, with line and column if they are known.
    pub(crate) fn read(text: &[u8]) -> Result<Self, String> {
        let fault = |error: serde_json::Error| error.to_string();
        crate::json::check_keys(text).map_err(fault)?;
        let file: Self = serde_json::from_slice(text).map_err(fault)?;
        if file.format != FORMAT || file.version != VERSION {
            let (format, version) = (file.format, file.version);
            return Err(format!(
                "its format is '{format}', version {version}; this program reads '{FORMAT}', version {VERSION}"
            ));
        }
        Ok(file)
    }

    /// Whether this version of the program wrote it. Then the files next to it are what it would write again.
    pub(super) fn is_of_this_program(&self) -> bool {
        self.program == env!("CARGO_PKG_VERSION")
    }

    /// The data of a trial.
    pub(super) fn data(&self, trial: &TrialRecord) -> Result<Tensor, String> {
        let record = self.tensors.get(trial.data);
        let record = record.ok_or_else(|| format!("unknown tensor {}", trial.data))?;
        record.tensor()
    }
}

impl TensorRecord {
    fn of(tensor: &Tensor) -> Self {
        let mut bytes = Vec::new();
        tensor.write_bytes(&mut bytes);
        let mut hex = String::with_capacity(bytes.len() * 2);
        for byte in bytes {
            let _ = write!(hex, "{byte:02x}");
        }
        Self {
            element_type: tensor.element_type(),
            shape: tensor.shape().to_vec(),
            bytes: hex,
        }
    }

    fn tensor(&self) -> Result<Tensor, String> {
        let digits = self.bytes.as_bytes();
        let byte = |pair: &[u8]| {
            let text = std::str::from_utf8(pair).ok().filter(|_| pair.len() == 2)?;
            u8::from_str_radix(text, 16).ok()
        };
        let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
        let bytes = bytes.ok_or("the bytes of a tensor are not hexadecimal")?;
        Tensor::from_bytes(self.element_type, self.shape.clone(), bytes)
            .map_err(|error| error.to_string())
    }
}

impl From<&Expectation> for ExpectationRecord {
    fn from(expectation: &Expectation) -> Self {
        let outcome = |allowed: &Allowed| match allowed {
            Allowed::Rejected => AllowedRecord::Rejected,
            Allowed::Reshaped(shape) => AllowedRecord::Reshaped {
                shape: shape.clone(),
            },
        };
        match expectation {
            Expectation::Reshaped(shape) => Self::Reshaped {
                shape: shape.clone(),
            },
            Expectation::Rejected(reasons) => Self::Rejected {
                reasons: reasons.clone(),
            },
            Expectation::Open { question, allowed } => Self::Open {
                question: *question,
                allowed: allowed
                    .as_ref()
                    .map(|allowed| allowed.iter().map(outcome).collect()),
            },
        }
    }
}

impl From<ExpectationRecord> for Expectation {
    fn from(record: ExpectationRecord) -> Self {
        let outcome = |allowed| match allowed {
            AllowedRecord::Rejected => Allowed::Rejected,
            AllowedRecord::Reshaped { shape } => Allowed::Reshaped(shape),
        };
        match record {
            ExpectationRecord::Reshaped { shape } => Self::Reshaped(shape),
            ExpectationRecord::Rejected { reasons } => Self::Rejected(reasons),
            ExpectationRecord::Open { question, allowed } => Self::Open {
                question,
                allowed: allowed.map(|allowed| allowed.into_iter().map(outcome).collect()),
            },
        }
    }
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
        let clauses = trial.case.clauses_of(trial.operator);
        let record = TrialRecord {
            trial: trial.to_string(),
            case: trial.case.name.clone(),
            operator: trial.operator.name.to_owned(),
            element_type: trial.element_type,
            binding: trial.binding.name().to_owned(),
            surrounding: trial.surrounding.map(|of| of.name().to_owned()),
            attributes: trial.request().attributes.clone(),
            data,
            target: trial.request().target.clone(),
            expectation: ExpectationRecord::from(&**trial.expectation()),
            clauses: clauses.iter().map(ToString::to_string).collect(),
            path,
        };
        self.out
            .write_all(if self.count == 0 { b"\n" } else { b",\n" })?;
        self.count += 1;
        serde_json::to_writer(&mut self.out, &record)?;
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
            serde_json::to_writer(&mut self.out, &TensorRecord::of(&data))?;
        }
        self.out.write_all(b"]}\n")?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::suite::Suite;
    use crate::suite::exchange::{merge, verify};
    use crate::suite::plan::Plan;
    use crate::suite::selection::Selection;

    struct Wrong;

    impl From<merge::Faulty> for Wrong {
        fn from(_: merge::Faulty) -> Self {
            Self
        }
    }

    #[test]
    fn mutated_trials_files_are_read_or_refused() -> Result<(), Error> {
        let patterns = ["test-reshape-zero-dim/onnx.Reshape-14/*/*".to_owned()];
        let selection = Selection::new(&patterns, false, None).map_err(Error::Usage)?;
        let suite = Suite::built_in()?;
        let mut records = Records::new(Vec::new(), "").expect("memory");
        for trial in Plan::new(&suite, &selection, None).trials() {
            records.add(trial, None).expect("memory");
        }
        let mut bytes = Vec::new();
        std::mem::swap(&mut bytes, &mut records.out);
        let mut rest = records.tensors.iter();
        let tensor = rest.next().map(|trial| trial.case.data(trial.element_type));
        let tensor = TensorRecord::of(&tensor.expect("a tensor").expect("its data"));
        let tensors = serde_json::to_string(&tensor).expect("JSON");
        bytes.extend(format!("],\"tensors\":[{tensors}]}}").bytes());
        assert!(TrialsFile::read(&bytes).is_ok());
        crate::mutations::of(&[&bytes], |bytes| {
            if let Ok(file) = TrialsFile::read(bytes) {
                let look = &mut |piece: &merge::Piece, path: &str| {
                    drop(verify::Folder::new(&file).files(piece, path));
                    Ok(None)
                };
                let cases = merge::cases::<Wrong>(&file, &mut Vec::new(), look);
                drop(cases.map(|cases| cases.len()));
            }
        });
        Ok(())
    }
}
