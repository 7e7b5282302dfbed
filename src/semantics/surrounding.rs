//! Surroundings: what stands around the node in the graph that reaches a backend, or what else its model runs. The node gets
//! the case's data and target, and its output is passed on unchanged, so a surrounding never changes what is expected.

use super::operator::TargetSource;
use crate::names::named_enum;

/// What a surrounding consists of, and that in words.
enum Row {
    /// Other nodes; and where the target comes from where the data dims are static, and where they are dynamic.
    Graph(TargetSource, TargetSource, &'static str),
    /// Other runs of the node's model, in which the node is alone, in every binding.
    Sequence(&'static str),
}

use Row::{Graph, Sequence};
use TargetSource::{Constant, Runtime};

named_enum! {
    /// A small graph around the node, or a sequence of runs.
    pub enum Surrounding: Row, "surrounding" {
        /// The data comes out of another Reshape, from a different shape with the same count.
        AfterReshape = "after-reshape" =>
            Graph(Constant, Constant, "the data comes out of another Reshape"),
        /// The output goes through a Reshape that copies every dimension.
        BeforeReshape = "before-reshape" =>
            Graph(Constant, Runtime, "the output goes through a Reshape that copies every dim"),
        /// The data comes out of a Transpose of its inverse permutation.
        AfterTranspose = "after-transpose" =>
            Graph(Constant, Constant, "the data comes out of a Transpose"),
        /// The data is a constant.
        ConstantData = "constant-data" => Graph(Constant, Runtime, "the data is a constant"),
        /// Every value of the target but the last is read from the dims of the data, where they agree with it.
        ComputedTarget = "computed-target" =>
            Graph(Constant, Constant, "the target is computed: all values but the last come from the Shape of the data"),
        /// The first value of the target is read from the dims of the data.
        ComputedTargetFirst = "computed-target-first" =>
            Graph(Constant, Constant, "the target is computed: its first value comes from the Shape of the data"),
        /// The target begins with a slice of the dims of the data.
        ComputedTargetSliced = "computed-target-sliced" =>
            Graph(Constant, Constant, "the target is computed: it begins with a Slice of the Shape of the data"),
        /// The target is joined from constants.
        ComputedTargetNone = "computed-target-none" =>
            Graph(Constant, Constant, "the target is joined from constants by a Concat"),
        /// The graph's output declares the correct shape.
        DeclaredOutput = "declared-output" =>
            Graph(Constant, Runtime, "the output declares the correct shape"),
        /// Another node takes the data too.
        SharedData = "shared-data" => Graph(Constant, Constant, "another node takes the data too"),
        /// The model ran before with other data of the same shape.
        AfterOtherData = "after-other-data" =>
            Sequence("the model ran before with other data of the same shape"),
        /// The model ran before with data of other shapes.
        AfterOtherShape = "after-other-shape" =>
            Sequence("the model ran before with data of other shapes"),
        /// The model ran before with other targets.
        AfterOtherTarget = "after-other-target" =>
            Sequence("the model ran before with other targets"),
        /// The model had to refuse a run before.
        AfterRefusal = "after-refusal" => Sequence("the model had to refuse a run before"),
        /// The model makes other runs at the same time.
        BesideOtherRuns = "beside-other-runs" =>
            Sequence("the model makes other runs at the same time"),
    }
}

impl Surrounding {
    /// Where the target comes from in its static and in its dynamic binding, for operators that have a choice; `None` for
    /// a sequence, which stands in every binding.
    pub(crate) const fn source(self, dynamic: bool) -> Option<TargetSource> {
        match self.row() {
            Graph(fixed, open, _) => Some(if dynamic { *open } else { *fixed }),
            Sequence(_) => None,
        }
    }

    /// Whether it consists of other runs. The model is that of the node alone.
    pub(crate) const fn is_sequence(self) -> bool {
        matches!(self.row(), Sequence(_))
    }

    /// Whether it consists of other runs that are made at the same time.
    pub(crate) const fn is_concurrent(self) -> bool {
        matches!(self, Self::BesideOtherRuns)
    }

    /// In words: `the data is a constant`.
    pub(crate) const fn description(self) -> &'static str {
        match self.row() {
            Graph(.., description) | Sequence(description) => description,
        }
    }
}
