//! Documented layers: the cases of a `<cases>` file.

use super::case::{XmlCase, XmlExpect};
use super::element::XmlFault;
use super::element::{Attribute, Element};
use super::layer::{self, Layer};
use crate::tensor::ElementType;
use std::ops::Range;

/// The attributes of a case.
const ATTRIBUTES: &[&str] = &["name", "covers", "about", "element-types"];

/// A case, if what it asks and expects could be read, and all its faults.
pub(super) type Stated = (Option<XmlCase>, Vec<XmlFault>);

/// Reads a `<cases>` file.
pub(super) fn read(root: &Element<'_>) -> Result<Vec<Stated>, XmlFault> {
    if root.name != "cases" {
        let message = format!("the root is <{}>", root.name);
        return Err(XmlFault::new(root.span.clone(), message)
            .hint("a file of cases has the root <cases>, a real IR the root <net>"));
    }
    root.only_attributes(&[])?;
    let read = |case: &Element<'_>| match case.name {
        "case" => read_case(case),
        _ => {
            let message = format!("<{}> does not belong here", case.name);
            let fault = XmlFault::new(case.span.clone(), message);
            (None, vec![fault.hint("<cases> contains only <case>")])
        }
    };
    let mut cases: Vec<_> = root.elements().map(read).collect();
    let text = root.only_elements(&["case"]).err();
    cases.extend(
        text.filter(|_| cases.iter().all(|(_, faults)| faults.is_empty()))
            .map(|fault| (None, vec![fault])),
    );
    Ok(cases)
}

/// Takes the value, or notes the fault.
fn noted<T>(faults: &mut Vec<XmlFault>, read: Result<T, XmlFault>) -> Option<T> {
    read.map_err(|fault| faults.push(fault)).ok()
}

fn read_case(case: &Element<'_>) -> Stated {
    let mut faults = Vec::new();
    noted(&mut faults, case.only_attributes(ATTRIBUTES));
    noted(&mut faults, case.only_elements(&["layer", "expect"]));
    // Of one that is misspelt, that is noted already.
    let mut required = |name| match case.misspells(name, ATTRIBUTES) {
        true => None,
        false => noted(&mut faults, case.required(name)),
    };
    let (name, covers) = (required("name"), required("covers"));
    let cited = covers.and_then(|covers| noted(&mut faults, words(covers)));
    let layer = noted(&mut faults, read_layer(case));
    let data_shape = layer
        .as_ref()
        .and_then(|layer| noted(&mut faults, layer.data.known_dims()));
    let target = layer.as_ref().and_then(|layer| {
        let target = layer.target.as_ref().map(layer::documented_target);
        noted(&mut faults, target.transpose())
    });
    let element_types = layer
        .as_ref()
        .and_then(|layer| noted(&mut faults, read_element_types(case, layer)));
    let expected = noted(&mut faults, expectation(case, layer.as_ref())).flatten();
    let (Some(layer), Some(data_shape), Some(target), Some(element_types)) =
        (layer, data_shape, target, element_types)
    else {
        return (None, faults);
    };
    let Some((expect, expect_span)) = expected else {
        return (None, faults);
    };
    let name_span = name.map_or(&case.span, |name| &name.span).clone();
    let covers_span = covers.map_or(&case.span, |covers| &covers.span).clone();
    let stated = XmlCase {
        name: name.map_or_else(String::new, |name| name.value.clone().into_owned()),
        about: case
            .attribute("about")
            .map(|about| about.value.clone().into_owned()),
        covers: cited,
        element_types,
        data_shape,
        target,
        attributes: layer.attributes,
        expect,
        span: case.span.clone(),
        name_span,
        covers_span,
        expect_span,
    };
    (Some(stated), faults)
}

fn read_layer<'e>(case: &'e Element<'e>) -> Result<Layer<'e>, XmlFault> {
    let layer = case.only_child("layer")?.ok_or_else(|| {
        XmlFault::new(case.span.clone(), "the case has no layer")
            .hint("<case> contains the <layer type=\"Reshape\"> as documented")
    })?;
    let kind = layer.attribute("type");
    if kind.is_none_or(|kind| kind.value != "Reshape") {
        let span = kind.map_or(layer.span.clone(), |kind| kind.span.clone());
        return Err(
            XmlFault::new(span, "not a Reshape layer").hint("a case's layer has type=\"Reshape\"")
        );
    }
    let version = layer.attribute("version");
    if let Some(version) = version.filter(|version| version.value != "opset1") {
        let message = format!("there is no Reshape in {}", version.value);
        return Err(
            XmlFault::new(version.span.clone(), message).hint("Reshape is an operation of opset1")
        );
    }
    let layer = Layer::read(layer)?;
    let output = layer.output.as_ref().map(layer::Port::element_type);
    if let (Some(data), Some(Some(output))) = (layer.data.element_type()?, output.transpose()?)
        && data != output
    {
        let span = layer.output.as_ref().map(|of| of.element.span.clone());
        let message = format!("the output is {output}, and the data is {data}");
        return Err(XmlFault::new(span.unwrap_or_default(), message)
            .hint("a Reshape changes no element type"));
    }
    Ok(layer)
}

/// What the case expects; `None` if that is in a layer which could not be read.
fn expectation(
    case: &Element<'_>,
    layer: Option<&Layer<'_>>,
) -> Result<Option<(XmlExpect, Range<usize>)>, XmlFault> {
    if let Some(expect) = case.only_child("expect")? {
        return read_expect(expect).map(Some);
    }
    let Some(layer) = layer else { return Ok(None) };
    let output = layer.output.as_ref().ok_or_else(|| {
        let hint = "give the output dims, or <expect rejected=\"…\"/> or <expect open=\"…\"/> beside the layer";
        XmlFault::new(case.span.clone(), "the case expects nothing").hint(hint)
    })?;
    let span = output.element.span.clone();
    Ok(Some((XmlExpect::Shape(output.known_dims()?), span)))
}

/// The element types that the case names, else the one of the data port's precision, if it has one.
fn read_element_types(
    case: &Element<'_>,
    layer: &Layer<'_>,
) -> Result<Option<Vec<ElementType>>, XmlFault> {
    let Some(types) = case.attribute("element-types") else {
        let own = layer.data.element_type()?;
        return Ok(own.map(|element_type| vec![element_type]));
    };
    let parsed: Result<Vec<ElementType>, _> = words(types)?.iter().map(|of| of.parse()).collect();
    let parsed = parsed.map_err(|error| XmlFault::new(types.span.clone(), error.to_string()))?;
    if parsed.is_empty() {
        return Err(XmlFault::new(types.span.clone(), "no element types")
            .hint("leave it out for every type"));
    }
    let own = layer.data.element_type()?;
    if let Some(own) = own.filter(|own| !parsed.contains(own)) {
        let message = format!("the precision of port 0 is {own}, which is none of these");
        let hint = "take the precision out, or name its type too";
        return Err(XmlFault::new(types.span.clone(), message).hint(hint));
    }
    Ok(Some(parsed))
}

fn read_expect(expect: &Element<'_>) -> Result<(XmlExpect, Range<usize>), XmlFault> {
    expect.only_attributes(&["rejected", "open"])?;
    expect.only_elements(&[])?;
    let fault = |message| {
        XmlFault::new(expect.span.clone(), message)
            .hint("write <expect rejected=\"…\"/> or <expect open=\"…\"/>")
    };
    match (expect.attribute("rejected"), expect.attribute("open")) {
        (Some(rejected), None) if !rejected.value.trim().is_empty() => {
            Ok((XmlExpect::Rejected(words(rejected)?), rejected.span.clone()))
        }
        (Some(rejected), None) => {
            let message = "a rejection without a reason";
            Err(XmlFault::new(rejected.span.clone(), message)
                .hint("name every reason that applies; docs/oracle.md lists them"))
        }
        (None, Some(open)) => Ok((
            XmlExpect::Open(open.value.trim().to_owned()),
            open.span.clone(),
        )),
        (Some(_), Some(_)) => Err(fault("both a rejection and an open question")),
        (None, None) => Err(fault("no expectation")),
    }
}

/// The words of a value, with spaces or commas between them. None is there twice.
fn words(of: &Attribute<'_>) -> Result<Vec<String>, XmlFault> {
    let all = of.value.split(|c: char| c.is_whitespace() || c == ',');
    let mut words: Vec<String> = Vec::new();
    for word in all.filter(|word| !word.is_empty()) {
        if words.iter().any(|other| other == word) {
            let message = format!("{word} is named twice");
            return Err(XmlFault::new(of.span.clone(), message).hint("name it once"));
        }
        words.push(word.to_owned());
    }
    Ok(words)
}
