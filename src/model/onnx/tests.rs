//! Models decoded again.

use super::proto::kind;
use super::*;
use crate::model::found::{External, Found};
use crate::semantics::operator::{Family, OPERATORS, Operator};
use crate::semantics::request::{AttributeValue, Attributes, Target};

fn request(operator: &str, target: Option<Target>) -> Request {
    Request {
        operator: Operator::named(operator).expect("an operator of that name"),
        element_type: ElementType::F32,
        data_shape: vec![2, 0, 3],
        target,
        attributes: Attributes::new(),
    }
}

fn decoded(request: &Request, binding: Binding) -> (Model, Graph, Node) {
    let model = Model::decode(model(request, binding).as_slice()).expect("our own bytes decode");
    let graph = model.graph.clone().expect("a graph");
    let node = graph.node.first().cloned().expect("a node");
    (model, graph, node)
}

fn dims(value: &ValueInfo) -> Option<Vec<Dimension>> {
    Some(value.r#type.clone()?.tensor_type?.shape?.dim)
}

#[test]
fn a_constant_target_is_an_initializer_with_its_own_type_and_dims() {
    let target = Target {
        element_type: ElementType::I32,
        ..Target::list([0, -1])
    };
    let (model, graph, node) = decoded(
        &request("onnx.Reshape-14", Some(target)),
        Binding::ConstantStatic,
    );
    assert_eq!(model.ir_version, Some(7));
    assert_eq!(
        model.opset_import[0],
        OperatorSet {
            domain: Some(String::new()),
            version: Some(14)
        }
    );
    assert_eq!(node.input, ["data", "shape"]);
    assert_eq!(
        (node.op_type.as_str(), node.attribute.len()),
        ("Reshape", 0)
    );
    assert_eq!(
        graph.input.len(),
        1,
        "IR 4 and later leave initializers out of the inputs"
    );
    let initializer = &graph.initializer[0];
    assert_eq!(
        (initializer.data_type, &*initializer.dims),
        (Some(6), &[2][..])
    );
    assert_eq!(
        initializer.raw_data.as_deref(),
        Some(&[0, 0, 0, 0, 255, 255, 255, 255][..])
    );
    let lengths: Vec<_> = dims(&graph.input[0])
        .expect("declared")
        .iter()
        .map(|dim| dim.dim_value)
        .collect();
    assert_eq!(
        lengths,
        [Some(2), Some(0), Some(3)],
        "a length of 0 is there, not absent"
    );
    let rank = dims(&graph.output[0]).map(|dims| dims.len());
    assert_eq!(rank, Some(2), "as many dims as the target has values");
}

#[test]
fn a_constant_target_is_a_constant_in_every_version() {
    let operators = OPERATORS.iter().filter(|of| of.family == Family::Onnx);
    for operator in operators.filter(|of| !of.target_is_attribute()) {
        let (model, graph, _) = decoded(
            &request(operator.name, Some(Target::list([6]))),
            Binding::ConstantDynamic,
        );
        // Before IR 4 an initializer has to be a graph input too, whose value the caller may replace.
        assert!(model.ir_version >= Some(4), "{operator}");
        assert_eq!((graph.input.len(), graph.initializer.len()), (1, 1));
    }
}

#[test]
fn dynamic_dims_have_a_name_each() {
    let request = request("onnx.Reshape-21", Some(Target::list([0, -1])));
    let (_, graph, _) = decoded(&request, Binding::RuntimeDynamic);
    let all: Vec<_> = graph
        .input
        .iter()
        .filter_map(dims)
        .flatten()
        .filter_map(|dim| dim.dim_param)
        .collect();
    assert_eq!(all, ["d0", "d1", "d2"]);
    assert!(graph.initializer.is_empty());
    let (_, graph, _) = decoded(&request, Binding::RuntimeStatic);
    assert_eq!(
        dims(&graph.input[1]),
        Some(vec![Dimension {
            dim_value: Some(2),
            dim_param: None
        }])
    );
}

#[test]
fn a_target_attribute_is_as_malformed_as_the_request() {
    let shape = |target: Option<Target>| {
        let (_, _, node) = decoded(&request("onnx.Reshape-1", target), Binding::AttributeStatic);
        assert_eq!(node.input, ["data"]);
        node.attribute
    };
    assert_eq!(shape(None), []);
    let list = &shape(Some(Target::list([0, -1])))[0];
    assert_eq!(
        (list.name.as_str(), list.r#type, &*list.ints, list.i),
        ("shape", kind::INTS, &[0, -1][..], None)
    );
    let bare = &shape(Some(Target {
        dims: vec![],
        ..Target::list([0])
    }))[0];
    assert_eq!(
        (bare.r#type, bare.i, bare.ints.len()),
        (kind::INT, Some(0), 0)
    );
    let floats = &shape(Some(Target {
        element_type: ElementType::F32,
        ..Target::list([6])
    }))[0];
    assert_eq!((floats.r#type, &*floats.floats), (kind::FLOATS, &[6.0][..]));
    let strings = &shape(Some(Target {
        element_type: ElementType::String,
        ..Target::list([6])
    }))[0];
    assert_eq!(
        (strings.r#type, &*strings.strings),
        (kind::STRINGS, &[b"6".to_vec()][..])
    );
}

#[test]
fn a_string_target_is_string_data() {
    let target = Target {
        element_type: ElementType::String,
        ..Target::list([6, -1])
    };
    let (_, graph, _) = decoded(
        &request("onnx.Reshape-14", Some(target)),
        Binding::ConstantStatic,
    );
    let initializer = &graph.initializer[0];
    assert_eq!(
        (initializer.raw_data.as_ref(), initializer.string_data.len()),
        (None, 2)
    );
    assert_eq!(initializer.string_data[1], b"-1");
}

#[test]
fn a_missing_target_leaves_one_input() {
    for binding in [Binding::ConstantStatic, Binding::RuntimeStatic] {
        let (_, graph, node) = decoded(&request("onnx.Reshape-25", None), binding);
        assert_eq!(
            (node.input, graph.input.len(), graph.initializer.len()),
            (vec!["data".to_owned()], 1, 0)
        );
    }
}

#[test]
fn attributes_keep_their_type() {
    let mut request = request("onnx.Reshape-14", Some(Target::list([6])));
    let values = [
        ("a", AttributeValue::Bool(true)),
        ("b", AttributeValue::Int(0)),
        ("c", AttributeValue::Float(0.0)),
        ("d", AttributeValue::String(String::new())),
        ("e", AttributeValue::Ints(vec![1, -1])),
    ];
    request.attributes = values.map(|(name, value)| (name.to_owned(), value)).into();
    let (_, _, node) = decoded(&request, Binding::ConstantStatic);
    let types: Vec<_> = node
        .attribute
        .iter()
        .map(|attribute| attribute.r#type)
        .collect();
    assert_eq!(
        types,
        [kind::INT, kind::INT, kind::FLOAT, kind::STRING, kind::INTS]
    );
    assert_eq!(
        (
            node.attribute[0].i,
            node.attribute[1].i,
            node.attribute[2].f
        ),
        (Some(1), Some(0), Some(0.0))
    );
    assert_eq!(
        (node.attribute[3].s.as_deref(), &*node.attribute[4].ints),
        (Some(&b""[..]), &[1, -1][..])
    );
}

#[test]
fn element_types_have_the_numbers_that_onnx_counts_up() {
    let mut numbers: Vec<_> = ElementType::ALL
        .iter()
        .map(|element_type| element_type.onnx_number())
        .collect();
    numbers.sort_unstable();
    let counted: Vec<_> = (1..).take(numbers.len()).collect();
    assert_eq!(numbers, counted, "0 is UNDEFINED");
}

/// What a model asks whose Reshape takes this target from its inputs and constants.
fn found(request: &Request, binding: Binding) -> Vec<Found> {
    let bytes = model(request, binding);
    read(&bytes, &Run::default(), &|_| Err("none".to_owned())).expect("a model")
}

#[test]
fn a_model_is_read_as_the_request_it_was_written_for() {
    let mut request = request("onnx.Reshape-19", Some(Target::list([0, 3, 0])));
    request.attributes = [("allowzero".to_owned(), AttributeValue::Int(1))].into();
    let only = &found(&request, Binding::ConstantStatic)[0];
    let node = only.node.as_ref().expect("a known node");
    assert_eq!((only.name.as_str(), node.dynamic), ("reshape", false));
    assert_eq!(node.request(node.operators[0]), request);
    let why = |binding| {
        let node = found(&request, binding)[0].node.clone();
        node.expect_err("open").to_string()
    };
    assert!(why(Binding::ConstantDynamic).contains("[?, ?, ?]"));
    assert!(why(Binding::RuntimeStatic).contains("'shape' is unknown"));
}

#[test]
fn a_target_whose_dims_are_none_is_told_by_them() {
    let request = request("onnx.Reshape-19", Some(Target::list([0, 0, 3])));
    let why = |dims: &[i64]| {
        let (mut model, mut graph, _) = decoded(&request, Binding::ConstantStatic);
        graph.initializer[0].dims = dims.to_vec();
        model.graph = Some(graph);
        let read_external = |_: External<'_>| Err("none".to_owned());
        let found = read(&model.encode_to_vec(), &Run::default(), &read_external).expect("a model");
        found[0].node.clone().expect_err("no target").to_string()
    };
    assert!(why(&[-2]).contains("its dims are [-2]"), "{}", why(&[-2]));
    assert!(why(&[1 << 40]).contains("more than 256 values"));
}

#[test]
fn a_target_that_a_graph_computes_is_followed() {
    use crate::model::call::Call;
    use crate::model::surroundings::Surrounding;
    let mut request = request("onnx.Reshape-14", Some(Target::list([2, 3, 0])));
    for surrounding in [
        Surrounding::ComputedTarget,
        Surrounding::ComputedTargetFirst,
        Surrounding::ComputedTargetNone,
        Surrounding::ComputedTargetSliced,
    ] {
        request.data_shape = vec![2, 3, 0];
        let data = Tensor::from_bits(ElementType::F32, vec![2, 3, 0], |_| 0);
        let call = Call {
            request: &request,
            binding: Binding::ConstantStatic,
            surrounding: Some(surrounding),
            data: &data,
        };
        let graph = call.graph().expect("a graph");
        let bytes = write(&graph, &request, Binding::ConstantStatic);
        let found = read(&bytes, &Run::default(), &|_| Err("none".to_owned())).expect("a model");
        let node = found[0].node.as_ref().expect("a known node");
        assert_eq!(node.target, request.target, "{surrounding}");
    }
}

#[test]
fn mutated_onnx_models_are_read_or_refused() {
    let list = request("onnx.Reshape-14", Some(Target::list([0, -1])));
    let attribute = request("onnx.Reshape-1", Some(Target::list([6])));
    let models = [
        model(&list, Binding::ConstantStatic),
        model(&list, Binding::RuntimeDynamic),
        model(&attribute, Binding::AttributeStatic),
        super::tensor("data", &Target::list([1, 2, 3]).tensor()),
    ];
    let corpus: Vec<&[u8]> = models.iter().map(Vec::as_slice).collect();
    crate::mutations::of(&corpus, |bytes| {
        let read_external = |of: crate::model::found::External<'_>| match of.length {
            ..64 => Ok(vec![0; usize::try_from(of.length).unwrap_or(0)]),
            _ => Err("too long".to_owned()),
        };
        let mut run = Run::default();
        run.inputs.extend(read_tensor(bytes, &read_external));
        run.outputs.extend(read_tensor(&models[3], &read_external));
        for found in read(bytes, &run, &read_external).into_iter().flatten() {
            let node = found.node.iter();
            node.for_each(|node| {
                drop(crate::semantics::oracle::resolve(
                    &node.request(node.operators[0]),
                ))
            });
        }
    });
}
