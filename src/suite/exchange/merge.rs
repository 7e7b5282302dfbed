//! The trials of `trials.json` as cases: all trials of a case together, if one case can express them.

use super::found_case::{UNNAMED, content, zero_mode};
use super::record::{TrialRecord, TrialsFile};
use crate::model::surroundings::Surrounding;
use crate::semantics::operator::{Binding, ClauseOf, Operator, Rule};
use crate::semantics::request::{Attributes, Request, Target};
use crate::suite::case::{Case, Content, Cover, Expectation, Stated, case_name, check_size};
use crate::tensor::{Count, ElementType, Tensor};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Why a file is faulty, in words.
pub(super) struct Faulty(pub(super) String);

/// A trial, with its names resolved.
#[derive(Debug)]
pub(super) struct Piece {
    /// Its name.
    pub(super) name: String,
    pub(super) operator: &'static Operator,
    pub(super) element_type: ElementType,
    pub(super) binding: Binding,
    /// The surrounding; `None` for the node alone.
    pub(super) surrounding: Option<Surrounding>,
    pub(super) attributes: Attributes,
    pub(super) target: Option<Target>,
    pub(super) data: Arc<Tensor>,
    pub(super) expectation: Expectation,
    pub(super) clauses: Vec<ClauseOf>,
    /// A remark about its files, in words.
    pub(super) difference: Option<String>,
}

impl Piece {
    /// Its request.
    pub(super) fn request(&self) -> Request {
        Request {
            operator: self.operator,
            element_type: self.element_type,
            data_shape: self.data.shape().to_vec(),
            target: self.target.clone(),
            attributes: self.attributes.clone(),
        }
    }
}

/// Compares a trial with the file or folder that holds it, and returns how they differ.
type Look<'l, E> = dyn FnMut(&Piece, &str) -> Result<Option<String>, E> + 'l;

/// The cases of a file, in the order of their first trials, each with the differences of its trials. They contain no
/// trials in surroundings, because every case gets these again; `others` gets their differences. `look` compares a
/// trial with its file or folder.
pub(super) fn cases<E: From<Faulty>>(
    file: &TrialsFile,
    others: &mut Vec<String>,
    look: &mut Look<'_, E>,
) -> Result<Vec<(Case, Vec<String>)>, E> {
    let mut names: Vec<&str> = Vec::new();
    let mut pieces: HashMap<&str, Vec<Piece>> = HashMap::new();
    let mut tensors = vec![None; file.tensors.len()];
    let mut listed = HashSet::new();
    for record in &file.trials {
        let piece = piece(file, record, &mut tensors);
        let named = |why| Faulty(format!("the trial '{}': {why}", record.trial));
        let mut piece = piece.map_err(named)?;
        if !listed.insert(record.trial.as_str()) {
            return Err(named("it is listed twice".to_owned()).into());
        }
        if let Some(path) = &record.path {
            let difference = look(&piece, path)?;
            piece.difference = difference.map(|of| format!("{}: {of}", record.trial));
        }
        if piece.surrounding.is_some() {
            others.extend(piece.difference);
            continue;
        }
        let of_case = pieces.entry(&record.case).or_insert_with(|| {
            names.push(&record.case);
            Vec::new()
        });
        of_case.push(piece);
    }
    let mut cases = Vec::new();
    for name in names {
        let pieces = pieces.remove(name).unwrap_or_default();
        let cases_of_name = of_name(
            &case_name(&[name], UNNAMED),
            &pieces.iter().collect::<Vec<_>>(),
        );
        let mut differences: Vec<_> = pieces.into_iter().filter_map(|of| of.difference).collect();
        for case in cases_of_name.map_err(Faulty)? {
            cases.push((case, std::mem::take(&mut differences)));
        }
    }
    Ok(cases)
}

fn piece(
    file: &TrialsFile,
    record: &TrialRecord,
    tensors: &mut [Option<Arc<Tensor>>],
) -> Result<Piece, String> {
    let operator = Operator::named(&record.operator)
        .ok_or_else(|| format!("unknown operator '{}'", record.operator))?;
    let binding: Binding = record.binding.parse().map_err(|why| format!("{why}"))?;
    if !operator.bindings.contains(&binding) {
        return Err(format!("{operator} has no binding {binding}"));
    }
    let surrounding = record.surrounding.as_ref();
    let surrounding: Option<Surrounding> = surrounding
        .map(|of| of.parse().map_err(|why| format!("{why}")))
        .transpose()?;
    let around = surrounding.map_or_else(String::new, |of| format!("+{of}"));
    let (case, element_type) = (&record.case, record.element_type);
    let name = format!("{case}/{operator}/{element_type}/{binding}{around}");
    if record.trial != name {
        return Err(format!("its fields belong to '{name}'"));
    }
    let data = match tensors.get(record.data).and_then(Option::as_ref) {
        Some(data) => Arc::clone(data),
        None => Arc::new(file.data(record)?),
    };
    if let Some(known) = tensors.get_mut(record.data) {
        *known = Some(Arc::clone(&data));
    }
    if data.element_type() != record.element_type {
        return Err(format!("its data has the type {}", data.element_type()));
    }
    if let Some(Target { dims, values, .. }) = &record.target
        && Count::of(dims).as_u64() != Some(values.len() as u64)
    {
        let count = values.len();
        return Err(format!("{count} target values in the shape {dims:?}"));
    }
    let clause = |id: &String| {
        let found = Operator::clause(id).filter(|of| of.operator == operator);
        found.ok_or_else(|| format!("{operator} has no clause '{id}'"))
    };
    let clauses = record.clauses.iter().map(clause);
    Ok(Piece {
        name,
        operator,
        element_type: record.element_type,
        binding,
        surrounding,
        attributes: record.attributes.clone(),
        target: record.target.clone(),
        data,
        expectation: record.expectation.clone().into(),
        clauses: clauses.collect::<Result<_, _>>()?,
        difference: None,
    })
}

/// The trials with one name as one case; else, for each operator and element type, a case with both in its name.
fn of_name(name: &str, pieces: &[&Piece]) -> Result<Vec<Case>, String> {
    if let Some(case) = whole(name, pieces) {
        return Ok(vec![case]);
    }
    let mut cases = Vec::new();
    let mut rest = pieces.to_vec();
    while let Some(first) = rest.first().copied() {
        let alike =
            |of: &&Piece| of.operator == first.operator && of.element_type == first.element_type;
        let (part, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(alike);
        rest = others;
        let name = case_name(
            &[name, first.operator.name, first.element_type.name()],
            UNNAMED,
        );
        cases.push(whole(&name, &part).ok_or_else(|| why_not_whole(&part))?);
    }
    Ok(cases)
}

/// Why trials with one name, operator and element type are not one case.
fn why_not_whole(pieces: &[&Piece]) -> String {
    let of_two = pieces.iter().find_map(|of| {
        let first = pieces.first()?;
        let what = match of {
            of if of.expectation != first.expectation => "expectation",
            of if of.attributes != first.attributes => "attributes",
            of if of.target != first.target => "target",
            of if of.data != first.data => "data",
            _ => return None,
        };
        let (one, other) = (&first.name, &of.name);
        Some(format!(
            "the trials '{one}' and '{other}' are of one case but differ in their {what}"
        ))
    });
    of_two.unwrap_or_else(|| {
        let names: Vec<_> = pieces.iter().take(2).map(|of| of.name.as_str()).collect();
        format!("no case has the trials {}", names.join(", "))
    })
}

/// The items in the order of their first occurrence, each once.
fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for item in items {
        if !distinct.contains(&item) {
            distinct.push(item);
        }
    }
    distinct
}

/// One case with exactly these trials; `None` if no case has them.
fn whole(name: &str, pieces: &[&Piece]) -> Option<Case> {
    let first = *pieces.first()?;
    let data_shape = first.data.shape();
    let mut all = pieces.iter();
    if !all.all(|of| of.data.shape() == data_shape && of.target == first.target) {
        return None;
    }
    let operators = distinct(pieces.iter().map(|of| of.operator));
    let types = distinct(pieces.iter().map(|of| of.element_type));
    let element_types = element_types(pieces, &operators, &types)?;
    let bindings = bindings(pieces, &operators)?;
    let mut expectations = Vec::new();
    for operator in &operators {
        let of = distinct(of_operator(pieces, operator).map(|of| &of.expectation));
        let attributes = distinct(of_operator(pieces, operator).map(|of| &of.attributes));
        let ([expectation], [_]) = (of.as_slice(), attributes.as_slice()) else {
            return None;
        };
        expectations.push((*operator, (*expectation).clone()));
    }
    let attributes_of = |operator: &'static Operator| {
        let mut pieces = of_operator(pieces, operator);
        pieces.next().map_or(&first.attributes, |of| &of.attributes)
    };
    let (zero, attributes) = zero_mode(&operators, first.target.as_ref(), attributes_of);
    if let Some(attributes) = &attributes
        && operators.iter().any(|of| attributes_of(of) != attributes)
    {
        return None;
    }
    let content = content_of(pieces, &types)?;
    check_size(data_shape, &types).ok()?;
    let mut case = Case {
        covers: covers(pieces, &operators),
        expectations: Stated::grouped(expectations),
        element_types,
        content,
        attributes,
        bindings,
        ..Case::asked(
            name,
            operators,
            data_shape.to_vec(),
            first.target.clone(),
            zero,
        )
    };
    // A trial names every clause of its case, but some of the trials may concern fewer.
    let mut shown = case.covers.clone();
    shown.retain(|of| case.shows_cover(of));
    if !shown.is_empty() {
        case.covers = shown;
    }
    Some(case)
}

fn of_operator<'p>(
    pieces: &'p [&'p Piece],
    operator: &'static Operator,
) -> impl Iterator<Item = &'p Piece> {
    let pieces = pieces.iter().copied();
    pieces.filter(move |of| of.operator == operator)
}

/// The element types that a case states, if every operator has them. `Some(None)`: each operator has its own.
#[allow(
    clippy::option_option,
    reason = "a case that says none is one of the answers"
)]
fn element_types(
    pieces: &[&Piece],
    operators: &[&'static Operator],
    types: &[ElementType],
) -> Option<Option<Vec<ElementType>>> {
    let has = |operator: &'static Operator, types: &[ElementType]| {
        let found = distinct(of_operator(pieces, operator).map(|of| of.element_type));
        found.len() == types.len() && found.iter().all(|of| types.contains(of))
    };
    if operators.iter().all(|of| has(of, of.element_types)) {
        return Some(None);
    }
    let same = operators.iter().all(|of| has(of, types));
    same.then(|| Some(types.to_vec()))
}

/// The bindings that a case states, if each operator and element type has them. `Some(None)`: they are all bindings of
/// the operators.
#[allow(
    clippy::option_option,
    reason = "a case that says none is one of the answers"
)]
fn bindings(pieces: &[&Piece], operators: &[&'static Operator]) -> Option<Option<Vec<Binding>>> {
    let found = distinct(pieces.iter().map(|of| of.binding));
    let has_target = pieces.first()?.target.is_some();
    let (mut all, mut count) = (true, 0);
    for operator in operators {
        let runtime =
            |of: &Binding| of.source() == crate::semantics::operator::TargetSource::Runtime;
        let own = operator
            .bindings
            .iter()
            .filter(|of| has_target || !runtime(of));
        let said = own.clone().filter(|of| found.contains(of)).count();
        all &= said == own.count();
        let types = distinct(of_operator(pieces, operator).map(|of| of.element_type));
        count += said * types.len();
    }
    // Each of them occurs exactly once.
    let cells = distinct(
        pieces
            .iter()
            .map(|of| (of.operator, of.element_type, of.binding)),
    );
    let exact = count == pieces.len() && cells.len() == pieces.len();
    exact.then(|| (!all).then_some(found))
}

/// The content that gives the data of every trial.
fn content_of(pieces: &[&Piece], types: &[ElementType]) -> Option<Content> {
    let mut tensors = Vec::new();
    for element_type in types {
        let of = pieces.iter().filter(|of| of.element_type == *element_type);
        let [one] = distinct(of.map(|of| &*of.data)).try_into().ok()?;
        tensors.push(one);
    }
    content(&tensors)
}

/// The rules and clauses that the trials test: a rule where all of its clauses occur.
fn covers(pieces: &[&Piece], operators: &[&'static Operator]) -> Vec<Cover> {
    let mut clauses = distinct(pieces.iter().flat_map(|of| of.clauses.iter().copied()));
    let mut covers = Vec::new();
    for rule in Rule::ALL.iter().copied().filter(|rule| rule.is_citable()) {
        let of_rule: Vec<_> = operators
            .iter()
            .flat_map(|of| of.clauses_of(rule))
            .collect();
        let tested = |of: &ClauseOf| pieces.iter().any(|piece| piece.clauses.contains(of));
        if !of_rule.is_empty() && of_rule.iter().all(tested) {
            covers.push(Cover::Rule(rule));
            clauses.retain(|of| !of_rule.contains(of));
        }
    }
    covers.extend(clauses.into_iter().map(Cover::Clause));
    if covers.is_empty() {
        covers.push(Cover::Rule(Rule::SameContent));
    }
    covers
}
