//! The files of a trial in each format.

use crate::model::call::Call;
use crate::model::surroundings::Surrounding;
use crate::model::{onednn_graph, onnx, openvino_ir};
use crate::names::named_enum;
use crate::semantics::operator::{ModelFiles, Operator};
use crate::suite::case::Expectation;
use crate::suite::trial::Trial;

/// The file that lists the trials of a folder.
pub(crate) const MANIFEST: &str = "trials.json";

named_enum! {
    /// A format for trials.
    pub(crate) enum Format, "format" {
        /// Folders like those of the onnx package's own node tests.
        Onnx = "onnx",
        /// OpenVINO's IR: a `.xml` and, with constants, a `.bin`.
        OpenvinoIr = "openvino-ir",
        /// oneDNN's graph JSON, with a batch file for benchdnn.
        Benchdnn = "benchdnn",
        /// One JSON file with all trials.
        Json = "json",
    }
}

/// A file of a trial. Its path is relative to the folder of the export.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ExportFile {
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
}

impl Format {
    /// Whether the operator has files of this format.
    pub(crate) fn has(self, operator: &Operator) -> bool {
        self == Self::Json || self == Self::of(operator)
    }

    /// The file or folder that holds a trial; `None` if only the manifest does.
    pub(crate) fn path(self, trial: &Trial) -> Option<String> {
        // A folder for the trials that expect the same kind of outcome.
        let (set, name) = (trial.expectation().kind(), file_name(trial));
        match self {
            Self::Onnx => Some(format!("{set}/test_{name}")),
            Self::OpenvinoIr => Some(format!("{set}/{name}.xml")),
            Self::Benchdnn => Some(format!("{set}/{name}.json")),
            Self::Json => None,
        }
    }

    /// The files of a trial at its path; `None` if the format cannot express it, or if it is a sequence.
    pub(crate) fn files(
        self,
        path: &str,
        call: &Call<'_>,
        expectation: &Expectation,
    ) -> Option<Vec<ExportFile>> {
        if call.surrounding.is_some_and(Surrounding::is_sequence) {
            return None;
        }
        match self {
            Self::Onnx => onnx_files(path, call, expectation),
            Self::OpenvinoIr => {
                let ir = openvino_ir::write(&call.graph()?, call.request, call.binding)?;
                let bin = path.replace(".xml", ".bin");
                let file = |path, bytes| ExportFile { path, bytes };
                // OpenVINO needs a `.bin` even if it is empty.
                Some(vec![file(path.to_owned(), ir.xml), file(bin, ir.bin)])
            }
            Self::Benchdnn => {
                let bytes = onednn_graph::write(call.request, call.binding, expectation.shape())?;
                let path = path.to_owned();
                Some(vec![ExportFile { path, bytes }])
            }
            Self::Json => Some(Vec::new()),
        }
    }

    /// The file that lists the paths of a set, and the line for this path; `None` if the format has no such files.
    pub(crate) fn batch(self, path: &str) -> Option<(String, String)> {
        let (set, _) = path.split_once('/').filter(|_| self == Self::Benchdnn)?;
        Some((format!("{set}.batch"), format!("--reset --case={path}\n")))
    }

    /// The format for trials of this operator.
    pub(super) fn of(operator: &Operator) -> Self {
        match operator.family.models() {
            Some(ModelFiles::Onnx) => Self::Onnx,
            Some(ModelFiles::OpenvinoIr) => Self::OpenvinoIr,
            Some(ModelFiles::OnednnGraph) => Self::Benchdnn,
            None => Self::Json,
        }
    }
}

/// A trial's name as a word: `copied_zero_first__onnx_reshape_14__f32__constant_static`. No part of a trial's name has
/// two marks in a row, so the words are unique.
fn file_name(trial: &Trial) -> String {
    let word = |c: char| match c {
        '/' | '+' => "__".to_owned(),
        c if c.is_ascii_alphanumeric() => c.to_ascii_lowercase().to_string(),
        _ => "_".to_owned(),
    };
    trial.to_string().chars().map(word).collect()
}

/// A node test: the model, and one set of inputs and of the output, if the text has one.
fn onnx_files(folder: &str, call: &Call<'_>, expectation: &Expectation) -> Option<Vec<ExportFile>> {
    let graph = call.graph()?;
    let file = |name: &str, bytes| ExportFile {
        path: format!("{folder}/{name}"),
        bytes,
    };
    let model = onnx::write(&graph, call.request, call.binding);
    let mut files = vec![file("model.onnx", model)];
    let mut inputs = vec![("data", call.input().into_owned())];
    if graph.takes_target() {
        let target = call.request.target.as_ref();
        inputs.extend(target.map(|of| ("shape", of.tensor())));
    }
    for (index, (name, tensor)) in inputs.iter().enumerate() {
        let path = format!("test_data_set_0/input_{index}.pb");
        files.push(file(&path, onnx::tensor(name, tensor)));
    }
    if let Expectation::Reshaped(shape) = expectation {
        let output = onnx::tensor("reshaped", &call.data.with_shape(shape.clone()));
        files.push(file("test_data_set_0/output_0.pb", output));
    }
    Some(files)
}
