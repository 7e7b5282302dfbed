//! Operators and clauses by name, and the selectors of cases, manifests and the command line.

use super::clause::Clause;
use super::definition::Operator;
use super::family::{self, Family, ModelFiles};
use super::rule::Rule;
use super::table::OPERATORS;
use crate::names::{Joined, deserialize_from_str, suggestion};
use std::fmt;
use std::str::FromStr;

/// A set of operators as written: a family (`onnx`), one operator (`onnx.Reshape-14`), or a family with conditions on
/// the version that all hold (`onnx >= 14`, `onnx >= 14, < 25`).
#[derive(Debug, Clone)]
pub struct Selector {
    operators: Vec<&'static Operator>,
}

impl Selector {
    /// The operators that it selects, in the table's order; at least one.
    #[must_use]
    pub fn operators(&self) -> &[&'static Operator] {
        &self.operators
    }
}

/// Why a text names no operator.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SelectorError(String);

/// The clauses with an id in which a family or a range may stand for operators: `onnx >= 14/zero-copies`.
pub(crate) fn clauses_named(id: &str) -> Vec<ClauseOf> {
    let (of, id) = id.split_once('/').unwrap_or_default();
    let selector = of.parse::<Selector>().ok();
    let operators = selector.iter().flat_map(Selector::operators);
    let clauses = operators.flat_map(|operator| operator.clauses());
    clauses.filter(|of| of.clause.id == id).collect()
}

impl FromStr for Selector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        let text = text.trim();
        let error = |why| Err(SelectorError(why));
        if let Some(operator) = Operator::named(text) {
            return Ok(Self {
                operators: vec![operator],
            });
        }
        let end = text
            .find(|c: char| !(c.is_ascii_lowercase() || c == '-'))
            .unwrap_or(text.len());
        let (family, range) = text.split_at(end);
        let Ok(family) = family.parse::<Family>() else {
            return error(unknown(text));
        };
        let name = range.strip_prefix('.');
        if let Some((_, version)) = name.and_then(|name| name.rsplit_once('-')) {
            let versions = versions(family, version);
            return error(format!("unknown operator '{text}': {versions}"));
        }
        if range.starts_with('.') {
            return error(unknown(text));
        }
        let Some(conditions) = conditions(range.trim()) else {
            let mut others = text.split(',').skip(1);
            return error(match others.any(|part| part.parse::<Self>().is_ok()) {
                true => format!("'{text}' is more than one operator; name each by itself"),
                false => format!(
                    "'{text}' is not a range of operators; a range is a family and conditions on its version, such as \
                     'onnx >= 14' or 'onnx >= 14, < 25'; the conditions are >=, >, <=, < and =="
                ),
            });
        };
        let is_in = |of: &&Operator| conditions.iter().all(|holds| holds(of.version));
        let operators: Vec<_> = family.operators().filter(is_in).collect();
        if operators.is_empty() {
            let versions = versions(family, range.trim().trim_start_matches('=').trim());
            return error(format!("'{text}' holds for no operator: {versions}"));
        }
        Ok(Self { operators })
    }
}

/// Whether a version is in the range.
type Condition = Box<dyn Fn(u32) -> bool>;

/// The conditions of a range; empty without a range.
fn conditions(range: &str) -> Option<Vec<Condition>> {
    if range.is_empty() {
        return Some(Vec::new());
    }
    let parts = range.split(',');
    parts.map(|part| condition(part.trim())).collect()
}

fn condition(text: &str) -> Option<Condition> {
    let (sign, version) = text.split_at(text.find(|c: char| c.is_ascii_digit() || c == ' ')?);
    let version = family::version(version.trim())?;
    Some(match sign {
        ">=" => Box::new(move |v| v >= version),
        ">" => Box::new(move |v| v > version),
        "<=" => Box::new(move |v| v <= version),
        "<" => Box::new(move |v| v < version),
        "==" | "=" => Box::new(move |v| v == version),
        _ => return None,
    })
}

/// The versions in which a family's operator changed, and the one that holds in `version` of the family.
fn versions(family: Family, written: &str) -> String {
    let all: Vec<_> = family.operators().collect();
    let [only] = all.as_slice() else {
        let changed = all.iter().map(|of| of.version_written()).joined(", ");
        let changed = format!("Reshape changed at {family} {changed}");
        let before = |version: u32| all.iter().rev().find(|of| of.version <= version);
        return match family::version(written).and_then(before) {
            Some(holds) => format!("{changed}, and {family} {written} runs {holds}"),
            None => changed,
        };
    };
    format!("{family} has only {only}")
}

fn unknown(text: &str) -> String {
    let families = Family::ALL.iter().map(|family| family.name());
    let operators = OPERATORS.iter().map(|operator| operator.name);
    let all = format!(
        "write one of {}, a range such as 'onnx >= 14' or 'onnx >= 14, < 25', or one of {}",
        families.clone().joined(", "),
        operators.clone().joined(", ")
    );
    let hint = suggestion(text, families.chain(operators), all);
    format!("'{text}' is no operator and no family; {hint}")
}

deserialize_from_str!(Selector);

/// Operators in short: their family if they are all of it, otherwise a range or names.
pub(crate) fn in_short(some: &[&'static Operator]) -> String {
    let mut names = Vec::new();
    for family in Family::ALL {
        let all: Vec<_> = family.operators().collect();
        let own: Vec<_> = all.iter().copied().filter(|of| some.contains(of)).collect();
        let name = family.name();
        let [first, rest @ ..] = own.as_slice() else {
            continue;
        };
        let from = all.iter().position(|of| of == first).unwrap_or(0);
        let end = from + own.len();
        match (all[from..].starts_with(&own), from == 0, end == all.len()) {
            (true, true, true) => names.push(name.to_owned()),
            (true, false, true) if !rest.is_empty() => {
                names.push(format!("{name} >= {}", first.version_written()))
            }
            (true, true, false) if !rest.is_empty() => {
                names.push(format!("{name} < {}", all[end].version_written()))
            }
            _ => names.extend(own.iter().map(|operator| operator.name.to_owned())),
        }
    }
    names.join(", ")
}

/// A clause of a certain operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClauseOf {
    /// The operator whose text holds the clause.
    pub operator: &'static Operator,
    /// The clause.
    pub clause: &'static Clause,
}

impl fmt::Display for ClauseOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.operator.name, self.clause.id)
    }
}

impl serde::Serialize for ClauseOf {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Operator {
    /// The operator of that versioned name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        OPERATORS.iter().find(|operator| operator.name == name)
    }

    /// The clause of that id, such as `onnx.Reshape-14/zero-copies`.
    #[must_use]
    pub fn clause(id: &str) -> Option<ClauseOf> {
        let (operator, clause) = id.split_once('/')?;
        Self::named(operator)?
            .clauses()
            .find(|of| of.clause.id == clause)
    }

    /// Every clause of its text.
    pub fn clauses(&'static self) -> impl Iterator<Item = ClauseOf> {
        let clauses = self.clauses.iter().copied().flatten();
        clauses.map(move |clause| ClauseOf {
            operator: self,
            clause,
        })
    }

    /// The clauses of its text about this rule.
    pub fn clauses_of(&'static self, rule: Rule) -> impl Iterator<Item = ClauseOf> {
        self.clauses().filter(move |of| of.clause.is_about(rule))
    }

    /// Whether its text has a clause about this rule.
    pub(crate) fn states(&'static self, rule: Rule) -> bool {
        self.clauses_of(rule).next().is_some()
    }
}

impl Family {
    /// Its operators, in the order of their versions.
    fn operators(self) -> impl DoubleEndedIterator<Item = &'static Operator> {
        OPERATORS.iter().filter(move |of| of.family == self)
    }
}

impl ModelFiles {
    /// The operators whose models are kept in this format.
    pub(crate) fn operators(self) -> impl Iterator<Item = &'static Operator> {
        let all = OPERATORS.iter();
        all.filter(move |of| of.family.models() == Some(self))
    }
}
