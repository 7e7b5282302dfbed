//! Documented layers: the cases of a `<cases>` file.

use super::case::{XmlCase, XmlExpect};
use super::element::Element;
use super::fault::XmlFault;
use super::layer::{self, Layer};
use crate::tensor::ElementType;
use std::ops::Range;

/// Reads a `<cases>` file.
pub(super) fn read(root: &Element<'_>) -> Result<Vec<XmlCase>, XmlFault> {
    if root.name != "cases" {
        let message = format!("the root is <{}>", root.name);
        return Err(XmlFault::new(root.span.clone(), message)
            .hint("a file of cases has the root <cases>, a real IR the root <net>"));
    }
    root.only_attributes(&[])?;
    root.only_elements(&["case"])?
        .into_iter()
        .map(read_case)
        .collect()
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
