//! The Reshape nodes of a model, each with its request. The file may contain anything, so nothing in it is trusted, and
//! an unknown value is reported as unknown.

use super::around::{Neighbors, Own};
use super::fold::{Inputs, constant_tensor, fold};
use super::proto::{Attribute, Function, Graph, Model, Node, TensorProto, check, kind};
use super::shapes::{Dims, infer};
use super::value::{Contents, Names, Value, number, numbers, target, tensor};
use crate::model::found::{
    Form, Found, FoundNode, MAX_DIMS, NoNode, ReadExternal, Recorded, Stated,
};
use crate::model::surroundings::Surrounding;
use crate::semantics::operator::{ModelFiles, Operator, TargetSource};
use crate::semantics::oracle::{Resolution, resolve};
use crate::semantics::request::{AttributeValue, Attributes, Request, Target};
use crate::semantics::symbolic::{Symbolic, Term};
use crate::tensor::{Count, ElementType, Tensor};
use prost::Message;
use std::collections::HashMap;
use std::sync::Arc;

/// The inputs and outputs of a recorded run, in the order of the graph's, each with its name.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(crate) inputs: Vec<(String, Arc<Tensor>)>,
    pub(crate) outputs: Vec<(String, Arc<Tensor>)>,
}

/// The tensor of this name among the inputs or the outputs of a run, or else the one at this place.
fn tensor_of<'a>(
    all: &'a [(String, Arc<Tensor>)],
    name: &str,
    index: usize,
) -> Option<&'a Arc<Tensor>> {
    let named = all.iter().find(|(of, _)| of == name);
    named.or_else(|| all.get(index)).map(|(_, tensor)| tensor)
}

/// The newest version of ONNX's operators whose change list was read. Its Reshape is that of 25.
const NEWEST_OPSET: i64 = 28;

/// The Reshapes of a model, in the order of its nodes. `run` is a recorded run of it. Fails when the bytes are not an
/// ONNX model, with the message at which decoding stops.
pub(crate) fn read(
    bytes: &[u8],
    run: &Run,
    read_external: ReadExternal<'_>,
) -> Result<Vec<Found>, String> {
    check(bytes)?;
    let model = Model::decode(bytes).map_err(|error| format!("not an ONNX model: {error}"))?;
    let graph = model.graph.as_ref().ok_or("the model has no graph")?;
    let standard = |domain: &Option<String>| is_standard(domain.as_deref().unwrap_or_default());
    let imports = model.opset_import.iter();
    let mut opsets = imports.filter(|import| standard(&import.domain));
    let opset = opsets.next().and_then(|import| import.version);
    let opset = opset.ok_or("the model does not name its version of ONNX's operators")?;
    if opsets.any(|import| import.version != Some(opset)) {
        return Err("the model names its version of ONNX's operators twice".to_owned());
    }
    if opset > NEWEST_OPSET {
        return Err(format!(
            "the model uses version {opset} of ONNX's operators, which this program does not know: the newest known \
            version is {NEWEST_OPSET}"
        ));
    }
    let operator = operator(opset)
        .ok_or_else(|| format!("version {opset} of ONNX's operators does not exist"))?;
    let is_read = |of: &&Function| {
        let mut imports = of.opset_import.iter();
        imports.all(|import| !standard(&import.domain) || import.version == Some(opset))
    };
    let mut reader = Reader {
        operator,
        run,
        read_external,
        functions: model.functions.iter().filter(is_read).collect(),
        called: Vec::new(),
        names: Names::default(),
        found: Vec::new(),
    };
    reader.graph(graph, None, None);
    let functions = model.functions.iter();
    let others = functions.filter(|of| !reader.called.contains(&key(of)));
    for node in others.flat_map(|function| &function.node) {
        if is_reshape(node) {
            reader.found.push(Found {
                name: name(node),
                node: Err("no node of the graph calls the function that it is in, or the function is of another version".into()),
                around: Vec::new(),
            });
        }
    }
    Ok(reader.found)
}

/// A tensor with its name: a file of a recorded run. Fails when the bytes are not a tensor.
pub(crate) fn read_tensor(
    bytes: &[u8],
    read_external: ReadExternal<'_>,
) -> Result<(String, Arc<Tensor>), String> {
    let proto = TensorProto::decode(bytes).map_err(|error| format!("not a tensor: {error}"))?;
    let tensor = tensor(&proto, read_external)?;
    Ok((proto.name, Arc::new(tensor)))
}

/// The most calls of functions to read: a short file can have many calls of a long function.
const MAX_CALLS: usize = 1 << 10;

/// The most Reshapes of a model to state something about if dims are unknown: each asks the oracle many times.
const MAX_STATED: usize = 1 << 12;

/// The name of a function.
fn key(of: &Function) -> (&str, &str) {
    (&of.domain, &of.name)
}

/// The Reshape of this operator set.
fn operator(opset: i64) -> Option<&'static Operator> {
    let all = ModelFiles::Onnx.operators();
    let until = all.filter(|of| i64::from(of.version) <= opset);
    until.max_by_key(|of| of.version)
}

fn is_standard(domain: &str) -> bool {
    matches!(domain, "" | "ai.onnx")
}

fn is_reshape(node: &Node) -> bool {
    node.op_type == "Reshape" && is_standard(&node.domain)
}

/// The name of a node, or of its output.
fn name(node: &Node) -> String {
    let names = std::iter::once(&node.name).chain(&node.output);
    let mut names = names.filter(|name| !name.is_empty());
    names.next().cloned().unwrap_or_default()
}

/// The values of a graph, and those of the enclosing graphs.
struct Scope<'a, 's> {
    values: HashMap<&'a str, Value<'a>>,
    /// What the graph declares about the outputs of its nodes.
    declared: HashMap<&'a str, Value<'a>>,
    /// The index of each among the outputs of the graph.
    outputs: HashMap<&'a str, usize>,
    neighbors: Neighbors<'a>,
    outer: Option<&'s Scope<'a, 's>>,
}

impl<'a> Scope<'a, '_> {
    fn value(&self, name: &str) -> Option<Value<'a>> {
        let outer = || self.outer.and_then(|outer| outer.value(name));
        self.values.get(name).cloned().or_else(outer)
    }
}

/// Walks through the graphs of a model. (The decoder limits their nesting.)
struct Reader<'a> {
    operator: &'static Operator,
    run: &'a Run,
    read_external: ReadExternal<'a>,
    functions: Vec<&'a Function>,
    /// The function of each call.
    called: Vec<(&'a str, &'a str)>,
    names: Names<'a>,
    found: Vec<Found>,
}

impl<'a> Reader<'a> {
    /// `inside` is the surrounding of which the graph is the inner part.
    fn graph(
        &mut self,
        graph: &'a Graph,
        outer: Option<&Scope<'a, '_>>,
        inside: Option<Surrounding>,
    ) {
        let named = graph.value_info.iter().chain(&graph.output);
        let outputs = graph.output.iter().enumerate().rev();
        let is_body = outer.is_some();
        let mut declared = |info| Value::declared(info, is_body, &mut self.names);
        let inputs: Vec<_> = graph.input.iter().map(&mut declared).collect();
        let mut scope = Scope {
            values: HashMap::new(),
            outputs: outputs.map(|(at, of)| (of.name.as_str(), at)).collect(),
            declared: named
                .map(|info| (info.name.as_str(), declared(info)))
                .collect(),
            neighbors: Neighbors::of(&graph.node, &graph.output, inside),
            outer,
        };
        for (index, (input, mut value)) in graph.input.iter().zip(inputs).enumerate() {
            let recorded = tensor_of(&self.run.inputs, &input.name, index);
            if let Some(tensor) = recorded.filter(|_| outer.is_none()) {
                value.element_type = Some(tensor.element_type());
                value.contents = Contents::Recorded(tensor);
            }
            value.at_run = true;
            scope.values.insert(&input.name, value);
        }
        for constant in &graph.initializer {
            // A run may replace the value of an initializer that is an input, too.
            let mut passed = self.run.inputs.iter().map(|(name, _)| name);
            if outer.is_none() && passed.any(|name| *name == constant.name) {
                continue;
            }
            let value = Value::constant(constant);
            let input = scope.values.insert(&constant.name, value);
            if input.is_some_and(|of| of.at_run) {
                scope.neighbors.defaults.insert(&constant.name);
            }
        }
        for node in &graph.node {
            self.node(node, &mut scope);
        }
    }

    /// The output of a node: what follows from its inputs, and what the graph declares.
    fn output(
        &mut self,
        name: &str,
        inferred: Option<(Option<ElementType>, Dims)>,
        declared: Option<Value<'a>>,
    ) -> Value<'a> {
        let mut value = declared.unwrap_or_default();
        let Some((element_type, dims)) = inferred else {
            return value;
        };
        let declared = value.dims.filter(|of| of.len() == dims.len());
        let dim = |(index, dim): (usize, Option<Term>)| {
            let declared = declared.as_ref().map(|of| of[index].clone());
            let is_known = declared.as_ref().and_then(number).is_some();
            let dim = dim.filter(|of| of.known().map_or(!is_known, |dim| dim >= 0));
            let dim = dim.or(declared);
            dim.unwrap_or_else(|| self.names.of(name, index))
        };
        value.dims = Some(dims.into_iter().enumerate().map(dim).collect());
        value.element_type = element_type.or(value.element_type);
        value
    }

    fn node(&mut self, node: &'a Node, scope: &mut Scope<'a, '_>) {
        let inputs = Inputs {
            node,
            values: node.input.iter().map(|name| scope.value(name)).collect(),
            read_external: self.read_external,
        };
        let given = if is_reshape(node) {
            Some(self.reshape(node, &inputs, scope))
        } else if let Some(function) = self.function(node) {
            self.call(function, &inputs)
        } else if is_standard(&node.domain) {
            let constant = (node.op_type == "Constant").then(|| constant_tensor(node));
            constant.flatten().or_else(|| fold(&inputs))
        } else {
            None
        };
        for (index, output) in node.output.iter().enumerate() {
            let value = given.clone().filter(|_| index == 0).unwrap_or_else(|| {
                let infers = index == 0 && is_standard(&node.domain);
                let declared = scope.declared.get(output.as_str()).cloned();
                self.output(output, infers.then(|| infer(&inputs)).flatten(), declared)
            });
            scope.values.insert(output, value);
        }
        let bodies = node.attribute.iter();
        let bodies = bodies.flat_map(|of| of.g.iter().map(AsRef::as_ref).chain(&of.graphs));
        let inside = match node.op_type.as_str() {
            "If" => Some(Surrounding::InsideIf),
            "Loop" => Some(Surrounding::InsideLoop),
            _ => None,
        };
        for body in bodies {
            self.graph(body, Some(scope), inside);
        }
    }

    /// The function that a node calls; `None` after the most calls.
    fn function(&self, node: &Node) -> Option<&'a Function> {
        let called = (node.domain.as_str(), node.op_type.as_str());
        let mut functions = self.functions.iter().copied();
        functions.find(|of| key(of) == called && self.called.len() < MAX_CALLS)
    }

    /// Walks through a function with the values that a node passes, and returns the known part of its first output.
    fn call(&mut self, function: &'a Function, inputs: &Inputs<'_, 'a>) -> Option<Value<'a>> {
        self.called.push(key(function));
        // Calls do not nest: a function could call itself.
        let functions = std::mem::take(&mut self.functions);
        let names = function.input.iter().map(String::as_str).enumerate();
        let mut scope = Scope {
            values: names
                .filter_map(|(index, name)| Some((name, inputs.value(index)?.clone())))
                .collect(),
            declared: HashMap::new(),
            outputs: HashMap::new(),
            neighbors: Neighbors::of(&function.node, &[], Some(Surrounding::InsideFunction)),
            outer: None,
        };
        for node in &function.node {
            self.node(node, &mut scope);
        }
        self.functions = functions;
        scope.value(function.output.first()?)
    }

    /// Notes a Reshape, and returns the known part of its output.
    fn reshape(
        &mut self,
        node: &'a Node,
        inputs: &Inputs<'_, 'a>,
        scope: &Scope<'a, '_>,
    ) -> Value<'a> {
        let output = node.output.first().map(String::as_str).unwrap_or_default();
        let mut given = scope.declared.get(output).cloned().unwrap_or_default();
        let at_output = scope.outputs.get(output).copied();
        let at_output = at_output.filter(|_| scope.outer.is_none());
        let in_run = at_output.and_then(|index| tensor_of(&self.run.outputs, output, index));
        let recorded = match (in_run, given.known_dims()) {
            (Some(tensor), _) => Recorded::Tensor(Arc::clone(tensor)),
            (None, Some(shape)) => Recorded::Shape(shape),
            (None, None) => Recorded::Nothing,
        };
        let found = self.found_node(node, inputs, given.element_type, recorded);
        let inferred = match &found {
            Ok(found) => {
                given.element_type = Some(found.element_type);
                match resolve(&found.request(self.operator)) {
                    Resolution::Reshaped(shape) => {
                        let dims = numbers(&shape).iter().cloned().map(Some).collect();
                        Some((given.element_type, dims))
                    }
                    Resolution::Rejected(_) | Resolution::Open { .. } => None,
                }
            }
            Err(NoNode::Stated(of)) => {
                let element_type = of.request.known.element_type;
                Some((Some(element_type), of.statement.output.clone()))
            }
            Err(NoNode::Unknown(_) | NoNode::Malformed(_)) => None,
        };
        let mut given = self.output(output, inferred, Some(given));
        // Models often reshape a list of dims to a list again.
        let data = inputs.value(0);
        let list = data.and_then(|data| data.elements(self.read_external));
        let is_list = given.dims.as_ref().is_some_and(|of| of.len() == 1);
        if let Some(mut ints) = list.filter(|_| is_list) {
            ints.scalar = false;
            given = Value::computed(ints, data.is_some_and(|data| data.at_run));
        }
        let own = Own::of(&found, data);
        self.found.push(Found {
            name: name(node),
            node: found,
            around: own.map_or_else(Vec::new, |own| {
                let ints = |name: &str| scope.value(name)?.ints(self.read_external);
                scope.neighbors.around(node, &own, &ints)
            }),
        });
        given
    }

    fn found_node(
        &self,
        node: &'a Node,
        inputs: &Inputs<'_, 'a>,
        declared: Option<ElementType>,
        output: Recorded,
    ) -> Result<FoundNode, NoNode> {
        let form = Form {
            inputs: node.input.len(),
            most_inputs: if self.operator.target_is_attribute() {
                1
            } else {
                2
            },
            outputs: node.output.len(),
            attributes: node.attribute.iter().map(|of| of.name.as_str()).collect(),
            types: [inputs.value(0).and_then(|data| data.element_type), declared],
        };
        form.check()?;
        if node.attribute.iter().any(|of| !of.ref_attr_name.is_empty()) {
            return Err("the call of its function sets an attribute; inline it first".into());
        }
        let data = inputs.value(0);
        let data = data.ok_or_else(|| not_given("data", &node.input[0]))?;
        if data.dims.as_ref().is_some_and(|of| of.len() > MAX_DIMS) {
            return Err(format!("its data has more than {MAX_DIMS} dims").into());
        }
        let (data_shape, dims) = (data.known_dims(), data.dims.clone());
        let open = data_shape.is_none().then(|| open_dims(data));
        let element_type = data.element_type.ok_or_else(|| match &open {
            Some(open) => open.clone(),
            None => "the element type of its data is not declared".to_owned(),
        })?;
        let (target, values, source) = self.target(node, inputs)?;
        let attributes = self.attributes(node);
        let is_known = values.iter().all(|value| value.known().is_some());
        let (Some(data_shape), true) = (&data_shape, is_known) else {
            let target_unknown = || format!("its target '{}' {UNKNOWN}", node.input[1]);
            let unknown = open.unwrap_or_else(target_unknown);
            let dims = data_shape.map(|of| numbers(&of)).or(dims);
            let request = Symbolic {
                data: dims.ok_or_else(|| unknown.clone())?.to_vec(),
                values,
                known: Request {
                    operator: self.operator,
                    element_type,
                    data_shape: Vec::new(),
                    target,
                    attributes,
                },
            };
            let is_early = self.found.len() < MAX_STATED;
            let statement = is_early.then(|| request.statement()).flatten();
            let statement = statement.ok_or_else(|| unknown.clone())?;
            return Err(NoNode::Stated(Box::new(Stated {
                unknown,
                request,
                statement,
                source,
            })));
        };
        Ok(FoundNode {
            operators: vec![self.operator],
            element_type,
            data_shape: data_shape.clone(),
            target,
            attributes,
            source,
            dynamic: data.has_open_dims(),
            data: match data.contents {
                Contents::Recorded(tensor) => Some(Arc::clone(tensor)),
                Contents::Unknown | Contents::Constant(_) | Contents::Computed(_) => None,
            },
            output,
        })
    }

    /// The target, its values, and where it comes from. A value that is no number is any number in the target itself.
    fn target(
        &self,
        node: &'a Node,
        inputs: &Inputs<'_, 'a>,
    ) -> Result<(Option<Target>, Vec<Term>, TargetSource), NoNode> {
        let known = |target: Option<Target>, source| {
            let values = target.iter().flat_map(|target| &target.values);
            let values = values.map(|value| Term::from(*value)).collect();
            Ok((target, values, source))
        };
        if self.operator.target_is_attribute() {
            let attribute = node.attribute.iter().find(|of| of.name == "shape");
            let lengths = attribute.map(|of| [of.ints.len(), of.floats.len(), of.strings.len()]);
            if lengths.is_some_and(|of| of.iter().any(|length| *length > MAX_DIMS)) {
                return Err(format!("its target has more than {MAX_DIMS} values").into());
            }
            let target = attribute.map(attribute_target).transpose()?;
            return known(target, TargetSource::Attribute);
        }
        if node.input.get(1).is_none_or(String::is_empty) {
            return known(None, TargetSource::Constant);
        }
        let name = &node.input[1];
        let unknown = || format!("its target '{name}' {UNKNOWN}");
        let value = inputs.value(1).ok_or_else(|| not_given("target", name))?;
        // If no dims are known, the message about the tensor says so.
        let is_known = !matches!(value.contents, Contents::Unknown);
        let dims = value.known_dims().filter(|_| is_known);
        if dims.is_some_and(|dims| !Count::of(&dims).is_at_most(MAX_DIMS as u64)) {
            return Err(format!("its target has more than {MAX_DIMS} values").into());
        }
        let source = match value.at_run {
            true => TargetSource::Runtime,
            false => TargetSource::Constant,
        };
        if let Some(tensor) = value.tensor(self.read_external) {
            let tensor = tensor.map_err(NoNode::Malformed)?;
            return known(Some(target(&tensor)?), source);
        }
        let ints = value.ints(self.read_external).ok_or_else(unknown)?;
        let values = ints.values.iter().cloned();
        let values: Vec<Term> = values.collect::<Option<_>>().ok_or_else(unknown)?;
        let target = Target {
            element_type: ints.element_type,
            dims: ints.dims(),
            values: vec![1; values.len()],
        };
        Ok((Some(target), values, source))
    }

    fn attributes(&self, node: &Node) -> Attributes {
        let attributes = node.attribute.iter();
        let others =
            attributes.filter(|of| !self.operator.target_is_attribute() || of.name != "shape");
        let others = others.filter_map(|of| Some((of.name.clone(), attribute_value(of)?)));
        Attributes::new(others.collect())
    }
}

const UNKNOWN: &str = "is unknown before the model runs";
/// Most models declare only their inputs and outputs.
const UNDECLARED: &str =
    "the model does not declare the shape of its data (onnx.shape_inference.infer_shapes adds it)";

/// That neither the model nor an earlier node gives an input of this name.
fn not_given(what: &str, name: &str) -> NoNode {
    match name {
        "" => NoNode::Malformed(format!("it has no {what}")),
        name => format!("neither the model nor an earlier node gives its {what} '{name}'").into(),
    }
}

/// Why data has no case: some of its dims are unknown.
fn open_dims(data: &Value<'_>) -> String {
    let Some(dims) = &data.dims else {
        return UNDECLARED.to_owned();
    };
    let dims: Vec<_> = dims.iter().map(number).collect();
    let shown = crate::semantics::outcome::show_pattern(&dims);
    format!("the dims of its data are unknown before the model runs: {shown}")
}

/// The value of an attribute; `None` if a request cannot hold it.
fn attribute_value(attribute: &Attribute) -> Option<AttributeValue> {
    Some(match attribute.r#type {
        kind::INT => AttributeValue::Int(attribute.i.unwrap_or_default()),
        kind::FLOAT => AttributeValue::Float(attribute.f.unwrap_or_default().into()),
        kind::STRING => {
            let text = attribute.s.as_deref().unwrap_or_default();
            AttributeValue::String(String::from_utf8_lossy(text).into_owned())
        }
        kind::INTS => AttributeValue::Ints(attribute.ints.clone()),
        _ => return None,
    })
}

/// The target in an attribute.
fn attribute_target(attribute: &Attribute) -> Result<Target, String> {
    let whole = |value: &f32| {
        let number = f64::from(*value);
        let fits = number.fract() == 0.0 && number.abs() < 9.0e18;
        fits.then_some(number as i128)
            .ok_or_else(|| format!("a target with the float {value}"))
    };
    let number = |bytes: &Vec<u8>| {
        let text = String::from_utf8_lossy(bytes);
        let parsed = text.parse::<i64>().map(i128::from);
        parsed.map_err(|_| format!("a target with the string '{text}'"))
    };
    // Only the field for its kind counts.
    fn held<'a, T>(is_list: bool, list: &'a [T], bare: &'a Option<T>) -> &'a [T] {
        if is_list { list } else { bare.as_slice() }
    }
    let (of, is_list) = (attribute, attribute.r#type > kind::TO_LIST);
    let (element_type, values): (_, Result<Vec<_>, _>) = match of.r#type {
        kind::INT | kind::INTS => {
            let ints = held(is_list, &of.ints, &of.i).iter();
            (ElementType::I64, ints.map(|of| Ok((*of).into())).collect())
        }
        kind::FLOAT | kind::FLOATS => {
            let floats = held(is_list, &of.floats, &of.f).iter();
            (ElementType::F32, floats.map(whole).collect())
        }
        kind::STRING | kind::STRINGS => {
            let strings = held(is_list, &of.strings, &of.s).iter();
            (ElementType::String, strings.map(number).collect())
        }
        other => return Err(format!("its attribute shape has the kind {other}")),
    };
    let values = values?;
    let count = is_list.then_some(values.len() as u64);
    Ok(Target {
        element_type,
        dims: count.into_iter().collect(),
        values,
    })
}
