//! Surroundings: what stands around the node in the graph that reaches a backend. The node gets the case's data and target,
//! and its output is passed on unchanged, so a surrounding never changes what is expected.

use super::operator::TargetSource;
use crate::names::named_enum;

/// Where the target comes from where the data dims are static, and where they are dynamic.
struct Row(TargetSource, TargetSource);

use TargetSource::{Constant, Runtime};

named_enum! {
    /// A small graph around the node.
    pub enum Surrounding: Row, "surrounding" {
        /// The data comes out of another Reshape, from a different shape with the same count.
        AfterReshape = "after-reshape" => Row(Constant, Constant),
        /// The output goes through a Reshape that copies every dimension.
        BeforeReshape = "before-reshape" => Row(Constant, Runtime),
        /// The data comes out of a Transpose of its inverse permutation.
        AfterTranspose = "after-transpose" => Row(Constant, Constant),
        /// The data is a constant.
        ConstantData = "constant-data" => Row(Constant, Runtime),
        /// Every value of the target but the last is read from the dims of the data, where they agree with it.
        ComputedTarget = "computed-target" => Row(Constant, Constant),
        /// The first value of the target is read from the dims of the data.
        ComputedTargetFirst = "computed-target-first" => Row(Constant, Constant),
        /// The target begins with a slice of the dims of the data.
        ComputedTargetSliced = "computed-target-sliced" => Row(Constant, Constant),
        /// The target is joined from constants.
        ComputedTargetNone = "computed-target-none" => Row(Constant, Constant),
        /// The graph's output declares the correct shape.
        DeclaredOutput = "declared-output" => Row(Constant, Runtime),
        /// Another node takes the data too.
        SharedData = "shared-data" => Row(Constant, Constant),
    }
}

impl Surrounding {
    /// Where the target comes from in its static and in its dynamic binding, for operators that have a choice.
    pub(crate) const fn source(self, dynamic: bool) -> TargetSource {
        let Row(fixed, open) = self.row();
        if dynamic { *open } else { *fixed }
    }
}
