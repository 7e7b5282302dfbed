//! Reading the target as a list of values.

use super::reader::Reader;
use crate::spec::operator::{Reason, Strictness};

impl<'a> Reader<'a> {
    /// The target's values, if the node has a target that can be read as a list.
    pub(super) fn values(&mut self) -> Option<&'a [i128]> {
        let rule = &self.request.operator.rules.target;
        let Some(target) = &self.request.target else {
            self.decide(rule.missing, Reason::MissingTarget, || {
                "there is no target".to_owned()
            })?;
            return Some(&[]);
        };
        if !rule.element_types.contains(&target.element_type) {
            let strictness = if target.element_type.is_integer() {
                rule.other_integers
            } else {
                Strictness::MustReject
            };
            self.decide(strictness, Reason::TargetType, || {
                format!("a target of {} values", target.element_type)
            })?;
        }
        if !target.is_flat() {
            self.decide(rule.not_flat, Reason::TargetNotFlat, || {
                format!("the target has rank {}", target.dims.len())
            })?;
        }
        if target.values.is_empty() {
            // A reader who rejects it goes on, and may find further reasons.
            self.decide(rule.empty, Reason::EmptyTarget, || {
                "the target is empty".to_owned()
            });
        }
        Some(&target.values)
    }
}
