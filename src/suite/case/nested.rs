//! A target as written in YAML or JSON.

use crate::json::by_syntax;
use crate::semantics::request::Target;
use crate::tensor::ElementType;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserialize, SeqAccess};

/// A target as written: a list, an integer, or a nested list.
pub(crate) enum Nested {
    /// An integer.
    Value(i128),
    /// A list, possibly nested.
    List(Vec<Nested>),
}

impl Nested {
    /// The target, with its values in row-major order. At each depth, nested lists have the same length.
    pub(crate) fn target(self) -> Result<Target, &'static str> {
        let (mut dims, mut values) = (Vec::new(), Vec::new());
        self.flatten(0, &mut dims, &mut values)?;
        Ok(Target {
            element_type: ElementType::I64,
            dims,
            values,
        })
    }

    fn flatten(
        self,
        depth: usize,
        dims: &mut Vec<u64>,
        values: &mut Vec<i128>,
    ) -> Result<(), &'static str> {
        const RAGGED: &str = "a nested target has lists of one length at each depth";
        match self {
            Self::Value(value) => {
                values.push(value);
                (depth == dims.len()).then_some(()).ok_or(RAGGED)
            }
            Self::List(items) => {
                let length = items.len() as u64;
                match dims.get(depth) {
                    // The first list at this depth sets the length; a value before it would have a lesser depth.
                    None if values.is_empty() => dims.push(length),
                    Some(known) if *known == length => {}
                    None | Some(_) => return Err(RAGGED),
                }
                let mut items = items.into_iter();
                items.try_for_each(|item| item.flatten(depth + 1, dims, values))
            }
        }
    }
}

by_syntax! {
    Nested, "a list of integers within 64 bits, a bare integer, or a nested list", {
        visit_i64(value, i64) => Ok(Nested::Value(value.into())),
        visit_u64(value, u64) => Ok(Nested::Value(value.into())),
        visit_f64(value, f64) => {
            // Below this, a double represents every whole number exactly.
            let why = if value.fract() != 0.0 {
                "which is not an integer".to_owned()
            } else if value.abs() < 2f64.powi(53) {
                // Adding 0 turns -0 into 0.
                format!("which is not written as an integer; write {:.0}", value + 0.0)
            } else {
                "which is more than 64 bits hold, or is not written as an integer".to_owned()
            };
            Err(E::custom(format!("a number of about {value:e}, {why}")))
        },
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Nested, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(Nested::List)
    }
}
