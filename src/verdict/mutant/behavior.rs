//! Behavior: how a runtime goes about a Reshape, each decision apart. The right behavior do what the reference does.

use super::content::{self, Content};
use crate::spec::operator::{Binding, Reason, TargetSource};
use crate::spec::oracle::{self, Resolution};
use crate::spec::outcome::{Outcome, Phase};
use crate::spec::request::{Call, Request, Target};
use crate::tensor::{Count, ElementType};
use std::borrow::Cow;

/// Every decision on the way from a request to a tensor.
#[derive(Clone)]
pub(crate) struct Behavior {
    /// What is made of a target value before anything else.
    pub value: fn(i128, TargetSource) -> i128,
    /// What is made of the target's list before anything else.
    pub target: fn(&mut Vec<i128>, &Request, Binding),
    /// Whether a 0 copies, from what the node says (`None` if it does not say it rightly).
    pub copies: fn(Option<bool>, &Request, Binding) -> Option<bool>,
    /// Reasons to reject that nobody looks for.
    pub overlooks: Vec<Reason>,
    /// What is refused although the text takes it.
    pub refuses: Vec<fn(&Request, Binding) -> bool>,
    /// Whether a shape is refused at last.
    pub refuses_shape: fn(&[u64], ElementType) -> bool,
    /// How a data dim is kept.
    pub dim: fn(u64) -> u64,
    /// The length that a copied 0 takes.
    pub copied: fn(&Zero<'_>) -> Option<u64>,
    /// What a value below -1 is.
    pub below: fn(i128) -> Below,
    /// What another -1 is.
    pub second: Second,
    /// Which dims the count is divided by.
    pub known: Known,
    /// How element counts are multiplied.
    pub product: fn(&[u64]) -> Count,
    /// Division of the count by the known dims, where the latter are not 0.
    pub divide: fn(&Count, &Count) -> Option<Count>,
    /// The inferred length where the known dims multiply to 0.
    pub by_zero: fn(&ByZero<'_>) -> Option<u64>,
    /// The count is checked if all of these say so.
    pub checks: Vec<fn(&Checked) -> bool>,
    /// Whether an output count is good for a data count.
    pub same: fn(&Count, &Count) -> bool,
    /// What becomes of the shape at last.
    pub shape: Vec<fn(&mut Vec<u64>, &Request)>,
    /// What becomes of the elements.
    pub content: Vec<Content>,
    /// What is kept from one call to the next.
    pub memory: Memory,
}

/// What the oracle makes of a request: all that a hypothesis has to know of the operator.
pub(crate) struct Read {
    resolution: Resolution,
    copies: Option<bool>,
}

impl Read {
    pub(crate) fn of(request: &Request) -> Self {
        Self {
            resolution: oracle::resolve(request),
            copies: oracle::copies_zero(request),
        }
    }
}

/// A 0 that copies.
pub(crate) struct Zero<'a> {
    pub index: usize,
    /// How many zeros stand before it.
    pub zeros_before: usize,
    pub target_length: usize,
    pub data: &'a [u64],
}

/// What a value below -1 is.
pub(crate) enum Below {
    Refused,
    MinusOne,
    Length(u64),
}

/// What another -1 is.
#[derive(Clone, Copy)]
pub(crate) enum Second {
    Refused,
    /// The length 1.
    One,
    /// The one that counts; those before it are 1.
    Counts,
    /// The same length as the first.
    Same,
}

/// Which dims the count is divided by.
#[derive(Clone, Copy)]
pub(crate) enum Known {
    All,
    /// Those that the target spells out.
    WithoutCopied,
    /// All, a copied one still being 0.
    CopiedAsZero,
}

/// A division by 0.
pub(crate) struct ByZero<'a> {
    pub count: &'a Count,
    pub data: &'a [u64],
    pub others: &'a [u64],
}

/// What is known when the count could be checked.
pub(crate) struct Checked {
    /// Whether there is a target.
    pub target: bool,
    pub data_empty: bool,
    pub output_empty: bool,
    pub inferred: bool,
    pub copied: bool,
    /// Whether the output's count passes 2^63-1.
    pub overflows: bool,
    pub binding: Binding,
}

/// What is kept from one call to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Memory {
    Nothing,
    /// The first target that a model was run with.
    FirstTarget,
    /// The elements of the call before.
    LastData,
}

#[derive(Clone, Copy)]
enum Slot {
    Length(u64),
    Copied(u64),
    Inferred,
}

/// Whether a wrong shape claims more elements than one would make for it: the data's own stand in for them.
fn is_too_large(shape: &[u64]) -> bool {
    const MOST_ELEMENTS: u64 = 1 << 20;
    Count::of(shape)
        .as_u64()
        .is_none_or(|count| count > MOST_ELEMENTS)
}

impl Behavior {
    /// The behavior of the reference.
    pub(crate) fn right() -> Self {
        Self {
            value: |value, _| value,
            target: |_, _, _| {},
            copies: |said, _, _| said,
            overlooks: Vec::new(),
            refuses: Vec::new(),
            refuses_shape: |_, _| false,
            dim: |dim| dim,
            copied: |zero| zero.data.get(zero.index).copied(),
            below: |_| Below::Refused,
            second: Second::Refused,
            known: Known::All,
            product: Count::of,
            divide: Count::divided_by,
            by_zero: |_| None,
            checks: Vec::new(),
            same: |output, data| output == data,
            shape: Vec::new(),
            content: Vec::new(),
            memory: Memory::Nothing,
        }
    }

    /// Whether the elements come through as they are.
    pub(crate) fn keeps_content(&self) -> bool {
        self.content.is_empty()
    }

    /// What these behavior make of a call.
    pub(crate) fn answer(&self, call: &Call<'_>) -> Outcome {
        self.answer_read(call, &Read::of(call.request))
    }

    /// The same for a request that has been read already.
    pub(crate) fn answer_read(&self, call: &Call<'_>, read: &Read) -> Outcome {
        match self.resolve(call.request, call.binding, read) {
            None => Outcome::Rejected {
                phase: Phase::Compile,
                message: "a mutant says no".to_owned(),
            },
            Some(shape)
                if self.content.is_empty() && Count::of(&shape) == Count::of(call.data.shape())
                    || is_too_large(&shape) =>
            {
                Outcome::Reshaped {
                    output: call.data.with_shape(shape),
                    inferred: None,
                }
            }
            Some(shape) => Outcome::Reshaped {
                output: content::apply(&self.content, call, shape),
                inferred: None,
            },
        }
    }

    /// The shape, or nothing for a rejection.
    pub(crate) fn resolve(
        &self,
        request: &Request,
        binding: Binding,
        read: &Read,
    ) -> Option<Vec<u64>> {
        let request = self.rewritten(request, binding);
        let new;
        let read = match &request {
            Cow::Borrowed(_) => read,
            Cow::Owned(request) => {
                new = Read::of(request);
                &new
            }
        };
        if self
            .refuses
            .iter()
            .any(|refuses| refuses(&request, binding))
        {
            return None;
        }
        let copies = (self.copies)(read.copies, &request, binding);
        if self.node_fault(&read.resolution, copies) {
            return None;
        }
        let values = request
            .target
            .as_ref()
            .map_or(&[][..], |target| &target.values);
        let mut shape = self.dims(values, copies, &request, binding)?;
        for change in &self.shape {
            change(&mut shape, &request);
        }
        (!(self.refuses_shape)(&shape, request.element_type)).then_some(shape)
    }

    fn rewritten<'a>(&self, request: &'a Request, binding: Binding) -> Cow<'a, Request> {
        let mut request = Cow::Borrowed(request);
        if let Some(target) = &request.target {
            let mut values: Vec<_> = target
                .values
                .iter()
                .map(|value| (self.value)(*value, binding.source()))
                .collect();
            (self.target)(&mut values, &request, binding);
            if values != target.values {
                let dims = if values.len() == target.values.len() {
                    target.dims.clone()
                } else {
                    vec![values.len() as u64]
                };
                let target = Target {
                    element_type: target.element_type,
                    dims,
                    values,
                };
                request.to_mut().target = Some(target);
            }
        }
        request
    }

    /// Whether the node is at fault in a way that this looks for. What concerns dims and counts is left to `dims`.
    fn node_fault(&self, resolution: &Resolution, copies: Option<bool>) -> bool {
        const OF_DIMS: &[Reason] = &[
            Reason::TwoMinusOnes,
            Reason::BelowMinusOne,
            Reason::CopyPastRank,
            Reason::VolumeMismatch,
            Reason::NotDivisible,
            Reason::IndeterminateDimension,
        ];
        let looked_for = |reason: &Reason| {
            let moot = *reason == Reason::ZeroWithMinusOne && copies == Some(true);
            !moot && !OF_DIMS.contains(reason) && !self.overlooks.contains(reason)
        };
        match resolution {
            Resolution::Reshaped(_) => false,
            // A count past 64 bits shows as a count that does not match as well, or in `dims`.
            Resolution::Rejected(reasons) => reasons
                .iter()
                .any(|reason| looked_for(reason) && *reason != Reason::CountOverflows),
            Resolution::Open {
                question,
                choice: oracle::Allowed::Rejected,
                ..
            } => looked_for(&question.reason()),
            Resolution::Open { .. } => false,
        }
    }

    fn dims(
        &self,
        values: &[i128],
        copies: Option<bool>,
        request: &Request,
        binding: Binding,
    ) -> Option<Vec<u64>> {
        let data: Vec<u64> = request
            .data_shape
            .iter()
            .map(|dim| (self.dim)(*dim))
            .collect();
        let mut slots = Vec::with_capacity(values.len());
        let mut zeros = 0;
        for (index, value) in values.iter().copied().enumerate() {
            let slot = match value {
                1.. => Slot::Length(u64::try_from(value).ok()?),
                0 if copies? => {
                    let zero = Zero {
                        index,
                        zeros_before: zeros,
                        target_length: values.len(),
                        data: &data,
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
        let inferred = self.one_inferred(&mut slots)?;
        let count = (self.product)(&data);
        let length = if inferred {
            self.infer(&slots, &count, &data)?
        } else {
            1
        };
        let shape: Vec<u64> = slots
            .iter()
            .map(|slot| match slot {
                Slot::Length(length) | Slot::Copied(length) => *length,
                Slot::Inferred => length,
            })
            .collect();
        let checked = Checked {
            target: request.target.is_some(),
            data_empty: data.contains(&0),
            output_empty: shape.contains(&0),
            inferred,
            copied: slots.iter().any(|slot| matches!(slot, Slot::Copied(_))),
            overflows: Count::of(&shape).exceeds_i64(),
            binding,
        };
        let good = !self.checks.iter().all(|checks| checks(&checked))
            || (self.same)(&(self.product)(&shape), &count);
        good.then_some(shape)
    }

    /// Deals with every -1 but one; whether there is one.
    fn one_inferred(&self, slots: &mut [Slot]) -> Option<bool> {
        let places: Vec<_> = (0..slots.len())
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

    fn infer(&self, slots: &[Slot], count: &Count, data: &[u64]) -> Option<u64> {
        let others: Vec<u64> = slots
            .iter()
            .filter_map(|slot| match (slot, self.known) {
                (Slot::Inferred, _) | (Slot::Copied(_), Known::WithoutCopied) => None,
                (Slot::Copied(_), Known::CopiedAsZero) => Some(0),
                (Slot::Copied(length), Known::All) | (Slot::Length(length), _) => Some(*length),
            })
            .collect();
        let known = (self.product)(&others);
        if known.is_zero() {
            return (self.by_zero)(&ByZero {
                count,
                data,
                others: &others,
            });
        }
        let length = (self.divide)(count, &known)?.as_u64()?;
        i64::try_from(length).is_ok().then_some(length)
    }
}
