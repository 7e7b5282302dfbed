//! Suites: the cases of several files together, with every name unique.

use crate::error::{Error, Fault, Source};
use crate::suite::case::{Case, MAX_FILE_BYTES, read_file};
use crate::suite::record;
use include_dir::{Dir, include_dir};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::hash::Hash;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/cases");

/// The cases of a run, in the order of their files and their order within a file.
#[derive(Debug, Default)]
pub struct Suite {
    cases: Vec<Arc<Case>>,
    /// All files, even those without a readable case.
    files: Vec<Source>,
    /// The entries of the given folders that are not read, in a sentence each.
    pub(crate) skipped: Vec<String>,
    /// Whether it is the suite built into this crate.
    is_built_in: bool,
}

impl Suite {
    /// The suite built into this crate: the files under `cases/`.
    ///
    /// # Errors
    /// Every fault in them.
    pub fn built_in() -> Result<Self, Error> {
        let mut files: Vec<_> = BUILT_IN
            .find("**/*")
            .map_err(|error| Error::Internal(error.to_string()))?
            .collect();
        files.sort_by_key(|entry| entry.path().to_owned());
        let mut reader = Reader::default();
        reader.suite.is_built_in = true;
        for file in files.into_iter().filter_map(|entry| entry.as_file()) {
            let name = format!("cases/{}", file.path().display());
            if !is_case_file(file.path()) {
                continue;
            }
            reader.read(Source::new(&name, file.contents_utf8().unwrap_or_default()));
        }
        Error::if_any(reader.faults)?;
        Ok(reader.suite)
    }

    /// The suite of these files and folders.
    ///
    /// # Errors
    /// Every fault in them; or that a path is unreadable.
    pub fn from_paths(paths: &[PathBuf]) -> Result<Self, Error> {
        let (suite, _, faults) = Self::read_paths(paths)?;
        Error::if_any(faults)?;
        Ok(suite)
    }

    /// The faultless cases of these files, what is readable of others, and every fault. Fails when a path is unreadable.
    pub(crate) fn read_paths(paths: &[PathBuf]) -> Result<(Self, Vec<Case>, Vec<Fault>), Error> {
        let files = Files::of(paths)?;
        let mut reader = Reader::default();
        reader.suite.skipped = files.skipped;
        for path in &files.files {
            match read_source(path) {
                Ok(source) => reader.read(source),
                Err(Error::Faults(faults)) => reader.faults.extend(faults),
                Err(error) => return Err(error),
            }
        }
        Ok((reader.suite, reader.faulty, reader.faults))
    }

    /// These cases, and those of another suite with other names.
    pub(crate) fn joined(&self, other: &Self) -> Self {
        let mut cases = self.cases.clone();
        let is_new = |case: &&Arc<Case>| self.case(&case.name).is_none();
        cases.extend(other.cases.iter().filter(is_new).cloned());
        Self {
            cases,
            ..Self::default()
        }
    }

    /// The cases.
    #[must_use]
    pub fn cases(&self) -> &[Arc<Case>] {
        &self.cases
    }

    /// A hash of the names and contents of the files; equal only if every byte of the suite is.
    #[must_use]
    pub fn hash(&self) -> String {
        let mut hasher = Xxh3::new();
        for source in &self.files {
            (&source.file, &source.text).hash(&mut hasher);
        }
        format!("{:032x}", hasher.digest128())
    }

    /// The version of the suite; `None` if it is not the built-in one.
    pub(crate) fn version(&self) -> Option<&'static str> {
        self.is_built_in.then(record::version)
    }

    /// The origin of its cases, in words.
    pub(crate) fn place(&self) -> &'static str {
        match self.is_built_in {
            true => "the built-in suite",
            false => "the given files",
        }
    }

    /// The case of that name.
    #[must_use]
    pub fn case(&self, name: &str) -> Option<&Arc<Case>> {
        self.cases.iter().find(|case| case.name == name)
    }
}

#[derive(Default)]
struct Reader {
    suite: Suite,
    /// The file and the place of the first case with each name.
    places: HashMap<String, (Source, usize)>,
    faulty: Vec<Case>,
    faults: Vec<Fault>,
}

impl Reader {
    fn read(&mut self, source: Source) {
        let mut file = read_file(&source);
        if file.whole.is_empty() && file.faults.is_empty() {
            let fault = Fault::new(&source, 0..0, "no case in this file");
            self.faults
                .push(fault.hint(match source.file.ends_with(".xml") {
                    true => "a case is a `<case name=\"…\">`",
                    false => "a case begins with `- name: …`",
                }));
        }
        let again = self.check_names(&source, std::mem::take(&mut file.names));
        for case in file.whole {
            match again.contains(&case.span) {
                true => file.faulty.push(case),
                false => self.suite.cases.push(Arc::new(case)),
            }
        }
        self.faulty.append(&mut file.faulty);
        self.faults.append(&mut file.faults);
        self.suite.files.push(source);
    }

    /// Notes each name that another case already has; returns the places of these names.
    fn check_names(
        &mut self,
        source: &Source,
        names: Vec<(String, Range<usize>)>,
    ) -> HashSet<Range<usize>> {
        let mut again = HashSet::new();
        for (name, span) in names {
            let Some((other, at)) = self.places.get(&name) else {
                self.places.insert(name, (source.clone(), span.start));
                continue;
            };
            let (line, _) = other.line_and_column(*at);
            let message = format!("a case '{name}' already exists at {}:{line}", other.file);
            let fault = Fault::new(source, span.clone(), message);
            self.faults
                .push(fault.hint("give each case of the suite its own name"));
            again.insert(span);
        }
        again
    }
}

fn is_case_file(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| {
        let mut endings = ["yaml", "yml", "xml"].into_iter();
        endings.any(|known| ending.eq_ignore_ascii_case(known))
    })
}

/// The case files of some paths, each once.
#[derive(Default)]
struct Files {
    files: Vec<PathBuf>,
    /// The same paths, without links and detours.
    seen: HashSet<PathBuf>,
    skipped: Vec<String>,
}

impl Files {
    fn of(paths: &[PathBuf]) -> Result<Self, Error> {
        let mut files = Self::default();
        for path in paths {
            let what = path.metadata();
            let what = what.map_err(|why| Error::unreadable(path, why))?;
            if what.is_dir() {
                files.folder(path)?;
            } else if what.is_file() {
                files.add(path);
            } else {
                let why = "it is neither a file nor a folder; write its text to a file first";
                let why = std::io::Error::new(std::io::ErrorKind::InvalidInput, why);
                return Err(Error::unreadable(path, why));
            }
        }
        match files.files.is_empty() {
            true => Err(Error::NothingSelected(
                "no case files (.yaml, .yml or .xml) in the given paths".to_owned(),
            )),
            false => Ok(files),
        }
    }

    fn add(&mut self, path: &Path) {
        let same = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if self.seen.insert(same) {
            self.files.push(path.to_owned());
        }
    }

    fn folder(&mut self, folder: &Path) -> Result<(), Error> {
        for entry in entries(folder)? {
            let name = entry.file_name().unwrap_or_default().to_string_lossy();
            let is_document = name.ends_with(".md") || name.ends_with(".txt");
            // Editors hide their lock and swap files, and tools hide their folders.
            if name.starts_with('.') {
                if entry.is_dir() || is_case_file(&entry) {
                    self.skip(&entry, "hidden");
                }
            } else if entry.is_dir() && entry.is_symlink() {
                // It could form a cycle.
                self.skip(&entry, "a link to a folder");
            } else if entry.is_dir() {
                self.folder(&entry)?;
            } else if is_case_file(&entry) && entry.is_file() {
                self.add(&entry);
            } else if is_case_file(&entry) {
                self.skip(&entry, "not a file");
            } else if !is_document {
                self.skip(
                    &entry,
                    "not a case file, whose name ends in .yaml, .yml or .xml",
                );
            }
        }
        Ok(())
    }

    fn skip(&mut self, path: &Path, why: &str) {
        self.skipped
            .push(format!("{} is not read: it is {why}", path.display()));
    }
}

/// The entries of a folder, in the order of their names.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = |why| Error::unreadable(folder, why);
    let entries = folder.read_dir().map_err(failed)?;
    let entries = entries.map(|entry| entry.map(|of| of.path()));
    let mut entries: Vec<_> = entries.collect::<Result<_, _>>().map_err(failed)?;
    entries.sort();
    Ok(entries)
}

/// The bytes of a file; of a file of more than `most` bytes, these and one more.
pub(in crate::suite) fn read_limited(path: &Path, most: u64) -> Result<Vec<u8>, Error> {
    let failed = |why| Error::unreadable(path, why);
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    let read = file.take(most + 1).read_to_end(&mut bytes);
    read.map_err(failed)?;
    Ok(bytes)
}

/// The case files in these files and folders, each once, and a sentence for each other entry of the folders. Fails when
/// one of them is unreadable, or there are no case files.
pub(crate) fn case_files(paths: &[PathBuf]) -> Result<(Vec<PathBuf>, Vec<String>), Error> {
    Files::of(paths).map(|files| (files.files, files.skipped))
}

/// Reads a case file. Fails when it is unreadable, too long, or not UTF-8.
pub(crate) fn read_source(path: &Path) -> Result<Source, Error> {
    let bytes = read_limited(path, MAX_FILE_BYTES)?;
    let name = path.to_string_lossy();
    if bytes.len() as u64 > MAX_FILE_BYTES {
        let message = format!("more than {} MiB", MAX_FILE_BYTES >> 20);
        return Err(Fault::new(&Source::new(&name, ""), 0..0, message)
            .hint("a case file has one theme: split it, or generate fewer cases")
            .into());
    }
    Ok(Source::of_bytes(&name, &bytes)?)
}
