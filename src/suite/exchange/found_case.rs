//! A case from a Reshape found in a model.

use crate::model::found::{FoundNode, Recorded};
use crate::semantics::operator::{Operator, Rule};
use crate::semantics::oracle::{self, Resolution, resolve_for};
use crate::semantics::outcome::{Allowed, fits};
use crate::semantics::request::{Attributes, check_attributes};
use crate::suite::case::{
    Case, Content, Cover, Expectation, Stated, ZeroMode, check_size, zero_attributes,
};
use crate::tensor::{ElementType, Fill, Tensor, literal};

/// The most elements that a case lists. For larger data it keeps only the number of elements.
const MAX_LISTED: usize = 1024;

/// The case of a node. The error says why it has no case.
pub(super) fn case(name: &str, about: String, node: &FoundNode) -> Result<Case, String> {
    let element_type = node.element_type;
    if node.operators.is_empty() {
        return Err("it has no operator".to_owned());
    }
    for operator in &node.operators {
        check_attributes(operator, &node.attributes)?;
    }
    let listed = node.data.as_ref().filter(|data| data.len() <= MAX_LISTED);
    let content = listed.and_then(|data| content(data));
    let content = content.unwrap_or(Content::Fill(Fill::Index));
    check_size(&node.data_shape, &[element_type])?;
    let (zero, attributes) = zero_mode(node);
    let operators = node.operators.iter();
    let expectations = operators.map(|operator| (*operator, expectation(node, operator)));
    let (operators, target) = (node.operators.clone(), node.target.clone());
    let mut case = Case {
        about: Some(about),
        expectations: Stated::grouped(expectations),
        element_types: Some(vec![element_type]),
        content,
        attributes,
        ..Case::asked(name, operators, node.data_shape.clone(), target, zero)
    };
    case.covers = covers(node, &case);
    Ok(case)
}

/// What the text says about a node.
fn resolution(node: &FoundNode, operator: &'static Operator) -> Resolution {
    let request = node.request(operator);
    match &node.data {
        Some(data) => resolve_for(&request, data),
        None => oracle::resolve(&request),
    }
}

/// The recorded output. If nothing is recorded, or the text leaves the output open but allows it, the oracle's answer.
fn expectation(node: &FoundNode, operator: &'static Operator) -> Expectation {
    let resolution = resolution(node, operator);
    let allows = |shape: &[u64]| match &resolution {
        Resolution::Open { allowed, .. } => allowed.iter().any(|of| match of {
            Allowed::Reshaped(pattern) => fits(shape, pattern),
            Allowed::Rejected => false,
        }),
        Resolution::Reshaped(_) | Resolution::Rejected(_) => false,
    };
    match node.output.shape() {
        Some(shape) if !allows(shape) => Expectation::Reshaped(shape.to_vec()),
        Some(_) | None => resolution.into(),
    }
}

/// How the recorded output differs from the data; `None` if it has the data's elements, or was not recorded.
pub(super) fn changed_elements(node: &FoundNode) -> Option<String> {
    let (Some(data), Recorded::Tensor(output)) = (&node.data, &node.output) else {
        return None;
    };
    if output.same_content(data) {
        return None;
    }
    let same = |index: &usize| output.same_element(data, *index);
    let first = (0..data.len().max(output.len())).find(|index| !same(index))?;
    let [ours, theirs] = [data, output].map(|of| literal::show(of, first));
    Some(format!(
        "the recorded output has other elements than the data: element {first} is {theirs} there, but {ours} in the \
        data"
    ))
}

/// The rules behind the answers to a node that the case shows.
fn covers(node: &FoundNode, case: &Case) -> Vec<Cover> {
    let of = |operator| oracle::rules(&node.request(operator), &resolution(node, operator));
    let mut rules = case.shown(node.operators.iter().flat_map(|operator| of(*operator)));
    if rules.is_empty() {
        rules.push(Rule::SameContent);
    }
    rules.into_iter().map(Cover::Rule).collect()
}

/// How a case states the attributes of a node: as a zero mode where that gives them to each operator, else literally. `None`
/// for both if each operator has the attributes of a case without either.
fn zero_mode(node: &FoundNode) -> (Option<ZeroMode>, Option<Attributes>) {
    let target = node.target.as_ref();
    let has_zero = target.is_some_and(|target| target.values.contains(&0));
    let gives = |zero: &Option<ZeroMode>| {
        let can = |operator: &Operator| match zero {
            Some(ZeroMode::Copy) => operator.can_copy_zeros(),
            Some(ZeroMode::Literal) => operator.can_have_literal_zeros(),
            None => !has_zero,
        };
        let mut all = node.operators.iter();
        all.all(|of| can(of) && zero_attributes(of, *zero) == node.attributes)
    };
    let mut modes = [None, Some(ZeroMode::Copy), Some(ZeroMode::Literal)].into_iter();
    match modes.find(gives) {
        Some(zero) => (zero, None),
        None => (None, Some(node.attributes.clone())),
    }
}

/// The content that gives this tensor; `None` if no content does.
fn content(data: &Tensor) -> Option<Content> {
    let element_type = data.element_type();
    let is = |fill: &Fill| fill.tensor(element_type, data.shape().to_vec()) == *data;
    let has_patterns = element_type != ElementType::String;
    let fills = [Fill::Index, Fill::EveryPattern];
    let mut fills = fills.iter().take(1 + usize::from(has_patterns));
    if let Some(fill) = fills.find(|fill| is(fill)) {
        return Some(Content::Fill(*fill));
    }
    let values = (0..data.len()).map(|index| match data.string(index) {
        Some(string) => Some(escaped(string)),
        // The exact value if the type has it, else the bits.
        None => [literal::show(data, index), literal::show_bits(data, index)]
            .into_iter()
            .find(|text| literal::bits(text, element_type).ok() == data.bits(index)),
    });
    values.collect::<Option<_>>().map(Content::Values)
}

/// A string as a case lists it: UTF-8, with escapes for the other bytes.
fn escaped(bytes: &[u8]) -> String {
    let mut text = String::new();
    for part in bytes.utf8_chunks() {
        text.push_str(&part.valid().replace('\\', "\\\\"));
        for byte in part.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}
