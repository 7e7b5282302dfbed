//! The page's data: columns of numbers into tables of words, so that hundreds of thousands of trials stay small.

use crate::event::VerdictKind;
use crate::event::stream::{BackendRecords, Stream};
use crate::event::{Line, LineKind, TrialRecord};
use crate::report::cause::sentence;
use crate::report::style::tame;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

#[derive(Serialize)]
struct Data<'a> {
    /// The kinds of verdict, and which of them are red.
    verdicts: Vec<(&'static str, bool)>,
    words: Vec<&'a str>,
    /// Traces, each once: steps of a sentence (a word), whether it is a fault, and clauses (words).
    traces: Vec<Trace>,
    cases: Vec<CaseData<'a>>,
    /// For each clause that a case tests: its id, level and statement.
    clauses: Vec<(&'a str, String, &'a str)>,
    backends: Vec<BackendData<'a>>,
    /// The file of the run it is compared with.
    before: Option<String>,
}

#[derive(Serialize)]
struct CaseData<'a> {
    name: &'a str,
    file: &'a str,
    line: usize,
    /// By operator (a word): clauses, what is asked, what is expected.
    operators: BTreeMap<usize, (Vec<usize>, &'a str, &'a str)>,
}

#[derive(Serialize)]
struct BackendData<'a> {
    label: String,
    version: String,
    findings: Vec<(String, Vec<usize>)>,
    /// Columns, an entry each trial: the case (`-1` if it was not told), then words.
    case: Vec<i64>,
    names: Vec<usize>,
    operator: Vec<usize>,
    element_type: Vec<usize>,
    binding: Vec<usize>,
    verdict: Vec<usize>,
    microseconds: Vec<u64>,
    /// What there is more of some trials, by their places.
    more: BTreeMap<usize, More<'a>>,
    /// What trials were before, by their places, where that was something else.
    changed: BTreeMap<usize, &'static str>,
    /// Trials that are there now or were before alone.
    new: usize,
    gone: usize,
}

#[derive(Serialize, Default)]
struct More<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<(usize, usize)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attempts: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diff: Vec<(&'static str, String)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<usize>,
    #[serde(skip_serializing_if = "str::is_empty")]
    again: &'a str,
}

type Trace = Vec<(usize, bool, Vec<usize>)>;

/// Things by number, each once.
struct Table<T> {
    all: Vec<T>,
    numbers: HashMap<T, usize>,
}

impl<T: Clone + Eq + std::hash::Hash> Table<T> {
    fn new() -> Self {
        Self {
            all: Vec::new(),
            numbers: HashMap::new(),
        }
    }

    fn number(&mut self, thing: T) -> usize {
        *self.numbers.entry(thing).or_insert_with_key(|thing| {
            self.all.push(thing.clone());
            self.all.len() - 1
        })
    }
}

struct Tables<'a> {
    words: Table<&'a str>,
    traces: Table<Trace>,
}

/// The data as JSON without `<`, `>` and `&`, so that nothing in it can end the element it stands in.
pub(super) fn block(stream: &Stream, before: Option<&Stream>) -> Result<String, String> {
    let (mut tables, mut clauses) = (
        Tables {
            words: Table::new(),
            traces: Table::new(),
        },
        Table::new(),
    );
    let cases = stream.cases.iter().map(|case| CaseData {
        name: &case.case,
        file: &case.file,
        line: case.line,
        operators: case
            .operators
            .iter()
            .map(|one| {
                let ids = one
                    .clauses
                    .iter()
                    .map(|id| clauses.number(id.as_str()))
                    .collect();
                (
                    tables.words.number(&one.operator),
                    (ids, one.asks.as_str(), one.expects.as_str()),
                )
            })
            .collect(),
    });
    let cases: Vec<_> = cases.collect();
    let places: HashMap<&str, i64> = stream
        .cases
        .iter()
        .map(|case| case.case.as_str())
        .zip(0..)
        .collect();
    let backends = stream
        .backends
        .iter()
        .map(|one| backend(one, before, &places, &mut tables))
        .collect();
    let clauses = clauses.all.iter().map(|id| {
        let clause = stream.clause(id);
        let level = clause.map_or_else(String::new, |clause| clause.level.to_string());
        (*id, level, clause.map_or("", |clause| &clause.says))
    });
    let data = Data {
        verdicts: VerdictKind::ALL
            .iter()
            .map(|kind| (kind.name(), kind.is_red()))
            .collect(),
        clauses: clauses.collect(),
        cases,
        backends,
        words: tables.words.all,
        traces: tables.traces.all,
        before: before.map(|before| before.path.display().to_string()),
    };
    let json = serde_json::to_string(&data).map_err(|error| error.to_string())?;
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                safe.push_str(&format!("\\u{:04x}", u32::from(c)))
            }
            c => safe.push(c),
        }
    }
    Ok(safe)
}

fn backend<'a>(
    backend: &'a BackendRecords,
    before: Option<&Stream>,
    places: &HashMap<&str, i64>,
    tables: &mut Tables<'a>,
) -> BackendData<'a> {
    let label = &backend.started.backend;
    let numbers: HashMap<&str, usize> = backend
        .trials
        .iter()
        .map(|trial| trial.trial.as_str())
        .zip(0..)
        .collect();
    let finding = |finding: &crate::event::Finding| {
        let trials = finding
            .cause
            .trials
            .iter()
            .filter_map(|name| numbers.get(name.as_str()).copied());
        (sentence(&finding.cause), trials.collect())
    };
    let mut data = BackendData {
        label: label.to_string(),
        version: tame(&backend.started.version),
        findings: backend.findings.iter().map(finding).collect(),
        case: Vec::new(),
        names: Vec::new(),
        operator: Vec::new(),
        element_type: Vec::new(),
        binding: Vec::new(),
        verdict: Vec::new(),
        microseconds: Vec::new(),
        more: BTreeMap::new(),
        changed: BTreeMap::new(),
        new: 0,
        gone: 0,
    };
    for (at, trial) in backend.trials.iter().enumerate() {
        let case = places.get(trial.case.as_str()).copied().unwrap_or(-1);
        data.case.push(case);
        // The name of a case that was told is in its table.
        data.names.push(if case < 0 {
            tables.words.number(&trial.case)
        } else {
            0
        });
        data.operator.push(tables.words.number(&trial.operator));
        data.element_type
            .push(tables.words.number(&trial.element_type));
        data.binding.push(tables.words.number(&trial.binding));
        data.verdict.push(trial.verdict as usize);
        data.microseconds.push(trial.microseconds);
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
    let were = before
        .map(|before| before.trials_of(label))
        .unwrap_or_default();
    data.gone = were
        .iter()
        .filter(|was| !numbers.contains_key(was.trial.as_str()))
        .count();
    data
}

fn more<'a>(trial: &'a TrialRecord, tables: &mut Tables<'a>) -> Option<More<'a>> {
    let story = trial.detail.as_deref();
    if story.is_none()
        && trial.question.is_none()
        && trial.known_failure.is_none()
        && trial.attempts.is_empty()
    {
        return None;
    }
    let mut more = More {
        question: trial.question.as_ref().map(|answer| {
            (
                tables.words.number(&answer.id),
                tables.words.number(&answer.answer),
            )
        }),
        known: trial
            .known_failure
            .as_ref()
            .map(|reason| tables.words.number(reason)),
        attempts: trial.attempts.iter().map(|kind| kind.name()).collect(),
        ..More::default()
    };
    if let Some(story) = story {
        more.diff = story.diff.iter().map(line).collect();
        let words = &mut tables.words;
        let step = |step: &'a crate::event::TraceStep| {
            let says = words.number(&step.says);
            (
                says,
                step.fault,
                step.clauses.iter().map(|id| words.number(id)).collect(),
            )
        };
        let trace = story.trace.iter().map(step).collect();
        more.trace = Some(tables.traces.number(trace));
        more.again = &story.again;
    }
    Some(more)
}

fn line(line: &Line) -> (&'static str, String) {
    let kind = match line.kind {
        LineKind::Text => "text",
        LineKind::Expected => "expected",
        LineKind::Got => "got",
        LineKind::Mark => "mark",
        LineKind::Same => "same",
        LineKind::Minus => "minus",
        LineKind::Plus => "plus",
        LineKind::Log => "log",
    };
    (kind, tame(&line.text))
}
