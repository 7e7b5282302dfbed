//! The Reshape layers of a real IR, each as the request that it makes. What is not known before the model runs is said.

use super::element::Element;
use super::element::XmlFault;
use super::ir::{Bin, constant_target, is, layers_by_id, part, sources};
use super::layer::{Layer, element_count};
use super::tree::{parse, root_name};
use crate::error::{Fault, Source};
use crate::model::found::{Form, Found, FoundNode, Given, MOST_DIMS, NoNode, Recorded};
use crate::model::openvino_ir::element_type_named;
use crate::semantics::operator::{ModelFiles, TargetSource};
use crate::semantics::outcome::show_pattern;
use crate::semantics::request::Target;

/// The Reshapes of an IR, in the order of its layers. `bin` reads the `.bin` beside it; `given` is what a run passes.
///
/// # Errors
/// The first fault of the file.
pub(crate) fn reshapes(
    source: &Source,
    bin: &dyn Fn() -> Result<Vec<u8>, String>,
    given: Option<&Given>,
) -> Result<Vec<Found>, Fault> {
    if root_name(&source.text) != Some("net") {
        let fault = Fault::new(source, 0..0, "not an IR, whose root is <net>");
        return Err(fault.hint("a file of cases is given to the other commands by --cases"));
    }
    let found = parse(&source.text).and_then(|net| of_net(&net, bin, given));
    found.map_err(|fault| fault.at(source))
}

fn of_net(
    net: &Element<'_>,
    bin: &dyn Fn() -> Result<Vec<u8>, String>,
    given: Option<&Given>,
) -> Result<Vec<Found>, XmlFault> {
    let layers = part(net, "layers")?;
    let by_id = layers_by_id(layers)?;
    let sources = sources(part(net, "edges")?)?;
    let mut bin = Bin::new(bin);
    let mut found = Vec::new();
    for element in layers.elements().filter(|element| is(element, "Reshape")) {
        let id = element.required("id")?;
        let from = sources.get(&(&*id.value, "1"));
        let from = from.and_then(|from| by_id.get(from)).copied();
        let name = element.attribute("name");
        found.push(Found {
            name: name.map_or_else(String::new, |name| name.value.clone().into_owned()),
            node: node(element, from, &mut bin, given)?,
        });
    }
    Ok(found)
}

/// What a layer asks, or why that is not known.
fn node<F: FnOnce() -> Result<Vec<u8>, String>>(
    element: &Element<'_>,
    from: Option<&Element<'_>>,
    bin: &mut Bin<F>,
    given: Option<&Given>,
) -> Result<Result<FoundNode, NoNode>, XmlFault> {
    let layer = Layer::read(element)?;
    let Some(element_type) = layer.data.named_type() else {
        return Ok(Err("the port of its data has no element type".into()));
    };
    let declared = layer.output.as_ref().and_then(|output| output.named_type());
    let form = Form {
        inputs: 1 + usize::from(layer.target.is_some()),
        most_inputs: 2,
        outputs: usize::from(layer.output.is_some()),
        attributes: Vec::new(),
        types: [Some(element_type), declared],
    };
    if let Err(why) = form.check() {
        return Ok(Err(why));
    }
    let (target, source) = match target(from, layer.target.is_some(), bin, given)? {
        Ok(target) => target,
        Err(why) => return Ok(Err(why.into())),
    };
    let output = layer.output.as_ref().and_then(|output| output.dims());
    // A port without dims is a scalar or of unknown rank.
    let has_values = target.as_ref().is_some_and(|of| !of.values.is_empty());
    let output = output.filter(|dims| !dims.is_empty() || !has_values);
    let (dims, rank) = (layer.data.dims(), layer.data.rank());
    let is_scalar = given.map_or_else(
        || {
            output
                .as_ref()
                .is_some_and(|of| element_count(of) == Some(1))
        },
        |given| given.data_shape.is_empty(),
    );
    let declared = dims.clone().filter(|dims| !dims.is_empty() || is_scalar);
    let known = given.map(|given| &given.data_shape);
    let fits = known
        .filter(|shape| rank == 0 || shape.len() == rank)
        .cloned();
    let Some(data_shape) = declared.or(fits) else {
        let shown = show_pattern(&layer.data.pattern());
        return Ok(Err(format!(
            "the dims of its data are not known before the model runs: {shown}"
        )
        .into()));
    };
    if data_shape.len() > MOST_DIMS {
        return Ok(Err(
            format!("its data has more than {MOST_DIMS} dims").into()
        ));
    }
    let Some(operator) = ModelFiles::OpenvinoIr.operators().next() else {
        return Ok(Err("there is no OpenVINO".into()));
    };
    Ok(Ok(FoundNode {
        operators: vec![operator],
        element_type,
        dynamic: dims.is_none(),
        data_shape,
        target,
        attributes: layer.attributes,
        source,
        data: None,
        output: output.map_or(Recorded::Nothing, Recorded::Shape),
    }))
}

/// The target and where it comes from, or why it is not known.
#[allow(
    clippy::type_complexity,
    reason = "a fault of the file, or what is not known"
)]
fn target<F: FnOnce() -> Result<Vec<u8>, String>>(
    from: Option<&Element<'_>>,
    has_port: bool,
    bin: &mut Bin<F>,
    given: Option<&Given>,
) -> Result<Result<(Option<Target>, TargetSource), String>, XmlFault> {
    if !has_port {
        return Ok(Ok((None, TargetSource::Constant)));
    }
    Ok(match from {
        Some(constant) if is(constant, "Const") && !is_integers(constant)? => {
            let target = given.and_then(|given| given.target.clone());
            let target = target.map(|target| (Some(target), TargetSource::Constant));
            target.ok_or_else(|| "its target is not one of integers".to_owned())
        }
        Some(constant) if is(constant, "Const") => {
            let target = constant_target(constant, bin)?;
            match target.values.len() {
                0..=MOST_DIMS => Ok((Some(target), TargetSource::Constant)),
                _ => Err(format!("its target has more than {MOST_DIMS} values")),
            }
        }
        Some(_) | None => match given.and_then(|given| given.target.clone()) {
            Some(target) => Ok((Some(target), TargetSource::Runtime)),
            None => Err("its target is not known before the model runs".to_owned()),
        },
    })
}

/// Whether a constant holds integers, or says nothing of its type.
fn is_integers(constant: &Element<'_>) -> Result<bool, XmlFault> {
    let data = constant.only_child("data")?;
    let name = data.and_then(|data| data.attribute("element_type"));
    let element_type = name.and_then(|name| element_type_named(&name.value));
    Ok(element_type.is_none_or(|of| of.is_integer()))
}
