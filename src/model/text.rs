//! A request in the syntax of its field: ONNX's text, an IR's layer, oneDNN's graph JSON, numpy's call. People read and
//! paste it; other modules write the models for backends.

use crate::model::{onednn_graph, openvino_ir};
use crate::names::Joined;
use crate::semantics::operator::{Binding, ModelFiles};
use crate::semantics::oracle::copies_zero;
use crate::semantics::request::{AttributeValue, Request, Target};
use crate::tensor::ElementType;
use std::fmt::Display;

/// The request in the syntax of its operator's field. `output` is the expected shape, if there is one. The error says
/// why the syntax cannot express it.
pub(crate) fn rendered(request: &Request, output: Option<&[u64]>) -> Result<String, &'static str> {
    let Some(files) = request.operator.family.models() else {
        return call(request).ok_or("a call takes a flat list of integers as shape");
    };
    match files {
        ModelFiles::Onnx => onnx(request).ok_or(
            "an ONNX node cannot have a boolean attribute, or an attribute shape that is not a list",
        ),
        ModelFiles::OpenvinoIr => {
            layer(request).ok_or("an IR cannot express its type, target or attribute")
        }
        ModelFiles::OnednnGraph => onednn(request, output).ok_or(
            "the graph JSON takes only data of f32, f16 and bf16, and a flat list of s64 as shape",
        ),
    }
}

/// The model in the syntax of `onnx.parser`.
fn onnx(request: &Request) -> Option<String> {
    let operator = request.operator;
    let ty = |element_type: ElementType| element_type.onnx_name().to_lowercase();
    let attributes = request.attributes.iter();
    // ONNX attributes have no booleans.
    let attributes = attributes.map(|(name, value)| {
        let is_bool = matches!(value, AttributeValue::Bool(_));
        (!is_bool).then(|| format!("{name} = {value}"))
    });
    let mut attributes: Vec<_> = attributes.collect::<Option<_>>()?;
    let dims: Vec<_> = request.data_shape.iter().map(u64::to_string).collect();
    let data = format!("{}{} data", ty(request.element_type), bracketed(&dims));
    let (mut weights, mut inputs) = (String::new(), "data".to_owned());
    match &request.target {
        Some(target) if operator.target_is_attribute() => {
            let list = target.is_flat().then(|| listed(target))?;
            attributes.insert(0, format!("shape = [{list}]"));
        }
        Some(target) => {
            let dims: Vec<_> = target.dims.iter().map(u64::to_string).collect();
            let (ty, dims) = (ty(target.element_type), bracketed(&dims));
            weights = format!("\n<{ty}{dims} shape = {{{}}}>", listed(target));
            inputs = "data, shape".to_owned();
        }
        None => {}
    }
    let attributes = match attributes.join(", ") {
        none if none.is_empty() => none,
        all => format!(" <{all}>"),
    };
    // The checker needs a rank: the number of values.
    let values = 0..request.values().len();
    let lengths: Vec<_> = values.map(|index| format!("d{index}")).collect();
    let (opset, out) = (operator.version, ty(request.element_type));
    let out = format!("{out}{}", bracketed(&lengths));
    Some(format!(
        "<ir_version: 10, opset_import: [\"\" : {opset}]>\ncase ({data}) => ({out} reshaped){weights}\n\
         {{\n  reshaped = Reshape{attributes} ({inputs})\n}}"
    ))
}

/// Dims after an element type; empty for a scalar, which has no brackets.
fn bracketed(dims: &[String]) -> String {
    match dims {
        [] => String::new(),
        dims => format!("[{}]", dims.join(",")),
    }
}

/// The values of a target, strings in quotes.
fn listed(target: &Target) -> String {
    let quote = if target.element_type == ElementType::String {
        "\""
    } else {
        ""
    };
    let value = |value: &i128| format!("{quote}{value}{quote}");
    target.values.iter().map(value).joined(", ")
}

/// The Reshape layer of the IR.
fn layer(request: &Request) -> Option<String> {
    let ir = openvino_ir::model(request, Binding::ConstantStatic)?;
    let xml = String::from_utf8(ir.xml).ok()?;
    let at = xml.find("type=\"Reshape\"")?;
    let start = xml[..at].rfind("<layer")?;
    let end = start + xml[start..].find("</layer>")? + "</layer>".len();
    let indent = xml[..start].rsplit('\n').next().unwrap_or_default();
    let layer = xml[start..end].replace(&format!("\n{indent}"), "\n");
    let target = request.target.as_ref()?;
    Some(format!("<!-- port 1 is the constant {target} -->\n{layer}").replace('\t', "  "))
}

/// The operation in oneDNN's graph JSON, as benchdnn reads it.
fn onednn(request: &Request, output: Option<&[u64]>) -> Option<String> {
    // The types that oneDNN's operators list. The attribute shape must be a list.
    let listed = [ElementType::F32, ElementType::F16, ElementType::Bf16];
    let is_flat = request.target.as_ref().is_none_or(Target::is_flat);
    if !listed.contains(&request.element_type) || !is_flat {
        return None;
    }
    let output = output.map_or_else(|| vec![onednn_graph::UNKNOWN], onednn_graph::signed);
    let node = onednn_graph::operation(request, &output, &onednn_graph::row_by_row(&output));
    Some(node?.to_string())
}

/// The call of a library, which takes the attributes as keywords.
fn call(request: &Request) -> Option<String> {
    let (shape, dims) = (target_tuple(request)?, tuple(&request.data_shape));
    let keywords = request.attributes.iter().map(|(name, value)| match value {
        AttributeValue::Bool(true) => format!(", {name}=True"),
        AttributeValue::Bool(false) => format!(", {name}=False"),
        AttributeValue::Int(_)
        | AttributeValue::Float(_)
        | AttributeValue::String(_)
        | AttributeValue::Ints(_) => format!(", {name}={value}"),
    });
    let (keywords, ty): (String, _) = (keywords.collect(), request.element_type);
    Some(format!(
        "reshape(x, {shape}{keywords})  # x: {ty} of shape {dims}"
    ))
}

/// The call of `numpy.reshape` with the same target; `None` if numpy cannot have this target. numpy's zeros are
/// literal. `counted` is whether the data is filled by index.
pub(crate) fn numpy(request: &Request, counted: bool) -> Option<String> {
    let target = request.target.as_ref()?;
    let shape = target_tuple(request)?;
    let ty = request.element_type.numpy_name()?;
    let dims = tuple(&request.data_shape);
    let data = match counted {
        true => {
            format!("numpy.arange(numpy.prod({dims}, dtype=int)).reshape({dims}).astype('{ty}')")
        }
        false => "data".to_owned(),
    };
    let copied = target.values.contains(&0) && copies_zero(request) != Some(false);
    let notes = [
        (!counted).then(|| format!("data: the case's own, of type '{ty}' and shape {dims}")),
        copied.then(|| "numpy reads a 0 as the length 0".to_owned()),
    ];
    let notes = notes.into_iter().flatten();
    let notes: String = notes.map(|note| format!("  # {note}")).collect();
    Some(format!("numpy.reshape({data}, {shape}){notes}"))
}

/// The target as a tuple of Python; `None` unless it is a flat list of integers.
fn target_tuple(request: &Request) -> Option<String> {
    let target = request.target.as_ref()?;
    (target.is_flat() && target.element_type.is_integer()).then(|| tuple(&target.values))
}

fn tuple(dims: &[impl Display]) -> String {
    let comma = if dims.len() == 1 { "," } else { "" };
    format!("({}{comma})", dims.iter().joined(", "))
}
