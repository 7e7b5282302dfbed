//! Behavior: every decision that a runtime makes in a Reshape. The right behavior is the reference's.

use super::content::Content;
use crate::model::surroundings::Surrounding;
use crate::semantics::operator::{Binding, Reason, TargetSource};
use crate::semantics::oracle;
use crate::semantics::request::Request;
use crate::tensor::{Count, ElementType};
use smallvec::SmallVec;
use std::borrow::Cow;

/// A list that needs no allocation up to eight elements, because diagnosis queries all mutants for thousands of trials.
pub(crate) type Few<T> = SmallVec<[T; 8]>;

/// Every decision on the way from a request to a tensor.
#[derive(Clone)]
pub(crate) struct Behavior {
    /// How a target value is read; the first step.
    pub value: fn(i128, TargetSource) -> i128,
    /// How the list of target values is changed, after `value`.
    pub target: fn(&mut Few<i128>, &Request, Binding),
    /// Whether a 0 copies, given what the node states; `None` if its attribute is wrong.
    pub copies: fn(Option<bool>, &Request, Binding) -> Option<bool>,
    /// Reasons to reject that it does not check.
    pub overlooks: Vec<Reason>,
    /// Requests that it refuses although the text accepts them.
    pub refuses: Vec<fn(&Request, Binding) -> bool>,
    /// How a data dim is stored.
    pub dim: fn(u64) -> u64,
    /// The length of a copied 0; `None` refuses.
    pub copied: fn(&Zero<'_>) -> Option<u64>,
    /// How a value below -1 is read.
    pub below: fn(i128) -> Below,
    /// How a second -1 is read.
    pub second: Second,
    /// The dims by which the count is divided.
    pub known: Known,
    /// How element counts are multiplied.
    pub product: fn(&[u64]) -> Count,
    /// Division of the count by the known dims, where these are not 0.
    pub divide: fn(&Count, &Count) -> Option<Count>,
    /// The inferred length where the known dims multiply to 0; `None` refuses.
    pub by_zero: fn(&ByZero<'_>) -> Option<u64>,
    /// Conditions under which it checks the count: all must hold.
    pub checks: Vec<fn(&Checked) -> bool>,
    /// The measure of dims that it compares; `None` for the element count as it multiplies it.
    pub measure: Option<fn(&[u64], ElementType) -> Count>,
    /// Whether an output count (first) is accepted for a data count (second).
    pub same: fn(&Count, &Count) -> bool,
    /// Changes to the output shape.
    pub shape: Vec<fn(&mut Vec<u64>, &Request)>,
    /// Changes to the elements.
    pub content: Vec<Content>,
    /// Whether it gives the data as it is where it would refuse.
    pub gives_refused: bool,
    /// Whether the output always shares the data's memory (`true`), or never; `None` for as the text says.
    pub shares: Option<bool>,
    /// What it remembers from one call to the next.
    pub memory: Memory,
    /// Its differences in some surroundings only.
    pub neighbors: Vec<Neighbors>,
}

/// A difference in some surroundings only: an optimizer changes the nodes around this node.
#[derive(Clone)]
pub(crate) struct Neighbors {
    pub within: &'static [Surrounding],
    pub breaks: fn(&mut Behavior),
}

/// A 0 that copies.
pub(crate) struct Zero<'a> {
    pub index: usize,
    /// The number of zeros before it.
    pub zeros_before: usize,
    pub after_minus_one: bool,
    pub target_length: usize,
    pub data: &'a [u64],
}

impl Zero<'_> {
    /// The length of the dim that it copies; `None` past the rank.
    pub(crate) fn own(&self) -> Option<u64> {
        self.dim(self.index)
    }

    /// The length of the data's dim at this index.
    pub(crate) fn dim(&self, index: usize) -> Option<u64> {
        self.data.get(index).copied()
    }
}

/// How a value below -1 is read.
pub(crate) enum Below {
    Refused,
    MinusOne,
    Length(u64),
}

/// How a second -1 is read.
#[derive(Clone, Copy)]
pub(crate) enum Second {
    Refused,
    /// The length 1.
    One,
    /// The inferred length; earlier -1s are 1.
    Counts,
    /// The same length as the first.
    Same,
}

/// The dims by which the count is divided to infer a -1.
#[derive(Clone, Copy)]
pub(crate) enum Known {
    All,
    /// All except the copied ones.
    WithoutCopied,
    /// All except those copied behind the -1.
    WithoutCopiedBehind,
    /// All, but with copied ones as 0.
    CopiedAsZero,
}

/// A division by 0.
pub(crate) struct ByZero<'a> {
    pub count: &'a Count,
    pub data: &'a [u64],
    pub others: &'a [u64],
    /// The length that the text states for this data; `None` if it states no length.
    pub stated: Option<u64>,
}

/// What is known when it checks the count.
pub(crate) struct Checked {
    pub element_type: ElementType,
    /// Whether there is a target.
    pub target: bool,
    /// Whether there is no value of a target, so that the model declares an output without dims.
    pub target_empty: bool,
    pub data_empty: bool,
    pub output_empty: bool,
    pub inferred: bool,
    pub copied: bool,
    /// Whether the output's count exceeds 2^63-1.
    pub overflows: bool,
    pub binding: Binding,
}

/// What it remembers from one call to the next. The mutant with it says what it does with that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Memory {
    Nothing,
    FirstTarget,
    LastData,
    FirstOutput,
    LastOutput,
    LastShape,
    ResolvedTarget,
    FirstDims,
    FirstComputedTarget,
    LastComputedTarget,
    FirstLength,
    Refusal,
    Buffer,
    FirstModel,
    LastModel,
    Release,
    InputsOfConcurrentRun,
    ElementsOfConcurrentRun,
    TargetOfConcurrentRun,
    ShapeOfConcurrentRun,
}

impl Default for Behavior {
    /// The behavior of the reference.
    fn default() -> Self {
        Self {
            value: |value, _| value,
            target: |_, _, _| {},
            copies: |said, _, _| said,
            overlooks: Vec::new(),
            refuses: Vec::new(),
            dim: |dim| dim,
            copied: |zero| zero.own(),
            below: |_| Below::Refused,
            second: Second::Refused,
            known: Known::All,
            product: Count::of,
            divide: Count::divided_by,
            by_zero: |zero| zero.stated,
            checks: Vec::new(),
            measure: None,
            same: |output, data| output == data,
            shape: Vec::new(),
            content: Vec::new(),
            gives_refused: false,
            shares: None,
            memory: Memory::Nothing,
            neighbors: Vec::new(),
        }
    }
}

impl Behavior {
    /// The behavior in a surrounding.
    pub(crate) fn within(&self, surrounding: Option<Surrounding>) -> Cow<'_, Self> {
        let neighbors = self.neighbors.iter();
        let here = neighbors.filter(|of| surrounding.is_some_and(|here| of.within.contains(&here)));
        here.fold(Cow::Borrowed(self), |mut behavior, neighbors| {
            (neighbors.breaks)(behavior.to_mut());
            behavior
        })
    }

    /// Whether an answer depends on earlier calls.
    pub(crate) fn has_memory(&self) -> bool {
        self.memory != Memory::Nothing
    }

    /// Whether its output shares the data's memory; `None` if the text says nothing about that.
    pub(crate) fn shares(&self, request: &Request) -> Option<bool> {
        oracle::shares(request).map(|must| self.shares.unwrap_or(must))
    }

    /// Whether it leaves the elements of this type unchanged.
    pub(crate) fn keeps_elements(&self, of: ElementType) -> bool {
        !self.content.iter().any(|change| change.concerns(of))
    }
}

/// A way to be wrong.
#[derive(Clone, Copy)]
pub(crate) struct Mutant {
    /// Its name, in kebab case.
    pub name: &'static str,
    /// What it does, to be read after "it".
    pub description: &'static str,
    /// The decision that it breaks.
    pub(super) breaks: fn(&mut Behavior),
}

impl PartialEq for Mutant {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl std::fmt::Debug for Mutant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// The combined behavior of several mutants.
pub(crate) fn behavior(mutants: &[&Mutant]) -> Behavior {
    let mut behavior = Behavior::default();
    for mutant in mutants {
        (mutant.breaks)(&mut behavior);
    }
    behavior
}
