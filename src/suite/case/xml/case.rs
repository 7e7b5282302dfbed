//! A case as XML states it, and how it becomes a [`Case`].

use super::fault::XmlFault;
use crate::error::Source;
use crate::spec::operator::Operator;
use crate::spec::request::{Attributes, Target};
use crate::suite::case::content::check_data;
use crate::suite::case::lookup::{check_name, covers, question_named, reason_named};
use crate::suite::case::{Case, Content, Expectation};
use crate::tensor::{ElementType, Fill};
use std::ops::Range;
use std::sync::Arc;

/// One case as XML states it. Its operator is `openvino.Reshape-1`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct XmlCase {
    pub(super) name: String,
    pub(super) about: Option<String>,
    /// Rules and clauses, not yet looked up.
    pub(super) covers: Vec<String>,
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
    /// The case, with its names looked up.
    pub(super) fn looked_up(self, source: &Source) -> Result<Case, XmlFault> {
        check_name(&self.name).map_err(|why| XmlFault::placed(why, self.name_span.clone()))?;
        let fault = |span: &Range<usize>| {
            let span = span.clone();
            move |why: String| XmlFault::new(span, why)
        };
        let operator = Operator::named("openvino.Reshape-1")
            .ok_or_else(|| fault(&self.span)("there is no OpenVINO".to_owned()))?;
        let operators = vec![operator];
        let cited: Result<Vec<_>, _> = self
            .covers
            .iter()
            .map(|id| covers(id, &operators))
            .collect();
        let cited = cited.map_err(|why| XmlFault::placed(why, self.covers_span.clone()))?;
        let covers = cited.concat();
        if covers.is_empty() {
            let fault = XmlFault::new(self.covers_span, "the case covers nothing");
            return Err(fault.hint("cite the rules or clauses it tests, such as copied-zero"));
        }
        let expectation = match self.expect {
            XmlExpect::Shape(shape) => Ok(Expectation::Reshaped(shape)),
            XmlExpect::Rejected(reasons) => reasons
                .iter()
                .map(|reason| reason_named(reason))
                .collect::<Result<_, _>>()
                .map(Expectation::Rejected),
            XmlExpect::Open(question) => {
                question_named(&question).map(|question| Expectation::Open {
                    question,
                    allowed: None,
                })
            }
        };
        let expectation = Arc::new(expectation.map_err(fault(&self.expect_span))?);
        let content = Content::Fill(Fill::Index);
        let types = self
            .element_types
            .as_deref()
            .unwrap_or(operator.element_types);
        check_data(&self.data_shape, &content, types).map_err(fault(&self.span))?;
        Ok(Case {
            name: self.name,
            about: self.about,
            source: source.clone(),
            span: self.name_span,
            expectations: vec![(operators.clone(), expectation)],
            operators,
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
}
