//! Importing files from other projects as cases. A recorded output becomes the expectation, and the oracle checks it.
//! Where they differ, the recorded output stays and the difference is reported.

use super::files::{self, Item, items};
use super::found_case::{case, changed_elements};
use crate::error::{Error, Source};
use crate::model::found::{Found, ReadExternal};
use crate::model::onednn_graph;
use crate::model::onnx::{self, Run};
use crate::suite::case::{Case, case_name, reshapes};
use crate::tensor::Tensor;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The result of an import.
#[derive(Debug, Default)]
pub(crate) struct Import {
    pub(crate) cases: Vec<Imported>,
    pub(crate) skipped: Vec<Skipped>,
    names: HashSet<String>,
}

/// A case, with remarks about it.
#[derive(Debug)]
pub(crate) struct Imported {
    pub(crate) case: Case,
    /// Whether its expectation was recorded; otherwise it is the oracle's.
    pub(crate) recorded: bool,
    /// How the recorded output contradicts the data, in words.
    pub(crate) difference: Option<String>,
}

/// A Reshape that did not become a case.
#[derive(Debug)]
pub(crate) struct Skipped {
    pub(crate) file: PathBuf,
    /// The name of the node; empty if it has no name.
    pub(crate) node: String,
    /// The reason, in words.
    pub(crate) why: String,
}

/// Reads files and folders. The error has the faults of every faulty file, or says that a path is unreadable.
pub(crate) fn import(paths: &[PathBuf]) -> Result<Import, Error> {
    let (mut import, mut faults) = (Import::default(), Vec::new());
    for path in paths {
        for item in items(path)? {
            let read = match item {
                Item::NodeTest(folder) => import.node_test(&folder),
                Item::File(path) => import.file(&path),
            };
            match read {
                Err(Error::Faults(found)) => faults.extend(found),
                read => read?,
            }
        }
    }
    Error::if_any(faults)?;
    Ok(import)
}

impl Import {
    /// A model with its recorded runs.
    fn node_test(&mut self, folder: &Path) -> Result<(), Error> {
        let model = folder.join("model.onnx");
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let name = name.strip_prefix("test_").unwrap_or(&name).to_owned();
        let sets = files::data_sets(folder)?;
        if sets.is_empty() {
            self.found(&model, &name, read_onnx(&model, &Run::default())?);
        }
        for (index, set) in sets.iter().enumerate() {
            let run = Run {
                inputs: tensors(set, "input")?,
                outputs: tensors(set, "output")?,
            };
            let name = match index {
                0 => name.clone(),
                _ => format!("{name}-set-{index}"),
            };
            self.found(&model, &name, read_onnx(&model, &run)?);
        }
        Ok(())
    }

    /// A model without a recorded run.
    fn file(&mut self, path: &Path) -> Result<(), Error> {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        self.found(path, &stem.clone(), read_model(path)?);
        Ok(())
    }

    /// Adds the Reshapes of a file. The name of each case contains `name`.
    fn found(&mut self, file: &Path, name: &str, found: Vec<Found>) {
        let shown = file.file_name().unwrap_or_default().to_string_lossy();
        let is_node_test = file.file_name().is_some_and(|name| name == "model.onnx");
        let several = found.len() > 1 || !is_node_test;
        for of in found {
            let (node, found) = (of.name, of.node);
            let about = match node.is_empty() {
                true => format!("a Reshape of {name} ({shown})"),
                false => format!("the Reshape '{node}' of {name} ({shown})"),
            };
            let parts: &[&str] = if several { &[name, &node] } else { &[name] };
            let name = case_name(parts, "node");
            let read = found.map_err(|why| why.to_string());
            match read.and_then(|found| Ok((case(&name, about, &found)?, found))) {
                Ok((case, found)) => self.add(Imported {
                    case,
                    recorded: found.output.shape().is_some(),
                    difference: changed_elements(&found),
                }),
                Err(why) => self.skipped.push(Skipped {
                    file: file.to_owned(),
                    node,
                    why,
                }),
            }
        }
    }

    /// Adds a case, under a unique name.
    fn add(&mut self, mut imported: Imported) {
        let name = imported.case.name.clone();
        let mut number = 1;
        while !self.names.insert(imported.case.name.clone()) {
            number += 1;
            imported.case.name = format!("{name}-{number}");
        }
        self.cases.push(imported);
    }
}

/// The Reshapes of a model file. Fails when it is unreadable, or not a model.
pub(crate) fn read_model(path: &Path) -> Result<Vec<Found>, Error> {
    if files::has_ending(path, &["onnx"]) {
        return read_onnx(path, &Run::default());
    }
    if files::has_ending(path, &["xml"]) {
        return read_ir(path);
    }
    if files::has_ending(path, &["json"]) {
        return read(path, |bytes, _| onednn_graph::read(bytes));
    }
    let what = "not a model: the name of a model ends in .onnx, .xml or .json";
    Err(files::fault(path, what))
}

fn read_ir(path: &Path) -> Result<Vec<Found>, Error> {
    let text = String::from_utf8(files::read(path)?);
    let text = text.map_err(|_| files::fault(path, "not UTF-8"))?;
    let source = Source::new(&path.to_string_lossy(), &text);
    let bin = || files::read(&path.with_extension("bin")).map_err(|why| why.to_string());
    Ok(reshapes(&source, &bin)?)
}

fn read_onnx(path: &Path, run: &Run) -> Result<Vec<Found>, Error> {
    read(path, |bytes, beside| onnx::read(bytes, run, beside))
}

/// What `of` reads in the bytes of a file, and of the files beside it.
fn read<T>(
    path: &Path,
    of: impl FnOnce(&[u8], ReadExternal<'_>) -> Result<T, String>,
) -> Result<T, Error> {
    let bytes = files::read(path)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    of(&bytes, &|external| files::beside(folder, external)).map_err(|why| files::fault(path, why))
}

/// The inputs or the outputs of the recorded run in a folder `test_data_set_N`.
fn tensors(set: &Path, kind: &str) -> Result<Vec<(String, Arc<Tensor>)>, Error> {
    let paths = files::numbered(set, kind).into_iter();
    paths.map(|path| read(&path, onnx::read_tensor)).collect()
}
