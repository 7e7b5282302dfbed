//! Surroundings: what stands around the node in the graph that reaches a backend, or what its model ran before. The node gets
//! the case's data and target, and its output is passed on unchanged, so a surrounding never changes what is expected.

use super::operator::TargetSource;
use crate::names::named_enum;

/// What a surrounding consists of.
enum Row {
    /// Other nodes; and where the target comes from where the data dims are static, and where they are dynamic.
    Graph(TargetSource, TargetSource),
    /// Earlier runs of the node's model, in which the node is alone, in every binding.
    Sequence,
}

use Row::{Graph, Sequence};
use TargetSource::{Constant, Runtime};

named_enum! {
    /// A small graph around the node, or a sequence of runs.
    pub enum Surrounding: Row, "surrounding" {
        /// The data comes out of another Reshape, from a different shape with the same count.
        AfterReshape = "after-reshape" => Graph(Constant, Constant),
        /// The output goes through a Reshape that copies every dimension.
        BeforeReshape = "before-reshape" => Graph(Constant, Runtime),
        /// The data comes out of a Transpose of its inverse permutation.
        AfterTranspose = "after-transpose" => Graph(Constant, Constant),
        /// The data is a constant.
        ConstantData = "constant-data" => Graph(Constant, Runtime),
        /// Every value of the target but the last is read from the dims of the data, where they agree with it.
        ComputedTarget = "computed-target" => Graph(Constant, Constant),
        /// The first value of the target is read from the dims of the data.
        ComputedTargetFirst = "computed-target-first" => Graph(Constant, Constant),
        /// The target begins with a slice of the dims of the data.
        ComputedTargetSliced = "computed-target-sliced" => Graph(Constant, Constant),
        /// The target is joined from constants.
        ComputedTargetNone = "computed-target-none" => Graph(Constant, Constant),
        /// The graph's output declares the correct shape.
        DeclaredOutput = "declared-output" => Graph(Constant, Runtime),
        /// Another node takes the data too.
        SharedData = "shared-data" => Graph(Constant, Constant),
        /// The model ran before with other data of the same shape.
        AfterOtherData = "after-other-data" => Sequence,
        /// The model ran before with data of other shapes.
        AfterOtherShape = "after-other-shape" => Sequence,
        /// The model ran before with other targets.
        AfterOtherTarget = "after-other-target" => Sequence,
        /// The model had to refuse a run before.
        AfterRefusal = "after-refusal" => Sequence,
    }
}

impl Surrounding {
    /// Where the target comes from in its static and in its dynamic binding, for operators that have a choice; `None` for
    /// a sequence, which stands in every binding.
    pub(crate) const fn source(self, dynamic: bool) -> Option<TargetSource> {
        match self.row() {
            Graph(fixed, open) => Some(if dynamic { *open } else { *fixed }),
            Sequence => None,
        }
    }

    /// Whether it consists of earlier runs. The model is that of the node alone.
    pub(crate) const fn is_sequence(self) -> bool {
        matches!(self.row(), Sequence)
    }
}
