//! The page's data: columns of indices into tables of texts, so that large runs stay small.

use crate::event::stream::{BackendRecords, Stream};
use crate::event::{CaseRecord, Finding, TrialRecord, VerdictKind};
use crate::report::cause::sentence;
use crate::report::style::tame;
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;
use std::collections::{BTreeMap, HashMap};
use std::io::Write;

/// An index into a table. A page has at most four thousand million of anything.
type Index = u32;

#[derive(Serialize)]
struct Data<'a> {
    /// The name of each kind of verdict, and whether it is red.
    verdicts: Vec<(&'static str, bool)>,
    /// Texts, each once; "a word" below is an index into them.
    words: Vec<&'a str>,
    /// Traces, each once.
    traces: Vec<Trace>,
    cases: Vec<CaseData<'a>>,
    /// Each clause that a case tests: its id, and its level and statement, empty if the stream does not describe it.
    clauses: Vec<(&'a str, String, &'a str)>,
    backends: Vec<BackendData<'a>>,
    /// Where known failures are reported, by the indices of their reasons (words).
    links: BTreeMap<Index, &'a str>,
    /// The file of the run that this one is compared with.
    before: Option<String>,
}

#[derive(Serialize)]
struct CaseData<'a> {
    name: &'a str,
    file: &'a str,
    line: usize,
    /// For each operator (a word): indices of its clauses, the request, and the expectation.
    operators: BTreeMap<Index, (Vec<Index>, &'a str, &'a str)>,
}

#[derive(Serialize, Default)]
struct BackendData<'a> {
    label: String,
    version: String,
    /// Whether it is only similar to the operators; then it cites no clause.
    similar: bool,
    /// Each finding in a sentence, and the indices of its trials.
    findings: Vec<(String, Vec<Index>)>,
    // Columns with an entry for each trial.
    /// The index of its case; -1 if the stream does not describe it.
    case: Vec<i32>,
    /// The name of its case (a word) if `case` is -1; otherwise 0.
    names: Vec<Index>,
    /// A word.
    operator: Vec<Index>,
    /// A word.
    element_type: Vec<Index>,
    /// A word.
    binding: Vec<Index>,
    /// An index into the verdicts.
    verdict: Vec<u8>,
    microseconds: Vec<u64>,
    /// Further data of some trials, by their indices.
    more: BTreeMap<Index, More<'a>>,
    /// The earlier verdict of the trials whose verdict or failure changed, by their indices.
    changed: BTreeMap<Index, &'static str>,
    /// The number of trials that the earlier run does not have.
    new: usize,
    /// The number of trials that only the earlier run has.
    gone: usize,
}

#[derive(Serialize, Default, PartialEq)]
struct More<'a> {
    /// The open question, and the answer (words).
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<(Index, Index)>,
    /// The reason of its known failure (a word).
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<Index>,
    /// Why this machine cannot run it (a word).
    #[serde(skip_serializing_if = "Option::is_none")]
    unavailable: Option<Index>,
    /// The sample that leaves it out (a word).
    #[serde(skip_serializing_if = "Option::is_none")]
    outside_sample: Option<Index>,
    /// The backend's message if it rejected by accident (a word).
    #[serde(skip_serializing_if = "Option::is_none")]
    accident: Option<Index>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attempts: Vec<&'static str>,
    /// The lines of its diff, each with its kind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diff: Vec<(&'static str, String)>,
    /// An index into the traces.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Index>,
    /// The command that reruns it.
    #[serde(skip_serializing_if = "str::is_empty")]
    again: &'a str,
}

/// The oracle's steps: each a sentence (a word), whether it is a fault, and clause ids (words).
type Trace = Vec<(Index, bool, Vec<Index>)>;

/// A list without duplicates.
#[derive(Default)]
struct Table<T> {
    all: Vec<T>,
    indices: HashMap<T, Index>,
}

impl<T: Clone + Eq + std::hash::Hash> Table<T> {
    /// The index of an item, which is added if it is new.
    fn index(&mut self, item: T) -> Index {
        *self.indices.entry(item).or_insert_with_key(|item| {
            self.all.push(item.clone());
            self.all.len() as Index - 1
        })
    }
}

#[derive(Default)]
struct Tables<'a> {
    words: Table<&'a str>,
    clauses: Table<&'a str>,
    traces: Table<Trace>,
    links: BTreeMap<Index, &'a str>,
}

/// Writes the data as JSON without `<`, `>` and `&`, so that it cannot end its element.
pub(super) fn write(
    out: &mut dyn Write,
    stream: &Stream,
    before: Option<&Stream>,
) -> serde_json::Result<()> {
    let mut tables = Tables::default();
    let cases = stream.cases.iter().map(|record| case(record, &mut tables));
    let cases: Vec<_> = cases.collect();
    let names = stream.cases.iter().map(|case| case.case.as_str());
    let case_indices: HashMap<&str, i32> = names.zip(0..).collect();
    let backends = stream.backends.iter();
    let backends = backends.map(|records| backend(records, before, &case_indices, &mut tables));
    let backends = backends.collect();
    let clauses = tables.clauses.all.iter().map(|id| {
        let clause = stream.clause(id);
        let level = clause.map_or_else(String::new, |clause| clause.level.to_string());
        (*id, level, clause.map_or("", |clause| &clause.description))
    });
    let verdicts = VerdictKind::ALL.iter();
    let data = Data {
        verdicts: verdicts.map(|kind| (kind.name(), kind.is_red())).collect(),
        clauses: clauses.collect(),
        cases,
        backends,
        links: tables.links,
        words: tables.words.all,
        traces: tables.traces.all,
        before: before.map(|before| tame(&before.path.display().to_string())),
    };
    data.serialize(&mut Serializer::with_formatter(out, WithoutMarkup))
}

/// Escapes characters that could be markup, or that end a line in a script.
struct WithoutMarkup;

impl Formatter for WithoutMarkup {
    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> std::io::Result<()> {
        let is_markup = |c| matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}');
        for part in text.split_inclusive(is_markup) {
            let plain = part.trim_end_matches(is_markup);
            out.write_all(plain.as_bytes())?;
            for c in part[plain.len()..].chars() {
                write!(out, "\\u{:04x}", u32::from(c))?;
            }
        }
        Ok(())
    }
}

fn case<'a>(case: &'a CaseRecord, tables: &mut Tables<'a>) -> CaseData<'a> {
    let operators = case.operators.iter().map(|operator| {
        let ids = operator.clauses.iter();
        let clauses = ids.map(|id| tables.clauses.index(id)).collect();
        let index = tables.words.index(&operator.operator);
        (index, (clauses, &*operator.asks, &*operator.expects))
    });
    CaseData {
        name: &case.case,
        file: &case.file,
        line: case.line,
        operators: operators.collect(),
    }
}

fn backend<'a>(
    backend: &'a BackendRecords,
    before: Option<&Stream>,
    case_indices: &HashMap<&str, i32>,
    tables: &mut Tables<'a>,
) -> BackendData<'a> {
    let label = &backend.started.backend;
    let finding = |finding: &Finding| {
        let trials = finding.cause.trials.iter();
        let trials = trials.filter_map(|name| Some(backend.position(name)? as Index));
        (sentence(&finding.cause), trials.collect())
    };
    let mut data = BackendData {
        label: label.to_string(),
        version: tame(&backend.started.version),
        similar: backend.started.only_similar,
        findings: backend.findings.iter().map(finding).collect(),
        ..BackendData::default()
    };
    for (at, trial) in (0..).zip(&backend.trials) {
        data.push(trial, case_indices.get(trial.case()).copied(), tables);
        if let Some(more) = more(trial, tables) {
            data.more.insert(at, more);
        }
        match before.map(|before| before.trial(label, &trial.trial)) {
            Some(Some(was)) if was.verdict != trial.verdict || was.failure != trial.failure => {
                data.changed.insert(at, was.verdict.name());
            }
            Some(None) => data.new += 1,
            Some(Some(_)) | None => {}
        }
    }
    let earlier = before.map_or(&[][..], |before| before.trials_of(label));
    let gone = |was: &&TrialRecord| backend.position(&was.trial).is_none();
    data.gone = earlier.iter().filter(gone).count();
    data
}

impl<'a> BackendData<'a> {
    /// Adds a trial to every column.
    fn push(&mut self, trial: &'a TrialRecord, case: Option<i32>, tables: &mut Tables<'a>) {
        let words = &mut tables.words;
        self.case.push(case.unwrap_or(-1));
        self.names.push(match case {
            Some(_) => 0,
            None => words.index(trial.case()),
        });
        self.operator.push(words.index(trial.operator()));
        self.element_type.push(words.index(trial.element_type()));
        self.binding.push(words.index(trial.binding()));
        self.verdict.push(trial.verdict as u8);
        self.microseconds.push(trial.microseconds);
    }
}

/// The further data of a trial, if it has any.
fn more<'a>(trial: &'a TrialRecord, tables: &mut Tables<'a>) -> Option<More<'a>> {
    let words = &mut tables.words;
    let mut word = |text: &'a str| words.index(text);
    let known = trial.known_failure.as_deref().map(&mut word);
    let entry = trial.known_failure_entry.as_ref();
    let link = known.zip(entry.and_then(|entry| entry.link.as_deref()));
    tables.links.extend(link);
    let question = trial.question.as_ref();
    let mut more = More {
        question: question.map(|of| (word(&of.id), word(&of.answer))),
        known,
        unavailable: trial.unavailable.as_deref().map(&mut word),
        outside_sample: trial.outside_sample.as_deref().map(&mut word),
        accident: trial.accident().map(&mut word),
        attempts: trial.attempts.iter().map(|kind| kind.name()).collect(),
        ..More::default()
    };
    if let Some(detail) = trial.detail.as_deref() {
        let lines = detail.diff.iter();
        more.diff = lines.map(|of| (of.kind.name(), tame(&of.text))).collect();
        let trace = detail.trace.iter().map(|step| {
            let description = word(&step.description);
            let clauses = step.clauses.iter().map(|id| word(id)).collect();
            (description, step.fault, clauses)
        });
        more.trace = Some(tables.traces.index(trace.collect()));
        more.again = &detail.again;
    }
    (more != More::default()).then_some(more)
}
