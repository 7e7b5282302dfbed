//! Whether the files of an exported trial say what `trials.json` says.

use super::merge::Piece;
use crate::model::found::{Found, FoundNode, Recorded};
use crate::spec::request::{AttributeValue, Attributes, Target};
use crate::suite::case::Expectation;
use std::collections::BTreeMap;

/// How the Reshape of a file differs from the trial that it holds, in words.
pub(super) fn difference(piece: &Piece, found: &[Found]) -> Option<String> {
    let [only] = found else {
        return Some(format!("its file has {} Reshapes", found.len()));
    };
    match &only.node {
        Ok(node) => in_node(piece, node),
        Err(why) => Some(format!("in its file: {why}")),
    }
}

fn in_node(piece: &Piece, node: &FoundNode) -> Option<String> {
    let differs = |what: &str, file: &dyn std::fmt::Debug, ours: &dyn std::fmt::Debug| {
        Some(format!(
            "its {what} is {file:?} in its file, and {ours:?} in trials.json"
        ))
    };
    if !node.operators.contains(&piece.operator) {
        return differs("operator", &node.operators, &piece.operator);
    }
    // Data without dims leaves none of them open.
    let dynamic = piece.binding.dynamic() && !piece.data.shape().is_empty();
    if node.source != piece.binding.source() || node.dynamic != dynamic {
        let file = (node.source, node.dynamic);
        return differs("binding", &file, &piece.binding);
    }
    let (file, ours) = (node.element_type, piece.data.element_type());
    if file != ours {
        return differs("element type", &file, &ours);
    }
    if node.data_shape != piece.data.shape() {
        return differs("data", &node.data_shape, &piece.data.shape());
    }
    if node.data.as_ref().is_some_and(|data| *data != piece.data) {
        return Some("its data has other elements in its file".to_owned());
    }
    // A format has no nested attribute, no number past 64 bits with a sign, and no bool that is 3.
    let exact = |of: &Target| {
        let mut values = of.values.iter();
        let signed = values.all(|value| i64::try_from(*value).is_ok());
        of.is_flat() && of.element_type.is_integer() && signed
    };
    if piece.target.as_ref().is_none_or(exact) && node.target != piece.target {
        let says = |target: &Option<Target>| {
            let target = target.as_ref();
            target.map_or_else(|| "missing".to_owned(), ToString::to_string)
        };
        let (file, ours) = (says(&node.target), says(&piece.target));
        let says = format!("its target is {file} in its file, and {ours} in trials.json");
        return Some(says);
    }
    let (file, ours) = (plain(&node.attributes), plain(&piece.attributes));
    if file != ours {
        return differs("attributes", &file, &ours);
    }
    match (&node.output, &piece.expectation) {
        (Recorded::Nothing, _) | (_, Expectation::Rejected(_) | Expectation::Open { .. }) => None,
        (Recorded::Shape(file), Expectation::Reshaped(ours)) if file != ours => {
            differs("output", file, ours)
        }
        (Recorded::Tensor(file), Expectation::Reshaped(ours)) => {
            let same = *ours == file.shape() && file.same_content(&piece.data);
            (!same).then(|| "its output is another one in its file".to_owned())
        }
        (Recorded::Shape(_), Expectation::Reshaped(_)) => None,
    }
}

/// Attributes as every format has them: flags as 0 and 1, floats of 32 bits, all of it as text.
fn plain(attributes: &Attributes) -> BTreeMap<&str, String> {
    let text = |value: &AttributeValue| match value {
        AttributeValue::Bool(value) => u8::from(*value).to_string(),
        AttributeValue::Int(value) => value.to_string(),
        AttributeValue::Float(value) => (*value as f32).to_string(),
        AttributeValue::String(value) => match value.as_str() {
            "true" => "1".to_owned(),
            "false" => "0".to_owned(),
            value => value.to_owned(),
        },
        AttributeValue::Ints(values) => {
            let values: Vec<_> = values.iter().map(i64::to_string).collect();
            values.join(", ")
        }
    };
    let attributes = attributes.iter();
    attributes
        .map(|(name, of)| (name.as_str(), text(of)))
        .collect()
}
