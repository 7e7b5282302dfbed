//! How a YAML case file becomes cases.

use super::faults::{Faults, Mapping};
use super::fields::{CASE, DATA};
use super::values;
use crate::error::{Fault, Source};
use crate::spec::operator::{OPERATORS, Operator};
use crate::spec::request::{Attributes, Target, check_attributes};
use crate::suite::case::content::check_data;
use crate::suite::case::lookup::{check_name, covers};
use crate::suite::case::{Case, Content, Cover, ZeroMode};
use crate::tensor::{ElementType, Fill, literal};
use crate::yaml::{self, Node, Value};
use std::ops::Range;

/// Reads every case of a file. The cases without a fault come with the faults of the others.
pub(in crate::suite::case) fn read(source: &Source) -> (Vec<Case>, Vec<Fault>) {
    let document = match yaml::tree(source) {
        Ok(document) => document,
        Err(fault) => return (Vec::new(), vec![fault]),
    };
    let mut faults = Faults {
        source,
        found: Vec::new(),
    };
    let cases = match &document.value {
        Value::List(items) => items
            .iter()
            .filter_map(|item| read_case(&mut faults, item))
            .collect(),
        // A file of nothing but comments.
        Value::Nothing => Vec::new(),
        Value::Scalar(_) | Value::Map(_) => {
            let message = format!("a case file is a list of cases, not {}", document.what());
            faults.note(&document, message, "each case begins with `- name: …`");
            Vec::new()
        }
    };
    let mut faults = faults.found;
    faults.sort_by_key(|fault| fault.span.start);
    (cases, faults)
}

/// The fields of a case that were read; `None` for one that is not there or is a fault.
struct Fields<'n> {
    nodes: Mapping<'n>,
    operators: Option<Vec<&'static Operator>>,
    /// The target, without its element type; the inner `None` is a node without one.
    target: Option<Option<Target>>,
    zero: Option<ZeroMode>,
    attributes: Option<Attributes>,
}

fn read_case(faults: &mut Faults<'_>, node: &Node) -> Option<Case> {
    let before = faults.found.len();
    let nodes = Mapping::read(faults, node, "a case", CASE, "name")?;
    let span = nodes.get("name").unwrap_or(node).span(faults.source);
    let name = nodes.get("name").and_then(|node| read_name(faults, node));
    let about = nodes.get("about").and_then(|node| {
        let about = faults.scalar(node, "`about`")?;
        Some(about.text.clone())
    });
    let operators = nodes
        .get("operators")
        .and_then(|node| values::operators(faults, node));
    let shape_element_type = nodes
        .get("shape_element_type")
        .map(|node| values::element_type(faults, node));
    let target = nodes
        .get("shape")
        .and_then(|node| values::target(faults, node));
    let target = target.map(|target| {
        target.map(|target| Target {
            element_type: shape_element_type.flatten().unwrap_or(ElementType::I64),
            ..target
        })
    });
    let zero = nodes
        .get("zero")
        .and_then(|node| faults.named::<ZeroMode>(node, "`zero`"));
    let attributes = nodes
        .get("attributes")
        .and_then(|node| values::attributes(faults, node));
    let fields = Fields {
        nodes,
        operators,
        target,
        zero,
        attributes,
    };
    let (covers, covers_spans) = read_covers(faults, &fields).unwrap_or_default();
    let known: Vec<_> = fields.known_operators();
    let expectations = super::expectations::read(
        faults,
        &fields.nodes,
        fields.operators.as_ref().map(|_| known.as_slice()),
        span.clone(),
    );
    check_zero(faults, &fields);
    check_nodes_attributes(faults, &fields);
    check_range(faults, &fields);
    let data = fields
        .nodes
        .get("data")
        .and_then(|node| read_data(faults, node));
    let bindings = fields.nodes.get("bindings").and_then(|node| {
        let items = faults.list(node, "bindings")?;
        faults.each(items, |faults, item| faults.named(item, "a binding"))
    });
    if faults.found.len() > before {
        return None;
    }
    let (data_shape, element_types, content) = data?;
    let case = Case {
        name: name?,
        about,
        source: faults.source.clone(),
        span,
        operators: fields.operators?,
        covers,
        covers_spans,
        data_shape,
        element_types,
        content,
        target: fields.target?,
        zero: fields.zero,
        attributes: fields.attributes,
        bindings,
        expectations: expectations?,
    };
    check_content(faults, &case, &fields.nodes);
    (faults.found.len() == before).then_some(case)
}

impl Fields<'_> {
    /// The operators of the case, or all there are if they could not be read: what is said of each is then checked as far
    /// as it can be.
    fn known_operators(&self) -> Vec<&'static Operator> {
        match &self.operators {
            Some(operators) => operators.clone(),
            None => OPERATORS.iter().collect(),
        }
    }
}

fn read_name(faults: &mut Faults<'_>, node: &Node) -> Option<String> {
    let name = faults.scalar(node, "`name`")?.text.clone();
    match check_name(&name) {
        Ok(()) => Some(name),
        Err(why) => faults.refused(why, node),
    }
}

fn read_covers(
    faults: &mut Faults<'_>,
    fields: &Fields<'_>,
) -> Option<(Vec<Cover>, Vec<Range<usize>>)> {
    let node = fields.nodes.get("covers")?;
    let items = faults.list(node, "covers")?;
    if items.is_empty() {
        let hint = "cite the rules or clauses it tests, such as [copied-zero]";
        return faults.wrong(node, "the case covers nothing", hint);
    }
    let operators = fields.known_operators();
    let (mut all, mut spans) = (Vec::new(), Vec::new());
    faults.each(items, |faults, item| {
        let id = faults.scalar(item, "a rule or clause")?.text.as_str();
        match covers(id, &operators) {
            Ok(cited) => {
                spans.extend(vec![item.span(faults.source); cited.len()]);
                all.extend(cited);
                Some(())
            }
            Err(why) => faults.refused(why, item),
        }
    })?;
    Some((all, spans))
}

/// Dims, element types and elements of the data.
type Data = (Vec<u64>, Option<Vec<ElementType>>, Content);

fn read_data(faults: &mut Faults<'_>, node: &Node) -> Option<Data> {
    let fields = Mapping::read(faults, node, "`data`", DATA, "")?;
    let shape = fields
        .get("shape")
        .and_then(|node| values::dims(faults, node, "shape"));
    let element_types = fields
        .get("element_types")
        .map(|node| read_element_types(faults, node));
    let fill = fields.get("fill").map(|node| {
        let fill = faults.named::<NamedFill>(node, "a fill");
        fill.map(Fill::from)
    });
    let values = fields.get("values").map(|node| {
        let items = faults.list(node, "values")?;
        faults.each(items, |faults, item| {
            Some(faults.scalar(item, "an element")?.text.clone())
        })
    });
    let content = match (fill, values) {
        (Some(_), Some(_)) => faults.wrong(node, "both a fill and values", "drop one of the two"),
        (None, Some(values)) => values.map(Content::Values),
        (Some(fill), None) => fill.map(Content::Fill),
        (None, None) => Some(Content::Fill(Fill::Index)),
    };
    let element_types = match element_types {
        Some(read) => Some(read?),
        None => None,
    };
    Some((shape?, element_types, content?))
}

fn read_element_types(faults: &mut Faults<'_>, node: &Node) -> Option<Vec<ElementType>> {
    let items = faults.list(node, "element_types")?;
    if items.is_empty() {
        let hint = "leave `element_types` out for every type of the operator";
        return faults.wrong(node, "no element types, so the case would never run", hint);
    }
    let mut types: Vec<ElementType> = Vec::new();
    faults.each(items, |faults, item| {
        let element_type = values::element_type(faults, item)?;
        if types.contains(&element_type) {
            let message = format!("{element_type} is named twice");
            return faults.wrong(item, message, "each element type is named once");
        }
        types.push(element_type);
        Some(())
    })?;
    Some(types)
}

crate::names::named_enum! {
    /// A fill as a file names it.
    enum NamedFill, "fill" {
        /// Element i is the number i.
        Index = "index",
        /// Element i is the bit pattern i.
        EveryPattern = "every-pattern",
    }
}

impl From<NamedFill> for Fill {
    fn from(named: NamedFill) -> Self {
        match named {
            NamedFill::Index => Self::Index,
            NamedFill::EveryPattern => Self::EveryPattern,
        }
    }
}

/// Checks that the file says how a 0 in the target is read, in a way that every operator supports.
fn check_zero(faults: &mut Faults<'_>, fields: &Fields<'_>) {
    let (zero, attributes) = (fields.nodes.get("zero"), fields.nodes.get("attributes"));
    if let (Some(node), Some(_)) = (zero, attributes) {
        let hint = "`attributes` says all there is on the node: drop one of the two";
        return faults.note(node, "both `zero` and `attributes`", hint);
    }
    if let (Some(node), Some(mode), Some(operators)) = (zero, fields.zero, &fields.operators) {
        let (word, has): (_, fn(&Operator) -> bool) = match mode {
            ZeroMode::Copy => ("copied", Operator::can_copy_zeros),
            ZeroMode::Literal => ("literal", Operator::can_have_literal_zeros),
        };
        let without: Vec<_> = operators.iter().filter(|operator| !has(operator)).collect();
        if let Some((operator, rest)) = without.split_first() {
            let more = match rest.len() {
                0 => String::new(),
                more => format!(", nor have {more} more of the operators"),
            };
            let message = format!("{operator} has no {word} zeros{more}");
            faults.note(
                node,
                message,
                "narrow the operators, such as \"onnx >= 14\"",
            );
        }
    }
    let target = fields.target.as_ref().and_then(Option::as_ref);
    let has_zero = target.is_some_and(|target| target.values.contains(&0));
    if let (Some(node), true, None, None) = (fields.nodes.get("shape"), has_zero, zero, attributes)
    {
        faults.note(
            node,
            "the target holds a 0, and nothing says how it is read",
            "add `zero: copy` or `zero: literal`, or the node's own `attributes`",
        );
    }
}

fn check_nodes_attributes(faults: &mut Faults<'_>, fields: &Fields<'_>) {
    let (Some(node), Some(attributes), Some(operators)) = (
        fields.nodes.get("attributes"),
        &fields.attributes,
        &fields.operators,
    ) else {
        return;
    };
    let why = operators
        .iter()
        .find_map(|operator| check_attributes(operator, attributes).err());
    if let Some(why) = why {
        faults.note(node, why, "");
    }
}

/// Checks that the values of the target are values of its type.
fn check_range(faults: &mut Faults<'_>, fields: &Fields<'_>) {
    let (Some(node), Some(Some(target))) = (fields.nodes.get("shape"), &fields.target) else {
        return;
    };
    if !target.element_type.is_integer() {
        return;
    }
    let mut checked = target
        .values
        .iter()
        .map(|value| literal::check_integer(*value, target.element_type));
    if let Some(why) = checked.find_map(Result::err) {
        faults.note(
            node,
            format!("in the target: {why}"),
            "`shape_element_type` is i64 unless it is given",
        );
    }
}

/// Checks the data against the operators' element types, and that a binding is left for each.
fn check_content(faults: &mut Faults<'_>, case: &Case, nodes: &Mapping<'_>) {
    let why = case.operators.iter().find_map(|operator| {
        let types = case.element_types(operator);
        check_data(&case.data_shape, &case.content, types)
            .err()
            .or_else(|| {
                let listed = matches!(case.content, Content::Values(_));
                let mut read = types.iter().filter(|_| listed).map(|t| case.data(*t));
                read.find_map(Result::err)
            })
    });
    if let (Some(why), Some(node)) = (why, nodes.get("data")) {
        let hint = "as many elements as the dims of the data multiply to, each a value of every element type of the case";
        let hint = Some(hint).filter(|_| matches!(case.content, Content::Values(_)));
        faults.note(node, why, hint.unwrap_or_default());
    }
    let without = case
        .operators
        .iter()
        .find(|operator| case.bindings(operator).next().is_none());
    let node = nodes.get("bindings").or(nodes.get("shape"));
    if let (Some(operator), Some(node)) = (without, node) {
        let own: Vec<_> = operator
            .bindings
            .iter()
            .map(|binding| binding.name())
            .collect();
        faults.note(
            node,
            format!("no binding is left for {operator}"),
            format!("its bindings are {}", own.join(", ")),
        );
    }
}
