//! How a YAML case file becomes cases.

use super::file::{FileCase, FileData, FileExpectation, FileFill, FileOperatorExpectation};
use crate::error::{Fault, Source};
use crate::spec::operator::{Operator, Selector};
use crate::spec::request::{Attributes, Target, check_attributes};
use crate::suite::case::content::check_data;
use crate::suite::case::expectation::Expectations;
use crate::suite::case::lookup::{check_name, covers, question_named, reason_named};
use crate::suite::case::{Case, Content, Cover, Expectation, ZeroMode};
use crate::tensor::{ElementType, Fill, literal};
use crate::yaml::{self, Spanned};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// Reads every case of a file.
pub(in crate::suite::case) fn read(source: &Source) -> Result<Vec<Case>, Vec<Fault>> {
    let file: Vec<FileCase> = yaml::read(source).map_err(|fault| vec![hinted(fault)])?;
    let mut cases = Vec::with_capacity(file.len());
    let mut faults = Vec::new();
    for entry in file {
        match (Reader {
            source,
            name: yaml::span(source, &entry.name),
        })
        .case(entry)
        {
            Ok(case) => cases.push(case),
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() {
        Ok(cases)
    } else {
        Err(faults)
    }
}

fn hinted(fault: Fault) -> Fault {
    if fault.message.starts_with("unknown field") {
        fault.hint("the fields of a case are described in docs/cases.md")
    } else {
        fault
    }
}

/// Reads one case.
struct Reader<'a> {
    source: &'a Source,
    /// The bytes of the case's name.
    name: Range<usize>,
}

impl Reader<'_> {
    fn fault(&self, span: Range<usize>, message: impl Into<String>) -> Fault {
        Fault::new(self.source, span, message)
    }

    fn case(&self, mut file: FileCase) -> Result<Case, Fault> {
        check_name(&file.name.value).map_err(|why| why.at(self.source, self.name.clone()))?;
        let operators = self.operators(
            &file.operators.value,
            yaml::span(self.source, &file.operators),
        )?;
        let covers = self.covers(&file.covers, &operators)?;
        let expectations = self.expectations(&mut file, &operators)?;
        let shape_span = yaml::span(self.source, &file.shape);
        let target = file.shape.value.0.clone().map(|target| {
            let element_type = file.shape_element_type.unwrap_or(ElementType::I64);
            Target {
                element_type,
                ..target
            }
        });
        self.check_zero(&file, target.as_ref(), &operators, &shape_span)?;
        for operator in &operators {
            let attributes = file.attributes.as_ref();
            let checked = attributes.map_or(Ok(()), |all| check_attributes(operator, all));
            checked.map_err(|why| self.fault(self.name.clone(), why))?;
        }
        if let Some(target) = &target {
            self.check_range(target, shape_span)?;
        }
        let data_span = yaml::span(self.source, &file.data);
        let mut data = file.data.value;
        let content = self.content(&mut data, &data_span)?;
        let case = Case {
            name: file.name.value,
            about: file.about,
            source: self.source.clone(),
            span: self.name.clone(),
            operators,
            covers,
            data_shape: data.shape.iter().map(|dim| dim.0).collect(),
            element_types: data.element_types,
            content,
            target,
            zero: file.zero.map(|zero| zero.value),
            attributes: file
                .attributes
                .map(|attributes| attributes.into_iter().collect::<Attributes>()),
            bindings: file.bindings,
            expectations,
        };
        self.check_data(&case, data_span)?;
        Ok(case)
    }

    fn content(&self, data: &mut FileData, span: &Range<usize>) -> Result<Content, Fault> {
        match (data.fill.take(), data.values.take()) {
            (Some(_), Some(_)) => Err(self
                .fault(span.clone(), "both a fill and values")
                .hint("drop one of the two")),
            (None, Some(values)) => Ok(Content::Values(values)),
            (Some(FileFill::EveryPattern), None) => Ok(Content::Fill(Fill::EveryPattern)),
            (Some(FileFill::Index) | None, None) => Ok(Content::Fill(Fill::Index)),
        }
    }

    fn operators(
        &self,
        selectors: &[Spanned<String>],
        whole: Range<usize>,
    ) -> Result<Vec<&'static Operator>, Fault> {
        let mut operators: Vec<&'static Operator> = Vec::new();
        for selector in selectors {
            let span = yaml::span(self.source, selector);
            let parsed: Selector = selector
                .value
                .parse()
                .map_err(|error| self.fault(span.clone(), format!("{error}")))?;
            for operator in parsed.operators() {
                if operators.contains(operator) {
                    return Err(self.fault(span, format!("{operator} is named twice")));
                }
                operators.push(operator);
            }
        }
        if operators.is_empty() {
            return Err(self
                .fault(whole, "no operators")
                .hint("name families or operators, such as [onnx, openvino]"));
        }
        Ok(operators)
    }

    fn covers(
        &self,
        ids: &Spanned<Vec<Spanned<String>>>,
        operators: &[&'static Operator],
    ) -> Result<Vec<Cover>, Fault> {
        if ids.value.is_empty() {
            let fault = self.fault(yaml::span(self.source, ids), "the case covers nothing");
            return Err(fault.hint("cite the rules or clauses it tests, such as [copied-zero]"));
        }
        let mut all = Vec::new();
        for id in &ids.value {
            let cited = covers(&id.value, operators);
            all.extend(cited.map_err(|why| why.at(self.source, yaml::span(self.source, id)))?);
        }
        Ok(all)
    }

    fn expectations(
        &self,
        file: &mut FileCase,
        operators: &[&'static Operator],
    ) -> Result<Expectations, Fault> {
        match (file.expect.take(), file.expectations.take()) {
            (Some(expect), None) => {
                let span = yaml::span(self.source, &expect);
                let expectation = self.expectation(span, expect.value)?;
                Ok(vec![(operators.to_vec(), Arc::new(expectation))])
            }
            (None, Some(several)) => self.expectations_by_operator(several, operators),
            (None, None) => Err(self
                .fault(self.name.clone(), "no expectation")
                .hint("add `expect:` or `expectations:`")),
            (Some(_), Some(_)) => Err(self
                .fault(self.name.clone(), "both `expect` and `expectations`")
                .hint("drop one of the two")),
        }
    }

    /// Expectations for disjoint lists of operators, which together are all of the case's.
    fn expectations_by_operator(
        &self,
        entries: Vec<Spanned<FileOperatorExpectation>>,
        operators: &[&'static Operator],
    ) -> Result<Expectations, Fault> {
        let mut expectations = Vec::new();
        let mut remaining: Vec<_> = operators.to_vec();
        for entry in entries {
            let span = yaml::span(self.source, &entry);
            let (selectors, expectation) = entry.value.split();
            let selected = self.operators(&selectors, span.clone())?;
            for operator in &selected {
                let Some(at) = remaining.iter().position(|other| other == operator) else {
                    let message = format!(
                        "{operator} is not an operator of this case, or has an expectation already"
                    );
                    return Err(self.fault(span, message));
                };
                remaining.remove(at);
            }
            let expectation = self.expectation(span, expectation)?;
            expectations.push((selected, Arc::new(expectation)));
        }
        match remaining.first() {
            None => Ok(expectations),
            Some(operator) => {
                Err(self.fault(self.name.clone(), format!("no expectation for {operator}")))
            }
        }
    }

    fn expectation(&self, span: Range<usize>, file: FileExpectation) -> Result<Expectation, Fault> {
        match (file.shape, file.rejected, file.open, file.allowed) {
            (Some(shape), None, None, None) => Ok(Expectation::Reshaped(
                shape.iter().map(|dim| dim.0).collect(),
            )),
            (None, Some(reasons), None, None) => {
                let reasons: Result<BTreeSet<_>, _> = reasons
                    .0
                    .iter()
                    .map(|reason| reason_named(reason))
                    .collect();
                reasons
                    .map(Expectation::Rejected)
                    .map_err(|why| self.fault(span, why))
            }
            (None, None, Some(question), allowed) => {
                let question = question_named(&question).map_err(|why| self.fault(span, why))?;
                let allowed = allowed.map(|list| list.into_iter().map(|item| item.0).collect());
                Ok(Expectation::Open { question, allowed })
            }
            _ => Err(self
                .fault(
                    span,
                    "an expectation is exactly one of shape, rejected, open",
                )
                .hint("`allowed` goes only with `open`")),
        }
    }

    /// Checks that the file says how a 0 in the target is read, in a way that every operator supports.
    fn check_zero(
        &self,
        file: &FileCase,
        target: Option<&Target>,
        operators: &[&'static Operator],
        shape_span: &Range<usize>,
    ) -> Result<(), Fault> {
        if let Some(zero) = &file.zero {
            let span = yaml::span(self.source, zero);
            if file.attributes.is_some() {
                return Err(self
                    .fault(span, "both `zero` and `attributes`")
                    .hint("`attributes` says all there is on the node"));
            }
            let (mode, has): (_, fn(&Operator) -> bool) = match zero.value {
                ZeroMode::Copy => ("copied", Operator::can_copy_zeros),
                ZeroMode::Literal => ("literal", Operator::can_have_literal_zeros),
            };
            if let Some(operator) = operators.iter().find(|operator| !has(operator)) {
                let fault = self.fault(span, format!("{operator} has no {mode} zeros"));
                return Err(fault.hint("narrow the operators, such as \"onnx >= 14\""));
            }
            return Ok(());
        }
        let has_zero = target.is_some_and(|target| target.values.contains(&0));
        if has_zero && file.attributes.is_none() {
            let fault = self.fault(
                shape_span.clone(),
                "the target holds a 0, and nothing says how it is read",
            );
            return Err(
                fault.hint("add `zero: copy` or `zero: literal`, or the node's own `attributes`")
            );
        }
        Ok(())
    }

    fn check_range(&self, target: &Target, span: Range<usize>) -> Result<(), Fault> {
        if target.element_type.is_integer() {
            for value in &target.values {
                literal::check_integer(*value, target.element_type).map_err(|why| {
                    self.fault(span.clone(), format!("in the target: {why}"))
                        .hint("`shape_element_type` is i64 unless it is given")
                })?;
            }
        }
        Ok(())
    }

    fn check_data(&self, case: &Case, span: Range<usize>) -> Result<(), Fault> {
        let fault = |why| self.fault(span.clone(), why);
        for operator in &case.operators {
            let types = case.element_types(operator);
            check_data(&case.data_shape, &case.content, types).map_err(fault)?;
            if let Content::Values(_) = case.content {
                for element_type in types {
                    case.data(*element_type).map_err(fault)?;
                }
            }
            if case.bindings(operator).next().is_none() {
                return Err(self.fault(
                    self.name.clone(),
                    format!("no binding is left for {operator}"),
                ));
            }
        }
        Ok(())
    }
}
