//! How a behavior answers a request.

use super::behavior::{Behavior, Below, ByZero, Checked, Few, Known, Second, Zero};
use super::content;
use crate::model::call::Call;
use crate::semantics::operator::{Binding, Meaning, Operator, Reason, Strictness};
use crate::semantics::oracle::{self, Resolution};
use crate::semantics::outcome::{Allowed, Outcome, Phase};
use crate::semantics::request::{Request, Target};
use crate::tensor::Count;
use std::borrow::Cow;

/// What the oracle says about a request, computed once for all behaviors that answer it.
pub(crate) struct OracleAnswer {
    resolution: Resolution,
    copies: Option<bool>,
}

impl OracleAnswer {
    pub(crate) fn of(request: &Request) -> Self {
        Self {
            resolution: oracle::resolve(request),
            copies: oracle::copies_zero(request),
        }
    }
}

/// An output dim.
#[derive(Clone, Copy)]
enum Slot {
    Length(u64),
    Copied(u64),
    Inferred,
}

/// Whether a wrong shape has too many elements to materialize. Then the answer has the data's elements.
pub(crate) fn is_too_large(shape: &[u64]) -> bool {
    const MAX_ELEMENTS: u64 = 1 << 20;
    Count::of(shape)
        .as_u64()
        .is_none_or(|count| count > MAX_ELEMENTS)
}

/// The length that the text states for a -1 while the other dims multiply to 0; `None` if it states no length.
fn stated_by_zero(slots: &[Slot], count: &Count, operator: &Operator) -> Option<u64> {
    let literal_zero = slots.iter().any(|slot| matches!(slot, Slot::Length(0)));
    match operator.rules.minus_one_over_zero(literal_zero) {
        Strictness::MustAccept(Meaning::Second, _) => count.is_zero().then_some(0),
        Strictness::MustAccept(Meaning::First, _)
        | Strictness::MustReject
        | Strictness::Open(_) => None,
    }
}

impl Behavior {
    pub(crate) fn answer(&self, call: &Call<'_>) -> Outcome {
        self.answer_with(call, &OracleAnswer::of(call.request))
    }

    /// The answer to a call whose request the oracle has resolved.
    pub(crate) fn answer_with(&self, call: &Call<'_>, oracle: &OracleAnswer) -> Outcome {
        let behavior = self.within(call.surrounding);
        let Some(shape) = behavior.resolve(call.request, call.binding, oracle) else {
            return Outcome::rejected(Phase::Compile, "a mutant says no");
        };
        if !call.data.is_materialized() {
            return Outcome::Inferred(Some(shape.into_iter().map(Some).collect()));
        }
        let keeps_elements = behavior.keeps_elements(call.data.element_type())
            && Count::of(&shape) == Count::of(call.data.shape());
        Outcome::Reshaped {
            output: match keeps_elements || is_too_large(&shape) {
                true => call.data.with_shape(shape),
                false => content::apply(&behavior.content, call, shape),
            },
            inferred: None,
            shares: behavior.shares(call.request),
        }
    }

    /// Whether an answer of this shape, which keeps the data's element count, has elements other than the data's.
    pub(crate) fn changes_content(&self, call: &Call<'_>, shape: &[u64]) -> bool {
        let behavior = self.within(call.surrounding);
        !is_too_large(shape) && content::changes(&behavior.content, call, shape)
    }

    /// The output shape of a lone node; `None` for a rejection.
    pub(crate) fn resolve(
        &self,
        request: &Request,
        binding: Binding,
        oracle: &OracleAnswer,
    ) -> Option<Vec<u64>> {
        let shape = self.resolve_or_refuse(request, binding, oracle);
        shape.or_else(|| self.gives_refused.then(|| request.data_shape.clone()))
    }

    fn resolve_or_refuse(
        &self,
        request: &Request,
        binding: Binding,
        oracle: &OracleAnswer,
    ) -> Option<Vec<u64>> {
        let request = self.rewritten(request, binding);
        let new;
        let oracle = match &request {
            Cow::Borrowed(_) => oracle,
            Cow::Owned(request) => {
                new = OracleAnswer::of(request);
                &new
            }
        };
        let mut refusals = self.refuses.iter();
        if refusals.any(|refuses| refuses(&request, binding)) {
            return None;
        }
        let copies = (self.copies)(oracle.copies, &request, binding);
        if self.node_fault(&oracle.resolution, request.values(), copies) {
            return None;
        }
        let mut shape = self.dims(copies, &request, binding)?;
        for change in &self.shape {
            change(&mut shape, &request);
        }
        Some(shape)
    }

    /// The request with the target's values as this behavior reads them.
    fn rewritten<'a>(&self, request: &'a Request, binding: Binding) -> Cow<'a, Request> {
        let mut request = Cow::Borrowed(request);
        if let Some(target) = &request.target {
            let values = target.values.iter();
            let values = values.map(|value| (self.value)(*value, binding.source()));
            let mut values: Few<_> = values.collect();
            (self.target)(&mut values, &request, binding);
            if *values != *target.values {
                let dims = if values.len() == target.values.len() {
                    target.dims.clone()
                } else {
                    vec![values.len() as u64]
                };
                request.to_mut().target = Some(Target {
                    element_type: target.element_type,
                    dims,
                    values: values.into_vec(),
                });
            }
        }
        request
    }

    /// Whether the node has a fault that this behavior checks. `dims` checks dims and counts.
    fn node_fault(&self, resolution: &Resolution, values: &[i128], copies: Option<bool>) -> bool {
        const OF_DIMS: &[Reason] = &[
            Reason::TwoMinusOnes,
            Reason::BelowMinusOne,
            Reason::CopyPastRank,
            Reason::VolumeMismatch,
            Reason::NotDivisible,
            Reason::IndeterminateDimension,
        ];
        // The text may read a value below -1 as -1.
        let infers = |value: &i128| match value {
            ..-1 => matches!((self.below)(*value), Below::MinusOne),
            _ => *value == -1,
        };
        let has_both = copies != Some(true) && values.iter().any(infers);
        let looked_for = |reason: &Reason| {
            let moot = *reason == Reason::ZeroWithMinusOne && !has_both;
            !moot && !OF_DIMS.contains(reason) && !self.overlooks.contains(reason)
        };
        match resolution {
            Resolution::Reshaped(_) => false,
            // A count past 64 bits is also a mismatch, or shows in `dims`.
            Resolution::Rejected(reasons) => reasons
                .iter()
                .any(|reason| looked_for(reason) && *reason != Reason::CountOverflows),
            Resolution::Open {
                question,
                choice: Allowed::Rejected,
                ..
            } => looked_for(&question.reason()),
            Resolution::Open { .. } => false,
        }
    }

    /// The output dims; `None` for a rejection.
    fn dims(&self, copies: Option<bool>, request: &Request, binding: Binding) -> Option<Vec<u64>> {
        let data = request.data_shape.iter().map(|dim| (self.dim)(*dim));
        let data: Few<u64> = data.collect();
        let mut slots = self.slots(request.values(), copies, &data)?;
        let inferred = self.reduce_inferred(&mut slots)?;
        let length = if inferred {
            self.infer(&slots, &(self.product)(&data), &data, request.operator)?
        } else {
            1
        };
        let shape = slots.iter().map(|slot| match slot {
            Slot::Length(length) | Slot::Copied(length) => *length,
            Slot::Inferred => length,
        });
        let shape: Vec<u64> = shape.collect();
        let checked = Checked {
            element_type: request.element_type,
            target: request.target.is_some(),
            target_empty: slots.is_empty(),
            data_empty: data.contains(&0),
            output_empty: shape.contains(&0),
            inferred,
            copied: slots.iter().any(|slot| matches!(slot, Slot::Copied(_))),
            overflows: Count::of(&shape).exceeds_i64(),
            binding,
        };
        let measure = |dims: &[u64]| match self.measure {
            Some(measure) => measure(dims, request.element_type),
            None => (self.product)(dims),
        };
        let good = !self.checks.iter().all(|checks| checks(&checked))
            || (self.same)(&measure(&shape), &measure(&data));
        good.then_some(shape)
    }

    /// A slot for each target value; `None` for a rejection.
    fn slots(&self, values: &[i128], copies: Option<bool>, data: &[u64]) -> Option<Few<Slot>> {
        let mut slots = Few::with_capacity(values.len());
        let mut zeros = 0;
        for (index, value) in values.iter().copied().enumerate() {
            let slot = match value {
                1.. => Slot::Length(u64::try_from(value).ok()?),
                0 if copies? => {
                    let zero = Zero {
                        index,
                        zeros_before: zeros,
                        after_minus_one: values[..index].contains(&-1),
                        target_length: values.len(),
                        data,
                    };
                    Slot::Copied((self.copied)(&zero)?)
                }
                0 => Slot::Length(0),
                -1 => Slot::Inferred,
                ..-1 => match (self.below)(value) {
                    Below::Refused => return None,
                    Below::MinusOne => Slot::Inferred,
                    Below::Length(length) => Slot::Length(length),
                },
            };
            zeros += usize::from(value == 0);
            slots.push(slot);
        }
        Some(slots)
    }

    /// Leaves at most one -1 to infer. Returns whether there is one; `None` for a rejection.
    fn reduce_inferred(&self, slots: &mut [Slot]) -> Option<bool> {
        let places: Few<_> = (0..slots.len())
            .filter(|index| matches!(slots[*index], Slot::Inferred))
            .collect();
        if places.len() > 1 {
            let ones = match self.second {
                Second::Refused => return None,
                Second::One => &places[1..],
                Second::Counts => &places[..places.len() - 1],
                Second::Same => &[],
            };
            for index in ones {
                slots[*index] = Slot::Length(1);
            }
        }
        Some(!places.is_empty())
    }

    /// The length of the -1; `None` for a rejection.
    fn infer(
        &self,
        slots: &[Slot],
        count: &Count,
        data: &[u64],
        operator: &Operator,
    ) -> Option<u64> {
        let inferred = slots.iter().position(|slot| matches!(slot, Slot::Inferred));
        let others: Few<u64> = slots
            .iter()
            .enumerate()
            .filter_map(|(at, slot)| match (slot, self.known) {
                (Slot::Copied(_), Known::WithoutCopiedBehind) if Some(at) > inferred => None,
                (Slot::Inferred, _) | (Slot::Copied(_), Known::WithoutCopied) => None,
                (Slot::Copied(_), Known::CopiedAsZero) => Some(0),
                (Slot::Copied(length), Known::All | Known::WithoutCopiedBehind)
                | (Slot::Length(length), _) => Some(*length),
            })
            .collect();
        let known = (self.product)(&others);
        if known.is_zero() {
            return (self.by_zero)(&ByZero {
                count,
                data,
                others: &others,
                stated: stated_by_zero(slots, count, operator),
            });
        }
        let length = (self.divide)(count, &known)?.as_u64()?;
        i64::try_from(length).is_ok().then_some(length)
    }
}
