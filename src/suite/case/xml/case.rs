//! A case as XML states it, and how it becomes a [`Case`].

use super::element::XmlFault;
use crate::error::Source;
use crate::names::UnknownName;
use crate::semantics::operator::{ModelFiles, Operator};
use crate::semantics::request::{Attributes, Target};
use crate::suite::case::content::check_size;
use crate::suite::case::lookup::{check_about, check_name, covers, once};
use crate::suite::case::{Case, Content, Cover, Expectation, Stated};
use crate::tensor::{ElementType, Fill};
use std::ops::Range;
use std::sync::Arc;

/// One case as XML states it. Its operator is the first that an IR has, whose opset is 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct XmlCase {
    pub(super) name: String,
    pub(super) about: Option<String>,
    /// Rules and clauses, not yet looked up; `None` if they are missing, which is a fault.
    pub(super) covers: Option<Vec<String>>,
    pub(super) element_types: Option<Vec<ElementType>>,
    pub(super) data_shape: Vec<u64>,
    pub(super) target: Option<Target>,
    pub(super) attributes: Attributes,
    pub(super) expect: XmlExpect,
    /// The start tag of the `<case>`, or of the IR's `<layer>`.
    pub(super) span: Range<usize>,
    pub(super) name_span: Range<usize>,
    /// The value of `covers`; the start tag in an IR, which has no such attribute.
    pub(super) covers_span: Range<usize>,
    /// What the expectation is read from: the output port, or the value in `<expect>`.
    pub(super) expect_span: Range<usize>,
}

/// What a case expects, as XML states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum XmlExpect {
    /// The dims of the output port.
    Shape(Vec<u64>),
    /// Reasons, not yet looked up; at least one.
    Rejected(Vec<String>),
    /// A question, not yet looked up.
    Open(String),
}

impl XmlCase {
    /// The case, with its names looked up; notes everything that is wrong with it. `None` if what it expects is a fault. A
    /// name that is empty is one that is missing, which is noted already.
    pub(super) fn looked_up(self, source: &Source, faults: &mut Vec<XmlFault>) -> Option<Case> {
        if let (Err(why), false) = (check_name(&self.name), self.name.is_empty()) {
            faults.push(XmlFault::placed(why, self.name_span.clone()));
        }
        if let Some(Err(why)) = self.about.as_deref().map(check_about) {
            let fault = XmlFault::new(self.span.clone(), why);
            faults.push(fault.hint("say what is special, or leave `about` out"));
        }
        let operator = ModelFiles::OpenvinoIr.operators().next()?;
        let operators = vec![operator];
        let covers = self.cited(&operators, faults);
        let expectation = self.expectation(faults);
        let content = Content::Fill(Fill::Index);
        let types = self.element_types.as_deref();
        let types = types.unwrap_or(operator.element_types);
        if let Err(why) = check_size(&self.data_shape, types) {
            faults.push(XmlFault::new(self.span.clone(), why));
        }
        let expectation = expectation?;
        Some(Case {
            name: self.name,
            about: self.about,
            source: source.clone(),
            span: self.name_span,
            expectations: vec![Stated {
                operators: operators.clone(),
                expectation: Arc::new(expectation),
                span: self.expect_span,
                allowed: Vec::new(),
            }],
            operators,
            covers_spans: vec![self.covers_span; covers.len()],
            covers,
            data_shape: self.data_shape,
            element_types: self.element_types,
            content,
            target: self.target,
            zero: None,
            attributes: Some(self.attributes),
            bindings: None,
        })
    }

    fn cited(&self, operators: &[&'static Operator], faults: &mut Vec<XmlFault>) -> Vec<Cover> {
        let mut cited = Vec::new();
        for id in self.covers.iter().flatten() {
            match covers(id, operators).and_then(|covers| once(id, covers, &cited)) {
                Ok(covers) => cited.extend(covers),
                Err(why) => faults.push(XmlFault::placed(why, self.covers_span.clone())),
            }
        }
        if self.covers.as_ref().is_some_and(Vec::is_empty) {
            let fault = XmlFault::new(self.covers_span.clone(), "the case covers nothing");
            faults.push(fault.hint("cite the rules or clauses it tests, such as copied-zero"));
        }
        cited
    }

    fn expectation(&self, faults: &mut Vec<XmlFault>) -> Option<Expectation> {
        let before = faults.len();
        let mut note = |why: UnknownName| {
            faults.push(XmlFault::new(self.expect_span.clone(), why.to_string()));
        };
        match &self.expect {
            XmlExpect::Shape(shape) => Some(Expectation::Reshaped(shape.clone())),
            XmlExpect::Rejected(names) => {
                let reasons = names
                    .iter()
                    .filter_map(|name| name.parse().map_err(&mut note).ok())
                    .collect();
                (faults.len() == before).then_some(Expectation::Rejected(reasons))
            }
            XmlExpect::Open(name) => {
                let question = name.parse().map_err(note).ok()?;
                Some(Expectation::Open {
                    question,
                    allowed: None,
                })
            }
        }
    }
}
