//! A case: its data, target, attributes and expectations, for one operator or for several.

use super::expectation::Stated;
use super::{Content, Expectation};
use crate::error::{Fault, Source};
use crate::names::{Distinct, named_enum};
use crate::semantics::operator::{AttributeKind, Binding, ClauseOf, Operator, Rule, TargetSource};
use crate::semantics::oracle::{self, Resolution};
use crate::semantics::outcome::Allowed;
use crate::semantics::request::{AttributeValue, Attributes, Request, Target, is_too_large};
use crate::tensor::{ElementType, Fill, Tensor};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// One request with its expectation, for one operator or for several.
#[derive(Debug, Clone)]
pub struct Case {
    /// The name: kebab case, unique in a suite, never changed.
    pub name: String,
    /// The subject of the case, in a sentence; `None` if the file does not state it.
    pub about: Option<String>,
    /// The file that declares it.
    pub source: Source,
    /// The bytes of its name in the file.
    pub span: Range<usize>,
    /// The operators it runs on, in the table's order.
    pub operators: Vec<&'static Operator>,
    /// The rules and clauses it tests.
    pub covers: Vec<Cover>,
    /// The data dims.
    pub data_shape: Vec<u64>,
    /// Its element types; `None` for every one that the operator lists.
    pub element_types: Option<Vec<ElementType>>,
    /// The elements of the data.
    pub content: Content,
    /// The target shape; `None` if the node has no target.
    pub target: Option<Target>,
    /// How zeros in the target are read; `None` if `attributes` decides this, or nothing does.
    pub zero: Option<ZeroMode>,
    /// The node's attributes as written; `None` if they follow from `zero`.
    pub attributes: Option<Attributes>,
    /// The bindings to which the case is restricted; `None` for every one of the operator.
    pub bindings: Option<Vec<Binding>>,
    /// The bytes of each of `covers` in the file; empty for a generated case.
    pub(in crate::suite) covers_spans: Vec<Range<usize>>,
    /// The expectation of each operator.
    pub(in crate::suite) expectations: Vec<Stated>,
}

/// A rule or clause that a case tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cover {
    /// The rule's clauses of every operator on which the case runs.
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

named_enum! {
    /// How a 0 in the target is read, independent of the operator's attribute for it.
    pub enum ZeroMode, "zero mode" {
        /// It copies the data dimension at its index.
        Copy = "copy",
        /// It is a dimension of length 0.
        Literal = "literal",
    }
}

/// The readable part of a file of cases.
#[derive(Default)]
pub(crate) struct FileCases {
    /// The cases without a fault.
    pub(crate) whole: Vec<Case>,
    /// Cases whose request and expectation are known, but that have another fault. They are reviewed, and never run.
    pub(crate) faulty: Vec<Case>,
    /// The names of all cases, with their places.
    pub(crate) names: Vec<(String, Range<usize>)>,
    /// Every fault.
    pub(crate) faults: Vec<Fault>,
}

impl Case {
    /// A case that has a request but no expectation yet.
    pub(crate) fn asked(
        name: &str,
        operators: Vec<&'static Operator>,
        data_shape: Vec<u64>,
        target: Option<Target>,
        zero: Option<ZeroMode>,
    ) -> Self {
        Self {
            name: name.to_owned(),
            about: None,
            source: Source::nowhere(),
            span: 0..0,
            operators,
            covers: Vec::new(),
            covers_spans: Vec::new(),
            data_shape,
            element_types: None,
            content: Content::Fill(Fill::Index),
            target,
            zero,
            attributes: None,
            bindings: None,
            expectations: Vec::new(),
        }
    }

    /// The element types on which this operator is tested.
    #[must_use]
    pub fn element_types(&self, operator: &'static Operator) -> &[ElementType] {
        let own = self.element_types.as_deref();
        own.unwrap_or(operator.element_types)
    }

    /// The bindings through which this operator is tested.
    pub fn bindings(&self, operator: &'static Operator) -> impl Iterator<Item = Binding> {
        let is_materialized = self.is_materialized();
        let all = bindings_of(operator, self.bindings.as_deref(), self.target.is_some());
        all.filter(move |binding| is_materialized || binding.declares_everything())
    }

    /// Whether its data is materialized. Otherwise its trials only compile.
    pub(crate) fn is_materialized(&self) -> bool {
        !matches!(self.content, Content::NotMaterialized)
    }

    /// The request, with this operator's own attributes.
    #[must_use]
    pub fn request(&self, operator: &'static Operator, element_type: ElementType) -> Request {
        let attributes = self.attributes.clone();
        Request {
            operator,
            element_type,
            data_shape: self.data_shape.clone(),
            target: self.target.clone(),
            attributes: attributes.unwrap_or_else(|| zero_attributes(operator, self.zero)),
        }
    }

    /// The reference's answer to its request and its data. The case's own expectation never comes from here.
    pub(crate) fn resolution(
        &self,
        operator: &'static Operator,
        element_type: ElementType,
    ) -> Resolution {
        let request = self.request(operator, element_type);
        // In other types every pattern is a value, and a fill by index gives values of every type.
        let may_be_none = matches!(element_type, ElementType::Bool | ElementType::String)
            && !self.content.is_by_index();
        match may_be_none.then(|| self.data(element_type)) {
            Some(Ok(data)) => oracle::resolve_for(&request, &data),
            Some(Err(_)) | None => oracle::resolve(&request),
        }
    }

    /// What the text of this operator allows.
    ///
    /// # Panics
    /// Never for an operator of the case: the reader has checked that each has an expectation.
    #[must_use]
    pub fn expectation(&self, operator: &'static Operator) -> &Arc<Expectation> {
        &self.stated(operator).expectation
    }

    /// The bytes of the file that state what the text of this operator allows.
    pub(crate) fn expectation_span(&self, operator: &'static Operator) -> Range<usize> {
        self.stated(operator).span.clone()
    }

    /// The bytes of the file that cite this cover; the case's name if no file declares it.
    pub(crate) fn cover_span(&self, cover: &Cover) -> Range<usize> {
        let at = self.covers.iter().position(|other| other == cover);
        let span = at.and_then(|at| self.covers_spans.get(at));
        span.unwrap_or(&self.span).clone()
    }

    /// The part of a faulty case that can be compared with the reference: the operators with a readable expectation.
    /// `None` without such an operator or an element type.
    pub(in crate::suite) fn reviewable(mut self) -> Option<Self> {
        let all = self.operators.len();
        let stated = &self.expectations;
        self.operators
            .retain(|operator| stated.iter().any(|of| of.operators.contains(operator)));
        if self.operators.len() < all {
            // An operator that was dropped may exercise what the case cites.
            self.covers.clear();
            self.covers_spans.clear();
        }
        let mut operators = self.operators.iter();
        let has_types = operators.all(|operator| !self.element_types(operator).is_empty());
        (!self.operators.is_empty() && has_types).then_some(self)
    }

    /// The bytes of the file that list an outcome which this operator's open question does not allow; if every outcome
    /// is allowed, the bytes of all. `None` if the file lists no outcomes.
    pub(crate) fn allowed_span(
        &self,
        operator: &'static Operator,
        is_allowed: impl Fn(&Allowed) -> bool,
    ) -> Option<Range<usize>> {
        let stated = self.stated(operator);
        let Expectation::Open {
            allowed: Some(listed),
            ..
        } = &*stated.expectation
        else {
            return None;
        };
        let wrong = listed.iter().position(|outcome| !is_allowed(outcome));
        let (first, last) = (stated.allowed.first()?, stated.allowed.last()?);
        let at = wrong.and_then(|at| stated.allowed.get(at));
        Some(at.cloned().unwrap_or(first.start..last.end))
    }

    /// What the text of this operator allows for this element type. If the case names an open question without
    /// outcomes, these are the outcomes that a reader of the text could choose.
    pub(crate) fn allows(
        &self,
        operator: &'static Operator,
        element_type: ElementType,
    ) -> Arc<Expectation> {
        let stated = self.expectation(operator);
        if let Expectation::Open {
            question,
            allowed: None,
        } = **stated
        {
            let answer = Expectation::from(self.resolution(operator, element_type));
            if matches!(answer, Expectation::Open { question: asked, .. } if asked == question) {
                return Arc::new(answer);
            }
        }
        Arc::clone(stated)
    }

    fn stated(&self, operator: &'static Operator) -> &Stated {
        let mut all = self.expectations.iter();
        let found = all.find(|stated| stated.operators.contains(&operator));
        found.unwrap_or(&self.expectations[0])
    }

    /// The data for an element type.
    ///
    /// # Errors
    /// When a listed literal is not a value of that type. Never for the case's own types, which the reader has checked.
    pub fn data(&self, element_type: ElementType) -> Result<Tensor, String> {
        self.content.tensor(element_type, &self.data_shape)
    }

    /// As [`Case::data`], also if the case does not state the elements and they take at most this many bytes.
    pub(crate) fn data_up_to(
        &self,
        element_type: ElementType,
        most: u64,
    ) -> Result<Tensor, String> {
        let is_made = self.is_materialized() || is_too_large(&self.data_shape, element_type, most);
        let stated = if is_made {
            &self.content
        } else {
            &Content::Fill(Fill::Index)
        };
        stated.tensor(element_type, &self.data_shape)
    }

    /// The clauses this case covers, of the operators it runs on.
    pub fn clauses(&self) -> impl Iterator<Item = ClauseOf> {
        let operators = self.operators.iter();
        operators.flat_map(|operator| self.clauses_of(operator))
    }

    /// The clause's rules that this case covers: the cited ones, or all if it cites the clause itself.
    pub(crate) fn rules_covered(&self, of: ClauseOf) -> Vec<Rule> {
        let cites = |rule: &Rule| {
            self.covers.contains(&Cover::Rule(*rule)) || self.covers.contains(&Cover::Clause(of))
        };
        of.clause.rules().filter(cites).collect()
    }

    /// The clauses of one operator that this case covers, without duplicates.
    #[must_use]
    pub fn clauses_of(&self, operator: &'static Operator) -> Vec<ClauseOf> {
        let cited = self.covers.iter().flat_map(|cover| match cover {
            Cover::Rule(rule) => operator.clauses_of(*rule).collect(),
            Cover::Clause(clause) if clause.operator == operator => vec![*clause],
            Cover::Clause(_) => Vec::new(),
        });
        // A clause may have several of the cited rules.
        cited.distinct()
    }
}

/// The bindings of an operator for a case, which may restrict them or lack a target.
pub(super) fn bindings_of(
    operator: &'static Operator,
    only: Option<&[Binding]>,
    has_target: bool,
) -> impl Iterator<Item = Binding> {
    let at_run = |binding: &Binding| binding.source() == TargetSource::Runtime;
    let all = operator.bindings.iter().copied();
    all.filter(move |binding| only.is_none_or(|only| only.contains(binding)))
        // A missing target cannot be a runtime input.
        .filter(move |binding| has_target || !at_run(binding))
}

/// The operator's own attributes for a zero mode. The many requests of a run share them.
pub(in crate::suite) fn zero_attributes(
    operator: &'static Operator,
    zero: Option<ZeroMode>,
) -> Attributes {
    static ALL: Mutex<BTreeMap<(&str, Option<ZeroMode>), Attributes>> = Mutex::new(BTreeMap::new());
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let made = || Attributes::new(zero_attribute(operator, zero).into_iter().collect());
    Arc::clone(all.entry((operator.name, zero)).or_insert_with(made))
}

fn zero_attribute(operator: &Operator, zero: Option<ZeroMode>) -> Option<(String, AttributeValue)> {
    let attribute = operator.zero_attribute()?;
    // Without zeros in the target the mode does not matter: an optional attribute is left out, a required one is false.
    let set = match (zero, attribute.copies_by_default) {
        (None, Some(_)) => return None,
        (None, None) => false,
        (Some(zero), _) => (zero == ZeroMode::Copy) == attribute.copies_when_set,
    };
    let value = match attribute.kind {
        AttributeKind::Bool => AttributeValue::Bool(set),
        AttributeKind::Int => AttributeValue::Int(i64::from(set)),
        AttributeKind::Ints => AttributeValue::Ints(vec![i64::from(set)]),
    };
    Some((attribute.name.to_owned(), value))
}
