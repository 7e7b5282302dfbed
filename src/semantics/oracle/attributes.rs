//! Reading the data's element type, the node's attributes, and the target as a list of values.

use super::reader::Reader;
use crate::semantics::operator::rules::{ZeroAttribute, ZeroRule};
use crate::semantics::operator::{Meaning, Question, Reason, Rule, Strictness};
use crate::semantics::request::{AttributeValue, Request};

/// The rule about memory: the output shares the data's, or not. `None` if the text has no such rule.
pub(crate) fn sharing_rule(request: &Request) -> Option<Rule> {
    let copy = request.operator.attributes().find(|name| *name == "copy")?;
    match request.attributes.get(copy) {
        None => Some(Rule::SharedWherePossible),
        Some(AttributeValue::Bool(true)) => Some(Rule::CopiedWhenAsked),
        Some(AttributeValue::Bool(false)) => Some(Rule::SharedWhenAsked),
        Some(_) => None,
    }
}

/// Whether the output shares the data's memory by the text; without `copy`, where it can. `None` if nothing is said.
pub(crate) fn shares(request: &Request) -> Option<bool> {
    sharing_rule(request).map(|rule| rule != Rule::CopiedWhenAsked)
}

impl<'a> Reader<'a> {
    pub(super) fn check_element_type(&mut self) {
        let (operator, element_type) = (self.request.operator, self.request.element_type);
        if operator.element_types.contains(&element_type) {
            self.trace.note(Rule::ElementTypes, || {
                format!("{element_type} is an element type of {operator}")
            });
        } else {
            let rules = &operator.rules;
            let strictness = if rules.element_types_ruled_out.contains(&element_type) {
                Strictness::MustReject
            } else {
                rules.element_type_outside
            };
            self.decide(strictness, Reason::ElementType, || {
                format!("{operator} does not list the element type {element_type}")
            });
        }
    }

    pub(super) fn check_data(&mut self) {
        let strictness = self.request.operator.rules.scalar_data;
        if self.request.data_shape.is_empty() {
            self.decide(strictness, Reason::ScalarData, || {
                "the data has no dimensions".to_owned()
            });
        }
    }

    /// Reads the attributes: whether a 0 copies. `None` if the attribute that decides this is missing or malformed.
    pub(super) fn zero_mode(&mut self) -> Option<bool> {
        let operator = self.request.operator;
        let zero = operator.zero_attribute();
        for (name, value) in &*self.request.attributes {
            if zero.is_none_or(|zero| zero.name != name) {
                self.check_other_attribute(name, value);
            }
        }
        match operator.rules.zero {
            ZeroRule::AlwaysCopies => Some(true),
            ZeroRule::AlwaysLiteral => Some(false),
            ZeroRule::Attribute(attribute) => self.zero_mode_of(attribute),
        }
    }

    /// Checks an attribute that does not decide how zeros are read.
    fn check_other_attribute(&mut self, name: &str, value: &AttributeValue) {
        let operator = self.request.operator;
        let mut ignored = operator.rules.ignored_attributes.iter();
        match ignored.find(|(known, _)| *known == name) {
            Some((_, kind)) if value.is(*kind) => match shares(self.request) {
                None => {
                    (self.trace).note(Rule::LegacyAttribute, || format!("{name} changes nothing"))
                }
                Some(false) => self.trace.note(Rule::CopiedWhenAsked, || {
                    format!("{name} = {value}: the output shares no memory with the data")
                }),
                // A library that cannot share may refuse.
                Some(true) => {
                    let strictness = Strictness::Open(Question::CopyNecessary);
                    self.decide(strictness, Reason::CopyNecessary, || {
                        format!("{name} = {value}: the output is in the data's memory")
                    });
                }
            },
            // No text gives its type. With another type, it is not the attribute that the text knows.
            Some(_) | None => {
                let strictness = operator.rules.unknown_attribute;
                self.decide(strictness, Reason::UnknownAttribute, || {
                    format!("{operator} has no attribute {name} = {value}")
                });
            }
        }
    }

    fn zero_mode_of(&mut self, zero: &ZeroAttribute) -> Option<bool> {
        let Some(value) = self.request.attributes.get(zero.name) else {
            match zero.copies_by_default {
                Some(copies) => self.trace.note(Rule::ZeroModeDefault, || {
                    format!("{} is absent, so {}", zero.name, mode(copies))
                }),
                None => self.reject(Reason::MissingAttribute, || {
                    format!("the required attribute {} is missing", zero.name)
                })?,
            }
            return zero.copies_by_default;
        };
        if !value.is(zero.kind) {
            return self.reject(Reason::AttributeType, || {
                format!("{} = {value} has the wrong type", zero.name)
            });
        }
        let set = match value {
            AttributeValue::Bool(set) => *set,
            AttributeValue::Int(0) => false,
            AttributeValue::Int(1) => true,
            AttributeValue::Int(_)
            | AttributeValue::Float(_)
            | AttributeValue::String(_)
            | AttributeValue::Ints(_) => {
                let description = || format!("{} = {value}", zero.name);
                match self.decide(zero.neither_0_nor_1, Reason::AttributeValue, description)? {
                    Meaning::First => true,
                    Meaning::Second => false,
                }
            }
        };
        let copies = set == zero.copies_when_set;
        if self.request.values().contains(&0) {
            let rule = if copies {
                Rule::CopiedZero
            } else {
                Rule::LiteralZero
            };
            self.trace.note(rule, || {
                format!("{} = {value}: {}", zero.name, mode(copies))
            });
        }
        Some(copies)
    }

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

fn mode(copies: bool) -> &'static str {
    if copies {
        "a 0 copies"
    } else {
        "a 0 is literal"
    }
}
