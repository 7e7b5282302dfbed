//! The data of a case: its dims, element types and elements.

use super::fields::DATA;
use super::values;
use crate::semantics::operator::Operator;
use crate::suite::case::Content;
use crate::suite::case::content::{check_count, check_element, check_size, check_unmade};
use crate::tensor::{ElementType, Fill};
use crate::yaml::{Faults, Mapping, Node};

/// What could be read of `data`.
pub(super) struct Data<'n> {
    /// The dims; `None` if they are a fault.
    pub(super) shape: Option<Vec<u64>>,
    /// The element types that are given, without those that are a fault; `None` without the field.
    pub(super) element_types: Option<Vec<ElementType>>,
    /// The elements; `None` if they are a fault.
    pub(super) content: Option<Content>,
    /// The node of the data, and of its fields.
    node: &'n Node,
    shape_node: Option<&'n Node>,
    values_node: Option<&'n Node>,
}

impl<'n> Data<'n> {
    pub(super) fn read(faults: &mut Faults<'_>, node: &'n Node) -> Self {
        let mut data = Self {
            shape: None,
            element_types: None,
            content: None,
            node,
            shape_node: None,
            values_node: None,
        };
        let Some(fields) = Mapping::read(faults, node, "`data`", DATA, "") else {
            return data;
        };
        data.shape_node = fields.get("shape");
        data.values_node = fields.get("values");
        data.shape = data
            .shape_node
            .and_then(|node| values::dims(faults, node, "shape"));
        data.element_types = fields
            .get("element_types")
            .map(|node| read_element_types(faults, node));
        data.content = data.read_content(faults, fields.get("fill"));
        data
    }

    fn read_content(&self, faults: &mut Faults<'_>, fill: Option<&Node>) -> Option<Content> {
        let given = fill.map(|node| faults.named::<NamedFill>(node, "a fill"));
        let values = self.values_node.map(|node| {
            let items = faults.list(node, "values")?;
            faults.each(items, |faults, item| {
                Some(faults.scalar(item, "an element")?.text.clone())
            })
        });
        match (given, values) {
            (Some(_), Some(_)) => {
                faults.wrong(self.node, "both a fill and values", "drop one of the two")
            }
            (None, Some(values)) => values.map(Content::Values),
            (Some(fill), None) => fill.map(Content::from),
            (None, None) => Some(Content::Fill(Fill::Index)),
        }
    }

    /// Checks the elements against the dims, and against the element types of the case. Dims that are too large are a fault.
    pub(super) fn check(&mut self, faults: &mut Faults<'_>, operators: &[&'static Operator]) {
        let types = match &self.element_types {
            Some(types) => types.clone(),
            None => all_types(operators),
        };
        if let Some(shape) = &self.shape {
            let (size, hint) = match self.content {
                Some(Content::Unmade) => (check_unmade(shape, &types), "drop `fill: none`"),
                Some(Content::Fill(_) | Content::Values(_)) | None => (
                    check_size(shape, &types),
                    "with `fill: none` it is compiled only, and the inferred shape is judged",
                ),
            };
            if let Err(why) = size {
                faults.note(self.shape_node.unwrap_or(self.node), why, hint);
                self.shape = None;
            }
        }
        let has_strings = types.contains(&ElementType::String);
        if let (true, Some(Content::Fill(Fill::EveryPattern))) = (has_strings, &self.content) {
            let hint = "name the other element types of the case, or list the strings in `values`";
            faults.note(self.node, "a string has no bit patterns", hint);
        }
        let (Some(Content::Values(values)), Some(node)) = (&self.content, self.values_node) else {
            return;
        };
        let counted = self
            .shape
            .as_ref()
            .map(|shape| check_count(shape, values.len()));
        if let Some(Err(why)) = counted {
            let hint = "as many elements as the dims of the data multiply to";
            faults.note(node, why, hint);
        }
        for (item, value) in node.scalars().into_iter().zip(values) {
            let mut read = types.iter().map(|of| check_element(value, *of));
            if let Some(why) = read.find_map(Result::err) {
                let hint = "an element is a value of every element type of the case";
                faults.note(item, why, hint);
            }
        }
    }
}

/// The element types of the operators together, each once.
fn all_types(operators: &[&'static Operator]) -> Vec<ElementType> {
    let types = operators.iter().flat_map(|operator| operator.element_types);
    let mut each: Vec<ElementType> = Vec::new();
    for element_type in types {
        if !each.contains(element_type) {
            each.push(*element_type);
        }
    }
    each
}

fn read_element_types(faults: &mut Faults<'_>, node: &Node) -> Vec<ElementType> {
    let items = faults.list(node, "element_types");
    if items.is_some_and(<[Node]>::is_empty) {
        let hint = "leave `element_types` out for every type of the operator";
        faults.note(node, "no element types, so the case would never run", hint);
    }
    let mut types: Vec<ElementType> = Vec::new();
    for item in items.unwrap_or_default() {
        let Some(element_type) = values::element_type(faults, item) else {
            continue;
        };
        if types.contains(&element_type) {
            let message = format!("{element_type} is named twice");
            faults.note(item, message, "each element type is named once");
        } else {
            types.push(element_type);
        }
    }
    types
}

crate::names::named_enum! {
    /// A fill as a file names it.
    enum NamedFill, "fill" {
        /// Element i is the number i.
        Index = "index",
        /// Element i is the bit pattern i.
        EveryPattern = "every-pattern",
        /// There are no elements: the data is too large to be made.
        None = "none",
    }
}

impl From<NamedFill> for Content {
    fn from(named: NamedFill) -> Self {
        match named {
            NamedFill::Index => Self::Fill(Fill::Index),
            NamedFill::EveryPattern => Self::Fill(Fill::EveryPattern),
            NamedFill::None => Self::Unmade,
        }
    }
}
