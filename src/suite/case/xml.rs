//! Cases in XML: documented OpenVINO layers in a `<cases>` file, and the Reshape layers of a real IR (`<net>`).
//!
//! The format is described in `docs/cases.md`. What a file says ends up in an [`XmlCase`]; names, rules, reasons and
//! questions are then looked up as for YAML. Whatever the text, reading it neither panics nor recurses.

mod ir;
mod layer;
#[cfg(test)]
mod tests;
mod tree;

use super::yaml::{cover, question_named, reason_named};
use super::{Case, Content, Expectation};
use crate::error::{Fault, Source};
use crate::spec::operator::Operator;
use crate::spec::request::{Attributes, Target};
use crate::tensor::{ElementType, Fill};
use layer::Layer;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use tree::Element;

/// Reads every case of a file. `sibling` reads a file beside it, by its name.
pub(super) fn read(
    source: &Source,
    sibling: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<Vec<Case>, Vec<Fault>> {
    let stem = Path::new(&*source.file)
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    let cases = if tree::root_name(&source.text) == Some("net") {
        read_ir(&source.text, stem, || sibling(&format!("{stem}.bin")))
    } else {
        read_cases(&source.text)
    };
    let cases = cases.map_err(|fault| vec![fault.of(source)])?;
    let (mut read, mut faults) = (Vec::with_capacity(cases.len()), Vec::new());
    for case in cases {
        match case.looked_up(source) {
            Ok(case) => read.push(case),
            Err(fault) => faults.push(fault.of(source)),
        }
    }
    if faults.is_empty() {
        Ok(read)
    } else {
        Err(faults)
    }
}

/// One case as XML states it. Its operator is `openvino.Reshape-1`.
#[derive(Debug, Clone, PartialEq)]
struct XmlCase {
    name: String,
    about: Option<String>,
    /// Rules and clauses, not yet looked up.
    covers: Vec<String>,
    element_types: Option<Vec<ElementType>>,
    data_shape: Vec<u64>,
    target: Option<Target>,
    attributes: Attributes,
    expect: XmlExpect,
    /// The start tag of the `<case>`, or of the IR's `<layer>`.
    span: Range<usize>,
    name_span: Range<usize>,
    /// The value of `covers`; in an IR, which has none, the start tag.
    covers_span: Range<usize>,
    /// What the expectation is read from: the output port, or the value in `<expect>`.
    expect_span: Range<usize>,
}

/// What a case expects, as XML states it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum XmlExpect {
    /// The dims of the output port.
    Shape(Vec<u64>),
    /// Reasons, not yet looked up; at least one.
    Rejected(Vec<String>),
    /// A question, not yet looked up.
    Open(String),
}

/// Why a file is refused, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
struct XmlFault {
    message: String,
    hint: Option<String>,
    /// Bytes of the text, between characters.
    span: Range<usize>,
}

impl XmlFault {
    fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
            span,
        }
    }

    fn hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: Some(hint.into()),
            ..self
        }
    }

    fn of(self, source: &Source) -> Fault {
        let fault = Fault::new(source, self.span, self.message);
        if let Some(hint) = self.hint {
            fault.hint(hint)
        } else {
            fault
        }
    }
}

impl XmlCase {
    fn looked_up(self, source: &Source) -> Result<Case, XmlFault> {
        let kebab = |part: &str| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9'))
        };
        if !self.name.split('-').all(kebab) {
            let fault = XmlFault::new(self.name_span, format!("'{}' is no case name", self.name));
            return Err(
                fault.hint("lower-case words and digits joined by hyphens, such as two-minus-ones")
            );
        }
        let fault = |span: &Range<usize>| {
            let span = span.clone();
            move |why: String| XmlFault::new(span, why)
        };
        let operator = Operator::named("openvino.Reshape-1")
            .ok_or_else(|| fault(&self.span)("there is no OpenVINO".to_owned()))?;
        let operators = vec![operator];
        let covers: Result<Vec<_>, _> =
            self.covers.iter().map(|id| cover(id, &operators)).collect();
        let covers = covers.map_err(|why| XmlFault {
            message: why.message,
            hint: why.hint,
            span: self.covers_span.clone(),
        })?;
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
        super::check_data(&self.data_shape, &content, types).map_err(fault(&self.span))?;
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

/// Reads a `<cases>` file.
fn read_cases(text: &str) -> Result<Vec<XmlCase>, XmlFault> {
    let root = tree::parse(text)?;
    if root.name != "cases" {
        let message = format!("the root is <{}>", root.name);
        return Err(XmlFault::new(root.span, message)
            .hint("a file of cases has the root <cases>, a real IR the root <net>"));
    }
    root.only_attributes(&[])?;
    root.only_elements(&["case"])?
        .into_iter()
        .map(read_case)
        .collect()
}

/// Reads the Reshape layers of a real IR whose target is a constant. `stem` is the file's name without `.xml`; `bin`
/// reads the `.bin` beside it, and is called only if a target is in it.
fn read_ir(
    text: &str,
    stem: &str,
    bin: impl FnOnce() -> Result<Vec<u8>, String>,
) -> Result<Vec<XmlCase>, XmlFault> {
    ir::read(&tree::parse(text)?, stem, bin)
}

fn read_case(case: &Element<'_>) -> Result<XmlCase, XmlFault> {
    case.only_attributes(&["name", "covers", "about", "element-types"])?;
    case.only_elements(&["layer", "expect"])?;
    let name = case.required("name")?;
    let covers = case.required("covers")?;
    let layer = case.only_child("layer")?.ok_or_else(|| {
        XmlFault::new(case.span.clone(), "the case has no layer")
            .hint("inside <case> stands the <layer type=\"Reshape\"> as documented")
    })?;
    if layer
        .attribute("type")
        .is_none_or(|kind| kind.value != "Reshape")
    {
        return Err(XmlFault::new(layer.span.clone(), "not a Reshape layer")
            .hint("a case's layer has type=\"Reshape\""));
    }
    let layer = Layer::read(layer)?;
    let (expect, expect_span) = match case.only_child("expect")? {
        Some(expect) => read_expect(expect)?,
        None => {
            let output = layer.output.as_ref().ok_or_else(|| {
                let hint = "give the output dims, or <expect rejected=\"…\"/> or <expect open=\"…\"/> beside the layer";
                XmlFault::new(case.span.clone(), "the case expects nothing").hint(hint)
            })?;
            (
                XmlExpect::Shape(output.known_dims()?),
                output.element.span.clone(),
            )
        }
    };
    let element_types = match case.attribute("element-types") {
        Some(types) => {
            let parsed: Result<Vec<ElementType>, _> =
                types.value.split_whitespace().map(str::parse).collect();
            let parsed =
                parsed.map_err(|error| XmlFault::new(types.span.clone(), error.to_string()))?;
            if parsed.is_empty() {
                return Err(XmlFault::new(types.span.clone(), "no element types")
                    .hint("leave it out for every type"));
            }
            Some(parsed)
        }
        None => layer
            .data
            .element_type()?
            .map(|element_type| vec![element_type]),
    };
    Ok(XmlCase {
        name: name.value.clone().into_owned(),
        about: case
            .attribute("about")
            .map(|about| about.value.clone().into_owned()),
        covers: words(&covers.value),
        element_types,
        data_shape: layer.data.known_dims()?,
        target: layer
            .target
            .as_ref()
            .map(layer::documented_target)
            .transpose()?,
        attributes: layer.attributes,
        expect,
        span: case.span.clone(),
        name_span: name.span.clone(),
        covers_span: covers.span.clone(),
        expect_span,
    })
}

fn read_expect(expect: &Element<'_>) -> Result<(XmlExpect, Range<usize>), XmlFault> {
    expect.only_attributes(&["rejected", "open"])?;
    expect.only_elements(&[])?;
    let fault = |message| {
        XmlFault::new(expect.span.clone(), message)
            .hint("write <expect rejected=\"…\"/> or <expect open=\"…\"/>")
    };
    match (expect.attribute("rejected"), expect.attribute("open")) {
        (Some(rejected), None) if !rejected.value.trim().is_empty() => Ok((
            XmlExpect::Rejected(words(&rejected.value)),
            rejected.span.clone(),
        )),
        (None, Some(open)) => Ok((
            XmlExpect::Open(open.value.trim().to_owned()),
            open.span.clone(),
        )),
        (Some(_), Some(_)) => Err(fault("both a rejection and an open question")),
        (Some(_) | None, None) => Err(fault("no expectation")),
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}
