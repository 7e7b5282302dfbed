//! A Reshape layer: its attributes and ports, and a documented target in its comment.

use super::element::{Child, Element, fault_at};
use crate::error::Fault;
use crate::model::openvino_ir::element_type_of_precision;
use crate::semantics::outcome::ShapePattern;
use crate::semantics::request::{AttributeValue, Attributes, LARGEST_DIM, Target};
use crate::tensor::{Count, ElementType, literal};
use crate::yaml::{Kind, Node, Scalar, Value};
use std::ops::Range;

/// The parts of a `<layer>`.
#[derive(Debug)]
pub(super) struct Layer<'e> {
    /// The attributes of `<data>`; empty without it.
    pub(super) attributes: Attributes,
    /// Input port 0.
    pub(super) data: Port<'e>,
    /// Input port 1.
    pub(super) target: Option<Port<'e>>,
    pub(super) output: Option<Port<'e>>,
}

/// A `<port>` and the dims in it.
#[derive(Debug)]
pub(super) struct Port<'e> {
    pub(super) element: &'e Element<'e>,
    /// Each dim with its place; `None` for -1, an unknown dim.
    dims: Vec<(Option<u64>, Range<usize>)>,
}

impl<'e> Layer<'e> {
    pub(super) fn read(layer: &'e Element<'e>) -> Result<Self, Fault> {
        layer.only_elements(&["data", "input", "output", "rt_info"])?;
        let attributes = match layer.only_child("data")? {
            Some(data) => {
                data.only_elements(&[])?;
                let named = data.attributes.iter();
                let named = named.map(|of| (of.name.to_owned(), attribute(of.name, &of.value)));
                Attributes::new(named.collect())
            }
            None => Attributes::default(),
        };
        let hint = "the data is <port id=\"0\"> in <input>";
        let fault = |message| layer.fault(message).hint(hint);
        let input = layer.only_child("input")?;
        let input = input.ok_or_else(|| fault("the layer has no input"))?;
        let (mut data, mut target) = (None, None);
        for element in input.only_elements(&["port"])? {
            let id = element.required("id")?;
            let port = match &*id.value {
                "0" => &mut data,
                "1" => &mut target,
                other => {
                    let fault = id.fault(format!("a Reshape layer has no input port {other}"));
                    return Err(fault.hint("port 0 is the data, port 1 the target"));
                }
            };
            if port.replace(Port::read(element)?).is_some() {
                return Err(id.fault(format!("a second input port {}", id.value)));
            }
        }
        let output = match layer.only_child("output")? {
            Some(output) => {
                output.only_elements(&["port"])?;
                output.only_child("port")?.map(Port::read).transpose()?
            }
            None => None,
        };
        Ok(Self {
            attributes,
            data: data.ok_or_else(|| fault("the layer has no data port"))?,
            target,
            output,
        })
    }

    /// The attributes as a mapping.
    pub(super) fn attributes_node(&self) -> Node {
        let span = || self.data.element.span.clone();
        let attributes = self.attributes.iter().map(|(name, value)| {
            let (text, kind) = match value {
                AttributeValue::Bool(value) => (value.to_string(), Kind::Bool(*value)),
                AttributeValue::String(text) => (text.clone(), Kind::Text),
                AttributeValue::Int(_) | AttributeValue::Float(_) | AttributeValue::Ints(_) => {
                    (value.to_string(), Kind::Text)
                }
            };
            let value = Node::new(Value::Scalar(Scalar { text, kind }), span());
            (Node::text(name, span()), value)
        });
        Node::new(Value::Map(attributes.collect()), span())
    }
}

impl<'e> Port<'e> {
    fn read(element: &'e Element<'e>) -> Result<Self, Fault> {
        let dims = element.only_elements(&["dim", "rt_info"])?.into_iter();
        let dims = dims.filter(|child| child.name == "dim");
        let dims = dims.map(|dim| Ok((read_dim(dim)?, dim.span.clone())));
        let dims = dims.collect::<Result<_, _>>()?;
        Ok(Self { element, dims })
    }

    /// The dims; `None` if one of them is unknown.
    pub(super) fn dims(&self) -> Option<Vec<u64>> {
        self.dims.iter().map(|(dim, _)| *dim).collect()
    }

    /// The dims; `None` for an unknown one. Empty for a scalar, and for an unknown rank.
    pub(super) fn pattern(&self) -> ShapePattern {
        self.dims.iter().map(|(dim, _)| *dim).collect()
    }

    /// The dims as a list, with -1 for an unknown one.
    pub(super) fn node(&self) -> Node {
        let dim = |(dim, span): &(Option<u64>, Range<usize>)| {
            let text = dim.map_or_else(|| "-1".to_owned(), |dim| dim.to_string());
            let kind = Kind::Integer(dim.map_or(-1, i128::from));
            Node::new(Value::Scalar(Scalar { text, kind }), span.clone())
        };
        let dims = self.dims.iter().map(dim).collect();
        Node::new(Value::List(dims), self.element.span.clone())
    }

    /// The element type; `None` without a precision.
    pub(super) fn element_type(&self) -> Result<Option<ElementType>, Fault> {
        let Some(precision) = self.element.attribute("precision") else {
            return Ok(None);
        };
        let fault = || {
            let message = format!("no element type has the precision '{}'", precision.value);
            let fault = precision.fault(message);
            fault.hint("FP32, I64, BF16, U8, BOOL, … as OpenVINO writes them")
        };
        let element_type = element_type_of_precision(&precision.value);
        element_type.map(Some).ok_or_else(fault)
    }
}

/// The target of a documented layer: a comment gives the values, and the port gives the dims.
pub(super) fn documented_target(port: &Port<'_>) -> Result<Target, Fault> {
    let children = port.element.children.iter();
    let mut comments = children.filter_map(|child| match child {
        Child::Comment(text, span) => {
            let values = text.trim().strip_prefix("The tensor contains ");
            values.map(|values| (values, span))
        }
        Child::Element(_) | Child::Text(..) => None,
    });
    const HINT: &str = "write <!--The tensor contains 2 elements: 0, -1 --> next to its dims";
    let none = || port.element.fault("no comment lists the target's values");
    let (comment, span) = comments.next().ok_or_else(|| none().hint(HINT))?;
    let fault = |message: String| fault_at(span.clone(), message).hint(HINT);
    if let Some((_, second)) = comments.next() {
        let fault = fault_at(second.clone(), "a second comment with values");
        return Err(fault.hint("keep one of them"));
    }
    let (head, values) = comment.split_once(':').unwrap_or((comment, ""));
    let count = head.trim().strip_suffix("elements");
    let count = count.or_else(|| head.trim().strip_suffix("element"));
    let count: Option<usize> = count.and_then(|count| count.trim().parse().ok());
    let count = count.ok_or_else(|| fault("the comment does not count the elements".into()))?;
    let values: Vec<_> = match values.trim() {
        "" => vec![],
        values => values.split(',').map(str::trim).collect(),
    };
    if values.len() != count {
        return Err(fault(format!(
            "the comment counts {count} elements but lists {}",
            values.len()
        )));
    }
    let dims = port.dims();
    let dims = dims.ok_or_else(|| fault("a dim of the target is unknown".to_owned()))?;
    if Count::of(&dims).as_u64() != Some(count as u64) {
        return Err(fault(format!(
            "the comment counts {count} elements, but the port's dims are {dims:?}"
        )));
    }
    let element_type = port.element_type()?.unwrap_or(ElementType::I64);
    let value = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !number {
            return Err(fault(format!("'{text}' is not a whole number")));
        }
        let in_64_bits =
            |value: &i128| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(value);
        let value = text.parse().ok().filter(in_64_bits);
        let value = value.ok_or_else(|| fault(format!("{text} is beyond 64 bits")))?;
        if element_type.is_integer() {
            literal::check_integer(value, element_type).map_err(fault)?;
        }
        Ok(value)
    };
    Ok(Target {
        element_type,
        values: values.into_iter().map(value).collect::<Result<_, _>>()?,
        dims,
    })
}

fn read_dim(dim: &Element<'_>) -> Result<Option<u64>, Fault> {
    match dim.text()?.trim() {
        "-1" => Ok(None),
        digits if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            let length = digits.parse().ok().filter(|length| *length <= LARGEST_DIM);
            let fault = || dim.fault(format!("the dim {digits} is more than 2^63-1"));
            length.map(Some).ok_or_else(fault)
        }
        other => {
            let fault = dim.fault(format!("'{other}' is not a dim"));
            Err(fault.hint("write <dim>3</dim>, from 0 to 2^63-1"))
        }
    }
}

/// An attribute of `<data>`. OpenVINO's reader also takes `1` and `0` for a boolean, and words in any case.
fn attribute(name: &str, value: &str) -> AttributeValue {
    let boolean = match value.to_ascii_lowercase().as_str() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    };
    match boolean.filter(|_| name == "special_zero") {
        Some(value) => AttributeValue::Bool(value),
        None => AttributeValue::String(value.to_owned()),
    }
}
