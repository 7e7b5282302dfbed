//! The XML file of an IR: layers, their ports, and the edges between them.

use crate::names::Joined;
use crate::tensor::ElementType;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io;

/// A port of a layer, with the type of the tensor that passes through it.
#[derive(Clone)]
pub(super) struct Port {
    /// OpenVINO's name of the element type.
    pub(super) name: &'static str,
    pub(super) precision: &'static str,
    /// `None` for an unknown rank; -1 for an unknown dim.
    pub(super) dims: Option<Vec<i64>>,
    /// The name of the tensor.
    pub(super) names: Option<String>,
}

impl Port {
    /// `None` if OpenVINO does not have the element type.
    pub(super) fn new(element_type: ElementType, dims: &[u64], dynamic: bool) -> Option<Self> {
        let (name, precision) = element_type.openvino_names()?;
        // Dims are at most 2^63-1.
        let dims = dims.iter();
        let dims = dims.map(|dim| if dynamic { -1 } else { dim.cast_signed() });
        Some(Self {
            name,
            precision,
            dims: Some(dims.collect()),
            names: None,
        })
    }

    /// The dims as a Parameter or a Const has them: `2,?`.
    pub(super) fn declared(&self) -> String {
        let dims = self.dims.iter().flatten().map(|dim| match *dim {
            ..0 => "?".to_owned(),
            dim => dim.to_string(),
        });
        dims.joined(",")
    }
}

/// A layer: a node of the graph. Its id is its index.
#[derive(Default)]
pub(super) struct Layer<'a> {
    pub(super) name: String,
    pub(super) kind: &'static str,
    /// The operator set of that kind.
    pub(super) set: &'static str,
    /// The attributes of its `<data>`.
    pub(super) data: Vec<(&'a str, String)>,
    pub(super) input: Vec<Port>,
    /// The id of its output port, and the port.
    pub(super) output: Option<(usize, Port)>,
}

type Xml = Writer<Vec<u8>>;
/// From layer and port, to layer and port.
pub(super) type Edge = [usize; 4];

/// The text of the XML file.
pub(super) fn write(layers: &[Layer<'_>], edges: &[Edge]) -> io::Result<Vec<u8>> {
    let mut xml = Writer::new_with_indent(Vec::new(), b'\t', 1);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", None, None)))?;
    xml.create_element("net")
        .with_attributes([("name", "reshape"), ("version", "11")])
        .write_inner_content(|xml| {
            xml.create_element("layers").write_inner_content(|xml| {
                let mut numbered = layers.iter().enumerate();
                numbered.try_for_each(|(id, layer)| write_layer(xml, id, layer))
            })?;
            xml.create_element("edges").write_inner_content(|xml| {
                edges.iter().try_for_each(|ends| {
                    let names = ["from-layer", "from-port", "to-layer", "to-port"];
                    let ends = ends.map(|end| end.to_string());
                    let ends = names.into_iter().zip(ends.iter().map(String::as_str));
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

fn write_layer(xml: &mut Xml, id: usize, layer: &Layer<'_>) -> io::Result<()> {
    let id = id.to_string();
    let about = [
        ("id", id.as_str()),
        ("name", &layer.name),
        ("type", layer.kind),
        ("version", layer.set),
    ];
    xml.create_element("layer")
        .with_attributes(about)
        .write_inner_content(|xml| {
            if !layer.data.is_empty() {
                let data = layer.data.iter();
                let data = data.map(|(name, value)| (*name, value.as_str()));
                xml.create_element("data")
                    .with_attributes(data)
                    .write_empty()?;
            }
            if !layer.input.is_empty() {
                xml.create_element("input").write_inner_content(|xml| {
                    let mut ports = layer.input.iter().enumerate();
                    ports.try_for_each(|(id, port)| write_port(xml, id, port))
                })?;
            }
            if let Some((id, port)) = &layer.output {
                xml.create_element("output")
                    .write_inner_content(|xml| write_port(xml, *id, port))?;
            }
            Ok(())
        })?;
    Ok(())
}

fn write_port(xml: &mut Xml, id: usize, port: &Port) -> io::Result<()> {
    let id = id.to_string();
    let element = xml.create_element("port");
    let mut element = element.with_attributes([("id", id.as_str()), ("precision", port.precision)]);
    if let Some(names) = &port.names {
        element = element.with_attribute(("names", names.as_str()));
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
