//! A real IR: each Reshape layer whose target is a constant becomes a case. The target is read from the `.bin` beside the
//! `.xml`.
//!
//! Layers with another target or with unknown dims are skipped, as are those inside the bodies of loops and conditions.

use super::case::{XmlCase, XmlExpect};
use super::element::XmlFault;
use super::element::{Attribute, Element};
use super::layer::{LARGEST_DIM, Layer, element_count};
use crate::model::openvino_ir::{element_type_named, element_type_of_precision};
use crate::semantics::operator::Rule;
use crate::semantics::request::{AttributeValue, Target};
use crate::suite::case::lookup::case_name;
use crate::tensor::Tensor;
use std::collections::{BTreeSet, HashMap};

/// The cases of a `<net>`. `stem` is the file's name without `.xml`; `bin` reads the `.bin` beside it, and is called only
/// if a target is in it.
pub(super) fn read(
    net: &Element<'_>,
    stem: &str,
    bin: impl FnOnce() -> Result<Vec<u8>, String>,
) -> Result<Vec<XmlCase>, XmlFault> {
    if net.name != "net" {
        return Err(
            XmlFault::new(net.span.clone(), format!("the root is <{}>", net.name))
                .hint("an IR has the root <net>"),
        );
    }
    let layers = part(net, "layers")?;
    let by_id = layers_by_id(layers)?;
    let sources = sources(part(net, "edges")?)?;
    let mut bin = Bin::new(bin);
    let mut names = BTreeSet::new();
    let mut cases = Vec::new();
    for (position, element) in layers
        .elements()
        .enumerate()
        .filter(|(_, element)| is(element, "Reshape"))
    {
        let id = element.required("id")?;
        let source = sources
            .get(&(&*id.value, "1"))
            .and_then(|from| by_id.get(from));
        let Some(constant) = source.filter(|layer| is(layer, "Const")) else {
            continue;
        };
        let data = sources
            .get(&(&*id.value, "0"))
            .and_then(|from| by_id.get(from));
        let Some(mut case) = case(element, data.copied(), constant, stem, &mut bin)? else {
            continue;
        };
        // Names may be equal in kebab case: append the position.
        while !names.insert(case.name.clone()) {
            case.name = format!("{}-{position}", case.name);
        }
        cases.push(case);
    }
    Ok(cases)
}

/// A part of an IR.
pub(super) fn part<'e>(net: &'e Element<'e>, name: &str) -> Result<&'e Element<'e>, XmlFault> {
    let fault = || XmlFault::new(net.span.clone(), format!("the IR has no <{name}>"));
    net.only_child(name)?.ok_or_else(fault)
}

/// The layers by their ids.
pub(super) fn layers_by_id<'e>(
    layers: &'e Element<'e>,
) -> Result<HashMap<&'e str, &'e Element<'e>>, XmlFault> {
    let mut by_id = HashMap::new();
    for layer in layers.elements().filter(|element| element.name == "layer") {
        let id = layer.required("id")?;
        if by_id.insert(&*id.value, layer).is_some() {
            let message = format!("a second layer {}", id.value);
            return Err(XmlFault::new(id.span.clone(), message));
        }
    }
    Ok(by_id)
}

/// For each input, as layer and port, the layer from which it comes.
pub(super) fn sources<'e>(
    edges: &'e Element<'e>,
) -> Result<HashMap<(&'e str, &'e str), &'e str>, XmlFault> {
    let mut sources = HashMap::new();
    for edge in edges.elements().filter(|element| element.name == "edge") {
        let end = |name| Ok(&*edge.required(name)?.value);
        sources.insert((end("to-layer")?, end("to-port")?), end("from-layer")?);
    }
    Ok(sources)
}

/// The case of a Reshape layer with a constant target; `None` if its element type is not ours, or its dims are unknown.
/// `data` is the layer that its data comes from.
fn case<F: FnOnce() -> Result<Vec<u8>, String>>(
    element: &Element<'_>,
    data: Option<&Element<'_>>,
    constant: &Element<'_>,
    stem: &str,
    bin: &mut Bin<F>,
) -> Result<Option<XmlCase>, XmlFault> {
    let layer = Layer::read(element)?;
    let output = layer
        .output
        .as_ref()
        .ok_or_else(|| XmlFault::new(element.span.clone(), "the layer has no output"))?;
    let (Some(data_shape), Some(output_shape)) = (layer.data.dims(), output.dims()) else {
        return Ok(None);
    };
    let element_types = match named_type(element, &layer, data) {
        Some(name) => match element_type_of_precision(name).or_else(|| element_type_named(name)) {
            Some(element_type) => Some(vec![element_type]),
            None => return Ok(None),
        },
        None => None,
    };
    let target = constant_target(constant, bin)?;
    // A port without dims is a scalar or of unknown rank.
    let output_is_open = output_shape.is_empty() && !target.values.is_empty();
    let data_is_open = data_shape.is_empty() && element_count(&output_shape) != Some(1);
    if output_is_open || data_is_open {
        return Ok(None);
    }
    let name = element.attribute("name");
    let name_span = name.map_or(element.span.clone(), |name| name.span.clone());
    let name = name.map_or("", |name| &*name.value);
    Ok(Some(XmlCase {
        name: case_name(&[stem, name], "layer"),
        about: Some(format!("the Reshape layer '{name}' of {stem}.xml")),
        covers: Some(covers(&target, layer.attributes.get("special_zero"))),
        element_types,
        data_shape,
        target: Some(target),
        attributes: layer.attributes,
        expect: XmlExpect::Shape(output_shape),
        span: element.span.clone(),
        name_span,
        covers_span: element.span.clone(),
        expect_span: output.element.span.clone(),
    }))
}

/// The name of the data's element type: on the data port, on the layer, or where the data comes from. Old files have it on
/// the layer or nowhere; `None` is any type that the operator has.
fn named_type<'e>(
    element: &'e Element<'_>,
    layer: &Layer<'e>,
    data: Option<&'e Element<'_>>,
) -> Option<&'e str> {
    let precision = |element: &'e Element<'_>| element.attribute("precision");
    let declared = |from: &'e Element<'_>| {
        let typed = from.elements().find(|child| child.name == "data");
        typed?.attribute("element_type").or(precision(from))
    };
    let own = precision(layer.data.element).or(precision(element));
    own.or(data.and_then(declared)).map(|name| &*name.value)
}

/// Whether it is a layer of that type in the standard opset, where Reshape and Const have one version each.
pub(super) fn is(layer: &Element<'_>, kind: &str) -> bool {
    let has = |name, value: &str| {
        layer
            .attribute(name)
            .is_some_and(|attribute| attribute.value == value)
    };
    layer.name == "layer"
        && has("type", kind)
        && (has("version", "opset1") || layer.attribute("version").is_none())
}

/// The `.bin`, read when first needed.
pub(super) struct Bin<F> {
    read: Option<F>,
    bytes: Vec<u8>,
}

impl<F: FnOnce() -> Result<Vec<u8>, String>> Bin<F> {
    pub(super) fn new(read: F) -> Self {
        Self {
            read: Some(read),
            bytes: Vec::new(),
        }
    }

    fn bytes(&mut self) -> Result<&[u8], String> {
        if let Some(read) = self.read.take() {
            self.bytes = read()?;
        }
        Ok(&self.bytes)
    }
}

pub(super) fn constant_target<F>(
    constant: &Element<'_>,
    bin: &mut Bin<F>,
) -> Result<Target, XmlFault>
where
    F: FnOnce() -> Result<Vec<u8>, String>,
{
    let fault = |message: &str| XmlFault::new(constant.span.clone(), message);
    let data = constant
        .only_child("data")?
        .ok_or_else(|| fault("the constant has no <data>"))?;
    let named = data.required("element_type")?;
    let element_type =
        element_type_named(&named.value).filter(|element_type| element_type.is_integer());
    let element_type = element_type.ok_or_else(|| {
        XmlFault::new(
            named.span.clone(),
            format!("a target of type '{}'", named.value),
        )
        .hint("targets are integers")
    })?;
    let shape = data.required("shape")?;
    let dims: Option<Vec<u64>> = match shape.value.trim() {
        "" => Some(vec![]),
        dims => dims
            .split(',')
            .map(|dim| dim.trim().parse().ok().filter(|dim| *dim <= LARGEST_DIM))
            .collect(),
    };
    let dims = dims.ok_or_else(|| {
        XmlFault::new(shape.span.clone(), "not the dims of a constant").hint("write 2 or 2,3")
    })?;
    let (offset, size) = (number(data.required("offset")?)?, data.required("size")?);
    let count = element_count(&dims);
    let needed = count.and_then(|count| element_type.packed_bytes(count));
    if needed != Some(number(size)?) {
        let needed =
            needed.map_or_else(|| "more than 2^64".to_owned(), |needed| needed.to_string());
        let message = format!(
            "the constant takes {needed} bytes ({element_type}{dims:?}), its size says {}",
            size.value
        );
        return Err(XmlFault::new(size.span.clone(), message));
    }
    let bytes = bin.bytes().map_err(|why| {
        XmlFault::new(data.span.clone(), why).hint("an IR's .bin lies beside its .xml")
    })?;
    let end = needed.and_then(|size| offset.checked_add(size));
    let range = end.and_then(|end| Some(usize::try_from(offset).ok()?..usize::try_from(end).ok()?));
    let Some(slice) = range.and_then(|range| bytes.get(range)) else {
        let end = end.map_or_else(|| "more than 2^64".to_owned(), |end| end.to_string());
        let message = format!(
            "the .bin is too short: the target ends at byte {end}, it has {}",
            bytes.len()
        );
        return Err(XmlFault::new(data.span.clone(), message)
            .hint("is it cut off, or the .bin of another model?"));
    };
    // The slice has exactly the bytes of the constant.
    let flat = Tensor::from_bytes(element_type, count.into_iter().collect(), slice.to_vec());
    let flat = flat.map_err(|error| XmlFault::new(data.span.clone(), error.to_string()))?;
    let values = (0..flat.len())
        .filter_map(|index| flat.integer(index))
        .collect();
    Ok(Target {
        element_type,
        dims,
        values,
    })
}

fn number(attribute: &Attribute<'_>) -> Result<u64, XmlFault> {
    let fault = |_| {
        XmlFault::new(
            attribute.span.clone(),
            format!("'{}' is not a number of bytes", attribute.value),
        )
    };
    attribute.value.trim().parse().map_err(fault)
}

/// The rules that a layer exercises, by the values of its target.
fn covers(target: &Target, special_zero: Option<&AttributeValue>) -> Vec<String> {
    let copies = special_zero == Some(&AttributeValue::Bool(true));
    let of_value = |value: &i128| match value {
        -1 => Rule::InferredMinusOne,
        0 if copies => Rule::CopiedZero,
        0 => Rule::LiteralZero,
        _ => Rule::TargetIsOutputShape,
    };
    let rules: BTreeSet<_> = target
        .values
        .iter()
        .map(of_value)
        .chain([Rule::SameContent])
        .collect();
    rules.iter().map(|rule| rule.name().to_owned()).collect()
}
