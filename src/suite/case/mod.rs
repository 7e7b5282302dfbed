//! Cases: one situation each, as a person declares it, with what the text says should come of it.
//!
//! The formats are described field by field in `docs/cases.md`. YAML (`yaml`) and XML (`xml`) both become a
//! [`Case`] here, and nothing further on knows which it was.

mod in_words;
mod xml;
mod yaml;

pub(crate) use yaml::Nested;

use crate::error::{Fault, Source};
use crate::spec::operator::{Binding, ClauseOf, Operator, Question, Reason, Rule};
use crate::spec::oracle::{self, Resolution};
use crate::spec::outcome::ShapePattern;
use crate::spec::request::{AttributeValue, Attributes, Request, Target};
use crate::tensor::{Count, ElementType, Fill, Tensor, literal};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The most bytes a case's data may take: a suite is many small situations.
pub const MOST_DATA_BYTES: u64 = 64 << 20;

/// The most bytes a case file may have.
pub const MOST_FILE_BYTES: u64 = 16 << 20;

/// One situation with its expectation, for one operator or for several at once.
#[derive(Debug)]
pub struct Case {
    /// The id: kebab case, unique in a suite, never changed.
    pub name: String,
    /// What is special, in a sentence.
    pub about: Option<String>,
    /// The file it stands in.
    pub source: Source,
    /// The bytes of its name there.
    pub span: Range<usize>,
    /// The operators it runs on, in the table's order.
    pub operators: Vec<&'static Operator>,
    /// The rules and clauses it tests.
    pub covers: Vec<Cover>,
    /// The data dims.
    pub data_shape: Vec<u64>,
    /// The element types it asks for; `None` for all that the operator lists.
    pub element_types: Option<Vec<ElementType>>,
    /// What the data holds.
    pub content: Content,
    /// The target as it is given; `None` if the node has none.
    pub target: Option<Target>,
    /// How zeros are read, if said neutrally.
    pub zero: Option<ZeroMode>,
    /// The node's attributes as they are, if said so.
    pub attributes: Option<Attributes>,
    /// The bindings it is narrowed to.
    pub bindings: Option<Vec<Binding>>,
    /// The expectation of each operator.
    expectations: Expectations,
}

/// Expectations, each with the operators it holds for.
type Expectations = Vec<(Vec<&'static Operator>, Arc<Expectation>)>;

/// What a case tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cover {
    /// That rule's clauses of every operator the case runs on.
    Rule(Rule),
    /// One clause of one operator.
    Clause(ClauseOf),
}

impl Cover {
    /// Its id, as a case cites it.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Rule(rule) => rule.name().to_owned(),
            Self::Clause(clause) => clause.to_string(),
        }
    }
}

/// What the data holds.
#[derive(Debug, Clone)]
pub enum Content {
    /// Made for each element type.
    Fill(Fill),
    /// Listed; literals that each element type reads for itself.
    Values(Vec<String>),
}

/// How a 0 in the target is to be read, said neutrally.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, Hash)]
#[serde(rename_all = "lowercase")]
pub enum ZeroMode {
    /// It copies the data dimension at its index.
    Copy,
    /// It is a dimension of length 0.
    Literal,
}

/// What the text allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expectation {
    /// The data's elements in this shape, and nothing else.
    Reshaped(Vec<u64>),
    /// A rejection; every reason of ours that holds.
    Rejected(BTreeSet<Reason>),
    /// The text leaves it open.
    Open {
        /// The question.
        question: Question,
        /// The allowed outcomes; `None`: a rejection, or any shape with the data's element count.
        allowed: Option<Vec<Allowed>>,
    },
}

impl From<Resolution> for Expectation {
    /// What the oracle expects: for trials that nobody wrote, never for the suite.
    fn from(resolution: Resolution) -> Self {
        match resolution {
            Resolution::Reshaped(shape) => Self::Reshaped(shape),
            Resolution::Rejected(reasons) => Self::Rejected(reasons),
            Resolution::Open {
                question, allowed, ..
            } => {
                let allowed = allowed.into_iter().map(|one| match one {
                    oracle::Allowed::Rejected => Allowed::Rejected,
                    oracle::Allowed::Reshaped(shape) => Allowed::Reshaped(shape),
                });
                Self::Open {
                    question,
                    allowed: Some(allowed.collect()),
                }
            }
        }
    }
}

/// An outcome that an open expectation allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Allowed {
    /// A rejection.
    Rejected,
    /// The data's elements in a shape of this pattern.
    Reshaped(ShapePattern),
}

impl Case {
    /// A case that nobody wrote, for one operator: what it expects and covers is made from its request.
    pub(crate) fn made(
        name: String,
        operator: &'static Operator,
        element_type: ElementType,
        (data_shape, fill): (Vec<u64>, Fill),
        target: Vec<i64>,
        zero: Option<ZeroMode>,
        says: impl FnOnce(&Request) -> (Expectation, Vec<Cover>),
    ) -> Self {
        let mut case = Self {
            name,
            about: None,
            source: Source::nowhere(),
            span: 0..0,
            operators: vec![operator],
            covers: Vec::new(),
            data_shape,
            element_types: Some(vec![element_type]),
            content: Content::Fill(fill),
            target: Some(Target::list(target)),
            zero,
            attributes: None,
            bindings: None,
            expectations: Vec::new(),
        };
        let (expectation, covers) = says(&case.request(operator, element_type));
        case.covers = covers;
        case.expectations = vec![(vec![operator], Arc::new(expectation))];
        case
    }

    /// The element types to ask this operator for.
    #[must_use]
    pub fn element_types(&self, operator: &'static Operator) -> &[ElementType] {
        self.element_types
            .as_deref()
            .unwrap_or(operator.element_types)
    }

    /// The bindings through which to ask this operator.
    pub fn bindings(&self, operator: &'static Operator) -> impl Iterator<Item = Binding> {
        let runtime =
            |binding: &Binding| binding.source() == crate::spec::operator::TargetSource::Runtime;
        operator
            .bindings
            .iter()
            .copied()
            .filter(|binding| {
                self.bindings
                    .as_ref()
                    .is_none_or(|only| only.contains(binding))
            })
            // A target that is missing cannot arrive at the run.
            .filter(move |binding| self.target.is_some() || !runtime(binding))
    }

    /// What a backend is asked, said in this operator's own attributes.
    #[must_use]
    pub fn request(&self, operator: &'static Operator, element_type: ElementType) -> Request {
        Request {
            operator,
            element_type,
            data_shape: self.data_shape.clone(),
            target: self.target.clone(),
            attributes: self
                .attributes
                .clone()
                .unwrap_or_else(|| zero_attributes(operator, self.zero)),
        }
    }

    /// What the text allows this operator.
    ///
    /// # Panics
    /// Never for an operator of the case: the reader has checked that each has one.
    #[must_use]
    pub fn expectation(&self, operator: &'static Operator) -> &Arc<Expectation> {
        let found = self
            .expectations
            .iter()
            .find(|(operators, _)| operators.contains(&operator));
        &found.unwrap_or(&self.expectations[0]).1
    }

    /// The data for an element type.
    ///
    /// # Errors
    /// When a listed literal is no element of that type (a reader has checked the types the case names).
    pub fn data(&self, element_type: ElementType) -> Result<Tensor, String> {
        match &self.content {
            Content::Fill(fill) => Ok(fill.tensor(element_type, self.data_shape.clone())),
            Content::Values(values) => values_tensor(values, element_type, &self.data_shape),
        }
    }

    /// The clauses this case covers, of the operators it runs on.
    pub fn clauses(&self) -> impl Iterator<Item = ClauseOf> {
        self.operators
            .iter()
            .flat_map(|operator| self.clauses_of(operator))
    }

    /// For which of the clause's rules this case covers it. A rule that is cited covers the clause for that rule alone.
    pub(crate) fn rules_covered(&self, of: ClauseOf) -> Vec<Rule> {
        let cites = |rule: &Rule| {
            self.covers.contains(&Cover::Rule(*rule)) || self.covers.contains(&Cover::Clause(of))
        };
        of.clause.rules().filter(cites).collect()
    }

    /// The clauses of one operator that this case covers, each once.
    #[must_use]
    pub fn clauses_of(&self, operator: &'static Operator) -> Vec<ClauseOf> {
        let mut clauses: Vec<ClauseOf> = Vec::new();
        for cover in &self.covers {
            let cited: Vec<_> = match cover {
                Cover::Rule(rule) => operator.clauses_of(*rule).collect(),
                Cover::Clause(clause) if clause.operator == operator => vec![*clause],
                Cover::Clause(_) => Vec::new(),
            };
            for clause in cited {
                // One clause may say several of the rules.
                if !clauses.contains(&clause) {
                    clauses.push(clause);
                }
            }
        }
        clauses
    }
}

/// The attributes that say `zero` in the operator's own words.
fn zero_attributes(operator: &'static Operator, zero: Option<ZeroMode>) -> Attributes {
    use crate::spec::operator::AttributeKind;
    let Some(attribute) = operator.zero_attribute() else {
        return Attributes::new();
    };
    // Without zeros in the target the mode cannot matter: left out where the text allows it, false where it does not.
    let set = match (zero, attribute.copies_by_default) {
        (None, Some(_)) => return Attributes::new(),
        (None, None) => false,
        (Some(zero), _) => (zero == ZeroMode::Copy) == attribute.copies_when_set,
    };
    let value = match attribute.kind {
        AttributeKind::Bool => AttributeValue::Bool(set),
        AttributeKind::Int => AttributeValue::Int(i64::from(set)),
        AttributeKind::Ints => AttributeValue::Ints(vec![i64::from(set)]),
    };
    Attributes::from([(attribute.name.to_owned(), value)])
}

fn values_tensor(
    values: &[String],
    element_type: ElementType,
    shape: &[u64],
) -> Result<Tensor, String> {
    if element_type == ElementType::String {
        let strings = values
            .iter()
            .map(|value| unescape(value))
            .collect::<Result<_, _>>()?;
        return Tensor::from_strings(shape.to_vec(), strings).map_err(|error| error.to_string());
    }
    let bits: Vec<_> = values
        .iter()
        .map(|value| literal::bits(value, element_type))
        .collect::<Result<_, _>>()
        .map_err(|e| e.to_string())?;
    Ok(Tensor::from_bits(element_type, shape.to_vec(), |index| {
        bits[index]
    }))
}

/// The bytes of a string literal: UTF-8, but for `\xNN` (one byte) and `\\`.
fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let escape = &rest[at + 1..];
        if let Some(after) = escape.strip_prefix('\\') {
            bytes.push(b'\\');
            rest = after;
        } else {
            let byte = escape
                .strip_prefix('x')
                .and_then(|hex| hex.get(..2))
                .and_then(|hex| u8::from_str_radix(hex, 16).ok());
            bytes.push(byte.ok_or_else(|| format!("in '{text}': after a \\ comes \\ or xNN"))?);
            rest = &escape[3..];
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

/// Whether the data can be made at all: small enough, and the listed values are as many as the dims say.
fn check_data(shape: &[u64], content: &Content, types: &[ElementType]) -> Result<(), String> {
    let count = Count::of(shape);
    if let Content::Values(values) = content
        && count.as_u64() != Some(values.len() as u64)
    {
        return Err(format!("{} values for {count} elements", values.len()));
    }
    let widest = types.iter().filter_map(|t| t.bits()).max().unwrap_or(128);
    let bytes = count
        .as_u64()
        .and_then(|n| n.checked_mul(u64::from(widest)).map(|bits| bits / 8));
    match bytes {
        Some(bytes) if bytes <= MOST_DATA_BYTES => Ok(()),
        _ => Err(format!(
            "data of {count} elements; a case's data is at most {} MiB",
            MOST_DATA_BYTES >> 20
        )),
    }
}

/// Reads the cases of one file by its ending. `sibling` reads a file beside it (the `.bin` of a real IR).
///
/// # Errors
/// Every fault found in the file.
pub fn read_file(
    source: &Source,
    sibling: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<Vec<Case>, Vec<Fault>> {
    let path = Path::new(&*source.file);
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("yaml" | "yml") => yaml::read(source),
        Some("xml") => xml::read(source, sibling),
        _ => Err(vec![
            Fault::new(source, 0..0, "not a case file").hint("a case file ends in .yaml or .xml"),
        ]),
    }
}
