//! Cases in YAML: the file's own structure, and how it becomes cases.

use super::{Allowed, Case, Content, Cover, Expectation, Expectations, ZeroMode};
use crate::error::{Fault, Source};
use crate::names::UnknownName;
use crate::spec::operator::{Binding, ClauseOf, Operator, Question, Reason, Rule, Selector};
use crate::spec::outcome::ShapePattern;
use crate::spec::request::{AttributeValue, Attributes, Target};
use crate::tensor::{ElementType, Fill};
use crate::yaml::{self, Spanned};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileCase {
    name: Spanned<String>,
    about: Option<String>,
    operators: Spanned<Vec<Spanned<String>>>,
    covers: Spanned<Vec<Spanned<String>>>,
    data: Spanned<FileData>,
    shape: Spanned<FileTarget>,
    shape_element_type: Option<ElementType>,
    zero: Option<Spanned<ZeroMode>>,
    attributes: Option<BTreeMap<String, AttributeValue>>,
    bindings: Option<Vec<Binding>>,
    expect: Option<Spanned<FileExpectation>>,
    expectations: Option<Vec<Spanned<FileOperatorExpectation>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileData {
    shape: Vec<Dim>,
    element_types: Option<Vec<ElementType>>,
    fill: Option<FileFill>,
    values: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FileFill {
    Index,
    EveryPattern,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileExpectation {
    shape: Option<Vec<Dim>>,
    rejected: Option<OneOrMore>,
    open: Option<String>,
    allowed: Option<Vec<FileAllowed>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileOperatorExpectation {
    operators: Vec<Spanned<String>>,
    shape: Option<Vec<Dim>>,
    rejected: Option<OneOrMore>,
    open: Option<String>,
    allowed: Option<Vec<FileAllowed>>,
}

/// Reads every case of a file.
pub(super) fn read(source: &Source) -> Result<Vec<Case>, Vec<Fault>> {
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

struct Reader<'a> {
    source: &'a Source,
    name: Range<usize>,
}

impl Reader<'_> {
    fn fault(&self, span: Range<usize>, message: impl Into<String>) -> Fault {
        Fault::new(self.source, span, message)
    }

    fn case(&self, file: FileCase) -> Result<Case, Fault> {
        self.check_name(&file.name)?;
        let operators = self.operators(
            &file.operators.value,
            yaml::span(self.source, &file.operators),
        )?;
        let covers = self.covers(&file.covers, &operators)?;
        let expectations = self.expectations(&file, &operators)?;
        let shape_span = yaml::span(self.source, &file.shape);
        let target = file.shape.value.0.clone().map(|target| {
            let element_type = file.shape_element_type.unwrap_or(ElementType::I64);
            Target {
                element_type,
                ..target
            }
        });
        self.check_zero(&file, target.as_ref(), &operators, &shape_span)?;
        if let Some(target) = &target {
            self.check_range(target, shape_span)?;
        }
        let data_span = yaml::span(self.source, &file.data);
        let data = file.data.value;
        let content = match (data.fill, data.values) {
            (Some(_), Some(_)) => {
                return Err(self
                    .fault(data_span, "both a fill and values")
                    .hint("drop one of the two"));
            }
            (_, Some(values)) => Content::Values(values),
            (Some(FileFill::EveryPattern), None) => Content::Fill(Fill::EveryPattern),
            (Some(FileFill::Index) | None, None) => Content::Fill(Fill::Index),
        };
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

    fn check_name(&self, name: &Spanned<String>) -> Result<(), Fault> {
        let kebab = |part: &str| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        };
        if name.value.split('-').all(kebab) {
            return Ok(());
        }
        let message = format!("'{}' is no case name", name.value);
        Err(self
            .fault(self.name.clone(), message)
            .hint("lower-case words and digits joined by hyphens, such as two-minus-ones"))
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
        ids.value
            .iter()
            .map(|id| {
                cover(&id.value, operators).map_err(|why| {
                    let fault = self.fault(yaml::span(self.source, id), why.message);
                    why.hint.into_iter().fold(fault, Fault::hint)
                })
            })
            .collect()
    }

    fn expectations(
        &self,
        file: &FileCase,
        operators: &[&'static Operator],
    ) -> Result<Expectations, Fault> {
        match (&file.expect, &file.expectations) {
            (Some(one), None) => {
                let value = &one.value;
                let expectation = self.expectation(
                    yaml::span(self.source, one),
                    (&value.shape, &value.rejected, &value.open, &value.allowed),
                )?;
                Ok(vec![(operators.to_vec(), Arc::new(expectation))])
            }
            (None, Some(several)) => {
                let mut expectations = Vec::new();
                let mut open: Vec<_> = operators.to_vec();
                for entry in several {
                    let span = yaml::span(self.source, entry);
                    let value = &entry.value;
                    let named = self.operators(&value.operators, span.clone())?;
                    for operator in &named {
                        let Some(at) = open.iter().position(|other| other == operator) else {
                            let message = format!(
                                "{operator} is not an operator of this case, or has an expectation already"
                            );
                            return Err(self.fault(span, message));
                        };
                        open.remove(at);
                    }
                    let expectation = self.expectation(
                        span,
                        (&value.shape, &value.rejected, &value.open, &value.allowed),
                    )?;
                    expectations.push((named, Arc::new(expectation)));
                }
                match open.first() {
                    None => Ok(expectations),
                    Some(operator) => {
                        Err(self.fault(self.name.clone(), format!("no expectation for {operator}")))
                    }
                }
            }
            (None, None) => Err(self
                .fault(self.name.clone(), "no expectation")
                .hint("add `expect:` or `expectations:`")),
            (Some(_), Some(_)) => Err(self
                .fault(self.name.clone(), "both `expect` and `expectations`")
                .hint("drop one of the two")),
        }
    }

    #[allow(
        clippy::type_complexity,
        reason = "the same four fields of two structs; deny_unknown_fields rules out flatten"
    )]
    fn expectation(
        &self,
        span: Range<usize>,
        fields: (
            &Option<Vec<Dim>>,
            &Option<OneOrMore>,
            &Option<String>,
            &Option<Vec<FileAllowed>>,
        ),
    ) -> Result<Expectation, Fault> {
        match fields {
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
                let question = question_named(question).map_err(|why| self.fault(span, why))?;
                let allowed = allowed
                    .as_ref()
                    .map(|list| list.iter().map(|item| item.0.clone()).collect());
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

    /// A target that holds a 0 says how it is read, in a way that every operator can.
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
                crate::tensor::literal::check_integer(*value, target.element_type).map_err(
                    |why| {
                        self.fault(span.clone(), format!("in the target: {why}"))
                            .hint("`shape_element_type` is i64 unless it is given")
                    },
                )?;
            }
        }
        Ok(())
    }

    fn check_data(&self, case: &Case, span: Range<usize>) -> Result<(), Fault> {
        let fault = |why| self.fault(span.clone(), why);
        for operator in &case.operators {
            let types = case.element_types(operator);
            super::check_data(&case.data_shape, &case.content, types).map_err(fault)?;
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

/// Why a case cannot cite what it cites.
pub(super) struct NoCover {
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

impl NoCover {
    fn new(message: String) -> Self {
        Self {
            message,
            hint: None,
        }
    }
}

/// The rule or clause of that id, if one of the operators has it.
pub(super) fn cover(id: &str, operators: &[&'static Operator]) -> Result<Cover, NoCover> {
    if let Ok(rule) = id.parse::<Rule>() {
        let Some(clause) = operators
            .iter()
            .find_map(|operator| operator.clauses_of(rule).next())
        else {
            return Err(NoCover::new(format!(
                "none of the operators has a clause of the rule '{id}'"
            )));
        };
        if !rule.is_citable() {
            let hint = Some(format!(
                "cite the example that the case is, by its clause, such as {clause}"
            ));
            return Err(NoCover {
                message: format!("'{id}' would cover every example of every text"),
                hint,
            });
        }
        return Ok(Cover::Rule(rule));
    }
    let Some((name, _)) = id.split_once('/') else {
        let rules: Vec<_> = Rule::ALL
            .iter()
            .filter(|rule| rule.is_citable())
            .map(|rule| rule.name())
            .collect();
        return Err(NoCover::new(format!(
            "there is no rule '{id}'; the rules are {}",
            rules.join(", ")
        )));
    };
    let operator = Operator::named(name)
        .ok_or_else(|| NoCover::new(format!("there is no operator '{name}'")))?;
    if !operators.contains(&operator) {
        return Err(NoCover::new(format!(
            "the case does not run on {name}, so it cannot cover its clauses"
        )));
    }
    let clause: Option<ClauseOf> = operator.clauses().find(|clause| clause.to_string() == id);
    clause.map(Cover::Clause).ok_or_else(|| {
        let hint = Some(format!("`coverage {name}/` lists its clauses"));
        NoCover {
            message: format!("{name} has no clause '{id}'"),
            hint,
        }
    })
}

pub(super) fn reason_named(name: &str) -> Result<Reason, String> {
    name.parse().map_err(|error: UnknownName| error.to_string())
}

pub(super) fn question_named(name: &str) -> Result<Question, String> {
    name.parse().map_err(|error: UnknownName| error.to_string())
}

/// A data or output dim: 0 to 2^63-1.
struct Dim(u64);

impl<'de> Deserialize<'de> for Dim {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let dim = text.parse().ok().filter(|dim| *dim <= i64::MAX as u64);
        dim.map(Self).ok_or_else(|| {
            D::Error::custom(format!(
                "'{text}' is no dim: a whole number from 0 to 2^63-1"
            ))
        })
    }
}

/// A target: a list, a bare integer, a nested list, or `missing`.
struct FileTarget(Option<Target>);

impl<'de> Deserialize<'de> for FileTarget {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match deserializer.deserialize_any(NestedVisitor)? {
            Nested::Missing => None,
            nested => Some(nested.target().map_err(D::Error::custom)?),
        }))
    }
}

pub(crate) enum Nested {
    Missing,
    Value(i128),
    List(Vec<Nested>),
}

impl Nested {
    /// The flat values with their dims. A nested list has lists of one length at each depth.
    pub(crate) fn target(self) -> Result<Target, &'static str> {
        let (mut dims, mut values) = (Vec::new(), Vec::new());
        self.flatten(0, &mut dims, &mut values)?;
        Ok(Target {
            element_type: ElementType::I64,
            dims,
            values,
        })
    }

    fn flatten(
        self,
        depth: usize,
        dims: &mut Vec<u64>,
        values: &mut Vec<i128>,
    ) -> Result<(), &'static str> {
        const RAGGED: &str = "a nested target has lists of one length at each depth";
        match self {
            Self::Missing => Err("'missing' stands alone"),
            Self::Value(value) => {
                values.push(value);
                if depth == dims.len() {
                    Ok(())
                } else {
                    Err(RAGGED)
                }
            }
            Self::List(items) => {
                let length = items.len() as u64;
                match dims.get(depth) {
                    // The first list at this depth sets the length; values before it would be of lesser depth.
                    None if values.is_empty() => dims.push(length),
                    Some(known) if *known == length => {}
                    None | Some(_) => return Err(RAGGED),
                }
                items
                    .into_iter()
                    .try_for_each(|item| item.flatten(depth + 1, dims, values))
            }
        }
    }
}

pub(crate) struct NestedVisitor;

impl<'de> Visitor<'de> for NestedVisitor {
    type Value = Nested;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a list of integers within 64 bits, a bare integer, a nested list, or `missing`",
        )
    }

    fn visit_i64<E>(self, value: i64) -> Result<Nested, E> {
        Ok(Nested::Value(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Nested, E> {
        Ok(Nested::Value(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Nested, E> {
        let why = if value.fract() == 0.0 {
            "more than 64 bits hold"
        } else {
            "no integer"
        };
        Err(E::custom(format!(
            "a target value of about {value:e}, which is {why}"
        )))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Nested, E> {
        if text == "missing" {
            Ok(Nested::Missing)
        } else {
            Err(E::invalid_value(serde::de::Unexpected::Str(text), &self))
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Nested, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Nested::List(items))
    }
}

impl<'de> Deserialize<'de> for Nested {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NestedVisitor)
    }
}

/// One name or a list of names.
struct OneOrMore(Vec<String>);

impl<'de> Deserialize<'de> for OneOrMore {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names;
        impl<'de> Visitor<'de> for Names {
            type Value = Vec<String>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name or a list of names")
            }
            fn visit_str<E>(self, name: &str) -> Result<Vec<String>, E> {
                Ok(vec![name.to_owned()])
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<String>, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = list.next_element()? {
                    names.push(name);
                }
                Ok(names)
            }
        }
        deserializer.deserialize_any(Names).map(Self)
    }
}

/// `rejected`, or a shape in which `any` stands for any length.
struct FileAllowed(Allowed);

impl<'de> Deserialize<'de> for FileAllowed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Outcome;
        impl<'de> Visitor<'de> for Outcome {
            type Value = Allowed;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`rejected` or a shape such as [0, any]")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Allowed, E> {
                if text == "rejected" {
                    Ok(Allowed::Rejected)
                } else {
                    Err(E::invalid_value(serde::de::Unexpected::Str(text), &self))
                }
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Allowed, A::Error> {
                let mut shape = ShapePattern::new();
                while let Some(dim) = list.next_element::<String>()? {
                    shape.push(match dim.as_str() {
                        "any" => None,
                        number => Some(number.parse().map_err(|_| {
                            A::Error::custom(format!("'{number}' is no dim and not `any`"))
                        })?),
                    });
                }
                Ok(Allowed::Reshaped(shape))
            }
        }
        deserializer.deserialize_any(Outcome).map(Self)
    }
}
