//! Documented layers: the cases of a `<cases>` file.

use super::element::{Attribute, Element, fault_at, in_file};
use super::layer::{Layer, documented_target};
use crate::error::Fault;
use crate::semantics::operator::ModelFiles;
use crate::suite::case::FileCases;
use crate::suite::case::yaml::read_fields;
use crate::tensor::ElementType;
use crate::yaml::{Faults, Mapping, Node, Value};

/// The attributes of a case.
const ATTRIBUTES: &[&str] = &["name", "covers", "about", "element-types"];

/// Reads a `<cases>` file.
pub(super) fn read(
    faults: &mut Faults<'_>,
    root: &Element<'_>,
    cases: &mut FileCases,
) -> Result<(), Fault> {
    root.only_attributes(&[])?;
    for case in root.elements().filter(|element| element.name == "case") {
        read_case(faults, case, cases);
    }
    root.only_elements(&["case"]).map(drop)
}

/// Takes the value, or notes the fault.
fn noted<T>(faults: &mut Faults<'_>, read: Result<T, Fault>) -> Option<T> {
    let fault = |fault: Fault| faults.found.push(in_file(fault, faults.source));
    read.map_err(fault).ok()
}

fn read_case(faults: &mut Faults<'_>, case: &Element<'_>, cases: &mut FileCases) {
    let before = faults.found.len();
    noted(faults, case.only_attributes(ATTRIBUTES));
    noted(faults, case.only_elements(&["layer", "expect"]));
    let operators = ModelFiles::OpenvinoIr.operators().take(1);
    let operators = operators.map(|of| Node::text(of.name, case.span.clone()));
    let mut fields = vec![("operators", list(case, operators.collect()))];
    for name in ["name", "covers"] {
        // A misspelled attribute has a fault already.
        if !case.misspells(name, ATTRIBUTES) {
            noted(faults, case.required(name));
        }
    }
    let text = |of: &Attribute<'_>| Node::text(&of.value, of.span.clone());
    fields.extend(case.attribute("name").map(|of| ("name", text(of))));
    fields.extend(case.attribute("about").map(|of| ("about", text(of))));
    let covers = case.attribute("covers");
    fields.extend(covers.map(|of| ("covers", words(of, &faults.source.text))));
    let layer = noted(faults, read_layer(case));
    let mut target = None;
    if let Some(layer) = &layer {
        let documented = layer.target.as_ref().map(documented_target);
        target = noted(faults, documented.transpose());
        let types = noted(faults, element_types(case, layer, &faults.source.text));
        let mut data = vec![(Node::text("shape", case.span.clone()), layer.data.node())];
        let key = || Node::text("element_types", case.span.clone());
        data.extend(types.flatten().map(|types| (key(), types)));
        let span = layer.data.element.span.clone();
        fields.push(("data", Node::new(Value::Map(data), span)));
        fields.push(("attributes", layer.attributes_node()));
    }
    let expected = expectation(case, layer.as_ref(), &faults.source.text);
    let expected = noted(faults, expected).flatten();
    fields.extend(expected.map(|expected| ("expect", expected)));
    let (nodes, span) = (Mapping::of(&fields, vec!["expect"]), case.span.clone());
    read_fields(faults, span, nodes, before, |_, _| target, cases);
}

fn list(of: &Element<'_>, items: Vec<Node>) -> Node {
    Node::new(Value::List(items), of.span.clone())
}

/// The words of a value in the file's text, with spaces or commas between them.
fn words(of: &Attribute<'_>, source: &str) -> Node {
    let mut at = of.span.start;
    let all = source[of.span.clone()].split(|c: char| c.is_whitespace() || c == ',');
    let all = all.filter_map(|word| {
        let start = at + source[at..].find(word)?;
        at = start + word.len();
        (!word.is_empty()).then(|| Node::text(word, start..at))
    });
    Node::new(Value::List(all.collect()), of.span.clone())
}

fn read_layer<'e>(case: &'e Element<'e>) -> Result<Layer<'e>, Fault> {
    let layer = case.only_child("layer")?.ok_or_else(|| {
        case.fault("the case has no layer")
            .hint("<case> contains the <layer type=\"Reshape\"> as documented")
    })?;
    let kind = layer.attribute("type");
    if kind.is_none_or(|kind| kind.value != "Reshape") {
        let span = kind.map_or(&layer.span, |kind| &kind.span).clone();
        let fault = fault_at(span, "not a Reshape layer");
        return Err(fault.hint("a case's layer has type=\"Reshape\""));
    }
    let version = layer.attribute("version");
    if let Some(version) = version.filter(|version| version.value != "opset1") {
        let fault = version.fault(format!("there is no Reshape in {}", version.value));
        return Err(fault.hint("Reshape is an operation of opset1"));
    }
    let layer = Layer::read(layer)?;
    if let Some(output) = &layer.output
        && let (Some(of_data), Some(of_output)) =
            (layer.data.element_type()?, output.element_type()?)
        && of_data != of_output
    {
        let message = format!("the output is {of_output}, but the data is {of_data}");
        let fault = output.element.fault(message);
        return Err(fault.hint("a Reshape keeps the element type"));
    }
    Ok(layer)
}

/// The case's expectation; `None` if it is in a layer that could not be read.
fn expectation(
    case: &Element<'_>,
    layer: Option<&Layer<'_>>,
    source: &str,
) -> Result<Option<Node>, Fault> {
    const HINT: &str = "write <expect rejected=\"…\"/> or <expect open=\"…\"/>";
    let (key, value, span) = match (case.only_child("expect")?, layer) {
        (Some(expect), _) => {
            expect.only_attributes(&["rejected", "open"])?;
            expect.only_elements(&[])?;
            let value = match expect.attributes.as_slice() {
                [of] if of.name == "rejected" => words(of, source),
                [of] => Node::text(of.value.trim(), of.span.clone()),
                [] => return Err(expect.fault("no expectation").hint(HINT)),
                _ => {
                    let fault = expect.fault("both a rejection and an open question");
                    return Err(fault.hint(HINT));
                }
            };
            (expect.attributes[0].name, value, &expect.span)
        }
        (None, Some(layer)) => {
            let output = layer.output.as_ref().ok_or_else(|| {
                let hint = "give the output dims, or <expect rejected=\"…\"/> or <expect open=\"…\"/> next to the layer";
                case.fault("the case expects nothing").hint(hint)
            })?;
            ("shape", output.node(), &output.element.span)
        }
        (None, None) => return Ok(None),
    };
    let field = (Node::text(key, span.clone()), value);
    Ok(Some(Node::new(Value::Map(vec![field]), span.clone())))
}

/// The element types that the case names, or else the type of the data port's precision, if it has one.
fn element_types(
    case: &Element<'_>,
    layer: &Layer<'_>,
    source: &str,
) -> Result<Option<Node>, Fault> {
    let own = layer.data.element_type()?;
    let Some(types) = case.attribute("element-types") else {
        let own = own.map(|own| Node::text(own.name(), layer.data.element.span.clone()));
        return Ok(own.map(|own| list(layer.data.element, vec![own])));
    };
    let named = words(types, source);
    let has = |own: &ElementType| types.value.contains(own.name());
    match own.filter(|own| !has(own) && !named.items().is_empty()) {
        Some(own) => {
            let message = format!("the precision of port 0 is {own}, which is none of these");
            let fault = types.fault(message);
            Err(fault.hint("remove the precision, or name its type too"))
        }
        None => Ok(Some(named)),
    }
}
