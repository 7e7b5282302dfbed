//! Comparison of an exported folder with its `trials.json`: missing files, extra files, and files with other contents.

use super::files;
use super::format::{ExportFile, Format, MANIFEST};
use super::merge::Piece;
use super::record::TrialsFile;
use crate::error::{Error, Fault};
use crate::model::call::Call;
use crate::model::found::{Found, FoundNode, Recorded};
use crate::semantics::request::{AttributeValue, Attributes, Target};
use crate::suite::case::Expectation;
use crate::suite::collection::entries;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// An exported folder while its trials are compared with their files.
pub(super) struct Folder {
    /// Whether this version of the program wrote it: another version may write the same trial differently.
    is_ours: bool,
    /// The files of the trials so far, and their folders.
    implied: BTreeSet<String>,
    /// The known part of the text of each batch file.
    batches: BTreeMap<String, String>,
    /// The missing files.
    missing: Vec<Fault>,
}

/// The files of a trial that this program would write differently.
pub(super) struct Changed(Vec<String>);

impl Changed {
    /// A remark about them, in words.
    pub(super) fn difference(&self) -> Option<String> {
        let first = self.0.first()?;
        Some(format!("its {first} is not what `export` writes for it"))
    }
}

impl Folder {
    pub(super) fn new(file: &TrialsFile) -> Self {
        Self {
            is_ours: file.is_of_this_program(),
            implied: BTreeSet::from([MANIFEST.to_owned()]),
            batches: BTreeMap::new(),
            missing: Vec::new(),
        }
    }

    /// The files of a trial at this path; `None` if its format cannot express it.
    pub(super) fn files(&self, piece: &Piece, path: &str) -> Option<Vec<ExportFile>> {
        let request = piece.request();
        let call = Call {
            request: &request,
            binding: piece.binding,
            surrounding: piece.surrounding,
            data: &piece.data,
        };
        Format::of(piece.operator).files(path, &call, &piece.expectation)
    }

    /// Compares the files of a trial with those at its path in the folder. `None` if some are missing.
    pub(super) fn look(
        &mut self,
        folder: &Path,
        piece: &Piece,
        path: &str,
    ) -> Result<Option<Changed>, Error> {
        let Some(files) = self.files(piece, path) else {
            return Ok(Some(Changed(vec![path.to_owned()])));
        };
        if let Some((file, line)) = Format::of(piece.operator).batch(path) {
            self.imply(&file);
            self.batches.entry(file).or_default().push_str(&line);
        }
        let (before, mut changed) = (self.missing.len(), Vec::new());
        for ExportFile { path, bytes } in files {
            self.imply(&path);
            let place = folder.join(&path);
            if !place.is_file() {
                self.miss(&place);
            } else if self.is_ours && files::read(&place)? != bytes {
                changed.push(path);
            }
        }
        Ok((self.missing.len() == before).then_some(Changed(changed)))
    }

    /// Remarks about the folder as a whole, after all trials.
    ///
    /// # Errors
    /// Every missing file; or that the folder is unreadable.
    pub(super) fn finish(mut self, folder: &Path) -> Result<Vec<String>, Error> {
        let mut differences = Vec::new();
        for (file, lines) in std::mem::take(&mut self.batches) {
            let place = folder.join(&file);
            if !place.is_file() {
                self.miss(&place);
            } else if self.is_ours && files::read(&place)? != lines.as_bytes() {
                differences.push(format!("{file} does not list the trials of {MANIFEST}"));
            }
        }
        if !self.missing.is_empty() {
            return Err(Error::Faults(self.missing));
        }
        self.strangers(folder, "", &mut differences)?;
        Ok(differences)
    }

    /// Notes a file that the trials imply, with its folders.
    fn imply(&mut self, path: &str) {
        let folders = path.match_indices('/').map(|(at, _)| path[..at].to_owned());
        self.implied.extend(folders);
        self.implied.insert(path.to_owned());
    }

    fn miss(&mut self, place: &Path) {
        let message = format!("it is missing, but a trial of {MANIFEST} has it");
        let source = crate::error::Source::new(&place.to_string_lossy(), "");
        let fault = Fault::new(&source, 0..0, message);
        self.missing.push(fault.hint("export the trials again"));
    }

    /// Notes the entries of a folder that belong to no trial.
    fn strangers(
        &self,
        folder: &Path,
        within: &str,
        differences: &mut Vec<String>,
    ) -> Result<(), Error> {
        for entry in entries(&folder.join(within))? {
            let name = entry.file_name().unwrap_or_default().to_string_lossy();
            let path = match within {
                "" => name.into_owned(),
                within => format!("{within}/{name}"),
            };
            if !self.implied.contains(&path) {
                differences.push(format!("{path} belongs to no trial of {MANIFEST}"));
            } else if entry.is_dir() {
                self.strangers(folder, &path, differences)?;
            }
        }
        Ok(())
    }
}

/// How the Reshape of a file differs from its trial, in words.
pub(super) fn difference(piece: &Piece, found: &[Found]) -> Option<String> {
    let [only] = found else {
        return Some(format!("its file has {} Reshapes", found.len()));
    };
    match &only.node {
        Ok(node) => in_node(piece, node),
        Err(why) => Some(format!("in its file: {why}")),
    }
}

fn in_node(piece: &Piece, node: &FoundNode) -> Option<String> {
    let differs = |what: &str, file: &dyn std::fmt::Debug, ours: &dyn std::fmt::Debug| {
        Some(format!(
            "its {what} is {file:?} in its file, but {ours:?} in trials.json"
        ))
    };
    if !node.operators.contains(&piece.operator) {
        return differs("operator", &node.operators, &piece.operator);
    }
    // Data without dims cannot have open dims.
    let dynamic = piece.binding.dynamic() && !piece.data.shape().is_empty();
    if node.source != piece.binding.source() || node.dynamic != dynamic {
        let file = (node.source, node.dynamic);
        return differs("binding", &file, &piece.binding);
    }
    let (file, ours) = (node.element_type, piece.data.element_type());
    if file != ours {
        return differs("element type", &file, &ours);
    }
    if node.data_shape != piece.data.shape() {
        return differs("data", &node.data_shape, &piece.data.shape());
    }
    if node.data.as_ref().is_some_and(|data| *data != piece.data) {
        return Some("its data has other elements in its file".to_owned());
    }
    // No format has a nested attribute, a signed number past 64 bits, or a bool that is 3.
    let exact = |of: &Target| {
        let mut values = of.values.iter();
        let signed = values.all(|value| i64::try_from(*value).is_ok());
        of.is_flat() && of.element_type.is_integer() && signed
    };
    if piece.target.as_ref().is_none_or(exact) && node.target != piece.target {
        let description = |target: &Option<Target>| {
            let target = target.as_ref();
            target.map_or_else(|| "missing".to_owned(), ToString::to_string)
        };
        let (file, ours) = (description(&node.target), description(&piece.target));
        let description = format!("its target is {file} in its file, but {ours} in trials.json");
        return Some(description);
    }
    let (file, ours) = (plain(&node.attributes), plain(&piece.attributes));
    if file != ours {
        return differs("attributes", &file, &ours);
    }
    match (&node.output, &piece.expectation) {
        (Recorded::Nothing, _) | (_, Expectation::Rejected(_) | Expectation::Open { .. }) => None,
        (Recorded::Shape(file), Expectation::Reshaped(ours)) if file != ours => {
            differs("output", file, ours)
        }
        (Recorded::Tensor(file), Expectation::Reshaped(ours)) => {
            let same = *ours == file.shape() && file.same_content(&piece.data);
            (!same).then(|| "its output differs in its file".to_owned())
        }
        (Recorded::Shape(_), Expectation::Reshaped(_)) => None,
    }
}

/// Attributes in the form that every format has: flags as 0 and 1, floats of 32 bits, all as text.
fn plain(attributes: &Attributes) -> BTreeMap<&str, String> {
    let text = |value: &AttributeValue| match value {
        AttributeValue::Bool(value) => u8::from(*value).to_string(),
        AttributeValue::Int(value) => value.to_string(),
        AttributeValue::Float(value) => (*value as f32).to_string(),
        AttributeValue::String(value) => match value.as_str() {
            "true" => "1".to_owned(),
            "false" => "0".to_owned(),
            value => value.to_owned(),
        },
        AttributeValue::Ints(values) => {
            let values: Vec<_> = values.iter().map(i64::to_string).collect();
            values.join(", ")
        }
    };
    let attributes = attributes.iter();
    attributes
        .map(|(name, of)| (name.as_str(), text(of)))
        .collect()
}
