//! IRs read back.

use super::*;
use crate::semantics::operator::Operator;
use crate::semantics::request::{Attributes, Target};

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
    assert!(!all.is_empty());
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
