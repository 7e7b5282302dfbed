//! The entries of `supports` and of `unavailable`, read alike in a manifest and in a `hello`.

use super::supports::Limits;
use crate::names::UnknownName;
use crate::semantics::operator::{Binding, OPERATORS, Operator, Selector};
use crate::tensor::ElementType;
use crate::yaml::read::{Read, each, named, names, number, text};
#[cfg(test)]
use crate::yaml::schema::{integers, map_of, string, strings};
use crate::yaml::{Faults, Node, mapping};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

mapping! {
    /// An entry of `supports`. Types and bindings are `None` for all that each operator has.
    #[derive(Serialize)]
    pub(crate) struct Claim, "an entry of `supports`", "operators" {
        /// Families, single operators, or ranges.
        pub operators: Operators = required(names::<Selector>("an operator"), strings()),
        /// Element types, or `all` of each operator.
        pub element_types: Option<Vec<ElementType>> = required(some_or_all("an element type"), all_or_strings()),
        /// Bindings, or `all` of each operator.
        pub bindings: Option<Vec<Binding>> = required(some_or_all("a binding"), all_or_strings()),
        /// The only values that an attribute may have.
        pub attributes: BTreeMap<String, Vec<i64>> = optional(attributes, map_of(integers())),
        /// What cannot be passed under this entry.
        pub limits: Limits = optional(entry_limits, Limits::schema()),
    }
}

mapping! {
    /// What of `supports` a machine or a release cannot do.
    #[derive(Serialize)]
    pub(crate) struct Unavailable, "an entry of `unavailable`", "operators" {
        /// Families, single operators, or ranges.
        pub operators: Operators = required(names::<Selector>("an operator"), strings()),
        /// Element types, or `all` of each operator.
        element_types: Option<Vec<ElementType>> = required(some_or_all("an element type"), all_or_strings()),
        /// Bindings, or `all` of each operator.
        bindings: Option<Vec<Binding>> = required(some_or_all("a binding"), all_or_strings()),
        /// Why, in a sentence.
        pub reason: String = required(text, string()),
    }
}

macro_rules! cells {
    ($($Entry:ident),+) => {$(
        impl $Entry {
            /// Each operator, with its element types and bindings.
            pub(crate) fn cells(
                &self,
            ) -> impl Iterator<Item = (&'static Operator, &[ElementType], &[Binding])> {
                self.operators.0.iter().map(|of| {
                    let types = self.element_types.as_deref().unwrap_or(of.element_types);
                    (*of, types, self.bindings.as_deref().unwrap_or(of.bindings))
                })
            }
        }
    )+};
}

cells!(Claim, Unavailable);

/// The operators that selectors name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Operators(pub Vec<&'static Operator>);

impl From<Vec<Selector>> for Operators {
    fn from(selectors: Vec<Selector>) -> Self {
        let all = selectors.iter().flat_map(Selector::operators);
        Self(all.copied().collect())
    }
}

impl Serialize for Operators {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|of| of.name))
    }
}

/// The values of a mapping with any names.
pub(crate) fn each_named<T>(read: impl Read<T>) -> impl Read<BTreeMap<String, T>> {
    move |faults, node, _| named(faults, node, |faults, _, value| read(faults, value, ""))
}

fn attributes(faults: &mut Faults<'_>, node: &Node, _: &str) -> Option<BTreeMap<String, Vec<i64>>> {
    named(faults, node, attribute_values)
}

/// The limits of what an adapter is asked.
pub(crate) fn entry_limits(faults: &mut Faults<'_>, node: &Node, name: &str) -> Option<Limits> {
    let limits = Limits::read(faults, node, name)?;
    if limits.memory_mib.is_none() {
        return Some(limits);
    }
    let message = "memory_mib is a limit of the whole process, not of what it is asked";
    let hint = "write it in the manifest's own `limits`, in the gate's `memory`, or after --memory";
    faults.wrong(node, message, hint)
}

/// A list of names, each of which is `noun`; or the word `all`, alone or as the only name, which is the inner `None`.
#[allow(clippy::option_option, reason = "`all` is one of the answers")]
fn some_or_all<T: FromStr<Err: Display>>(noun: &str) -> impl Read<Option<Vec<T>>> {
    let is_all = |node: &Node| node.is_word("all");
    move |faults, node, name| match is_all(node) || matches!(node.items(), [only] if is_all(only)) {
        true => Some(None),
        false => faults.names(node, name, noun).map(Some),
    }
}

/// The values that an attribute may have.
fn attribute_values(faults: &mut Faults<'_>, key: &Node, node: &Node) -> Option<Vec<i64>> {
    let name = text(faults, key, "")?;
    let names = OPERATORS.iter().flat_map(|operator| operator.attributes());
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names.dedup();
    if !names.contains(&name.as_str()) {
        let (noun, text) = ("attribute", name);
        return faults.wrong(key, UnknownName { noun, text, names }.to_string(), "");
    }
    each(number)(faults, node, &name)
}

#[cfg(test)]
fn all_or_strings() -> serde_json::Value {
    serde_json::json!({ "anyOf": [{ "const": "all" }, strings()] })
}
