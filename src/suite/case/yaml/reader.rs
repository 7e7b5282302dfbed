//! The reader of YAML case files.

use super::fields::CASE;
use super::values::{self, Data};
use crate::error::{Fault, Source};
use crate::semantics::operator::{Binding, OPERATORS, Operator, in_short};
use crate::semantics::request::{Attributes, Target, check_attributes};
use crate::suite::case::definition::bindings_of;
use crate::suite::case::lookup::{CASE_NAMES, check_about, covers, is_case_name};
use crate::suite::case::{Case, Content, Cover, FileCases, ZeroMode};
use crate::tensor::{ElementType, Fill, literal};
use crate::yaml::{self, Faults, Mapping, Node, Value};
use std::ops::Range;

/// Reads every case of a file.
pub(in crate::suite::case) fn read(source: &Source) -> FileCases {
    let mut faults = Faults::new(source, "docs/cases.md");
    let mut cases = FileCases::default();
    match yaml::tree(source) {
        Ok(document) => read_document(&mut faults, &document, &mut cases),
        Err(fault) => {
            read_parts(&mut faults, fault, &mut cases);
            // The rest of the file may have another meaning.
            cases.faulty.append(&mut cases.whole);
        }
    }
    cases.faults = faults.found;
    cases.faults.sort_by_key(|fault| fault.span.start);
    cases
}

fn read_document(faults: &mut Faults<'_>, document: &Node, cases: &mut FileCases) {
    match &document.value {
        Value::List(items) => items.iter().for_each(|item| read_case(faults, item, cases)),
        // A file that contains only comments.
        Value::Nothing => {}
        Value::Scalar(_) | Value::Map(_) => {
            let message = format!("a case file is a list of cases, not {}", document.what());
            faults.note(document, message, "each case begins with `- name: …`");
        }
    }
}

/// Reads each case alone, from a file that is invalid YAML as a whole for this reason.
fn read_parts(faults: &mut Faults<'_>, why: Fault, cases: &mut FileCases) {
    let before = faults.found.len();
    let mut is_found = false;
    for part in yaml::items(faults.source) {
        match yaml::tree_of(faults.source, part) {
            Ok(document) => read_document(faults, &document, cases),
            // The anchor may be in another case.
            Err(fault) if yaml::is_of_an_anchor(&fault) => {}
            Err(fault) => {
                faults.found.push(fault);
                is_found = true;
            }
        }
    }
    if !is_found || yaml::is_of_an_anchor(&why) {
        faults.found.insert(before, why);
    }
}

/// The fields of a case that were read; `None` for one that is absent or faulty.
struct Fields<'n> {
    nodes: Mapping<'n>,
    operators: Option<Vec<&'static Operator>>,
    /// The target, without its element type. The inner `None` is a node without a target.
    target: Option<Option<Target>>,
    zero: Option<ZeroMode>,
    attributes: Option<Attributes>,
    /// Whether the node's request is known: no field that describes the node is faulty.
    is_known: bool,
}

fn read_case(faults: &mut Faults<'_>, node: &Node, cases: &mut FileCases) {
    let before = faults.found.len();
    let Some(nodes) = Mapping::read(faults, node, "a case", CASE, "name") else {
        return;
    };
    let place = node.span();
    read_fields(faults, place, nodes, before, read_target, cases);
}

/// The case that these fields state, in any format. `before` is the number of faults of other cases. `target` reads the
/// target; its inner `None` is a node without a target.
pub(in crate::suite::case) fn read_fields<'n>(
    faults: &mut Faults<'_>,
    place: Range<usize>,
    nodes: Mapping<'n>,
    before: usize,
    target: impl FnOnce(&mut Faults<'_>, &Mapping<'n>) -> Option<Option<Target>>,
    cases: &mut FileCases,
) {
    let span = nodes.get("name");
    let span = span.map_or(place, |node| node.span());
    let name = nodes.get("name").and_then(|node| {
        let name = &faults.scalar(node, "`name`")?.text;
        match is_case_name(name) {
            true => Some(name.clone()),
            false => faults.wrong(node, format!("'{name}' is not a case name"), CASE_NAMES),
        }
    });
    let named = name.clone().map(|name| (name, span.clone()));
    cases.names.extend(named);
    let about = nodes.get("about").and_then(|node| {
        let about = &faults.scalar(node, "`about`")?.text;
        match check_about(about) {
            Ok(()) => Some(about.clone()),
            Err(why) => faults.wrong(node, why, "write what is special, or omit `about`"),
        }
    });
    let fields = read_node(faults, nodes, target);
    let (covers, covers_spans) = read_covers(faults, &fields);
    let operators = fields.operators.as_deref();
    let expectations = super::expectations::read(faults, &fields.nodes, operators, span.clone());
    let data = fields.nodes.get("data");
    let mut data = data.map(|node| Data::read(faults, node));
    if let (Some(data), Some(operators)) = (&mut data, &fields.operators) {
        data.check(faults, operators);
    }
    let bindings = read_bindings(faults, &fields);
    let (Some(operators), Some(target), Some(data), true) =
        (fields.operators, fields.target, data, fields.is_known)
    else {
        return;
    };
    let Some(data_shape) = data.shape else { return };
    let case = Case {
        name: name.unwrap_or_default(),
        about,
        source: faults.source.clone(),
        span,
        operators,
        covers,
        covers_spans,
        data_shape,
        element_types: data.element_types,
        content: data.content.unwrap_or(Content::Fill(Fill::Index)),
        target,
        zero: fields.zero,
        attributes: fields.attributes,
        bindings,
        expectations,
    };
    if faults.found.len() == before {
        cases.whole.push(case);
    } else {
        cases.faulty.extend(case.reviewable());
    }
}

/// The node: its operators, its target and its attributes.
fn read_node<'n>(
    faults: &mut Faults<'_>,
    nodes: Mapping<'n>,
    target: impl FnOnce(&mut Faults<'_>, &Mapping<'n>) -> Option<Option<Target>>,
) -> Fields<'n> {
    let before = faults.found.len();
    let operators = nodes.get("operators");
    let operators = operators.and_then(|node| values::operators(faults, node));
    let target = target(faults, &nodes);
    let zero = nodes.get("zero");
    let zero = zero.and_then(|node| faults.named::<ZeroMode>(node, "`zero`"));
    let attributes = nodes.get("attributes");
    let attributes = attributes.and_then(|node| values::attributes(faults, node));
    let mut fields = Fields {
        nodes,
        operators,
        target,
        zero,
        attributes,
        is_known: false,
    };
    check_zero(faults, &fields);
    check_nodes_attributes(faults, &fields);
    check_target_type(faults, &fields);
    check_range(faults, &fields);
    fields.is_known = faults.found.len() == before;
    fields
}

/// The target with its element type. The inner `None` is a node without a target.
fn read_target(faults: &mut Faults<'_>, nodes: &Mapping<'_>) -> Option<Option<Target>> {
    let element_type = nodes.get("shape_element_type");
    let element_type = element_type.and_then(|node| values::element_type(faults, node));
    let mut target = values::target(faults, nodes.get("shape")?)?;
    if let Some(target) = &mut target {
        target.element_type = element_type.unwrap_or(ElementType::I64);
    }
    Some(target)
}

/// The readable part of `covers`, with the place of each.
fn read_covers(faults: &mut Faults<'_>, fields: &Fields<'_>) -> (Vec<Cover>, Vec<Range<usize>>) {
    let (mut all, mut spans) = (Vec::new(), Vec::new());
    let Some(node) = fields.nodes.get("covers") else {
        return (all, spans);
    };
    let items = faults.list(node, "covers");
    if items.is_some_and(<[Node]>::is_empty) {
        let hint = "cite the rules or clauses it tests, such as [copied-zero]";
        faults.note(node, "the case covers nothing", hint);
    }
    // What is cited is still checked if the operators could not be read.
    let operators = fields.operators.clone();
    let operators = operators.unwrap_or_else(|| OPERATORS.iter().collect());
    for item in items.unwrap_or_default() {
        let Some(id) = faults.scalar(item, "a rule or clause") else {
            continue;
        };
        let Some(cited) = covers(faults, item, &id.text, &operators) else {
            continue;
        };
        if cited.iter().any(|cover| all.contains(cover)) {
            let message = format!("'{}' is cited already", id.text);
            faults.note(item, message, "cite it once");
            continue;
        }
        spans.extend(vec![item.span(); cited.len()]);
        all.extend(cited);
    }
    (all, spans)
}

fn read_bindings(faults: &mut Faults<'_>, fields: &Fields<'_>) -> Option<Vec<Binding>> {
    let node = fields.nodes.get("bindings");
    let bindings = match node {
        Some(node) => Some(faults.names(node, "bindings", "a binding")?),
        None => None,
    };
    let (Some(operators), Some(target), Some(node)) = (
        &fields.operators,
        &fields.target,
        node.or(fields.nodes.get("shape")),
    ) else {
        return bindings;
    };
    let mut without = operators.clone();
    without.retain(|operator| {
        let mut left = bindings_of(operator, bindings.as_deref(), target.is_some());
        left.next().is_none()
    });
    // Operators with the same bindings are one fault.
    for alike in without.chunk_by(|one, other| one.bindings == other.bindings) {
        let own = bindings_of(alike[0], None, target.is_some());
        let own: Vec<_> = own.map(|of| of.name()).collect();
        let missing = match target {
            None => " without a target, which cannot be a runtime input",
            Some(_) => "",
        };
        let message = format!("no binding remains for {}{missing}", in_short(alike));
        let hint = format!("its bindings are {}", own.join(", "));
        faults.note(node, message, hint);
    }
    bindings
}

/// Checks that the file states how a 0 in the target is read, in a way that every operator supports.
fn check_zero(faults: &mut Faults<'_>, fields: &Fields<'_>) {
    let (zero, attributes) = (fields.nodes.get("zero"), fields.nodes.get("attributes"));
    if let (Some(node), Some(_)) = (zero, attributes) {
        let hint = "`attributes` lists every attribute of the node: remove one of the two";
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
                more => format!(", nor have {more} more operators"),
            };
            let message = format!("{operator} has no {word} zeros{more}");
            let hint = "narrow the operators, such as \"onnx >= 14\"";
            faults.note(node, message, hint);
        }
    }
    let target = fields.target.as_ref().and_then(Option::as_ref);
    let has_zero = target.is_some_and(|target| target.values.contains(&0));
    if let (Some(node), true, None, None) = (fields.nodes.get("shape"), has_zero, zero, attributes)
    {
        faults.note(
            node,
            "the target holds a 0, and the case does not state how it is read",
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
    let mut operators = operators.iter();
    let why = operators.find_map(|operator| check_attributes(operator, attributes).err());
    if let Some(why) = why {
        faults.note(node, why, "");
    }
}

/// Checks that the target of every operator can have a type other than i64.
fn check_target_type(faults: &mut Faults<'_>, fields: &Fields<'_>) {
    let (Some(node), Some(operators)) = (fields.nodes.get("shape_element_type"), &fields.operators)
    else {
        return;
    };
    let is_other = |target: &Target| target.element_type != ElementType::I64;
    let target = fields.target.as_ref().and_then(Option::as_ref);
    if !target.is_some_and(is_other) {
        return;
    }
    if let Some(operator) = operators.iter().find(|of| !of.rules.target.typed) {
        let message =
            format!("the target of {operator} is an attribute, whose integers are always i64");
        faults.note(node, message, "narrow the operators, such as \"onnx >= 5\"");
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
    let places = node.scalars();
    for (at, value) in target.values.iter().enumerate() {
        if let Err(why) = literal::check_integer(*value, target.element_type) {
            let place = places.get(at).copied().unwrap_or(node);
            let hint = match fields.nodes.get("shape_element_type") {
                Some(_) => "`shape_element_type` sets the type of the values",
                None => "`shape_element_type` is i64 unless it is given",
            };
            faults.note(place, format!("in the target: {why}"), hint);
        }
    }
}
