//! A request as oneDNN's graph JSON for benchdnn's graph driver, and the requests of such a file.

use super::found::{Form, Found, FoundNode, MAX_DIMS, NoNode, Recorded};
use crate::json;
use crate::semantics::operator::{Binding, ModelFiles, TargetSource};
use crate::semantics::outcome::show_pattern;
use crate::semantics::request::{AttributeValue, Attributes, Request, Target};
use crate::tensor::ElementType;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The version of oneDNN whose format this is.
const VERSION: &str = "3.7.0";
/// The operation's name.
const KIND: &str = "StaticReshape";
/// A dim that is unknown (`DNNL_GRAPH_UNKNOWN_DIM`).
pub(super) const UNKNOWN: i64 = i64::MIN;

/// oneDNN's names of element types.
const NAMES: &[(ElementType, &str)] = &[
    (ElementType::F32, "f32"),
    (ElementType::F16, "f16"),
    (ElementType::Bf16, "bf16"),
    (ElementType::I32, "s32"),
    (ElementType::I8, "s8"),
    (ElementType::U8, "u8"),
    (ElementType::I4, "s4"),
    (ElementType::U4, "u4"),
    (ElementType::Bool, "boolean"),
    (ElementType::F8e4m3fn, "f8_e4m3"),
    (ElementType::F8e5m2, "f8_e5m2"),
    (ElementType::F4e2m1, "f4_e2m1"),
    (ElementType::F8e8m0, "e8m0"),
];

/// The text of the file; `None` if the format cannot express the request. `output` is the output's shape, if any.
pub(crate) fn write(
    request: &Request,
    binding: Binding,
    output: Option<&[u64]>,
) -> Option<Vec<u8>> {
    if binding != Binding::AttributeStatic {
        return None;
    }
    let unknown = vec![UNKNOWN; request.values().len()];
    let (output, strides) = match output {
        Some(shape) => (signed(shape), row_by_row(&signed(shape))),
        None => (unknown.clone(), unknown),
    };
    let file = json!({
        "version": VERSION,
        "engine_kind": "cpu",
        "fpmath_mode": "strict",
        "input_ports": [0],
        "output_ports": [1],
        "graph": [operation(request, &output, &strides)?],
    });
    let mut text = serde_json::to_vec_pretty(&file).ok()?;
    text.push(b'\n');
    Some(text)
}

/// The operation, with these dims and strides of its output; `None` if the format cannot express it.
pub(super) fn operation(request: &Request, output: &[i64], strides: &[i64]) -> Option<Value> {
    let (_, dtype) = NAMES.iter().find(|(of, _)| *of == request.element_type)?;
    let mut attributes = Map::new();
    for (name, value) in &*request.attributes {
        attributes.insert(name.clone(), attribute(value)?);
    }
    if let Some(target) = &request.target {
        attributes.insert("shape".to_owned(), target_attribute(target)?);
    }
    let data = signed(&request.data_shape);
    Some(json!({
        "id": 0,
        "name": "reshape",
        "kind": KIND,
        "attrs": attributes,
        "inputs": [tensor(0, dtype, &data, &row_by_row(&data))],
        "outputs": [tensor(1, dtype, output, strides)],
    }))
}

/// Dims as signed numbers, which the format requires; they are at most 2^63-1.
pub(super) fn signed(dims: &[u64]) -> Vec<i64> {
    dims.iter().map(|dim| dim.cast_signed()).collect()
}

/// The strides of a tensor that lies in memory row by row, in elements.
pub(super) fn row_by_row(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1_i64; shape.len()];
    for index in (1..shape.len()).rev() {
        strides[index - 1] = strides[index].saturating_mul(shape[index].max(1));
    }
    strides
}

/// A logical tensor.
fn tensor(id: u32, dtype: &str, shape: &[i64], strides: &[i64]) -> Value {
    json!({
        "id": id, "dtype": dtype, "shape": shape, "stride": strides,
        "layout_type": "strided", "property_type": "undef",
    })
}

/// An attribute; `None` for a float that JSON cannot express.
fn attribute(value: &AttributeValue) -> Option<Value> {
    Some(match value {
        AttributeValue::Bool(value) => json!({"type": "bool", "value": u8::from(*value)}),
        AttributeValue::Int(value) => json!({"type": "s64", "value": value}),
        AttributeValue::Float(value) if value.is_finite() => json!({"type": "f32", "value": value}),
        AttributeValue::Float(_) => return None,
        AttributeValue::String(value) => json!({"type": "string", "value": value}),
        AttributeValue::Ints(values) => json!({"type": "s64[]", "value": values}),
    })
}

/// The attribute `shape`; `None` unless it is a flat list or a bare integer of i64.
fn target_attribute(target: &Target) -> Option<Value> {
    let values = target.values.iter().map(|value| i64::try_from(*value).ok());
    let values: Vec<i64> = values.collect::<Option<_>>()?;
    if target.element_type != ElementType::I64 {
        return None;
    }
    match (target.dims.len(), values.first()) {
        (1, _) => Some(json!({"type": "s64[]", "value": values})),
        (0, Some(value)) => Some(json!({"type": "s64", "value": value})),
        _ => None,
    }
}

#[derive(Deserialize)]
struct File {
    graph: Vec<Operation>,
}

#[derive(Deserialize)]
struct Operation {
    #[serde(default)]
    name: String,
    kind: String,
    #[serde(default)]
    attrs: BTreeMap<String, Attribute>,
    #[serde(default)]
    inputs: Vec<LogicalTensor>,
    #[serde(default)]
    outputs: Vec<LogicalTensor>,
}

#[derive(Deserialize)]
struct Attribute {
    r#type: String,
    value: Value,
}

#[derive(Deserialize)]
struct LogicalTensor {
    dtype: String,
    #[serde(default)]
    shape: Vec<i64>,
}

/// The Reshapes of a file, in the order of its operations. The error says why it is not a graph, with line and column.
pub(crate) fn read(text: &[u8]) -> Result<Vec<Found>, String> {
    let fault = |error| format!("not a graph: {error}");
    json::check_keys(text).map_err(fault)?;
    let file: File = serde_json::from_slice(text).map_err(fault)?;
    let reshapes = file.graph.into_iter().filter(|of| of.kind == KIND);
    let found = reshapes.map(|operation| Found {
        node: node(&operation),
        name: operation.name,
        around: Vec::new(),
    });
    Ok(found.collect())
}

fn node(operation: &Operation) -> Result<FoundNode, NoNode> {
    let type_of = |tensor: &LogicalTensor| {
        let named = NAMES.iter().find(|(_, name)| *name == tensor.dtype);
        named.map(|(of, _)| *of)
    };
    let typed = |tensors: &[LogicalTensor]| tensors.first().and_then(type_of);
    let form = Form {
        inputs: operation.inputs.len(),
        most_inputs: 1,
        outputs: operation.outputs.len(),
        attributes: Vec::new(),
        types: [typed(&operation.inputs), typed(&operation.outputs)],
    };
    form.check()?;
    let data = operation.inputs.first().ok_or("it has no input")?;
    let element_type =
        type_of(data).ok_or_else(|| format!("unknown element type '{}'", data.dtype))?;
    let data_shape = known(&data.shape).ok_or_else(|| {
        let dims = data.shape.iter().map(|dim| u64::try_from(*dim).ok());
        let shown = show_pattern(&dims.collect::<Vec<_>>());
        format!("the dims of its data are unknown before it runs: {shown}")
    })?;
    let target = operation.attrs.get("shape").map(target).transpose()?;
    let values = target.as_ref().map_or(0, |of| of.values.len());
    if data_shape.len().max(values) > MAX_DIMS {
        return Err(format!("it has more than {MAX_DIMS} dims").into());
    }
    let others = operation.attrs.iter().filter(|(name, _)| *name != "shape");
    let others = others.map(|(name, of)| Ok((name.clone(), attribute_value(of)?)));
    let attributes = others.collect::<Result<_, NoNode>>()?;
    let output = operation.outputs.first().and_then(|of| known(&of.shape));
    Ok(FoundNode {
        operators: ModelFiles::OnednnGraph.operators().collect(),
        element_type,
        data_shape,
        target,
        attributes: Attributes::new(attributes),
        source: TargetSource::Attribute,
        dynamic: false,
        data: None,
        output: output.map_or(Recorded::Nothing, Recorded::Shape),
    })
}

/// Dims without an unknown one.
fn known(shape: &[i64]) -> Option<Vec<u64>> {
    shape.iter().map(|dim| u64::try_from(*dim).ok()).collect()
}

fn target(attribute: &Attribute) -> Result<Target, NoNode> {
    let fault = || format!("its attribute shape has the type {}", attribute.r#type);
    if !matches!(attribute.r#type.as_str(), "s64" | "s64[]") {
        return Err(NoNode::Malformed(fault()));
    }
    match attribute_value(attribute)? {
        AttributeValue::Ints(values) => Ok(Target::list(values)),
        AttributeValue::Int(value) => Ok(Target {
            dims: Vec::new(),
            ..Target::list([value])
        }),
        AttributeValue::Bool(_) | AttributeValue::Float(_) | AttributeValue::String(_) => {
            Err(NoNode::Malformed(fault()))
        }
    }
}

fn attribute_value(attribute: &Attribute) -> Result<AttributeValue, NoNode> {
    let Attribute { r#type, value } = attribute;
    let int = |value: &Value| value.as_i64();
    let read = match r#type.as_str() {
        "bool" => {
            let number = int(value).filter(|value| matches!(value, 0 | 1));
            let flag = value.as_bool().or(number.map(|value| value == 1));
            flag.map(AttributeValue::Bool)
        }
        "s64" => int(value).map(AttributeValue::Int),
        "f32" => value.as_f64().map(AttributeValue::Float),
        "string" => value
            .as_str()
            .map(|text| AttributeValue::String(text.to_owned())),
        "s64[]" => {
            let values = value.as_array();
            let values = values.and_then(|values| values.iter().map(int).collect());
            values.map(AttributeValue::Ints)
        }
        _ => return Err(format!("an attribute of the type {type}").into()),
    };
    let why = || format!("an attribute of the type {type} with the value {value}");
    read.ok_or_else(|| NoNode::Malformed(why()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::operator::Operator;

    #[test]
    fn mutated_graph_json_is_read_or_refused() {
        let operator = Operator::named("onednn.StaticReshape").expect("an operator");
        let request = Request {
            attributes: Attributes::new(
                [("special_zero".to_owned(), AttributeValue::Bool(true))].into(),
            ),
            ..Request::plain(operator, &[2, 3], &[0, -1])
        };
        let text = write(&request, Binding::AttributeStatic, Some(&[2, 3])).expect("a file");
        assert_eq!(read(&text).expect("a file").len(), 1);
        crate::mutations::of(&[&text], |bytes| {
            crate::mutations::resolve_all(read(bytes));
        });
    }
}
