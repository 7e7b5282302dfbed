//! A real IR: its Reshape layers, each with its request. The `.bin` next to the `.xml` holds their constant targets.
//! Unknown values are reported as unknown. Layers in the bodies of loops and conditions are skipped.

use super::element::{Attribute, Element, in_file};
use super::layer::{Layer, Port};
use crate::error::{Fault, Source};
use crate::model::found::{Form, Found, FoundNode, MAX_DIMS, NoNode, Recorded};
use crate::model::openvino_ir::{element_type_named, element_type_of_precision};
use crate::semantics::operator::{ModelFiles, TargetSource};
use crate::semantics::outcome::show_pattern;
use crate::semantics::request::{LARGEST_DIM, Target};
use crate::tensor::{Count, ElementType, Tensor};
use std::cell::LazyCell;
use std::collections::HashMap;

/// Reads the `.bin`.
type ReadBin<'b> = &'b dyn Fn() -> Result<Vec<u8>, String>;
/// The `.bin`, read on first use.
type Bin<'b> = LazyCell<Result<Vec<u8>, String>, ReadBin<'b>>;

/// The Reshapes of an IR, in the order of its layers. `bin` reads the `.bin` beside it. Fails at the first fault.
pub(crate) fn reshapes(source: &Source, bin: ReadBin<'_>) -> Result<Vec<Found>, Fault> {
    let net = super::tree::parse(&source.text).map_err(|fault| in_file(fault, source))?;
    if net.name != "net" {
        let fault = Fault::new(source, 0..0, "not an IR, whose root is <net>");
        return Err(fault.hint("pass a file of cases to other commands with --cases"));
    }
    of_net(&net, bin).map_err(|fault| in_file(fault, source))
}

fn of_net(net: &Element<'_>, bin: ReadBin<'_>) -> Result<Vec<Found>, Fault> {
    let bin = LazyCell::new(bin);
    let layers = part(net, "layers")?;
    let by_id = layers_by_id(layers)?;
    let sources = sources(part(net, "edges")?)?;
    let mut found = Vec::new();
    for element in layers.elements().filter(|element| is(element, "Reshape")) {
        let id = &*element.required("id")?.value;
        let from = |port| by_id.get(sources.get(&(id, port))?).copied();
        let layer = Layer::read(element)?;
        let of_name = |name| element_type_of_precision(name).or_else(|| element_type_named(name));
        let element_type = named_type(element, &layer, from("0")).and_then(of_name);
        let name = element.attribute("name");
        found.push(Found {
            name: name.map_or_else(String::new, |name| name.value.to_string()),
            node: node(layer, element_type, from("1"), &bin)?,
            around: Vec::new(),
        });
    }
    Ok(found)
}

/// A part of an IR.
fn part<'e>(net: &'e Element<'e>, name: &str) -> Result<&'e Element<'e>, Fault> {
    let fault = || net.fault(format!("the IR has no <{name}>"));
    net.only_child(name)?.ok_or_else(fault)
}

/// The layers by their ids.
fn layers_by_id<'e>(layers: &'e Element<'e>) -> Result<HashMap<&'e str, &'e Element<'e>>, Fault> {
    let mut by_id = HashMap::new();
    for layer in layers.elements().filter(|element| element.name == "layer") {
        let id = layer.required("id")?;
        if by_id.insert(&*id.value, layer).is_some() {
            return Err(id.fault(format!("a second layer {}", id.value)));
        }
    }
    Ok(by_id)
}

/// The source layer of each input, by layer and port.
fn sources<'e>(edges: &'e Element<'e>) -> Result<HashMap<(&'e str, &'e str), &'e str>, Fault> {
    let mut sources = HashMap::new();
    for edge in edges.elements().filter(|element| element.name == "edge") {
        let end = |name| Ok(&*edge.required(name)?.value);
        sources.insert((end("to-layer")?, end("to-port")?), end("from-layer")?);
    }
    Ok(sources)
}

/// The request of a layer, or why it is unknown. `from` is the source layer of its target.
fn node(
    layer: Layer<'_>,
    element_type: Option<ElementType>,
    from: Option<&Element<'_>>,
    bin: &Bin<'_>,
) -> Result<Result<FoundNode, NoNode>, Fault> {
    let Some(element_type) = element_type else {
        return Ok(Err("the port of its data has no element type".into()));
    };
    let declared = |port: &Port<'_>| port.element_type().ok()?;
    let own = declared(&layer.data);
    let declared = layer.output.as_ref().and_then(declared);
    let form = Form {
        inputs: 1 + usize::from(layer.target.is_some()),
        most_inputs: 2,
        outputs: usize::from(layer.output.is_some()),
        attributes: Vec::new(),
        types: [own, declared],
    };
    if let Err(why) = form.check() {
        return Ok(Err(why));
    }
    let target = match target(from, layer.target.is_some(), bin)? {
        Ok(target) => target,
        Err(why) => return Ok(Err(why.into())),
    };
    let output = layer.output.as_ref().and_then(|output| output.dims());
    // A port without dims is a scalar or has an unknown rank.
    let has_values = target.as_ref().is_some_and(|of| !of.values.is_empty());
    let output = output.filter(|dims| !dims.is_empty() || !has_values);
    let (dims, pattern) = (layer.data.dims(), layer.data.pattern());
    let count = output.as_ref().map(|dims| Count::of(dims).as_u64());
    let is_scalar = count == Some(Some(1));
    let Some(data_shape) = dims.filter(|dims| !dims.is_empty() || is_scalar) else {
        let shown = show_pattern(&pattern);
        let why = format!("the dims of its data are unknown before the model runs: {shown}");
        return Ok(Err(why.into()));
    };
    if data_shape.len() > MAX_DIMS {
        return Ok(Err(format!("its data has more than {MAX_DIMS} dims").into()));
    }
    Ok(Ok(FoundNode {
        operators: ModelFiles::OpenvinoIr.operators().take(1).collect(),
        element_type,
        dynamic: false,
        data_shape,
        target,
        attributes: layer.attributes,
        source: TargetSource::Constant,
        data: None,
        output: output.map_or(Recorded::Nothing, Recorded::Shape),
    }))
}

/// The target, or why it is unknown.
fn target(
    from: Option<&Element<'_>>,
    has_port: bool,
    bin: &Bin<'_>,
) -> Result<Result<Option<Target>, String>, Fault> {
    if !has_port {
        return Ok(Ok(None));
    }
    let Some(constant) = from.filter(|from| is(from, "Const")) else {
        return Ok(Err("its target is unknown before the model runs".to_owned()));
    };
    let data = constant.only_child("data")?;
    let name = data.and_then(|data| data.attribute("element_type"));
    let element_type = name.and_then(|name| element_type_named(&name.value));
    if element_type.is_some_and(|of| !of.is_integer()) {
        return Ok(Err("its target does not hold integers".to_owned()));
    }
    let target = constant_target(constant, bin)?;
    Ok(match target.values.len() {
        0..=MAX_DIMS => Ok(Some(target)),
        _ => Err(format!("its target has more than {MAX_DIMS} values")),
    })
}

/// The name of the data's element type: on the data port, on the layer, or at the data's source. Old files have it only
/// on the layer, or nowhere. `None` means any type of the operator.
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

/// Whether it is a layer of this type in the standard opset, where Reshape and Const have one version each.
fn is(layer: &Element<'_>, kind: &str) -> bool {
    let has = |name, value: &str| {
        let attribute = layer.attribute(name);
        attribute.is_some_and(|attribute| attribute.value == value)
    };
    layer.name == "layer"
        && has("type", kind)
        && (has("version", "opset1") || layer.attribute("version").is_none())
}

fn constant_target(constant: &Element<'_>, bin: &Bin<'_>) -> Result<Target, Fault> {
    let data = constant.only_child("data")?;
    let data = data.ok_or_else(|| constant.fault("the constant has no <data>"))?;
    let named = data.required("element_type")?;
    let element_type =
        element_type_named(&named.value).filter(|element_type| element_type.is_integer());
    let fault = || named.fault(format!("a target of type '{}'", named.value));
    let element_type = element_type.ok_or_else(|| fault().hint("targets are integers"))?;
    let shape = data.required("shape")?;
    let dims: Option<Vec<u64>> = match shape.value.trim() {
        "" => Some(vec![]),
        dims => dims
            .split(',')
            .map(|dim| dim.trim().parse().ok().filter(|dim| *dim <= LARGEST_DIM))
            .collect(),
    };
    let fault = || shape.fault("not the dims of a constant");
    let dims = dims.ok_or_else(|| fault().hint("write 2 or 2,3"))?;
    let (offset, size) = (number(data.required("offset")?)?, data.required("size")?);
    let count = Count::of(&dims).as_u64();
    let needed = count.and_then(|count| element_type.packed_bytes(count));
    if needed != Some(number(size)?) {
        let needed =
            needed.map_or_else(|| "more than 2^64".to_owned(), |needed| needed.to_string());
        return Err(size.fault(format!(
            "the constant takes {needed} bytes ({element_type}{dims:?}), its size says {}",
            size.value
        )));
    }
    let bytes = bin.as_ref();
    let bytes = bytes.map_err(|why| data.fault(why).hint("an IR's .bin lies next to its .xml"))?;
    let end = needed.and_then(|size| offset.checked_add(size));
    let range = end.and_then(|end| Some(usize::try_from(offset).ok()?..usize::try_from(end).ok()?));
    let Some(slice) = range.and_then(|range| bytes.get(range)) else {
        let end = end.map_or_else(|| "more than 2^64".to_owned(), |end| end.to_string());
        let fault = data.fault(format!(
            "the .bin is too short: the target ends at byte {end}, but the file has {}",
            bytes.len()
        ));
        return Err(fault.hint("is it truncated, or the .bin of another model?"));
    };
    // The slice has exactly the bytes of the constant.
    let flat = Tensor::from_bytes(element_type, count.into_iter().collect(), slice.to_vec());
    let flat = flat.map_err(|error| data.fault(error.to_string()))?;
    let values = (0..flat.len()).filter_map(|index| flat.integer(index));
    let values = values.collect();
    Ok(Target {
        element_type,
        dims,
        values,
    })
}

fn number(attribute: &Attribute<'_>) -> Result<u64, Fault> {
    let fault = |_| attribute.fault(format!("'{}' is not a number of bytes", attribute.value));
    attribute.value.trim().parse().map_err(fault)
}
