//! A request as an OpenVINO IR (version 11): Parameters `data` and, for a runtime target, `shape`; Result `reshaped`.
//!
//! The layout, the names and the `.bin` of each type are as `openvino.save_model` writes them (2026.4).

use crate::spec::operator::{Binding, Family, TargetSource};
use crate::spec::request::{AttributeValue, Request, Target};
use crate::tensor::ElementType;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io;

/// The two files of an IR.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ir {
    /// The layers and edges.
    pub(crate) xml: Vec<u8>,
    /// The constants; empty without any.
    pub(crate) bin: Vec<u8>,
}

/// The IR with one Reshape layer, as the request says it, well-formed or not.
///
/// `None` if the IR has no way to say it: another family's operator, a target given as attribute, an element type that
/// OpenVINO does not have, or an attribute that XML cannot hold.
pub(crate) fn model(request: &Request, binding: Binding) -> Option<Ir> {
    if request.operator.family != Family::Openvino || binding.source() == TargetSource::Attribute {
        return None;
    }
    let data = Port::new(request.element_type, &request.data_shape, binding.dynamic())?;
    let mut bin = Vec::new();
    let target = match &request.target {
        None => None,
        Some(target) if binding.source() == TargetSource::Constant => {
            bin = constant(target);
            Some(Port::new(target.element_type, &target.dims, false)?)
        }
        // How many values a target has is always declared.
        Some(target) => Some(Port::new(target.element_type, &target.dims, false)?),
    };
    let attributes = request
        .attributes
        .iter()
        .map(|(name, value)| Some((xml_name(name)?, rendered(value)?)));
    let attributes: Vec<_> = attributes.collect::<Option<_>>()?;
    let output = Port {
        names: Some("reshaped"),
        dims: None,
        ..data
    };
    let mut layers = vec![Layer {
        id: "0",
        name: "data",
        kind: "Parameter",
        data: vec![
            ("shape", data.declared()),
            ("element_type", data.name.to_owned()),
        ],
        output: Some((
            "0",
            Port {
                names: Some("data"),
                ..data.clone()
            },
        )),
        ..Layer::default()
    }];
    let mut edges = vec![("0", "0", "2", "0")];
    if let Some(target) = &target {
        edges.push(("1", "0", "2", "1"));
        layers.push(match binding.source() {
            TargetSource::Constant => Layer {
                id: "1",
                name: "shape",
                kind: "Const",
                data: vec![
                    ("element_type", target.name.to_owned()),
                    ("shape", target.declared()),
                    ("offset", "0".to_owned()),
                    ("size", bin.len().to_string()),
                ],
                output: Some(("0", target.clone())),
                ..Layer::default()
            },
            TargetSource::Runtime | TargetSource::Attribute => Layer {
                id: "1",
                name: "shape",
                kind: "Parameter",
                data: vec![
                    ("shape", target.declared()),
                    ("element_type", target.name.to_owned()),
                ],
                output: Some((
                    "0",
                    Port {
                        names: Some("shape"),
                        ..target.clone()
                    },
                )),
                ..Layer::default()
            },
        });
    }
    layers.push(Layer {
        id: "2",
        name: "reshaped",
        kind: "Reshape",
        data: attributes,
        input: std::iter::once(data).chain(target).collect(),
        output: Some(("2", output.clone())),
    });
    let input = vec![Port {
        names: None,
        ..output
    }];
    layers.push(Layer {
        id: "3",
        name: "result",
        kind: "Result",
        input,
        ..Layer::default()
    });
    edges.push(("2", "2", "3", "0"));
    // Writing to a Vec does not fail.
    let xml = write(&layers, &edges).ok()?;
    Some(Ir { xml, bin })
}

/// The element type that OpenVINO calls so (`element_type="f8e4m3"`), if it is one of ours.
pub(crate) fn element_type_named(name: &str) -> Option<ElementType> {
    find(|names| names.0 == name)
}

/// The element type of a port with that precision (`precision="FP32"`), if it is one of ours.
pub(crate) fn element_type_of_precision(precision: &str) -> Option<ElementType> {
    find(|names| names.1 == precision)
}

fn find(is: impl Fn((&str, &str)) -> bool) -> Option<ElementType> {
    let has = |element_type: &ElementType| element_type.openvino_names().is_some_and(&is);
    ElementType::ALL.iter().copied().find(has)
}

/// The bytes of a constant. Packed types are as ours; strings are a count, the offsets of their ends after a 0, and
/// their bytes, all numbers as little-endian i32.
fn constant(target: &Target) -> Vec<u8> {
    let tensor = target.tensor();
    let mut bytes = Vec::new();
    if tensor.element_type() != ElementType::String {
        tensor.write_bytes(&mut bytes);
        return bytes;
    }
    let strings: Vec<_> = (0..tensor.len())
        .filter_map(|index| tensor.string(index))
        .collect();
    let mut end = 0;
    bytes.extend_from_slice(&(strings.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&0u32.to_le_bytes());
    for string in &strings {
        end += string.len() as u32;
        bytes.extend_from_slice(&end.to_le_bytes());
    }
    bytes.extend(strings.concat());
    bytes
}

/// The name of an attribute, if XML can hold it.
fn xml_name(name: &str) -> Option<&str> {
    let head = |c: char| c.is_ascii_alphabetic() || c == '_';
    let tail = |c: char| head(c) || c.is_ascii_digit() || matches!(c, '-' | '.');
    (name.starts_with(head) && name.chars().all(tail)).then_some(name)
}

/// An attribute as OpenVINO writes it, if XML can hold it.
fn rendered(value: &AttributeValue) -> Option<String> {
    let text = match value {
        AttributeValue::Bool(value) => value.to_string(),
        AttributeValue::Int(value) => value.to_string(),
        AttributeValue::Float(value) => value.to_string(),
        AttributeValue::String(value) => value.clone(),
        AttributeValue::Ints(values) => values
            .iter()
            .map(i64::to_string)
            .collect::<Vec<_>>()
            .join(", "),
    };
    let held = |c: char| !matches!(c, '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}');
    text.chars().all(held).then_some(text)
}

/// A port: what flows through it.
#[derive(Clone)]
struct Port {
    name: &'static str,
    precision: &'static str,
    /// `None` without a rank; -1 for a dim not known.
    dims: Option<Vec<i64>>,
    names: Option<&'static str>,
}

impl Port {
    fn new(element_type: ElementType, dims: &[u64], dynamic: bool) -> Option<Self> {
        let (name, precision) = element_type.openvino_names()?;
        // Dims are at most 2^63-1.
        let dims = dims
            .iter()
            .map(|dim| if dynamic { -1 } else { dim.cast_signed() })
            .collect();
        Some(Self {
            name,
            precision,
            dims: Some(dims),
            names: None,
        })
    }

    /// The dims as a Parameter or a Const has them: `2,?`.
    fn declared(&self) -> String {
        let dim = |dim: &i64| {
            if *dim < 0 {
                "?".to_owned()
            } else {
                dim.to_string()
            }
        };
        self.dims
            .iter()
            .flatten()
            .map(dim)
            .collect::<Vec<_>>()
            .join(",")
    }
}

#[derive(Default)]
struct Layer<'a> {
    id: &'static str,
    name: &'static str,
    kind: &'static str,
    data: Vec<(&'a str, String)>,
    input: Vec<Port>,
    output: Option<(&'static str, Port)>,
}

type Xml = Writer<Vec<u8>>;
type Edge = (&'static str, &'static str, &'static str, &'static str);

fn write(layers: &[Layer<'_>], edges: &[Edge]) -> io::Result<Vec<u8>> {
    let mut xml = Writer::new_with_indent(Vec::new(), b'\t', 1);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", None, None)))?;
    xml.create_element("net")
        .with_attributes([("name", "reshape"), ("version", "11")])
        .write_inner_content(|xml| {
            xml.create_element("layers").write_inner_content(|xml| {
                layers.iter().try_for_each(|layer| write_layer(xml, layer))
            })?;
            xml.create_element("edges").write_inner_content(|xml| {
                edges.iter().try_for_each(|(from, output, to, input)| {
                    let ends = [
                        ("from-layer", *from),
                        ("from-port", *output),
                        ("to-layer", *to),
                        ("to-port", *input),
                    ];
                    xml.create_element("edge")
                        .with_attributes(ends)
                        .write_empty()
                        .map(drop)
                })
            })?;
            Ok(())
        })?;
    Ok(xml.into_inner())
}

fn write_layer(xml: &mut Xml, layer: &Layer<'_>) -> io::Result<()> {
    let about = [
        ("id", layer.id),
        ("name", layer.name),
        ("type", layer.kind),
        ("version", "opset1"),
    ];
    xml.create_element("layer")
        .with_attributes(about)
        .write_inner_content(|xml| {
            if !layer.data.is_empty() {
                let data = layer
                    .data
                    .iter()
                    .map(|(name, value)| (*name, value.as_str()));
                xml.create_element("data")
                    .with_attributes(data)
                    .write_empty()?;
            }
            if !layer.input.is_empty() {
                xml.create_element("input").write_inner_content(|xml| {
                    let mut ports = layer.input.iter().enumerate();
                    ports.try_for_each(|(id, port)| write_port(xml, &id.to_string(), port))
                })?;
            }
            if let Some((id, port)) = &layer.output {
                xml.create_element("output")
                    .write_inner_content(|xml| write_port(xml, id, port))?;
            }
            Ok(())
        })?;
    Ok(())
}

fn write_port(xml: &mut Xml, id: &str, port: &Port) -> io::Result<()> {
    let mut element = xml
        .create_element("port")
        .with_attributes([("id", id), ("precision", port.precision)]);
    if let Some(names) = port.names {
        element = element.with_attribute(("names", names));
    }
    match port.dims.as_deref() {
        None | Some([]) => element.write_empty().map(drop),
        Some(dims) => element
            .write_inner_content(|xml| {
                dims.iter().try_for_each(|dim| {
                    xml.create_element("dim")
                        .write_text_content(BytesText::new(&dim.to_string()))
                        .map(drop)
                })
            })
            .map(drop),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::operator::Operator;
    use crate::spec::request::Attributes;

    fn request(target: Option<Target>) -> Request {
        Request {
            operator: Operator::named("openvino.Reshape-1").expect("an operator of that name"),
            element_type: ElementType::F8e4m3fn,
            data_shape: vec![2, 0, 3],
            target,
            attributes: Attributes::from([("special_zero".to_owned(), AttributeValue::Bool(true))]),
        }
    }

    /// The IR, and of each layer its type, the attributes of its data, and its ports with their dims.
    fn read(request: &Request, binding: Binding) -> (Ir, Vec<String>) {
        let ir = model(request, binding).expect("an IR");
        let text = String::from_utf8(ir.xml.clone()).expect("UTF-8");
        let document = roxmltree::Document::parse(&text).expect("well-formed");
        let layers = document
            .descendants()
            .filter(|node| node.has_tag_name("layer"))
            .map(|layer| {
                let mut line = layer.attribute("type").unwrap_or_default().to_owned();
                for node in layer.descendants() {
                    match node.tag_name().name() {
                        "data" => node
                            .attributes()
                            .for_each(|data| line += &format!(" {}={}", data.name(), data.value())),
                        "port" => {
                            line += &format!(
                                " {}:{}",
                                node.attribute("id").unwrap_or("?"),
                                node.attribute("precision").unwrap_or("?")
                            )
                        }
                        "dim" => line += &format!(" {}", node.text().unwrap_or_default()),
                        _ => {}
                    }
                }
                line
            });
        let layers = layers.collect();
        (ir, layers)
    }

    #[test]
    fn a_constant_target_is_in_the_bin() {
        let (ir, layers) = read(
            &request(Some(Target::list([0, -1]))),
            Binding::ConstantStatic,
        );
        assert_eq!(ir.bin, [[0; 8], [255; 8]].concat());
        assert_eq!(
            layers,
            [
                "Parameter shape=2,0,3 element_type=f8e4m3 0:F8E4M3 2 0 3",
                "Const element_type=i64 shape=2 offset=0 size=16 0:I64 2",
                "Reshape special_zero=true 0:F8E4M3 2 0 3 1:I64 2 2:F8E4M3",
                "Result 0:F8E4M3",
            ]
        );
    }

    #[test]
    fn dims_not_declared_are_question_marks_and_minus_ones() {
        let (ir, layers) = read(
            &request(Some(Target::list([0, -1]))),
            Binding::RuntimeDynamic,
        );
        assert!(ir.bin.is_empty());
        assert_eq!(
            layers[0],
            "Parameter shape=?,?,? element_type=f8e4m3 0:F8E4M3 -1 -1 -1"
        );
        assert_eq!(layers[1], "Parameter shape=2 element_type=i64 0:I64 2");
        let (_, layers) = read(
            &request(Some(Target::list([0, -1]))),
            Binding::ConstantDynamic,
        );
        assert_eq!(
            layers[1],
            "Const element_type=i64 shape=2 offset=0 size=16 0:I64 2"
        );
    }

    #[test]
    fn malformed_requests_are_written_as_they_stand() {
        let (_, layers) = read(&request(None), Binding::ConstantStatic);
        assert_eq!(
            layers[1],
            "Reshape special_zero=true 0:F8E4M3 2 0 3 2:F8E4M3"
        );
        let bare = Target {
            dims: vec![],
            ..Target::list([6])
        };
        assert_eq!(
            read(&request(Some(bare)), Binding::RuntimeStatic).1[1],
            "Parameter shape= element_type=i64 0:I64"
        );
        let nested = Target {
            dims: vec![2, 1],
            ..Target::list([6, 1])
        };
        let (_, layers) = read(&request(Some(nested)), Binding::ConstantStatic);
        assert_eq!(
            layers[1],
            "Const element_type=i64 shape=2,1 offset=0 size=16 0:I64 2 1"
        );
        let mut odd = request(Some(Target::list([6])));
        odd.attributes = [("special_zero", "\"<&"), ("more", "")]
            .map(|(name, value)| (name.to_owned(), AttributeValue::String(value.to_owned())))
            .into();
        assert_eq!(
            read(&odd, Binding::ConstantStatic).1[2],
            "Reshape more= special_zero=\"<& 0:F8E4M3 2 0 3 1:I64 1 2:F8E4M3"
        );
        odd.attributes = Attributes::new();
        assert_eq!(
            read(&odd, Binding::ConstantStatic).1[2],
            "Reshape 0:F8E4M3 2 0 3 1:I64 1 2:F8E4M3"
        );
    }

    #[test]
    fn strings_are_laid_out_as_openvino_does() {
        let target = Target {
            element_type: ElementType::String,
            ..Target::list([12, -1])
        };
        let (ir, _) = read(&request(Some(target)), Binding::ConstantStatic);
        let numbers: Vec<_> = [2u32, 0, 2, 4]
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        assert_eq!(ir.bin, [&*numbers, b"12-1"].concat());
    }

    #[test]
    fn what_the_ir_cannot_say_is_not_written() {
        let request = request(Some(Target::list([6])));
        assert_eq!(model(&request, Binding::AttributeStatic), None);
        assert_eq!(
            model(
                &Request {
                    element_type: ElementType::Complex64,
                    ..request.clone()
                },
                Binding::ConstantStatic
            ),
            None
        );
        let onnx = Operator::named("onnx.Reshape-14").expect("an operator of that name");
        assert_eq!(
            model(
                &Request {
                    operator: onnx,
                    ..request.clone()
                },
                Binding::ConstantStatic
            ),
            None
        );
        for (name, value) in [("a b", "c"), ("", "c"), ("a", "\0")] {
            let attributes =
                Attributes::from([(name.to_owned(), AttributeValue::String(value.to_owned()))]);
            assert_eq!(
                model(
                    &Request {
                        attributes,
                        ..request.clone()
                    },
                    Binding::ConstantStatic
                ),
                None
            );
        }
    }

    #[test]
    fn names_read_back() {
        let all: Vec<_> = ElementType::ALL
            .iter()
            .filter_map(|element_type| Some((*element_type, element_type.openvino_names()?)))
            .collect();
        assert_eq!(all.len(), 21);
        for (element_type, (name, precision)) in all {
            assert_eq!(
                (
                    element_type_named(name),
                    element_type_of_precision(precision)
                ),
                (Some(element_type), Some(element_type))
            );
        }
    }
}
